"""`tf.distribute.coordinator`: classes for isinstance checks; there are no other machines."""

from gradtape.distribute._absent_classes import ClusterCoordinator, PerWorkerValues, RemoteValue

__all__ = ["ClusterCoordinator", "PerWorkerValues", "RemoteValue"]
