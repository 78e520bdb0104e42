"""Crops of images sampled at places that depend on the boxes, made of ops that are differentiable in both."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import convert, dtypes
from gradtape.core.tensor import Tensor
from gradtape.math._conversion import cast
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather
from gradtape.ops.joining import Unstack
from gradtape.ops.movement import Reshape
from gradtape.ops.rounding import Floor
from gradtape.ops.selection import ClipByValue, Where, number


def crops(image: Any, boxes: Any, indices: Any, size: tuple[int, int], nearest: bool, outside: float) -> Tensor:
    """Crops `[n, *size, channels]` of a batch of floating images, in the same dtype.

    Args:
      image: `[batch, height, width, channels]`.
      boxes: `[n, 4]`, of the image's dtype.
      indices: `[n]`, which image each box is on, in range.
      size: the height and width of the crops.
      nearest: whether to take the nearest pixel instead of the mean of four, weighed by distance.
      outside: the value beyond the image.
    """
    batch, height, width, channels = dims(image)
    y1, x1, y2, x2 = Unstack(boxes, axis=1)
    ys, y_inside = _places(y1, y2, size[0], height)
    xs, x_inside = _places(x1, x2, size[1], width)
    # All pixels in one axis; the reshape makes the gradient of the gather dense.
    pixels = Reshape(image, shape=(batch * height * width, channels))
    first_row = Reshape(cast(indices, dtypes.int64) * height, shape=(dims(boxes)[0], 1))

    def taken(rows: Any, columns: Any) -> Any:
        start = Reshape((first_row + rows) * width, shape=(*dims(rows), 1))
        return Gather(pixels, start + Reshape(columns, shape=(dims(columns)[0], 1, dims(columns)[1])), axis=0)

    if nearest:
        found = taken(_whole(Floor(ys + 0.5)), _whole(Floor(xs + 0.5)))
    else:
        top, down = _split(ys, height)
        left, right = _split(xs, width)
        bottom, beside = top + min(1, height - 1), left + min(1, width - 1)
        down, right = (
            Reshape(down, shape=(*dims(down), 1, 1)),
            Reshape(right, shape=(dims(right)[0], 1, dims(right)[1], 1)),
        )
        upper = _between(taken(top, left), taken(top, beside), right)
        found = _between(upper, _between(taken(bottom, left), taken(bottom, beside), right), down)
    rows, columns = dims(y_inside), dims(x_inside)
    inside = Reshape(y_inside, shape=(*rows, 1, 1)) & Reshape(x_inside, shape=(columns[0], 1, columns[1], 1))
    return Where(inside, found, number(outside, image))


def _places(low: Any, high: Any, count: int, length: int) -> tuple[Any, Any]:
    """Where the pixels of crops lie along an axis, `[n, count]`, and whether that is on the image; 0 where it is not."""
    shape = (*dims(low), 1)
    low, high = Reshape(low, shape=shape), Reshape(high, shape=shape)
    # By shares of the whole, so that the last one is exactly `high`: beyond the last pixel there is nothing.
    shares = convert.convert_to_tensor(np.arange(count) / (count - 1) if count > 1 else [0.5], low.dtype)
    places = (low + shares * (high - low)) * (length - 1.0)
    inside = (places >= 0.0) & (places <= length - 1.0)
    return Where(inside, places, number(0, low)), inside


def _split(places: Any, length: int) -> tuple[Any, Any]:
    """The pixel before each place and how far it is from there, from 0 to 1: at the last pixel all the way."""
    before = ClipByValue(Floor(places), number(0, places), number(max(length - 2, 0), places))
    return _whole(before), places - before


def _whole(x: Any) -> Any:
    return cast(x, dtypes.int64)


def _between(a: Any, b: Any, share: Any) -> Any:
    return a + (b - a) * share
