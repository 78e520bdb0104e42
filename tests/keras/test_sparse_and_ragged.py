"""Sparse and ragged tensors in Keras's functions, layers and loops."""

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras
ops = keras.ops
EYE = np.eye(3, dtype="float32") * [[1.0], [2.0], [3.0]]


def sparse():
    return tf.sparse.from_dense(EYE)


@pytest.mark.parametrize("name", ["abs", "negative", "sin", "sqrt", "square", "tanh", "relu", "silu", "gelu", "round"])
def test_functions_that_keep_zeros_keep_sparseness(name):
    found = getattr(ops, name)(sparse())
    assert isinstance(found, tf.SparseTensor)
    np.testing.assert_allclose(ops.convert_to_numpy(found), ops.convert_to_numpy(getattr(ops, name)(EYE)), rtol=1e-6)


@pytest.mark.parametrize("name", ["exp", "cos", "log1p", "sigmoid", "softmax"])
def test_other_functions_see_the_whole(name):
    np.testing.assert_allclose(
        ops.convert_to_numpy(getattr(ops, name)(sparse())), ops.convert_to_numpy(getattr(ops, name)(EYE)), rtol=1e-6
    )


@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "minimum", "multiply", "matmul"])
def test_two_sparse_operands_give_a_sparse_result(name):
    other = tf.sparse.from_dense(EYE[::-1].copy())
    found = getattr(ops, name)(sparse(), other)
    assert isinstance(found, tf.SparseTensor)
    np.testing.assert_allclose(ops.convert_to_numpy(found), getattr(np, name)(EYE, EYE[::-1]), rtol=1e-6)


def test_a_sparse_dividend_keeps_what_becomes_nan():
    divisor = np.array([[1.0, 0.0, 2.0]] * 3, "float32")
    found = ops.divide(sparse(), divisor)
    assert isinstance(found, tf.SparseTensor)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(ops.convert_to_numpy(found), EYE / divisor)


@pytest.mark.parametrize(
    "rearrange",
    [
        lambda x: ops.transpose(x),
        lambda x: ops.reshape(x, (1, 9)),
        lambda x: ops.expand_dims(x, 1),
        lambda x: ops.squeeze(ops.expand_dims(x, 0), 0),
        lambda x: ops.sum(x, axis=1),
        lambda x: ops.sum(x, axis=0, keepdims=True),
        lambda x: ops.concatenate([x, x], axis=1),
    ],
)
def test_rearranged_and_summed(rearrange):
    found = rearrange(sparse())
    assert isinstance(found, tf.SparseTensor)
    np.testing.assert_allclose(ops.convert_to_numpy(found), ops.convert_to_numpy(rearrange(EYE)))


def test_rows_of_gradients_are_summed_before_a_function_of_them():
    rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([1, 1]), tf.constant([3, 1]))
    assert ops.convert_to_numpy(ops.square(rows)).tolist() == [[0.0], [9.0], [0.0]]


def test_symbolic_tensors_know_their_form():
    x = keras.KerasTensor((None, 3), sparse=True)
    assert ops.abs(x).sparse
    assert ops.abs(x).shape == (None, 3)
    assert not ops.exp(x).sparse
    ragged = keras.KerasTensor((None, None), dtype="int32", ragged=True)
    assert keras.layers.Embedding(5, 2)(ragged).ragged


def test_a_model_of_sparse_rows_trains_as_one_of_whole_rows():
    y = np.array([[1.0], [2.0], [3.0]], "float32")
    losses = []
    for x, flag in ((EYE, False), (sparse(), True)):
        model = keras.Sequential([keras.Input([3], sparse=flag), keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", "mse")
        losses.append(model.fit(x, y, batch_size=2, epochs=3, shuffle=False, verbose=0).history["loss"])
        assert model.predict(x, verbose=0).shape == (3, 1)
    np.testing.assert_allclose(*losses, rtol=1e-5)
    data = tf.data.Dataset.from_tensor_slices((sparse(), y)).batch(2)
    assert np.isfinite(model.evaluate(data, verbose=0))


def test_gradients_reach_the_values_of_a_sparse_input():
    x, kernel = sparse(), tf.constant([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x.values)
        loss = tf.reduce_sum(ops.matmul(x, kernel))
    assert tape.gradient(loss, x.values).numpy().tolist() == [1.0, 2.0, 3.0]


def test_layers_for_text_and_categories_give_sparse_and_ragged():
    text = keras.layers.TextVectorization(ragged=True)
    text.adapt(["a b", "c"])
    assert text(tf.constant(["a b c", "a"])).to_list() == [[4, 3, 2], [4]]
    assert isinstance(
        keras.layers.CategoryEncoding(4, "multi_hot", sparse=True)(tf.constant([[1, 2]])), tf.SparseTensor
    )
    lookup = keras.layers.StringLookup(vocabulary=["a", "b"], output_mode="multi_hot", sparse=True)
    assert tf.sparse.to_dense(lookup(tf.constant([["a", "b"]]))).numpy().tolist() == [[0, 1, 1]]
    assert isinstance(ops.one_hot(np.array([0, 2]), 3, sparse=True), tf.SparseTensor)
    assert ops.convert_to_numpy(ops.one_hot(np.array([0, -1, 2]), 3, axis=0, sparse=True)).tolist() == [
        [1, 0, 0],
        [0, 0, 0],
        [0, 0, 1],
    ]


def test_ragged_inputs():
    inputs = keras.Input([None], ragged=True, dtype="int32")
    model = keras.Model(inputs, keras.layers.Embedding(5, 2)(inputs))
    assert model(tf.ragged.constant([[1], [2, 3]])).shape.as_list() == [2, None, 2]
    assert keras.layers.Rescaling(2.0)(tf.ragged.constant([[1.0], [2.0, 3.0]])).to_list() == [[2.0], [4.0, 6.0]]
    assert ops.shape(tf.ragged.constant([[1], [2, 3]])) == (2, None)
    assert ops.convert_to_tensor(tf.ragged.constant([[1], [2, 3]]), ragged=False).numpy().tolist() == [[1, 0], [2, 3]]
