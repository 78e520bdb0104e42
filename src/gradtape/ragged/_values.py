"""Public functions of the arrays of sparse and ragged tensors (`core/array_values.py`), which stand for the tensors."""

from __future__ import annotations

from typing import Any

from gradtape.core import doors
from gradtape.core.array_values import RaggedTensorValue, SparseTensorValue
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.ragged import _construct as construct


def answer(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a public function for the tensors of all such values among its arguments."""
    own = {name: as_tensors(x) for name, x in kwargs.items()}
    return doors.adapt(function)(*[as_tensors(x) for x in args], **own)


def as_tensors(argument: Any) -> Any:
    """An argument with sparse and ragged tensors in place of their arrays, also in lists."""
    if isinstance(argument, SparseTensorValue):
        return SparseTensor(argument.indices, argument.values, argument.dense_shape)
    if isinstance(argument, RaggedTensorValue):
        return construct.from_nested_row_splits(argument.flat_values, argument.nested_row_splits, validate=False)
    if isinstance(argument, (list, tuple)) and any(
        isinstance(x, (SparseTensorValue, RaggedTensorValue)) for x in argument
    ):
        return [as_tensors(x) for x in argument]
    return argument
