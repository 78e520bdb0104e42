"""Row partitions: functions of row splits and similar descriptions, without a derivative."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from gradtape.api.array_op import on_arrays
from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec

OPEN: Any = (None,)


def _open(first: Spec, *others: Spec, **params: Any) -> Spec:
    return Spec(OPEN, first.dtype)


def _open_and_splits(splits: Spec, *others: Spec, **params: Any) -> tuple[Spec, Spec]:
    return Spec(OPEN, splits.dtype), splits


def _bad(what: str, fix: str) -> Exception:
    return errors.build(errors.ShapeError, what, fix)


def ranges(starts: Any, lengths: Any) -> Any:
    """The concatenated ranges of numbers that begin at the starts and have the given lengths."""
    lengths = np.maximum(lengths, 0)
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(np.asarray(starts) - (ends - lengths), lengths)


def splits_of(lengths: Any, dtype: Any) -> Any:
    """The row splits of lengths."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(dtype)


@on_arrays(lambda lengths: Spec((lengths.shape[0] + 1,), lengths.dtype))
def from_lengths(lengths: Any) -> Any:
    """The row splits of row lengths."""
    return splits_of(lengths, lengths.dtype)


@on_arrays(_open)
def uniform(rows: Any, length: Any) -> Any:
    """The row splits of rows of one length."""
    return np.arange(int(rows) + 1, dtype=length.dtype) * length


@on_arrays(lambda splits: Spec((max(splits.shape[0] - 1, 0),), splits.dtype))
def to_lengths(splits: Any) -> Any:
    """The lengths of rows."""
    return np.diff(splits)


@on_arrays(_open)
def to_rowids(splits: Any) -> Any:
    """The row number of each value."""
    return np.repeat(np.arange(max(len(splits) - 1, 0), dtype=splits.dtype), np.maximum(np.diff(splits), 0))


@on_arrays(_open)
def to_offsets(splits: Any) -> Any:
    """The position of each value in its row."""
    lengths = np.diff(splits)
    return ranges(np.zeros_like(lengths), lengths).astype(splits.dtype)


@on_arrays(lambda sizes: Spec(cast(Any, (None,) * sizes.shape[0]), dtypes.int64))
def numbers(sizes: Any) -> Any:
    """The numbers from 0 on in a shape."""
    return np.arange(int(np.prod(sizes)), dtype=np.int64).reshape(sizes.tolist())


@on_arrays(_open)
def from_rowids(rowids: Any, nrows: Any) -> Any:
    """The row splits of row numbers."""
    count = int(nrows)
    if count < 0:  # the numbers determine how many
        count = int(rowids.max()) + 1 if len(rowids) else 0
    return splits_of(np.bincount(rowids, minlength=count)[: max(count, 0)], rowids.dtype)


@on_arrays(lambda rowids, nrows: rowids)
def checked_rowids(rowids: Any, nrows: Any) -> Any:
    """The row numbers, after a check."""
    if len(rowids) and 0 <= int(nrows) <= rowids[-1]:
        raise _bad(
            f"from_value_rowids: Expected nrows >= value_rowids[-1] + 1; got nrows={int(nrows)}, value_rowids[-1]={rowids[-1]}.",
            "leave nrows out, or count the rows.",
        )
    if len(rowids) and (rowids[0] < 0 or (np.diff(rowids) < 0).any()):
        raise _bad(
            f"from_value_rowids: value_rowids must rise from 0 on, got {rowids.tolist()[:20]}: these do not form a valid "
            "RaggedTensor.",
            "sort them: row numbers rise from 0 on.",
        )
    return rowids


@on_arrays(lambda parts, count: parts)
def checked_parts(parts: Any, *, count: int) -> Any:
    """The numbers of parts, after a check."""
    if parts.size and (parts.min() < 0 or parts.max() >= count):
        what = "partitions must be non-negative" if parts.min() < 0 else "partitions must be less than num_partitions"
        raise _bad(
            f"stack_dynamic_partitions: {what}, {count}, got {parts.ravel().tolist()[:20]}.",
            "number the parts from 0, and count them in num_partitions.",
        )
    return parts


@on_arrays(lambda splits, count: splits)
def checked(splits: Any, count: Any) -> Any:
    """The row splits, after a check that they rise from 0 to the number of values."""
    if not len(splits):
        raise _bad("RaggedTensor: row_splits tensor may not be empty.", "give [0] for no rows.")
    if splits[0] != 0 or (np.diff(splits) < 0).any() or splits[-1] != count:
        raise _bad(
            f"RaggedTensor: row_splits {splits.tolist()[:20]} and {int(count)} values do not form a valid RaggedTensor.",
            "row splits must start with 0, never fall, and end with the number of values.",
        )
    return splits


@on_arrays(lambda splits, who: splits)
def equally_long(splits: Any, *, who: str) -> Any:
    """The row splits, after a check that all rows have one length."""
    lengths = np.diff(splits)
    if len(lengths) and (lengths != lengths[0]).any():
        raise _bad(
            f"{who}: The matrices in `a` and `b` may not be ragged in their innermost dimension. The rows must be equally "
            f"long, got lengths {lengths.tolist()[:20]}.",
            "use x.to_tensor() to fill them up with zeros.",
        )
    return splits


@on_arrays(lambda sizes, a, b, who: sizes)
def checked_counts(sizes: Any, a: Any, b: Any, *, who: str) -> Any:
    """The sizes, after a check that two counts are the same."""
    if int(a) != int(b):
        raise _bad(f"{who} ({int(a)} vs {int(b)})", "each partition has as many values as the next one has rows.")
    return sizes


@on_arrays(lambda splits, who: splits)
def rising(splits: Any, *, who: str) -> Any:
    """The row splits, after a check that they rise from 0."""
    if not len(splits) or splits[0] != 0 or (np.diff(splits) < 0).any():
        raise _bad(
            f"RowPartition.{who}: Arguments to {who} do not form a valid RowPartition: the splits are {splits.tolist()[:20]}.",
            "row splits must start with 0 and never fall.",
        )
    return splits


@on_arrays(lambda splits, other, who: splits)
def same(splits: Any, other: Any, *, who: str) -> Any:
    """The row splits, after a check that others are the same."""
    if splits.shape != other.shape or not np.array_equal(splits, other):
        raise _bad(
            f"{who}: the ragged tensors have different row lengths: {np.diff(splits).tolist()[:20]} and "
            f"{np.diff(other).tolist()[:20]}. "
            "Inputs must have identical ragged splits, and these partitions have incompatible ones.",
            "give tensors with the same row splits.",
        )
    return splits


def _coordinate_specs(*splits: Spec) -> Spec:
    unknown: Any = (None, len(splits) + 1)
    return Spec(unknown, dtypes.int64)


def _coordinates(splits: tuple[Any, ...]) -> Any:
    columns: list[Any] = []
    for level in splits:
        lengths = np.maximum(np.diff(level), 0)
        columns = [np.repeat(c, lengths[: len(c)] if len(lengths) >= len(c) else 1) for c in columns]
        if not columns:
            columns = [np.repeat(np.arange(len(lengths)), lengths)]
        columns.append(ranges(np.zeros(len(lengths), np.int64), lengths))
    return np.stack(columns, axis=1).astype(np.int64)


@on_arrays(_coordinate_specs)
def coordinates(*splits: Any) -> Any:
    """The index of each flat value along each axis, from the row splits of all levels."""
    return _coordinates(splits)


@on_arrays(lambda *splits: Spec((len(splits) + 1,), dtypes.int64))
def bounds(*splits: Any) -> Any:
    """The number of rows, and the length of the longest row of each level."""
    longest = [int(np.diff(level).max(initial=0)) for level in splits]
    return np.array([len(splits[0]) - 1, *longest], np.int64)


def _places_specs(splits: Spec, ids: Spec, *, count: int) -> tuple[Spec, Spec]:
    return Spec(OPEN, splits.dtype), Spec((count + 1,), splits.dtype)


@on_arrays(_places_specs)
def places_in_segments(splits: Any, ids: Any, *, count: int) -> Any:
    """The position of each value in the longest row of its segment, and the row splits of the segments."""
    lengths = np.diff(splits)
    kept = ids >= 0
    if len(ids) and int(ids.max()) >= count:
        raise _bad(f"RaggedTensor: segment_ids must be below {count}, got {int(ids.max())}.", "raise num_segments.")
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, ids[kept], lengths[kept])
    ends = splits_of(longest, splits.dtype)
    starts = np.where(kept, ends[np.maximum(ids, 0)] if len(ends) > 1 else 0, 0)
    places = np.where(np.repeat(kept, lengths), ranges(starts, lengths), -1)
    return places.astype(splits.dtype), ends


@on_arrays(lambda splits, rows, wraps=True: (Spec(OPEN, splits.dtype), Spec((rows.shape[0] + 1,), splits.dtype)))
def rows_at(splits: Any, rows: Any, *, wraps: bool = True) -> Any:
    """The positions of the values in some rows, and the row splits of these; negative numbers may count from the end."""
    count = len(splits) - 1
    rows = np.where(rows < 0, rows + count, rows) if wraps else rows
    if len(rows) and (rows.min() < 0 or rows.max() >= count):
        i = int(((rows < 0) | (rows >= count)).argmax())
        raise errors.build(
            errors.RangeError,
            f"RaggedTensor: a row is out of range: indices[{i}] = {rows[i]} is not in [0, {count}).",
            "rows count from 0.",
        )
    lengths = np.diff(splits)[rows] if count > 0 else np.zeros(len(rows), splits.dtype)
    return ranges(splits[rows], lengths).astype(splits.dtype), splits_of(lengths, splits.dtype)


def _rows_of_slice(splits: Spec, *, start: Any, stop: Any, step: Any) -> Spec:
    return Spec((len(range(splits.shape[0] - 1)[start:stop:step]),), splits.dtype)


@on_arrays(_rows_of_slice)
def rows_in(splits: Any, *, start: Any, stop: Any, step: Any) -> Any:
    """The numbers of the rows in a slice."""
    return np.arange(len(splits) - 1, dtype=splits.dtype)[start:stop:step]


@on_arrays(lambda splits, column: Spec((splits.shape[0] - 1,), splits.dtype))
def column(splits: Any, *, column: int) -> Any:
    """The position of one value of each row."""
    lengths = np.diff(splits)
    places = np.where(column < 0, lengths + column, column)
    if ((places < 0) | (places >= lengths)).any():
        raise errors.build(
            errors.RangeError,
            f"RaggedTensor: Cannot index into an inner ragged dimension: column {column} is not in all rows, of lengths "
            f"{lengths.tolist()[:20]}.",
            "use a slice, such as x[:, i : i + 1], where rows may be shorter.",
        )
    return splits[:-1] + places


@on_arrays(lambda splits, places: Spec(OPEN, splits.dtype))
def columns(splits: Any, places: Any) -> Any:
    """The flat positions of the same columns in each row, row by row."""
    lengths = np.diff(splits)
    if len(places) and len(lengths) and (places.min() < 0 or places.max() >= lengths.min()):
        raise errors.build(
            errors.RangeError,
            f"gather: indices must be in all rows, of lengths {lengths.tolist()[:20]}, got {places.tolist()[:20]}.",
            "use batch_dims=1 for other indices in each row.",
        )
    return (splits[:-1, None] + places).reshape(-1)


@on_arrays(lambda splits, rows, places: rows)
def inside_rows(splits: Any, rows: Any, places: Any) -> Any:
    """The positions of one place in each of some rows."""
    lengths = np.diff(splits)
    if len(rows) and (rows.max() >= len(lengths) or (places < 0).any() or (places >= lengths[rows]).any()):
        raise errors.build(
            errors.RangeError,
            f"gather_nd: indices must be inside the rows, got rows {rows.tolist()[:20]}, places {places.tolist()[:20]}.",
            "compare them with x.row_lengths().",
        )
    return splits[rows] + places


@on_arrays(lambda numbers, who: numbers)
def not_negative(numbers: Any, *, who: str) -> Any:
    """The numbers, after a check."""
    if len(numbers) and numbers.min() < 0:
        raise _bad(f"{who}: indices must not be negative, got {numbers.tolist()[:20]}.", "rows count from 0.")
    return numbers


@on_arrays(_open_and_splits)
def part_of_rows(splits: Any, *, start: Any, stop: Any, step: Any) -> Any:
    """The positions of a slice of each row, and the row splits of these."""
    lengths, step = np.diff(splits), 1 if step is None else step
    # As Python's slices: backward they go from the last element to before the first.
    low, high = (0, lengths) if step > 0 else (-1, lengths - 1)
    first = (low if step > 0 else high) if start is None else _clipped(start, lengths, low, high)
    last = (high if step > 0 else low) if stop is None else _clipped(stop, lengths, low, high)
    counts = np.maximum(-((first - last) // step), 0)
    positions = np.repeat(splits[:-1] + first, counts) + ranges(np.zeros_like(counts), counts) * step
    return positions.astype(splits.dtype), splits_of(counts, splits.dtype)


def _clipped(index: int, lengths: Any, low: Any, high: Any) -> Any:
    return np.clip(index + lengths if index < 0 else index, low, high)


@on_arrays(lambda *splits: Spec((sum(s.shape[0] - 1 for s in splits) + 1,), splits[0].dtype))
def one_after_the_other(*splits: Any) -> Any:
    """The row splits of concatenated ragged tensors."""
    return splits_of(np.concatenate([np.diff(s) for s in splits]), splits[0].dtype)


@on_arrays(_open_and_splits)
def side_by_side(*splits: Any) -> Any:
    """The positions of the values of joined rows among all concatenated values, and the row splits."""
    if len({len(s) for s in splits}) > 1:
        raise _bad(
            f"concat: the tensors must have equally many rows, got {[len(s) - 1 for s in splits]}.",
            "join them along axis 0, or take as many rows of each.",
        )
    lengths = np.stack([np.diff(s) for s in splits], axis=1)
    before = np.cumsum([0, *[int(s[-1]) for s in splits[:-1]]])
    starts = np.stack([s[:-1] for s in splits], axis=1) + before
    return ranges(starts.ravel(), lengths.ravel()).astype(splits[0].dtype), splits_of(lengths.sum(1), splits[0].dtype)


@on_arrays(lambda is_padding: Spec(is_padding.shape[:-1], dtypes.int64))
def lengths_before(is_padding: Any) -> Any:
    """The lengths of rows without the padding at their ends."""
    length = is_padding.shape[-1]
    kept = ~is_padding
    return np.where(kept.any(-1), length - kept[..., ::-1].argmax(-1), 0).astype(np.int64)


@on_arrays(lambda mask, splits: (Spec(OPEN, dtypes.int64), splits))
def true_values(mask: Any, splits: Any) -> Any:
    """The positions of true values, and the row splits of these."""
    before = np.concatenate([[0], np.cumsum(mask)])
    return np.flatnonzero(mask), before[splits].astype(splits.dtype)


@on_arrays(lambda starts, limits, deltas: (Spec(OPEN, dtypes.int64), Spec((starts.shape[0] + 1,), dtypes.int64)))
def steps_of_ranges(starts: Any, limits: Any, deltas: Any) -> Any:
    """The step of each number within its range, and the row splits."""
    if (deltas == 0).any():
        raise _bad("ragged.range: a delta is 0: Requires delta != 0.", "give deltas that are not 0.")
    lengths = np.maximum(np.ceil((limits - starts) / deltas), 0).astype(np.int64)
    return ranges(np.zeros_like(lengths), lengths), splits_of(lengths, np.int64)


def _row_specs(coordinates: Spec, row: Spec) -> tuple[Spec, Spec]:
    places: Any = (None, coordinates.shape[1] - 1)
    return Spec(OPEN, dtypes.int64), Spec(places, dtypes.int64)


@on_arrays(_row_specs)
def row_of_sparse(coordinates: Any, row: Any) -> Any:
    """The positions of the values in one row of a sparse tensor, and their columns."""
    positions = np.flatnonzero(coordinates[:, 0] == row)
    return positions, coordinates[positions, 1:]


@on_arrays(lambda coordinates, dense_shape: Spec((None,), dtypes.int64))  # type: ignore[arg-type]
def splits_of_sparse(coordinates: Any, dense_shape: Any) -> Any:
    """The row splits of a sparse matrix whose rows are left-aligned."""
    rows, columns = coordinates[:, 0], coordinates[:, 1]
    lengths = np.bincount(rows, minlength=int(dense_shape[0]))
    if not np.array_equal(columns, ranges(np.zeros_like(lengths), lengths)) or (np.diff(rows) < 0).any():
        raise _bad(
            "RaggedTensor.from_sparse: SparseTensor is not right-ragged.",
            "the values of each row must be at its left end, without gaps, in row-major order.",
        )
    return splits_of(lengths, np.int64)
