# Written by tools/stubs.py.
# ruff: noqa
from gradtape.core.annotations import TensorLike
from gradtape.core.tensor import Tensor
from gradtape.signal._dct import dct
from gradtape.signal._dct import idct
from gradtape.signal._dct import inverse_mdct
from gradtape.signal._dct import mdct
from gradtape.signal._frames import frame
from gradtape.signal._frames import overlap_and_add
from gradtape.signal._mel import linear_to_mel_weight_matrix
from gradtape.signal._mel import mfccs_from_log_mel_spectrograms
from gradtape.signal._stft import inverse_stft
from gradtape.signal._stft import inverse_stft_window_fn
from gradtape.signal._stft import stft
from gradtape.signal._windows import kaiser_bessel_derived_window
from gradtape.signal._windows import kaiser_window
from gradtape.signal._windows import vorbis_window
from typing import Any

__all__ = [
    "dct",
    "fft",
    "fft2d",
    "fft3d",
    "fftnd",
    "fftshift",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftnd",
    "ifftshift",
    "inverse_mdct",
    "inverse_stft",
    "inverse_stft_window_fn",
    "irfft",
    "irfft2d",
    "irfft3d",
    "irfftnd",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "rfft",
    "rfft2d",
    "rfft3d",
    "rfftnd",
    "stft",
    "vorbis_window",
]

def fft(input: TensorLike, name: str | None = None) -> Tensor:
    """The Fourier transform over the last axis.

    Args:
      input: a complex tensor of rank 1 or more.
      name: ignored.

    Returns:
      A tensor of the same shape.

    >>> tf.signal.fft(tf.ones([2], tf.complex64))[0].numpy()
    np.complex64(2+0j)
    """

def fft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The Fourier transform over the last two axes.

    Args:
      input: a complex tensor of rank 2 or more.
      name: ignored.

    Returns:
      A tensor of the same shape.

    >>> tf.signal.fft2d(tf.ones([2, 2], tf.complex64))[0, 0].numpy()
    np.complex64(4+0j)
    """

def fft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The Fourier transform over the last three axes.

    Args:
      input: a complex tensor of rank 3 or more.
      name: ignored.

    Returns:
      A tensor of the same shape.

    >>> tf.signal.fft3d(tf.ones([2, 2, 2], tf.complex64))[0, 0, 0].numpy()
    np.complex64(8+0j)
    """

def fftnd(
    input_tensor: TensorLike, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The Fourier transform over some axes.

    Args:
      input_tensor: a complex tensor.
      fft_length: the numbers of points to cut the axes to, or to fill them up to with zeros; one per axis.
      axes: the axes; all by default.
      norm: where to divide by the number of points: "backward" (the default, in the inverse transforms), "forward" (in
        the others) or "ortho" (by the square root, in both).
      name: ignored.

    Returns:
      A complex tensor.

    >>> tf.signal.fftnd(tf.ones([2, 3], tf.complex64), axes=[0]).numpy()[:, 0]
    array([2.+0.j, 0.+0.j], dtype=complex64)
    """

def fftshift(x: TensorLike, axes: Any = None, name: str | None = None) -> Tensor:
    """The frequencies of a transform with frequency 0 in the middle of each axis.

    Args:
      x: a tensor.
      axes: an axis, or several; all by default.
      name: ignored.

    Returns:
      A tensor of the same shape.

    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy()
    array([-2, -1,  0,  1,  2], dtype=int32)
    """

def hamming_window(window_length: Any, periodic: Any = True, dtype: Any = ..., name: str | None = None) -> Tensor:
    """Hamming's window, a raised cosine that is 0.08 at its ends.

    Args:
      window_length: the number of samples.
      periodic: for even lengths, one period of the cosine without the last sample, as spectra want it; otherwise a
        symmetric window. Odd lengths are always symmetric, as in TensorFlow.
      dtype: the floating dtype of the result.
      name: ignored.

    Returns:
      A vector.

    >>> tf.signal.hamming_window(4).numpy()
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)
    """

def hann_window(window_length: Any, periodic: Any = True, dtype: Any = ..., name: str | None = None) -> Tensor:
    """Hann's window, a raised cosine that is zero at its ends.

    Args:
      window_length: the number of samples.
      periodic: for even lengths, one period of the cosine without the last sample, as spectra want it; otherwise a
        symmetric window. Odd lengths are always symmetric, as in TensorFlow.
      dtype: the floating dtype of the result.
      name: ignored.

    Returns:
      A vector.

    >>> tf.signal.hann_window(4).numpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)
    """

def ifft(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse Fourier transform over the last axis.

    Args:
      input: a complex tensor of rank 1 or more.
      name: ignored.

    Returns:
      A tensor of the same shape, divided by the number of points.

    >>> tf.signal.ifft(tf.ones([2], tf.complex64))[0].numpy()
    np.complex64(1+0j)
    """

def ifft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse Fourier transform over the last two axes.

    Args:
      input: a complex tensor of rank 2 or more.
      name: ignored.

    Returns:
      A tensor of the same shape, divided by the number of points.

    >>> tf.signal.ifft2d(tf.ones([2, 2], tf.complex64))[0, 0].numpy()
    np.complex64(1+0j)
    """

def ifft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse Fourier transform over the last three axes.

    Args:
      input: a complex tensor of rank 3 or more.
      name: ignored.

    Returns:
      A tensor of the same shape, divided by the number of points.

    >>> tf.signal.ifft3d(tf.ones([2, 2, 2], tf.complex64))[0, 0, 0].numpy()
    np.complex64(1+0j)
    """

def ifftnd(
    input_tensor: TensorLike, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse Fourier transform over some axes.

    Args:
      input_tensor: a complex tensor.
      fft_length: the numbers of points to cut the axes to, or to fill them up to with zeros; one per axis.
      axes: the axes; all by default.
      norm: where to divide by the number of points: "backward" (the default, in the inverse transforms), "forward" (in
        the others) or "ortho" (by the square root, in both).
      name: ignored.

    Returns:
      A complex tensor.

    >>> tf.signal.ifftnd(tf.ones([2, 3], tf.complex64), axes=[0]).numpy()[:, 0]
    array([1.+0.j, 0.+0.j], dtype=complex64)
    """

def ifftshift(x: TensorLike, axes: Any = None, name: str | None = None) -> Tensor:
    """What `fftshift` has moved, moved back.

    Args:
      x: a tensor.
      axes: an axis, or several; all by default.
      name: ignored.

    Returns:
      A tensor of the same shape.

    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy()
    array([ 0,  1,  2, -2, -1], dtype=int32)
    """

def irfft(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft` over the last axis: real numbers from frequencies.

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

def irfft2d(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft2d` over the last two axes: real numbers from frequencies.

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

def irfft3d(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft3d` over the last three axes: real numbers from frequencies.

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

def irfftnd(
    input_tensor: TensorLike, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `rfftnd` over some axes: real numbers from frequencies.

    Args:
      input_tensor: a complex tensor.
      fft_length: the numbers of points to cut the axes to, or to fill them up to with zeros; one per axis.
      axes: the axes; all by default.
      norm: where to divide by the number of points: "backward" (the default, in the inverse transforms), "forward" (in
        the others) or "ortho" (by the square root, in both).
      name: ignored.

    Returns:
      A real tensor.

    >>> tf.signal.irfftnd(tf.ones([3, 3], tf.complex64), axes=[0]).shape
    TensorShape([4, 3])
    """

def rfft(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
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

def rfft2d(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
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

def rfft3d(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
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

def rfftnd(
    input_tensor: TensorLike, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The Fourier transform of real numbers over some axes: the frequencies that determine the others.

    Args:
      input_tensor: a float32 or float64 tensor.
      fft_length: the numbers of points to cut the axes to, or to fill them up to with zeros; one per axis.
      axes: the axes; all by default.
      norm: where to divide by the number of points: "backward" (the default, in the inverse transforms), "forward" (in
        the others) or "ortho" (by the square root, in both).
      name: ignored.

    Returns:
      A complex tensor, with n // 2 + 1 frequencies along the last of the axes for n points.

    >>> tf.signal.rfftnd(tf.ones([4, 3]), axes=[0]).shape
    TensorShape([3, 3])
    """
