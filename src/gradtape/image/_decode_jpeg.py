"""JPEG files as tensors: `tf.io.decode_jpeg` and its relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.host_op import check_strings, hosted, known, scalar_text
from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor
from gradtape.image import _codecs as codecs
from gradtape.image import _formats as formats

_METHODS = ("", "INTEGER_FAST", "INTEGER_ACCURATE")


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The image in a JPEG file, as uint8 `[height, width, channels]`. Also accepts PNG, and GIF with one image.

    Args:
      contents: the bytes of the file, a scalar string.
      channels: 1 for grey, 3 for colours, 0 for what the file has.
      ratio: 1, 2, 4 or 8: the image is made smaller by so much while it is decoded.
      try_recover_truncated: whether an incomplete file gives what there is of it.
      fancy_upscaling, acceptable_fraction: ignored.
      dct_method: "", "INTEGER_FAST" or "INTEGER_ACCURATE"; always the accurate one.

    >>> data = tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8))
    >>> tf.io.decode_jpeg(data).shape
    TensorShape([4, 6, 3])
    """
    _check_jpeg("decode_jpeg", channels, ratio, dct_method)
    x = check_strings("decode_jpeg", "contents", contents)
    return _decode_jpeg(x, channels=channels, ratio=ratio, recover=try_recover_truncated)[0]


def _check_jpeg(who: str, channels: int, ratio: int, method: str) -> None:
    if channels not in (0, 1, 3, 4):
        raise codecs.invalid(who, f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    if ratio not in (1, 2, 4, 8):
        raise codecs.invalid(who, f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if method not in _METHODS:
        raise codecs.invalid(who, f"dct_method must be one of {_METHODS}, got {method!r}")


@hosted(formats.one_image)
def _decode_jpeg(contents: Any, *, channels: int, ratio: int, recover: bool) -> tuple[Any, ...]:
    data = scalar_text("decode_jpeg", "contents", contents)
    return (formats.single(data, "decode_jpeg", channels, False, ratio, recover),)


def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A part of the image in a JPEG file, as uint8 `[height, width, channels]`; see `decode_jpeg`.

    Args:
      contents: the bytes of the file, a scalar string.
      crop_window: four int32: the row and column of the upper left corner, the height and the width.
      channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method: as in `decode_jpeg`.

    >>> data = tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8))
    >>> tf.io.decode_and_crop_jpeg(data, [1, 2, 3, 4]).shape
    TensorShape([3, 4, 3])
    """
    _check_jpeg("decode_and_crop_jpeg", channels, ratio, dct_method)
    x = check_strings("decode_and_crop_jpeg", "contents", contents)
    found = _decode_and_crop_jpeg(x, crop_window, channels=channels, ratio=ratio, recover=try_recover_truncated)
    return found[0]


def _cropped_specs(x: Spec, window: Spec, *, channels: int, **params: Any) -> tuple[Spec, ...]:
    return formats.one_image(x, channels=channels)


@hosted(_cropped_specs)
def _decode_and_crop_jpeg(contents: Any, window: Any, *, channels: int, ratio: int, recover: bool) -> tuple[Any, ...]:
    who = "decode_and_crop_jpeg"
    data = scalar_text(who, "contents", contents)
    if codecs.format_of(data) != "JPEG":
        raise formats.wrong(who, data, codecs.format_of(data))
    if window.shape != (4,):
        raise errors.build(
            errors.ShapeError, f"{who}: crop_window must have four elements, it has shape {list(window.shape)}.", ""
        )
    image = codecs.jpeg(who, data, channels, ratio, recover)
    top, left, height, width = [int(n) for n in window]
    fits = top >= 0 and left >= 0 and height > 0 and width > 0
    if not fits or top + height > image.shape[0] or left + width > image.shape[1]:
        raise codecs.invalid(
            who,
            f"jpeg::Uncompress failed. Invalid JPEG data or crop window: {[top, left, height, width]} in an image of "
            f"{image.shape[0]} by {image.shape[1]}.",
            "crop_window is [row, column, height, width].",
        )
    return (np.ascontiguousarray(image[top : top + height, left : left + width]),)


def extract_jpeg_shape(contents: Any, output_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """Height, width and number of channels of the image in a JPEG file, without decoding it.

    Args:
      contents: the bytes of the file, a scalar string.
      output_type: int32 or int64.

    >>> tf.io.extract_jpeg_shape(tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8))).numpy()
    array([4, 6, 3], dtype=int32)
    """
    dtype = dtypes.as_dtype(output_type)
    if dtype not in (dtypes.int32, dtypes.int64):
        raise errors.build(
            errors.DTypeError,
            f"extract_jpeg_shape: output_type must be int32 or int64, got {dtype.name}.",
            "use tf.int32 or tf.int64.",
        )
    x = check_strings("extract_jpeg_shape", "contents", contents)
    return _extract_jpeg_shape(x, dtype=dtype)[0]


def _shape_specs(x: Spec, *, dtype: dtypes.DType) -> tuple[Spec, ...]:
    return (Spec((3,), dtype),)


@hosted(_shape_specs)
def _extract_jpeg_shape(contents: Any, *, dtype: dtypes.DType) -> tuple[Any, ...]:
    data = scalar_text("extract_jpeg_shape", "contents", contents)
    image = codecs.opened("extract_jpeg_shape", data, "JPEG")
    return (np.array([image.height, image.width, len(image.getbands())], dtype.numpy),)


def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """A bool tensor: whether bytes begin like a JPEG file.

    Args:
      contents: a scalar string.

    >>> bool(tf.io.is_jpeg("not an image"))
    False
    """
    return _is_jpeg(check_strings("is_jpeg", "contents", contents))[0]


@hosted(known(((), dtypes.bool_)))
def _is_jpeg(contents: Any) -> tuple[Any, ...]:
    return (np.bool_(codecs.format_of(scalar_text("is_jpeg", "contents", contents)) == "JPEG"),)
