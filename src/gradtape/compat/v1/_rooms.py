"""Modules of version 1: those of version 2 with a few additional names."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

# Modules that are those of version 2, except for names that have other arguments: `name` or `name=its name in tf.compat.v1`.
_CHECKS = "equal greater greater_equal integer less less_equal near negative non_negative non_positive none_equal positive rank"
_CHANGED = {
    "debugging": "assert_all_finite=verify_tensor_all_finite "
    + " ".join(f"assert_{check}" for check in f"{_CHECKS} rank_at_least rank_in scalar type".split()),
    "io": "decode_csv decode_raw parse_example parse_single_example serialize_many_sparse serialize_sparse",
    "linalg": "norm",
    "math": (
        "argmax argmin confusion_matrix count_nonzero in_top_k log_softmax reduce_all reduce_any reduce_logsumexp reduce_max "
        "reduce_mean reduce_min reduce_prod reduce_sum softmax"
    ),
    "random": "poisson=random_poisson",
    "sparse": (
        "add=sparse_add reduce_max=sparse_reduce_max reduce_sum=sparse_reduce_sum segment_mean=sparse_segment_mean "
        "segment_sqrt_n=sparse_segment_sqrt_n segment_sum=sparse_segment_sum"
    ),
}


class _Changed(types.ModuleType):
    """A module of version 2 with some functions of version 1."""

    def __getattr__(self, name: str) -> Any:
        room = self.__name__.rpartition(".")[2]
        for entry in _CHANGED[room].split():
            shown, _, own = entry.partition("=")
            if shown == name:
                return getattr(sys.modules["gradtape.compat.v1"], own or shown)
        return getattr(importlib.import_module(f"gradtape.{room}"), name)

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module(f"gradtape.{self.__name__.rpartition('.')[2]}"))


def changed(room: str) -> types.ModuleType | None:
    """The module of version 1 for a room whose functions have other arguments there; None for other names."""
    return _Changed(f"gradtape.compat.v1.{room}") if room in _CHANGED else None


def from_room(room: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that shows the names of a public one."""

    def get(name: str) -> Any:
        if name.startswith("__"):
            raise no_attribute(room, name)
        try:
            return getattr(importlib.import_module(f"gradtape.{room}"), name)
        except AttributeError as problem:
            if "\n  fix: " in str(problem):
                raise
            raise no_attribute(room, name) from None

    return get


def no_attribute(room: str, name: str) -> AttributeError:
    """The error for a name that a module of version 1 does not have; with the module, Python adds "Did you mean"."""
    module = f"gradtape.compat.v1.{room}".removesuffix(".")
    text = f"module {module.replace('gradtape', 'tensorflow')!r} has no attribute {name!r}"
    return AttributeError(text, name=name, obj=sys.modules[module])


def left_out(room: str, name: str, reason: str, fix: str) -> AttributeError:
    """The error for a name of a module that is left out."""
    if name.startswith("__"):
        return no_attribute(room, name)
    # Without the module: a suggestion of Python's would only repeat the fix.
    return AttributeError(f"tf.compat.v1.{room}.{name} is left out: {reason}.\n  fix: {fix}", name=name)
