"""Products of `tf.experimental.numpy`: of vectors, matrices and tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.arrays import joining, movement
from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._matrices import diagonal
from gradtape.experimental.numpy._promotion import asarray, promoted
from gradtape.linalg import _diagonals as diagonals
from gradtape.linalg import _einsum as contraction
from gradtape.linalg import _products as products
from gradtape.math import _conversion as conversion
from gradtape.math import _reductions as reductions


def dot(a: Any, b: Any) -> Tensor:
    """The sum of products over the last axis of a and the last but one of b.

    Args:
      a: numbers.
      b: numbers; a vector is summed over its only axis.

    >>> int(tf.experimental.numpy.dot([1, 2], [3, 4]))
    11
    """
    a, b = promoted(a, b)
    if not a.ndim or not b.ndim:
        result: Tensor = a * b
        return result
    return products.tensordot(a, b, [[a.ndim - 1], [max(b.ndim - 2, 0)]])


def inner(a: Any, b: Any) -> Tensor:
    """The sum of products over the last axes.

    >>> tf.experimental.numpy.inner([[1, 2], [0, 1]], [3, 4]).numpy()
    array([11,  4])
    """
    a, b = promoted(a, b)
    if not a.ndim or not b.ndim:
        result: Tensor = a * b
        return result
    return products.tensordot(a, b, [[a.ndim - 1], [b.ndim - 1]])


def outer(a: Any, b: Any) -> Tensor:
    """All products of an element of a and one of b.

    >>> tf.experimental.numpy.outer([1, 2], [3, 4]).numpy()
    array([[3, 4],
           [6, 8]])
    """
    a, b = promoted(a, b)
    return movement.reshape(a, [-1, 1]) * movement.reshape(b, [1, -1])


def vdot(a: Any, b: Any) -> Tensor:
    """The sum of the products of all elements; those of a are conjugated.

    >>> int(tf.experimental.numpy.vdot([[1, 2]], [[3], [4]]))
    11
    """
    a, b = [movement.reshape(x, [-1]) for x in promoted(a, b)]
    return products.tensordot(conversion.conj(a) if a.dtype.is_complex else a, b, 1)


def matmul(x1: Any, x2: Any) -> Tensor:
    """The matrix product; leading axes broadcast, vectors are rows or columns.

    Args:
      x1: numbers.
      x2: numbers.

    >>> tf.experimental.numpy.matmul([[1, 2]], [3, 4]).numpy()
    array([11])
    """
    a, b = promoted(x1, x2)
    if not a.ndim or not b.ndim:
        raise ValueError(errors.compose("matmul: operands must not be scalars.", "use multiply."))
    if a.ndim == 1:
        made = products.matmul(movement.expand_dims(a, 0), movement.expand_dims(b, -1) if b.ndim == 1 else b)
        return movement.squeeze(made, [-2, -1] if b.ndim == 1 else [-2])
    if b.ndim == 1:
        return movement.squeeze(products.matmul(a, movement.expand_dims(b, -1)), [-1])
    return products.matmul(a, b)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """The sum of products over some axes of both.

    Args:
      a: numbers.
      b: numbers.
      axes: how many last axes of a and first axes of b, or a pair of lists of axes.

    >>> int(tf.experimental.numpy.tensordot([1, 2], [3, 4], 1))
    11
    """
    a, b = promoted(a, b)
    return products.tensordot(a, b, axes)


def kron(a: Any, b: Any) -> Tensor:
    """The Kronecker product.

    >>> tf.experimental.numpy.kron([1, 10], [1, 2]).numpy()
    array([ 1,  2, 10, 20])
    """
    a, b = promoted(a, b)
    rank = max(a.ndim, b.ndim)
    m, n = [[1] * (rank - x.ndim) + list(x.shape) for x in (a, b)]
    wide = movement.reshape(a, [d for pair in zip(m, [1] * rank, strict=True) for d in pair])
    tall = movement.reshape(b, [d for pair in zip([1] * rank, n, strict=True) for d in pair])
    return movement.reshape(wide * tall, [p * q for p, q in zip(m, n, strict=True)])


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Tensor:
    """A sum of products in Einstein's notation.

    Args:
      subscripts: such as "ij,jk->ik".
      *operands: numbers.
      **kwargs: `casting`, only "safe"; `optimize`, ignored.

    >>> int(tf.experimental.numpy.einsum("i,i->", [1, 2], [3, 4]))
    11
    """
    if kwargs.pop("casting", "safe") != "safe" or kwargs.pop("order", "K") not in ("K", "A"):
        raise ValueError(errors.compose("einsum: only casting='safe' and order='K' are there.", "leave them out."))
    kwargs.pop("optimize", None)
    return contraction.einsum(subscripts, *promoted(*operands), **kwargs)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Tensor:
    """The sum of a diagonal.

    Args:
      a: rank 2 or more.
      offset: which diagonal.
      axis1: the axis of the rows.
      axis2: the axis of the columns.
      dtype: in which to sum.

    >>> int(tf.experimental.numpy.trace([[1, 2], [3, 4]]))
    5
    """
    return reductions.reduce_sum(asarray(diagonal(a, offset, axis1, axis2), dtype), -1)


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Tensor:
    """The cross product of vectors of two or three elements.

    Args:
      a: the first vectors.
      b: the second ones.
      axisa: the axis of the vectors in a.
      axisb: the axis of the vectors in b.
      axisc: the axis of the vectors in the result.
      axis: the axis of all three.

    >>> tf.experimental.numpy.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = promoted(a, b)
    a, b = _axis_last(a, axisa), _axis_last(b, axisb)
    lengths = a.shape[-1], b.shape[-1]
    if not set(lengths) <= {2, 3}:
        raise ValueError(
            errors.compose(f"cross: vectors must have two or three elements, got {lengths}.", "give two or three.")
        )
    if lengths == (2, 2):
        result: Tensor = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
        return result
    a, b = [x if x.shape[-1] == 3 else joining.concat([x, x[..., :1] * 0], -1) for x in (a, b)]
    dims = np.broadcast_shapes(tuple(a.shape), tuple(b.shape))
    found = diagonals.cross(movement.broadcast_to(a, dims), movement.broadcast_to(b, dims))
    return found if axisc in (-1, found.ndim - 1) else _last_to(found, axisc)


def _axis_last(x: Any, axis: int) -> Any:
    order = [k for k in range(x.ndim) if k != axis % x.ndim]
    return x if axis in (-1, x.ndim - 1) else movement.transpose(x, [*order, axis % x.ndim])


def _last_to(x: Any, axis: int) -> Any:
    order = list(range(x.ndim - 1))
    order.insert(axis % x.ndim, x.ndim - 1)
    return movement.transpose(x, order)
