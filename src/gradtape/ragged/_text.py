"""The rows of a ragged tensor as text."""

from __future__ import annotations

import itertools
from typing import Any

from gradtape.api.array_op import objects, on_arrays
from gradtape.arrays.representation import as_string
from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor


def text_of(rt: Any, summarize: int | None = None) -> Tensor:
    """The rows as one string: `[[1, 2], [3]]`.

    Args:
      rt: a ragged tensor.
      summarize: how many elements at each end of an axis are written; -1 or None for all.
    """
    if summarize not in (None, -1) and not (isinstance(summarize, int) and summarize > 0):
        raise ValueError(
            errors.compose(f"Expected summarize to be -1 or a positive int, got {summarize!r}.", "leave it out.")
        )
    if rt.shape.rank is None:
        raise ValueError(
            errors.compose("RaggedTensor to_string requires that rt.shape.rank is not None.", "give it a shape.")
        )
    is_text = rt.dtype == dtypes.string
    flat = rt.flat_values if is_text else as_string(rt.flat_values)
    return _joined(flat, *rt.nested_row_splits, quoted=is_text, summarize=-1 if summarize is None else int(summarize))


@on_arrays(lambda *specs, quoted, summarize: Spec((), dtypes.string))
def _joined(*arrays: Any, quoted: bool, summarize: int) -> Any:
    flat, *splits = arrays
    return objects([_rows(_elements(flat, quoted, summarize), splits, summarize)], ())


def _elements(array: Any, quoted: bool, summarize: int) -> list[bytes]:
    """The text of each value, or of the array of each place along the first axis."""
    if array.ndim > 1:
        return [_listed(_elements(row, quoted, summarize), summarize) for row in array]
    if not quoted:
        return list(array)
    return [b"'" + x.replace(b"\\", b"\\\\").replace(b"'", b"\\'") + b"'" for x in array]


def _rows(parts: list[bytes], splits: list[Any], summarize: int) -> bytes:
    for ends in splits[::-1]:
        parts = [_listed(parts[a:b], summarize) for a, b in itertools.pairwise(ends)]
    return _listed(parts, summarize)


def _listed(parts: list[bytes], summarize: int) -> bytes:
    if 0 <= 2 * summarize < len(parts):
        parts = [*parts[:summarize], b"...", *parts[-summarize:]]
    return b"[" + b", ".join(parts) + b"]"
