"""Tensors as bytes, against TensorFlow's bytes and the messages in TensorBoard's package."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.util import tensor_util

import gradtape as tf

# What TensorFlow 2.21's tf.io.serialize_tensor gives.
BYTES: list[tuple[Any, bytes]] = [
    (np.float32([[1, 2]]), b'\x08\x01\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x08\x00\x00\x80?\x00\x00\x00@'),
    (np.array([b"a", b"bc"], object), b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x02bc"),
    (np.int64(3), b'\x08\t\x12\x00"\x08\x03\x00\x00\x00\x00\x00\x00\x00'),
    (np.array([True]), b'\x08\n\x12\x04\x12\x02\x08\x01"\x01\x01'),
    (np.zeros((0, 3), np.float16), b"\x08\x13\x12\x06\x12\x00\x12\x02\x08\x03"),
    (np.complex64([1j]), b'\x08\x08\x12\x04\x12\x02\x08\x01"\x08\x00\x00\x00\x00\x00\x00\x80?'),
]


@pytest.mark.parametrize(("array", "data"), BYTES)
def test_bytes_are_tensorflow_s(array: Any, data: bytes) -> None:
    x = tf.constant(array)
    assert tf.io.serialize_tensor(x).numpy() == data
    back = tf.io.parse_tensor(data, x.dtype)
    assert back.dtype == x.dtype
    np.testing.assert_array_equal(back, array)


def test_bfloat16() -> None:
    data = b'\x08\x0e\x12\x04\x12\x02\x08\x02"\x04\x80?\x00@'
    assert tf.io.serialize_tensor(tf.constant([1, 2], tf.bfloat16)).numpy() == data
    np.testing.assert_array_equal(tf.cast(tf.io.parse_tensor(data, tf.bfloat16), tf.float32), [1, 2])


@pytest.mark.parametrize(
    "dtype", ["float16", "float64", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64", "complex128"]
)
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0,)])
def test_any_dtype(dtype: str, shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape), dtype=np.int64).reshape(shape).astype(dtype)
    data = tf.io.serialize_tensor(array).numpy()
    if array.size:  # TensorBoard's reader looks for a list of values otherwise
        np.testing.assert_array_equal(tensor_util.make_ndarray(TensorProto.FromString(data)), array)
    result = tf.io.parse_tensor(data, dtype)
    assert result.shape == shape
    np.testing.assert_array_equal(result, array)


def test_in_a_function() -> None:
    both = tf.function(lambda x: tf.io.parse_tensor(tf.io.serialize_tensor(2.0 * x), tf.float32) + 1.0)
    np.testing.assert_array_equal(both(tf.constant([1.0, 2.0])), [3, 5])


def test_wrong_arguments() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Type mismatch between parsed tensor \(float32\)"):
        tf.io.parse_tensor(tf.io.serialize_tensor([1.0]), tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse `serialized` as TensorProto"):
        tf.io.parse_tensor("xyz", tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be scalar"):
        tf.io.parse_tensor(["a", "b"], tf.int32)


@pytest.mark.parametrize(
    "value", [1.5, [1, 2], [[True, False]], "text", np.float16(2), np.uint8(7), np.complex64(1 + 2j), np.int64([5])]
)
@pytest.mark.filterwarnings("ignore:Setting the dtype:DeprecationWarning")  # by TensorBoard, of NumPy's newest version
def test_make_tensor_proto(value: Any) -> None:
    proto = tf.make_tensor_proto(value)
    np.testing.assert_array_equal(tf.make_ndarray(proto), tf.constant(value))
    theirs = TensorProto.FromString(proto.SerializeToString())
    assert str(theirs).splitlines()[1:] == str(proto).splitlines()[1:]
    np.testing.assert_array_equal(tensor_util.make_ndarray(theirs), tf.constant(value).numpy())


def test_lists_of_values_of_other_writers() -> None:
    for array in (np.float32([1, 2]), np.int64([[1], [2]]), np.array([True, False]), np.float64(0.1)):
        theirs = tensor_util.make_tensor_proto(array)
        np.testing.assert_array_equal(tf.io.parse_tensor(theirs.SerializeToString(), array.dtype), array)
    short = TensorProto(dtype=1, float_val=[1.0, 2.0])
    short.tensor_shape.dim.add(size=4)
    np.testing.assert_array_equal(tf.io.parse_tensor(short.SerializeToString(), tf.float32), [1, 2, 2, 2])


def test_shapes_of_protos() -> None:
    assert tf.make_ndarray(tf.make_tensor_proto(3, shape=[2, 2], allow_broadcast=True)).tolist() == [[3, 3], [3, 3]]
    assert tf.make_ndarray(tf.make_tensor_proto([1, 2], tf.float32, shape=[2, 1])).shape == (2, 1)
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        tf.make_tensor_proto([1, 2], shape=[3], verify_shape=True)
    assert tf.make_ndarray(tf.make_tensor_proto([1, 2], shape=[2, 2])).tolist() == [[1, 2], [2, 2]]
    assert tf.make_ndarray(tf.make_tensor_proto(["a", "b"], shape=[3])).tolist() == [b"a", b"b", b"b"]
    assert tf.make_ndarray(tf.make_tensor_proto([], shape=[2])).tolist() == [0, 0]
    assert tf.make_ndarray(tf.make_tensor_proto([1, 2], shape=[0])).tolist() == []
    with pytest.raises(ValueError, match="Takes at most 2, but got 3"):
        tf.make_tensor_proto([1, 2, 3], shape=[2])
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        tf.make_tensor_proto([1, 2], shape=[4], allow_broadcast=True)
    with pytest.raises(ValueError, match="not both allowed"):
        tf.make_tensor_proto([1, 2], shape=[3], verify_shape=True, allow_broadcast=True)
