"""Fourier transforms over the last axes: `tf.signal.fft`, `rfft` and their inverses, in one, two or three dimensions."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import shape
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.family import dims
from gradtape.ops.fft import Fft, Irfft, Rfft
from gradtape.ops.slicing import StridedSlice, StridedSliceGrad, whole

__all__ = [
    "fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d", "irfft", "irfft2d", "irfft3d", "rfft", "rfft2d", "rfft3d",
]  # fmt: skip


def fft(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform over the last axis.

    Args:
      input: a complex tensor of rank 1 or more.
      name: ignored.

    Returns:
      A tensor of the same shape.

    >>> tf.signal.fft(tf.constant([1, 1, 1, 1], tf.complex64)).numpy()
    array([4.+0.j, 0.+0.j, 0.+0.j, 0.+0.j], dtype=complex64)
    """
    return _complex(input, 1, "fft")


def ifft(input: Any, name: str | None = None) -> Tensor:
    """The inverse Fourier transform over the last axis.

    Args:
      input: a complex tensor of rank 1 or more.
      name: ignored.

    Returns:
      A tensor of the same shape, divided by the number of points.

    >>> tf.signal.ifft(tf.constant([1, 1, 1, 1], tf.complex64)).numpy()
    array([1.+0.j, 0.+0.j, 0.+0.j, 0.+0.j], dtype=complex64)
    """
    return _complex(input, 1, "ifft", inverse=True)


def fft2d(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform over the last two axes.

    Args:
      input: a complex tensor of rank 2 or more.
      name: ignored.

    Returns:
      A tensor of the same shape.

    >>> tf.signal.fft2d(tf.ones([2, 2], tf.complex64))[0, 0].numpy()
    np.complex64(4+0j)
    """
    return _complex(input, 2, "fft2d")


def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """The inverse Fourier transform over the last two axes.

    Args:
      input: a complex tensor of rank 2 or more.
      name: ignored.

    Returns:
      A tensor of the same shape, divided by the number of points.

    >>> tf.signal.ifft2d(tf.ones([2, 2], tf.complex64))[0, 0].numpy()
    np.complex64(1+0j)
    """
    return _complex(input, 2, "ifft2d", inverse=True)


def fft3d(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform over the last three axes.

    Args:
      input: a complex tensor of rank 3 or more.
      name: ignored.

    Returns:
      A tensor of the same shape.

    >>> tf.signal.fft3d(tf.ones([2, 2, 2], tf.complex64))[0, 0, 0].numpy()
    np.complex64(8+0j)
    """
    return _complex(input, 3, "fft3d")


def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """The inverse Fourier transform over the last three axes.

    Args:
      input: a complex tensor of rank 3 or more.
      name: ignored.

    Returns:
      A tensor of the same shape, divided by the number of points.

    >>> tf.signal.ifft3d(tf.ones([2, 2, 2], tf.complex64))[0, 0, 0].numpy()
    np.complex64(1+0j)
    """
    return _complex(input, 3, "ifft3d", inverse=True)


def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers over the last axis: the frequencies that determine the others.

    Args:
      input_tensor: a float32 or float64 tensor of rank 1 or more.
      fft_length: the number of points to cut the axis to, or to fill it up to with zeros: an int, or a list of one.
      name: ignored.

    Returns:
      A complex tensor, with n // 2 + 1 frequencies along the last axis for n points.

    >>> tf.signal.rfft(tf.ones([4])).shape
    TensorShape([3])
    """
    return _real(input_tensor, fft_length, 1, "rfft")


def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Real numbers from the frequencies that `rfft` gives over the last axis.

    Args:
      input_tensor: a complex tensor of rank 1 or more.
      fft_length: the number of points n; by default 2 (m - 1) for m frequencies along the last axis. Frequencies
        are cut, or filled up with zeros, to n // 2 + 1.
      name: ignored.

    Returns:
      A real tensor, divided by the number of points.

    >>> tf.signal.irfft(tf.ones([3], tf.complex64)).shape
    TensorShape([4])
    """
    return _real_inverse(input_tensor, fft_length, 1, "irfft")


def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers over the last two axes: the frequencies that determine the others.

    Args:
      input_tensor: a float32 or float64 tensor of rank 2 or more.
      fft_length: the numbers of points to cut the axes to, or to fill them up to with zeros: a list of 2 ints.
      name: ignored.

    Returns:
      A complex tensor, with n // 2 + 1 frequencies along the last axis for n points.

    >>> tf.signal.rfft2d(tf.ones([4, 4])).shape
    TensorShape([4, 3])
    """
    return _real(input_tensor, fft_length, 2, "rfft2d")


def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Real numbers from the frequencies that `rfft2d` gives over the last two axes.

    Args:
      input_tensor: a complex tensor of rank 2 or more.
      fft_length: the numbers of points, n along the last axis; by default 2 (m - 1) for m frequencies along the last axis. Frequencies
        are cut, or filled up with zeros, to n // 2 + 1.
      name: ignored.

    Returns:
      A real tensor, divided by the number of points.

    >>> tf.signal.irfft2d(tf.ones([4, 3], tf.complex64)).shape
    TensorShape([4, 4])
    """
    return _real_inverse(input_tensor, fft_length, 2, "irfft2d")


def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers over the last three axes: the frequencies that determine the others.

    Args:
      input_tensor: a float32 or float64 tensor of rank 3 or more.
      fft_length: the numbers of points to cut the axes to, or to fill them up to with zeros: a list of 3 ints.
      name: ignored.

    Returns:
      A complex tensor, with n // 2 + 1 frequencies along the last axis for n points.

    >>> tf.signal.rfft3d(tf.ones([4, 4, 4])).shape
    TensorShape([4, 4, 3])
    """
    return _real(input_tensor, fft_length, 3, "rfft3d")


def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Real numbers from the frequencies that `rfft3d` gives over the last three axes.

    Args:
      input_tensor: a complex tensor of rank 3 or more.
      fft_length: the numbers of points, n along the last axis; by default 2 (m - 1) for m frequencies along the last axis. Frequencies
        are cut, or filled up with zeros, to n // 2 + 1.
      name: ignored.

    Returns:
      A real tensor, divided by the number of points.

    >>> tf.signal.irfft3d(tf.ones([4, 4, 3], tf.complex64)).shape
    TensorShape([4, 4, 4])
    """
    return _real_inverse(input_tensor, fft_length, 3, "irfft3d")


def _complex(input: Any, rank: int, what: str, inverse: bool = False) -> Tensor:
    x = tensor_of(input, dtypes.complex64)
    return Fft(x, axes=last_axes(x, rank, what), inverse=inverse, norm="backward")


def _real(value: Any, fft_length: Any, rank: int, what: str) -> Tensor:
    x = reals(value, what)
    axes = last_axes(x, rank, what)
    if fft_length is not None:
        x = fitted(x, axes, lengths_of(fft_length, axes, what))
    return Rfft(x, axes=axes, norm="backward", doubled=False)


def _real_inverse(value: Any, fft_length: Any, rank: int, what: str) -> Tensor:
    x = halves(value, what)
    return back(x, fft_length, last_axes(x, rank, what), what, "backward")


def back(x: Any, fft_length: Any, axes: tuple[int, ...], what: str, norm: str) -> Tensor:
    """Real numbers from half of the frequencies of their transform."""
    if fft_length is None:
        own = [dims(x)[a] for a in axes]
        lengths = (*own[:-1], max(0, 2 * (own[-1] - 1)))
    else:
        lengths = lengths_of(fft_length, axes, what)
    *others, last = lengths
    x = fitted(x, axes, (*others, last // 2 + 1 if last else 0))
    return Irfft(x, axes=axes, length=last, norm=norm, halved=False)


def tensor_of(value: Any, dtype: dtypes.DType) -> Any:
    """A tensor of a value; numbers of Python take a dtype that the transform has."""
    return convert.convert_to_tensor(value, dtype_hint=None if hasattr(value, "dtype") else dtype)


def reals(value: Any, what: str) -> Any:
    """A tensor of what a real transform takes; ConversionError for others."""
    x = tensor_of(value, dtypes.float32)
    if x.dtype not in (dtypes.float32, dtypes.float64):
        raise errors.build(
            errors.ConversionError,
            f"{what}: input_tensor is {spec_of(x)}, and must be float32 or float64.",
            "use tf.cast, or tf.signal.fft for complex numbers.",
        )
    return x


def halves(value: Any, what: str) -> Any:
    """A tensor of what an inverse real transform takes: half of the frequencies. ConversionError for others."""
    x = tensor_of(value, dtypes.complex64)
    if not x.dtype.is_complex:
        raise errors.build(
            errors.ConversionError, f"{what}: input_tensor is {spec_of(x)}, and must be complex.", "use tf.cast."
        )
    return x


def last_axes(x: Any, rank: int, what: str) -> tuple[int, ...]:
    """The axes of a transform over the last ones; ShapeError if there are not so many."""
    if x.ndim < rank:
        raise errors.build(
            errors.ShapeError,
            f"{what}: the input is {spec_of(x)}, and needs rank {rank} or more.",
            "the transform runs over the last axes.",
        )
    return tuple(range(x.ndim - rank, x.ndim))


def fitted(x: Any, axes: tuple[int, ...], lengths: tuple[int, ...]) -> Any:
    """The tensor cut, or filled up with zeros, to given lengths along axes."""
    own = dims(x)
    wanted = list(own)
    for a, n in zip(axes, lengths, strict=True):
        wanted[a] = n
    kept = tuple([min(m, n) for m, n in zip(own, wanted, strict=True)])
    if kept != own:
        x = StridedSlice(x, index=whole(kept))
    return x if kept == tuple(wanted) else StridedSliceGrad(x, shape=tuple(wanted), index=whole(kept))


def lengths_of(fft_length: Any, axes: tuple[int, ...], what: str) -> tuple[int, ...]:
    """The numbers of points that the user asks for."""
    found = shape(fft_length, what, "fft_length")
    if len(found) != len(axes):
        raise errors.build(
            errors.ShapeError,
            f"{what}: fft_length is {list(found)}, for {len(axes)} axes.",
            "give one length per axis of the transform.",
        )
    return found
