"""Samples of Fourier transforms."""

import numpy as np

from gradtape.core.errors import DTypeError, InvalidArgumentError, ShapeError
from gradtape.ops.fft import Fft, Irfft, Rfft
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(26)
COMPLEX = "complex64 complex128"


def normal(*shape):
    return random.normal(size=shape) + 1j * random.normal(size=shape)


def factor(n, norm, inverse):
    return {"backward": n if inverse else 1, "forward": 1 if inverse else n, "ortho": np.sqrt(n)}[norm]


def by_matrices(x, axes, inverse=False, norm="backward"):
    """A product with the matrix of the transform, axis by axis."""
    for a in axes:
        n = x.shape[a]
        matrix = np.exp((2j if inverse else -2j) * np.pi * np.outer(np.arange(n), np.arange(n)) / n)
        x = np.moveaxis(np.tensordot(matrix / factor(n, norm, inverse), x, (1, a)), 0, a)
    return x


def real_by_matrices(x, axes, norm="backward", doubled=False):
    y = by_matrices(x.astype(complex), axes, False, norm)
    n = x.shape[axes[-1]]
    weights = [1.0 if not doubled or k in (0, n / 2) else 2.0 for k in range(n // 2 + 1)]
    return np.moveaxis(np.moveaxis(y, axes[-1], -1)[..., : n // 2 + 1] * weights, -1, axes[-1])


def back_by_matrices(x, axes, length, norm="backward", halved=False):
    x = by_matrices(x, axes[:-1], True, norm)
    x = np.moveaxis(x, axes[-1], -1)
    if halved:
        x = x * [1.0 if k in (0, length / 2) else 0.5 for k in range(x.shape[-1])]
    whole = np.zeros((*x.shape[:-1], length), complex)
    whole[..., : x.shape[-1]] = x
    for k in range(x.shape[-1], length):
        whole[..., k] = np.conj(x[..., length - k])
    return np.moveaxis(by_matrices(whole, (x.ndim - 1,), True, norm), -1, axes[-1]).real


sample(Fft, normal(5), reference=by_matrices, dtypes=COMPLEX, axes=(0,))
sample(Fft, normal(2, 4), reference=by_matrices, dtypes=COMPLEX, axes=(1,), inverse=True)
sample(Fft, normal(2, 3, 4), reference=by_matrices, dtypes=COMPLEX, axes=(2, 0), norm="forward")
sample(Fft, normal(3, 2), reference=by_matrices, dtypes=COMPLEX, axes=(0,), inverse=True, norm="ortho")
sample(Fft, normal(2, 0), reference=lambda x, axes: x, dtypes=COMPLEX, axes=(1,))
bad(Fft, np.ones(3), error=DTypeError, match="x is f64[3]", axes=(0,))
bad(Fft, normal(3), error=ShapeError, match="axes is [1]", axes=(1,))
bad(Fft, normal(3), error=InvalidArgumentError, match="got 'half'", axes=(0,), norm="half")

sample(Rfft, random.normal(size=6), reference=real_by_matrices, axes=(0,))
sample(Rfft, random.normal(size=(2, 5)), reference=real_by_matrices, axes=(1,), norm="ortho")
sample(Rfft, random.normal(size=(3, 4, 2)), reference=real_by_matrices, axes=(0, 1), doubled=True)
sample(Rfft, random.normal(size=(4, 3)), reference=real_by_matrices, axes=(1, 0), norm="forward")
sample(Rfft, np.array([2.0]), reference=real_by_matrices, axes=(0,), doubled=True)
sample(Rfft, np.zeros((0, 4)), reference=lambda x, axes: np.zeros((0, 3), complex), axes=(1,))
bad(Rfft, normal(3), error=DTypeError, match="x is c128[3]", axes=(0,))
bad(Rfft, np.ones(3, np.float16), error=DTypeError, match="x must be float32 or float64, got f16[3]", axes=(0,))
bad(Rfft, np.ones(3), error=ShapeError, match="axes is [0, 0]", axes=(0, 0))

sample(Irfft, normal(4), reference=back_by_matrices, dtypes=COMPLEX, axes=(0,), length=6)
sample(Irfft, normal(2, 3), reference=back_by_matrices, dtypes=COMPLEX, axes=(1,), length=5, halved=True)
sample(Irfft, normal(3, 3, 2), reference=back_by_matrices, dtypes=COMPLEX, axes=(0, 1), length=4, norm="ortho")
sample(Irfft, normal(1), reference=back_by_matrices, dtypes=COMPLEX, axes=(0,), length=1, norm="forward")
sample(
    Irfft,
    np.zeros((2, 0), complex),
    reference=lambda x, axes, length: np.zeros((2, 0)),
    dtypes=COMPLEX,
    axes=(1,),
    length=0,
)
bad(Irfft, normal(4), error=ShapeError, match="but 9 numbers have 5", axes=(0,), length=9)
bad(Irfft, np.ones(3), error=DTypeError, match="x is f64[3]", axes=(0,), length=4)
