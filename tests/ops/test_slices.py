"""IndexedSlices: what a tape gives for gathered rows."""

import numpy as np
import pytest

import gradtape as tf


def gradient_of(function, source):
    with tf.GradientTape() as tape:
        tape.watch(source)
        y = function(source)
    return tape.gradient(y, source)


def table():
    return tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def test_gather_from_a_variable_gives_the_rows_that_were_used():
    g = gradient_of(lambda v: 2.0 * tf.gather(v, [2, 0, 2]), table())
    assert isinstance(g, tf.IndexedSlices)
    assert g.indices.numpy().tolist() == [2, 0, 2]
    assert g.values.numpy().tolist() == [[2.0, 2.0]] * 3
    assert g.dense_shape.dtype is tf.int32
    assert g.dense_shape.numpy().tolist() == [3, 2]
    assert g.shape == (3, 2)
    assert g.dtype is tf.float32


@pytest.mark.parametrize(
    "lookup",
    [
        tf.gather,
        tf.nn.embedding_lookup,
        lambda v, i: tf.gather(v, i, axis=0),
        lambda v, i: tf.gather_nd(v, tf.expand_dims(i, -1)),
        lambda v, i: tf.gather(tf.identity(v), i),
    ],
)
def test_lookups_of_rows_give_slices_for_variables_and_tensors(lookup):
    for source in (table(), tf.constant(table().numpy())):
        g = gradient_of(lambda x: lookup(x, tf.constant([1, 1])), source)
        assert isinstance(g, tf.IndexedSlices)
        assert g.indices.numpy().tolist() == [1, 1]
        assert tf.convert_to_tensor(g).numpy().tolist() == [[0.0, 0.0], [2.0, 2.0], [0.0, 0.0]]


@pytest.mark.parametrize("read", [lambda v: v.read_value(), lambda v: v.value(), tf.convert_to_tensor, tf.identity])
def test_reads_of_a_variable_pass_slices_through(read):
    g = gradient_of(lambda v: tf.gather(read(v), [1]), table())
    assert isinstance(g, tf.IndexedSlices)


def test_sparse_read_and_gather_nd_of_a_variable_give_slices():
    assert isinstance(gradient_of(lambda v: v.sparse_read([0]), table()), tf.IndexedSlices)
    assert isinstance(gradient_of(lambda v: v.gather_nd([[0]]), table()), tf.IndexedSlices)


def test_indices_of_any_rank_are_flattened():
    g = gradient_of(lambda v: tf.gather(v, [[0, 1], [2, 2]]), table())
    assert g.indices.shape == (4,)
    assert g.values.shape == (4, 2)
    one = gradient_of(lambda v: tf.gather(v, 1), table())
    assert one.indices.numpy().tolist() == [1]
    assert one.values.numpy().tolist() == [[1.0, 1.0]]
    scalar = gradient_of(lambda v: tf.gather(v, 1), tf.Variable([1.0, 2.0]))
    assert scalar.values.numpy().tolist() == [1.0]


@pytest.mark.parametrize(
    "function",
    [
        lambda v: tf.gather(v, [1], axis=1),
        lambda v: tf.gather(v, [[1], [0], [1]], batch_dims=1),
        lambda v: tf.gather_nd(v, [[0, 1]]),
        lambda v: v[1],
        lambda v: tf.boolean_mask(v, [True, False, True]),
        lambda v: tf.gather(v * 2.0, [1]),
        lambda v: tf.reshape(tf.gather(tf.reshape(v, [6]), [1]), [1]),
    ],
)
def test_other_paths_give_dense_gradients(function):
    assert isinstance(gradient_of(function, table()), tf.Tensor)


def test_slices_and_slices_are_concatenated_without_summing():
    g = gradient_of(lambda v: tf.reduce_sum(tf.gather(v, [0, 1])) + 3.0 * tf.reduce_sum(tf.gather(v, [1])), table())
    assert isinstance(g, tf.IndexedSlices)
    rows = sorted(zip(g.indices.numpy().tolist(), g.values.numpy().tolist(), strict=True))
    assert rows == [(0, [1.0, 1.0]), (1, [1.0, 1.0]), (1, [3.0, 3.0])]


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [(tf.int32, tf.int32, tf.int32), (tf.int64, tf.int64, tf.int64), (tf.int32, tf.int64, tf.int64)],
)
def test_index_dtypes_are_unified_only_if_they_differ(first, second, wanted):
    i, j = tf.constant([0], first), tf.constant([2], second)
    g = gradient_of(lambda v: tf.gather(v, i) + tf.gather(v, j), table())
    assert g.indices.dtype is wanted


def test_slices_and_a_dense_gradient_are_dense():
    for function in (
        lambda v: tf.reduce_sum(tf.gather(v, [0, 0])) + tf.reduce_sum(v),
        lambda v: tf.reduce_sum(v) + tf.reduce_sum(tf.gather(v, [0, 0])),
    ):
        g = gradient_of(function, table())
        assert isinstance(g, tf.Tensor)
        assert g.numpy().tolist() == [[3.0, 3.0], [1.0, 1.0], [1.0, 1.0]]


def test_gather_of_a_gather_is_dense_below_the_first():
    g = gradient_of(lambda v: tf.gather(tf.gather(v, [2, 1]), [0, 0]), table())
    assert isinstance(g, tf.IndexedSlices)
    assert tf.convert_to_tensor(g).numpy().tolist() == [[0.0, 0.0], [0.0, 0.0], [2.0, 2.0]]


def test_unconnected_zero_keeps_connected_slices():
    v, other = table(), tf.Variable([1.0])
    with tf.GradientTape() as tape:
        y = tf.gather(v, [0])
    g, zeros = tape.gradient(y, [v, other], unconnected_gradients="zero")
    assert isinstance(g, tf.IndexedSlices)
    assert zeros.numpy().tolist() == [0.0]


@pytest.mark.parametrize("read", [lambda v: v, lambda v: v.read_value(), tf.identity])
def test_second_order_through_conversion(read):
    v = table()
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = tf.gather(read(v), [0, 0, 2]) ** 3
        g = inner.gradient(y, v)
        assert isinstance(g, tf.IndexedSlices)
        dense = tf.convert_to_tensor(g)
        loss = tf.reduce_sum(dense * dense)
    second = tf.convert_to_tensor(outer.gradient(loss, v))
    # Row 0 is used twice: dense = 6 x², so loss = 36 x⁴; row 2 once: dense = 3 x², so loss = 9 x⁴.
    np.testing.assert_allclose(second.numpy(), v.numpy() ** 3 * np.array([[144.0], [0.0], [36.0]]), rtol=1e-6)


def test_second_order_may_be_slices_again():
    v = table()
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.gather(v, [1]) ** 2
        g = inner.gradient(y, v)
        picked = tf.reduce_sum(g.values)
    second = outer.gradient(picked, v)
    assert isinstance(second, tf.IndexedSlices)
    assert second.values.numpy().tolist() == [[2.0, 2.0]]


def test_recorded_pass_adds_slices_to_slices_and_to_dense():
    v = table()
    with tf.GradientTape():
        with tf.GradientTape(persistent=True) as inner:
            rows = tf.reduce_sum(tf.gather(v.read_value(), [0])) + tf.reduce_sum(tf.gather(tf.identity(v), [1]))
            mixed = tf.reduce_sum(tf.gather(v.read_value(), [0])) + tf.reduce_sum(v * v)
        g, h = inner.gradient(rows, v), inner.gradient(mixed, v)
    assert isinstance(g, tf.IndexedSlices)
    assert tf.convert_to_tensor(g).numpy().tolist() == [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    assert isinstance(h, tf.Tensor)
    assert h.numpy().tolist() == [[3.0, 5.0], [6.0, 8.0], [10.0, 12.0]]


def test_negation_and_missing_operators():
    g = gradient_of(lambda v: tf.gather(v, [0]), table())
    assert (-g).values.numpy().tolist() == [[-1.0, -1.0]]
    with pytest.raises(TypeError):
        g * 2.0
    with pytest.raises(TypeError):
        g + g
    with pytest.raises(AttributeError):
        _ = g.name


def test_conversion_sums_repeated_rows_and_needs_a_shape():
    slices = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([1, 1]), tf.constant([3, 1]))
    assert tf.convert_to_tensor(slices).numpy().tolist() == [[0.0], [3.0], [0.0]]
    with pytest.raises(ValueError, match="without dense_shape"):
        tf.convert_to_tensor(tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0])))


def test_jacobian_is_dense():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2, 0]) * tf.constant([1.0, 10.0])
    jacobian = tape.jacobian(y, v)
    assert jacobian.shape == (2, 2, 3, 2)
    wanted = np.zeros((2, 2, 3, 2), np.float32)
    wanted[0, 0, 2, 0] = wanted[1, 0, 0, 0] = 1.0
    wanted[0, 1, 2, 1] = wanted[1, 1, 0, 1] = 10.0
    np.testing.assert_array_equal(jacobian.numpy(), wanted)


def test_bfloat16_rows_keep_their_dtype():
    v = tf.Variable(tf.cast(table(), tf.bfloat16))
    g = gradient_of(lambda x: 3.0 * tf.gather(x, [0]), v)
    assert g.values.dtype is tf.bfloat16
