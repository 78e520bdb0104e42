"""RaggedFeature: values of records divided into rows, by other features or by a fixed length.

Partitions are listed from the outermost to the innermost. For each record, the lengths of the innermost rows are found first:
they divide the values; those of the next partition divide these rows, and so on. A batch divides what is left by records.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes
from gradtape.core.shape import Spec
from gradtape.io._parsing.wire_records import Batch, joined


def specs(column: Any, batch: Any, single: bool) -> list[Spec]:
    """The specs of the values, and of the row splits from the outermost to the innermost partition."""
    count: Any = None if batch is None else batch + 1
    unknown = Spec((None,), column.splits)  # type: ignore[arg-type]
    found = [unknown for kind, _ in column.partitions if kind != "UniformRowLength"]
    return [Spec((None,), column.dtype), *([] if single else [Spec((count,), column.splits)]), *found]  # type: ignore[arg-type]


def read(column: Any, found: list[Any], batch: Batch, single: bool) -> list[Any]:
    """The values, and the row splits from the outermost to the innermost partition."""
    told = {key: batch.column(key, dtypes.int64) for kind, key in column.partitions if kind != "UniformRowLength"}
    return divided(column, found, told, batch, single)


def divided(column: Any, found: list[Any], told: dict[str, list[Any]], batch: Batch, single: bool) -> list[Any]:
    """The arrays of `read`, from the values of each record and of the features that divide them."""
    sizes = [0 if content is None else len(content) for content in found]
    splits = []
    for kind, key in reversed(column.partitions):
        lengths = []
        for i, size in enumerate(sizes):
            partition = key if kind == "UniformRowLength" else told[key][i]
            lengths.append(_checked(batch, i, column, kind, key, _lengths(kind, partition, size), size))
            sizes[i] = lengths[-1].size
        if kind != "UniformRowLength":
            splits.append(ends(np.concatenate([*lengths, np.zeros(0, np.int64)]), column.splits))
    outer = [] if single else [ends(np.array(sizes, np.int64), column.splits)]
    return [joined(found, column.dtype), *outer, *reversed(splits)]


def ends(lengths: Any, dtype: dtypes.DType) -> Any:
    """Row splits from the lengths of rows."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(dtype.numpy)


def _lengths(kind: str, partition: Any, size: int) -> Any:
    """The lengths of rows, by what tells them."""
    if kind == "UniformRowLength":
        return np.full(size // partition, partition, np.int64)
    partition = np.zeros(0, np.int64) if partition is None else partition
    if kind == "RowSplits":
        return np.diff(partition)
    if kind == "RowStarts":
        return np.diff(np.append(partition, size))
    if kind == "RowLimits":
        return np.diff(partition, prepend=0)
    return np.bincount(partition).astype(np.int64) if kind == "ValueRowIds" else partition


def _checked(batch: Batch, i: int, column: Any, kind: str, key: Any, lengths: Any, size: int) -> Any:
    if int(lengths.sum()) != size or int(lengths.min(initial=0)) < 0:
        raise batch.error(
            i,
            f"Key: {column.key}, Index: {i}.  {kind}({key!r}) divides {int(lengths.sum())} values, but there are {size}.",
            "check the partitions of the RaggedFeature, and the record.",
        )
    return lengths


def assembled(column: Any, parts: list[Any]) -> Any:
    """The ragged tensor of arrays; the values themselves where nothing divides them."""
    from gradtape.arrays.movement import reshape
    from gradtape.ragged._tensor import RaggedTensor

    values, *splits = parts
    kinds = [("RowSplits", None), *column.partitions][-len(column.partitions) - (len(splits) > _told(column)) :]
    if not splits and not column.partitions:
        return values
    for kind, key in reversed(kinds):
        if kind == "UniformRowLength" and not isinstance(values, RaggedTensor):
            values = reshape(values, [-1, key, *values.shape[1:]])
        elif kind == "UniformRowLength":
            values = RaggedTensor.from_uniform_row_length(values, key)
        else:
            values = RaggedTensor.from_row_splits(values, splits.pop(), validate=False)
    return values


def _told(column: Any) -> int:
    """The number of partitions with separate row splits."""
    return len([kind for kind, _ in column.partitions if kind != "UniformRowLength"])
