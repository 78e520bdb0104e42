"""Products of matrices of two dtypes, where TensorFlow has them."""

import pytest

import gradtape as tf


@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize("flipped", [False, True])
def test_bfloat16_beside_float32(run, flipped):
    a, b = tf.constant([[1.0, 2.0]], tf.bfloat16), tf.constant([[3.0], [4.0]])
    if flipped:
        a, b = tf.cast(a, tf.float32), tf.cast(b, tf.bfloat16)
    product = run(tf.matmul)(a, b)
    assert product.dtype == tf.float32
    assert product.numpy().tolist() == [[11.0]]
    assert run(lambda x, y: tf.matmul(x, y, transpose_a=True, transpose_b=True))(a, b).shape == (2, 2)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_bfloat16_beside_bytes_in_a_dtype(dtype):
    a, b = tf.constant([[1.0, 2.0]], tf.bfloat16), tf.cast([[3], [4]], dtype)
    assert tf.matmul(a, b, output_type=tf.bfloat16).dtype == tf.bfloat16
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtypes differ"):
        tf.matmul(a, b)
