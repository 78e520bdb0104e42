"""Fourier transforms over chosen axes, `tf.signal.fftnd` and its like, and shifts of their frequencies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import integers, tensor
from gradtape.api.families import family
from gradtape.core import dtypes
from gradtape.core.annotations import TensorLike
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor
from gradtape.ops.family import dims
from gradtape.ops.fft import Fft, Rfft
from gradtape.ops.movement import Roll
from gradtape.signal._fft import back, fitted, halves, last_axes, lengths_of, reals, tensor_of

_Transform = Callable[[TensorLike, Any, Any, str, str], Tensor]


@family(
    "A complex tensor.",
    input_tensor="a complex tensor.",
    fft_length="the numbers of points to cut the axes to, or to fill them up to with zeros; one per axis.",
    axes="the axes; all by default.",
    norm='where to divide by the number of points: "backward" (the default, in the inverse transforms), "forward" (in\n'
    '    the others) or "ortho" (by the square root, in both).',
)
def _over_axes(who: str, transform: _Transform) -> Callable[..., Tensor]:
    def function(
        input_tensor: TensorLike,
        fft_length: Any = None,
        axes: Any = None,
        norm: str | None = None,
        name: str | None = None,
    ) -> Tensor:
        return transform(input_tensor, fft_length, axes, norm or "backward", who)

    return function


def _complex(value: TensorLike, fft_length: Any, axes: Any, norm: str, who: str) -> Tensor:
    x = tensor_of(value, dtypes.complex64)
    found = _some_axes(x, axes, who)
    if fft_length is not None:
        x = fitted(x, found, lengths_of(fft_length, found, who))
    return Fft(x, axes=found, inverse=who == "ifftnd", norm=norm)


def _real(value: TensorLike, fft_length: Any, axes: Any, norm: str, who: str) -> Tensor:
    x = reals(value, who)
    found = _some_axes(x, axes, who)
    if fft_length is not None:
        x = fitted(x, found, lengths_of(fft_length, found, who))
    return Rfft(x, axes=found, norm=norm, doubled=False)


def _real_inverse(value: TensorLike, fft_length: Any, axes: Any, norm: str, who: str) -> Tensor:
    x = halves(value, who)
    return back(x, fft_length, _some_axes(x, axes, who), who, norm)


fftnd = _over_axes(
    "fftnd",
    "The Fourier transform over some axes.",
    "tf.signal.fftnd(tf.ones([2, 3], tf.complex64), axes=[0]).numpy()[:, 0] -> "
    "array([2.+0.j, 0.+0.j], dtype=complex64)",
    _complex,
)
ifftnd = _over_axes(
    "ifftnd",
    "The inverse Fourier transform over some axes.",
    "tf.signal.ifftnd(tf.ones([2, 3], tf.complex64), axes=[0]).numpy()[:, 0] -> "
    "array([1.+0.j, 0.+0.j], dtype=complex64)",
    _complex,
)
rfftnd = _over_axes(
    "rfftnd",
    "The Fourier transform of real numbers over some axes: the frequencies that determine the others.",
    "tf.signal.rfftnd(tf.ones([4, 3]), axes=[0]).shape -> TensorShape([3, 3])",
    _real,
    returns="A complex tensor, with n // 2 + 1 frequencies along the last of the axes for n points.",
    input_tensor="a float32 or float64 tensor.",
)
irfftnd = _over_axes(
    "irfftnd",
    "The inverse of `rfftnd` over some axes: real numbers from frequencies.",
    "tf.signal.irfftnd(tf.ones([3, 3], tf.complex64), axes=[0]).shape -> TensorShape([4, 3])",
    _real_inverse,
    returns="A real tensor.",
)


@family("A tensor of the same shape.", x="a tensor.", axes="an axis, or several; all by default.")
def _shift(who: str, sign: int) -> Callable[..., Tensor]:
    def function(x: TensorLike, axes: Any = None, name: str | None = None) -> Tensor:
        return _shifted(x, axes, who, sign)

    return function


fftshift = _shift(
    "fftshift",
    "The frequencies of a transform with frequency 0 in the middle of each axis.",
    "tf.signal.fftshift([0, 1, 2, -2, -1]).numpy() -> array([-2, -1,  0,  1,  2], dtype=int32)",
    1,
)
ifftshift = _shift(
    "ifftshift",
    "What `fftshift` has moved, moved back.",
    "tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy() -> array([ 0,  1,  2, -2, -1], dtype=int32)",
    -1,
)


def _some_axes(x: Any, axes: Any, what: str) -> tuple[int, ...]:
    """The axes that the user asks for, in that order; all by default."""
    if axes is None:
        return last_axes(x, max(x.ndim, 1), what)
    return tuple([normalize_axis(a, x.ndim, what) for a in integers(axes, what, "axes")])


def _shifted(x: Any, axes: Any, what: str, sign: int) -> Tensor:
    x = tensor(x)
    found = _some_axes(x, [axes] if isinstance(axes, int) else axes, what)
    shift = tuple([sign * (dims(x)[a] // 2) for a in found])
    return Roll(x, shift=shift, axis=found)
