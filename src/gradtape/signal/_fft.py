"""Fourier transforms over the last axes: `tf.signal.fft`, `rfft` and their inverses, in one, two or three dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import shape
from gradtape.api.families import family
from gradtape.core import convert, dtypes, errors
from gradtape.core.annotations import TensorLike
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.family import dims
from gradtape.ops.fft import Fft, Irfft, Rfft
from gradtape.ops.slicing import StridedSlice, StridedSliceGrad, whole


@family("A tensor of the same shape.")
def _complex(who: str, rank: int, inverse: bool) -> Callable[..., Tensor]:
    def function(input: TensorLike, name: str | None = None) -> Tensor:
        x = tensor_of(input, dtypes.complex64)
        return Fft(x, axes=last_axes(x, rank, who), inverse=inverse, norm="backward")

    return function


@family("A complex tensor, with n // 2 + 1 frequencies along the last axis for n points.")
def _real(who: str, rank: int) -> Callable[..., Tensor]:
    def function(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
        x = reals(input_tensor, who)
        axes = last_axes(x, rank, who)
        if fft_length is not None:
            x = fitted(x, axes, lengths_of(fft_length, axes, who))
        return Rfft(x, axes=axes, norm="backward", doubled=False)

    return function


@family("A real tensor, divided by the number of points.")
def _real_inverse(who: str, rank: int) -> Callable[..., Tensor]:
    def function(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
        x = halves(input_tensor, who)
        return back(x, fft_length, last_axes(x, rank, who), who, "backward")

    return function


def _over(rank: int) -> str:
    return ("the last axis", "the last two axes", "the last three axes")[rank - 1]


def _forward_row(name: str, rank: int) -> Callable[..., Tensor]:
    ones, at = f"tf.ones({[2] * rank}, tf.complex64)", ", ".join(["0"] * rank)
    example = f"tf.signal.{name}({ones})[{at}].numpy() -> np.complex64({2**rank}+0j)"
    doc = f"The Fourier transform over {_over(rank)}."
    return _complex(name, doc, example, rank, False, input=f"a complex tensor of rank {rank} or more.")


def _inverse_row(name: str, rank: int) -> Callable[..., Tensor]:
    ones, at = f"tf.ones({[2] * rank}, tf.complex64)", ", ".join(["0"] * rank)
    return _complex(
        name,
        f"The inverse Fourier transform over {_over(rank)}.",
        f"tf.signal.{name}({ones})[{at}].numpy() -> np.complex64(1+0j)",
        rank,
        True,
        returns="A tensor of the same shape, divided by the number of points.",
        input=f"a complex tensor of rank {rank} or more.",
    )


def _real_row(name: str, rank: int) -> Callable[..., Tensor]:
    axis, is_cut, them = ("axis", "number", "it") if rank == 1 else ("axes", "numbers", "them")
    given = "an int, or a list of one" if rank == 1 else f"a list of {rank} ints"
    return _real(
        name,
        f"The Fourier transform of real numbers over {_over(rank)}: the frequencies that determine the others.",
        f"tf.signal.{name}(tf.ones({[4] * rank})).shape -> TensorShape({[4] * (rank - 1) + [3]})",
        rank,
        input_tensor=f"a float32 or float64 tensor of rank {rank} or more.",
        fft_length=f"the {is_cut} of points to cut the {axis} to, or to fill {them} up to with zeros: {given}.",
    )


def _real_inverse_row(name: str, rank: int) -> Callable[..., Tensor]:
    points = "the number of points n" if rank == 1 else "the numbers of points, n along the last axis"
    return _real_inverse(
        name,
        f"The inverse of `{name[1:]}` over {_over(rank)}: real numbers from frequencies.",
        f"tf.signal.{name}(tf.ones({[4] * (rank - 1) + [3]}, tf.complex64)).shape -> TensorShape({[4] * rank})",
        rank,
        input_tensor=f"a complex tensor of rank {rank} or more.",
        fft_length=f"{points}; by default 2 (m - 1) for m frequencies along the last axis. Frequencies\n"
        "    are cut, or filled up with zeros, to n // 2 + 1.",
    )


fft, ifft = _forward_row("fft", 1), _inverse_row("ifft", 1)
fft2d, ifft2d = _forward_row("fft2d", 2), _inverse_row("ifft2d", 2)
fft3d, ifft3d = _forward_row("fft3d", 3), _inverse_row("ifft3d", 3)
rfft, irfft = _real_row("rfft", 1), _real_inverse_row("irfft", 1)
rfft2d, irfft2d = _real_row("rfft2d", 2), _real_inverse_row("irfft2d", 2)
rfft3d, irfft3d = _real_row("rfft3d", 3), _real_inverse_row("irfft3d", 3)


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
            errors.ConversionError,
            f"{what}: input_tensor is {spec_of(x)}, and must be complex.",
            "tf.cast(x, tf.complex64).",
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
            f"{what}: fft_length must have {len(axes)} entries, got {list(found)}.",
            "give one length per axis of the transform.",
        )
    return found
