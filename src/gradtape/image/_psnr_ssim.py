"""Similarity of images: peak signal-to-noise ratio and structural similarity.

Images are compared as float32; integers are scaled to the range from 0 to 1 first, and so is `max_val`.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from gradtape.api.arguments import integer
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import broadcast, spec_of
from gradtape.core.tensor import Tensor
from gradtape.image._adjust import convert_image_dtype
from gradtape.image._arguments import image_tensor, require
from gradtape.math._conversion import cast
from gradtape.ops.activation import Relu
from gradtape.ops.arithmetic import Square, SquaredDifference
from gradtape.ops.exponential import Log, Pow
from gradtape.ops.family import dims
from gradtape.ops.joining import Stack
from gradtape.ops.matmul import MatMul
from gradtape.ops.movement import Reshape, Transpose
from gradtape.ops.reduction import ReduceMean, ReduceProd
from gradtape.ops.slicing import Pad

_POWERS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of images in decibels; infinite for equal ones.

    Args:
      a: `[..., height, width, channels]`.
      b: of the same height, width and channels; other axes broadcast.
      max_val: the difference between the largest and the smallest value that pixels can have.

    Returns:
      A float32 tensor without the last three axes.

    >>> tf.image.psnr(tf.zeros([1, 2, 2, 1]), 0.1 * tf.ones([1, 2, 2, 1]), max_val=1.0).numpy()
    array([20.], dtype=float32)
    """
    a, b, peak = _prepared(a, b, max_val, "psnr", ("a", "b"))
    return decibels(a, b, peak)


def decibels(a: Any, b: Any, peak: Any) -> Tensor:
    """The peak signal-to-noise ratio of floating images, in their dtype."""
    rank = max(a.ndim, b.ndim)
    error = ReduceMean(SquaredDifference(a, b), axis=tuple(range(rank - 3, rank)))
    return (2.0 * Log(peak) - Log(error)) * (10.0 / math.log(10.0))


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of images (Wang et al., 2004): 1 for equal ones.

    Args:
      img1: `[..., height, width, channels]`, at least `filter_size` pixels high and wide.
      img2: of the same height, width and channels; other axes broadcast.
      max_val: the difference between the largest and the smallest value that pixels can have.
      filter_size: the side of the window over which statistics are taken.
      filter_sigma: the standard deviation of the bell that weighs the window.
      k1: keeps the luminance term finite.
      k2: keeps the contrast term finite.
      return_index_map: whether to give the similarity around each pixel, instead of its mean.

    Returns:
      A float32 tensor without the last three axes; as a map without the last one.

    >>> x = tf.reshape(tf.range(144.0), [12, 12, 1])
    >>> tf.image.ssim(x, x, max_val=143.0).numpy()
    np.float32(1.0)
    """
    a, b, peak = _prepared(img1, img2, max_val, "ssim", ("img1", "img2"))
    window = _window(a, filter_size, filter_sigma, k1, k2, "ssim")
    return similarity(a, b, peak, window, bool(return_index_map))


def similarity(a: Any, b: Any, peak: Any, window: Window, as_map: bool = False) -> Tensor:
    """The structural similarity of floating images, in their dtype."""
    luminance, contrast = _terms(a, b, peak, window)
    found = luminance * contrast
    rank = found.ndim
    return ReduceMean(found, axis=(rank - 1,) if as_map else (rank - 3, rank - 2, rank - 1))


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Any = _POWERS,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of images at several scales (Wang et al., 2003), each half as large as the one before.

    Args:
      img1: `[..., height, width, channels]`; the smallest scale must have at least `filter_size` pixels each way.
      img2: of the same height, width and channels; other axes broadcast.
      max_val: the difference between the largest and the smallest value that pixels can have.
      power_factors: the exponent of each scale, the finest first; their number is that of the scales.
      filter_size: the side of the window over which statistics are taken.
      filter_sigma: the standard deviation of the bell that weighs the window.
      k1: keeps the luminance term finite.
      k2: keeps the contrast term finite.

    Returns:
      A float32 tensor without the last three axes.

    >>> x = tf.reshape(tf.range(24.0 * 24.0), [24, 24, 1])
    >>> tf.image.ssim_multiscale(x, x, max_val=575.0, power_factors=(0.5, 0.5)).numpy()
    np.float32(1.0)
    """
    a, b, peak = _prepared(img1, img2, max_val, "ssim_multiscale", ("img1", "img2"))
    factors = convert.convert_to_tensor(power_factors, a.dtype)
    window = _window(a, filter_size, filter_sigma, k1, k2, "ssim_multiscale")
    return multiscale_similarity(a, b, peak, factors, window)


def multiscale_similarity(a: Any, b: Any, peak: Any, powers: Any, window: Window) -> Tensor:
    """The structural similarity of floating images at several scales, in their dtype."""
    scales = dims(powers)[0]
    factors = []
    for k in range(scales):
        if k:
            a, b = _halved(a), _halved(b)
        window.check(a, f"ssim_multiscale at scale {k}")
        luminance, contrast = _terms(a, b, peak, window)
        term = contrast if k < scales - 1 else luminance * contrast
        # Negative similarities have no powers.
        factors.append(Relu(ReduceMean(term, axis=(term.ndim - 3, term.ndim - 2))))
    stacked = Pow(Stack(*factors, axis=factors[0].ndim), powers)
    per_channel = ReduceProd(stacked, axis=(stacked.ndim - 1,))
    return ReduceMean(per_channel, axis=(per_channel.ndim - 1,))


class Window(NamedTuple):
    """The bell over which means and variances are taken, and the constants of the similarity."""

    size: int
    sigma: float
    k1: float = 0.01
    k2: float = 0.03

    def check(self, x: Any, what: str) -> None:
        """ShapeError unless the window fits in the image."""
        if min(dims(x)[-3:-1]) < self.size:
            raise errors.build(
                errors.ShapeError,
                f"{what}: the image must not be smaller than the filter, whose size is {self.size}, got {spec_of(x)}.",
                "use a smaller filter_size, fewer power_factors or a larger image.",
            )


def _window(a: Any, size: Any, sigma: Any, k1: Any, k2: Any, what: str) -> Window:
    window = Window(integer(size, what, "filter_size"), float(sigma), float(k1), float(k2))
    require(
        window.size > 0 and window.sigma > 0,
        what,
        f"filter_size and filter_sigma must be positive, got {window}.",
        "use the defaults, 11 and 1.5.",
    )
    window.check(a, what)
    return window


def _prepared(a: Any, b: Any, max_val: Any, what: str, names: tuple[str, str]) -> tuple[Any, Any, Any]:
    """Two images and the largest value as float32; ShapeError unless the images can be compared."""
    x, y = (image_tensor(v, what, n, ranks=()) for v, n in zip((a, b), names, strict=True))
    if dims(x)[-3:] != dims(y)[-3:] or broadcast(dims(x)[:-3], dims(y)[:-3]) is None:
        raise errors.build(
            errors.ShapeError,
            f"{what}: the images are not compatible: {names[0]} is {spec_of(x)}, {names[1]} is {spec_of(y)}.",
            "height, width and channels must be equal; the axes before them must broadcast.",
        )
    peak = convert_image_dtype(cast(max_val, x.dtype), dtypes.float32)
    return convert_image_dtype(x, dtypes.float32), convert_image_dtype(y, dtypes.float32), peak


def _terms(x: Any, y: Any, peak: Any, window: Window) -> tuple[Any, Any]:
    """The luminance term, and the product of the contrast and structure terms, around each pixel."""
    c1, c2 = Square(peak * window.k1), Square(peak * window.k2)
    mean_x, mean_y = _weighed(x, window), _weighed(y, window)
    product, squares = mean_x * mean_y * 2.0, Square(mean_x) + Square(mean_y)
    luminance = (product + c1) / (squares + c1)
    products = _weighed(x * y, window) * 2.0
    total = _weighed(Square(x) + Square(y), window)
    return luminance, (products - product + c2) / (total - squares + c2)


def _weighed(x: Any, window: Window) -> Any:
    """The mean over the window around each pixel, weighed by the bell; where the window fits."""
    *lead, height, width, depth = dims(x)
    count = math.prod(lead)
    dtype = dtypes.as_dtype(x.dtype)
    rows, columns = (convert.convert_to_tensor(_band(n, window.size, window.sigma), dtype) for n in (height, width))
    x = MatMul(rows, Reshape(x, shape=(count, height, width * depth)))
    # The width in front, so that the second product has long rows too.
    x = Reshape(x, shape=(count, dims(rows)[0], width, depth))
    x = Reshape(Transpose(x, perm=(0, 2, 1, 3)), shape=(count, width, dims(rows)[0] * depth))
    x = Reshape(MatMul(columns, x), shape=(count, dims(columns)[0], dims(rows)[0], depth))
    return Reshape(Transpose(x, perm=(0, 2, 1, 3)), shape=(*lead, dims(rows)[0], dims(columns)[0], depth))


@functools.lru_cache(maxsize=64)
def _band(n: int, size: int, sigma: float) -> Any:
    """The matrix that takes `n` pixels to the weighed means of `size` neighbours."""
    offsets = np.arange(size) - (size - 1) / 2
    bell = np.exp(-0.5 * np.square(offsets / sigma))
    band = np.zeros((n - size + 1, n))
    for k, weight in enumerate(bell / np.sum(bell)):
        band[np.arange(len(band)), np.arange(len(band)) + k] = weight
    return band


def _halved(x: Any) -> Any:
    """Images with each square of four pixels made one; an odd last row or column is repeated first."""
    *lead, height, width, depth = dims(x)
    odd = ((0, 0),) * len(lead) + ((0, height % 2), (0, width % 2), (0, 0))
    if height % 2 or width % 2:
        x = Pad(x, paddings=odd, mode="symmetric")
    x = Reshape(x, shape=(*lead, -(-height // 2), 2, -(-width // 2), 2, depth))
    return ReduceMean(x, axis=(len(lead) + 1, len(lead) + 3))
