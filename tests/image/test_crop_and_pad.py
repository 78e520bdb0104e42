"""Crops, frames, and crops of boxes."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.image._crop_and_resize import crops
from gradtape.testing import check_grads

IMAGE = np.arange(60.0).reshape(5, 6, 2)


def test_central_crop():
    assert np.array_equal(tf.image.central_crop(IMAGE, 0.5), IMAGE[1:4, 1:5])
    assert np.array_equal(tf.image.central_crop(np.stack([IMAGE] * 2), tf.constant(0.2))[1], IMAGE[2:3, 2:4])
    assert np.array_equal(tf.image.central_crop(IMAGE, 1.0), IMAGE)
    crop = tf.function(lambda fraction: tf.image.central_crop(IMAGE, fraction))
    assert np.array_equal(crop(tf.constant(0.5)), IMAGE[1:4, 1:5])
    for fraction in (0.0, 1.01, -1.0):
        with pytest.raises(ValueError, match=r"central_fraction must be within \(0, 1\]"):
            tf.image.central_crop(IMAGE, fraction)


def test_bounding_boxes():
    assert np.array_equal(tf.image.crop_to_bounding_box(IMAGE, 1, 2, 3, 4), IMAGE[1:4, 2:6])
    padded = tf.image.pad_to_bounding_box(IMAGE[None], 1, 2, 9, 10)
    assert np.array_equal(padded, np.pad(IMAGE[None], ((0, 0), (1, 3), (2, 2), (0, 0))))
    check_grads(lambda x: tf.image.crop_to_bounding_box(x, 1, 1, 2, 2) ** 2, (IMAGE,))
    check_grads(lambda x: tf.image.pad_to_bounding_box(x, 1, 1, 7, 8) ** 2, (IMAGE,))


@pytest.mark.parametrize("size", [(3, 9), (8, 2), (4, 5), (5, 6), (9, 11)])
def test_crop_or_pad_is_even(size):
    found = tf.image.resize_with_crop_or_pad(IMAGE, *size).numpy()
    wanted = np.zeros((*size, 2))
    for i in range(size[0]):
        for j in range(size[1]):
            y, x = (k - (n - m) // 2 if n > m else k + (m - n) // 2 for k, n, m in ((i, size[0], 5), (j, size[1], 6)))
            if 0 <= y < 5 and 0 <= x < 6:
                wanted[i, j] = IMAGE[y, x]
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.image.crop_to_bounding_box(IMAGE, 0, -1, 2, 2), "offset_width must be >= 0."),
        (lambda: tf.image.crop_to_bounding_box(IMAGE, -1, 0, 2, 2), "offset_height must be >= 0."),
        (lambda: tf.image.crop_to_bounding_box(IMAGE, 0, 0, 2, 0), "target_width must be > 0."),
        (lambda: tf.image.crop_to_bounding_box(IMAGE, 0, 0, 0, 2), "target_height must be > 0."),
        (lambda: tf.image.crop_to_bounding_box(IMAGE, 0, 5, 2, 2), "width must be >= target + offset."),
        (lambda: tf.image.crop_to_bounding_box(IMAGE, 4, 0, 2, 2), "height must be >= target + offset."),
        (lambda: tf.image.pad_to_bounding_box(IMAGE, 0, 0, 4, 6), "height must be <= target - offset"),
        (lambda: tf.image.pad_to_bounding_box(IMAGE, 0, 1, 5, 6), "width must be <= target - offset"),
        (lambda: tf.image.pad_to_bounding_box(IMAGE, -1, 0, 5, 6), "offset_height must be >= 0"),
        (lambda: tf.image.resize_with_crop_or_pad(IMAGE, 0, 6), "target_height must be > 0."),
        (lambda: tf.image.resize_with_crop_or_pad(IMAGE[0], 2, 2), "must have either 3 or 4 dimensions"),
    ],
)
def test_what_does_not_fit(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert message in str(caught.value)
    assert str(caught.value).count("\n") == 2


BOXES = np.array(
    [[0, 0, 1, 1], [0.1, 0.2, 0.85, 0.9], [0.95, 0.8, 0.1, 0.25], [-0.2, -0.3, 1.3, 1.4], [0.5, 0.55, 0.5, 0.55]]
)
INDICES = np.array([0, 1, 0, 1, 0])


def cropped(image, boxes, indices, size, nearest, outside):
    """Pixel by pixel."""
    height, width = image.shape[1:3]
    result = np.full((len(boxes), *size, image.shape[3]), outside)
    for b, (y1, x1, y2, x2) in enumerate(boxes):
        for i in range(size[0]):
            for j in range(size[1]):
                y = (y1 + (y2 - y1) * (i / (size[0] - 1) if size[0] > 1 else 0.5)) * (height - 1)
                x = (x1 + (x2 - x1) * (j / (size[1] - 1) if size[1] > 1 else 0.5)) * (width - 1)
                if not (0 <= y <= height - 1 and 0 <= x <= width - 1):
                    continue
                picture = image[indices[b]]
                if nearest:
                    result[b, i, j] = picture[int(y + 0.5), int(x + 0.5)]
                    continue
                top, left = int(y), int(x)
                bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
                upper = picture[top, left] * (1 - x + left) + picture[top, right] * (x - left)
                lower = picture[bottom, left] * (1 - x + left) + picture[bottom, right] * (x - left)
                result[b, i, j] = upper * (1 - y + top) + lower * (y - top)
    return result


@pytest.mark.parametrize("nearest", [False, True])
@pytest.mark.parametrize("size", [(4, 3), (1, 1), (5, 6), (1, 4)])
def test_crop_and_resize(nearest, size, random):
    image = random.normal(size=(2, 5, 6, 2))
    method = "nearest" if nearest else "bilinear"
    found = tf.image.crop_and_resize(image, BOXES, INDICES, size, method, extrapolation_value=-7.0)
    assert found.dtype == tf.float32
    np.testing.assert_allclose(found, cropped(image, BOXES, INDICES, size, nearest, -7.0), rtol=1e-4, atol=1e-5)


def test_the_whole_image_is_a_crop_of_itself_in_every_size():
    for n in range(2, 40):
        found = tf.image.crop_and_resize(np.ones((1, n, 7, 1)), [[0.0, 0.0, 1.0, 1.0]], [0], [11, 13])
        assert np.all(found.numpy() == 1.0)


def test_crops_have_derivatives_by_image_and_boxes(random):
    image = random.normal(size=(2, 4, 5, 1))
    boxes = np.array([[0.11, 0.23, 0.87, 0.94], [0.9, 0.77, 0.13, 0.28], [-0.21, 0.1, 0.8, 1.31]])
    check_grads(lambda x, b: crops(x, b, tf.constant([0, 1, 1]), (3, 2), False, 0.0), (image, boxes))
    check_grads(lambda x: crops(x, tf.constant(boxes), tf.constant([0, 1, 1]), (3, 2), True, 0.0), (image,))
    with tf.GradientTape() as tape:
        corners = tf.constant(boxes)
        tape.watch(corners)
        y = tf.image.crop_and_resize(image, corners, [0, 1, 1], [3, 2], "nearest")
    assert tape.gradient(y, corners) is None


def test_the_slope_at_a_pixel_is_one_of_its_sides():
    ramp = tf.constant(np.arange(4.0).reshape(1, 4, 1, 1) ** 2, tf.float32)
    boxes = tf.constant([[1 / 3, 0.0, 1.0, 0.0]])
    with tf.GradientTape() as tape:
        tape.watch(boxes)
        y = tf.image.crop_and_resize(ramp, boxes, [0], [2, 1])[0, :, 0, 0]
    assert y.numpy().tolist() == [1.0, 9.0]
    assert tape.gradient(y, boxes).numpy()[0, [0, 2]].tolist() == [9.0, 15.0]


def test_integers_become_floats_and_numbers_are_checked():
    image = np.arange(8, dtype=np.uint8).reshape(1, 2, 4, 1)
    assert tf.image.crop_and_resize(image, [[0.0, 0.0, 1.0, 1.0]], [0], [2, 4]).numpy().ravel().tolist() == list(
        range(8)
    )
    with pytest.raises(tf.errors.OutOfRangeError, match=r"box_index has values outside \[0, batch_size\)"):
        tf.image.crop_and_resize(image, [[0.0, 0.0, 1.0, 1.0]], [1], [2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="element that is not finite"):
        tf.image.crop_and_resize(image, [[0.0, 0.0, np.inf, 1.0]], [0], [2, 2])
    with pytest.raises(ValueError, match=r"boxes is f32\[4\]"):
        tf.image.crop_and_resize(image, [0.0, 0.0, 1.0, 1.0], [0], [2, 2])
    with pytest.raises(ValueError, match="crop_size is"):
        tf.image.crop_and_resize(image, [[0.0, 0.0, 1.0, 1.0]], [0], [2, 0])
    with pytest.raises(ValueError, match="method is 'cubic'"):
        tf.image.crop_and_resize(image, [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2], "cubic")
    with pytest.raises(ValueError, match="must have 4 dimensions"):
        tf.image.crop_and_resize(image[0], [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2])


@pytest.mark.parametrize(
    ("box", "number", "error"),
    [
        ([0.0, float("nan"), 1.0, 1.0], 0, tf.errors.InvalidArgumentError),
        ([0.0, 0.0, float("inf"), 1.0], 0, tf.errors.InvalidArgumentError),
        ([0.0, 0.0, 1.0, 1.0], 3, tf.errors.OutOfRangeError),
        ([0.0, 0.0, 1.0, 1.0], -1, tf.errors.OutOfRangeError),
    ],
)
def test_boxes_are_refused_in_functions_too(box, number, error):
    def crop(box, number):
        return tf.image.crop_and_resize(tf.ones([1, 4, 4, 1]), box[None], number[None], [2, 2])

    box, number = tf.constant(box), tf.constant(number)
    for call in (
        lambda: crop(box, number),
        lambda: tf.function(crop)(box, number),
        lambda: tf.vectorized_map(lambda pair: crop(*pair), (box[None], number[None])),
        lambda: tf.function(lambda b, n: tf.vectorized_map(lambda pair: crop(*pair), (b[None], n[None])))(box, number),
    ):
        with pytest.raises(error):
            call()
