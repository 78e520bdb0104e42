"""Matrices and diagonals of `tf.experimental.numpy`."""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from gradtape.arrays import movement
from gradtape.arrays.creation import zeros
from gradtape.core import convert, errors
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._creation import arange, float_by_default
from gradtape.experimental.numpy._promotion import asarray
from gradtape.linalg import _diagonals as diagonals
from gradtape.math._elementwise import pow
from gradtape.numpy_functions import matrices as shared
from gradtape.ops.family import dims


def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Tensor:  # noqa: N803 - NumPy's names
    """Ones on a diagonal, zeros elsewhere.

    Args:
      N: the number of rows.
      M: the number of columns; N by default.
      k: which diagonal: positive ones lie above the main one.
      dtype: float64 by default.

    >>> tf.experimental.numpy.eye(2, k=1).numpy()
    array([[0., 1.],
           [0., 0.]])
    """
    return convert.convert_to_tensor(
        np.eye(_count(N), None if M is None else _count(M), k, float_by_default(dtype).numpy)
    )


def identity(n: Any, dtype: Any = float) -> Tensor:
    """The identity matrix.

    >>> tf.experimental.numpy.identity(2).numpy()
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=dtype)


def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Tensor:  # noqa: N803 - NumPy's names
    """Ones on and below a diagonal, zeros above.

    Args:
      N: the number of rows.
      M: the number of columns; N by default.
      k: which diagonal.
      dtype: float64 by default.

    >>> tf.experimental.numpy.tri(2).numpy()
    array([[1., 0.],
           [1., 1.]])
    """
    return convert.convert_to_tensor(
        np.tri(_count(N), None if M is None else _count(M), k, float_by_default(dtype).numpy)
    )


def _count(n: Any) -> int:
    return operator.index(n)


def tril(m: Any, k: int = 0) -> Tensor:
    """The matrices with zeros above a diagonal.

    >>> tf.experimental.numpy.tril([[1, 2], [3, 4]]).numpy()
    array([[1, 0],
           [3, 4]])
    """
    return _triangle(m, k, True)


def triu(m: Any, k: int = 0) -> Tensor:
    """The matrices with zeros below a diagonal.

    >>> tf.experimental.numpy.triu([[1, 2], [3, 4]]).numpy()
    array([[1, 2],
           [0, 4]])
    """
    return _triangle(m, k, False)


def _triangle(m: Any, k: int, lower: bool) -> Tensor:
    m = asarray(m)
    if m.ndim < 2:
        raise errors.build(ValueError, f"tril, triu: m must have rank 2 or more, got {m.ndim}.", "give matrices.")
    return shared.triangle(m, k, lower)


def diag(v: Any, k: int = 0) -> Tensor:
    """A matrix with a vector on a diagonal, or the diagonal of a matrix.

    Args:
      v: a vector or a matrix.
      k: which diagonal.

    >>> tf.experimental.numpy.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]])
    """
    v = asarray(v)
    if v.ndim == 1 and k and not dims(v)[0]:
        return zeros([builtins.abs(k)] * 2, v.dtype)  # the diagonal is outside of a matrix that is as small as that
    if v.ndim == 1:
        return diagonals.diag(v, k=k)
    if v.ndim != 2:
        raise errors.build(
            ValueError, f"diag: v must be a vector or a matrix, got rank {v.ndim}.", "give a vector or a matrix."
        )
    return diagonal(v, k)


def diagflat(v: Any, k: int = 0) -> Tensor:
    """A matrix with the elements of an array on a diagonal.

    >>> tf.experimental.numpy.diagflat([[1, 2]]).numpy()
    array([[1, 0],
           [0, 2]])
    """
    return diag(movement.reshape(asarray(v), [-1]), k)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonals of the matrices that two axes are; they become the last axis.

    Args:
      a: rank 2 or more.
      offset: which diagonal.
      axis1: the axis of the rows.
      axis2: the axis of the columns.

    >>> tf.experimental.numpy.diagonal([[1, 2], [3, 4]]).numpy()
    array([1, 4])
    """
    a = asarray(a)
    if a.ndim < 2:
        raise errors.build(
            ValueError, f"diagonal: a must have at least two axes, got {a.ndim}.", "give at least two axes."
        )
    return shared.diagonal(a, offset, axis1, axis2)


def diag_indices(n: Any, ndim: int = 2) -> tuple[Tensor, ...]:
    """The indices of the main diagonal, one vector for each axis.

    >>> [i.numpy() for i in tf.experimental.numpy.diag_indices(2)]
    [array([0, 1]), array([0, 1])]
    """
    return (arange(n),) * ndim


def vander(x: Any, N: Any = None, increasing: bool = False) -> Tensor:  # noqa: N803 - NumPy's name
    """The powers of a vector's elements as columns.

    Args:
      x: a vector.
      N: how many columns; as many as rows by default.
      increasing: the powers rise from left to right.

    >>> tf.experimental.numpy.vander([2, 3], 3).numpy()
    array([[4, 2, 1],
           [9, 3, 1]])
    """
    x = asarray(x)
    if x.ndim != 1:
        raise errors.build(ValueError, f"vander: x must be a vector, got rank {x.ndim}.", "give a vector.")
    count = next(iter(x.shape)) if N is None else _count(N)
    if count < 0:
        raise errors.build(
            ValueError, f"vander: N must not be negative, got {count}.", "leave it out for as many as rows."
        )
    powers = np.arange(count) if increasing else np.arange(count)[::-1]
    return pow(movement.reshape(x, [-1, 1]), convert.convert_to_tensor(powers.astype(x.dtype.numpy)))
