"""Colours of images in other coordinates: grey, HSV, YIQ and YUV. The last axis holds the channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import tensor
from gradtape.api.families import family
from gradtape.core import convert, errors
from gradtape.core.annotations import TensorLike
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.image._adjust import convert_image_dtype
from gradtape.image._arguments import wide_float
from gradtape.ops.family import dims
from gradtape.ops.hsv import HsvToRgb, RgbToHsv
from gradtape.ops.matmul import MatMul
from gradtape.ops.movement import Reshape, Tile

# Rows are the channels that go in. The numbers are those of the NTSC and PAL standards, as TensorFlow writes them.
_GREY = ((0.2989,), (0.587,), (0.114,))
_YIQ = ((0.299, 0.59590059, 0.2115), (0.587, -0.27455667, -0.52273617), (0.114, -0.32134392, 0.31119955))
_FROM_YIQ = ((1.0, 1.0, 1.0), (0.95598634, -0.27201283, -1.10674021), (0.6208248, -0.64720424, 1.70423049))
_YUV = ((0.299, -0.14714119, 0.61497538), (0.587, -0.28886916, -0.51496512), (0.114, 0.43601035, -0.10001026))
_FROM_YUV = ((1.0, 1.0, 1.0), (0.0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0.0))


def _mixed(x: Any, weights: tuple[tuple[float, ...], ...], what: str) -> Tensor:
    """The channels of floating images times a matrix."""
    if dims(x)[-1:] != (3,) or not x.dtype.is_floating:
        raise errors.build(
            errors.ShapeError if x.dtype.is_floating else errors.DTypeError,
            f"{what}: images is {spec_of(x)}, and must be floats whose last dimension is 3.",
            "put the channels last; convert integers with tf.image.convert_image_dtype(images, tf.float32).",
        )
    y = MatMul(x if x.ndim > 1 else Reshape(x, shape=(1, 3)), convert.convert_to_tensor(weights, x.dtype))
    return y if x.ndim > 1 else Reshape(y, shape=dims(y)[1:])


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """Images with one channel, the luma of red, green and blue.

    Args:
      images: `[..., 3]` of floats or integers.

    Returns:
      A tensor `[..., 1]` of the same dtype.

    >>> tf.image.rgb_to_grayscale([[[1.0, 1.0, 0.0]]]).numpy().ravel()
    array([0.8859], dtype=float32)
    """
    x = tensor(images)
    grey = _mixed(convert_image_dtype(x, wide_float(x.dtype)), _GREY, "rgb_to_grayscale")
    return convert_image_dtype(grey, x.dtype)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Images with three equal channels.

    Args:
      images: `[..., 1]`.

    Returns:
      A tensor `[..., 3]` of the same dtype.

    >>> tf.image.grayscale_to_rgb([[[7]]]).numpy().ravel()
    array([7, 7, 7], dtype=int32)
    """
    x = tensor(images)
    if x.ndim < 2 or dims(x)[-1] != 1:
        raise errors.build(
            errors.ShapeError,
            f"grayscale_to_rgb: images is {spec_of(x)}. "
            + (
                "Last dimension of a grayscale image should be size 1."
                if x.ndim >= 2
                else "A grayscale image must be at least two-dimensional."
            ),
            "add the axis of channels: images[..., tf.newaxis].",
        )
    return Tile(x, multiples=(*[1] * (x.ndim - 1), 3))


@family("A tensor of the same shape and dtype.", images="`[..., 3]` of floats from 0 to 1.")
def _by_op(who: str, op: Any) -> Callable[..., Tensor]:
    def function(images: TensorLike, name: str | None = None) -> Tensor:
        result: Tensor = op(tensor(images))
        return result

    return function


@family("A tensor of the same shape and dtype.", images="`[..., 3]` of floats.")
def _by_matrix(who: str, weights: tuple[tuple[float, ...], ...]) -> Callable[..., Tensor]:
    def function(images: TensorLike) -> Tensor:
        return _mixed(tensor(images), weights, who)

    return function


rgb_to_hsv = _by_op(
    "rgb_to_hsv",
    "Red, green and blue as hue, saturation and value, all from 0 to 1.",
    "tf.image.rgb_to_hsv([[[0.25, 0.5, 0.5]]]).numpy().ravel() -> array([0.5, 0.5, 0.5], dtype=float32)",
    RgbToHsv,
)
hsv_to_rgb = _by_op(
    "hsv_to_rgb",
    "Hue, saturation and value as red, green and blue.",
    "tf.image.hsv_to_rgb([[[0.5, 1.0, 0.25]]]).numpy().ravel() -> array([0.  , 0.25, 0.25], dtype=float32)",
    HsvToRgb,
)
rgb_to_yiq = _by_matrix(
    "rgb_to_yiq",
    "Red, green and blue as luma and two chrominances, in the way of NTSC.",
    "tf.image.rgb_to_yiq([[[1.0, 0.0, 0.0]]]).numpy().ravel().round(4) -> "
    "array([0.299 , 0.5959, 0.2115], dtype=float32)",
    _YIQ,
)
yiq_to_rgb = _by_matrix(
    "yiq_to_rgb",
    "The inverse of `rgb_to_yiq`.",
    "tf.image.yiq_to_rgb([[[0.5, 0.0, 0.0]]]).numpy().ravel() -> array([0.5, 0.5, 0.5], dtype=float32)",
    _FROM_YIQ,
)
rgb_to_yuv = _by_matrix(
    "rgb_to_yuv",
    "Red, green and blue as luma and two chrominances, in the way of PAL.",
    "tf.image.rgb_to_yuv([[[1.0, 0.0, 0.0]]]).numpy().ravel().round(4) -> "
    "array([ 0.299 , -0.1471,  0.615 ], dtype=float32)",
    _YUV,
)
yuv_to_rgb = _by_matrix(
    "yuv_to_rgb",
    "The inverse of `rgb_to_yuv`.",
    "tf.image.yuv_to_rgb([[[0.5, 0.0, 0.0]]]).numpy().ravel() -> array([0.5, 0.5, 0.5], dtype=float32)",
    _FROM_YUV,
)
