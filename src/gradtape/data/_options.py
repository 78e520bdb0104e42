"""Options of datasets. `deterministic` determines the order of elements; the others are stored without effect."""

from __future__ import annotations

import enum
from typing import Any, Self

from gradtape.core import errors


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """The treatment of external state when a pipeline is saved."""

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
    """Arbitrary attributes, None by default."""

    _kinds: dict[str, Any] = {}  # the attributes and their classes
    _defaults: dict[str, Any] = {}  # defaults other than None

    def __getattr__(self, name: str) -> Any:
        if name not in self._kinds:
            raise AttributeError(self._unknown(name))
        return self._defaults.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._kinds:
            raise AttributeError(self._unknown(name))
        if "_is_copy" in vars(self):
            raise ValueError(
                errors.compose(
                    "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no effect.",
                    "use dataset.with_options(options) to set or update options of a dataset.",
                )
            )
        if not isinstance(value, self._kinds[name]):
            raise TypeError(
                errors.compose(
                    f'{type(self).__name__}: Property "{name}" must be of type {self._kinds[name]}, got: {value!r}.',
                    "leave it alone for the default.",
                )
            )
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._kinds})

    def _unknown(self, name: str) -> str:
        return f"Cannot set the property {name} on {type(self).__name__}: it has {', '.join(self._kinds)}."

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._set() == other._set()

    __hash__ = None  # type: ignore[assignment]

    def _set(self) -> dict[str, Any]:
        """The attributes that were set."""
        return {name: value for name, value in vars(self).items() if name != "_is_copy"}

    def _as_copy(self) -> Self:
        """A read-only copy of these options and those nested in them, as a dataset returns it."""
        for value in self._set().values():
            if isinstance(value, _Attributes):
                value._as_copy()
        vars(self)["_is_copy"] = True
        return self


class AutotuneOptions(_Attributes):
    """Options of `Options.autotune`."""

    _kinds = {
        "autotune_algorithm": AutotuneAlgorithm,
        "enabled": bool,
        **dict.fromkeys(("cpu_budget", "initial_parallelism", "min_parallelism", "ram_budget"), int),
    }


class DistributeOptions(_Attributes):
    """Options of `Options.experimental_distribute`."""

    _kinds = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}
    _defaults = {"auto_shard_policy": AutoShardPolicy.AUTO}


class OptimizationOptions(_Attributes):
    """Options of `Options.experimental_optimization`."""

    _kinds = dict.fromkeys(
        [
            "apply_default_optimizations",
            "filter_fusion",
            "filter_parallelization",
            "inject_prefetch",
            "map_and_batch_fusion",
            "map_and_filter_fusion",
            "map_fusion",
            "map_parallelization",
            "noop_elimination",
            "parallel_batch",
            "seq_interleave_prefetch",
            "shuffle_and_repeat_fusion",
        ],
        bool,
    )


class ServiceOptions(_Attributes):
    """Options of a data service."""

    _kinds = {"pinned": bool}


class ThreadingOptions(_Attributes):
    """Options of `Options.threading`."""

    _kinds = {"max_intra_op_parallelism": int, "private_threadpool_size": int}


class Options(_Attributes):
    """Options of `Dataset.with_options`.

    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    _kinds = {
        "autotune": AutotuneOptions,
        "dataset_name": str,
        "deterministic": bool,
        "experimental_deterministic": bool,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions,
        "experimental_service": ServiceOptions,
        "experimental_slack": bool,
        "experimental_symbolic_checkpoint": bool,
        "experimental_threading": ThreadingOptions,
        "experimental_warm_start": bool,
        "framework_type": list,
        "threading": ThreadingOptions,
    }

    def __init__(self) -> None:
        self.autotune = AutotuneOptions()
        self.experimental_distribute = DistributeOptions()
        self.experimental_optimization = OptimizationOptions()
        self.experimental_service = ServiceOptions()
        self.threading = self.experimental_threading = ThreadingOptions()

    def merge(self, options: Options) -> Options:
        """The two options merged; the other's values take precedence."""
        merged = Options()
        for source in (self, options):
            for name, value in source._set().items():
                if not isinstance(value, _Attributes):
                    setattr(merged, name, value)
                else:
                    vars(getattr(merged, name)).update(value._set())
        return merged


def of(stage: Any) -> Options:
    """The options of a stage: those of its inputs, and its own."""
    found = Options()
    for source in stage.inputs:
        found = found.merge(of(source))
    return found if stage.options is None else found.merge(stage.options)
