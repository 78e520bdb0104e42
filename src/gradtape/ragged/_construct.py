"""Ragged tensors from values and a description of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.arrays import creation, indexing, joining, movement, shapes
from gradtape.core import convert, dtypes, errors
from gradtape.core.array_values import RaggedTensorValue
from gradtape.core.composite import Composite
from gradtape.core.shape import TensorShape
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.math import _elementwise as elementwise
from gradtape.math._conversion import cast
from gradtape.ops.family import dims
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._base import ragged
from gradtape.toplevel.inspection import get_static_value


def tensor(value: Any) -> Any:
    """Values: a ragged tensor as it is, others as tensors."""
    if isinstance(value, (Tensor, Composite)):
        return value
    if isinstance(value, RaggedTensorValue):
        return from_nested_row_splits(value.flat_values, value.nested_row_splits, validate=False)
    return value._read() if isinstance(value, Variable) else convert.convert_to_tensor(value)


def partition(value: Any, who: str, name: str, dtype: Any = None) -> Any:
    """A vector of row splits, lengths or numbers, as int32 or int64; Python's and NumPy's integers become those of a dtype."""
    parts = value if isinstance(value, (list, tuple)) else (value,)
    if any(isinstance(part, (Tensor, Variable)) for part in parts):
        found = tensor(value)
    else:
        array = np.asarray(value)
        if not array.size or (dtype is not None and array.dtype.kind in "iu"):
            array = array.astype(np.int64 if dtype is None else dtype.numpy)
        found = convert.convert_to_tensor(array)
    if found.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(
            errors.compose(
                f"{who}: {name} must have dtype int32 or int64, not {found.dtype.name}.", "use tf.cast(x, tf.int64)."
            )
        )
    if found.get_shape().rank not in (None, 1):
        raise errors.build(
            errors.ShapeError,
            f"{who}: {name} must be a vector: Shape {found.get_shape()} must have rank 1.",
            "give one axis.",
        )
    return found


def count(values: Any, dtype: Any) -> Any:
    """The number of elements along the first axis of values."""
    if isinstance(values, Composite):
        return values.nrows(dtype)  # type: ignore[attr-defined]
    if values.get_shape().rank == 0:
        raise errors.build(
            errors.ShapeError,
            "RaggedTensor: values is a scalar, and must have rank 1 or more.",
            "give values of rank 1 or more.",
        )
    return shapes.shape(values, dtype)[0]


def number(value: Any, dtype: Any, who: str, name: str) -> Any:
    """A scalar of a dtype of row splits."""
    found = tensor(value)
    if found.get_shape().rank not in (None, 0):
        raise errors.build(
            errors.ShapeError,
            f"{who}: {name} must be a scalar: Shape {found.get_shape()} must have rank 0.",
            "give one number.",
        )
    return found if found.dtype is dtype else cast(found, dtype)


def splits_dtype(values: Any) -> Any:
    """The dtype of the row splits of ragged values; None for others. Lists of numbers that divide them take it."""
    splits = getattr(values, "row_splits", None)
    return None if splits is None else splits.dtype


def _made(values: Any, splits: Any, validate: bool) -> Any:
    return ragged(values, row_partition.checked(splits, count(values, splits.dtype)) if validate else splits)


def from_row_splits(values: Any, row_splits: Any, name: str | None = None, validate: bool = True) -> Any:
    """A ragged tensor of rows that begin and end at splits.

    Args:
      values: the rows one after the other.
      row_splits: where rows begin, and where the last one ends: from 0 to the number of values.
      name: ignored.
      validate: check the splits.

    >>> tf.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 1, 1, 4])
    <tf.RaggedTensor [[3], [], [1, 4, 1]]>
    """
    return _made(tensor(values), partition(row_splits, "from_row_splits", "row_splits", splits_dtype(values)), validate)


def from_row_lengths(values: Any, row_lengths: Any, name: str | None = None, validate: bool = True) -> Any:
    """A ragged tensor of rows of given lengths.

    >>> tf.RaggedTensor.from_row_lengths([3, 1, 4, 1], [1, 0, 3])
    <tf.RaggedTensor [[3], [], [1, 4, 1]]>
    """
    lengths = partition(row_lengths, "from_row_lengths", "row_lengths", splits_dtype(values))
    made = _made(tensor(values), row_partition.from_lengths(lengths), validate)
    return made._with_known(row_lengths=lengths)


def from_row_starts(values: Any, row_starts: Any, name: str | None = None, validate: bool = True) -> Any:
    """A ragged tensor of rows that begin at given positions.

    >>> tf.RaggedTensor.from_row_starts([3, 1, 4, 1], [0, 1, 1])
    <tf.RaggedTensor [[3], [], [1, 4, 1]]>
    """
    values = tensor(values)
    starts = partition(row_starts, "from_row_starts", "row_starts", splits_dtype(values))
    end = movement.reshape(count(values, starts.dtype), [1])
    return _made(values, joining.concat([starts, end], 0), validate)


def from_row_limits(values: Any, row_limits: Any, name: str | None = None, validate: bool = True) -> Any:
    """A ragged tensor of rows that end at given positions.

    >>> tf.RaggedTensor.from_row_limits([3, 1, 4, 1], [1, 1, 4])
    <tf.RaggedTensor [[3], [], [1, 4, 1]]>
    """
    limits = partition(row_limits, "from_row_limits", "row_limits", splits_dtype(values))
    return _made(tensor(values), joining.concat([creation.zeros([1], limits.dtype), limits], 0), validate)


def from_value_rowids(
    values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None, validate: bool = True
) -> Any:
    """A ragged tensor of values whose row numbers are given.

    Args:
      values: the rows one after the other.
      value_rowids: for each of them the number of its row, in rising order.
      nrows: how many rows; by default up to the last one that has a value.
      name: ignored.
      validate: check the numbers.

    >>> tf.RaggedTensor.from_value_rowids([3, 1, 4, 1], [0, 2, 2, 2], nrows=4)
    <tf.RaggedTensor [[3], [], [1, 4, 1], []]>
    """
    rows = partition(value_rowids, "from_value_rowids", "value_rowids", splits_dtype(values))
    if isinstance(nrows, int) and nrows < 0:
        raise errors.build(
            errors.ShapeError,
            f"from_value_rowids: Expected nrows >= 0; got {nrows}.",
            "leave it out, or count the rows.",
        )
    total = number(-1 if nrows is None else nrows, rows.dtype, "from_value_rowids", "nrows")
    checked = row_partition.checked_rowids(rows, total) if validate else rows
    made = _made(tensor(values), row_partition.from_rowids(checked, total), validate)
    return made._with_known(value_rowids=rows, **({} if nrows is None else {"nrows": total}))


def from_uniform_row_length(
    values: Any, uniform_row_length: Any, nrows: Any = None, validate: bool = True, name: str | None = None
) -> Any:
    """A ragged tensor of rows of one length.

    Args:
      values: the rows one after the other.
      uniform_row_length: the length.
      nrows: how many rows; by default as many as there are values for, none if the length is 0.
      validate: check that the values fill the rows.
      name: ignored.

    >>> tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)
    <tf.RaggedTensor [[1, 2], [3, 4]]>
    """
    values = tensor(values)
    dtype = splits_dtype(values) or dtypes.int64
    total = count(values, dtype)
    length = number(uniform_row_length, dtype, "from_uniform_row_length", "uniform_row_length")
    if nrows is None:
        rows = total // elementwise.maximum(length, dtype.numpy.type(1)) * cast(length > 0, dtype)
    else:
        rows = number(nrows, dtype, "from_uniform_row_length", "nrows")
    known = get_static_value(length)
    if known is not None and known < 0:
        raise errors.build(
            errors.ShapeError,
            f"from_uniform_row_length: uniform_row_length must not be negative, got {int(known)}.",
            "give the length of the rows.",
        )
    splits = row_partition.uniform(rows, length)
    if validate:
        splits = row_partition.checked(splits, total)
    return ragged(values, splits, None if known is None else int(known))


def from_nested_row_splits(
    flat_values: Any, nested_row_splits: Sequence[Any], name: str | None = None, validate: bool = True
) -> Any:
    """A ragged tensor from the row splits of all levels, the outermost first.

    >>> tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 2], [0, 2, 3]])
    <tf.RaggedTensor [[[1, 2], [3]]]>
    """
    return _nested(from_row_splits, flat_values, nested_row_splits, "nested_row_splits", validate)


def from_nested_row_lengths(
    flat_values: Any, nested_row_lengths: Sequence[Any], name: str | None = None, validate: bool = True
) -> Any:
    """A ragged tensor from the row lengths of all levels, the outermost first.

    >>> tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[2], [2, 1]])
    <tf.RaggedTensor [[[1, 2], [3]]]>
    """
    return _nested(from_row_lengths, flat_values, nested_row_lengths, "nested_row_lengths", validate)


def _nested(make: Any, values: Any, levels: Sequence[Any], name: str, validate: bool) -> Any:
    for level in _levels(levels, name)[::-1]:
        values = make(values, level, validate=validate)
    return tensor(values)


def _levels(given: Any, name: str) -> list[Any]:
    """The argument as a list with an entry for each level; tensors are refused."""
    if isinstance(given, Tensor):
        raise TypeError(
            errors.compose(f"RaggedTensor: Argument `{name}` must be a list of Tensors, got {given!r}.", "give a list.")
        )
    return list(given)


def from_nested_value_rowids(
    flat_values: Any, nested_value_rowids: Sequence[Any], nested_nrows: Any = None, name: str | None = None,
    validate: bool = True,
) -> Any:  # fmt: skip
    """A ragged tensor from the row numbers of all levels, the outermost first.

    >>> tf.RaggedTensor.from_nested_value_rowids([1, 2, 3], [[0, 0], [0, 0, 1]])
    <tf.RaggedTensor [[[1, 2], [3]]]>
    """
    levels = _levels(nested_value_rowids, "nested_value_rowids")
    counts = [None] * len(levels) if nested_nrows is None else _levels(nested_nrows, "nested_nrows")
    if len(counts) != len(levels):
        raise ValueError(
            errors.compose(
                f"from_nested_value_rowids: Argument `nested_nrows` must have the same length as argument "
                f"`nested_value_rowids`, got {len(counts)} and {len(levels)}.",
                "give a number for each level.",
            )
        )
    values = flat_values
    for rows, total in list(zip(levels, counts, strict=True))[::-1]:
        values = from_value_rowids(values, rows, total, validate=validate)
    return tensor(values)


def from_tensor(
    tensor: Any, lengths: Any = None, padding: Any = None, ragged_rank: int = 1, name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:  # fmt: skip
    """A ragged tensor of the rows of a dense one.

    Args:
      tensor: a dense tensor.
      lengths: how much of each row to keep; a list of vectors for several levels.
      padding: a value that is left out at the ends of rows.
      ragged_rank: how many axes become ragged.
      name: ignored.
      row_splits_dtype: int64 or int32.

    >>> tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0]], padding=0)
    <tf.RaggedTensor [[5, 7], [0, 3]]>
    """
    x = convert.convert_to_tensor(tensor) if not isinstance(tensor, (Tensor, Variable)) else tensor
    x = x._read() if isinstance(x, Variable) else x
    wanted = dtypes.as_dtype(row_splits_dtype)
    if lengths is not None and padding is not None:
        raise ValueError(
            errors.compose("from_tensor: Specify argument `lengths` or `padding`, but not both.", "leave one out.")
        )
    if not isinstance(ragged_rank, (int, np.integer)):
        raise TypeError(
            errors.compose(
                f"from_tensor: Argument `ragged_rank` must be an int. Received {ragged_rank}.", "ragged_rank=1."
            )
        )
    if ragged_rank < 1:
        raise ValueError(
            errors.compose(
                f"from_tensor: Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.",
                "use ragged_rank=1 for a matrix.",
            )
        )
    if x.ndim <= ragged_rank:
        raise ValueError(
            errors.compose(
                f"from_tensor: ragged_rank must lie between 0 and the rank, which must be greater than {ragged_rank}, got a "
                f"tensor of rank {x.ndim}.",
                "use ragged_rank=1 for a matrix.",
            )
        )
    if isinstance(lengths, (list, tuple)) and lengths and isinstance(lengths[0], (list, tuple, Tensor, np.ndarray)):
        _check_levels(x, len(lengths), ragged_rank)
        return _of_several_lengths(x, lengths, wanted)
    if ragged_rank > 1 and lengths is None:
        outer, width, *rest = dims(x)
        inner = from_tensor(movement.reshape(x, [outer * width, *rest]), None, padding, ragged_rank - 1, None, wanted)
        splits = (np.arange(outer + 1) * width).astype(wanted.numpy)
        return ragged(inner, convert.convert_to_tensor(splits), width)
    return _cut(x, lengths, padding, wanted)


def _check_levels(x: Any, levels: int, ragged_rank: int) -> None:
    """Refuse lengths of more levels than a tensor has, or of other than the given number."""
    if ragged_rank not in (1, levels):
        raise ValueError(
            errors.compose(
                "from_tensor: If Argument `lengths` is a tuple of row_lengths, argument `ragged_rank` must be len(lengths): "
                f"{levels}. Received ragged_rank: {ragged_rank}.",
                "leave ragged_rank out.",
            )
        )
    if x.ndim <= levels:
        raise ValueError(
            errors.compose(
                f"from_tensor: Shape {x.get_shape()} must have rank at least {levels + 1} for lengths of {levels} levels.",
                "give a vector of lengths for each axis that becomes ragged.",
            )
        )


def _of_several_lengths(x: Any, lengths: Any, wanted: Any) -> Any:
    first = _cut(x, lengths[0], None, wanted)
    return first if len(lengths) == 1 else first.with_values(_of_several_lengths(first.values, lengths[1:], wanted))


def _cut(x: Any, lengths: Any, padding: Any, wanted: Any) -> Any:
    """The rows of a matrix, of given lengths or without the padding at their ends."""
    rows, width = dims(x)[:2]
    flat = movement.reshape(x, [rows * width, *dims(x)[2:]])
    if lengths is None and padding is None:
        return ragged(flat, convert.convert_to_tensor((np.arange(rows + 1) * width).astype(wanted.numpy)), width)
    if lengths is None:
        value = convert.like(padding, x.dtype)
        if not value.get_shape().is_compatible_with(dims(x)[2:]):
            raise errors.build(
                errors.ShapeError,
                f"from_tensor: padding must have the shape of the innermost elements: Shapes {value.get_shape()} and "
                f"{TensorShape(dims(x)[2:])} are incompatible.",
                "give one element.",
            )
        alike = elementwise.equal(x, value)
        if x.ndim > 2:
            from gradtape.math._reductions import reduce_all

            alike = reduce_all(alike, list(range(2, x.ndim)))
        found = row_partition.lengths_before(alike)
    else:
        found = cast(partition(lengths, "from_tensor", "lengths"), dtypes.int64)
        if not found.get_shape().is_compatible_with([rows]):
            raise errors.build(
                errors.ShapeError,
                f"from_tensor: lengths must have a number for each of {rows} rows, got {found.get_shape()}.",
                "give as many lengths as rows.",
            )
        found = elementwise.minimum(elementwise.maximum(found, np.int64(0)), np.int64(width))
    steps = row_partition.from_lengths(found)
    starts = convert.convert_to_tensor(np.arange(rows) * width)
    whole = ragged(None, steps)
    inside = elementwise.subtract(creation.range(steps[-1]), indexing.gather(steps, whole.value_rowids()))
    positions = inside + indexing.gather(starts, whole.value_rowids())
    return ragged(indexing.gather(flat, positions), cast(steps, wanted))


def from_sparse(st_input: Any, name: str | None = None, row_splits_dtype: Any = dtypes.int64) -> Any:
    """A ragged tensor of the rows of a sparse matrix, whose values lie at the left without gaps.

    >>> tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2]))
    <tf.RaggedTensor [[1, 2], [], [3]]>
    """
    if not isinstance(st_input, SparseTensor):
        raise TypeError(
            errors.compose(f"from_sparse: Expected SparseTensor, got {type(st_input).__name__}", "give a SparseTensor.")
        )
    if st_input.dense_shape.get_shape()[0] != 2:
        raise ValueError(
            errors.compose(
                f"from_sparse: rank(st_input) must be 2, got {st_input.shape.rank}.",
                "reshape it first: tf.sparse.reshape(x, [rows, -1]).",
            )
        )
    splits = row_partition.splits_of_sparse(st_input.indices, st_input.dense_shape)
    return ragged(st_input.values, cast(splits, row_splits_dtype))
