"""Image files as arrays, through Pillow."""

from __future__ import annotations

import contextlib
import io
import struct
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.image import _png as png

_MAGIC = {"JPEG": b"\xff\xd8\xff", "PNG": png.SIGNATURE, "GIF": b"GIF8", "BMP": b"BM", "WEBP": b"RIFF"}
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def pillow(who: str) -> Any:
    """Pillow's module Image; an error that names the package to install if it is missing."""
    try:
        from PIL import Image
    except ImportError:
        raise errors.build(
            ImportError, f"{who} needs Pillow, which is not installed.", 'pip install "gradtape[images]"'
        ) from None
    return Image


def format_of(data: bytes) -> str:
    """The format of an image file by its first bytes, "" if it is unknown."""
    if data[:2] == b"\xff\x0a" or data[4:12] == b"JXL \r\n\x87\n":
        return "JPEG XL"
    for name, magic in _MAGIC.items():
        if data.startswith(magic) and (name != "WEBP" or data[8:12] == b"WEBP"):
            return name
    return ""


def invalid(who: str, what: str, fix: str = "") -> Exception:
    """An InvalidArgumentError of a function."""
    return errors.build(errors.InvalidArgumentError, f"{who}: {what}", fix)


def opened(who: str, data: bytes, kind: str) -> Any:
    """A file of a known format, its header read."""
    library = pillow(who)
    with _refusing(who, data, kind):
        return library.open(io.BytesIO(data), formats=[kind])


def loaded(who: str, image: Any, data: bytes, kind: str) -> Any:
    """The same with its pixels read."""
    with _refusing(who, data, kind):
        image.load()
    return image


@contextlib.contextmanager
def _refusing(who: str, data: bytes, kind: str) -> Iterator[None]:
    """A block in which Pillow reads: what it raises for damaged files depends on the format, and on where the damage is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large images; those that are too large are an error
            yield
    except Exception as problem:
        raise _damaged(who, kind, data, problem) from None


def _damaged(who: str, kind: str, data: bytes, problem: Exception) -> Exception:
    return invalid(who, f"Invalid {kind} data, size {len(data)}: {problem}", "the file is damaged or incomplete.")


def jpeg(who: str, data: bytes, channels: int, ratio: int = 1, recover: bool = False) -> Any:
    """The image in a JPEG file, perhaps made smaller by 2, 4 or 8: uint8 `[height, width, 1 or 3]`."""
    if channels not in (0, 1, 3):
        raise invalid(
            who, f"JPEG does not support {channels} channels", "use 0, 1 or 3, and add others with tf.concat."
        )
    # With its end put there, the decoder takes what is left of a truncated file for grey.
    image = opened(who, data + b"\xff\xd9" if recover else data, "JPEG")
    width, height = image.size
    mode = "L" if channels == 1 or (not channels and image.mode == "L") else "RGB"
    if ratio > 1:
        image.draft(None, (max(width // ratio, 1), max(height // ratio, 1)))
    if mode == "L" and image.mode == "RGB":
        image.draft("L", image.size)
    image = loaded(who, image, data, "JPEG")
    wanted = (-(-width // ratio), -(-height // ratio))
    if image.size != wanted:
        image = image.resize(wanted, pillow(who).Resampling.BOX)
    return pixels(image, mode)


def pixels(image: Any, mode: str) -> Any:
    """The pixels of an image in a mode of Pillow, with an axis for the channels."""
    array = np.array(image if image.mode == mode else image.convert(mode))
    return array[:, :, None] if array.ndim == 2 else array


def png_image(who: str, data: bytes, channels: int, wide: bool) -> Any:
    """The image in a PNG file: uint8, or uint16 if wide."""
    if channels not in (0, 1, 3, 4):
        raise invalid(who, f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    is_deep = png.bit_depth(data) == 16
    if is_deep:
        try:
            found = png.decode16(data)
        except png.PngError as problem:
            if wide:
                raise _damaged(who, "PNG", data, problem) from None
        else:
            found = with_channels(found, channels)
            return found if wide else (found >> 8).astype(np.uint8)
    image = loaded(who, opened(who, data, "PNG"), data, "PNG")
    own = _own_mode(image)
    if channels == 1 and own in ("RGB", "RGBA"):
        found = grey_of(pixels(image, "RGB"))
    else:
        found = pixels(image, _MODES[channels] if channels else own)
    return found.astype(np.uint16) * np.uint16(257) if wide else found


def _own_mode(image: Any) -> str:
    if image.mode == "P":
        return "RGBA" if "transparency" in image.info else "RGB"
    return "L" if image.mode in ("1", "I", "I;16", "F") else str(image.mode)


def grey_of(colours: Any) -> Any:
    """The grey of colours, as libpng computes it: in fixed point, rounded down; equal channels are kept."""
    red, green, blue = np.moveaxis(colours.astype(np.uint32), -1, 0)
    mixed = (9797 * red + 19234 * green + 3737 * blue) >> 15
    return np.where((red == green) & (red == blue), red, mixed).astype(colours.dtype)[..., None]


def with_channels(image: Any, channels: int) -> Any:
    """An image of uint16 with other channels: grey becomes colour, colour grey, alpha comes and goes."""
    own = image.shape[-1]
    if channels in (0, own):
        return image
    alpha = image[..., -1:] if own in (2, 4) else np.full_like(image[..., :1], 65535)
    colours = image[..., : own - (own in (2, 4))]
    if channels == 1 and colours.shape[-1] == 3:
        colours = (colours @ np.array([0.299, 0.587, 0.114]))[..., None].astype(np.uint16)
    elif channels > 2 and colours.shape[-1] == 1:
        colours = np.repeat(colours, 3, -1)
    return np.concatenate([colours, alpha], -1) if channels == 4 else colours


def bmp(who: str, data: bytes, channels: int) -> Any:
    """The image in a BMP file: uint8 `[height, width, channels]`; of one with a palette, the places in it."""
    if channels not in (0, 3, 4):
        raise invalid(who, f"`channels` must be 0, 3 or 4 for BMP, but got {channels}")
    if channels == 0 and len(data) >= 54 and data[28:34] == b"\x08\0\0\0\0\0":
        return _places(data)
    image = loaded(who, opened(who, data, "BMP"), data, "BMP")
    if channels != 3 and image.mode == "RGB" and data[28] == 32:
        return _with_alpha(image, data)
    own = {"RGB": 3, "RGBA": 4}.get(image.mode, 1)
    if not channels and own == 1:
        return pixels(image, image.mode if image.mode in ("L", "P") else "L")
    return pixels(image, _MODES[channels or own])


def _places(data: bytes) -> Any:
    """A BMP file with a byte for each pixel: the bytes, whether there is a palette or not, which Pillow asks for."""
    start, width, height = (struct.unpack_from("<i", data, place)[0] for place in (10, 18, 22))
    step = -(-width // 4) * 4
    with _refusing("decode_bmp", data, "BMP"):
        rows = np.frombuffer(data, np.uint8, step * abs(height), start).reshape(abs(height), step)
    return (rows[::-1] if height > 0 else rows)[:, :width, None].copy()


def _with_alpha(image: Any, data: bytes) -> Any:
    """A BMP file of 32 bits with its fourth channel, which Pillow leaves out."""
    start, height = struct.unpack_from("<I", data, 10)[0], struct.unpack_from("<i", data, 22)[0]
    with _refusing("decode_bmp", data, "BMP"):
        rows = np.frombuffer(data, np.uint8, 4 * image.width * image.height, start)
        rows = rows.reshape(image.height, image.width, 4)
    alpha = rows[::-1, :, 3:] if height > 0 else rows[:, :, 3:]
    return np.concatenate([pixels(image, "RGB"), alpha], -1)


def frames(who: str, data: bytes, kind: str, mode: str) -> Any:
    """The pictures of an animation: uint8 `[frames, height, width, channels]`."""
    image = opened(who, data, kind)
    found = []
    with _refusing(who, data, kind):
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            image.load()
            found.append(pixels(image, mode))
        return np.stack(found)


def gif(who: str, data: bytes, channels: int = 0) -> Any:
    """The pictures in a GIF file: uint8 `[frames, height, width, 3]`."""
    if channels not in (0, 3):
        raise invalid(who, f"channels must be 0 or 3 for GIF, got {channels}")
    return frames(who, data, "GIF", "RGB")


def webp(who: str, data: bytes, channels: int) -> Any:
    """The pictures in a WebP file: uint8 `[frames, height, width, 3 or 4]`."""
    if channels not in (0, 3, 4):
        raise invalid(who, "WebP only supports 3 or 4 channels")
    own = "RGBA" if opened(who, data, "WEBP").mode == "RGBA" else "RGB"
    return frames(who, data, "WEBP", _MODES[channels] if channels else own)


def encode_jpeg(who: str, image: Any, quality: int, **options: Any) -> bytes:
    """The JPEG file of an image `[height, width, 1 or 3]` of uint8; the options are Pillow's."""
    picture = pillow(who).fromarray(image[:, :, 0] if image.shape[-1] == 1 else np.ascontiguousarray(image))
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=quality, **options)
    return file.getvalue()
