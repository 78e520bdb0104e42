"""Sparse tensors, and rows of gradients, as operands of Keras's functions: results with few elements stay sparse.

Other functions see the whole tensor, which `convert_to_tensor` of this package gives them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from keras.src.backend.common.backend_utils import canonicalize_axis

import gradtape as tf
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.keras_backend.convert import as_float, cast, common_dtype, convert_to_tensor

SPARSE = (SparseTensor, IndexedSlices)

# Functions that give 0 for 0.
_KEEP_ZERO = {
    "numpy": "abs absolute arcsin arcsinh arctan arctanh ceil conj conjugate copy expm1 floor imag log1p negative "
    "nan_to_num real round sign sin sinh sqrt square tan tanh trunc",
    "nn": "celu elu gelu hard_shrink hard_tanh leaky_relu relu relu6 selu silu soft_shrink softsign tanh tanh_shrink",
}


def install(numpy: Any, nn: Any) -> None:
    """Let the functions of the backend's modules take sparse operands. Keras may import the backend again."""
    if vars(numpy).get("_takes_sparse"):
        return
    numpy._takes_sparse = True
    for module, names in ((numpy, _KEEP_ZERO["numpy"]), (nn, _KEEP_ZERO["nn"])):
        for name in names.split():
            setattr(module, name, _on_values(getattr(module, name)))
    for name, of_sparse in (
        ("add", tf.sparse.add),
        ("subtract", lambda a, b: tf.sparse.add(a, b.with_values(-b.values))),
        ("maximum", tf.sparse.maximum),
        ("minimum", tf.sparse.minimum),
    ):
        setattr(numpy, name, _on_both(getattr(numpy, name), of_sparse))
    numpy.multiply = _multiplying(numpy.multiply)
    numpy.divide = _dividing(numpy.divide)
    numpy.true_divide = _dividing(numpy.true_divide)
    numpy.matmul = _matrix_product(numpy.matmul)
    for name, of_sparse in _REARRANGED.items():
        setattr(numpy, name, _rearranging(getattr(numpy, name), of_sparse))
    numpy.concatenate = _joining(numpy.concatenate)
    numpy.take = _taking(numpy.take)


def with_values(x: Any, values: Any) -> Any:
    """A sparse tensor with other values at the same places."""
    if isinstance(x, SparseTensor):
        return x.with_values(values)
    return type(x)(values, x.indices, x.dense_shape)


def _on_values(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def apply(x: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(x, SPARSE):
            x = _without_repeats(x)
            return with_values(x, function(x.values, *args, **kwargs))
        return function(x, *args, **kwargs)

    return apply


def _without_repeats(x: Any) -> Any:
    """Rows without duplicates, so that functions may be applied to the values."""
    if type(x) is not IndexedSlices or x.dense_shape is None:
        return x
    rows, places = tf.unique(x.indices)
    return IndexedSlices(tf.math.unsorted_segment_sum(x.values, places, tf.size(rows)), rows, x.dense_shape)


def _same(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Operands of one dtype, sparse or not."""
    name = common_dtype(x1, x2)
    return _cast(x1, name), _cast(x2, name)


def _cast(x: Any, name: Any) -> Any:
    return with_values(x, cast(x.values, name)) if isinstance(x, SPARSE) else convert_to_tensor(x, name)


def _on_both(function: Callable[..., Any], of_sparse: Callable[..., Any]) -> Callable[..., Any]:
    """A function of two tensors that gives 0 for two zeros."""

    @functools.wraps(function)
    def apply(x1: Any, x2: Any) -> Any:
        if not isinstance(x1, SPARSE) or type(x1) is not type(x2):
            return function(x1, x2)
        x1, x2 = _same(x1, x2)
        if isinstance(x1, IndexedSlices):
            rows, _ = tf.unique(tf.concat([x1.indices, x2.indices], 0))
            return IndexedSlices(
                tf.gather(function(convert_to_tensor(x1), convert_to_tensor(x2)), rows), rows, x1.dense_shape
            )
        if x1.shape.is_fully_defined() and x2.shape.is_fully_defined() and x1.shape != x2.shape:
            return function(x1, x2)
        result = of_sparse(x1, x2)
        result.set_shape(tf.broadcast_static_shape(x1.shape, x2.shape))
        return result

    return apply


def _multiplying(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def apply(x1: Any, x2: Any) -> Any:
        if isinstance(x1, SPARSE):
            return _scaled(function, *_same(x1, x2))
        if isinstance(x2, SPARSE):
            x1, x2 = _same(x1, x2)
            return _scaled(function, x2, x1)
        return function(x1, x2)

    return apply


def _scaled(function: Callable[..., Any], x: Any, factor: Any) -> Any:
    """A function of the values of a sparse tensor and the elements of another one at their places."""
    if isinstance(factor, SPARSE):
        factor = convert_to_tensor(factor)
    if factor.shape.rank == 0:
        return with_values(x, function(x.values, factor))
    if factor.shape.rank > x.shape.rank:
        return function(convert_to_tensor(x), factor)
    x = _without_repeats(x)
    whole = tf.broadcast_static_shape(x.shape, factor.shape)
    if whole.is_fully_defined() and x.shape.is_fully_defined() and whole != x.shape:
        return function(convert_to_tensor(x), factor)
    factor = tf.broadcast_to(factor, x.dense_shape)
    if isinstance(x, IndexedSlices):
        return with_values(x, function(x.values, tf.gather(factor, x.indices)))
    result = with_values(x, function(x.values, tf.gather_nd(factor, x.indices)))
    result.set_shape(whole)
    return result


def _dividing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Division by a dense tensor: 0 / 0 gives nan in place of an absent 0."""

    @functools.wraps(function)
    def apply(x1: Any, x2: Any) -> Any:
        if not isinstance(x1, SPARSE) or isinstance(x2, SPARSE):
            return function(x1, x2)
        x1, x2 = _same(x1, x2)
        x1, x2 = with_values(x1, as_float(x1.values)), as_float(x2)
        if x2.shape.rank == 0:
            return with_values(x1, function(x1.values, x2))
        if x2.shape.rank > x1.shape.rank:
            return function(x1, x2)
        whole, by = function(convert_to_tensor(x1), x2), tf.broadcast_to(x2, tf.cast(x1.dense_shape, "int32"))
        undefined = tf.logical_or(tf.math.is_nan(by), tf.equal(by, 0))
        if isinstance(x1, IndexedSlices):
            others = tf.where(tf.reduce_any(undefined, axis=list(range(1, whole.shape.rank))))[:, 0]
            rows, _ = tf.unique(tf.concat([x1.indices, tf.cast(others, x1.indices.dtype)], 0))
            return type(x1)(tf.gather(whole, rows), rows, x1.dense_shape)
        kept = tf.sparse.to_dense(tf.SparseTensor(x1.indices, tf.ones_like(x1.values, "bool"), x1.dense_shape), False)
        places = tf.where(tf.logical_or(kept, undefined))
        result = SparseTensor(places, tf.gather_nd(whole, places), x1.dense_shape)
        result.set_shape(tf.broadcast_static_shape(x1.shape, x2.shape))
        return result

    return apply


def _matrix_product(function: Callable[..., Any]) -> Callable[..., Any]:
    """Products with sparse matrices: sparse, if both are; of matrices and whole tensors without making those whole."""

    @functools.wraps(function)
    def apply(x1: Any, x2: Any) -> Any:
        left, right = isinstance(x1, SparseTensor), isinstance(x2, SparseTensor)
        if left and right:
            return tf.sparse.from_dense(function(x1, x2))
        if left == right or len(x1.shape) != 2 or len(x2.shape) != 2:
            return function(x1, x2)
        x1, x2 = _same(x1, x2)
        if not x1.dtype.is_floating and not x1.dtype.is_complex:
            return function(x1, x2)
        if left:
            return _rows_times(x1, x2)
        return tf.transpose(tf.sparse.sparse_dense_matmul(tf.sparse.transpose(x2), tf.transpose(x1)))

    return apply


def _rows_times(x: Any, matrix: Any) -> Any:
    """A sparse matrix times another one: sums of its rows, so that the gradient by that one has few rows too."""
    rows = tf.gather(matrix, x.indices[:, 1]) * x.values[:, None]
    count = x.dense_shape[0] if x.shape[0] is None else x.shape[0]
    return tf.math.unsorted_segment_sum(rows, x.indices[:, 0], count)


def _rearranging(function: Callable[..., Any], of_sparse: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def apply(x: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(x, SparseTensor):
            return of_sparse(x, *args, **kwargs)
        return function(x, *args, **kwargs)

    return apply


def _expand_dims(x: Any, axis: Any) -> Any:
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    for a in sorted([canonicalize_axis(a, x.shape.rank + len(axes)) for a in axes]):
        shape = x.shape.as_list()
        x = tf.sparse.expand_dims(x, a)
        x.set_shape([*shape[:a], 1, *shape[a:]])
    return x


def _reshape(x: Any, newshape: Any) -> Any:
    newshape = (newshape,) if isinstance(newshape, int) else tuple(newshape)
    result = tf.sparse.reshape(x, newshape)
    if all(isinstance(d, int) for d in newshape):
        result.set_shape([None if d == -1 else d for d in newshape])
    return result


def _squeeze(x: Any, axis: Any = None) -> Any:
    shape = x.shape.as_list()
    given = axis if axis is None or isinstance(axis, (tuple, list)) else (axis,)
    gone = (
        [i for i, d in enumerate(shape) if d == 1]
        if given is None
        else [canonicalize_axis(a, len(shape)) for a in given]
    )
    for a in gone:
        if shape[a] not in (1, None):
            raise ValueError(f"Cannot squeeze axis={axis}, because the dimension is not 1. Received: shape={x.shape}")
    kept = [i for i in range(len(shape)) if i not in gone]
    result = SparseTensor(tf.gather(x.indices, kept, axis=1), x.values, tf.gather(x.dense_shape, kept))
    result.set_shape([shape[i] for i in kept])
    return result


def _transpose(x: Any, axes: Any = None) -> Any:
    order = list(reversed(range(x.shape.rank))) if axes is None else [canonicalize_axis(a, x.shape.rank) for a in axes]
    result = tf.sparse.transpose(x, order)
    result.set_shape([x.shape[a] for a in order])
    return result


def _sum(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    if axis == ():
        return x
    x = with_values(x, _wide(x.values))
    rank = x.shape.rank
    axes = list(range(rank)) if axis is None else [canonicalize_axis(a, rank) for a in _several(axis)]
    result = tf.sparse.reduce_sum(x, axes, keepdims=bool(keepdims), output_is_sparse=True)
    result.set_shape([1 if i in axes else d for i, d in enumerate(x.shape) if keepdims or i not in axes])
    return result


def _several(axis: Any) -> Any:
    return axis if isinstance(axis, (tuple, list)) else (axis,)


def _wide(values: Any) -> Any:
    narrow = {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}
    return cast(values, narrow.get(values.dtype.name, values.dtype))


def _digitize(x: Any, bins: Any) -> Any:
    """Bin numbers; sparse, since absent elements are 0."""
    return x.with_values(tf.searchsorted(convert_to_tensor(bins, x.dtype), x.values, side="right"))


_REARRANGED: dict[str, Callable[..., Any]] = {
    "expand_dims": _expand_dims,
    "reshape": _reshape,
    "squeeze": _squeeze,
    "transpose": _transpose,
    "sum": _sum,
    "digitize": _digitize,
}


def _joining(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def apply(xs: Any, axis: Any = 0) -> Any:
        xs = list(xs)
        if axis is not None and xs and all(isinstance(x, SparseTensor) for x in xs):
            name = common_dtype(*xs)
            return tf.sparse.concat(axis, [_cast(x, name) for x in xs])
        return function(xs, axis)

    return apply


def _taking(function: Callable[..., Any]) -> Callable[..., Any]:
    """Elements at sparse places: those that are absent name the first one. At ragged places the elements are ragged."""

    @functools.wraps(function)
    def apply(x: Any, indices: Any, axis: Any = None) -> Any:
        if isinstance(indices, tf.RaggedTensor):
            flat = function(x, indices.flat_values, axis)
            return indices.with_flat_values(flat)
        return function(x, tf.sparse.to_dense(indices) if isinstance(indices, SparseTensor) else indices, axis)

    return apply
