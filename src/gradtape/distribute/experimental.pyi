# Written by tools/stubs.py.
# ruff: noqa
from gradtape.distribute import coordinator
from gradtape.distribute._absent_strategies import ParameterServerStrategy
from gradtape.distribute._absent_strategies import TPUStrategy
from gradtape.distribute._cross_replica_ops import CommunicationImplementation
from gradtape.distribute._cross_replica_ops import CommunicationImplementation as CollectiveCommunication
from gradtape.distribute._cross_replica_ops import CommunicationOptions
from gradtape.distribute._cross_replica_ops import CommunicationOptions as CollectiveHints
from gradtape.distribute._distributed_dataset import ValueContext
from gradtape.distribute._strategy import CentralStorageStrategy
from gradtape.distribute._strategy import MultiWorkerMirroredStrategy

__all__ = [
    "CentralStorageStrategy",
    "CollectiveCommunication",
    "CollectiveHints",
    "CommunicationImplementation",
    "CommunicationOptions",
    "MultiWorkerMirroredStrategy",
    "ParameterServerStrategy",
    "TPUStrategy",
    "ValueContext",
    "coordinator",
]
