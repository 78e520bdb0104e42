"""Names that only `tf.__internal__` has."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from gradtape.compat._internal.names import absent_class

_COLUMNS = "Keras's preprocessing layers have replaced feature columns"
DenseColumn = absent_class("DenseColumn", _COLUMNS)
FeatureColumn = absent_class("FeatureColumn", _COLUMNS)
FeatureTransformationCache = absent_class("FeatureTransformationCache", _COLUMNS)
SequenceDenseColumn = absent_class("SequenceDenseColumn", _COLUMNS)
deserialize_feature_column = absent_class("deserialize_feature_column", _COLUMNS)
serialize_feature_column = absent_class("serialize_feature_column", _COLUMNS)


class StateManager:
    """Base of the managers of feature columns' variables."""


def execute_fn_for_device(device_branch_fns: Any, default_fn: Callable[[], Any], name: str = "execute_fn") -> Any:
    """The function for the CPU, or the one for any device."""
    return device_branch_fns.get("CPU", default_fn)()


def getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """A part of a tensor."""
    return tensor[slice_spec]


ragged_getitem = getitem


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """False: graphs are not rewritten."""
    return False


def update_checkpoint_state(save_dir: Any, model_checkpoint_path: Any, **_: Any) -> None:
    """Nothing: a checkpoint manager writes which one is the latest."""


class NamedObject:
    """An object of a test's parameters, with a name."""

    def __init__(self, name: str, obj: Any) -> None:
        self._name, self._obj = name, obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._obj(*args, **kwargs)

    def __repr__(self) -> str:
        return self._name


class OptionalParameter:
    """A parameter that a test may take."""


class TestCombination:
    """Base of the combinations of test parameters."""

    __test__ = False


def combine(**kwargs: Any) -> list[dict[str, Any]]:
    """All combinations of values of parameters."""
    columns = [v if isinstance(v, list) else [v] for v in kwargs.values()]
    return [dict(zip(kwargs, row, strict=True)) for row in itertools.product(*columns)]


def times(*combined: Any) -> list[dict[str, Any]]:
    """All combinations of combinations."""
    return [{k: v for part in row for k, v in part.items()} for row in itertools.product(*combined)]


def generate(combinations: Any, test_combinations: Any = ()) -> Callable[[Any], Any]:
    """A decorator that runs a test with each combination."""
    import inspect

    def decorate(test: Any) -> Any:
        takes = set(inspect.signature(test).parameters)

        def run_all(self: Any) -> None:
            for combination in combinations:
                with self.subTest(**{k: str(v) for k, v in combination.items()}):
                    test(self, **{k: v for k, v in combination.items() if k in takes})

        run_all.__name__ = getattr(test, "__name__", "run_all")
        return run_all

    return decorate
