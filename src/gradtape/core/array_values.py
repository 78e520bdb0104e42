"""The arrays of tensors that consist of several, as sessions and `tf.test.TestCase.evaluate` return them.

Public functions take them as the tensors: `ragged/_values.py` answers for them.
"""

from __future__ import annotations

import copy
import importlib
import itertools
from typing import Any, NamedTuple

import numpy as np

from gradtape.core import errors
from gradtape.core.composite import Answering, Composite
from gradtape.core.tensor import Tensor

_ANSWERS = "gradtape.ragged._values"


class SparseTensorValue(NamedTuple):
    """The arrays of a sparse tensor."""

    indices: Any
    values: Any
    dense_shape: Any

    def __gradtape_function__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a public function returns that knows no sparse tensors."""
        return importlib.import_module(_ANSWERS).answer(function, args, kwargs)


class IndexedSlicesValue(NamedTuple):
    """The arrays of `tf.IndexedSlices`."""

    values: Any
    indices: Any
    dense_shape: Any


class RaggedTensorValue(Answering):
    """The arrays of a ragged tensor.

    Attributes:
      values: an array, or the value of another ragged tensor.
      row_splits: where rows begin and end in `values`.
    """

    _functions = _ANSWERS

    def __init__(self, values: Any, row_splits: Any) -> None:
        if not (isinstance(row_splits, np.ndarray) and row_splits.dtype in (np.int64, np.int32)):
            raise _refused(f"row_splits must be a 1-D int32 or int64 numpy array, got {row_splits!r}")
        if row_splits.ndim != 1:
            raise _refused(f"row_splits must be a 1-D int32 or int64 numpy array, got {row_splits!r}")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise _refused(f"values must be a numpy array or a RaggedTensorValue, got {values!r}")
        if isinstance(values, RaggedTensorValue) and row_splits.dtype != values.row_splits.dtype:
            what = "RaggedTensorValue: row_splits and values.row_splits must have the same dtype."
            raise ValueError(errors.compose(what, "cast the one or the other."))
        self._values, self._row_splits = values, row_splits

    values = property(lambda self: self._values, doc="An array, or the value of another ragged tensor.")
    row_splits = property(lambda self: self._row_splits, doc="Where rows begin and end in `values`.")
    dtype = property(lambda self: self._values.dtype, doc="The NumPy dtype of the elements.")

    @property
    def flat_values(self) -> Any:
        """The innermost array."""
        return self._values.flat_values if isinstance(self._values, RaggedTensorValue) else self._values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits, of the outermost dimension first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensorValue) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are ragged."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The shape, with None for ragged dimensions."""
        return (len(self._row_splits) - 1, None, *self._values.shape[1:])

    def to_list(self) -> list[Any]:
        """The rows as nested lists."""
        values = self._values.to_list() if isinstance(self._values, RaggedTensorValue) else self._values.tolist()
        splits = self._row_splits.tolist()
        return [values[a:b] for a, b in itertools.pairwise(splits)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"


def _refused(what: str) -> Exception:
    return TypeError(
        errors.compose(f"RaggedTensorValue: {what}.", "tf.ragged.constant makes a ragged tensor of lists.")
    )


def of_tensor(tensor: Any) -> Any:
    """The NumPy value of a tensor, of one of several parts the arrays of all. Raises AttributeError for other values."""
    if hasattr(tensor, "nested_row_splits"):
        return RaggedTensorValue(of_tensor(tensor.values), np.asarray(tensor.row_splits.numpy()))
    if hasattr(tensor, "dense_shape") and hasattr(tensor, "indices"):
        kind = IndexedSlicesValue if not hasattr(tensor, "with_values") else SparseTensorValue
        return kind(*[None if part is None else part.numpy() for part in (getattr(tensor, n) for n in kind._fields)])
    if hasattr(tensor, "numpy") or not isinstance(tensor, Composite):
        return tensor.numpy()
    made, held = copy.copy(tensor), (Tensor, Composite)  # an extension type
    vars(made).update({name: of_tensor(part) for name, part in vars(tensor).items() if isinstance(part, held)})
    return made
