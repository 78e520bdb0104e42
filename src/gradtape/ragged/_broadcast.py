"""Broadcasting of ragged tensors: axes along which all rows have length 1 are repeated, along all others the rows must be equally long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.api.array_op import on_arrays
from gradtape.arrays import indexing, joining, movement, shapes
from gradtape.core import dtypes, errors
from gradtape.core.composite import Composite
from gradtape.core.doors import adapt
from gradtape.core.shape import Spec
from gradtape.math._conversion import cast
from gradtape.ragged import _construct as construct
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._base import ragged

_OPEN: Any = (None,)

# In a function that does not know the sizes, these become nodes that wait for them.
_reshape = adapt(movement.reshape, True)


class Levels(NamedTuple):
    """How values are cut into rows, level by level.

    Attributes:
      splits: the row splits of each level, the outermost first, as int64.
      uniform: for each level whether all rows are known to have one length.
    """

    splits: tuple[Any, ...]
    uniform: tuple[bool, ...]


def _specs(*splits: Spec, uniform: Any, target: bool) -> tuple[Spec, ...]:
    return tuple([Spec(_OPEN, dtypes.int64)] * (2 + len(splits) // 2))


@on_arrays(_specs)
def _broadcast(*splits: Any, uniform: tuple[tuple[bool, ...], tuple[bool, ...]], target: bool) -> Any:
    """For each value of the result its position among the first and the second values, and the row splits of the result.

    The first half of the splits is that of the first values. With `target`, the second values have the result's rows.
    """
    half = len(splits) // 2
    counts = [len(splits[0]) - 1, len(splits[half]) - 1]
    rows: list[Any] = [np.arange(n, dtype=np.int64) for n in counts]
    if counts[0] != counts[1]:
        rows = _repeat(rows, counts, target)
    made = []
    for level in range(half):
        sides = splits[level], splits[half + level]
        lengths = [np.diff(s)[r] if len(s) > 1 else np.zeros(0, np.int64) for s, r in zip(sides, rows, strict=True)]
        is_one = [
            u[level] and len(s) > 1 and bool((np.diff(s) == 1).all()) for u, s in zip(uniform, sides, strict=True)
        ]
        repeats = [False, False]
        if not np.array_equal(lengths[0], lengths[1]):
            if is_one[0]:
                repeats[0] = True
            elif is_one[1] and not target:
                repeats[1] = True
            else:
                raise _incompatible(*lengths)
        result = lengths[1] if repeats[0] else lengths[0]
        rows = [
            np.repeat(s[:-1][r], result) if again else row_partition.ranges(s[:-1][r], result)
            for s, r, again in zip(sides, rows, repeats, strict=True)
        ]
        made.append(row_partition.splits_of(result, np.int64))
    return (rows[0].astype(np.int64), rows[1].astype(np.int64), *made)


def _repeat(rows: list[Any], counts: list[int], target: bool) -> list[Any]:
    if counts[0] == 1:
        return [np.zeros(counts[1], np.int64), rows[1]]
    if counts[1] == 1 and not target:
        return [rows[0], np.zeros(counts[0], np.int64)]
    raise _incompatible(*[np.array([n]) for n in counts])


def _incompatible(first: Any, second: Any) -> Exception:
    return errors.build(
        errors.ShapeError,
        f"ragged tensors: the rows are incompatible: lengths {first.tolist()[:20]} do not broadcast to "
        f"{second.tolist()[:20]} (Unable to broadcast: dimension size mismatch).",
        "rows must be equally long, or have length 1 along a uniform axis.",
    )


def broadcast_levels(first: Levels, second: Levels, target: bool = False) -> tuple[Any, Any, Levels]:
    """The positions of the values of the result in the first and in the second values, and the rows of the result."""
    given = [cast(s, dtypes.int64) for s in (*first.splits, *second.splits)]
    a, b, *made = _broadcast(*given, uniform=(first.uniform, second.uniform), target=target)
    both = second.uniform if target else tuple([u and v for u, v in zip(first.uniform, second.uniform, strict=True)])
    return a, b, Levels(tuple(made), both)


def with_levels(x: Any, rank: int, count: int) -> tuple[Any, Levels]:
    """A ragged or dense tensor, extended to a rank with leading axes of length 1, as flat values below a number of levels of rows."""
    before = rank - x.ndim
    if not isinstance(x, Composite):
        if before:
            known = x.get_shape().as_list()
            x = _reshape(x, joining.concat([np.ones(before, np.int64), shapes.shape(x, dtypes.int64)], 0))
            x.set_shape([1] * before + known)
        return _of_dense(x, count)
    whole: Any = x
    flat, inner = whole.flat_values, Levels((), ())
    missing = count - before - whole.ragged_rank
    if missing:
        flat, inner = _of_dense(flat, missing)
    lengths = [u is not None for u in whole._uniform_lengths()]
    leading: list[Any] = []
    for i in range(before):
        width = whole.nrows(dtypes.int64) if i == before - 1 else np.int64(1)
        leading.append(row_partition.uniform(np.int64(1), construct.number(width, dtypes.int64, "broadcast", "rows")))
    splits = (*leading, *[cast(s, dtypes.int64) for s in whole.nested_row_splits], *inner.splits)
    return flat, Levels(splits, (*[True] * before, *lengths, *inner.uniform))


def _of_dense(x: Any, count: int) -> tuple[Any, Levels]:
    """A dense tensor as flat values below a number of levels, all of them uniform."""
    sizes = shapes.shape(x, dtypes.int64)
    splits, rows = [], sizes[0]
    for level in range(count):
        splits.append(row_partition.uniform(rows, sizes[level + 1]))
        rows = rows * sizes[level + 1]
    known = x.get_shape().as_list()[count + 1 :]
    flat = _reshape(x, joining.concat([_reshape(rows, [1]), sizes[count + 1 :]], 0))
    flat.set_shape([None, *known])
    return flat, Levels(tuple(splits), (True,) * count)


def assemble(values: Any, splits: Sequence[Any], lengths: Sequence[int | None], dtype: Any) -> Any:
    """A ragged tensor of flat values, row splits of all levels and the lengths of those whose rows have one length."""
    for level, length in list(zip(splits, lengths, strict=True))[::-1]:
        values = ragged(values, cast(level, dtype), length)
    return values


def pair(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """The flat values of two tensors, of which at least one is ragged, and a function that gives flat values the rows of the result."""
    rank = max(x.ndim, y.ndim)
    count = max([rank - v.ndim + v.ragged_rank for v in (x, y) if isinstance(v, Composite)])  # type: ignore[attr-defined]
    (first, levels), (second, others) = with_levels(x, rank, count), with_levels(y, rank, count)
    a, b, result = broadcast_levels(levels, others)
    lengths = known_lengths(x, y, rank, count)
    dtype = next(v.row_splits.dtype for v in (x, y) if isinstance(v, Composite))  # type: ignore[attr-defined]
    gathered = indexing.gather(first, a), indexing.gather(second, b)
    return *gathered, lambda values: assemble(values, result.splits, lengths, dtype)


def known_lengths(x: Any, y: Any, rank: int, count: int) -> list[int | None]:
    """The lengths of the levels of the result that are the same in all rows, as far as they are known."""
    found: list[int | None] = []
    for level in range(count):
        sizes = [_length(v, level + 1 - (rank - v.ndim)) for v in (x, y)]
        others = [n for n in sizes if n != 1]
        found.append(1 if not others else None if None in others else max(n for n in others if n is not None))
    return found


def _length(x: Any, axis: int) -> int | None:
    size = 1 if axis < 0 else x.get_shape()[axis]
    return None if size is None else int(size)
