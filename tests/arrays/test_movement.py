"""Functions that rearrange elements: how arguments may be given, and what is refused."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads
from refusing import refused

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.fixture
def x():
    return tf.constant(CUBE)


@pytest.fixture
def y():
    return tf.constant([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "shape",
    [[6, 4], (6, -1), [-1, 4], np.array([6, 4]), tf.TensorShape([6, 4]), tf.constant([6, -1]), [tf.constant(6), -1]],
    ids=repr,
)
def test_reshape(x, shape):
    np.testing.assert_array_equal(tf.reshape(x, shape).numpy(), CUBE.reshape(6, 4))


def test_reshape_to_vectors_and_scalars(x):
    assert tf.reshape(x, -1).shape == [24]
    assert tf.reshape(x, tf.constant(-1)).shape == [24]
    assert tf.reshape([[5.0]], []).shape == []
    assert isinstance(tf.reshape([[5.0]], []).numpy(), np.float32)


def test_reshape_of_nothing():
    nothing = tf.zeros([0, 3])
    assert tf.reshape(nothing, [-1, 3]).shape == [0, 3]
    assert tf.reshape(nothing, [0, -1]).shape == [0, 3]
    assert tf.reshape(nothing, [3, 0, -1]).shape == [3, 0, 1]


def test_whole_floats_among_sizes(x):
    assert tf.reshape(x, [tf.constant(6.0), 4]).shape == [6, 4]
    assert tf.zeros([tf.constant(2.0), 1]).shape == [2, 1]
    assert tf.tile([[1.0]], [tf.constant(2.0), 3]).shape == [2, 3]
    assert tf.function(lambda n: tf.tile([[1.0]], [n, 3]))(tf.constant(2.0)).shape == [2, 3]
    refused(lambda: tf.tile([[1.0]], [tf.constant(2.5), 3]), "must be integers", TypeError)
    refused(lambda: tf.tile([[1.0]], [2.0, 3.0]), "must be integers", TypeError)


def test_reshape_refuses(x):
    refused(lambda: tf.reshape(x, [-1, -1]), "only one input size may be -1")
    refused(lambda: tf.reshape(x, [-2, 12]), "size 0 must be non-negative, not -2")
    refused(lambda: tf.reshape(x, [5, -1]), "24 elements, which .* cannot hold")
    refused(lambda: tf.reshape(x, [5]), "tensor with 24 values, but the requested shape has 5")
    refused(lambda: tf.reshape(x, [0, -1]), "cannot hold")
    refused(lambda: tf.reshape(x, (4, -6.0)), "must be integers", TypeError)
    refused(lambda: tf.reshape(x, [[6, 4]]), "must be a vector of ints")


def test_transpose(x):
    np.testing.assert_array_equal(tf.transpose(x).numpy(), CUBE.transpose())
    for perm in ([0, 2, 1], (0, -1, 1), tf.constant([0, 2, 1])):
        np.testing.assert_array_equal(tf.transpose(x, perm).numpy(), CUBE.transpose(0, 2, 1))
    assert tf.transpose(5.0).numpy() == 5.0
    np.testing.assert_array_equal(tf.transpose([[1j, 2.0]], conjugate=True).numpy(), [[-1j], [2.0]])
    np.testing.assert_array_equal(tf.transpose([[1, 2]], conjugate=True).numpy(), [[1], [2]])
    refused(lambda: tf.transpose(x, [0, 1]), "perm is .0, 1., but x is f32.2,3,4.")
    refused(lambda: tf.transpose(x, [0, 1, 5]), "name each axis from 0 to 2 once")


def test_matrix_transpose(x):
    np.testing.assert_array_equal(tf.linalg.matrix_transpose(x).numpy(), CUBE.swapaxes(1, 2))
    np.testing.assert_array_equal(tf.linalg.matrix_transpose([[1j]], conjugate=True).numpy(), [[-1j]])
    refused(lambda: tf.linalg.matrix_transpose([1.0]), "rank 2", ValueError)


def test_expand_dims(x):
    assert tf.expand_dims(x, 0).shape == [1, 2, 3, 4]
    assert tf.expand_dims(x, -1).shape == [2, 3, 4, 1]
    assert tf.expand_dims(x, tf.constant(1)).shape == [2, 1, 3, 4]
    assert tf.expand_dims(1.0, 0).shape == [1]
    refused(lambda: tf.expand_dims(x, 4), "axis is 4")
    refused(lambda: tf.expand_dims(x, [0, 1]), "must be a scalar .0-D., a single int")


def test_squeeze(x):
    thin = tf.reshape(x, [1, 2, 1, 12])
    assert tf.squeeze(thin).shape == [2, 12]
    assert tf.squeeze(thin, 0).shape == [2, 1, 12]
    assert tf.squeeze(thin, [-2]).shape == [1, 2, 12]
    assert tf.squeeze(thin, [0, 2]).shape == [2, 12]
    assert tf.squeeze([[3.0]]).shape == []
    refused(lambda: tf.squeeze(thin, 1), "axis 1 of input.*has length 2")
    refused(lambda: tf.squeeze(thin, 4), "axis is 4")


def test_broadcast_to(y):
    np.testing.assert_array_equal(tf.broadcast_to(y, [2, 3]).numpy(), [[1, 2, 3], [1, 2, 3]])
    assert tf.broadcast_to(1.0, tf.constant([2, 0])).shape == [2, 0]
    assert tf.broadcast_to(1.0, tf.TensorShape([4])).shape == [4]
    refused(lambda: tf.broadcast_to(y, [3, 2]), "does not broadcast")
    refused(lambda: tf.broadcast_to(y, [-1]), "must not be negative")


def test_tile(y):
    np.testing.assert_array_equal(tf.tile(y, [2]).numpy(), [1, 2, 3, 1, 2, 3])
    assert tf.tile(tf.expand_dims(y, 1), tf.constant([2, 3])).shape == [6, 3]
    refused(lambda: tf.tile(y, 2), "vector of ints")
    refused(lambda: tf.tile(y, [2, 2]), "multiples has 2 entries")
    refused(lambda: tf.tile(y, [-1]), "negative")


def test_repeat(x, y):
    np.testing.assert_array_equal(tf.repeat(y, 2).numpy(), np.repeat(y.numpy(), 2))
    np.testing.assert_array_equal(tf.repeat(y, [1, 0, 2]).numpy(), [1, 3, 3])
    np.testing.assert_array_equal(tf.repeat(x, 2).numpy(), np.repeat(CUBE, 2))
    np.testing.assert_array_equal(tf.repeat(x, 2, axis=1).numpy(), np.repeat(CUBE, 2, axis=1))
    np.testing.assert_array_equal(tf.repeat(x, tf.constant([3, 0]), axis=0).numpy(), np.repeat(CUBE, [3, 0], axis=0))
    np.testing.assert_array_equal(tf.repeat(x, [1, 2, 1], axis=-2).numpy(), np.repeat(CUBE, [1, 2, 1], axis=1))
    np.testing.assert_array_equal(tf.repeat(y, [2]).numpy(), np.repeat(y.numpy(), 2))
    assert tf.repeat(tf.zeros([0]), 2).shape == [0]
    refused(lambda: tf.repeat(x, [1, 2], axis=1), "repeats has 2 entries, axis 1 of input has length 3", ValueError)
    refused(lambda: tf.repeat(y, -1), "must be a non-negative int")
    refused(lambda: tf.repeat(y, 1.5), "repeats must be")


def test_gradient_of_repeat_is_dense(y):
    with tf.GradientTape() as tape:
        tape.watch(y)
        z = tf.repeat(y, [1, 0, 2])
    np.testing.assert_array_equal(tape.gradient(z, y).numpy(), [1, 0, 2])
    check_grads(lambda t: tf.repeat(t, 3, axis=1), [np.ones((2, 2))], order=2)


def test_reverse(x):
    np.testing.assert_array_equal(tf.reverse(x, [0, -1]).numpy(), CUBE[::-1, :, ::-1])
    refused(lambda: tf.reverse(x, 0), "vector of ints")
    refused(lambda: tf.reverse(x, [0, -3]), "twice")
    refused(lambda: tf.reverse(x, [3]), "axis is 3")


def test_roll(x, y):
    np.testing.assert_array_equal(tf.roll(y, 1, 0).numpy(), [3, 1, 2])
    np.testing.assert_array_equal(tf.roll(x, [1, -2], [0, -1]).numpy(), np.roll(CUBE, (1, -2), (0, 2)))
    np.testing.assert_array_equal(tf.roll(x, [1, 2], [1, 1]).numpy(), CUBE)
    refused(lambda: tf.roll(x, 1, [0, 1]), "shift and axis must have the same size")
    refused(lambda: tf.roll(y, [1], 0), "shift and axis must have the same size")
    refused(lambda: tf.roll(y, 1, 1), "axis is 1")
    refused(lambda: tf.roll(1.0, 1, 0), "a scalar")


def test_pad(y):
    np.testing.assert_array_equal(tf.pad(y, [[1, 2]]).numpy(), [0, 1, 2, 3, 0, 0])
    for value in (5, 5.0, tf.constant(5.0), np.float64(5)):
        np.testing.assert_array_equal(
            tf.pad(y, tf.constant([[1, 2]]), constant_values=value).numpy(), [5, 1, 2, 3, 5, 5]
        )
    np.testing.assert_array_equal(tf.pad(y, [[1, 2]], "reflect").numpy(), [2, 1, 2, 3, 2, 1])
    np.testing.assert_array_equal(tf.pad(y, [[1, 3]], mode="Symmetric").numpy(), [1, 1, 2, 3, 3, 2, 1])
    np.testing.assert_array_equal(tf.pad(["a"], [[1, 0]]).numpy(), [b"", b"a"])
    assert tf.pad(1.0, tf.zeros([0, 2], tf.int32)).numpy() == 1.0


def test_pad_refuses(y):
    refused(lambda: tf.pad(y, [[1, 2]], "edge"), "mode must be one of .*, got 'edge'", ValueError)
    refused(lambda: tf.pad(y, [[1, 3]], "REFLECT"), "from 0 to 2 for mode 'reflect'")
    refused(lambda: tf.pad(y, [[1, 4]], "SYMMETRIC"), "from 0 to 3 for mode 'symmetric'")
    refused(lambda: tf.pad(y, [[-1, 2]]), "not be negative")
    refused(lambda: tf.pad(y, [1, 2]), "a list of pairs")
    refused(lambda: tf.pad(y, [[1, 2], [1, 2]]), "paddings has 2 pairs")
    refused(lambda: tf.pad([1, 2], [[1, 1]], constant_values=1.5), "int32", TypeError)


def test_identity(y):
    copy = tf.identity(y)
    assert copy is not y
    np.testing.assert_array_equal(copy.numpy(), y.numpy())
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        a, b = tf.identity_n([v, v * 3.0])
    assert tape.gradient([a, b], v).numpy() == 4.0


def test_variables_of_loose_shape_are_measured_when_read():
    v = tf.Variable([1.0, 2.0], shape=[None])
    v.assign([1.0, 2.0, 3.0, 4.0])
    assert tf.reshape(v, [2, -1]).shape == [2, 2]
    assert tf.expand_dims(v, 0).shape == [1, 4]
    assert tf.repeat(v, 2).shape == [8]


def test_gradients_reach_variables():
    v = tf.Variable(CUBE)
    functions = [
        lambda t: tf.reshape(t, [-1]), tf.transpose, lambda t: tf.expand_dims(t, 1), tf.squeeze,
        lambda t: tf.tile(t, [1, 1, 1]), lambda t: tf.roll(t, 1, 0), lambda t: tf.reverse(t, [0]),
    ]  # fmt: skip
    for function in functions:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(function(v) * 2.0)
        np.testing.assert_array_equal(tape.gradient(y, v).numpy(), np.full_like(CUBE, 2.0))


TWICE = {
    "tile": lambda t: tf.tile(t, [2, 1, 3]),
    "repeat": lambda t: tf.repeat(t, 2, axis=1),
    "repeat each": lambda t: tf.repeat(t, [2, 0, 1], axis=-2),
    "roll": lambda t: tf.roll(t, [1, -2], [0, 2]),
    "pad": lambda t: tf.pad(t, [[1, 0], [0, 2], [1, 1]], constant_values=3.0),
    "pad reflect": lambda t: tf.pad(t, [[1, 1], [2, 0], [0, 3]], "REFLECT"),
    "pad symmetric": lambda t: tf.pad(t, [[2, 1], [0, 3], [4, 0]], "SYMMETRIC"),
    "meshgrid": lambda t: tf.meshgrid(t[0, 0], t[1, 2]),
    "linspace": lambda t: tf.linspace(t[0], t[1], 4, axis=1),
    "one_hot": lambda t: tf.one_hot([0, 2, 5], 3, t[0, 0, 0], t[1, 1, 1]),
    "tensordot": lambda t: tf.tensordot(t, t, [[0, 2], [0, 2]]),
}


@pytest.mark.parametrize("name", TWICE)
def test_twice_differentiable_and_mapped(name):
    """Second derivatives of a nonlinear function around the movement, and a map against a loop."""
    function = TWICE[name]
    check_grads(lambda t: function(tf.sin(t)), [CUBE / 9.0], order=2)
    many = tf.constant(np.stack([CUBE, CUBE[::-1], -CUBE]).astype(np.float64))
    mapped = tf.nest.flatten(tf.vectorized_map(function, many, fallback_to_while_loop=False))
    rows = [tf.nest.flatten(function(row)) for row in many]
    for k, found in enumerate(mapped):
        np.testing.assert_allclose(found.numpy(), np.stack([row[k].numpy() for row in rows]), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "complex64", "int8", "bool", "string"])
def test_movements_take_any_dtype(dtype):
    t = tf.constant([["a", "b"], ["c", "d"]]) if dtype == "string" else tf.cast([[0, 1], [2, 3]], dtype)
    for function in (
        lambda t: tf.tile(t, [1, 2]), lambda t: tf.repeat(t, [1, 2], axis=0), lambda t: tf.roll(t, 1, 1),
        lambda t: tf.pad(t, [[0, 1], [1, 0]]), lambda t: tf.pad(t, [[0, 1], [1, 0]], "SYMMETRIC"),
        lambda t: tf.gather(t, [1], axis=1), lambda t: tf.gather_nd(t, [[0, 1]]),
        lambda t: tf.boolean_mask(t, [True, False]), lambda t: tf.tensor_scatter_nd_update(t, [[0]], t[1:]),
        lambda t: tf.meshgrid(t[0])[0],
    ):  # fmt: skip
        assert function(t).dtype.name == dtype


def test_repeat_of_nothing_and_wrong_axes():
    assert tf.repeat(tf.zeros([0]), []).shape == [0]
    refused(
        lambda: tf.repeat([[1, 2]], [[1, 2]], axis=1),
        "repeats must be a non-negative int, or a vector of them",
        ValueError,
    )
    refused(lambda: tf.repeat([[1, 2]], 2, axis=2), "`axis` = 2 not in range", ValueError)


def test_more_elements_than_an_index_can_count():
    refused(lambda: tf.tile(tf.ones([1, 1, 1]), [10**8] * 3), "more elements than")
    refused(lambda: tf.reshape([1], [21943, 45817, 30516, 61760, 38987]), "too many elements")
