"""Sparse tensors as strings: `tf.io.serialize_sparse` and its relatives.

A sparse tensor becomes three strings, each of which is what `tf.io.serialize_tensor` makes: of the indices, of the values, and
of the shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.array_op import objects
from gradtape.api.host_op import check_strings, hosted, known
from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec, spec_of
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.tensor import Tensor
from gradtape.protos.message import DecodeError
from gradtape.protos.tensor_proto import TensorProto, array_of, proto_of

__all__ = ["deserialize_many_sparse", "serialize_many_sparse", "serialize_sparse"]


def serialize_sparse(sp_input: Any, out_type: Any = dtypes.string, name: str | None = None) -> Tensor:
    """A sparse tensor as a vector of three strings.

    Args:
      sp_input: a `tf.SparseTensor`.
      out_type: string.

    >>> tf.io.serialize_sparse(tf.SparseTensor([[0, 1]], [2.0], [1, 3])).shape
    TensorShape([3])
    """
    x = _checked("serialize_sparse", sp_input, out_type)
    return _serialize_sparse(x.indices, x.values, x.dense_shape)[0]


@hosted(known(((3,), dtypes.string)))
def _serialize_sparse(indices: Any, values: Any, shape: Any) -> tuple[Any, ...]:
    return (objects([proto_of(part).SerializeToString() for part in (indices, values, shape)]),)


def serialize_many_sparse(sp_input: Any, out_type: Any = dtypes.string, name: str | None = None) -> Tensor:
    """The rows of a sparse tensor, each as three strings.

    Args:
      sp_input: a `tf.SparseTensor` of rank 2 or more; its first axis becomes that of the result.
      out_type: string.

    Returns:
      Strings of shape `[rows, 3]`.

    >>> rows = tf.io.serialize_many_sparse(tf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 3]))
    >>> tf.io.deserialize_many_sparse(rows, tf.float32).values.numpy()
    array([2., 3.], dtype=float32)
    """
    x = _checked("serialize_many_sparse", sp_input, out_type)
    return _serialize_many_sparse(x.indices, x.values, x.dense_shape)[0]


@hosted(known(((None, 3), dtypes.string)))
def _serialize_many_sparse(indices: Any, values: Any, shape: Any) -> tuple[Any, ...]:
    if shape.size < 2:
        raise errors.build(
            errors.ShapeError,
            f"serialize_many_sparse: Rank of input SparseTensor should be > 1, but saw rank: {shape.size}",
            "use tf.io.serialize_sparse.",
        )
    found = []
    for row in range(int(shape[0])):
        own = indices[:, 0] == row
        parts = (indices[own, 1:], values[own], shape[1:])
        found += [proto_of(np.ascontiguousarray(part)).SerializeToString() for part in parts]
    return (objects(found, (int(shape[0]), 3)),)


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """A sparse tensor whose rows are deserialized sparse tensors, padded to the largest of them.

    Args:
      serialized_sparse: strings of shape `[rows, 3]`.
      dtype: of the values.
      rank: of the result's rows, where it should be known in a `tf.function`.

    >>> one = tf.io.serialize_sparse(tf.SparseTensor([[1]], [2.0], [3]))
    >>> tf.io.deserialize_many_sparse([one, one], tf.float32).shape
    TensorShape([2, 3])
    """
    x = check_strings("deserialize_many_sparse", "serialized_sparse", serialized_sparse)
    return SparseTensor(*_deserialize_many_sparse(x, dtype=dtypes.as_dtype(dtype), rank=rank))


def _specs(x: Spec, *, dtype: dtypes.DType, rank: int | None) -> tuple[Spec, ...]:
    size: Any = None if rank is None else rank + 1
    unknown: Any = None
    return Spec((unknown, size), dtypes.int64), Spec((unknown,), dtype), Spec((size,), dtypes.int64)


@hosted(_specs)
def _deserialize_many_sparse(array: Any, *, dtype: dtypes.DType, rank: int | None) -> tuple[Any, ...]:
    if array.ndim != 2 or array.shape[1] != 3:
        raise errors.build(
            errors.ShapeError,
            f"deserialize_many_sparse: Serialized sparse should have 3 columns, it has shape {list(array.shape)}",
            "give what tf.io.serialize_many_sparse returned.",
        )
    rows = [_parts(row) for row in array]
    if any(dtypes.from_numpy(values.dtype) is not dtype for _, values, _ in rows):
        raise errors.build(
            errors.InvalidArgumentError,
            f"deserialize_many_sparse: Requested SparseTensor of type {dtype.name}, but the values have another dtype.",
            "check dtype.",
        )
    widths = {shape.size for _, _, shape in rows}
    if len(widths) > 1:
        raise errors.build(
            errors.InvalidArgumentError, f"deserialize_many_sparse: Inconsistent ranks: {sorted(widths)}.", ""
        )
    width = widths.pop() if widths else rank or 0
    numbered = [np.insert(indices, 0, i, axis=1) for i, (indices, _, _) in enumerate(rows)]
    indices = np.concatenate([*numbered, np.zeros((0, width + 1), np.int64)])
    values = np.concatenate([*[values for _, values, _ in rows], np.zeros(0, dtype.numpy)])
    largest = np.max([shape for _, _, shape in rows], 0, initial=0) if rows else np.zeros(width)
    return indices.astype(np.int64), values, np.concatenate([[len(rows)], largest]).astype(np.int64)


def _parts(row: Any) -> list[Any]:
    """The indices, values and shape of a serialized sparse tensor."""
    indices, values, shape = parts = [_array(data) for data in row]
    for name, part, rank in (("indices", indices, 2), ("values", values, 1), ("shape", shape, 1)):
        if part.ndim != rank or (part is not values and part.dtype != np.int64):
            raise _unfit(
                f"{name} must have rank {rank}{'' if part is values else ' and dtype int64'}, got {spec_of(part)}"
            )
    if indices.shape != (len(values), len(shape)):
        raise _unfit(f"indices is {spec_of(indices)}, but there are {len(values)} values of rank {len(shape)}")
    if (shape < 0).any():
        raise _unfit(f"shape must not have negative sizes, got {shape.tolist()}")
    return parts


def _unfit(what: str) -> Exception:
    return errors.build(
        errors.InvalidArgumentError,
        f"deserialize_many_sparse: {what}.",
        "give what tf.io.serialize_many_sparse returned.",
    )


def _array(data: bytes) -> Any:
    try:
        return array_of(TensorProto.FromString(data))
    except (DecodeError, TypeError, ValueError):
        raise errors.build(
            errors.InvalidArgumentError,
            f"deserialize_many_sparse: Could not parse {data[:40]!r} as TensorProto.",
            "give what tf.io.serialize_many_sparse returned.",
        ) from None


def _checked(who: str, value: Any, out_type: Any) -> SparseTensor:
    if not isinstance(value, SparseTensor):
        raise TypeError(
            errors.compose(f"{who}: Input must be a SparseTensor, got {value!r}.", "use tf.sparse.from_dense.")
        )
    if dtypes.as_dtype(out_type) is not dtypes.string:
        raise errors.build(errors.DTypeError, f"{who}: out_type must be tf.string, got {out_type!r}.", "leave it out.")
    return value
