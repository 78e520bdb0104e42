"""Fourier transforms over chosen axes, `tf.signal.fftnd` and its like, and shifts of their frequencies."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import integers, tensor
from gradtape.core import dtypes
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor
from gradtape.ops.family import dims
from gradtape.ops.fft import Fft, Rfft
from gradtape.ops.movement import Roll
from gradtape.signal._fft import back, fitted, halves, last_axes, lengths_of, reals, tensor_of

__all__ = ["fftnd", "fftshift", "ifftnd", "ifftshift", "irfftnd", "rfftnd"]


def fftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
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
    return _complex_nd(input_tensor, fft_length, axes, norm, "fftnd", False)


def ifftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
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
    return _complex_nd(input_tensor, fft_length, axes, norm, "ifftnd", True)


def rfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
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
    x = reals(input_tensor, "rfftnd")
    found = _some_axes(x, axes, "rfftnd")
    if fft_length is not None:
        x = fitted(x, found, lengths_of(fft_length, found, "rfftnd"))
    return Rfft(x, axes=found, norm=norm or "backward", doubled=False)


def irfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """Real numbers from the frequencies that `rfftnd` gives over some axes.

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
    x = halves(input_tensor, "irfftnd")
    return back(x, fft_length, _some_axes(x, axes, "irfftnd"), "irfftnd", norm or "backward")


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
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
    return _shifted(x, axes, "fftshift", 1)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
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
    return _shifted(x, axes, "ifftshift", -1)


def _complex_nd(value: Any, fft_length: Any, axes: Any, norm: str | None, what: str, inverse: bool) -> Tensor:
    x = tensor_of(value, dtypes.complex64)
    found = _some_axes(x, axes, what)
    if fft_length is not None:
        x = fitted(x, found, lengths_of(fft_length, found, what))
    return Fft(x, axes=found, inverse=inverse, norm=norm or "backward")


def _shifted(x: Any, axes: Any, what: str, sign: int) -> Tensor:
    x = tensor(x)
    found = _some_axes(x, [axes] if isinstance(axes, int) else axes, what)
    shift = tuple([sign * (dims(x)[a] // 2) for a in found])
    return Roll(x, shift=shift, axis=found)


def _some_axes(x: Any, axes: Any, what: str) -> tuple[int, ...]:
    """The axes that the user asks for, in that order; all by default."""
    if axes is None:
        return last_axes(x, max(x.ndim, 1), what)
    return tuple([normalize_axis(a, x.ndim, what) for a in integers(axes, what, "axes")])
