"""Non-maximum suppression: the best boxes that do not overlap a better one too much."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.image._arguments import require
from gradtape.math._conversion import cast
from gradtape.ops.arithmetic import Square
from gradtape.ops.boxes import NonMaxSuppression, NonMaxSuppressionOverlaps
from gradtape.ops.division import DivideNoNan
from gradtape.ops.exponential import Exp
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather
from gradtape.ops.joining import Unstack
from gradtape.ops.movement import BroadcastTo, Reshape, Transpose
from gradtape.ops.reduction import ReduceSum
from gradtape.ops.selection import ClipByValue, Keep, Maximum, Minimum, Where, number
from gradtape.ops.slicing import Pad
from gradtape.ops.sorting import TopK

_LOWEST = float("-inf")


class CombinedNonMaxSuppression(NamedTuple):
    """The result of `combined_non_max_suppression`."""

    nmsed_boxes: Any
    nmsed_scores: Any
    nmsed_classes: Any
    valid_detections: Any


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = _LOWEST,
    name: str | None = None,
) -> Tensor:
    """The indices of the best boxes, best first, without boxes that overlap a better one.

    Args:
      boxes: `[n, 4]`, each `[y1, x1, y2, x2]`, any two opposite corners.
      scores: `[n]`.
      max_output_size: how many indices to return at most.
      iou_threshold: a box is left out if its intersection with a better one, over their union, is larger than this.
      score_threshold: boxes are left out unless their score is larger than this.

    Returns:
      An int32 tensor.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [2.0, 2.0, 3.0, 3.0]]
    >>> tf.image.non_max_suppression(boxes, [0.8, 0.9, 0.7], max_output_size=3).numpy()
    array([1, 2], dtype=int32)
    """
    corners, values = _floats(boxes, scores)
    limit = _limit(max_output_size, "non_max_suppression")
    indices, count = _chosen(corners, values, limit, iou_threshold, score_threshold, "non_max_suppression")
    result: Tensor = indices[:count]
    return result


def _floats(boxes: Any, scores: Any) -> tuple[Any, Any]:
    corners = tensor(boxes)
    return corners, convert.like(scores, corners.dtype)


def _limit(value: Any, what: str) -> int:
    return integer(value, what, "max_output_size")


def _chosen(
    boxes: Any, scores: Any, limit: int, overlap: Any, least: Any, what: str, sigma: float = 0.0
) -> tuple[Any, Any]:
    overlap = float(overlap)
    require(0 <= overlap <= 1, what, f"iou_threshold must be in [0, 1], it is {overlap}.", "it is a share of areas.")
    kept, weights = NonMaxSuppression(boxes, scores, limit=limit, overlap=overlap, least=float(least), sigma=sigma)
    return kept, weights


def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = _LOWEST,
    soft_nms_sigma: float = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The indices of the best boxes and their scores. Gradients flow through the scores.

    Args:
      boxes: `[n, 4]`, each `[y1, x1, y2, x2]`, any two opposite corners.
      scores: `[n]`.
      max_output_size: how many indices to return at most.
      iou_threshold: as in `non_max_suppression`; without effect if sigma is given.
      score_threshold: boxes are left out unless their score is larger than this.
      soft_nms_sigma: if positive, boxes that overlap a better one are not left out; each such box multiplies their score
        by `exp(-overlap ** 2 / (2 * sigma))`, and the next best is chosen by the new scores.

    Returns:
      An int32 tensor of indices, and a tensor of scores.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]
    >>> indices, scores = tf.image.non_max_suppression_with_scores(boxes, [0.5, 1.0], 2, soft_nms_sigma=0.5)
    >>> indices.numpy(), scores.numpy().round(4)
    (array([1, 0], dtype=int32), array([1.    , 0.1839], dtype=float32))
    """
    what, sigma = "non_max_suppression_with_scores", float(soft_nms_sigma)
    require(sigma >= 0, what, f"soft_nms_sigma must not be negative, got {sigma}.", "use 0 or more.")
    corners, values = _floats(boxes, scores)
    limit = _limit(max_output_size, what)
    indices, count = _chosen(corners, values, limit, iou_threshold, score_threshold, what, sigma)
    indices = indices[:count]
    kept = _rows(values, indices)
    if sigma > 0:
        overlaps = _shared(_rows(corners, indices))
        earlier = convert.convert_to_tensor(np.tri(dims(indices)[0], k=-1, dtype=bool))
        kept = kept * Exp(ReduceSum(Keep(Square(overlaps), earlier), axis=(1,)) * (-0.5 / sigma))
    return indices, kept


def _rows(x: Any, indices: Any) -> Any:
    """Rows by index; the reshape makes their gradient dense."""
    return Gather(Reshape(x, shape=dims(x)), indices, axis=0)


def _shared(boxes: Any) -> Any:
    """The intersection over union of all pairs of boxes `[n, 4]`."""
    y1, x1, y2, x2 = Unstack(boxes, axis=1)
    sides, lengths = [], []
    for a, b in ((y1, y2), (x1, x2)):
        low, high = Minimum(a, b), Maximum(a, b)
        column = (*dims(low), 1)
        common = Minimum(Reshape(high, shape=column), high) - Maximum(Reshape(low, shape=column), low)
        sides.append(Maximum(common, number(0, common)))
        lengths.append(high - low)
    common, areas = sides[0] * sides[1], lengths[0] * lengths[1]
    return DivideNoNan(common, Reshape(areas, shape=(*dims(areas), 1)) + areas - common)


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: float = 0.5,
    score_threshold: float = _LOWEST,
    name: str | None = None,
) -> Tensor:
    """The indices of the best boxes, best first, by a given matrix of overlaps.

    Args:
      overlaps: `[n, n]`; a box i is left out if its overlap `[i, j]` with a better box j is too large.
      scores: `[n]`.
      max_output_size: how many indices to return at most.
      overlap_threshold: which overlap is still allowed.
      score_threshold: boxes are left out unless their score is larger than this.

    Returns:
      An int32 tensor.

    >>> overlaps = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> tf.image.non_max_suppression_overlaps(overlaps, [0.8, 0.9, 0.7], max_output_size=3).numpy()
    array([1, 2], dtype=int32)
    """
    matrix, values = _floats(overlaps, scores)
    limit = _limit(max_output_size, "non_max_suppression_overlaps")
    indices, count = NonMaxSuppressionOverlaps(
        matrix, values, limit=limit, overlap=float(overlap_threshold), least=float(score_threshold)
    )
    return indices[:count]


def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = _LOWEST,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """The indices of the best boxes of each example, best first, and how many there are.

    Args:
      boxes: `[..., n, 4]`.
      scores: `[..., n]`.
      max_output_size: how many indices to return at most for each example.
      iou_threshold: as in `non_max_suppression`.
      score_threshold: boxes are left out unless their score is larger than this.
      pad_to_max_output_size: whether to fill up with zeros, which a batch needs.
      sorted_input: ignored; boxes are sorted by their scores in any case.
      canonicalized_coordinates: ignored; any two opposite corners may be given.
      tile_size: ignored.

    Returns:
      An int32 tensor of indices, and one of counts.

    >>> boxes = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [2.0, 2.0, 3.0, 3.0]])
    >>> indices, count = tf.image.non_max_suppression_padded(boxes, [0.8, 0.9, 0.7], 3, pad_to_max_output_size=True)
    >>> indices.numpy(), count.numpy()
    (array([1, 2, 0], dtype=int32), np.int32(2))
    """
    what = "non_max_suppression_padded"
    corners, values = _floats(boxes, scores)
    require(
        pad_to_max_output_size or corners.ndim <= 2,
        what,
        f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched input.",
        "examples may have different numbers of boxes.",
    )
    indices, count = _chosen(corners, values, _limit(max_output_size, what), iou_threshold, score_threshold, what)
    return indices if pad_to_max_output_size else indices[:count], count


def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = _LOWEST,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """The best boxes of all classes for each example of a batch. Gradients flow through boxes and scores.

    Args:
      boxes: `[batch, n, q, 4]`, where q is 1 for boxes that all classes share, else the number of classes.
      scores: `[batch, n, classes]`.
      max_output_size_per_class: how many boxes of a class to keep at most.
      max_total_size: how many boxes to keep at most.
      iou_threshold: as in `non_max_suppression`, within each class.
      score_threshold: boxes are left out unless their score is larger than this.
      pad_per_class: whether the result has room for no more boxes than all classes together can have.
      clip_boxes: whether to limit coordinates to the range from 0 to 1.

    Returns:
      `nmsed_boxes`, `nmsed_scores`, `nmsed_classes` (floats) and `valid_detections`, how many there are; the rest is 0.

    >>> boxes = tf.constant([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.5, 1.0, 1.0]]]])
    >>> found = tf.image.combined_non_max_suppression(boxes, [[[0.9], [0.8]]], 2, 2)
    >>> found.nmsed_scores.numpy(), found.valid_detections.numpy()
    (array([[0.9, 0.8]], dtype=float32), array([2], dtype=int32))
    """
    what = "combined_non_max_suppression"
    corners, values = _floats(boxes, scores)
    _check_combined(corners, values, what)
    per_class, total = _limit(max_output_size_per_class, what), _limit(max_total_size, what)
    require(
        total < 2**31,
        what,
        f"max_total_size is {total}, of type int64 that does not match expected type of int32.",
        "give less.",
    )
    require(per_class > 0 and total > 0, what, "the sizes must be positive.", f"they are {per_class} and {total}.")
    batch, n, classes = dims(values)
    # Classes become part of the batch: [batch, classes, n].
    values = Transpose(values, perm=(0, 2, 1))
    corners = Transpose(corners, perm=(0, 2, 1, 3))
    corners = BroadcastTo(corners, shape=(batch, classes, n, 4))
    room = min(total, classes * per_class) if pad_per_class else total
    per_class = min(per_class, n)
    indices, count = _chosen(corners, values, per_class, iou_threshold, score_threshold, what)
    filled = convert.convert_to_tensor(np.arange(per_class, dtype=np.int32)) < Reshape(count, shape=(batch, classes, 1))
    best = Where(filled, Gather(values, indices, axis=2, batch_dims=2), number(_LOWEST, values))
    best = Reshape(best, shape=(batch, classes * per_class))
    chosen = Reshape(Gather(corners, indices, axis=2, batch_dims=2), shape=(batch, classes * per_class, 4))
    size = min(total, dims(best)[1])
    top, order = TopK(best, k=size, index_type=dtypes.int32)
    valid = top > _LOWEST
    kept = Keep(Gather(chosen, order, axis=1, batch_dims=1), Reshape(valid, shape=(batch, size, 1)))
    if clip_boxes:
        kept = ClipByValue(kept, number(0, kept), number(1, kept))
    labels = Keep(cast(order // per_class, kept.dtype), valid)
    kept, top, labels = (_filled(v, room) for v in (kept, Keep(top, valid), labels))
    return CombinedNonMaxSuppression(kept, top, labels, ReduceSum(cast(valid, dtypes.int32), axis=(1,)))


def _check_combined(boxes: Any, scores: Any, what: str) -> None:
    own, wanted = dims(boxes), dims(scores)
    if boxes.ndim != 4 or scores.ndim != 3 or own[:2] != wanted[:2] or own[2] not in (1, wanted[2]) or own[3] != 4:
        raise errors.build(
            errors.ShapeError,
            f"{what}: boxes is {spec_of(boxes)}, scores is {spec_of(scores)}: these do not match.",
            "give boxes [batch, n, 1 or classes, 4] and scores [batch, n, classes].",
        )


def _filled(x: Any, size: int) -> Any:
    """A tensor `[batch, n, ...]` with zeros up to a size along its second axis."""
    more = size - dims(x)[1]
    return Pad(x, paddings=((0, 0), (0, more), *[(0, 0)] * (x.ndim - 2))) if more > 0 else x
