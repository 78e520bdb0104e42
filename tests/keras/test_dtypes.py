"""dtypes in Keras: arrays keep 64 bits, and promotion is what Keras's TensorFlow backend does."""

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras
ops = keras.ops


@pytest.mark.parametrize(
    ("pair", "wanted"),
    [
        (("float64", "float32"), "float64"), (("int64", "int32"), "int64"), (("int64", "float32"), "float32"),
        (("int64", int), "int64"), (("float64", float), "float64"), (("uint32", "int32"), "int64"), ((int, float), "float32"),
    ],
)  # fmt: skip
def test_result_type(pair, wanted):
    assert keras.backend.result_type(*pair) == wanted


@pytest.mark.parametrize(
    "name", ["bool", "uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "float16", "float32", "float64"]
)
def test_arrays_keep_their_dtype(name):
    x = np.array([[1, 0], [1, 1]], name)
    for function in (ops.convert_to_tensor, ops.array, ops.copy, ops.transpose, ops.ravel, ops.flip, ops.zeros_like):
        assert keras.backend.standardize_dtype(function(x).dtype) == name


@pytest.mark.parametrize("mode", [lambda f: f, tf.function])
def test_wide_integers_are_not_cut(mode):
    wide = np.array([2**40])
    assert mode(lambda: ops.add(wide, 1))().numpy().tolist() == [2**40 + 1]
    assert mode(lambda: ops.equal(wide, [0]))().numpy().tolist() == [False]
    assert mode(lambda: ops.multiply(wide, np.array([3])))().numpy().tolist() == [3 * 2**40]
    assert mode(lambda: ops.sum(wide))().numpy() == 2**40
    assert ops.convert_to_tensor([2**40]).numpy().tolist() == [2**40]


def test_layers_in_float64_are_exact(random):
    x = random.normal(size=(6, 4))
    found = {
        "layer": (keras.layers.LayerNormalization(dtype="float64", epsilon=1e-3), (1,)),
        "group": (keras.layers.GroupNormalization(1, dtype="float64", epsilon=1e-3), (1,)),
        "batch": (keras.layers.BatchNormalization(dtype="float64", epsilon=1e-3), (0,)),
    }
    for layer, axis in found.values():
        wanted = (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + 1e-3)
        np.testing.assert_allclose(layer(x, training=True) if axis == (0,) else layer(x), wanted, rtol=0, atol=1e-14)
