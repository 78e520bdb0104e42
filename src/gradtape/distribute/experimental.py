"""`tf.distribute.experimental`: earlier names, and options of strategies."""

from gradtape.core import lazy

_LATER = {
    "gradtape.distribute._distributed_dataset": "ValueContext",
    "gradtape.distribute._cross_replica_ops": (
        "CollectiveCommunication=CommunicationImplementation CollectiveHints=CommunicationOptions "
        "CommunicationImplementation CommunicationOptions"
    ),
    "gradtape.distribute._absent_strategies": "ParameterServerStrategy TPUStrategy",
    "gradtape.distribute.coordinator": "*",
    "gradtape.distribute._strategy": "CentralStorageStrategy MultiWorkerMirroredStrategy",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
