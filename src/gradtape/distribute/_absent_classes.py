"""Classes of clusters, for `isinstance`: there are no servers, so no object of them can be made."""

from __future__ import annotations

from typing import Any

from gradtape.core import errors

_ALONE = (
    "use tf.distribute.MultiWorkerMirroredStrategy, which trains on the processes of an MPI job, or MirroredStrategy."
)


class _OfClusters:
    """What belongs to several machines."""

    def __init__(self, *_: Any, **__: Any) -> None:
        what = f"{type(self).__name__} is left out: processes train together through MPI; there are no servers."
        raise errors.build(errors.LeftOutError, what, _ALONE)


class ClusterCoordinator(_OfClusters):
    """A coordinator of work on other machines."""


class RemoteValue(_OfClusters):
    """A value on another machine."""


class PerWorkerValues(_OfClusters):
    """A value for each machine."""


class TPUClusterResolver(_OfClusters):
    """TPUs, which are not supported."""


class GCEClusterResolver(_OfClusters):
    """Machines of a cloud."""


class KubernetesClusterResolver(_OfClusters):
    """Machines of Kubernetes."""
