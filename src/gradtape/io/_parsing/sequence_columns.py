"""One feature of the steps of sequences as arrays: padded, sparse or ragged."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec
from gradtape.io._parsing import ragged_features
from gradtape.io._parsing.columns import Column
from gradtape.io._parsing.wire_records import Batch, checked, decoded, feature_lists, joined, word
from gradtape.protos import wire_format


def specs(column: Column, batch: Any, single: bool) -> list[Spec]:
    """The specs of a column's arrays; those of a padded one end with the numbers of steps."""
    lead: tuple[Any, ...] = () if single else (batch,)
    if column.kind == "padded":
        return [Spec((*lead, None, *column.shape), column.dtype), Spec(lead, dtypes.int64)]  # type: ignore[arg-type]
    if column.kind == "ragged":
        inner = ragged_features.specs(column, None, False)
        count: Any = None if batch is None else batch + 1
        return inner if single else [inner[0], Spec((count,), column.splits), *inner[1:]]
    rank = 2 if single else 3
    return [Spec((None, rank), dtypes.int64), Spec((None,), column.dtype), Spec((rank,), dtypes.int64)]  # type: ignore[arg-type]


def as_column(column: Column, single: bool) -> Column:
    """The column whose arrays are put together in the same way: in a batch of sequences, steps divide records too."""
    if column.kind == "ragged" and not single:
        return column._replace(partitions=(("RowSplits", None), *column.partitions))
    return column


def read(column: Column, batch: Batch, single: bool) -> list[Any]:
    """The arrays of a column."""
    found = [_steps(column, batch, i) for i in range(len(batch))]
    counts = np.array([len(steps) for steps in found], np.int64)
    if column.kind == "padded":
        values = _padded(column, batch, found, counts)
        return [values[0], counts[0]] if single else [values, counts]
    flat = [step for steps in found for step in steps]
    if column.kind == "ragged":
        return _ragged(column, batch, flat, counts, single)
    lengths = np.array([0 if step is None else len(step) for step in flat], np.int64)
    record = np.repeat(np.repeat(np.arange(counts.size), counts), lengths)
    step = np.repeat(_within(counts), lengths)
    indices = np.stack([*([] if single else [record]), step, _within(lengths)], 1).astype(np.int64)
    shape = [counts.max(initial=0), lengths.max(initial=0)]
    return [indices, joined(flat, column.dtype), np.array(shape if single else [counts.size, *shape], np.int64)]


def _within(lengths: Any) -> Any:
    """Places counted within each of several rows."""
    return np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _steps(column: Column, batch: Batch, i: int, key: str = "", dtype: dtypes.DType | None = None) -> list[Any]:
    """The values in each step of a record."""
    key, dtype = key or column.key, dtype or column.dtype
    try:
        steps = feature_lists(batch.data[i]).get(key)
    except wire_format.WireError as problem:
        raise batch.error(i, f"Could not parse example input: {problem}.", "") from None
    if steps is None and column.kind == "padded" and not column.has_default:
        raise batch.error(
            i,
            f"Feature list '{key}' is required but could not be found.  Did you mean to include it in "
            "feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?",
            "give allow_missing=True.",
        )
    values = [decoded(batch, key, i, step) for step in steps or []]
    return [None if v is None else checked(batch, key, i, v, dtype, t) for t, v in enumerate(values)]


def _padded(column: Column, batch: Batch, found: list[list[Any]], counts: Any) -> Any:
    size = math.prod(column.shape)
    nothing = b"" if column.dtype is dtypes.string else 0
    result = np.full((len(found), int(counts.max(initial=0)), size), nothing, column.dtype.numpy)
    for i, steps in enumerate(found):
        for t, values in enumerate(steps):
            count = 0 if values is None else len(values)
            if count != size:
                raise batch.error(
                    i,
                    f"Key: {column.key}, Index: {t}.  Number of {word(column.dtype)} values != expected.  values size: "
                    f"{count} but output shape: {list(column.shape)}",
                    "correct the shape, or use tf.io.VarLenFeature.",
                )
            result[i, t, :] = values
    return result.reshape(*result.shape[:2], *column.shape)


def _ragged(column: Column, batch: Batch, flat: list[Any], counts: Any, single: bool) -> list[Any]:
    """Each step is divided as a separate record; records are divided into steps."""
    told = {}
    for kind, key in column.partitions:
        if kind != "UniformRowLength":
            rows = [_steps(column, batch, i, key, dtypes.int64) for i in range(len(batch))]
            if [len(steps) for steps in rows] != counts.tolist():
                raise errors.build(
                    errors.InvalidArgumentError,
                    f"{key} and {column.key} do not form a valid RaggedTensor: they do not have as many steps.",
                    "check the partitions of the RaggedFeature, and the records.",
                )
            told[key] = [step for steps in rows for step in steps]
    values, *splits = ragged_features.divided(column, flat, told, batch, False)
    return [values, *([] if single else [ragged_features.ends(counts, column.splits)]), *splits]
