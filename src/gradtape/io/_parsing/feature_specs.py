"""Descriptions of features for `tf.io.parse_example`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape.core import convert, dtypes, errors
from gradtape.core.tensor import host

__all__ = ["FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "SparseFeature", "VarLenFeature"]

ALLOWED = (dtypes.float32, dtypes.int64, dtypes.string)


class FixedLenFeature(NamedTuple):
    """A feature with the same number of values in each record: a tensor.

    Attributes:
      shape: of the values of one record.
      dtype: float32, int64 or string.
      default_value: what stands for it in records that lack it; without one, these are an error.

    >>> tf.io.FixedLenFeature([2], tf.float32)
    FixedLenFeature(shape=[2], dtype=tf.float32, default_value=None)
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature with any number of values in each record: a `tf.SparseTensor`.

    Attributes:
      dtype: float32, int64 or string.

    >>> tf.io.VarLenFeature(tf.int64)
    VarLenFeature(dtype=tf.int64)
    """

    dtype: Any


class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of items of one shape in each record: a tensor, filled up to the longest.

    Attributes:
      shape: of one item.
      dtype: float32, int64 or string.
      allow_missing: whether records may lack it; `parse_example` wants True.
      default_value: a scalar to fill up with; zero or an empty string without one.

    >>> tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True).allow_missing
    True
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """A `tf.SparseTensor` whose values are one feature and whose indices are others.

    Attributes:
      index_key: the name of the feature with the indices, or a list of names, one for each axis.
      value_key: the name of the feature with the values.
      dtype: of the values.
      size: of the axis, or a list of sizes.
      already_sorted: whether the indices are in order.

    >>> tf.io.SparseFeature("i", "v", tf.float32, 10).size
    10
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class _RowSplits(NamedTuple):
    key: str


class _RowLengths(NamedTuple):
    key: str


class _RowStarts(NamedTuple):
    key: str


class _RowLimits(NamedTuple):
    key: str


class _ValueRowIds(NamedTuple):
    key: str


class _UniformRowLength(NamedTuple):
    length: int


class _Ragged(NamedTuple):
    dtype: Any
    value_key: str | None = None
    partitions: Any = ()
    row_splits_dtype: Any = dtypes.int32
    validate: bool = False


class RaggedFeature(_Ragged):
    """A feature with any number of values in each record: a `tf.RaggedTensor`.

    Attributes:
      dtype: float32, int64 or string.
      value_key: the name of the feature with the values; the key of this description without one.
      partitions: how the values are divided into rows, from the outermost to the innermost: `RaggedFeature.RowSplits(key)`,
        `RowLengths(key)`, `RowStarts(key)`, `RowLimits(key)`, `ValueRowIds(key)` name a feature that tells it,
        `UniformRowLength(length)` makes rows of one length.
      row_splits_dtype: int32 or int64.
      validate: whether to check the partitions.

    >>> tf.io.RaggedFeature(tf.int64).row_splits_dtype
    tf.int32
    """

    __slots__ = ()

    RowSplits = _RowSplits
    RowLengths = _RowLengths
    RowStarts = _RowStarts
    RowLimits = _RowLimits
    ValueRowIds = _ValueRowIds
    UniformRowLength = _UniformRowLength

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Any = (),
        row_splits_dtype: Any = dtypes.int32,
        validate: bool = False,
    ) -> RaggedFeature:
        kinds = (_RowSplits, _RowLengths, _RowStarts, _RowLimits, _ValueRowIds, _UniformRowLength)
        parts = tuple(partitions) if isinstance(partitions, (list, tuple)) else (partitions,)
        if not all(isinstance(p, kinds) for p in parts):
            raise TypeError(
                errors.compose(
                    f"RaggedFeature: partitions must be a list of partitions, got {partitions!r}.",
                    "list tf.io.RaggedFeature.RowSplits and the like.",
                )
            )
        return super().__new__(cls, dtype, value_key, parts, row_splits_dtype, bool(validate))


def dtype_of(key: str, feature: Any) -> dtypes.DType:
    """The dtype of a feature; an error unless records can hold it."""
    if feature.dtype is None:
        raise ValueError(
            errors.compose(f"Missing type for feature {key}. Received feature={feature}", "give it a dtype.")
        )
    dtype = dtypes.as_dtype(feature.dtype)
    if dtype not in ALLOWED:
        raise errors.build(
            errors.DTypeError,
            f"feature {key} is {dtype.name}: it is not in the list of allowed values: float, int64, string",
            "records hold float32, int64 and string; use tf.cast, or tf.io.decode_raw, on what was parsed.",
        )
    return dtype


def shape_of(key: str, feature: Any) -> tuple[int, ...]:
    """The shape of one record's values, which must be known."""
    shape = feature.shape if isinstance(feature.shape, (list, tuple)) else [feature.shape]
    if any(n is None for n in shape):
        raise ValueError(
            errors.compose(
                f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature. Received "
                f"feature={feature}.",
                "use tf.io.FixedLenSequenceFeature or tf.io.VarLenFeature.",
            )
        )
    return tuple([int(n) for n in shape])


def default_of(key: str, feature: Any, dtype: dtypes.DType, shape: tuple[int, ...]) -> Any:
    """The array that stands for a missing feature, None if there is none."""
    if feature.default_value is None:
        return None
    array = np.asarray(host(convert.convert_to_tensor(feature.default_value, dtype)._array))
    if array.size != int(np.prod(shape, dtype=np.int64)):
        raise errors.build(
            errors.ShapeError,
            f"the default value of feature {key} has shape {list(array.shape)}, but the feature has {list(shape)}.",
            "give as many values as the shape holds.",
        )
    return array.reshape(shape)


def unsupported(key: str, feature: Any, who: str) -> Exception:
    """The error for an invalid feature description, or one that the function does not support."""
    return ValueError(
        errors.compose(
            f"{who}: Unsupported {type(feature).__name__} {feature} for key {key!r}",
            "use tf.io.FixedLenFeature, VarLenFeature and the others.",
        )
    )
