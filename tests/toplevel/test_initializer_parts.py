"""Initializers of parts of variables, and values that are none."""

import pytest

import gradtape as tf

PART = {"partition_shape": (2, 2), "partition_offset": (0, 0)}


@pytest.mark.parametrize(
    "initializer",
    [
        tf.zeros_initializer(),
        tf.ones_initializer(),
        tf.constant_initializer(7, support_partition=True),
        tf.random_normal_initializer(),
        tf.random_normal_initializer(seed=1),
        tf.random_uniform_initializer(),
        tf.random_uniform_initializer(seed=1),
    ],
    ids=lambda i: type(i).__name__,
)
def test_a_part_has_its_own_shape(initializer):
    assert initializer((4, 2), **PART).shape == (2, 2)
    assert initializer((4, 2)).shape == (4, 2)
    with pytest.raises(TypeError, match="foo"):
        initializer((4, 2), foo=1)
    assert type(initializer).from_config(initializer.get_config())((3,)).shape == (3,)


def test_constants_of_parts_are_refused():
    with pytest.raises(ValueError, match="partition"):
        tf.constant_initializer([1, 2, 3, 4])((4, 2), **PART)


@pytest.mark.parametrize("value", [{}, lambda: 1, None])
def test_values_that_are_none(value):
    with pytest.raises(TypeError, match="Invalid type for initial value"):
        tf.constant_initializer(value)
