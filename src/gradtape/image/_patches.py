"""Patches and glimpses of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integers, tensor
from gradtape.arrays.creation import zeros
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.image._arguments import image_tensor, require
from gradtape.math._conversion import cast
from gradtape.ops.arithmetic import Square
from gradtape.ops.exponential import Sqrt
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather
from gradtape.ops.movement import Reshape
from gradtape.ops.patches import ExtractPatches, Windows
from gradtape.ops.reduction import ReduceMax, ReduceMean, ReduceMin
from gradtape.ops.selection import ClipByValue, Where, number
from gradtape.ops.stop_gradient import StopGradient
from gradtape.random import _functions as functions


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None) -> Tensor:
    """Patches of images, each as one row of numbers.

    Args:
      images: a batch `[batch, height, width, channels]`.
      sizes: `[1, rows, columns, 1]`, how many pixels a patch has.
      strides: `[1, rows, columns, 1]`, how far neighbouring patches are apart.
      rates: `[1, rows, columns, 1]`, how far neighbouring pixels of a patch are apart.
      padding: "VALID" for patches that lie in the image, "SAME" to fill up with zeros around it.

    Returns:
      A tensor `[batch, patch rows, patch columns, pixels * channels]` of the same dtype.

    >>> x = tf.reshape(tf.range(9), [1, 3, 3, 1])
    >>> tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID").numpy()[0, 0, 0]
    array([0, 1, 3, 4], dtype=int32)
    """
    what = "extract_patches"
    x = image_tensor(images, what, "images", ranks=(4,))
    size, stride, rate = _pair(sizes, what, "sizes"), _pair(strides, what, "strides"), _pair(rates, what, "rates")
    require(padding in ("SAME", "VALID"), what, f"padding is {padding!r}.", 'use "SAME" or "VALID".')
    return ExtractPatches(x, windows=Windows(size, stride, rate, padding))


def _pair(value: Any, what: str, name: str) -> tuple[int, int]:
    entries = integers(value, what, name)
    require(
        len(entries) == 4 and entries[0] == entries[3] == 1 and min(entries) > 0,
        what,
        f"{name} is {list(entries)}, and must be [1, rows, columns, 1].",
        "patches do not reach over examples or channels.",
    )
    return entries[1], entries[2]


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """A window of each image, at an individual position. Gradients flow to the images.

    Args:
      input: a batch `[batch, height, width, channels]` of floats.
      size: height and width of the windows.
      offsets: `[batch, 2]`, a pair (y, x) for each image.
      centered: whether offsets count from the middle of the image; else from its first pixel.
      normalized: whether an offset of 1 is the height or width (the half of it if centered); else one pixel.
      noise: what stands where a window reaches beyond its image: "uniform" (random numbers in the range of the image),
        "gaussian" (of its mean and deviation) or "zero".

    Returns:
      A tensor `[batch, *size, channels]`. The middle of the window is at the offset if both `centered` and `normalized`
      are set; else its first pixel.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.extract_glimpse(x, [2, 2], [[1.0, 1.0]], centered=False, normalized=False).numpy()[0, ..., 0]
    array([[4., 5.],
           [7., 8.]], dtype=float32)
    """
    what = "extract_glimpse"
    x = tensor(input)
    sides = integers(size, what, "size")
    if x.ndim == 4 and 0 in (dims(x)[0], dims(x)[3]):
        return zeros((dims(x)[0], *sides, dims(x)[3]), x.dtype)
    x = image_tensor(x, what, "input", ranks=(4,))
    batch, height, width, _ = dims(x)
    places = tensor(offsets) if hasattr(offsets, "dtype") else convert.convert_to_tensor(offsets, dtypes.float32)
    require(len(sides) == 2 and min(sides) > 0, what, f"size is {list(sides)}.", "give two positive ints.")
    require(noise in _NOISES, what, f"noise is {noise!r}.", 'use "uniform", "gaussian" or "zero".')
    if dims(places) != (batch, 2) or not places.dtype.is_floating or not x.dtype.is_floating:
        raise errors.build(
            errors.ShapeError,
            f"{what}: input is {spec_of(x)}, offsets is {spec_of(places)}: these do not match.",
            "give floats, and offsets [batch, 2].",
        )
    extent, window = (convert.convert_to_tensor(v, places.dtype) for v in ((height, width), sides))
    start = places * extent if normalized else places
    if centered:
        start = (start + extent - window) * 0.5 if normalized else start + extent * 0.5
    # Toward zero, as the conversion does.
    first = cast(start, dtypes.int64)
    rows, columns = (first[:, k : k + 1] + convert.convert_to_tensor(np.arange(n)) for k, n in enumerate(sides))
    seen, inside = _seen(x, rows, columns)
    return Where(inside, seen, _NOISES[noise](x, (batch, *sides)))


def _seen(x: Any, rows: Any, columns: Any) -> tuple[Any, Any]:
    """The pixels of images `[batch, ...]` at rows and columns `[batch, n]`, and whether they exist."""
    _, height, width, _ = dims(x)
    y_inside, x_inside = (rows >= 0) & (rows < height), (columns >= 0) & (columns < width)
    x = Gather(x, _within(rows, height), axis=1, batch_dims=1)
    x = Gather(x, _within(columns, width), axis=2, batch_dims=1)
    batch, high, wide, _ = dims(x)
    return x, Reshape(y_inside, shape=(batch, high, 1, 1)) & Reshape(x_inside, shape=(batch, 1, wide, 1))


def _within(places: Any, length: int) -> Any:
    return ClipByValue(places, number(0, places), number(length - 1, places))


def _uniform(x: Any, shape: tuple[int, ...]) -> Any:
    x = StopGradient(x)
    low, high = ReduceMin(x, axis=(1, 2), keepdims=True), ReduceMax(x, axis=(1, 2), keepdims=True)
    return low + (high - low) * functions.uniform((*shape, dims(x)[3]), dtype=x.dtype)


def _gaussian(x: Any, shape: tuple[int, ...]) -> Any:
    x = StopGradient(x)
    mean = ReduceMean(x, axis=(1, 2), keepdims=True)
    deviation = Sqrt(ReduceMean(Square(x - mean), axis=(1, 2), keepdims=True))
    return mean + deviation * functions.normal((*shape, dims(x)[3]), dtype=x.dtype)


_NOISES: Any = {"uniform": _uniform, "gaussian": _gaussian, "zero": lambda x, shape: number(0, x)}
