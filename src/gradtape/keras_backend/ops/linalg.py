"""`backend.linalg`: decompositions, solutions and norms."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend.common.backend_utils import canonicalize_axis

import gradtape as tf
from gradtape.keras_backend.convert import as_float, cast_tensor, convert_to_tensor, float_operands, widened
from gradtape.keras_backend.ops.numpy import elementwise, reductions, shaping


def cholesky(a: Any, upper: Any = False) -> Any:
    """The triangular matrix L with L L* = a, or its adjoint."""
    a = as_float(a)
    factor = tf.linalg.cholesky(a)
    if type(factor) is tf.Tensor and np.isnan(factor.numpy()).any() and not np.isnan(a.numpy()).any():
        raise ValueError("Cholesky decomposition failed: the matrix is not positive definite.")
    return tf.linalg.adjoint(factor) if upper else factor


def cholesky_inverse(a: Any, upper: Any = False) -> Any:
    """The inverse of the matrix whose triangular factor was given."""
    a = as_float(a)
    unit = tf.eye(a.shape[-1], dtype=a.dtype)
    inverse = tf.linalg.triangular_solve(a, tf.broadcast_to(unit, tuple(a.shape)), lower=not upper)
    if upper:
        return tf.matmul(inverse, inverse, adjoint_b=True)
    return tf.matmul(inverse, inverse, adjoint_a=True)


def det(a: Any) -> Any:
    """The determinant."""
    return tf.linalg.det(as_float(a))


def eig(a: Any) -> Any:
    """Eigenvalues and eigenvectors, which may be complex."""
    return tuple(tf.linalg.eig(as_float(a)))


def eigh(a: Any) -> Any:
    """Eigenvalues and eigenvectors of a Hermitian matrix."""
    return tuple(tf.linalg.eigh(as_float(a)))


def inv(a: Any) -> Any:
    """The inverse matrix."""
    return tf.linalg.inv(as_float(a))


def lu_factor(a: Any) -> Any:
    """Both triangular factors in one matrix, and which rows were exchanged with which, in order."""
    a = as_float(a)
    rows, columns = tuple(a.shape)[-2:]
    packed, order = tf.linalg.lu(_square(a))
    packed = packed[..., :rows, :columns]
    order = order[..., :rows]
    places = tf.broadcast_to(tf.range(rows), tuple(order.shape))
    exchanged = []
    for i in range(min(rows, columns)):
        wanted = order[..., i : i + 1]
        j = tf.argmax(tf.cast(tf.equal(places, wanted), "int32"), axis=-1, output_type="int32")[..., None]
        current = places[..., i : i + 1]
        at = tf.range(rows)
        places = tf.where(tf.equal(at, j), current, tf.where(tf.equal(at, i), wanted, places))
        exchanged.append(j)
    return packed, tf.concat(exchanged, axis=-1)


def _square(a: Any) -> Any:
    """A matrix padded with rows or columns of the identity matrix, which leave its elimination unchanged."""
    rows, columns = tuple(a.shape)[-2:]
    if rows == columns:
        return a
    size = max(rows, columns)
    padded = tf.pad(a, [[0, 0]] * (a.ndim - 2) + [[0, size - rows], [0, size - columns]])
    ones = np.zeros((size, size))
    ones[np.arange(min(rows, columns), size), np.arange(min(rows, columns), size)] = 1.0
    if rows < columns:
        # The added rows must not be chosen as pivots: they follow all original columns.
        ones[:, :columns] *= np.arange(size)[:, None] >= rows
    return padded + tf.constant(ones.astype(a.dtype.numpy))


def qr(x: Any, mode: Any = "reduced") -> Any:
    """An orthogonal and a triangular factor."""
    if mode not in {"reduced", "complete"}:
        raise ValueError(
            f"`mode` argument value not supported. Expected one of {{'reduced', 'complete'}}. Received: mode={mode}"
        )
    return tuple(tf.linalg.qr(as_float(x), full_matrices=mode == "complete"))


def solve(a: Any, b: Any) -> Any:
    """x with a x = b; b may be vectors."""
    a, b = float_operands(a, b)
    if b.ndim == a.ndim - 1:
        return tf.squeeze(tf.linalg.solve(a, tf.expand_dims(b, -1)), -1)
    return tf.linalg.solve(a, b)


def solve_triangular(a: Any, b: Any, lower: Any = False) -> Any:
    """x with a x = b for a triangular matrix."""
    a, b = float_operands(a, b)
    if b.ndim == a.ndim - 1:
        return tf.squeeze(tf.linalg.triangular_solve(a, tf.expand_dims(b, -1), lower=lower), -1)
    return tf.linalg.triangular_solve(a, b, lower=lower)


def svd(x: Any, full_matrices: Any = True, compute_uv: Any = True) -> Any:
    """The singular value decomposition u, s, v*; or the singular values alone."""
    x = as_float(x)
    if not compute_uv:
        return tf.linalg.svd(x, full_matrices=full_matrices, compute_uv=False)
    s, u, v = tf.linalg.svd(x, full_matrices=full_matrices)
    return u, s, tf.linalg.adjoint(v)


def pinv(x: Any, rcond: Any = None) -> Any:
    """The pseudo-inverse."""
    return tf.linalg.pinv(as_float(x), rcond=rcond)


def matrix_rank(x: Any, tol: Any = None) -> Any:
    """The number of nonzero singular values."""
    x = as_float(x)
    if x.ndim < 2:
        raise ValueError(f"Input must be at least 2-D. Received: shape={tuple(x.shape)}")
    return cast_tensor(tf.linalg.matrix_rank(x, tol=tol), "int32")


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """The least-squares solution of a x = b, with the smallest norm if there are several."""
    a, b = float_operands(a, b)
    is_vector = b.ndim == 1
    columns = tf.expand_dims(b, -1) if is_vector else b
    eps = float(np.finfo(a.dtype.numpy).eps)
    limit = eps * max(tuple(a.shape)[-2:]) if rcond is None else rcond
    s, u, v = tf.linalg.svd(a, full_matrices=False)
    kept = tf.greater_equal(s, limit * s[..., :1])
    safe = tf.where(kept, s, tf.ones_like(s))
    inverse = tf.where(kept, 1.0 / safe, tf.zeros_like(s))
    x = tf.matmul(v, inverse[..., None] * tf.matmul(u, columns, adjoint_a=True))
    return tf.squeeze(x, -1) if is_vector else x


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """The norm of vectors or matrices."""
    x = as_float(x)
    rank = x.ndim
    if axis is None:
        if ord is None or (ord == 2 and rank == 1) or (ord == "fro" and rank == 2):
            flat = _length(tf.reshape(x, (-1,)), 0, False)
            return tf.reshape(flat, (1,) * rank) if keepdims else flat
        axis = tuple(range(rank))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple([canonicalize_axis(a, rank) for a in axes])
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, ord, axes, keepdims)
    raise ValueError(f"Invalid axis values. Received: axis={axis}")


def _length(x: Any, axis: Any, keepdims: Any) -> Any:
    wide, back = widened(elementwise.absolute(x))
    squares = tf.reduce_sum(tf.square(wide), axis=axis, keepdims=keepdims)
    return back(tf.sqrt(squares))


def _vector_norm(x: Any, ord: Any, axis: Any, keepdims: Any) -> Any:
    size = elementwise.absolute(x)
    if ord is None or ord == 2:
        return _length(x, axis, keepdims)
    if ord == np.inf:
        return tf.reduce_max(size, axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return tf.reduce_min(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        nonzero = tf.cast(tf.not_equal(x, tf.zeros_like(x)), size.dtype)
        return tf.reduce_sum(nonzero, axis=axis, keepdims=keepdims)
    if ord == 1:
        return tf.reduce_sum(size, axis=axis, keepdims=keepdims)
    if isinstance(ord, str):
        raise ValueError(f"Invalid `ord` argument for vector norm. Received: ord={ord}")
    power = convert_to_tensor(ord, size.dtype)
    return tf.pow(tf.reduce_sum(tf.pow(size, power), axis=axis, keepdims=keepdims), 1.0 / power)


def _matrix_norm(x: Any, ord: Any, axes: Any, keepdims: Any) -> Any:
    rows, columns = axes
    if ord is None or ord == "fro":
        return _length(x, list(axes), keepdims)
    if ord in (1, -1, np.inf, -np.inf):
        inner, outer = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = tf.reduce_sum(elementwise.absolute(x), axis=inner, keepdims=True)
        reduce = reductions.max if ord > 0 else reductions.min
        result = reduce(sums, outer, True)
    elif ord in (2, -2, "nuc"):
        values = tf.linalg.svd(shaping.moveaxis(x, axes, (-2, -1)), compute_uv=False)
        found = {2: tf.reduce_max, -2: tf.reduce_min, "nuc": tf.reduce_sum}[ord](values, axis=-1)
        if not keepdims:
            return found
        return shaping.expand_dims(found, sorted(axes))
    else:
        raise ValueError(f"Invalid `ord` argument for matrix norm. Received: ord={ord}")
    return result if keepdims else tf.squeeze(result, sorted(axes))


def jvp(fun: Any, primals: Any, tangents: Any, has_aux: Any = False) -> Any:
    """The value of a function and its derivative in a direction."""
    primals = tree.map_structure(convert_to_tensor, tuple(primals))
    tangents = tree.map_structure(convert_to_tensor, tuple(tangents))
    with tf.autodiff.ForwardAccumulator(primals, tangents) as accumulator:
        result = fun(*primals)
    if has_aux:
        result, aux = result
    direction = tree.map_structure(lambda y: accumulator.jvp(y, unconnected_gradients="zero"), result)
    return (result, direction, aux) if has_aux else (result, direction)
