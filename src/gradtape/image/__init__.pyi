# Written by tools/stubs.py.
# ruff: noqa
from gradtape.core.annotations import TensorLike
from gradtape.core.tensor import Tensor
from gradtape.image._adjust import adjust_brightness
from gradtape.image._adjust import adjust_contrast
from gradtape.image._adjust import adjust_gamma
from gradtape.image._adjust import adjust_hue
from gradtape.image._adjust import adjust_saturation
from gradtape.image._adjust import convert_image_dtype
from gradtape.image._adjust import per_image_standardization
from gradtape.image._bounding_boxes import draw_bounding_boxes
from gradtape.image._bounding_boxes import generate_bounding_box_proposals
from gradtape.image._bounding_boxes import sample_distorted_bounding_box
from gradtape.image._bounding_boxes import stateless_sample_distorted_bounding_box
from gradtape.image._color_spaces import grayscale_to_rgb
from gradtape.image._color_spaces import rgb_to_grayscale
from gradtape.image._crop_and_pad import central_crop
from gradtape.image._crop_and_pad import crop_and_resize
from gradtape.image._crop_and_pad import crop_to_bounding_box
from gradtape.image._crop_and_pad import pad_to_bounding_box
from gradtape.image._crop_and_pad import resize_with_crop_or_pad
from gradtape.image._decode import decode_bmp
from gradtape.image._decode import decode_gif
from gradtape.image._decode import decode_image
from gradtape.image._decode import decode_png
from gradtape.image._decode import decode_webp
from gradtape.image._decode_jpeg import decode_and_crop_jpeg
from gradtape.image._decode_jpeg import decode_jpeg
from gradtape.image._decode_jpeg import extract_jpeg_shape
from gradtape.image._decode_jpeg import is_jpeg
from gradtape.image._encode import adjust_jpeg_quality
from gradtape.image._encode import encode_jpeg
from gradtape.image._encode import encode_png
from gradtape.image._encode import random_jpeg_quality
from gradtape.image._encode import stateless_random_jpeg_quality
from gradtape.image._flip import rot90
from gradtape.image._flip import transpose
from gradtape.image._gradients import image_gradients
from gradtape.image._gradients import sobel_edges
from gradtape.image._gradients import total_variation
from gradtape.image._non_max_suppression import combined_non_max_suppression
from gradtape.image._non_max_suppression import non_max_suppression
from gradtape.image._non_max_suppression import non_max_suppression_overlaps
from gradtape.image._non_max_suppression import non_max_suppression_padded
from gradtape.image._non_max_suppression import non_max_suppression_with_scores
from gradtape.image._patches import extract_glimpse
from gradtape.image._patches import extract_patches
from gradtape.image._psnr_ssim import psnr
from gradtape.image._psnr_ssim import ssim
from gradtape.image._psnr_ssim import ssim_multiscale
from gradtape.image._random import random_crop
from gradtape.image._random import stateless_random_contrast
from gradtape.image._random import stateless_random_crop
from gradtape.image._random import stateless_random_saturation
from gradtape.image._resize import ResizeMethod
from gradtape.image._resize import resize
from gradtape.image._resize import resize_with_pad
from typing import Any

__all__ = [
    "ResizeMethod",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_jpeg_quality",
    "adjust_saturation",
    "central_crop",
    "combined_non_max_suppression",
    "convert_image_dtype",
    "crop_and_resize",
    "crop_to_bounding_box",
    "decode_and_crop_jpeg",
    "decode_bmp",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "decode_webp",
    "draw_bounding_boxes",
    "encode_jpeg",
    "encode_png",
    "extract_glimpse",
    "extract_jpeg_shape",
    "extract_patches",
    "flip_left_right",
    "flip_up_down",
    "generate_bounding_box_proposals",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "image_gradients",
    "is_jpeg",
    "non_max_suppression",
    "non_max_suppression_overlaps",
    "non_max_suppression_padded",
    "non_max_suppression_with_scores",
    "pad_to_bounding_box",
    "per_image_standardization",
    "psnr",
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_jpeg_quality",
    "random_saturation",
    "resize",
    "resize_with_crop_or_pad",
    "resize_with_pad",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "rot90",
    "sample_distorted_bounding_box",
    "sobel_edges",
    "ssim",
    "ssim_multiscale",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "stateless_random_hue",
    "stateless_random_jpeg_quality",
    "stateless_random_saturation",
    "stateless_sample_distorted_bounding_box",
    "total_variation",
    "transpose",
    "yiq_to_rgb",
    "yuv_to_rgb",
]

def flip_left_right(image: Any) -> Tensor:
    """The image mirrored along its width.

    Args:
      image: `[height, width, channels]`, or a batch of such.

    Returns:
      A tensor of the same shape.

    >>> tf.image.flip_left_right([[[1], [2]]]).numpy().ravel()
    array([2, 1], dtype=int32)
    """

def flip_up_down(image: Any) -> Tensor:
    """The image mirrored along its height.

    Args:
      image: `[height, width, channels]`, or a batch of such.

    Returns:
      A tensor of the same shape.

    >>> tf.image.flip_up_down([[[1]], [[2]]]).numpy().ravel()
    array([2, 1], dtype=int32)
    """

def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value as red, green and blue.

    Args:
      images: `[..., 3]` of floats from 0 to 1.
      name: ignored.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.hsv_to_rgb([[[0.5, 1.0, 0.25]]]).numpy().ravel()
    array([0.  , 0.25, 0.25], dtype=float32)
    """

def random_brightness(image: TensorLike, max_delta: float, seed: Any = None) -> Tensor:
    """The image with a random number from `[-max_delta, max_delta)` added to it; see `adjust_brightness`.

    Args:
      image: a tensor of floats or integers.
      max_delta: a number that is not negative.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.random_brightness(tf.zeros([2, 2, 3]), 0.2).shape
    TensorShape([2, 2, 3])
    """

def random_contrast(image: TensorLike, lower: float, upper: float, seed: Any = None) -> Tensor:
    """The image with its contrast scaled by a random number from `[lower, upper)`; see `adjust_contrast`.

    Args:
      image: `[..., height, width, channels]` of floats or integers.
      lower: the lower limit, which is not negative.
      upper: the upper limit.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.random_contrast(tf.zeros([2, 2, 3]), 0.2, 0.5).shape
    TensorShape([2, 2, 3])
    """

def random_flip_left_right(image: TensorLike, seed: Any = None) -> Tensor:
    """The image, mirrored along its width with probability 1/2; each image of a batch for itself.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> sorted(tf.image.random_flip_left_right([[[1], [2]]]).numpy().ravel().tolist())
    [1, 2]
    """

def random_flip_up_down(image: TensorLike, seed: Any = None) -> Tensor:
    """The image, mirrored along its height with probability 1/2; each image of a batch for itself.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> sorted(tf.image.random_flip_up_down([[[1]], [[2]]]).numpy().ravel().tolist())
    [1, 2]
    """

def random_hue(image: TensorLike, max_delta: float, seed: Any = None) -> Tensor:
    """The image with its hue moved by a random number from `[-max_delta, max_delta)`; see `adjust_hue`.

    Args:
      image: `[..., 3]`, red, green and blue, of floats or integers.
      max_delta: a number from 0 to 0.5.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.random_hue(tf.zeros([2, 2, 3]), 0.2).shape
    TensorShape([2, 2, 3])
    """

def random_saturation(image: TensorLike, lower: float, upper: float, seed: Any = None) -> Tensor:
    """The image with its saturation scaled by a random number from `[lower, upper)`; see `adjust_saturation`.

    Args:
      image: `[..., 3]`, red, green and blue, of floats or integers.
      lower: the lower limit, which is not negative.
      upper: the upper limit.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.random_saturation(tf.zeros([2, 2, 3]), 0.2, 0.5).shape
    TensorShape([2, 2, 3])
    """

def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Red, green and blue as hue, saturation and value, all from 0 to 1.

    Args:
      images: `[..., 3]` of floats from 0 to 1.
      name: ignored.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.rgb_to_hsv([[[0.25, 0.5, 0.5]]]).numpy().ravel()
    array([0.5, 0.5, 0.5], dtype=float32)
    """

def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Red, green and blue as luma and two chrominances, in the way of NTSC.

    Args:
      images: `[..., 3]` of floats.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.rgb_to_yiq([[[1.0, 0.0, 0.0]]]).numpy().ravel().round(4)
    array([0.299 , 0.5959, 0.2115], dtype=float32)
    """

def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Red, green and blue as luma and two chrominances, in the way of PAL.

    Args:
      images: `[..., 3]` of floats.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.rgb_to_yuv([[[1.0, 0.0, 0.0]]]).numpy().ravel().round(4)
    array([ 0.299 , -0.1471,  0.615 ], dtype=float32)
    """

def stateless_random_brightness(image: TensorLike, max_delta: float, seed: Any) -> Tensor:
    """As `random_brightness`, by the seed alone.

    Args:
      image: a tensor of floats or integers.
      max_delta: a number that is not negative.
      seed: two integers.

    Returns:
      A tensor of the same shape and dtype.

    >>> x = tf.zeros([1, 1, 1])
    >>> a, b = [tf.image.stateless_random_brightness(x, 0.2, seed=(1, 2)) for _ in range(2)]
    >>> bool(a == b)
    True
    """

def stateless_random_flip_left_right(image: TensorLike, seed: Any) -> Tensor:
    """As `random_flip_left_right`, by the seed alone.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      seed: two integers.

    Returns:
      A tensor of the same shape and dtype.

    >>> sorted(tf.image.stateless_random_flip_left_right([[[1], [2]]], seed=(1, 2)).numpy().ravel().tolist())
    [1, 2]
    """

def stateless_random_flip_up_down(image: TensorLike, seed: Any) -> Tensor:
    """As `random_flip_up_down`, by the seed alone.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      seed: two integers.

    Returns:
      A tensor of the same shape and dtype.

    >>> sorted(tf.image.stateless_random_flip_up_down([[[1]], [[2]]], seed=(1, 2)).numpy().ravel().tolist())
    [1, 2]
    """

def stateless_random_hue(image: TensorLike, max_delta: float, seed: Any) -> Tensor:
    """As `random_hue`, by the seed alone.

    Args:
      image: `[..., 3]`, red, green and blue, of floats or integers.
      max_delta: a number from 0 to 0.5.
      seed: two integers.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.stateless_random_hue(tf.zeros([2, 2, 3]), 0.2, seed=(1, 2)).shape
    TensorShape([2, 2, 3])
    """

def yiq_to_rgb(images: TensorLike) -> Tensor:
    """The inverse of `rgb_to_yiq`.

    Args:
      images: `[..., 3]` of floats.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.yiq_to_rgb([[[0.5, 0.0, 0.0]]]).numpy().ravel()
    array([0.5, 0.5, 0.5], dtype=float32)
    """

def yuv_to_rgb(images: TensorLike) -> Tensor:
    """The inverse of `rgb_to_yuv`.

    Args:
      images: `[..., 3]` of floats.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.yuv_to_rgb([[[0.5, 0.0, 0.0]]]).numpy().ravel()
    array([0.5, 0.5, 0.5], dtype=float32)
    """
