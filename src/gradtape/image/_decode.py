"""Image files as tensors: `tf.io.decode_png`, `decode_image` and the others. Pillow reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.host_op import check_strings, hosted, known, scalar_text
from gradtape.core import dtypes, errors
from gradtape.core.shape import ANY, Spec
from gradtape.core.tensor import Tensor
from gradtape.image import _codecs as codecs
from gradtape.image import _formats as formats
from gradtape.image._adjust import convert_image_dtype


def decode_png(contents: Any, channels: int = 0, dtype: Any = dtypes.uint8, name: str | None = None) -> Tensor:
    """The image in a PNG file, as `[height, width, channels]`. Also accepts JPEG files, and GIF files with one image.

    Args:
      contents: the bytes of the file, a scalar string.
      channels: 1 for grey, 3 for colours, 4 for colours and alpha, 0 for what the file has.
      dtype: uint8 or uint16.

    >>> data = tf.io.encode_png(tf.constant([[[1], [2]]], tf.uint8))
    >>> tf.io.decode_png(data, channels=3).numpy().tolist()
    [[[1, 1, 1], [2, 2, 2]]]
    """
    kind = dtypes.as_dtype(dtype)
    if kind not in (dtypes.uint8, dtypes.uint16):
        raise errors.build(
            errors.DTypeError,
            f"decode_png: dtype is {kind.name}, which is not in the list of allowed values: uint8, uint16",
            "use tf.image.convert_image_dtype on the result, or tf.io.decode_image.",
        )
    if channels not in (0, 1, 3, 4):
        raise codecs.invalid("decode_png", f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    x = check_strings("decode_png", "contents", contents)
    return _decode_png(x, channels=channels, dtype=kind)[0]


@hosted(formats.one_image)
def _decode_png(contents: Any, *, channels: int, dtype: dtypes.DType) -> tuple[Any, ...]:
    data = scalar_text("decode_png", "contents", contents)
    return (formats.single(data, "decode_png", channels, dtype is dtypes.uint16),)


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """The image in a BMP file, as uint8 `[height, width, channels]`.

    Args:
      contents: the bytes of the file, a scalar string.
      channels: 3 or 4, 0 for what the file has.

    >>> tf.io.decode_bmp("")
    Traceback (most recent call last):
    gradtape.errors.InvalidArgumentError: decode_bmp: Input is empty. ...
    """
    x = check_strings("decode_bmp", "contents", contents)
    return _decode_bmp(x, channels=channels)[0]


@hosted(formats.one_image)
def _decode_bmp(contents: Any, *, channels: int) -> tuple[Any, ...]:
    data = scalar_text("decode_bmp", "contents", contents)
    kind = codecs.format_of(data)
    if kind != "BMP":
        raise formats.wrong("decode_bmp", data, kind)
    return (codecs.bmp("decode_bmp", data, channels),)


def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """The images in a GIF file, as uint8 `[frames, height, width, 3]`. Also accepts JPEG and PNG files.

    Args:
      contents: the bytes of the file, a scalar string.

    >>> data = tf.io.encode_png(tf.zeros([2, 3, 3], tf.uint8))
    >>> tf.io.decode_gif(data).shape
    TensorShape([1, 2, 3, 3])
    """
    return _decode_gif(check_strings("decode_gif", "contents", contents))[0]


@hosted(known(((None, None, None, 3), dtypes.uint8)))
def _decode_gif(contents: Any) -> tuple[Any, ...]:
    data = scalar_text("decode_gif", "contents", contents)
    if codecs.format_of(data) == "GIF":
        return (codecs.gif("decode_gif", data),)
    return (formats.single(data, "decode_gif", 3, False)[None],)


def decode_webp(contents: Any, channels: int = 0, dtype: Any = dtypes.uint8, name: str | None = None) -> Tensor:
    """The pictures in a WebP file, as uint8 `[frames, height, width, channels]`.

    Args:
      contents: the bytes of the file, a scalar string.
      channels: 3 or 4, 0 for what the file has.
      dtype: uint8.

    >>> tf.io.decode_webp("")
    Traceback (most recent call last):
    gradtape.errors.InvalidArgumentError: decode_webp: Input is empty. ...
    """
    if dtypes.as_dtype(dtype) is not dtypes.uint8:
        raise errors.build(
            errors.DTypeError,
            "decode_webp: WebP only supports uint8 for dtype",
            "leave dtype out, and convert the result: tf.image.convert_image_dtype(image, tf.float32).",
        )
    x = check_strings("decode_webp", "contents", contents)
    return _decode_webp(x, channels=channels)[0]


def _four(x: Spec, *, channels: int) -> tuple[Spec, ...]:
    unknown: Any = None
    return (Spec((unknown, unknown, unknown, channels or unknown), dtypes.uint8),)


@hosted(_four)
def _decode_webp(contents: Any, *, channels: int) -> tuple[Any, ...]:
    data = scalar_text("decode_webp", "contents", contents)
    kind = codecs.format_of(data)
    if kind != "WEBP":
        raise formats.wrong("decode_webp", data, kind)
    return (codecs.webp("decode_webp", data, channels),)


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The image in a JPEG, PNG, GIF, BMP or WebP file.

    Args:
      contents: the bytes of the file, a scalar string.
      channels: 1 for grey, 3 for colours, 4 for colours and alpha; 0 or None for what the file has. Not every format has all.
      dtype: of the result; values are scaled as by `tf.image.convert_image_dtype`.
      expand_animations: whether GIF and WebP files give all their pictures, `[frames, height, width, channels]`, even if
        there is one; otherwise they give the first.

    Returns:
      A tensor `[height, width, channels]`, or of all pictures. In a `tf.function` its rank is known only without
      `expand_animations`.

    >>> data = tf.io.encode_png(tf.constant([[[255]]], tf.uint8))
    >>> tf.io.decode_image(data, dtype=tf.float32).numpy()
    array([[[1.]]], dtype=float32)
    """
    kind, wanted = dtypes.as_dtype(dtype), channels or 0
    if wanted not in (0, 1, 3, 4):
        raise codecs.invalid("decode_image", f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    own = kind if kind in (dtypes.uint8, dtypes.uint16, dtypes.float32) else dtypes.uint16
    x = check_strings("decode_image", "contents", contents)
    (found,) = _decode_image(x, channels=wanted, dtype=own, expand=bool(expand_animations))
    return found if own is kind else convert_image_dtype(found, kind)


def _image_specs(x: Spec, *, channels: int, dtype: dtypes.DType, expand: bool) -> tuple[Spec, ...]:
    return (Spec(ANY, dtype),) if expand else formats.one_image(x, channels=channels, dtype=dtype)


@hosted(_image_specs)
def _decode_image(contents: Any, *, channels: int, dtype: dtypes.DType, expand: bool) -> tuple[Any, ...]:
    data = scalar_text("decode_image", "contents", contents)
    kind = codecs.format_of(data)
    found = _any_format(data, kind, channels, dtype is not dtypes.uint8)
    if not expand and found.ndim == 4:
        found = found[0]
    if dtype is dtypes.float32:
        return (found / np.float32(np.iinfo(found.dtype).max),)
    return (found.astype(np.uint16) << 8 if dtype is dtypes.uint16 and found.dtype == np.uint8 else found,)


def _any_format(data: bytes, kind: str, channels: int, wide: bool) -> Any:
    who = "decode_image"
    if kind == "JPEG":
        return codecs.jpeg(who, data, channels)
    if kind == "PNG":
        return codecs.png_image(who, data, channels, wide)
    if kind == "GIF":
        return codecs.gif(who, data, channels)
    if kind == "BMP":
        return codecs.bmp(who, data, channels)
    if kind == "WEBP":
        return codecs.webp(who, data, channels)
    raise formats.unknown(who, data, kind)
