"""The base of RaggedTensor for the modules below `_tensor.py`: recognising one, and making one."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from gradtape.core import errors
from gradtape.core.composite import Composite
from gradtape.core.shape import normalize_axis


class RaggedBase(Composite):
    """Base of RaggedTensor alone."""

    __slots__ = ()

    _counts_as_tensor = True


@functools.cache
def ragged_class() -> Any:
    """The class RaggedTensor, which is defined above this module and loaded on first use."""
    return importlib.import_module("gradtape.ragged._tensor").RaggedTensor


def ragged(values: Any, row_splits: Any, uniform_row_length: int | None = None) -> Any:
    """A ragged tensor of values that are cut into rows."""
    return ragged_class()(values, row_splits, uniform_row_length)


def axis_of(axis: Any, rank: int, who: str, name: str = "axis") -> int:
    """An axis of a ragged tensor, counted from the front."""
    try:
        return normalize_axis(axis, rank, who, name)
    except errors.RangeError:
        raise errors.build(
            errors.RangeError,
            f"{who}: {name}={axis} out of bounds: expected {-rank}<={name}<{rank}.",
            f"the tensor has {rank} axes, ragged ones included.",
        ) from None


def match_partitions(given: Any, who: str) -> None:
    """ValueError if the row splits of ragged tensors among some values have different dtypes."""
    found = {x.row_splits.dtype for x in given if isinstance(x, RaggedBase)}  # type: ignore[attr-defined]
    if len(found) > 1:
        raise errors.build(
            ValueError,
            f"{who}: row splits must have one dtype: Input RaggedTensors have mismatched row_splits dtypes, mismatched row "
            "partition dtypes int32 and int64.",
            "use x.with_row_splits_dtype(tf.int64).",
        )


def is_ragged(x: Any) -> bool:
    """True for a ragged tensor."""
    return isinstance(x, RaggedBase)
