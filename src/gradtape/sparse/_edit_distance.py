"""The distance of sequences: how many elements must be inserted, deleted or replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.api.array_op import on_arrays
from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor
from gradtape.sparse._conversion import sparse


def _spec(*specs: Spec, normalize: bool) -> Spec:
    unknown: Any = (None,) * (specs[2].shape[0] - 1)
    return Spec(unknown, dtypes.float32)


@on_arrays(_spec)
def _distances(
    indices: Any,
    values: Any,
    dense_shape: Any,
    truth_indices: Any,
    truth_values: Any,
    truth_shape: Any,
    *,
    normalize: bool,
) -> Any:
    shape = np.maximum(dense_shape, truth_shape)[:-1]
    for name, places in (("hypothesis", indices), ("truth", truth_indices)):
        bad = np.any((places[:, :-1] < 0) | (places[:, :-1] >= shape), axis=1)
        if bad.any():
            raise errors.build(
                errors.InvalidArgumentError,
                f"edit_distance: indices of {name} must lie in its dense_shape, got {places[bad][0].tolist()}.",
                "indices count from 0; give a dense_shape that holds them all.",
            )
    found = np.zeros(tuple(shape), np.float32)
    ours, theirs = _sequences(indices, values), _sequences(truth_indices, truth_values)
    for place in np.ndindex(*shape):
        a, b = ours.get(place, []), theirs.get(place, [])
        distance = float(levenshtein(a, b))
        if normalize:
            distance = distance / len(b) if b else (np.inf if a else 0.0)
        found[place] = distance
    return found[()]


def _sequences(indices: Any, values: Any) -> dict[tuple[int, ...], list[Any]]:
    found: dict[tuple[int, ...], list[Any]] = {}
    for place, value in zip(indices.tolist(), np.asarray(values).tolist(), strict=True):
        found.setdefault(tuple(place[:-1]), []).append(value)
    return found


def levenshtein(a: Sequence[Any], b: Sequence[Any]) -> int:
    """The smallest number of insertions, deletions and replacements that turn one sequence into another."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance") -> Tensor:
    """The Levenshtein distances of sequences, which lie along the last axis of sparse tensors.

    Args:
      hypothesis: a sparse tensor of rank 2 or more.
      truth: another, of the same rank and dtype.
      normalize: divide by the lengths of the sequences in `truth`.

    Returns:
      float32, in the shape of the other axes. There is no gradient.

    >>> said = tf.sparse.from_dense([["a", "b", "c"]])
    >>> tf.edit_distance(said, tf.sparse.from_dense([["a", "c"]]), normalize=False).numpy()
    array([1.], dtype=float32)
    """
    a, b = sparse(hypothesis, "edit_distance", "hypothesis"), sparse(truth, "edit_distance", "truth")
    if a.dtype is not b.dtype:
        raise errors.build(
            errors.DTypeError,
            f"edit_distance: dtypes differ: hypothesis is {a.dtype.name}, truth is {b.dtype.name}.",
            "give both the same dtype.",
        )
    ranks = {x.dense_shape.get_shape()[0] for x in (a, b)}
    if len(ranks) != 1 or min(ranks) < 2:
        raise errors.build(
            errors.ShapeError,
            f"edit_distance: hypothesis and truth must have the same rank of 2 or more, got {sorted(ranks)}.",
            "give one rank of 2 or more.",
        )
    return _distances(*a._components(), *b._components(), normalize=bool(normalize))
