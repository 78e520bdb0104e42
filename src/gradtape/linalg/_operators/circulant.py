"""Operators of circulant matrices, in one, two and three dimensions: Fourier transforms make them diagonal."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradtape.arrays.movement import broadcast_to, expand_dims, matrix_transpose, reshape
from gradtape.core import dtypes, errors
from gradtape.core.tensor import Tensor
from gradtape.linalg._operators.base import LinearOperator, kept, of_rank, sizes_of, tensor_of
from gradtape.math._conversion import conj, real
from gradtape.math._elementwise import abs as absolute
from gradtape.math._elementwise import cast, log
from gradtape.math._reductions import reduce_mean, reduce_prod, reduce_sum
from gradtape.ops.family import dims
from gradtape.signal import _fft as fft


class Circulant(LinearOperator):
    """Base: `F^-1 diag(spectrum) F` with a Fourier transform F over `_depth` dimensions."""

    _depth = 1
    _forward: Callable[..., Tensor]
    _backward: Callable[..., Tensor]

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        self._spectrum = of_rank(name or type(self).__name__, kept(spectrum), self._depth)
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    errors.compose(
                        f"{type(self).__name__}: a real spectrum always corresponds to a self-adjoint operator, but "
                        "is_self_adjoint is False.",
                        "leave is_self_adjoint out.",
                    )
                )
            is_self_adjoint = True
        super().__init__(input_output_dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._matrix_ranks = {"spectrum": cls._depth}

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor by name; the name is that of the class by default."""
        given = super().parameters
        return given if given["name"] is not None else {**given, "name": type(self).__name__}

    spectrum = property(lambda self: self._spectrum, doc="The Fourier transform of the kernel: the eigenvalues.")
    block_depth = property(lambda self: self._depth, doc="How many dimensions there are.")

    @property
    def block_shape(self) -> Any:
        """The sizes of the dimensions."""
        return self._spectrum.shape[-self._depth :]

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """InvalidArgumentError if an eigenvalue is zero."""
        self._assert_eigenvalues(self._spectrum, "spectrum", positive=False)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """InvalidArgumentError if the real part of an eigenvalue is not positive."""
        self._assert_eigenvalues(self._spectrum, "spectrum", positive=True)

    def _dims(self) -> tuple[Any, ...]:
        shape = sizes_of(self._spectrum)
        size = math.prod(shape[-self._depth :])
        return (*shape[: -self._depth], size, size)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """The first column of the matrix, in the shape of the blocks."""
        return cast(type(self)._backward(self._complex_spectrum()), self._dtype)

    def _complex_spectrum(self) -> Any:
        wide = self._dtype in (dtypes.float64, dtypes.complex128)
        return cast(tensor_of(self._spectrum), dtypes.complex128 if wide else dtypes.complex64)

    def _filtered(self, x: Tensor, spectrum: Tensor) -> Any:
        """The product with the matrix of a spectrum."""
        batch, columns = dims(x)[:-2], dims(x)[-1]
        rows = reshape(matrix_transpose(x), (*batch, columns, *self.block_shape))
        factors = expand_dims(spectrum, -self._depth - 1)
        found = type(self)._backward(type(self)._forward(cast(rows, spectrum.dtype)) * factors)
        outer = dims(found)[: -self._depth]
        return cast(matrix_transpose(reshape(found, (*outer, -1))), self._dtype)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        spectrum = self._complex_spectrum()
        return self._filtered(x, conj(spectrum) if adjoint else spectrum)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        spectrum = self._complex_spectrum()
        return self._filtered(rhs, 1.0 / (conj(spectrum) if adjoint else spectrum))

    def _flat(self) -> Any:
        spectrum = tensor_of(self._spectrum)
        return reshape(spectrum, self._dims()[:-1])

    def _diag_part(self) -> Any:
        mean = reduce_mean(self._flat(), -1, keepdims=True)
        return cast(broadcast_to(mean, self._dims()[:-1]), self._dtype)

    def _determinant(self) -> Any:
        return cast(reduce_prod(self._flat(), -1), self._dtype)

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(absolute(self._flat())), -1), self._dtype)

    def _eigvals(self) -> Any:
        flat = self._flat()
        return real(flat) if flat.dtype.is_complex else flat

    def _adjoint(self) -> LinearOperator:
        return type(self)(conj(self._complex_spectrum()), self._dtype, self.is_non_singular)

    def _inverse(self) -> LinearOperator:
        return type(self)(1.0 / tensor_of(self._spectrum), self._dtype, True, self.is_self_adjoint)


class LinearOperatorCirculant(Circulant):
    """A circulant matrix: each column is the one before it, moved down by one.

    Args:
      spectrum: the Fourier transform of the first column, of shape `[..., n]`.
      input_output_dtype: the dtype of what it is multiplied by, and of products.

    >>> operator = tf.linalg.LinearOperatorCirculant(tf.signal.fft([1.0 + 0j, 2.0, 0.0]), tf.complex128)
    >>> tf.math.real(operator.to_dense()).numpy().round(6)
    array([[1., 0., 2.],
           [2., 1., 0.],
           [0., 2., 1.]])
    """

    _forward, _backward = fft.fft, fft.ifft


class LinearOperatorCirculant2D(Circulant):
    """A block circulant matrix with circulant blocks: a convolution of images with periodic boundaries.

    Args:
      spectrum: of shape `[..., n, m]`.
      input_output_dtype: the dtype of what it is multiplied by, and of products.

    >>> tf.linalg.LinearOperatorCirculant2D(tf.ones([2, 3])).shape
    TensorShape([6, 6])
    """

    _depth = 2
    _forward, _backward = fft.fft2d, fft.ifft2d


class LinearOperatorCirculant3D(Circulant):
    """As LinearOperatorCirculant2D, in three dimensions.

    Args:
      spectrum: of shape `[..., n, m, k]`.
      input_output_dtype: the dtype of what it is multiplied by, and of products.

    >>> tf.linalg.LinearOperatorCirculant3D(tf.ones([2, 3, 2])).shape
    TensorShape([12, 12])
    """

    _depth = 3
    _forward, _backward = fft.fft3d, fft.ifft3d
