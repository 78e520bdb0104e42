"""The tensors that an operator is made of, and the same operator made of others.

Tapes, functions and maps see an operator as its tensors: a gradient with respect to an operator is an operator of gradients.
A part of a batch is the operator of a part of each tensor.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradtape.arrays.movement import broadcast_to
from gradtape.core.composite import Form, Pieces, pieces_class
from gradtape.core.convert import convert_to_tensor
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable

_Change = Callable[[Any], Any]


def given_arguments(operator: Any) -> dict[str, Any]:
    """The arguments that the constructor got, by name."""
    args, kwargs = vars(operator)["_arguments"]
    bound = inspect.signature(type(operator).__init__).bind(operator, *args, **kwargs)
    bound.apply_defaults()
    return {name: value for name, value in bound.arguments.items() if name != "self"}


def arguments_of(operator: Any) -> dict[str, Any]:
    """The same, with what the operator keeps in place of lists and arrays."""
    given = given_arguments(operator)
    return {name: value if value is None else _kept(operator, name, value) for name, value in given.items()}


def _kept(operator: Any, name: str, value: Any) -> Any:
    if isinstance(value, (bool, str)):
        return value  # hints change: they follow from each other
    kept = getattr(operator, name, value)
    return kept if isinstance(kept, (Tensor, Variable, list, tuple)) or hasattr(kept, "_arguments") else value


def parts(operator: Any) -> list[Any]:
    """The tensors and variables of an operator, and of those that it is made of."""
    found: list[Any] = []

    def note(part: Any) -> Any:
        found.append(part)
        return part

    _changed(tuple(arguments_of(operator).values()), note)
    return found


def rebuilt(operator: Any, values: Sequence[Any]) -> Any:
    """The same operator, made of other tensors."""
    rest = iter(values)
    return _remade(operator, lambda part: next(rest))


def _remade(operator: Any, change: _Change) -> Any:
    return type(operator)(**{name: _changed(value, change) for name, value in arguments_of(operator).items()})


def _changed(value: Any, change: _Change) -> Any:
    """An argument with something in place of each of its tensors."""
    if isinstance(value, (Tensor, Variable)):
        return change(value) if value.dtype.is_floating or value.dtype.is_complex else value
    if "_arguments" in getattr(value, "__dict__", {}):
        return _remade(value, change)
    if isinstance(value, (list, tuple)):
        return type(value)([_changed(v, change) for v in value])
    return value


@dataclass(frozen=True)
class OperatorForm(Form):
    """An operator without its tensors: its class, and the other arguments of its constructor."""

    make: type
    arguments: tuple[tuple[str, Any], ...]

    def assembled(self, parts: Sequence[Any]) -> Any:
        """The operator of these tensors."""
        return _filled(self, iter(parts))


_PART = "a tensor"


def pieces_of(operator: Any) -> Pieces:
    """The operator as a structure of its tensors, which a function can return."""
    found: list[Any] = []
    form = _emptied(operator, found)
    result: Pieces = pieces_class(form)(*found)
    return result


def _emptied(value: Any, found: list[Any]) -> Any:
    if isinstance(value, (Tensor, Variable)):
        found.append(value)
        return _PART
    if isinstance(value, (np.ndarray, np.generic)):  # a form is a key of traces: it holds nothing that can change
        return _emptied(value.tolist() if value.dtype.kind in "iub" else convert_to_tensor(value), found)
    if "_arguments" in getattr(value, "__dict__", {}):
        pairs = [(name, _emptied(v, found)) for name, v in arguments_of(value).items()]
        return OperatorForm(type(value), tuple(pairs))
    return tuple([_emptied(v, found) for v in value]) if isinstance(value, (list, tuple)) else value


def _filled(value: Any, parts: Iterator[Any]) -> Any:
    if value is _PART or value == _PART:
        return next(parts)
    if isinstance(value, OperatorForm):
        return value.make(**{name: _filled(v, parts) for name, v in value.arguments})
    return [_filled(v, parts) for v in value] if isinstance(value, tuple) else value


def sliced(operator: Any, entries: Sequence[Any], batch: Sequence[Any]) -> Any:
    """The operator of a part of a batch.

    Args:
      operator: whose batch broadcasts to `batch`.
      entries: the index of the batch.
      batch: the shape of the whole batch.
    """
    found = {}
    for name, value in arguments_of(operator).items():
        found[name] = _sliced(value, entries, batch, operator._matrix_ranks.get(name))
        if name == "batch_shape":
            found[name] = list(np.empty(tuple(batch), bool)[tuple(entries)].shape)
    return type(operator)(**found)


def _sliced(value: Any, entries: Sequence[Any], batch: Sequence[Any], rank: int | None) -> Any:
    if "_arguments" in getattr(value, "__dict__", {}):
        return sliced(value, entries, batch)
    if isinstance(value, (list, tuple)):
        return [_sliced(v, entries, batch, rank) for v in value]
    if rank is None or not isinstance(value, (Tensor, Variable)):
        return value
    matrix = tuple(value.shape)[len(value.shape) - rank :]
    whole = broadcast_to(value, (*batch, *matrix))
    return whole[(*entries, *[slice(None)] * rank)] if ... in entries else whole[tuple(entries)]
