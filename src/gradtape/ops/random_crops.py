"""Random crops that keep enough of an object in sight, of a given range of areas and aspect ratios."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.array_protocol import overridable

Crop = tuple[int, int, int, int]  # top, left, height, width


@overridable
def distorted(
    draws: Any, image_size: Any, boxes: Any, covered: float, aspects: tuple[float, float], areas: tuple[float, float]
) -> tuple[Any, Any, Any]:
    """Where the first crop begins that covers at least that share of a box, its size, and its corners from 0 to 1."""
    height, width = int(image_size[0]), int(image_size[1])
    corners = np.reshape(boxes, (-1, 4)).astype(np.float64)
    if not np.all((corners >= 0) & (corners <= 1)):
        raise errors.build(
            errors.InvalidArgumentError,
            "sample_distorted_bounding_box: all bounding box coordinates must be in [0.0, 1.0].",
            "divide pixels by the height and width of the image.",
        )
    objects = (corners * [height, width, height, width]).astype(np.int64)
    crop = (0, 0, height, width)
    for draw in np.reshape(draws, (-1, 4)).astype(np.float64).tolist():
        found = _crop(draw, height, width, aspects, areas)
        if found is not None and _covers(found, objects, covered):
            crop = found
            break
    top, left, rows, columns = crop
    whole = [top / height, left / width, (top + rows) / height, (left + columns) / width]
    return (
        np.array([top, left, 0]).astype(image_size.dtype),
        np.array([rows, columns, -1]).astype(image_size.dtype),
        np.array([[whole]]).astype(boxes.dtype),
    )


def _crop(
    draw: list[float], height: int, width: int, aspects: tuple[float, float], areas: tuple[float, float]
) -> Crop | None:
    """A crop of a random aspect ratio, height and place; None if that aspect ratio does not fit the areas."""
    aspect = aspects[0] + draw[0] * (aspects[1] - aspects[0])
    least, most = (share * height * width for share in areas)
    lowest = max(1, round(math.sqrt(least / aspect)))
    highest = min(height, round(math.sqrt(most / aspect)), math.ceil((width + 0.5) / aspect) - 1)
    rows = min(lowest, highest) + int(draw[1] * (max(highest - lowest, 0) + 1))
    columns = round(rows * aspect)
    # Rounding may have left the range of areas by a row.
    if rows * columns < least:
        rows += 1
    elif rows * columns > most:
        rows -= 1
    columns = round(rows * aspect)
    if not (least <= rows * columns <= most and 0 < rows <= height and 0 < columns <= width):
        return None
    return int(draw[2] * (height - rows + 1)), int(draw[3] * (width - columns + 1)), rows, columns


def _covers(crop: Crop, objects: Any, covered: float) -> bool:
    """True if the crop shows at least that share of the pixels of one of the objects."""
    top, left, rows, columns = crop
    low = np.maximum(objects[:, :2], (top, left))
    high = np.minimum(objects[:, 2:], (top + rows, left + columns))
    common = np.prod(np.maximum(high - low, 0), axis=1)
    area = np.prod(objects[:, 2:] - objects[:, :2], axis=1)
    return bool(np.any((area >= 1) & (common >= covered * area)))
