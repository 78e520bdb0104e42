"""Samples of inverses and linear systems."""

import numpy as np

from gradtape.core.errors import DTypeError, InvalidArgumentError, ShapeError
from gradtape.ops.solve import MatrixInverse, MatrixSolve, TriangularSolve
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(21)
FLOATS = "float32 float64 complex64 complex128"
HALVES = "float16 bfloat16 float32 float64"


def normal(*shape):
    return random.normal(size=shape)


def matrix(*shape):
    """A well-conditioned matrix."""
    return normal(*shape) + 3.0 * np.eye(shape[-1])


def dagger(a):
    return np.moveaxis(np.conj(a), -1, -2)


def cofactors(a, adjoint=False):
    """The inverse by Cramer's rule."""
    a = dagger(a) if adjoint else a
    n = a.shape[-1]
    y = np.empty_like(a)
    for i in range(n):
        for j in range(n):
            minor = np.delete(np.delete(a, i, -2), j, -1)
            y[..., j, i] = (-1) ** (i + j) * np.linalg.det(minor) / np.linalg.det(a)
    return y


def eliminated(a, b, adjoint=False):
    """The solution by Gauss-Jordan elimination without pivoting."""
    a = dagger(a) if adjoint else a
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = np.array(np.broadcast_to(a, lead + a.shape[-2:]))
    y = np.array(np.broadcast_to(b, lead + b.shape[-2:]))
    for i in range(a.shape[-1]):
        pivot = a[..., i : i + 1, i : i + 1].copy()
        a[..., i, :], y[..., i, :] = a[..., i, :] / pivot[..., 0], y[..., i, :] / pivot[..., 0]
        for j in range(a.shape[-1]):
            if j != i:
                factor = a[..., j, i].copy()[..., np.newaxis]
                a[..., j, :] -= factor * a[..., i, :]
                y[..., j, :] -= factor * y[..., i, :]
    return y


def of_triangle(a, b, lower=True, adjoint=False):
    return eliminated(np.tril(a) if lower else np.triu(a), b, adjoint)


sample(MatrixInverse, matrix(3, 3), reference=cofactors, dtypes=FLOATS)
sample(MatrixInverse, matrix(2, 2, 2), reference=cofactors, dtypes=FLOATS + " float16 bfloat16")
sample(MatrixInverse, matrix(2, 3, 3), reference=cofactors, dtypes=FLOATS, adjoint=True)
sample(MatrixInverse, np.zeros((2, 0, 0)), reference=lambda a: a)
bad(MatrixInverse, normal(2, 3), error=ShapeError, match="a is f64[2,3]")
bad(MatrixInverse, normal(3), error=ShapeError, match="give matrices [..., n, n]")
bad(MatrixInverse, np.zeros((1, 1)), error=InvalidArgumentError, match="Input is not invertible")
bad(MatrixInverse, np.ones((2, 2), np.int32), error=DTypeError, match="a is i32[2,2]")

sample(MatrixSolve, matrix(3, 3), normal(3, 2), reference=eliminated, dtypes=FLOATS)
sample(MatrixSolve, matrix(3, 3), normal(3, 1), reference=eliminated, dtypes=FLOATS, adjoint=True)
sample(MatrixSolve, matrix(2, 2, 2), normal(2, 2, 3), reference=eliminated, dtypes=HALVES)
sample(MatrixSolve, matrix(2, 2), normal(3, 2, 1), reference=eliminated, dtypes=FLOATS)
sample(MatrixSolve, matrix(2, 1, 2, 2), normal(3, 2, 1), reference=eliminated, dtypes=FLOATS, adjoint=True)
sample(MatrixSolve, matrix(2, 2, 2), normal(2, 0), reference=lambda a, b: np.zeros((2, 2, 0)))
bad(MatrixSolve, normal(2, 3), normal(2, 1), error=ShapeError, match="a is f64[2,3]")
bad(
    MatrixSolve, matrix(2, 2), normal(3, 1), error=ShapeError, match="b is f64[3,1], and b must hold matrices of 2 rows"
)
bad(MatrixSolve, matrix(2, 2), normal(2), error=ShapeError, match="b[..., tf.newaxis]")
bad(MatrixSolve, matrix(2, 3, 3), normal(3, 3, 1), error=ShapeError, match="leading dimensions do not broadcast")
bad(MatrixSolve, np.zeros((1, 1)), normal(1, 1), error=InvalidArgumentError, match="Input matrix is not invertible")

sample(TriangularSolve, matrix(3, 3), normal(3, 2), reference=of_triangle, dtypes=FLOATS, lower=True)
sample(TriangularSolve, matrix(3, 3), normal(3, 1), reference=of_triangle, dtypes=FLOATS, lower=False, adjoint=True)
sample(TriangularSolve, matrix(2, 3, 3), normal(2, 3, 2), reference=of_triangle, dtypes=HALVES, lower=False)
sample(TriangularSolve, matrix(2, 2), normal(3, 2, 2), reference=of_triangle, dtypes=FLOATS, lower=True, adjoint=True)
sample(TriangularSolve, matrix(2, 1, 2, 2), normal(3, 2, 1), reference=of_triangle, lower=False)
# Many small systems are solved another way.
sample(TriangularSolve, matrix(17, 2, 2), normal(17, 2, 1), reference=of_triangle, dtypes=FLOATS, lower=True)
sample(TriangularSolve, matrix(17, 2, 2), normal(2, 1), reference=of_triangle, dtypes=FLOATS, lower=True, adjoint=True)
sample(TriangularSolve, matrix(0, 2, 2), normal(2, 1), reference=lambda a, b, lower: np.zeros((0, 2, 1)), lower=True)
bad(TriangularSolve, normal(2, 3), normal(2, 1), error=ShapeError, match="a is f64[2,3]", lower=True)
bad(TriangularSolve, matrix(2, 2), np.ones((2, 1), np.float32), error=DTypeError, match="dtypes differ")
