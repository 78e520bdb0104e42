"""Classes of clusters, for `isinstance`: one process computes, so no object of them can be made."""

from __future__ import annotations

from typing import Any

from gradtape.core import errors

_ALONE = "use tf.distribute.MirroredStrategy or MultiWorkerMirroredStrategy, which run in this process."


class _OfClusters:
    """What belongs to several machines."""

    def __init__(self, *_: Any, **__: Any) -> None:
        what = f"{type(self).__name__} is left out: one process computes; there are no servers and clusters."
        raise errors.LeftOutError(errors.compose(what, _ALONE))


class ClusterCoordinator(_OfClusters):
    """Hands work to other machines."""


class RemoteValue(_OfClusters):
    """A value on another machine."""


class PerWorkerValues(_OfClusters):
    """A value for each machine."""


class ClusterResolver(_OfClusters):
    """Finds the machines of a cluster."""


class SimpleClusterResolver(ClusterResolver):
    """Machines by a list."""


class TFConfigClusterResolver(ClusterResolver):
    """Machines by an environment variable."""


class TPUClusterResolver(ClusterResolver):
    """TPUs, of which there are none."""


class GCEClusterResolver(ClusterResolver):
    """Machines of a cloud."""


class KubernetesClusterResolver(ClusterResolver):
    """Machines of Kubernetes."""


class SlurmClusterResolver(ClusterResolver):
    """Machines of Slurm."""


class UnionResolver(ClusterResolver):
    """Machines of several clusters."""
