"""Attributes that libraries set on tensors. They are kept in a separate table, since tensors have slots.

Only programs that import `tensorflow` have them, and only those of these names.
"""

from __future__ import annotations

import functools
import weakref
from typing import Any

from gradtape.core import attribute_hints
from gradtape.core.registry import REGISTRY
from gradtape.core.tensor import Tensor

NAMES = (
    "_keras_history",
    "_keras_history_checked",
    "_keras_logits",
    "_keras_mask",
    "_keras_shape",
    "_metric_obj",
    "_tfp_distribution",
    "_tfp_shape",
    "_unconditional_loss",
    "_uses_learning_phase",
)


class Beside:
    """An attribute of tensors that is kept in a separate table while the tensor lives."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._held: dict[int, tuple[Any, Any]] = {}

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            raise AttributeError(self._name)
        found = self._held.get(id(instance))
        if found is None:
            raise AttributeError(f"{type(instance).__name__!r} object has no attribute {self._name!r}")
        return found[1]

    def __set__(self, instance: Any, value: Any) -> None:
        number = id(instance)
        self._held[number] = (weakref.ref(instance, functools.partial(self._held.pop, number)), value)

    def __delete__(self, instance: Any) -> None:
        if self._held.pop(id(instance), None) is None:
            raise AttributeError(self._name)


def _shape_as_list(self: Tensor) -> list[int | None] | None:
    """The shape as a list; None for an unknown rank."""
    shape = self.get_shape()
    return None if shape.rank is None else shape.as_list()


def _shape_tuple(self: Tensor) -> tuple[int | None, ...] | None:
    """The shape as a tuple; None for an unknown rank."""
    shape = self.get_shape()
    return None if shape.rank is None else tuple(shape)


METHODS: dict[str, Any] = {
    "_numpy": lambda self: self._array,
    "_rank": lambda self: self.get_shape().rank,
    "_shape_as_list": _shape_as_list,
    "_shape_tuple": _shape_tuple,
    "cpu": lambda self: REGISTRY["identity"](self),
}


def install() -> None:
    """Enable the attributes on tensors."""
    for name in NAMES:
        setattr(Tensor, name, Beside(name))
    for name, method in METHODS.items():
        setattr(Tensor, name, method)


def uninstall() -> None:
    """Let tensors be as they were."""
    for name in (*NAMES, *METHODS):
        if name in vars(Tensor):
            delattr(Tensor, name)
    attribute_hints.attach(Tensor)  # `cpu` has one
