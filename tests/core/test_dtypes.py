"""DTypes."""

import ml_dtypes
import numpy as np
import pytest

import gradtape as tf


def test_equality_and_conversion():
    assert tf.float32 == "float32" == tf.float32
    assert tf.float32 == np.float32
    assert tf.float32 == np.dtype("float32")
    assert tf.float32 != tf.float64
    assert tf.float32 != None  # noqa: E711
    assert tf.as_dtype(int) is tf.int32
    assert tf.as_dtype(1) is tf.float32
    assert tf.as_dtype(ml_dtypes.bfloat16) is tf.bfloat16
    assert {tf.float32: 1}[tf.as_dtype("float32")] == 1
    with pytest.raises(TypeError, match="to a TensorFlow DType"):
        tf.as_dtype("float31")
    with pytest.raises(TypeError):
        tf.as_dtype(np.dtype("datetime64[s]"))


def test_properties():
    assert tf.float16.is_floating
    assert tf.complex64.is_complex
    assert tf.uint8.is_unsigned
    assert tf.int64.is_integer
    assert tf.complex128.real_dtype is tf.float64
    assert (tf.float32.size, tf.float64.size, tf.bool.size) == (4, 8, 1)
    assert (tf.uint8.min, tf.uint8.max) == (0, 255)
    assert tf.float32.max == np.finfo(np.float32).max
    assert float(tf.bfloat16.max) == float(ml_dtypes.finfo(ml_dtypes.bfloat16).max)
    assert tf.float32.as_numpy_dtype is np.float32
    assert repr(tf.float32) == "tf.float32"
    assert str(tf.float32) == "<dtype: 'float32'>"
    assert tf.float32.name == "float32"
    assert [
        d.name
        for d in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128)
        if not d.is_trainable
    ] == []
    assert not tf.float8_e5m2.is_trainable
