"""Products of `tf.experimental.numpy`: of vectors, matrices and tensors."""

from __future__ import annotations

from typing import Any

from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._matrices import diagonal
from gradtape.experimental.numpy._promotion import asarray, promoted
from gradtape.linalg import _einsum as contraction
from gradtape.linalg import _products as products
from gradtape.math import _reductions as reductions
from gradtape.numpy_functions import matrices as shared


def dot(a: Any, b: Any) -> Tensor:
    """The sum of products over the last axis of a and the last but one of b.

    Args:
      a: numbers.
      b: numbers; a vector is summed over its only axis.

    >>> int(tf.experimental.numpy.dot([1, 2], [3, 4]))
    11
    """
    return shared.dot(*promoted(a, b))


def inner(a: Any, b: Any) -> Tensor:
    """The sum of products over the last axes.

    >>> tf.experimental.numpy.inner([[1, 2], [0, 1]], [3, 4]).numpy()
    array([11,  4])
    """
    return shared.inner(*promoted(a, b))


def outer(a: Any, b: Any) -> Tensor:
    """All products of an element of a and one of b.

    >>> tf.experimental.numpy.outer([1, 2], [3, 4]).numpy()
    array([[3, 4],
           [6, 8]])
    """
    return shared.outer(*promoted(a, b))


def vdot(a: Any, b: Any) -> Tensor:
    """The sum of the products of all elements; those of a are conjugated.

    >>> int(tf.experimental.numpy.vdot([[1, 2]], [[3], [4]]))
    11
    """
    return shared.vdot(*promoted(a, b))


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
        raise errors.build(ValueError, "matmul: operands must not be scalars.", "use multiply.")
    return shared.matmul(a, b)


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
    return shared.kron(*promoted(a, b))


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
        raise errors.build(ValueError, "einsum: only casting='safe' and order='K' are supported.", "leave them out.")
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
    lengths = a.shape[axisa], b.shape[axisb]
    if not set(lengths) <= {2, 3}:
        raise errors.build(
            ValueError, f"cross: vectors must have two or three elements, got {lengths}.", "give two or three."
        )
    return shared.cross(a, b, axisa, axisb, axisc)
