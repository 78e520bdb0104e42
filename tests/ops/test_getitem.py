"""Indexing of tensors and variables, and assignment to parts of variables."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

ARRAY = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
KEYS = [
    0,
    -1,
    np.int64(1),
    np.array(1),
    slice(1, 2),
    slice(None, None, -1),
    slice(5, None),
    slice(-10, 10),
    slice(2, 0, -1),
    Ellipsis,
    None,
    (),
    (0, 1),
    (0, 1, 2),
    (slice(None), 0),
    (slice(None), slice(0, 2), slice(None, None, 2)),
    (slice(None), slice(None, None, -2), -1),
    (Ellipsis, 0),
    (0, Ellipsis, slice(1, 3)),
    (1, 2, 3, Ellipsis),
    (None, 0, None, slice(1, 3), None),
    (Ellipsis, None, 0),
    (slice(None), None),
    (0, 1, 2, None),
]


@pytest.fixture
def x():
    return tf.constant(ARRAY)


@pytest.fixture
def v():
    return tf.Variable(np.arange(6, dtype=np.float32).reshape(2, 3))


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_same_as_numpy(x, key):
    np.testing.assert_array_equal(x[key].numpy(), ARRAY[key])
    np.testing.assert_array_equal(tf.Variable(x)[key].numpy(), ARRAY[key])


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_gradient_goes_to_the_part(x, key):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(x[key] * x[key])
    wanted = np.zeros_like(ARRAY)
    wanted[key] = 2 * ARRAY[key]
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), wanted)


def test_second_derivative():
    check_grads(lambda x: x[1:, ::-1, None, 0] * x[0, 0, 1], [np.linspace(0.5, 2.0, 24).reshape(2, 3, 4)], order=2)


def test_scalar_tensors_and_variables_as_indices(x):
    i, w = tf.constant(1), tf.Variable(2)
    np.testing.assert_array_equal(x[i].numpy(), ARRAY[1])
    np.testing.assert_array_equal(x[tf.constant(0), w, i:].numpy(), ARRAY[0, 2, 1:])
    np.testing.assert_array_equal(x[tf.constant(0) : i].numpy(), ARRAY[0:1])


def test_a_list_is_a_tuple(x):
    np.testing.assert_array_equal(x[[0, 1]].numpy(), ARRAY[0, 1])


@pytest.mark.parametrize("make", [tf.constant, np.asarray, tf.Variable])
def test_boolean_mask(x, make):
    rows = np.array([True, False])
    cells = np.array([[True, False, True], [False, False, True]])
    np.testing.assert_array_equal(x[make(rows)].numpy(), ARRAY[rows])
    np.testing.assert_array_equal(x[make(cells)].numpy(), ARRAY[cells])
    np.testing.assert_array_equal(x[make(ARRAY > 5)].numpy(), ARRAY[ARRAY > 5])


def test_a_mask_is_bool_or_integer(x):
    np.testing.assert_array_equal(tf.boolean_mask(x, np.array([2, 0])), tf.boolean_mask(x, [True, False]))
    with pytest.raises(TypeError, match="mask must be bool, got dtype float64"):
        tf.boolean_mask(x, np.array([1.0, 0.0]))


def test_gradient_of_a_mask_is_dense(v):
    with tf.GradientTape() as tape:
        y = v[v > 2.0] * 3.0
    gradient = tape.gradient(y, v)
    assert isinstance(gradient, tf.Tensor)
    np.testing.assert_array_equal(gradient.numpy(), [[0, 0, 0], [3, 3, 3]])


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (2, "index 2 of dimension 0 is out of bounds"),
        (-3, "index -3 of dimension 0 is out of bounds"),
        ((0, 3), "dimension 1 is out of bounds"),
        ((0, 0, 0, 0), "4 indices"),
        ((Ellipsis, 0, 0, 0, 0), "4 indices"),
    ],
)
def test_out_of_range(x, key, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text) as caught:
        x[key]
    assert isinstance(caught.value, IndexError)
    assert "test_getitem.py" in str(caught.value)


@pytest.mark.parametrize(
    "key",
    [1.0, "a", {}, np.float32(1), np.array([0, 1]), ([0, 1], 0), (0, (1, 2)), slice(0, 1.5), (True, 0), [True, False]],
    ids=str,
)
def test_refused_with_type_error(x, key):
    with pytest.raises(TypeError, match="Only integers, slices"):
        x[key]


def test_refused_tensors(x):
    for key in (tf.constant([0, 1]), tf.constant(1.0), tf.constant(1, tf.uint8), (0, tf.constant([True]))):
        with pytest.raises(TypeError, match="Only integers, slices"):
            x[key]
    with pytest.raises(TypeError, match=r"tf\.gather"):
        x[tf.constant([0, 1])]


def test_other_errors(x):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Multiple ellipses"):
        x[..., 0, ...]
    with pytest.raises(tf.errors.InvalidArgumentError, match="the step of axis 0 must not be 0"):
        x[::0]
    with pytest.raises(ValueError, match="mask cannot be scalar"):
        x[True]
    with pytest.raises(ValueError, match=r"the mask has shape \[3\], the tensor \[2, 3, 4\]"):
        x[tf.constant([True, False, True])]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Attempting to slice scalar input"):
        tf.constant(1.0)[0]


def test_two_tapes_record(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x[0, 0, 1] * x[0, 0, 2] * x[0, 0, 2]
        first = inner.gradient(y, x)[0, 0, 2]
    np.testing.assert_array_equal(outer.gradient(first, x).numpy()[0, 0], [0, 4, 2, 0])


def test_under_vectorized_map(x):
    rows = tf.vectorized_map(lambda row: row[0, 1:3] * row[-1, None, 0], x)
    np.testing.assert_array_equal(rows.numpy(), ARRAY[:, 0, 1:3] * ARRAY[:, -1, None, 0])


def test_index_of_the_example(x):
    taken = tf.vectorized_map(lambda i: x[0, i, 1:] * 2.0, tf.constant([2, 0, 1]))
    np.testing.assert_array_equal(taken.numpy(), ARRAY[0, [2, 0, 1], 1:] * 2)
    taken = tf.vectorized_map(lambda i: x[:, None, i], tf.constant([2, 0]))
    np.testing.assert_array_equal(taken.numpy(), np.stack([ARRAY[:, None, 2], ARRAY[:, None, 0]]))


def test_part_of_a_variable_is_a_read(v):
    with tf.GradientTape() as tape:
        y = v[0, 1] * v[1, 1] + tf.reduce_sum(v[1:])
    assert tape.watched_variables() == (v,)
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), [[0, 4, 0], [1, 2, 1]])


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        (0, [1.0, 2.0, 3.0], [[1, 2, 3], [3, 4, 5]]),
        (0, 9.0, [[9, 9, 9], [3, 4, 5]]),
        ((0, 0), 7.0, [[7, 1, 2], [3, 4, 5]]),
        (slice(0, 1), [[1.0, 2.0, 3.0]], [[1, 2, 3], [3, 4, 5]]),
        (slice(None), 5.0, [[5, 5, 5], [5, 5, 5]]),
        ((slice(None), 0), [8, 9], [[8, 1, 2], [9, 4, 5]]),
        ((slice(None), slice(None, None, -1)), [[1, 2, 3], [4, 5, 6]], [[3, 2, 1], [6, 5, 4]]),
        ((Ellipsis, None, 1), [[7.0], [8.0]], [[0, 7, 2], [3, 8, 5]]),
        (None, 1.0, [[1, 1, 1], [1, 1, 1]]),
        (Ellipsis, np.float64(2.0), [[2, 2, 2], [2, 2, 2]]),
    ],
    ids=str,
)
def test_assign_to_a_part(v, key, value, wanted):
    before = v.value()
    assert v[key].assign(value) is v
    np.testing.assert_array_equal(v.numpy(), wanted)
    np.testing.assert_array_equal(before.numpy(), [[0, 1, 2], [3, 4, 5]])


def test_assign_to_a_scalar_variable():
    w = tf.Variable(1.0)
    w[...].assign(3.0)
    assert w.numpy() == 3.0


def test_failed_assignment_changes_nothing(v):
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not broadcast to a part of variable 'Variable:0'"):
        v[0:1].assign([[1.0, 2.0]])
    with pytest.raises(ValueError, match="requested dtype float32"):
        v[0].assign(tf.constant(1.0, tf.float64))
    np.testing.assert_array_equal(v.numpy(), [[0, 1, 2], [3, 4, 5]])


def test_only_parts_of_variables_have_assign(v):
    for value in (tf.constant([1.0])[0], v[0] + 1.0, v[v > 2.0], v.value()):
        assert not hasattr(value, "assign")
    with pytest.raises(AttributeError, match="assign_add"):
        v[0].assign_add(1.0)


def test_recorded_values_survive_assignment(v):
    with tf.GradientTape() as tape:
        y = v[0, 1] * v[0, 2]
        v[0].assign([10.0, 10.0, 10.0])
        y = y * v[0, 1]
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), [[0, 22, 10], [0, 0, 0]])


def test_dtypes_of_an_index_are_not_mixed():
    x = tf.constant(np.arange(12).reshape(3, 4))
    short, long = tf.constant(1, tf.int16), tf.constant(1, tf.int64)
    assert x[short].numpy().tolist() == [4, 5, 6, 7]
    assert x[::short, short : tf.constant(3, tf.int16) : short].shape == [3, 2]
    assert x[tf.constant(1) :: long].shape == [2, 4]  # int64 takes the others along
    for key in ((short, long), (slice(short, None), slice(long, None)), (slice(short, 3, 1),)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="indexing: the tensors of an index have the dtypes"):
            x[key]
        with pytest.raises(TypeError, match="indexing: the tensors"):
            tf.function(lambda: x[key])()  # noqa: B023 - called at once


def test_a_dimension_of_unknown_size_leaves_a_slice_open():
    x = tf.constant([1, 2, 3])
    unknown = tf.compat.v1.Dimension(None)
    assert x[unknown:unknown:unknown].numpy().tolist() == [1, 2, 3]
