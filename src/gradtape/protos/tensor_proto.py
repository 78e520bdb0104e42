"""Tensors as bytes: `tf.io.serialize_tensor`, `tf.make_tensor_proto` and their inverses, in TensorFlow's format."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from gradtape.api.array_op import objects
from gradtape.api.host_op import check_strings, hosted, known, scalar_text
from gradtape.core import dtypes, errors
from gradtape.core.shape import ANY, Spec
from gradtape.core.tensor import Tensor, host
from gradtape.ops.family import boxed
from gradtape.protos.fields import Field
from gradtape.protos.message import DecodeError, Message


class Dim(Message):
    """One dimension of a shape; -1 if it is not known."""

    FIELDS: ClassVar = {"size": Field(1, "int64"), "name": Field(2, "string")}


class TensorShapeProto(Message):
    """A shape."""

    FIELDS: ClassVar = {"dim": Field(2, Dim, "repeated"), "unknown_rank": Field(3, "bool")}


class TensorProto(Message):
    """A tensor: dtype, shape, and its elements, either as they lie in memory or as a list of their kind."""

    FIELDS: ClassVar = {
        "dtype": Field(1, "enum"),
        "tensor_shape": Field(2, TensorShapeProto),
        "version_number": Field(3, "int32"),
        "tensor_content": Field(4, "bytes"),
        "float_val": Field(5, "float", "repeated"),
        "double_val": Field(6, "double", "repeated"),
        "int_val": Field(7, "int32", "repeated"),
        "string_val": Field(8, "bytes", "repeated"),
        "scomplex_val": Field(9, "float", "repeated"),
        "int64_val": Field(10, "int64", "repeated"),
        "bool_val": Field(11, "bool", "repeated"),
        "dcomplex_val": Field(12, "double", "repeated"),
        "half_val": Field(13, "int32", "repeated"),
        "uint32_val": Field(16, "uint32", "repeated"),
        "uint64_val": Field(17, "uint64", "repeated"),
        "float8_val": Field(18, "bytes"),
    }


# The list that holds the elements of a dtype, and what they are there.
_LISTS: dict[str, tuple[str, Any]] = {
    "float32": ("float_val", np.float32), "float64": ("double_val", np.float64), "int32": ("int_val", np.int32),
    "uint8": ("int_val", np.uint8), "int16": ("int_val", np.int16), "int8": ("int_val", np.int8),
    "uint16": ("int_val", np.uint16), "complex64": ("scomplex_val", np.float32), "int64": ("int64_val", np.int64),
    "bool": ("bool_val", np.bool_), "complex128": ("dcomplex_val", np.float64), "float16": ("half_val", np.uint16),
    "bfloat16": ("half_val", np.uint16), "uint32": ("uint32_val", np.uint32), "uint64": ("uint64_val", np.uint64),
}  # fmt: skip


def proto_of(array: Any, in_list: bool = False) -> TensorProto:
    """The message of an array; with its elements in the list of their kind if wanted, otherwise as they lie in memory."""
    dtype = dtypes.from_numpy(array.dtype)
    proto = TensorProto(dtype=dtype.as_datatype_enum)
    proto.tensor_shape.SetInParent()
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    if dtype is dtypes.string:
        proto.string_val.extend([_bytes(value) for value in np.ravel(array)])
    elif in_list and dtype.name in _LISTS:
        name, kind = _LISTS[dtype.name]
        getattr(proto, name).extend(np.ravel(np.ascontiguousarray(array)).view(kind))
    else:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    return proto


def _bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


_MOST_DIMS, _MOST_BYTES = 64, 1 << 62
_SMALL = 1 << 16


def array_of(proto: TensorProto) -> Any:
    """The array of a message. Where a list holds too few elements, the last one is repeated."""
    dtype = dtypes.as_dtype(int(proto.dtype))
    shape = tuple([int(dim.size) for dim in proto.tensor_shape.dim])
    count = math.prod(shape)
    if any(n < 0 for n in shape) or len(shape) > _MOST_DIMS or count * max(dtype.size, 1) > _MOST_BYTES:
        raise ValueError(f"shape {list(shape)} is not possible")
    if dtype is dtypes.string:
        return _extended(objects(list(proto.string_val) or [b""]), count).reshape(shape)
    if proto.tensor_content or not count:
        return np.frombuffer(proto.tensor_content, dtype.numpy).reshape(shape).copy()
    if dtype.name.startswith("float8"):
        return np.frombuffer(proto.float8_val, dtype.numpy).reshape(shape).copy()
    name, kind = _LISTS[dtype.name]
    found = np.array(list(getattr(proto, name)) or [0] * (2 if dtype.is_complex else 1), kind).view(dtype.numpy)
    return _extended(found, count).reshape(shape)


def _extended(found: Any, count: int) -> Any:
    """A vector of a given length: the last element is repeated for the missing ones."""
    if found.size == 1:  # a few bytes may say that there are many; they take no memory
        return np.broadcast_to(found, (count,)) if count > _SMALL else np.repeat(found, count)
    if count - found.size > _SMALL + 1000 * found.size:
        raise ValueError(f"{found.size} values stand for {count}")
    return np.concatenate([found, np.repeat(found[-1:], max(count - found.size, 0))])[:count]


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """A tensor as bytes, in a scalar string tensor; `parse_tensor` makes a tensor of them again, as TensorFlow's does.

    Args:
      tensor: a tensor of any dtype.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor([[1, 2], [3, 4]]), tf.int32).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    return _serialize_tensor(tensor)[0]


@hosted(known(((), dtypes.string)))
def _serialize_tensor(array: Any) -> tuple[Any, ...]:
    return (boxed(proto_of(array).SerializeToString()),)


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor in bytes that `serialize_tensor`, here or in TensorFlow, returned.

    Args:
      serialized: a scalar string tensor.
      out_type: the tensor's dtype.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor("a"), tf.string).numpy()
    b'a'
    """
    x = check_strings("parse_tensor", "serialized", serialized)
    return _parse_tensor(x, dtype=dtypes.as_dtype(out_type))[0]


def _parsed_specs(x: Spec, *, dtype: dtypes.DType) -> tuple[Spec, ...]:
    return (Spec(ANY, dtype),)


@hosted(_parsed_specs)
def _parse_tensor(array: Any, *, dtype: dtypes.DType) -> tuple[Any, ...]:
    data = scalar_text("parse_tensor", "serialized", array)
    try:
        proto = TensorProto.FromString(data)
        own = dtypes.as_dtype(int(proto.dtype))
        found = array_of(proto) if own is dtype else None
    except (DecodeError, TypeError, ValueError):
        raise errors.build(
            errors.InvalidArgumentError,
            f"Could not parse `serialized` as TensorProto: {data[:40]!r}",
            "give what tf.io.serialize_tensor returned.",
        ) from None
    if found is None:
        raise errors.build(
            errors.InvalidArgumentError,
            f"Type mismatch between parsed tensor ({own.name}) and dtype ({dtype.name})",
            f"use out_type=tf.{own.name}.",
        )
    return (found if found.ndim or found.dtype == object else found[()],)


def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False, allow_broadcast: bool = False
) -> TensorProto:
    """A tensor as a message `TensorProto`.

    Args:
      values: what can become a tensor.
      dtype: its dtype.
      shape: its shape; fewer values are enough if `allow_broadcast`.
      verify_shape: whether `values` must have that shape already.
      allow_broadcast: whether one value may stand for all.

    >>> tf.make_ndarray(tf.make_tensor_proto([1.0, 2.0]))
    array([1., 2.], dtype=float32)
    """
    from gradtape.core.convert import convert_to_tensor

    if isinstance(values, TensorProto):
        return values
    if verify_shape and allow_broadcast:
        raise errors.build(
            ValueError, "make_tensor_proto: `verify_shape` and `allow_broadcast` are not both allowed.", "choose one."
        )
    array = np.asarray(host(convert_to_tensor(values, dtype)._array))
    if shape is not None:
        array = _shaped(array, tuple([int(n) for n in shape]), verify_shape, allow_broadcast)
    return proto_of(array, in_list=array.size < 2)


def _shaped(array: Any, shape: tuple[int, ...], verify: bool, broadcast: bool) -> Any:
    if verify and array.shape != shape:
        raise errors.build(
            TypeError, f"Expected Tensor's shape: {shape}, but got {array.shape}.", "check values and shape."
        )
    size = math.prod(shape)
    if broadcast and array.size > 1 and array.shape != shape:
        raise errors.build(
            TypeError, f"Expected Tensor's shape: {shape}, but got {array.shape}.", "give one value, or all."
        )
    if size and array.size > size:
        raise errors.build(
            ValueError,
            f"make_tensor_proto: Too many elements provided. Takes at most {size}, but got {array.size}.",
            "give as many values as the shape holds; the last one of fewer is repeated.",
        )
    flat = array.ravel()[:size]
    rest = flat[-1:] if flat.size else np.zeros([1], array.dtype)
    return np.concatenate([flat, np.repeat(rest, size - flat.size)]).reshape(shape)


def make_ndarray(tensor: TensorProto) -> Any:
    """The NumPy array of a `TensorProto`.

    >>> tf.make_ndarray(tf.make_tensor_proto(3, shape=[2], allow_broadcast=True))
    array([3, 3], dtype=int32)
    """
    return array_of(tensor)
