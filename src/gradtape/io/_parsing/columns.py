"""One feature of a batch of records as arrays: dense, padded, sparse or as rows of several lengths.

A plan (Column) says what is wanted; it is a parameter of an op, so it is made of plain values. With `single` there is one
record, and the results have no axis for the batch.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gradtape.core import dtypes
from gradtape.core.shape import Spec
from gradtape.io._parsing import ragged_features
from gradtape.io._parsing.wire_records import Batch, joined, word


class Column(NamedTuple):
    """The requested form of a feature.

    Attributes:
      kind: "fixed", "padded", "sparse", "located" or "ragged".
      key: the feature's name.
      dtype: of its values.
      shape: of one record's values, or of one item of them; the sizes of the axes for "located".
      has_default: whether a default is among the arrays.
      index_keys: for "located", the features with the indices.
      is_sorted: for "located", whether these are in order.
      partitions: for "ragged", how each record's values are divided into rows; see `ragged.py`.
      splits: for "ragged", the dtype of the row splits.
    """

    kind: str
    key: str
    dtype: dtypes.DType
    shape: tuple[int, ...] = ()
    has_default: bool = False
    index_keys: tuple[str, ...] = ()
    is_sorted: bool = False
    partitions: tuple[tuple[str, Any], ...] = ()
    splits: dtypes.DType = dtypes.int64


def specs(column: Column, batch: Any, single: bool) -> list[Spec]:
    """The specs of a column's arrays; `batch` is the number of records, None if it is not known."""
    lead: tuple[Any, ...] = () if single else (batch,)
    if column.kind == "fixed":
        return [Spec((*lead, *column.shape), column.dtype)]
    if column.kind == "padded":
        return [Spec((*lead, None, *column.shape), column.dtype)]  # type: ignore[arg-type]
    if column.kind == "ragged":
        return ragged_features.specs(column, batch, single)
    rank = len(lead) + (1 if column.kind == "sparse" else len(column.shape))
    return [
        Spec((None, rank), dtypes.int64),  # type: ignore[arg-type]
        Spec((None,), column.dtype),  # type: ignore[arg-type]
        Spec((rank,), dtypes.int64),
    ]


def read(column: Column, batch: Batch, default: Any, single: bool) -> list[Any]:
    """The arrays of a column."""
    found = batch.column(column.key, column.dtype)
    if column.kind == "fixed":
        return [_fixed(column, batch, found, default, single)]
    if column.kind == "padded":
        return [_padded(column, batch, found, default, single)]
    if column.kind == "located":
        return _located(column, batch, found, single)
    if column.kind == "ragged":
        return ragged_features.read(column, found, batch, single)
    indices, shape = _places(_lengths(found), single)
    return [indices, joined(found, column.dtype), shape]


def _lengths(found: list[Any]) -> Any:
    return np.array([0 if values is None else len(values) for values in found], np.int64)


def _places(lengths: Any, single: bool) -> tuple[Any, Any]:
    """The indices of values that stand at the beginnings of rows, and the shape of the whole."""
    rows = np.repeat(np.arange(lengths.size), lengths)
    starts = np.cumsum(lengths) - lengths
    columns = np.arange(rows.size) - np.repeat(starts, lengths)
    longest = int(lengths.max(initial=0))
    if single:
        return columns[:, None].astype(np.int64), np.array([longest], np.int64)
    return np.stack([rows, columns], 1).astype(np.int64), np.array([lengths.size, longest], np.int64)


def _fixed(column: Column, batch: Batch, found: list[Any], default: Any, single: bool) -> Any:
    size = math.prod(column.shape)
    result = np.empty((len(found), size), column.dtype.numpy)
    for i, values in enumerate(found):
        if values is None:
            if not column.has_default:
                raise batch.error(
                    i,
                    f"Feature: {column.key} (data type: {word(column.dtype)}) is required but could not be found.",
                    "give the feature a default_value, or use tf.io.VarLenFeature.",
                )
            values = np.ravel(default)
        elif len(values) != size:
            place = f"Key: {column.key}" + (".  Can't parse serialized Example." if single else f", Index: {i}.")
            raise batch.error(
                i,
                f"{place}  Number of {word(column.dtype)} values != expected.  Values size: "
                f"{len(values)} but output shape: {list(column.shape)}",
                "correct the shape, or use tf.io.VarLenFeature or FixedLenSequenceFeature.",
            )
        result[i, :] = values
    shaped = result.reshape(len(found), *column.shape)
    return shaped[0, ...] if single else shaped


def _padded(column: Column, batch: Batch, found: list[Any], default: Any, single: bool) -> Any:
    size = math.prod(column.shape)
    lengths = _lengths(found)
    for i, length in enumerate(lengths):
        if size == 0 or length % size:
            raise batch.error(
                i,
                f"Key: {column.key}, Index: {i}.  Number of {word(column.dtype)} values is not a multiple of stride "
                f"length. Saw {length} values but output shape is: {list(column.shape)}",
                "correct the shape of one item.",
            )
    result = filled((len(found), int(lengths.max(initial=0))), column, default)
    for i, values in enumerate(found):
        if values is not None:
            result[i, : len(values)] = values
    shaped = result.reshape(len(found), result.shape[1] // max(size, 1), *column.shape)
    return shaped[0] if single else shaped


def filled(shape: tuple[int, ...], column: Column, default: Any) -> Any:
    """An array of the default, or of zeros or empty strings."""
    nothing = b"" if column.dtype is dtypes.string else 0
    return np.full(shape, default[()] if column.has_default else nothing, column.dtype.numpy)


def _located(column: Column, batch: Batch, found: list[Any], single: bool) -> list[Any]:
    """Values at the places that other features tell."""
    places = [batch.column(key, dtypes.int64) for key in column.index_keys]
    lengths = _lengths(found)
    for i, length in enumerate(lengths):
        for key, place in zip(column.index_keys, places, strict=True):
            count = 0 if place[i] is None else len(place[i])
            if count != length:
                raise batch.error(
                    i,
                    f"there are {length} values in {column.key}, but {count} indices in {key}.",
                    "each value needs one index for each axis.",
                )
    axes = [] if single else [np.repeat(np.arange(lengths.size), lengths)]
    indices = np.stack([*axes, *[joined(place, dtypes.int64) for place in places]], 1).astype(np.int64)
    values = joined(found, column.dtype)
    if not column.is_sorted:
        order = np.lexsort(indices.T[::-1])
        indices, values = indices[order], values[order]
    shape = column.shape if single else (lengths.size, *column.shape)
    return [indices, values, np.array(shape, np.int64)]
