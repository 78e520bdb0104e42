"""Boxes: drawn, sampled and proposed. Suppression itself is checked in the samples of its ops."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

BOXES = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 0.5, 1, 1.5], [2, 2, 3, 3], [3, 3.1, 2, 2.1]])
SCORES = np.array([0.9, 0.75, 0.6, 0.95, 0.5])


def test_suppression():
    assert tf.image.non_max_suppression(BOXES, SCORES, 5).numpy().tolist() == [3, 0, 2]
    assert tf.image.non_max_suppression(BOXES, SCORES, 2).numpy().tolist() == [3, 0]
    assert tf.image.non_max_suppression(BOXES, SCORES, 5, 0.9).numpy().tolist() == [3, 0, 1, 2, 4]
    assert tf.image.non_max_suppression(BOXES, SCORES, 5, score_threshold=0.7).numpy().tolist() == [3, 0]
    assert tf.image.non_max_suppression(np.zeros((0, 4)), np.zeros(0), 5).numpy().tolist() == []
    with pytest.raises(ValueError, match=r"iou_threshold must be in \[0, 1\], it is 1.5"):
        tf.image.non_max_suppression(BOXES, SCORES, 5, 1.5)
    with pytest.raises(ValueError, match=r"boxes is f64\[5,4\], scores is f64\[4\]"):
        tf.image.non_max_suppression(BOXES, SCORES[:4], 5)


def test_suppression_in_blocks(random):
    corners = random.uniform(size=(500, 2))
    boxes = np.concatenate((corners, corners + 0.05), axis=1)
    scores = random.permutation(500) / 500
    table = [[max(0, 0.05 - abs(a[0] - b[0])) * max(0, 0.05 - abs(a[1] - b[1])) for b in corners] for a in corners]
    overlaps = np.array(table) / (0.005 - np.array(table))
    found = tf.image.non_max_suppression(boxes, scores, 400, 0.3)
    assert 200 < len(found) < 400
    assert np.array_equal(found, tf.image.non_max_suppression_overlaps(overlaps, scores, 400, 0.3))


def test_scores_of_soft_suppression():
    indices, scores = tf.image.non_max_suppression_with_scores(BOXES, SCORES, 5, soft_nms_sigma=0.5)
    assert indices.numpy().tolist() == [3, 0, 2, 1, 4]
    # Boxes 0 and 2 share a third of their union, 1 and 2 share 0.6 / 1.4, 0 and 1 share 0.9 / 1.1, 3 and 4 the same.
    near, half, third = np.exp(-((0.9 / 1.1) ** 2)), np.exp(-((0.6 / 1.4) ** 2)), np.exp(-1 / 9)
    np.testing.assert_allclose(scores, [0.95, 0.9, 0.6 * third, 0.75 * near * half, 0.5 * near], rtol=1e-12)
    plain = tf.image.non_max_suppression_with_scores(BOXES, SCORES, 5)
    assert plain[0].numpy().tolist() == [3, 0, 2]
    assert plain[1].numpy().tolist() == [0.95, 0.9, 0.6]
    with pytest.raises(ValueError, match="soft_nms_sigma must not be negative"):
        tf.image.non_max_suppression_with_scores(BOXES, SCORES, 5, soft_nms_sigma=-1.0)


def test_scores_have_derivatives():
    def soft(boxes, scores):
        return tf.image.non_max_suppression_with_scores(boxes, scores, 5, soft_nms_sigma=0.5)[1]

    # Corners apart from one another, where areas are smooth.
    corners = np.linspace(0.2, 0.5, 10)[[3, 8, 1, 6, 9, 0, 4, 7, 2, 5]].reshape(5, 2)
    check_grads(soft, (np.concatenate((corners, corners + 0.317), axis=1), SCORES))
    check_grads(lambda s: tf.image.non_max_suppression_with_scores(BOXES, s, 5)[1] ** 2, (SCORES,))


def test_padded_suppression():
    indices, count = tf.image.non_max_suppression_padded(BOXES, SCORES, 4)
    assert (indices.numpy().tolist(), count.numpy()) == ([3, 0, 2], 3)
    batch = tf.image.non_max_suppression_padded(
        np.stack([BOXES, BOXES[::-1]]), np.stack([SCORES, SCORES]), 4, pad_to_max_output_size=True
    )
    for k, boxes in enumerate((BOXES, BOXES[::-1])):
        alone = tf.image.non_max_suppression(boxes, SCORES, 4).numpy().tolist()
        assert batch[0][k].numpy().tolist() == (alone + [0] * 4)[:4]
        assert batch[1][k].numpy() == len(alone)
    with pytest.raises(ValueError, match="must be True for batched input"):
        tf.image.non_max_suppression_padded(BOXES[None], SCORES[None], 4)


def combined(boxes, scores, per_class, total, overlap, least, clip):
    """One example, by calls for each class."""
    found = []
    for c in range(scores.shape[1]):
        own = boxes[:, min(c, boxes.shape[1] - 1)]
        chosen = tf.image.non_max_suppression(own, scores[:, c], per_class, overlap, least).numpy()
        found += [(scores[i, c], c, own[i]) for i in chosen]
    found = sorted(found, key=lambda f: -f[0])[:total]
    rows = [np.clip(f[2], 0, 1) if clip else f[2] for f in found] + [np.zeros(4)] * (total - len(found))
    return rows, [f[0] for f in found] + [0] * (total - len(found)), [f[1] for f in found], len(found)


@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize("clip", [True, False])
def test_combined_suppression(q, clip, random):
    corners = random.uniform(-0.2, 0.8, size=(2, 12, q, 2))
    boxes = np.concatenate((corners, corners + random.uniform(0.1, 0.5, size=(2, 12, q, 2))), axis=-1)
    scores = random.uniform(size=(2, 12, 3))
    for per_class, total in ((3, 5), (4, 40)):
        found = tf.image.combined_non_max_suppression(boxes, scores, per_class, total, 0.3, 0.4, clip_boxes=clip)
        for k in range(2):
            rows, best, classes, count = combined(boxes[k], scores[k], per_class, total, 0.3, 0.4, clip)
            np.testing.assert_allclose(found.nmsed_boxes[k], rows)
            np.testing.assert_allclose(found.nmsed_scores[k], best)
            assert found.nmsed_classes[k].numpy().tolist()[:count] == classes
            assert found.valid_detections[k].numpy() == count
    padded = tf.image.combined_non_max_suppression(boxes, scores, 4, 40, pad_per_class=True)
    assert padded.nmsed_scores.shape == [2, 12]


def test_combined_suppression_has_derivatives_and_checks(random):
    corners = random.uniform(0.1, 0.5, size=(1, 5, 1, 2))
    boxes = np.concatenate((corners, corners + 0.3), axis=-1)
    scores = random.uniform(size=(1, 5, 2))
    check_grads(lambda b, s: tf.image.combined_non_max_suppression(b, s, 3, 8, 0.3)[:2], (boxes, scores))
    with pytest.raises(ValueError, match="scores \\[batch, n, classes\\]"):
        tf.image.combined_non_max_suppression(boxes, scores[0], 3, 4)
    with pytest.raises(ValueError, match="the sizes must be positive"):
        tf.image.combined_non_max_suppression(boxes, scores, 0, 4)


def drawn(shape, box):
    """A frame on zeros, line by line."""
    image = np.zeros(shape)
    top, left, bottom, right = (int(c * (n - 1)) for c, n in zip(box, shape * 2, strict=True))
    for y in range(shape[0]):
        for x in range(shape[1]):
            on_row = y in (top, bottom) and left <= x <= right
            on_column = x in (left, right) and top <= y <= bottom
            image[y, x] = on_row or on_column
    return image


@pytest.mark.parametrize(
    "box",
    [
        (0.1, 0.2, 0.6, 0.7),
        (0, 0, 1, 1),
        (-0.5, -0.5, 0.3, 0.3),
        (0.5, 0.5, 1.5, 1.5),
        (1.2, 1.2, 1.5, 1.5),
        (0.8, 0.8, 0.2, 0.2),
    ],
)
def test_frames(box):
    found = tf.image.draw_bounding_boxes(np.zeros((1, 9, 11, 1)), [[box]], [[1.0]])
    assert np.array_equal(found[0, ..., 0], drawn((9, 11), box))


def test_colours_of_frames():
    boxes = np.array([[[0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75], [0.5, 0.5, 0.5, 0.5]]])
    x = np.zeros((1, 5, 5, 3))
    cycled = tf.image.draw_bounding_boxes(x, boxes, [[1.0, 0.0, 0.0], [0.0, 0.5, 0.0]]).numpy()
    assert [cycled[0, k, k].tolist() for k in range(3)] == [[1, 0, 0], [0, 0.5, 0], [1, 0, 0]]
    palette = tf.image.draw_bounding_boxes(x, boxes, None).numpy()
    assert [palette[0, k, k].tolist() for k in range(3)] == [[1, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert tf.image.draw_bounding_boxes(x[..., :1], boxes, None).numpy()[0, 1, 1].tolist() == [1]
    check_grads(lambda v, c: tf.image.draw_bounding_boxes(v, boxes, c) ** 2, (x + 0.5, np.ones((1, 3))))
    with pytest.raises(ValueError, match=r"give colors \[n, 3\]"):
        tf.image.draw_bounding_boxes(x, boxes, [[1.0]])
    with pytest.raises(ValueError, match="no palette for 2 channels"):
        tf.image.draw_bounding_boxes(x[..., :2], boxes, None)
    with pytest.raises(ValueError, match=r"boxes is f64\[3,4\]"):
        tf.image.draw_bounding_boxes(x, boxes[0], None)


def test_sampled_crops_show_enough():
    box = [0.2, 0.3, 0.6, 0.7]
    options = {"min_object_covered": 0.5, "aspect_ratio_range": (0.8, 1.25), "area_range": (0.2, 0.6)}
    seen = set()
    for i in range(50):
        begin, size, crop = tf.image.stateless_sample_distorted_bounding_box(
            [50, 60, 3], [[box]], seed=(i, 1), **options
        )
        (top, left, zero), (rows, columns, rest) = begin.numpy().tolist(), size.numpy().tolist()
        assert (zero, rest) == (0, -1)
        assert 0.2 <= rows * columns / 3000 <= 0.6
        assert 0.75 <= columns / rows <= 1.35
        ends = [top / 50, left / 60, (top + rows) / 50, (left + columns) / 60]
        np.testing.assert_allclose(crop[0, 0], ends, rtol=1e-6)
        common = [max(0, min(box[k + 2], ends[k + 2]) - max(box[k], ends[k])) for k in range(2)]
        assert common[0] * common[1] >= 0.5 * 0.4 * 0.4 - 0.02
        seen.add((top, left, rows, columns))
    assert len(seen) > 40


def test_sampled_crops_by_hidden_state():
    tf.random.set_seed(2)
    first = [tf.image.sample_distorted_bounding_box([50, 60, 3], [[[0.0, 0.0, 1.0, 1.0]]], seed=1)[0] for _ in range(5)]
    tf.random.set_seed(2)
    again = [tf.image.sample_distorted_bounding_box([50, 60, 3], [[[0.0, 0.0, 1.0, 1.0]]], seed=1)[0] for _ in range(5)]
    assert np.array_equal(first, again)
    assert (
        tf.image.sample_distorted_bounding_box(tf.constant([5, 6, 3], tf.int64), [[[0.0, 0.0, 1.0, 1.0]]])[1].dtype
        == tf.int64
    )


def test_sampling_without_boxes():
    nothing = np.zeros((1, 0, 4), np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="No bounding boxes provided as input"):
        tf.image.sample_distorted_bounding_box([50, 60, 3], nothing)
    begin, size, _ = tf.image.sample_distorted_bounding_box([50, 60, 3], nothing, use_image_if_no_bounding_boxes=True)
    assert tf.slice(tf.zeros([50, 60, 3]), begin, size).shape.rank == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"aspect_ratio_range": (0.0, 1.0)}, "aspect_ratio_range must be positive and rise"),
        ({"area_range": (0.9, 0.5)}, "area_range must be positive and rise"),
        ({"area_range": (0.5, 1.5)}, r"area_range must be within \(0, 1\]"),
        ({"min_object_covered": -0.1}, "min_object_covered must be non-negative"),
        ({"max_attempts": 0}, "max_attempts must be positive"),
    ],
)
def test_options_that_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tf.image.sample_distorted_bounding_box([50, 60, 3], [[[0.0, 0.0, 1.0, 1.0]]], **options)


ANCHORS = np.array([[0.0, 0.0, 40.0, 30.0], [10.0, 20.0, 50.0, 80.0]])
INFO = np.array([[90.0, 70.0, 1.0, 0.0, 0.0]])


def test_proposals():
    deltas = np.zeros((1, 1, 2, 8))
    deltas[0, 0, 0, 4:] = [0.1, -0.05, np.log(1.5), np.log(0.5)]
    deltas[0, 0, 1, :4] = [0.0, 0.0, -5.0, 0.0]
    scores = np.array([[[[0.5, 0.9], [0.8, 0.3]]]])
    rois, best = tf.image.generate_bounding_box_proposals(scores, deltas, INFO, ANCHORS, post_nms_topn=4)
    # The second anchor of the first place: middle (30 + 4, 50 - 3), sides 60 and 30. The first one of the second place
    # is too flat to be kept; the last one reaches beyond the right edge.
    wanted = [[4, 32, 64, 62], [0, 0, 40, 30], [10, 20, 50, 70], [0, 0, 0, 0]]
    np.testing.assert_allclose(rois[0], wanted)
    np.testing.assert_allclose(best[0], [0.9, 0.5, 0.3, 0.0])
    few = tf.image.generate_bounding_box_proposals(scores, deltas, INFO, ANCHORS, pre_nms_topn=1, post_nms_topn=2)
    np.testing.assert_allclose(few.roi_probabilities[0], [0.9, 0.0])
    everywhere = np.concatenate([ANCHORS, ANCHORS])
    same = tf.image.generate_bounding_box_proposals(scores, deltas, INFO, everywhere, post_nms_topn=4)
    np.testing.assert_allclose(same.rois, rois)


def test_proposals_have_derivatives_and_checks(random):
    scores, deltas = random.uniform(size=(1, 1, 2, 2)), 0.1 * random.normal(size=(1, 1, 2, 8))
    check_grads(
        lambda s, d: tf.image.generate_bounding_box_proposals(s, d, INFO, ANCHORS, post_nms_topn=3), (scores, deltas)
    )
    with pytest.raises(ValueError, match=r"anchors is f64\[1,4\]"):
        tf.image.generate_bounding_box_proposals(scores, deltas, INFO, ANCHORS[:1])
