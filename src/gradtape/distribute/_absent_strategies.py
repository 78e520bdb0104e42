"""Strategies for unsupported machines and devices: classes for isinstance checks that cannot be instantiated."""

from __future__ import annotations

from typing import Any

from gradtape.core import errors
from gradtape.distribute._strategy import Strategy

_ALONE = (
    "use tf.distribute.MultiWorkerMirroredStrategy, which trains on the processes of an MPI job, or MirroredStrategy."
)


class TPUStrategy(Strategy):
    """A strategy over TPUs: there are none, so nothing is an instance of it.

    >>> isinstance(tf.distribute.get_strategy(), tf.distribute.TPUStrategy)
    False
    """

    def __init__(self, *_: Any, **__: Any) -> None:
        raise errors.build(errors.LeftOutError, "tf.distribute.TPUStrategy is left out: there are no TPUs.", _ALONE)


class ParameterServerStrategy(Strategy):
    """A strategy over servers: there are no servers, so nothing is an instance of it.

    >>> isinstance(tf.distribute.get_strategy(), tf.distribute.ParameterServerStrategy)
    False
    """

    def __init__(self, *_: Any, **__: Any) -> None:
        what = "tf.distribute.ParameterServerStrategy is left out: processes train together through MPI; there are no servers."
        raise errors.build(errors.LeftOutError, what, _ALONE)
