"""Options of datasets. They are accepted and kept; pipelines run the same with all of them."""

from __future__ import annotations

import enum
from typing import Any


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What happens to state outside of a pipeline when it is saved."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How resources are divided."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _Attributes:
    """Any attributes; None where nothing was set."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


class AutotuneOptions(_Attributes):
    """Options of `Options.autotune`."""


class DistributeOptions(_Attributes):
    """Options of `Options.experimental_distribute`."""


class OptimizationOptions(_Attributes):
    """Options of `Options.experimental_optimization`."""


class ServiceOptions(_Attributes):
    """Options of a data service."""


class ThreadingOptions(_Attributes):
    """Options of `Options.threading`."""


class Options(_Attributes):
    """Options of `Dataset.with_options`.

    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    def __init__(self) -> None:
        self.autotune = AutotuneOptions()
        self.experimental_distribute = DistributeOptions()
        self.experimental_optimization = OptimizationOptions()
        self.experimental_service = ServiceOptions()
        self.threading = ThreadingOptions()

    def merge(self, options: Options) -> Options:
        """Both options; where both say something, the other's."""
        merged = Options()
        for source in (self, options):
            for name, value in vars(source).items():
                if not isinstance(value, _Attributes):
                    setattr(merged, name, value)
                else:
                    vars(getattr(merged, name)).update(vars(value))
        return merged
