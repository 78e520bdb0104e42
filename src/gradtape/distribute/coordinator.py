"""`tf.distribute.coordinator`: classes to compare with; there are no other machines."""

from gradtape.distribute._absent_classes import ClusterCoordinator, PerWorkerValues, RemoteValue

__all__ = ["ClusterCoordinator", "PerWorkerValues", "RemoteValue"]
