"""`tf.distribute.experimental`: earlier names, and options of strategies."""

from gradtape.core import lazy

_LATER = {
    "gradtape.names.distribute.datasets": "ValueContext",
    "gradtape.names.distribute.reduction": (
        "CollectiveCommunication=CommunicationImplementation CollectiveHints=CommunicationOptions "
        "CommunicationImplementation CommunicationOptions"
    ),
    "gradtape.names.distribute.strategy": "CentralStorageStrategy MultiWorkerMirroredStrategy",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
