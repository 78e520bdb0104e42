"""Choices among boxes `[y1, x1, y2, x2]`: which ones to keep by score and overlap, and where to crop at random.

The results are indices and places, so nothing here has a derivative; what is gathered with them has one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.array_protocol import overridable
from gradtape.core.op import NotDifferentiable, Op, declare
from gradtape.core.shape import Spec
from gradtape.ops import random_crops
from gradtape.ops.family import NO_LOWERING, by_loop
from gradtape.ops.indexing import spread
from gradtape.ops.summation import wide

_BLOCK = 128  # candidates whose overlaps are computed at once


class Suppression(Op):
    """The best boxes, best first, without those that overlap a better one: indices, filled up with 0, and how many.

    Leading axes are independent problems.
    """

    kinds = "fV"
    outputs = ("indices", "count")
    validate = True
    vjp = NotDifferentiable("indices are integers")
    lower = NO_LOWERING

    def check(self, other: Spec, scores: Spec, width: int, limit: int, columns: str) -> tuple[Spec, Spec]:
        """The specs of the results; raises if the first input, whose rows have that width, does not fit the scores."""
        self.check_dtypes(other, scores)
        if scores.rank < 1 or other.shape != (*scores.shape, width):
            raise self.error(
                errors.ShapeError,
                f"{self.inputs[0]} is {other}, scores is {scores}: these do not match.",
                f"for scores [n], {self.inputs[0]} must be [n, {columns}].",
            )
        if limit < 0:
            raise self.error(errors.ShapeError, f"max_output_size must not be negative, got {limit}.", "use 0 or more.")
        lead = scores.shape[:-1]
        return Spec((*lead, limit), dtypes.int32), Spec(lead, dtypes.int32)

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        return self(*spread(batched, *inputs), **params)


@declare("non_max_suppression")
class NonMaxSuppression(Suppression):
    """Kept by the overlap of their areas. With `sigma` boxes that overlap lose score instead, and none is dropped for it."""

    def infer(
        self, boxes: Spec, scores: Spec, *, limit: int, overlap: float, least: float, sigma: float = 0.0
    ) -> tuple[Spec, Spec]:
        return self.check(boxes, scores, 4, limit, "4")

    def kernel(
        self, boxes: Any, scores: Any, *, limit: int, overlap: float, least: float, sigma: float = 0.0
    ) -> tuple[Any, Any]:
        return suppress(wide(boxes), wide(scores), limit, overlap, least, sigma)


@declare("non_max_suppression_overlaps")
class NonMaxSuppressionOverlaps(Suppression):
    """Kept by a matrix of overlaps: `[i, j]` is how much box i overlaps a box j that was kept before."""

    def infer(self, overlaps: Spec, scores: Spec, *, limit: int, overlap: float, least: float) -> tuple[Spec, Spec]:
        return self.check(overlaps, scores, scores.shape[-1] if scores.rank else 0, limit, "n")

    def kernel(self, overlaps: Any, scores: Any, *, limit: int, overlap: float, least: float) -> tuple[Any, Any]:
        return suppress(wide(overlaps), wide(scores), limit, overlap, least, None)


@overridable
def suppress(
    values: Any, scores: Any, limit: int, overlap: float, least: float, sigma: float | None
) -> tuple[Any, Any]:
    """The indices and counts for all leading axes. `values` are boxes, or overlaps if sigma is None."""
    lead = scores.shape[:-1]
    indices, counts = np.zeros((*lead, limit), np.int32), np.zeros(lead, np.int32)
    for place in np.ndindex(*lead):
        if sigma is None:
            chosen = _by_matrix(values[place], scores[place], limit, overlap, least)
        elif sigma > 0:
            chosen = _softly(ordered(values[place]), scores[place], limit, least, sigma)
        else:
            chosen = _greedily(ordered(values[place]), scores[place], limit, overlap, least)
        indices[place][: len(chosen)] = chosen
        counts[place] = len(chosen)
    return indices, counts[()]


def ordered(boxes: Any) -> Any:
    """The coordinates of boxes as rows `[4, n]`, the lower corner first, whichever opposite corners were given."""
    y1, x1, y2, x2 = boxes.T
    return np.stack((np.minimum(y1, y2), np.minimum(x1, x2), np.maximum(y1, y2), np.maximum(x1, x2)))


def shared(a: Any, b: Any) -> Any:
    """The intersection over union of boxes `[4, n]` and `[4, m]`, as `[n, m]`; 0 for boxes without area."""
    sides = [
        np.maximum(np.minimum(a[high][:, None], b[high]) - np.maximum(a[low][:, None], b[low]), 0)
        for low, high in ((0, 2), (1, 3))
    ]
    common = sides[0] * sides[1]
    areas = [(x[2] - x[0]) * (x[3] - x[1]) for x in (a, b)]
    union = areas[0][:, None] + areas[1] - common
    # Without an area there is nothing in common, so that any divisor will do.
    return common / np.where(union > 0, union, 1)


def _candidates(scores: Any, least: float) -> Any:
    """The indices of scores above a limit, best first, of equal ones the first."""
    found = np.flatnonzero(scores > least)
    return found[np.argsort(-scores[found], kind="stable")]


def _greedily(boxes: Any, scores: Any, limit: int, overlap: float, least: float) -> list[int]:
    chosen: list[int] = []
    order = _candidates(scores, least)
    for start in range(0, len(order), _BLOCK):
        block = order[start : start + _BLOCK]
        alive = np.ones(len(block), bool)
        if chosen:
            alive = ~np.any(shared(boxes[:, block], boxes[:, chosen]) > overlap, axis=1)
        apart = ~(shared(boxes[:, block], boxes[:, block]) > overlap)
        for i, index in enumerate(block.tolist()):
            if len(chosen) == limit:
                return chosen
            if alive[i]:
                chosen.append(index)
                alive &= apart[i]
    return chosen


def _softly(boxes: Any, scores: Any, limit: int, least: float, sigma: float) -> list[int]:
    """As Bodla et al. (2017): each box that is kept scales the scores of the others by how much they overlap it."""
    chosen: list[int] = []
    alive, scores = scores > least, scores.copy()
    while len(chosen) < limit and alive.any():
        best = int(np.argmax(np.where(alive, scores, -np.inf)))
        chosen.append(best)
        alive[best] = False
        common = shared(boxes, boxes[:, best : best + 1])[:, 0]
        scores *= np.exp(-0.5 / sigma * common * common).astype(scores.dtype)
        alive &= scores > least
    return chosen


def _by_matrix(overlaps: Any, scores: Any, limit: int, overlap: float, least: float) -> list[int]:
    chosen: list[int] = []
    alive = np.ones(len(scores), bool)
    for index in _candidates(scores, least).tolist():
        if len(chosen) == limit:
            break
        if alive[index]:
            chosen.append(index)
            alive &= ~(overlaps[:, index] > overlap)
    return chosen


@declare("distorted_box")
class DistortedBox(Op):
    """A crop of an image at random that covers enough of one of the boxes: where it begins, its size, and as a box.

    Each row of `draws`, of numbers from 0 to 1, is an attempt; if all fail, the crop is the image.
    """

    kinds = "fViu"
    homogeneous = False
    validate = True
    outputs = ("begin", "size", "box")
    vjp = NotDifferentiable("the crop is chosen among pixels at random")
    lower = NO_LOWERING

    def infer(
        self,
        draws: Spec,
        image_size: Spec,
        boxes: Spec,
        *,
        covered: float,
        aspects: tuple[float, float],
        areas: tuple[float, float],
    ) -> tuple[Spec, Spec, Spec]:
        if image_size.shape != (3,) or not image_size.dtype.is_integer:
            raise self.error(
                errors.ShapeError,
                f"image_size is {image_size}, and must be three integers.",
                "give [height, width, channels], as tf.shape(image).",
            )
        if boxes.rank != 3 or boxes.shape[-1] != 4 or not boxes.dtype.is_floating:
            raise self.error(
                errors.ShapeError,
                f"bounding_boxes is {boxes}, and must be floats of shape [batch, n, 4].",
                "each box is [y_min, x_min, y_max, x_max], from 0 to 1.",
            )
        return image_size, image_size, Spec((1, 1, 4), boxes.dtype)

    def kernel(
        self,
        draws: Any,
        image_size: Any,
        boxes: Any,
        *,
        covered: float,
        aspects: tuple[float, float],
        areas: tuple[float, float],
    ) -> tuple[Any, Any, Any]:
        return random_crops.distorted(draws, image_size, boxes, covered, aspects, areas)

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        return by_loop(self, batched, inputs, params)
