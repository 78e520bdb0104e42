"""Sparse tensors reshaped, joined and sliced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integers, tensor
from gradtape.arrays import creation, indexing, movement
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import normalize_axis
from gradtape.core.sparse_tensor import SparseTensor, dense_dims
from gradtape.core.tensor import Tensor
from gradtape.math import _elementwise as elementwise
from gradtape.math._conversion import cast
from gradtape.sparse import _indices as places
from gradtape.sparse._conversion import is_known, picked, reorder, sparse


def _rank(sp: SparseTensor) -> int | None:
    """The number of axes; None if it is known only when the function runs."""
    return sp.shape.rank


def _every_axis(sp: SparseTensor) -> Any:
    """The numbers of all axes; a tensor, if the rank is not known."""
    rank = _rank(sp)
    return creation.range(movement.size(sp.dense_shape)) if rank is None else np.arange(rank, dtype=np.int32)


def _axis(axis: int, rank: int | None, sp: SparseTensor, who: str) -> Any:
    """An axis counted from the first; a tensor, if it is counted from the last one and the rank is not known."""
    if rank is not None:
        return normalize_axis(axis, rank, who)
    return axis if axis >= 0 else movement.size(sp.dense_shape) + axis


def _lengths(value: Any) -> Any:
    return cast(tensor(value), dtypes.int64)


def concat(
    axis: Any, sp_inputs: Sequence[Any], expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Sparse tensors concatenated along an axis.

    Args:
      axis: along which.
      sp_inputs: a list of them, of one rank.
      expand_nonconcat_dims: whether lengths of other axes may differ; the largest counts.

    >>> a = tf.sparse.from_dense([[1, 0]])
    >>> tf.sparse.to_dense(tf.sparse.concat(0, [a, a])).numpy()
    array([[1, 0],
           [1, 0]], dtype=int32)
    """
    if isinstance(sp_inputs, SparseTensor):
        return sp_inputs
    given = [sparse(sp, "sparse.concat", "sp_inputs") for sp in sp_inputs]
    if len(given) == 1:
        return given[0]
    ranks = {rank for sp in given if (rank := _rank(sp)) is not None}
    if len(ranks) > 1 or not given:
        raise errors.build(
            errors.ShapeError,
            f"sparse.concat: sp_inputs must be one tensor or more of one rank, got ranks {sorted(ranks)}.",
            "use tf.sparse.expand_dims to add axes.",
        )
    known = next((sp for sp in given if _rank(sp) is not None), given[0])
    axis = _axis(integer(axis, "sparse.concat", "axis"), _rank(known), known, "sparse.concat")
    along = elementwise.equal(_every_axis(known), axis)
    step = cast(along, dtypes.int64)
    whole = given[0].dense_shape
    moved = [given[0].indices]
    for sp in given[1:]:
        moved.append(sp.indices + whole * step)
        if not expand_nonconcat_dims and is_known(*given):
            _check_alike(whole, sp, axis)
        others = elementwise.maximum(whole, sp.dense_shape) if expand_nonconcat_dims else whole
        whole = elementwise.where(along, whole + sp.dense_shape, others)
    return reorder(SparseTensor(movement.concat(moved, 0), movement.concat([sp.values for sp in given], 0), whole))


def _check_alike(whole: Any, sp: SparseTensor, axis: int) -> None:
    first, other = [tuple(int(n) for n in np.asarray(x)) for x in (whole, sp.dense_shape)]
    if any(m != n for k, (m, n) in enumerate(zip(first, other, strict=True)) if k != axis):
        raise errors.build(
            errors.ShapeError,
            f"sparse.concat: Input shapes must match outside of axis {axis}: they are {list(first)} and {list(other)}.",
            "give tensors of equal lengths, or expand_nonconcat_dims=True.",
        )


def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """A box of a sparse tensor.

    Args:
      sp_input: a sparse tensor.
      start: the first index along each axis.
      size: the lengths; what goes beyond the end is cut off.

    >>> whole = tf.sparse.from_dense([[1, 2, 3], [4, 5, 6]])
    >>> tf.sparse.to_dense(tf.sparse.slice(whole, [0, 1], [2, 2])).numpy()
    array([[2, 3],
           [5, 6]], dtype=int32)
    """
    sp = sparse(sp_input, "sparse.slice")
    start, size = _lengths(start), _lengths(size)
    for name_of, given in (("start", start), ("size", size)):
        if not given.get_shape().is_compatible_with(sp.dense_shape.get_shape()):
            raise errors.build(
                errors.ShapeError,
                f"sparse.slice: {name_of} must have a number for each axis, got {given.get_shape()} for {sp.shape}.",
                "give as many numbers as there are axes.",
            )
    indices, values = picked(sp, places.inside(sp.indices, start, size))
    left = elementwise.maximum(sp.dense_shape - start, convert.convert_to_tensor(0, dtypes.int64))
    return SparseTensor(indices - start, values, elementwise.minimum(size, left))


def split(sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None) -> list[SparseTensor]:
    """Parts of a sparse tensor along an axis; if they cannot be equal, the first ones are longer by one.

    Args:
      sp_input: a sparse tensor.
      num_split: how many parts.
      axis: along which.

    >>> parts = tf.sparse.split(tf.sparse.from_dense([[1, 2, 3]]), 2, axis=1)
    >>> [tf.sparse.to_dense(part).numpy().tolist() for part in parts]
    [[[1, 2]], [[3]]]
    """
    for key, given in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis)):
        if given is None:
            raise ValueError(
                errors.compose(f"sparse.split: {key} is required.", "tf.sparse.split(sp_input=x, num_split=2, axis=0).")
            )
    sp = sparse(sp_input, "sparse.split")
    count = integer(num_split, "sparse.split", "num_split")
    dims = dense_dims(sp)
    axis = _of_split(axis, len(dims))
    if not 0 < count <= dims[axis]:
        raise errors.build(
            errors.InvalidArgumentError,
            f"sparse.split: num_split must be from 1 to the length of the axis, {dims[axis]}, got {count}.",
            "give at least 1 and at most the length.",
        )
    lengths = [dims[axis] // count + (k < dims[axis] % count) for k in range(count)]
    ends = np.cumsum([0, *lengths])
    parts = []
    for begin, length in zip(ends[:-1], lengths, strict=True):
        start, size = [0] * len(dims), list(dims)
        start[axis], size[axis] = int(begin), length
        parts.append(slice(sp, start, size))
    return parts


def _of_split(axis: Any, rank: int) -> int:
    """The axis along which a tensor is split, counted from the first; it is given as a scalar."""
    if np.ndim(axis):
        raise errors.build(
            errors.ShapeError, f"sparse.split: axis should be a scalar, got {errors.brief(axis)}.", "give one int."
        )
    number = integer(axis, "sparse.split", "axis")
    if not -rank <= number < rank:
        raise errors.build(
            errors.RangeError,
            f"sparse.split: axis should be in range [{-rank}, {rank}), got {number}.",
            "count the axes from 0, or from the end with -1.",
        )
    return number % rank


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The sparse tensor in another shape.

    Args:
      sp_input: a sparse tensor.
      shape: lengths, of which one may be -1.

    >>> tf.sparse.reshape(tf.sparse.from_dense([[1, 0], [0, 2]]), [-1]).indices.numpy()
    array([[0],
           [3]])
    """
    sp = sparse(sp_input, "sparse.reshape")
    indices, whole = places.reshaped(sp.indices, sp.dense_shape, _lengths(shape))
    return SparseTensor(indices, sp.values, whole)


def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The sparse tensor with its axes in another order, by default reversed.

    >>> tf.sparse.to_dense(tf.sparse.transpose(tf.sparse.from_dense([[1, 2]]))).numpy()
    array([[1],
           [2]], dtype=int32)
    """
    sp = sparse(sp_input, "sparse.transpose")
    rank = _rank(sp)
    order = None if perm is None else list(integers(perm, "sparse.transpose", "perm"))
    if order is None and rank is None:
        order = _every_axis(sp)[::-1]
        moved = indexing.gather(sp.indices, order, axis=1)
        return reorder(SparseTensor(moved, sp.values, indexing.gather(sp.dense_shape, order)))
    rank = len(order) if rank is None else rank  # type: ignore[arg-type]
    order = list(range(rank))[::-1] if order is None else order
    if sorted(order) != list(range(rank)):
        raise errors.build(
            errors.ShapeError,
            f"sparse.transpose: perm must name each of {rank} axes once, got {order}.",
            "name every axis once.",
        )
    moved = indexing.gather(sp.indices, order, axis=1)
    found = reorder(SparseTensor(moved, sp.values, indexing.gather(sp.dense_shape, order)))
    if _rank(sp) is not None:
        found.set_shape([sp.shape[k] for k in order])
    return found


def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """The sparse tensor with a new axis of length 1, the last one by default.

    >>> tf.sparse.expand_dims(tf.sparse.from_dense([1, 2]), 0).shape
    TensorShape([1, 2])
    """
    sp = sparse(sp_input, "sparse.expand_dims")
    axis = -1 if axis is None else integer(axis, "sparse.expand_dims", "axis")
    if sp.shape.rank is not None:
        axis = normalize_axis(axis, sp.shape.rank + 1, "sparse.expand_dims")
    # How many axes come before it; counted from the end where the rank is not known.
    cut = axis if axis >= 0 else axis + 1 or None
    column = movement.expand_dims(creation.zeros_like(sp.values, dtypes.int64), 1)
    after = [] if cut is None else [sp.indices[:, cut:]]
    indices = movement.concat([sp.indices[:, :cut], column, *after], 1)
    after = [] if cut is None else [sp.dense_shape[cut:]]
    whole = movement.concat([sp.dense_shape[:cut], np.array([1]), *after], 0)
    return SparseTensor(indices, sp.values, whole)


def fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Tensor]:
    """The sparse tensor with a default value in each empty row, and a mask of these rows.

    Args:
      sp_input: a sparse tensor of rank 2.
      default_value: the value for empty rows.

    >>> filled, was_empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 1]], [5], [2, 2]), 9)
    >>> filled.values.numpy(), was_empty.numpy()
    (array([9, 5], dtype=int32), array([ True, False]))
    """
    sp = sparse(sp_input, "sparse.fill_empty_rows")
    indices, positions, is_empty = places.without_empty_rows(sp.indices, sp.dense_shape)
    default = convert.like(default_value, sp.dtype)
    if default.get_shape().rank != 0:
        raise errors.build(
            errors.ShapeError,
            f"sparse.fill_empty_rows: default_value must be a scalar, got {default.get_shape()}.",
            "give one value.",
        )
    default = movement.reshape(default, [1])
    values = indexing.gather(movement.concat([sp.values, default], 0), positions)
    return SparseTensor(indices, values, sp.dense_shape)._shaped_like(sp), is_empty


def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The sparse tensor with another shape around the same values.

    Args:
      sp_input: a sparse tensor.
      new_shape: lengths that are not below the old ones; by default the smallest that hold all values.

    >>> tf.sparse.reset_shape(tf.SparseTensor([[0, 1]], [5], [7, 7])).shape
    TensorShape([1, 2])
    """
    sp = sparse(sp_input, "sparse.reset_shape")
    if new_shape is None:
        return SparseTensor(sp.indices, sp.values, places.bounds(sp.indices, sp.dense_shape))
    whole = _lengths(new_shape)
    if not whole.get_shape().is_compatible_with(sp.dense_shape.get_shape()):
        raise errors.build(
            errors.ShapeError,
            f"sparse.reset_shape: new_shape must have a length for each of {_rank(sp)} axes, got shape {whole.get_shape()}.",
            "give one length for each axis.",
        )
    return SparseTensor(sp.indices, sp.values, places.wide_enough(sp.dense_shape, whole, sp.indices))
