"""Detecting the format of an image file, and the errors for unsupported formats."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec
from gradtape.image import _codecs as codecs


def one_image(x: Spec, *, channels: int, **params: Any) -> tuple[Spec, ...]:
    """The spec of an image of unknown size."""
    unknown: Any = None
    return (Spec((unknown, unknown, channels or unknown), params.get("dtype", dtypes.uint8)),)


def single(data: bytes, who: str, channels: int, wide: bool, ratio: int = 1, recover: bool = False) -> Any:
    """The only picture of a JPEG, PNG or GIF file."""
    kind = codecs.format_of(data)
    if kind == "JPEG":
        found = codecs.jpeg(who, data, channels, ratio, recover)
        return found.astype(np.uint16) << 8 if wide else found
    if kind == "PNG":
        return codecs.png_image(who, data, channels, wide)
    if kind == "GIF":
        pictures = codecs.gif(who, data, channels)
        if len(pictures) > 1:
            raise codecs.invalid(
                who,
                f"Got {len(pictures)} frames, but animated gifs can only be decoded by tf.io.decode_gif or "
                "tf.io.decode_image",
                "use one of these.",
            )
        return pictures[0].astype(np.uint16) << 8 if wide else pictures[0]
    raise unknown(who, data, kind)


def unknown(who: str, data: bytes, kind: str) -> Exception:
    """The error for bytes of a format that is not read."""
    if not data:
        return codecs.invalid(who, "Input is empty.", "read the file with tf.io.read_file.")
    if kind == "JPEG XL":
        return errors.build(
            errors.UnimplementedError, f"{who}: JPEG XL files are not read.", "convert them to PNG or JPEG first."
        )
    what = f"a file of the format {kind}" if kind else f"bytes that begin with {data[:8]!r}"
    return codecs.invalid(
        who,
        f"Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP required. Got {what}.",
        "tf.io.decode_image reads all formats; is this the content of the file, not its name?",
    )


def wrong(who: str, data: bytes, kind: str) -> Exception:
    """The error for a file of another format than a function reads."""
    if kind in ("JPEG", "PNG", "GIF", "BMP", "WEBP"):
        own = f"decode_{kind.lower()}"
        return codecs.invalid(
            who, f"Trying to decode {kind} format using {who}. Use `{own}` or `decode_image` instead.", f"tf.io.{own}"
        )
    return unknown(who, data, kind)
