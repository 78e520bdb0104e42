"""`tf.compat.v1.ragged`: ragged tensors of version 2, and their values as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.compat.v1 import _rooms
from gradtape.core import dtypes, errors
from gradtape.core.array_values import RaggedTensorValue
from gradtape.ragged import _functions as functions
from gradtape.ragged._tensor import RaggedTensor

__getattr__, __dir__ = _rooms.from_room("ragged")


def constant_value(
    pylist: Any, dtype: Any = None, ragged_rank: int | None = None, inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:  # fmt: skip
    """The arrays of a ragged tensor of a nested list, in NumPy's dtypes; an array if no axis is ragged.

    Args:
      pylist: as in `tf.ragged.constant`.
      dtype: of the values; by default the one that NumPy chooses.
      ragged_rank: how many axes are ragged.
      inner_shape: the shape of the innermost values.
      row_splits_dtype: int64 or int32.

    >>> tf.compat.v1.ragged.constant_value([[1, 2], [3]])
    tf.RaggedTensorValue(values=array([1, 2, 3]), row_splits=array([0, 2, 3]))
    """
    if isinstance(pylist, (RaggedTensor, RaggedTensorValue)):
        raise TypeError(
            errors.compose(
                "constant_value: pylist may not be a RaggedTensor or RaggedTensorValue.", "give a nested list."
            )
        )
    kind = dtype.numpy if isinstance(dtype, dtypes.DType) else dtype
    splits_dtype = dtypes.as_dtype(row_splits_dtype).numpy
    rows, splits, below = functions.cut(_lists(pylist), ragged_rank, inner_shape, splits_dtype)
    # Numbers that the dtype does not hold wrap around, as TensorFlow's do.
    value: Any = np.array(rows) if kind is None else np.array(rows, object if kind is object else None).astype(kind)
    if below is not None and (rows == [] or not splits):
        value = value.reshape([0, *below] if splits else below)
    for level in splits[::-1]:
        value = RaggedTensorValue(value, level)
    return value


def _lists(item: Any) -> Any:
    """Nested lists of a nested list, with NumPy's numbers as they are."""
    nested = isinstance(item, (list, tuple)) or (isinstance(item, np.ndarray) and item.ndim)
    return [_lists(x) for x in item] if nested else item
