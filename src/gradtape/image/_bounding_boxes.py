"""Boxes on images: choosing, drawing, proposing and cropping. A box is `[y_min, x_min, y_max, x_max]`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.image._arguments import image_tensor, require
from gradtape.image._non_max_suppression import (
    combined_non_max_suppression,
    non_max_suppression,
    non_max_suppression_overlaps,
    non_max_suppression_padded,
    non_max_suppression_with_scores,
)
from gradtape.math._conversion import cast
from gradtape.ops.boxes import DistortedBox, NonMaxSuppression
from gradtape.ops.exponential import Exp
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather
from gradtape.ops.joining import Stack, Unstack
from gradtape.ops.movement import BroadcastTo, Reshape
from gradtape.ops.selection import Keep, Maximum, Minimum, Where, number
from gradtape.ops.sorting import TopK
from gradtape.random import _functions as functions

__all__ = [
    "combined_non_max_suppression", "draw_bounding_boxes", "generate_bounding_box_proposals", "non_max_suppression",
    "non_max_suppression_overlaps", "non_max_suppression_padded", "non_max_suppression_with_scores",
    "sample_distorted_bounding_box", "stateless_sample_distorted_bounding_box",
]  # fmt: skip

# Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia; opaque.
_PALETTE = (
    (1.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0), (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.5, 0.0, 0.5, 1.0),
    (0.5, 0.5, 0.0, 1.0), (0.5, 0.0, 0.0, 1.0), (0.0, 0.0, 0.5, 1.0), (0.0, 1.0, 1.0, 1.0), (1.0, 0.0, 1.0, 1.0),
)  # fmt: skip


def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Tensor:
    """Images with box outlines of one pixel, later boxes over earlier ones. Gradients flow to uncovered pixels.

    Args:
      images: a batch `[batch, height, width, channels]` of floats.
      boxes: `[batch, n, 4]`, where 0 is the first and 1 the last row or column.
      colors: `[m, channels]`, used in turn; None for a palette of ten (white if there is one channel).

    Returns:
      A tensor of the same shape and dtype.

    >>> x = tf.zeros([1, 3, 3, 1])
    >>> tf.image.draw_bounding_boxes(x, [[[0.0, 0.0, 1.0, 1.0]]], [[1.0]]).numpy()[0, ..., 0]
    array([[1., 1., 1.],
           [1., 0., 1.],
           [1., 1., 1.]], dtype=float32)
    """
    what = "draw_bounding_boxes"
    x: Tensor = image_tensor(images, what, "images", ranks=(4,))
    corners = tensor(boxes)
    batch, height, width, depth = dims(x)
    if corners.ndim != 3 or dims(corners)[0] != batch or dims(corners)[2] != 4 or not x.dtype.is_floating:
        raise errors.build(
            errors.ShapeError,
            f"{what}: images is {spec_of(x)}, boxes is {spec_of(corners)}: these do not match.",
            "give floats, and boxes [batch, n, 4].",
        )
    palette = _colours(colors, depth, x.dtype, what)
    scale = convert.convert_to_tensor([height - 1, width - 1, height - 1, width - 1], corners.dtype)
    places = cast(corners * scale, dtypes.int64)
    for i in range(dims(corners)[1]):
        frame = _frame(places[:, i], height, width)
        x = Where(frame, palette[i % dims(palette)[0]], x)
    return x


def _colours(colors: Any, depth: int, dtype: dtypes.DType, what: str) -> Any:
    if colors is None:
        require(depth in (1, 3, 4), what, f"there is no palette for {depth} channels.", "give colors [n, channels].")
        return convert.convert_to_tensor([[1.0]] if depth == 1 else [c[:depth] for c in _PALETTE], dtype)
    palette = cast(tensor(colors), dtype)
    if palette.ndim != 2 or not dims(palette)[0] or dims(palette)[1] < depth:
        raise errors.build(
            errors.ShapeError,
            f"{what}: colors must be [n, {depth}], got {spec_of(palette)}.",
            f"give colors [n, {depth}], one per box or fewer.",
        )
    return palette[:, :depth]


def _frame(box: Any, height: int, width: int) -> Any:
    """Which pixels `[batch, height, width, 1]` the sides of boxes `[batch, 4]`, in pixels, cover; none if inside out."""
    batch = dims(box)[0]
    top, left, bottom, right = (Reshape(side, shape=(batch, 1, 1, 1)) for side in Unstack(box, axis=1))
    rows = convert.convert_to_tensor(np.arange(height).reshape(1, height, 1, 1))
    columns = convert.convert_to_tensor(np.arange(width).reshape(1, 1, width, 1))
    inside = (rows >= top) & (rows <= bottom) & (columns >= left) & (columns <= right)
    return inside & ((rows == top) | (rows == bottom) | (columns == left) | (columns == right))


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any = 0,
    min_object_covered: float = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """A random crop of an image that shows enough of one of the objects on it.

    Args:
      image_size: height, width and channels.
      bounding_boxes: `[batch, n, 4]`, the objects, from 0 to 1.
      seed: an integer that gives the call a stream of its own; 0 for none.
      min_object_covered: which share of an object the crop must show at least.
      aspect_ratio_range: the limits of width / height; 0.75 to 1.33 by default.
      area_range: the limits of the share of the image; 0.05 to 1 by default.
      max_attempts: after how many crops that do not fit the whole image is returned; 100 by default.
      use_image_if_no_bounding_boxes: whether the whole image is the object if there are no boxes.

    Returns:
      `begin` and `size` for `tf.slice`, and the crop as a box `[1, 1, 4]`.

    >>> begin, size, box = tf.image.sample_distorted_bounding_box([40, 50, 3], [[[0.2, 0.2, 0.8, 0.8]]])
    >>> tf.slice(tf.zeros([40, 50, 3]), begin, size).shape[2]
    3
    """
    attempts = _attempts(max_attempts, "sample_distorted_bounding_box")
    return _sampled(
        functions.uniform([attempts, 4], seed=seed or None), image_size, bounding_boxes, min_object_covered,
        aspect_ratio_range, area_range, use_image_if_no_bounding_boxes, "sample_distorted_bounding_box",
    )  # fmt: skip


def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any,
    min_object_covered: float = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """As `sample_distorted_bounding_box`, determined by the seed alone.

    Args:
      image_size: height, width and channels.
      bounding_boxes: `[batch, n, 4]`, the objects, from 0 to 1.
      seed: two integers.
      min_object_covered: which share of an object the crop must show at least.
      aspect_ratio_range: the limits of width / height; 0.75 to 1.33 by default.
      area_range: the limits of the share of the image; 0.05 to 1 by default.
      max_attempts: after how many crops that do not fit the whole image is returned; 100 by default.
      use_image_if_no_bounding_boxes: whether the whole image is the object if there are no boxes.

    Returns:
      `begin` and `size` for `tf.slice`, and the crop as a box `[1, 1, 4]`.

    >>> boxes = tf.constant([[[0.2, 0.2, 0.8, 0.8]]])
    >>> a, b = [tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], boxes, seed=(1, 2)) for _ in range(2)]
    >>> bool(tf.reduce_all(a[0] == b[0]))
    True
    """
    attempts = _attempts(max_attempts, "stateless_sample_distorted_bounding_box")
    return _sampled(
        functions.stateless_uniform([attempts, 4], seed), image_size, bounding_boxes, min_object_covered,
        aspect_ratio_range, area_range, use_image_if_no_bounding_boxes, "stateless_sample_distorted_bounding_box",
    )  # fmt: skip


def _attempts(max_attempts: Any, what: str) -> int:
    attempts = 100 if max_attempts is None else integer(max_attempts, what, "max_attempts")
    require(attempts > 0, what, f"max_attempts must be positive, got {attempts}.", "use a positive number.")
    return attempts


def _sampled(
    draws: Any, image_size: Any, boxes: Any, covered: Any, aspects: Any, areas: Any, whole: Any, what: str
) -> tuple[Tensor, Tensor, Tensor]:
    corners = tensor(boxes)
    if corners.ndim == 3 and 0 in dims(corners)[:2]:
        if not whole:
            raise errors.build(
                errors.InvalidArgumentError,
                f"{what}: No bounding boxes provided as input.",
                "set use_image_if_no_bounding_boxes=True to crop without an object.",
            )
        corners = convert.convert_to_tensor([[[0.0, 0.0, 1.0, 1.0]]], corners.dtype)
    least, most = _range(aspects, (0.75, 1.33), "aspect_ratio_range", what)
    smallest, largest = _range(areas, (0.05, 1.0), "area_range", what)
    require(
        largest <= 1, what, f"area_range must be within (0, 1], got {largest}.", "use a fraction above 0 and at most 1."
    )
    require(covered >= 0, what, f"min_object_covered must be non-negative, got {covered}.", "use 0 or more.")
    begin, size, box = DistortedBox(
        draws, tensor(image_size), corners, covered=float(covered), aspects=(least, most), areas=(smallest, largest)
    )
    return begin, size, box


def _range(value: Any, default: tuple[float, float], name: str, what: str) -> tuple[float, float]:
    low, high = (float(v) for v in (default if value is None else value))
    require(0 < low <= high, what, f"{name} must be positive and rise, got {[low, high]}.", "use a positive number.")
    return low, high


class GenerateBoundingBoxProposals(NamedTuple):
    """The result of `generate_bounding_box_proposals`."""

    rois: Any
    roi_probabilities: Any


# The largest logarithm of a scale, so that a wild prediction does not make an infinite box.
_MOST = math.log(1000.0 / 16.0)


def generate_bounding_box_proposals(
    scores: Any,
    bbox_deltas: Any,
    image_info: Any,
    anchors: Any,
    nms_threshold: float = 0.7,
    pre_nms_topn: Any = 6000,
    min_size: float = 16,
    post_nms_topn: Any = 300,
    name: str | None = None,
) -> GenerateBoundingBoxProposals:
    """Regions of interest of a region proposal network (Ren et al., 2015, equation 2). Gradients flow through them.

    Args:
      scores: `[batch, height, width, anchors]`.
      bbox_deltas: `[batch, height, width, 4 * anchors]`: for each anchor `[dy, dx, dh, dw]`, the shift of the middle in
        heights and widths of the anchor, and the logarithms of the scales.
      image_info: `[batch, 5]`; the first three are the image's height, width and scale.
      anchors: `[height * width * anchors, 4]`, or `[anchors, 4]` if they are the same everywhere.
      nms_threshold: as `iou_threshold` in `non_max_suppression`.
      pre_nms_topn: how many of the best scores to look at.
      min_size: the least side of a box, times the scale of the image.
      post_nms_topn: how many boxes to return.

    Returns:
      `rois`, `[batch, post_nms_topn, 4]`, limited to the image, and `roi_probabilities`; best first, filled up with 0.

    >>> rois, scores = tf.image.generate_bounding_box_proposals(
    ...     tf.ones([1, 1, 1, 1]), tf.zeros([1, 1, 1, 4]), [[64.0, 64.0, 1.0, 0.0, 0.0]], [[0.0, 0.0, 32.0, 80.0]],
    ...     post_nms_topn=1)
    >>> rois.numpy()
    array([[[ 0.,  0., 32., 64.]]], dtype=float32)
    """
    what = "generate_bounding_box_proposals"
    values = tensor(scores)
    deltas, info, references = (convert.like(v, values.dtype) for v in (bbox_deltas, image_info, anchors))
    batch, count = _check_proposals(values, deltas, info, references, what)
    values, deltas = Reshape(values, shape=(batch, count)), Reshape(deltas, shape=(batch, count, 4))
    repeats = count // dims(references)[0]
    references = Reshape(BroadcastTo(references, shape=(repeats, *dims(references))), shape=(count, 4))
    best = min(integer(pre_nms_topn, what, "pre_nms_topn"), count)
    values, order = TopK(values, k=best, index_type=dtypes.int32)
    deltas = Gather(deltas, order, axis=1, batch_dims=1)
    boxes, sides = _decoded(deltas, Gather(references, order, axis=0), info)
    least = Reshape(info[:, 2], shape=(batch, 1)) * float(min_size)
    large = (sides[0] >= least) & (sides[1] >= least)
    candidates = Where(large, values, number(float("-inf"), values))
    limit = integer(post_nms_topn, what, "post_nms_topn")
    indices, found = NonMaxSuppression(
        boxes, candidates, limit=limit, overlap=float(nms_threshold), least=float("-inf")
    )
    filled = convert.convert_to_tensor(np.arange(limit, dtype=np.int32)) < Reshape(found, shape=(batch, 1))
    chosen = Gather(boxes, indices, axis=1, batch_dims=1), Gather(values, indices, axis=1, batch_dims=1)
    return GenerateBoundingBoxProposals(
        Keep(chosen[0], Reshape(filled, shape=(batch, limit, 1))), Keep(chosen[1], filled)
    )


def _check_proposals(scores: Any, deltas: Any, info: Any, anchors: Any, what: str) -> tuple[int, int]:
    """The size of the batch and the number of boxes on each image."""
    shape = dims(scores)
    fits = len(shape) == 4 and dims(deltas) == (*shape[:3], 4 * shape[3]) and anchors.ndim == 2 and info.ndim == 2
    count = math.prod(shape[1:])
    fits = fits and dims(anchors) in ((shape[3], 4), (count, 4)) and dims(info)[0] == shape[0] and dims(info)[1] >= 3
    if not fits:
        raise errors.build(
            errors.ShapeError,
            f"{what}: scores is {spec_of(scores)}, bbox_deltas is {spec_of(deltas)}, image_info is {spec_of(info)}, "
            f"anchors is {spec_of(anchors)}: these do not match.",
            "give [batch, height, width, a], [batch, height, width, 4 * a], [batch, 5] and [a, 4].",
        )
    return shape[0], count


def _decoded(deltas: Any, anchors: Any, info: Any) -> tuple[Any, tuple[Any, Any]]:
    """Boxes from anchors and predictions, limited to the image, and their heights and widths."""
    dy, dx, dh, dw = Unstack(deltas, axis=2)
    y1, x1, y2, x2 = Unstack(anchors, axis=2)
    batch = dims(info)[0]
    edges = []
    for low, high, shift, scale, axis in ((y1, y2, dy, dh, 0), (x1, x2, dx, dw, 1)):
        length = high - low
        middle = low + length * 0.5 + length * shift
        half = length * Exp(Minimum(scale, number(_MOST, scale))) * 0.5
        end = Reshape(info[:, axis], shape=(batch, 1))
        edges.append([Maximum(Minimum(edge, end), number(0, edge)) for edge in (middle - half, middle + half)])
    (top, bottom), (left, right) = edges
    return Stack(top, left, bottom, right, axis=2), (bottom - top, right - left)
