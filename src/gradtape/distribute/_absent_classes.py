"""Classes of clusters, for `isinstance` only: there are no servers, so they cannot be instantiated."""

from __future__ import annotations

from typing import Any

from gradtape.core import errors

_ALONE = (
    "use tf.distribute.MultiWorkerMirroredStrategy, which trains on the processes of an MPI job, or MirroredStrategy."
)


class LeftOut:
    """A class that cannot be instantiated.

    Attributes:
      _room: the module that shows the class.
      _left_out: why, and what to use instead; docs/coverage.py lists it.
    """

    _room = "tf.distribute"
    _left_out = ("processes train together through MPI; there are no servers", _ALONE)

    def __init__(self, *_: Any, **__: Any) -> None:
        why, instead = self._left_out
        what = f"{self._room}.{type(self).__name__} is left out: {why}."
        raise errors.LeftOutError(errors.compose(what, instead))


class ClusterCoordinator(LeftOut):
    """A coordinator of work on other machines."""

    _room = "tf.distribute.coordinator"


class RemoteValue(LeftOut):
    """A value on another machine."""

    _room = "tf.distribute.coordinator"


class PerWorkerValues(LeftOut):
    """A value for each machine."""

    _room = "tf.distribute.coordinator"


class TPUClusterResolver(LeftOut):
    """TPUs, which are not supported."""

    _room = "tf.distribute.cluster_resolver"
    _left_out = ("there are no TPUs", _ALONE)


class GCEClusterResolver(LeftOut):
    """Machines of a cloud."""

    _room = "tf.distribute.cluster_resolver"


class KubernetesClusterResolver(LeftOut):
    """Machines of Kubernetes."""

    _room = "tf.distribute.cluster_resolver"
