"""Methods of variables that read or change some rows."""

import numpy as np
import pytest

import gradtape as tf


def rows():
    return tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def slices(values, indices):
    return tf.IndexedSlices(tf.constant(values), tf.constant(indices))


TWICE = slices([[2.0, 4.0], [3.0, 0.5]], [1, 1])


@pytest.mark.parametrize(
    ("method", "wanted"),
    [
        ("scatter_add", [8.0, 8.5]),
        ("scatter_sub", [-2.0, -0.5]),
        ("scatter_update", [3.0, 0.5]),
        ("scatter_mul", [18.0, 8.0]),
        ("scatter_div", [0.5, 2.0]),
        ("scatter_min", [2.0, 0.5]),
        ("scatter_max", [3.0, 4.0]),
    ],
)
def test_repeated_indices(method, wanted):
    v = rows()
    assert getattr(v, method)(TWICE) is v
    assert v.numpy().tolist() == [[1.0, 2.0], wanted, [5.0, 6.0]]


@pytest.mark.parametrize(
    ("method", "wanted"),
    [
        ("scatter_nd_add", 7.0),
        ("scatter_nd_sub", -3.0),
        ("scatter_nd_update", 3.0),
        ("scatter_nd_min", 2.0),
        ("scatter_nd_max", 3.0),
    ],
)
def test_coordinates(method, wanted):
    v = rows()
    assert getattr(v, method)([[0, 1], [0, 1]], [2.0, 3.0]) is v
    assert v.numpy().tolist() == [[1.0, wanted], [3.0, 4.0], [5.0, 6.0]]


def test_coordinates_of_slices():
    v = rows().scatter_nd_update([[2], [0]], [[9.0, 9.0], [8.0, 8.0]])
    assert v.numpy().tolist() == [[8.0, 8.0], [3.0, 4.0], [9.0, 9.0]]


def test_a_scalar_goes_to_all_named_rows_and_indices_have_any_rank():
    assert rows().scatter_add(slices(1.0, [0, 0])).numpy().tolist() == [[3.0, 4.0], [3.0, 4.0], [5.0, 6.0]]
    assert rows().scatter_update(slices([[[0.0, 0.0]]], [[0]])).numpy()[0].tolist() == [0.0, 0.0]


def test_plain_values_are_converted_to_the_variable():
    v = rows().scatter_add(tf.IndexedSlices([[1, 2]], [0]))
    assert v.numpy()[0].tolist() == [2.0, 4.0]
    assert tf.Variable([1, 2]).scatter_sub(tf.IndexedSlices(np.array([5]), [1])).numpy().tolist() == [1, -3]


@pytest.mark.parametrize("method", ["scatter_add", "scatter_update", "scatter_mul", "scatter_max"])
@pytest.mark.parametrize("index", [7, -1])
def test_an_index_out_of_range_changes_nothing(method, index):
    v = rows()
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        getattr(v, method)(slices([[9.0, 9.0], [1.0, 1.0]], [0, index]))
    assert f"indices[1] = {index} is not in [0, 3)" in str(caught.value)
    assert v.numpy().tolist() == rows().numpy().tolist()


def test_coordinates_out_of_range_change_nothing():
    v = rows()
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        v.scatter_nd_add([[0, 0], [0, 2]], [1.0, 1.0])
    assert "indices[1] = [0, 2] does not index into shape [3,2]" in str(caught.value)
    assert v.numpy().tolist() == rows().numpy().tolist()


@pytest.mark.parametrize("delta", [3.0, [[1.0, 2.0]], None])
def test_only_slices(delta):
    with pytest.raises(TypeError, match=r"must be a `tf.IndexedSlices`"):
        rows().scatter_add(delta)


def test_other_refusals():
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have shape"):
        rows().scatter_add(slices([1.0, 2.0, 3.0], [0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Outer dimensions of indices and update must match"):
        rows().scatter_nd_update([[0], [0]], 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="coordinates"):
        rows().scatter_nd_add([[0, 0, 0]], [1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="coordinates"):
        rows().scatter_nd_add(0, [1.0, 1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be integers"):
        rows().scatter_add(slices([[1.0, 1.0]], [0.0]))
    with pytest.raises(ValueError, match="float64"):
        rows().scatter_add(tf.IndexedSlices(tf.constant([[1.0, 2.0]], tf.float64), tf.constant([0])))


def test_what_a_tape_has_saved_does_not_change():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
        v.scatter_update(slices([100.0], [0]))
        z = y * v
    assert z.numpy().tolist() == [100.0, 8.0]
    # d(a² b)/da + d(a² b)/db where the first reads were a = (1, 2), and the last b = (100, 2).
    assert tape.gradient(z, v).numpy().tolist() == [2.0 * 100.0 + 1.0, 12.0]


def test_no_gradient_flows_through_an_update():
    x, v = tf.Variable([3.0]), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        v.scatter_update(tf.IndexedSlices(x * 2.0, tf.constant([0])))
        y = tf.reduce_sum(v * v)
    gx, gv = tape.gradient(y, [x, v])
    assert gx is None
    assert gv.numpy().tolist() == [12.0, 4.0]


def test_updates_count_as_a_use_of_the_variable():
    v = rows()
    with tf.GradientTape() as tape:
        v.scatter_add(TWICE)
    assert [w.ref() for w in tape.watched_variables()] == [v.ref()]


def test_batch_scatter_update():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v.batch_scatter_update(slices([[9.0], [8.0]], [[1], [0]]))
    assert v.numpy().tolist() == [[1.0, 9.0], [8.0, 4.0]]


def test_reads():
    v = rows()
    assert v.sparse_read([2, 2]).numpy().tolist() == [[5.0, 6.0]] * 2
    assert v.gather_nd([[0, 1], [2, 0]]).numpy().tolist() == [2.0, 5.0]


def test_count_up_to():
    v = tf.Variable(0)
    assert [v.count_up_to(2).numpy() for _ in range(2)] == [0, 1]
    with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
        v.count_up_to(2)
    assert v.numpy() == 2
    with pytest.raises(tf.errors.InvalidArgumentError):
        rows().count_up_to(2)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float64, tf.complex64, tf.int32, tf.uint8])
def test_dtypes(dtype):
    v = tf.Variable(tf.cast([1, 2, 3], dtype))
    v.scatter_add(tf.IndexedSlices(tf.cast([1, 2], dtype), tf.constant([0, 0])))
    assert v.dtype is dtype
    np.testing.assert_array_equal(tf.cast(v, tf.complex64).numpy(), [4, 2, 3])


def test_many_rows():
    table = np.zeros((1000, 16), np.float32)
    indices = np.arange(4096) % 700
    values = np.ones((4096, 16), np.float32)
    v = tf.Variable(table).scatter_add(tf.IndexedSlices(values, indices))
    np.add.at(table, indices, values)
    np.testing.assert_array_equal(v.numpy(), table)
