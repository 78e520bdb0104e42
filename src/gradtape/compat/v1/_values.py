"""The arrays of sparse and ragged tensors, as sessions of TensorFlow give them and its functions take them."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from gradtape.core import doors, errors
from gradtape.core.composite import Answering
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.ragged import _construct as construct


class SparseTensorValue(NamedTuple):
    """The arrays of a sparse tensor. Functions take it as the sparse tensor."""

    indices: Any
    values: Any
    dense_shape: Any

    def __gradtape_function__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a public function for the sparse tensors of all values among its arguments."""
        return _of_tensors(function, args, kwargs)


class RaggedTensorValue(Answering):
    """The arrays of a ragged tensor. Functions take it as the ragged tensor; sessions give ragged tensors themselves.

    Args:
      values: an array, or such a value.
      row_splits: a vector of int32 or int64.
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        if not (
            isinstance(row_splits, np.ndarray) and row_splits.ndim == 1 and row_splits.dtype in (np.int32, np.int64)
        ):
            raise TypeError(_refused("row_splits must be a 1D int32 or int64 numpy array.", "use np.array([0, 2])."))
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError(_refused("values must be a numpy array or a RaggedTensorValue.", "use np.array([1, 2])."))
        if isinstance(values, RaggedTensorValue) and values.row_splits.dtype != row_splits.dtype:
            raise ValueError(
                _refused("row_splits and values.row_splits must have the same dtype.", "use int64 for both.")
            )
        self.values: Any = values
        self.row_splits: Any = row_splits

    @property
    def dtype(self) -> Any:
        """NumPy's dtype of the values."""
        return self.values.dtype

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        return self.values.flat_values if isinstance(self.values, RaggedTensorValue) else self.values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all levels, the outermost first."""
        below = self.values.nested_row_splits if isinstance(self.values, RaggedTensorValue) else ()
        return (self.row_splits, *below)

    @property
    def ragged_rank(self) -> int:
        """How many levels of rows there are."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The number of rows, None for their lengths, and the sizes of the values."""
        return (len(self.row_splits) - 1, None, *self.values.shape[1:])

    def to_list(self) -> list[Any]:
        """The rows as nested lists."""
        below = self.values.to_list() if isinstance(self.values, RaggedTensorValue) else self.values.tolist()
        ends = self.row_splits.tolist()
        return [below[start:end] for start, end in itertools.pairwise(ends)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"

    def __gradtape_function__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a public function for the ragged tensors of all values among its arguments."""
        return _of_tensors(function, args, kwargs)


def _refused(what: str, fix: str) -> str:
    return errors.compose(f"RaggedTensorValue: {what}", fix)


def _of_tensors(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    own = {name: as_tensors(x) for name, x in kwargs.items()}
    return doors.adapt(function)(*[as_tensors(x) for x in args], **own)


def as_tensors(argument: Any) -> Any:
    """An argument with sparse and ragged tensors in place of values, also in lists."""
    if isinstance(argument, SparseTensorValue):
        return SparseTensor(*argument)
    if isinstance(argument, RaggedTensorValue):
        return construct.from_nested_row_splits(argument.flat_values, argument.nested_row_splits, validate=False)
    if isinstance(argument, (list, tuple)) and any(
        isinstance(x, (SparseTensorValue, RaggedTensorValue)) for x in argument
    ):
        return [as_tensors(x) for x in argument]
    return argument
