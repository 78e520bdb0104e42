"""Random changes of images: their range, their seeds, their gradients."""

import numpy as np
import pytest

import gradtape as tf

IMAGE = np.random.default_rng(5).uniform(0.2, 0.8, size=(3, 4, 3)).astype(np.float32)
# name, arguments
CHANGES = [
    ("brightness", (0.2,)),
    ("contrast", (0.5, 1.5)),
    ("hue", (0.3,)),
    ("saturation", (0.5, 1.5)),
    ("flip_left_right", ()),
    ("flip_up_down", ()),
    ("crop", ((2, 2, 3),)),
]
IDS = [name for name, _ in CHANGES]


@pytest.mark.parametrize(("name", "arguments"), CHANGES, ids=IDS)
def test_seeds(name, arguments):
    stateful, stateless = getattr(tf.image, f"random_{name}"), getattr(tf.image, f"stateless_random_{name}")

    def draws(count=12):
        return [stateful(IMAGE, *arguments, seed=3).numpy() for _ in range(count)]

    tf.random.set_seed(1)
    first = draws()
    tf.random.set_seed(1)
    assert all(np.array_equal(a, b) for a, b in zip(first, draws(), strict=True))
    assert any(not np.array_equal(first[0], other) for other in first)
    seeded = [stateless(IMAGE, *arguments, seed=(1, i)).numpy() for i in range(12)]
    assert any(not np.array_equal(seeded[0], other) for other in seeded)
    assert np.array_equal(seeded[3], stateless(IMAGE, *arguments, seed=tf.constant([1, 3])))


@pytest.mark.parametrize(("name", "arguments"), CHANGES, ids=IDS)
def test_gradients_flow(name, arguments):
    x = tf.Variable(IMAGE)
    with tf.GradientTape() as tape:
        y = getattr(tf.image, f"stateless_random_{name}")(x, *arguments, seed=(1, 2))
    assert np.all(np.isfinite(tape.gradient(y, x).numpy()))
    whole = (IMAGE * 255).astype(np.uint8)
    assert getattr(tf.image, f"random_{name}")(whole, *arguments).dtype == tf.uint8


def test_range_of_brightness():
    deltas = [float(tf.image.random_brightness(tf.zeros([1, 1, 1]), 0.2)[0, 0, 0]) for _ in range(200)]
    assert -0.2 <= min(deltas) < -0.15
    assert 0.15 < max(deltas) <= 0.2


def test_each_image_of_a_batch_has_its_own_coin():
    x = np.arange(400.0).reshape(100, 2, 2, 1)
    for flip, axis in ((tf.image.random_flip_left_right, 2), (tf.image.random_flip_up_down, 1)):
        found = flip(x, seed=1).numpy()
        mirrored = [np.array_equal(a, np.flip(b, axis - 1)) for a, b in zip(found, x, strict=True)]
        same = [np.array_equal(a, b) for a, b in zip(found, x, strict=True)]
        assert all(m or s for m, s in zip(mirrored, same, strict=True))
        assert 30 < sum(mirrored) < 70


def test_crops_reach_every_place():
    x = np.arange(12).reshape(3, 4)
    seen = set()
    for i in range(100):
        crop = tf.image.stateless_random_crop(x, (2, 3), seed=(i, 0)).numpy()
        top, left = divmod(int(crop[0, 0]), 4)
        assert np.array_equal(crop, x[top : top + 2, left : left + 3])
        seen.add((top, left))
    assert seen == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert tf.image.random_crop(7, []).numpy() == 7


def test_examples_of_a_vectorised_program_differ():
    x = tf.constant(np.stack([IMAGE] * 20))
    for change in (lambda v: tf.image.random_hue(v, 0.4), lambda v: tf.image.random_crop(v, (2, 2, 3))):
        found = tf.vectorized_map(change, x).numpy()
        assert any(not np.array_equal(found[0], other) for other in found)


@pytest.mark.parametrize("prefix", ["random_", "stateless_random_"])
@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("brightness", (-0.1,), "max_delta must be non-negative"),
        ("hue", (0.6,), "max_delta must be <= 0.5"),
        ("hue", (-0.1,), "max_delta must be non-negative"),
        ("contrast", (0.5, 0.5), "upper must be > lower"),
        ("contrast", (-0.5, 0.5), "lower must be non-negative"),
        ("saturation", (0.7, 0.5), "upper must be > lower"),
        ("saturation", (-0.7, 0.5), "lower must be non-negative"),
        ("crop", ((9, 9, 3),), "Need value.shape >= size"),
        ("crop", ((2, 2),), "give a length for each axis"),
    ],
)
def test_ranges_that_are_refused(prefix, name, arguments, message):
    with pytest.raises(ValueError, match=message):
        getattr(tf.image, prefix + name)(IMAGE, *arguments, seed=(1, 2) if "stateless" in prefix else 1)


def test_a_stateless_function_needs_a_seed():
    with pytest.raises(ValueError, match="seed is None"):
        tf.image.stateless_random_saturation(IMAGE, 0.5, 1.5)
