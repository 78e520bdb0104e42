"""Arithmetic of sparse tensors: sums, products, reductions. Gradients flow to the values, and to dense operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integers, tensor
from gradtape.arrays import creation, indexing, movement
from gradtape.core import convert, dtypes, errors
from gradtape.core.doors import adapt
from gradtape.core.shape import normalize_axis
from gradtape.core.sparse_tensor import SparseTensor, dense_dims
from gradtape.core.tensor import Tensor
from gradtape.math import _conversion as conversion
from gradtape.math import _elementwise as elementwise
from gradtape.math import _segments as segments
from gradtape.math._conversion import cast
from gradtape.ops.sparse import SparseMatMul
from gradtape.sparse import _indices as places
from gradtape.sparse._conversion import is_known, retain, shaped, sparse, weights_of
from gradtape.sparse._rearrange import transpose


def _count(rows: Any) -> int:
    """How many rows there are."""
    return int(rows.shape[0])


def add(a: Any, b: Any, threshold: Any = 0) -> SparseTensor | Any:
    """The sum; sparse if both are, else dense.

    Args:
      a: a sparse or dense tensor.
      b: another; at least one of them is sparse.
      threshold: sums of a smaller absolute value are left out, if the result is sparse.

    >>> x = tf.sparse.from_dense([[1, 0], [0, 2]])
    >>> tf.sparse.to_dense(tf.sparse.add(x, x)).numpy()
    array([[2, 0],
           [0, 4]], dtype=int32)
    """
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError(errors.compose("sparse.add: At least one input should be SparseTensor.", "use tf.add."))
    if not isinstance(a, SparseTensor):
        a, b = b, a
    if not isinstance(b, SparseTensor):
        return indexing.tensor_scatter_nd_add(*_inside(a, convert.like(b, a.dtype)), a.values)
    found, left, right = _together(a, b, "sparse.add")
    total = _shared_shape(SparseTensor(found, left + right, a.dense_shape), a, b)
    if type(threshold) in (int, float) and not threshold:
        return total
    return retain(total, elementwise.greater_equal(elementwise.abs(total.values), threshold))


def _inside(a: SparseTensor, b: Any) -> tuple[Any, Any]:
    """A dense tensor of the shape of a sparse one, and where that has values, after a check."""
    if not a.shape.is_compatible_with(b.get_shape()):
        raise errors.build(
            errors.ShapeError,
            f"sparse.add: shapes differ: {a.shape} of the sparse tensor, {b.get_shape()} of the dense one.",
            "reshape one of them.",
        )
    return b, places.within(a.indices, a.dense_shape, who="sparse.add")


def _together(a: SparseTensor, b: SparseTensor, who: str) -> tuple[Any, Any, Any]:
    """The indices of both, and the values of each there, zero where it has none."""
    b = sparse(b, who, "sp_b")
    if is_known(a, b) and a.shape != b.shape:
        raise errors.build(
            errors.ShapeError,
            f"{who}: shapes differ: {a.shape} vs {b.shape}: {_mismatch(a.shape, b.shape)}.",
            "reshape one with tf.sparse.reshape.",
        )
    found: tuple[Any, Any, Any] = adapt(united)(a.indices, a.values, b.indices, b.values)
    return found


def _mismatch(a: Any, b: Any) -> str:
    return "Operands do not have the same ranks" if a.rank != b.rank else "Operands' shapes do not match"


def united(a: Any, a_values: Any, b: Any, b_values: Any) -> tuple[Any, Any, Any]:
    """The indices of two sets of elements, and the values of each there."""
    found, numbers = places.distinct(movement.concat([a, b], 0))
    count = _count(a_values)
    left = segments.unsorted_segment_sum(a_values, numbers[:count], _count(found))
    return found, left, segments.unsorted_segment_sum(b_values, numbers[count:], _count(found))


def _shared_shape(result: SparseTensor, a: SparseTensor, b: SparseTensor) -> SparseTensor:
    """The result of two tensors of one shape: what is known of either holds."""
    for given in (a, b):
        if result.shape.is_compatible_with(given.shape):
            result.set_shape(given.shape)
    return result


def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger of two sparse tensors, wherever one has a value.

    >>> a, b = tf.sparse.from_dense([1, 0, -3]), tf.sparse.from_dense([5, 2, 0])
    >>> tf.sparse.maximum(a, b).values.numpy()
    array([5, 2, 0], dtype=int32)
    """
    a = sparse(sp_a, "sparse.maximum", "sp_a")
    found, left, right = _together(a, sp_b, "sparse.maximum")
    return _shared_shape(SparseTensor(found, elementwise.maximum(left, right), a.dense_shape), a, sp_b)


def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors, wherever one has a value.

    >>> a, b = tf.sparse.from_dense([1, 0, -3]), tf.sparse.from_dense([5, 2, 0])
    >>> tf.sparse.minimum(a, b).values.numpy()
    array([ 1,  0, -3], dtype=int32)
    """
    a = sparse(sp_a, "sparse.minimum", "sp_a")
    found, left, right = _together(a, sp_b, "sparse.minimum")
    return _shared_shape(SparseTensor(found, elementwise.minimum(left, right), a.dense_shape), a, sp_b)


def reduce_sum(
    sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False, name: str | None = None
) -> Tensor | Any:
    """The sum of the values over axes.

    Args:
      sp_input: a sparse tensor.
      axis: an int or several; all by default.
      keepdims: keep the axes with length 1.
      output_is_sparse: return a sparse tensor.

    >>> tf.sparse.reduce_sum(tf.sparse.from_dense([[1, 0, 2], [3, 0, 0]]), 1).numpy()
    array([3, 3], dtype=int32)
    """
    return _reduced("sparse.reduce_sum", segments.unsorted_segment_sum, sp_input, axis, keepdims, output_is_sparse)


def reduce_max(
    sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False, name: str | None = None
) -> Tensor | Any:
    """The largest of the stored values over axes; missing elements do not count, and 0 if all are missing.

    Args:
      sp_input: a sparse tensor.
      axis: an int or several; all by default.
      keepdims: keep the axes with length 1.
      output_is_sparse: return a sparse tensor.

    >>> tf.sparse.reduce_max(tf.sparse.from_dense([[-1, 0, -2], [3, 0, 0]]), 1).numpy()
    array([-1,  3], dtype=int32)
    """
    return _reduced("sparse.reduce_max", segments.unsorted_segment_max, sp_input, axis, keepdims, output_is_sparse)


def _reduced(who: str, reduce: Callable[..., Any], sp_input: Any, axis: Any, keepdims: Any, is_sparse: bool) -> Any:
    sp = sparse(sp_input, who)
    found = adapt(reduced)(who, reduce, sp, axis, keepdims, is_sparse)
    rank = sp.shape.rank
    if is_sparse or rank is None or not isinstance(axis, (int, list, tuple, type(None))):
        return found
    gone = range(rank) if axis is None else _axes(axis, rank, who)
    dims = [1 if k in gone else n for k, n in enumerate(sp.shape) if keepdims or k not in gone]
    return shaped(found, dims)


def reduced(who: str, reduce: Callable[..., Any], sp: SparseTensor, axis: Any, keepdims: Any, is_sparse: bool) -> Any:
    """A reduction over axes, by a function of segments, for `reduce_sum` and `reduce_max`."""
    dims = dense_dims(sp)
    gone = range(len(dims)) if axis is None else _axes(axis, len(dims), who)
    kept = tuple(k for k in range(len(dims)) if k not in gone)
    found, numbers = places.grouped(sp.indices, axes=kept)
    values = reduce(sp.values, numbers, _count(found))
    lengths = [dims[k] for k in kept]
    if keepdims:
        zero = creation.zeros([_count(found), 1], dtypes.int64)
        columns = [found[:, kept.index(k) : kept.index(k) + 1] if k in kept else zero for k in range(len(dims))]
        found, lengths = movement.concat(columns, 1), [dims[k] if k in kept else 1 for k in range(len(dims))]
    if is_sparse:
        return SparseTensor(found, values, np.array(lengths, np.int64))
    return indexing.scatter_nd(found, values, np.array(lengths, np.int64)) if lengths else _single(values)


def _axes(axis: Any, rank: int, who: str) -> set[int]:
    """Axes counted from the first; they may be named twice."""
    given = [axis] if isinstance(axis, int) else integers(movement.reshape(tensor(axis), [-1]), who, "axis")
    return {normalize_axis(one, rank, who, reduced=True) for one in given}


def _single(values: Any) -> Tensor:
    """The only value, zero if there is none."""
    zero = creation.zeros([1], values.dtype)
    return movement.concat([values, zero], 0)[0]


def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of a sparse and a dense matrix, in either order.

    Args:
      sp_a: the first matrix.
      b: the second; one of them is sparse, the other dense.
      adjoint_a: take the conjugate transpose of the first.
      adjoint_b: take the conjugate transpose of the second.

    >>> a = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    >>> tf.sparse.sparse_dense_matmul(a, [[3.0], [4.0]]).numpy()
    array([[3.],
           [8.]], dtype=float32)
    """
    if isinstance(b, SparseTensor) and not isinstance(sp_a, SparseTensor):
        # (a · b)ᵀ = bᵀ · aᵀ, without conjugates: those that were asked for are taken before.
        left = _plain_transpose(convert.like(sp_a, b.dtype), not adjoint_a, adjoint_a)
        right = b if adjoint_b else transpose(b)
        right = right.with_values(conversion.conj(b.values)) if adjoint_b else right
        return movement.transpose(_shaped_product(right, left))
    a = sparse(sp_a, "sparse.sparse_dense_matmul", "sp_a")
    if adjoint_a:
        a = transpose(a.with_values(conversion.conj(a.values)))
    return _shaped_product(a, _plain_transpose(convert.like(b, a.dtype), adjoint_b, adjoint_b))


def _plain_transpose(x: Any, transposed: bool, conjugated: bool) -> Any:
    x = conversion.conj(x) if conjugated else x
    return movement.transpose(x) if transposed else x


def _shaped_product(a: SparseTensor, b: Any) -> Tensor:
    rows, columns = a.shape[:1], b.get_shape()[1:]
    result: Tensor = shaped(adapt(product)(a, b), rows.concatenate(columns))
    return result


def product(a: SparseTensor, b: Any) -> Tensor:
    """The product of a sparse and a dense matrix, for `sparse_dense_matmul`."""
    rows, columns = dense_dims(a)
    if b.ndim != 2 or (is_known(a) and b.shape[0] != columns):
        raise errors.build(
            errors.ShapeError,
            f"sparse.sparse_dense_matmul: Dimensions must be equal: cannot multiply shapes {[rows, columns]} and {b.shape}.",
            "transpose one operand, or check which axis holds the features.",
        )
    return SparseMatMul(a.values, b, a.indices[:, 0], a.indices[:, 1], count=rows)


def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: Any = 1.0,
    alpha: Any = 1.0,
    output_type: Any = dtypes.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """`alpha · mat1 · mat2 + beta · values`, only at some places of the product.

    Args:
      indices: the places, `[n, rank]`.
      values: what is added there, `[n]`.
      dense_shape: the shape of the product.
      mat1: matrices; leading axes count batches.
      mat2: matrices.
      beta: the weight of the values.
      alpha: the weight of the product.
      output_type: of the result.

    Returns:
      Indices, values and dense shape.

    >>> tf.sparse.sampled_addmm([[0, 1]], [1.0], [2, 2], [[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]])[1].numpy()
    array([23.], dtype=float32)
    """
    from gradtape.math._reductions import reduce_sum

    dtype = dtypes.as_dtype(output_type)
    places, a, b = tensor(indices), cast(tensor(mat1), dtype), cast(tensor(mat2), dtype)
    columns = movement.matrix_transpose(b)
    row = indexing.gather_nd(a, places[:, :-1])
    column = indexing.gather_nd(columns, movement.concat([places[:, :-2], places[:, -1:]], 1))
    found = reduce_sum(row * column, -1) * alpha + cast(tensor(values), dtype) * beta
    return places, found, tensor(dense_shape)


def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The softmax of the stored values of each row, along the last axis; missing elements do not count.

    >>> tf.sparse.softmax(tf.sparse.from_dense([[1.0, 0.0, 1.0]])).values.numpy()
    array([0.5, 0.5], dtype=float32)
    """
    sp = sparse(sp_input, "sparse.softmax")
    rank = sp.dense_shape.get_shape()[0]
    if rank is not None and rank < 2:
        raise errors.build(
            errors.ShapeError, f"sparse.softmax: the rank must be 2 or more, got {rank}.", "give rank 2 or more."
        )
    return sp.with_values(adapt(softmax_of_rows)(sp.indices[:, :-1], sp.values))


def softmax_of_rows(rows: Any, values: Any) -> Any:
    """The softmax of values that belong to the same row."""
    from gradtape.transform.stop_gradient import stop_gradient

    found, numbers = places.distinct(rows)
    count = _count(found)
    largest = stop_gradient(segments.unsorted_segment_max(values, numbers, count))
    powers = elementwise.exp(values - indexing.gather(largest, numbers))
    total = segments.unsorted_segment_sum(powers, numbers, count)
    return powers / indexing.gather(total, numbers)


def bincount(
    values: Any,
    weights: Any = None,
    axis: Any = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """The number of occurrences of each number, as a sparse tensor without the numbers that do not occur.

    Args:
      values: integers, dense, sparse or ragged, of rank 1 or 2.
      weights: of the same shape and kind; they are added up instead of ones.
      axis: 0 or None counts all numbers, -1 those of each row.
      minlength: the least length of the result.
      maxlength: numbers from here on are left out.
      binary_output: 1 for numbers that occur.

    >>> tf.sparse.to_dense(tf.sparse.bincount([1, 1, 3])).numpy()
    array([0, 2, 0, 1], dtype=int32)
    """
    if axis not in (0, -1, None):
        raise ValueError(errors.compose(f"sparse.bincount: axis must be 0 or -1, got {axis}.", "use 0 or -1."))
    if binary_output and weights is not None:
        raise ValueError(
            errors.compose("sparse.bincount: binary_output and weights are both given.", "leave one of them out.")
        )
    least = _length(minlength, "minlength")
    most = _length(maxlength, "maxlength")
    if hasattr(values, "nested_row_splits"):
        from gradtape.ragged._elementwise import weights_of as ragged_weights_of

        # The rows of a ragged tensor are those of the sparse one that it becomes; columns do not matter.
        added = None if weights is None else ragged_weights_of(values, weights, "sparse.bincount")
        values = values.to_sparse()
        weights = None if added is None else values.with_values(added)
    values = values if isinstance(values, SparseTensor) else tensor(values)
    numbers, rows, count, added = _counted(values, weights, axis or 0)
    if most >= 0:
        low = movement.reshape(elementwise.where(numbers < most), [-1])
        numbers, rows, added = [None if x is None else indexing.gather(x, low) for x in (numbers, rows, added)]
    columns = [numbers] if rows is None else [rows, numbers]
    found, places_of = places.distinct(movement.stack(columns, axis=1))
    ones = creation.ones_like(numbers, values.dtype) if added is None else added
    reduce = segments.unsorted_segment_max if binary_output else segments.unsorted_segment_sum
    largest = np.asarray(numbers)
    if largest.size and largest.min() < 0:
        raise errors.build(
            errors.InvalidArgumentError,
            f"sparse.bincount: values must not be negative, got {int(largest.min())}.",
            "count numbers from 0.",
        )
    # A result without a number is one long: the largest number is 0 at least.
    length = most if most >= 0 else max(int(largest.max()) + 1 if largest.size else 1, least)
    whole = [length] if rows is None else [count, length]
    return SparseTensor(found, reduce(ones, places_of, _count(found)), np.array(whole, np.int64))


def _length(given: Any, name: str) -> int:
    """A bound of the numbers that are counted; -1 if there is none."""
    length = -1 if given is None else integer(given, "sparse.bincount", name)
    if length < -1:
        raise errors.build(
            errors.InvalidArgumentError, f"sparse.bincount: {name} must be at least -1, got {length}.", "use 0 or more."
        )
    return length


def _countable(x: Any, name: str, kinds: tuple[dtypes.DType, ...]) -> Any:
    """A tensor, or the values of a sparse one; InvalidArgumentError if they cannot be counted or added."""
    if x.dtype not in kinds:
        named = ", ".join(kind.name for kind in kinds)
        raise errors.build(
            errors.InvalidArgumentError,
            f"sparse.bincount: {name} must be one of {named}, got {x.dtype.name}.",
            f"use tf.cast(x, tf.{kinds[-1].name}).",
        )
    return x


def _counted(values: Any, weights: Any, axis: int) -> tuple[Any, Any, int, Any]:
    """The numbers as a vector, their rows if rows are counted apart, how many rows there are, and the weights."""
    rows, count = None, 1
    if isinstance(values, SparseTensor):
        numbers, added = values.values, None if weights is None else weights_of(values, weights, "sparse.bincount")
        if axis and len(dense_dims(values)) > 1:
            rows, count = values.indices[:, 0], dense_dims(values)[0]
    else:
        whole = values
        numbers = movement.reshape(whole, [-1])
        added = None if weights is None else tensor(weights)
        if axis and whole.ndim not in (1, 2):
            raise errors.build(
                errors.InvalidArgumentError,
                f"sparse.bincount: values must have 1 or 2 axes for axis=-1, got {whole.ndim}.",
                "use axis=0, or reshape them.",
            )
        if added is not None:
            if (axis and added.shape != whole.shape) or added.shape.num_elements() != whole.shape.num_elements():
                raise errors.build(
                    errors.InvalidArgumentError,
                    f"sparse.bincount: weights must have the same shape as values, got {added.shape} for {whole.shape}.",
                    "give one weight for each number.",
                )
            added = movement.reshape(added, [-1])
        if axis and whole.ndim == 2:
            count = int(whole.shape[0])
            rows = convert.convert_to_tensor(np.repeat(np.arange(count), whole.shape[1]))
    _countable(numbers, "values", (dtypes.int32, dtypes.int64))
    if added is not None:
        _countable(added, "weights", (dtypes.int32, dtypes.int64, dtypes.float64, dtypes.float32))
    return cast(numbers, dtypes.int64), rows, count, added
