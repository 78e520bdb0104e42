"""The contents of summaries: from the user's array to the one that TensorBoard's plugin expects."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.array_op import objects
from gradtape.audio import _wav as wav
from gradtape.core import errors
from gradtape.image import _png as png

# What the plugin for sounds should know: that they are WAV files.
WAV = b"\x10\x0b"


def whole(array: Any, numbers: list[int]) -> Any:
    """The array itself."""
    return array


def number(array: Any, numbers: list[int]) -> Any:
    """A single float32."""
    if array.ndim:
        raise errors.build(
            errors.ShapeError,
            f"summary.scalar: data must be a scalar, it has shape {list(array.shape)}.",
            "use tf.reduce_mean, or tf.summary.histogram.",
        )
    return np.asarray(array).astype(np.float32)


def buckets(array: Any, numbers: list[int]) -> Any:
    """A row for each bucket: its edges and how many elements lie between them, as float64. Only finite ones count."""
    count = max(numbers[0], 0)
    values = np.ravel(np.asarray(array).astype(np.float64))
    values = values[np.isfinite(values)]
    if not values.size or not count:
        return np.zeros((count, 3))
    low, high = values.min(), values.max()
    if low == high:
        rows = np.full((count, 3), high)
        rows[:, 2] = 0
        rows[-1, 2] = values.size
        return rows
    if not np.isfinite(high - low):
        return buckets(values / 2, numbers) * [2, 2, 1]
    places = np.minimum(np.floor((values - low) / ((high - low) / count)).astype(np.int64), count - 1)
    edges = np.linspace(low, high, count + 1)
    return np.stack([edges[:-1], edges[1:], np.bincount(places, minlength=count)], 1)


def images(array: Any, numbers: list[int]) -> Any:
    """Width and height as text, and PNG files."""
    if array.ndim != 4 or array.shape[-1] not in (1, 2, 3, 4):
        raise errors.build(
            errors.ShapeError,
            f"summary.image: data must be [images, height, width, 1 to 4 channels], it has shape {list(array.shape)}.",
            "use tf.expand_dims or tf.transpose.",
        )
    _check_count("image", numbers[0])
    size = [str(array.shape[2]).encode(), str(array.shape[1]).encode()]
    return objects([*size, *[png.encode(picture) for picture in array[: numbers[0]]]])


def sounds(array: Any, numbers: list[int]) -> Any:
    """A row for each sound: a WAV file and an empty label."""
    limit, rate = numbers
    _check_count("audio", limit)
    files = [wav.encode(sound, rate) for sound in array[:limit]]
    return objects([part for file in files for part in (file, b"")], (len(files), 2))


def _check_count(name: str, limit: int) -> None:
    if limit < 0:
        raise errors.build(
            errors.InvalidArgumentError,
            f"summary.{name}: max_outputs must not be negative, got {limit}.",
            "use 0 or more.",
        )
