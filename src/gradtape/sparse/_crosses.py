"""Crosses of features: all combinations of the values that rows of several tensors hold."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.api.arguments import integer
from gradtape.api.array_op import flat, on_arrays
from gradtape.arrays import creation
from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.math._conversion import cast
from gradtape.ragged import _construct as construct
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._tensor import RaggedTensor
from gradtape.strings._arguments import scalar
from gradtape.strings._hash_buckets import fingerprints
from gradtape.strings._split import rows_of

_BITS = (1 << 64) - 1
_KEY = 0xDECAFCAFFE  # of hashes, unless another is given


def _specs(*specs: Spec, **params: Any) -> tuple[Spec, Spec]:
    unknown: Any = (None,)
    dtype = dtypes.string if params["separator"] is not None else dtypes.int64
    return Spec(unknown, dtype), Spec(specs[1].shape, dtypes.int64)


@on_arrays(_specs)
def _crossed(*arrays: Any, separator: bytes | None, buckets: int, key: int) -> Any:
    columns = [
        _rows(values, splits, separator is None) for values, splits in zip(arrays[::2], arrays[1::2], strict=True)
    ]
    combined = [list(itertools.product(*rows)) for rows in zip(*columns, strict=True)]
    if separator is not None:
        return rows_of([[separator.join(parts) for parts in row] for row in combined])
    return rows_of([[_hash(parts, key) % buckets for parts in row] for row in combined], np.int64)


def _rows(values: Any, splits: Any, hashed: bool) -> list[list[Any]]:
    """The features of each row: texts, or numbers to be hashed."""
    listed = flat(values)
    if hashed:
        listed = fingerprints(listed) if values.dtype.kind == "O" else [v & _BITS for v in listed]
    else:
        listed = [v if isinstance(v, bytes) else str(v).encode() for v in listed]
    return [listed[a:b] for a, b in itertools.pairwise(splits.tolist())]


def _hash(numbers: Sequence[int], key: int) -> int:
    for number in numbers:
        key = _together(key, number)
    return key


def _together(a: int, b: int) -> int:
    """Two fingerprints as one, in the way of FarmHash's users."""
    m = 0xC6A4A7935BD1E995
    found = (a ^ m ^ (_mixed(b * m & _BITS) * m & _BITS)) * m & _BITS
    return _mixed(_mixed(found) * m & _BITS)


def _mixed(x: int) -> int:
    return x ^ x >> 47


def _in_rows(x: Any, who: str) -> RaggedTensor:
    """A matrix, dense, sparse or ragged, as rows of strings or int64."""
    if isinstance(x, SparseTensor):
        if x.shape.rank not in (None, 2):
            raise errors.build(
                errors.ShapeError,
                f"{who}: Expected D2 of index to be 2, got {x.shape.rank}: sparse inputs must be matrices.",
                "give matrices.",
            )
        splits = row_partition.from_rowids(x.indices[:, 0], x.dense_shape[0])
        found = RaggedTensor(x.values, splits)
    else:
        given = construct.tensor(x)
        if given.ndim != 2:
            raise errors.build(
                errors.ShapeError,
                f"{who}: Dense inputs should be a matrix each: tf.{who} only supports inputs with rank=2, got {given.ndim}.",
                "give matrices.",
            )
        found = given if isinstance(given, RaggedTensor) else construct.from_tensor(given)
    # The functions of sparse tensors take floats, and leave out the digits behind the point.
    if who.startswith("ragged") and found.dtype is not dtypes.string and not found.dtype.is_integer:
        raise ValueError(
            errors.compose(
                f"{who}: Unexpected dtype for inputs: they must be strings or integers, got {found.dtype.name}.",
                "use tf.strings.as_string or tf.cast.",
            )
        )
    return found if found.dtype is dtypes.string else found.with_values(cast(found.values, dtypes.int64))


def _cross(who: str, inputs: Any, separator: bytes | None, buckets: int = 0, key: Any = None) -> RaggedTensor:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(errors.compose(f"{who}: Inputs must be a list.", "give a list of one matrix or more."))
    if buckets < 0:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: num_buckets must not be negative, got {buckets}.",
            "give the number of buckets, or 0 for as many as int64 has numbers.",
        )
    if not inputs:
        nothing = creation.zeros([0], dtypes.int64 if separator is None else dtypes.string)
        return RaggedTensor(nothing, creation.zeros([1], dtypes.int64))
    rows = [_in_rows(x, who) for x in inputs]
    counts = {r.get_shape()[0] for r in rows} - {None}
    if len(counts) > 1:
        first, *others = sorted(counts)
        raise errors.build(
            errors.ShapeError,
            f"{who}: inputs must all have the same batch dimension size: Expected batch size {first}, got {others}.",
            "give as many rows of each.",
        )
    parts = [part for r in rows for part in (r.values, r.row_splits)]
    count = buckets if buckets > 0 else (1 << 63) - 1
    number = _KEY if key is None else integer(key, who, "hash_key")
    values, splits = _crossed(*parts, separator=separator, buckets=count, key=number & _BITS)
    return RaggedTensor(values, splits)


def ragged_cross(inputs: Any, name: str | None = None) -> Any:
    """All combinations of the features of rows, as strings.

    Args:
      inputs: a list of matrices of strings or integers, dense, sparse or ragged, with equally many rows.

    >>> tf.ragged.cross([tf.ragged.constant([["a", "b"], ["c"]]), [["x"], ["y"]]])
    <tf.RaggedTensor [[b'a_X_x', b'b_X_x'], [b'c_X_y']]>
    """
    return _cross("ragged.cross", inputs, b"_X_")


def ragged_cross_hashed(inputs: Any, num_buckets: int = 0, hash_key: Any = None, name: str | None = None) -> Any:
    """All combinations of the features of rows, as numbers of buckets.

    Args:
      inputs: a list of matrices of strings or integers, dense, sparse or ragged, with equally many rows.
      num_buckets: how many buckets there are; 0 for as many as int64 has numbers.
      hash_key: an integer that chooses the hash function.

    >>> tf.ragged.cross_hashed([tf.ragged.constant([["a", "b"], ["c"]]), [["x"], ["y"]]], 100)
    <tf.RaggedTensor [[92, 4], [60]]>
    """
    return _cross("ragged.cross_hashed", inputs, None, int(num_buckets), hash_key)


def _sparse_first(inputs: Any) -> Any:
    """The order in which TensorFlow combines: sparse inputs stand before dense ones."""
    return (
        sorted(inputs, key=lambda x: not isinstance(x, SparseTensor)) if isinstance(inputs, (list, tuple)) else inputs
    )


def sparse_cross(inputs: Any, name: str | None = None, separator: Any = None) -> SparseTensor:
    """All combinations of the features of rows, as strings.

    Args:
      inputs: a list of matrices of strings or integers, dense, sparse or ragged, with equally many rows; the values of
        sparse ones stand first.
      separator: between the features; `_X_` by default.

    >>> tf.sparse.cross([[["a", "b"]], [["x"]]]).values.numpy()
    array([b'a_X_x', b'b_X_x'], dtype=object)
    """
    between = b"_X_" if separator is None else scalar(separator, "sparse.cross", "separator")
    result: SparseTensor = _cross("sparse.cross", _sparse_first(inputs), between).to_sparse()
    return result


def sparse_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: Any = None, name: str | None = None
) -> SparseTensor:
    """All combinations of the features of rows, as numbers of buckets; the arguments are those of `tf.ragged.cross_hashed`.

    >>> tf.sparse.cross_hashed([[["a", "b"]], [["x"]]], 100).values.numpy()
    array([92,  4])
    """
    rows = _cross("sparse.cross_hashed", _sparse_first(inputs), None, int(num_buckets), hash_key)
    result: SparseTensor = rows.to_sparse()
    return result
