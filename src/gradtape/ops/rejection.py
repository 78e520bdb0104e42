"""Random numbers by rejection: proposals are drawn until one is accepted.

Number i of n takes its k-th proposal from the blocks that follow (k n + i) b of its state's stream, if a proposal needs b
blocks. So it depends on its own parameters and place alone: not on its neighbours, nor on how the work is divided.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.core import memory
from gradtape.core.array_protocol import overridable
from gradtape.ops import philox

# A function of the blocks' wide words, `[blocks, 2, n]`, and of n parameters: proposals, and which are accepted.
Propose = Callable[..., tuple[Any, Any]]

_CHUNK = 16384


@overridable
def draw(state: Any, *parameters: Any, shape: tuple[int, ...], blocks: int, propose: Propose) -> Any:
    """float64 numbers of the shape, for each state in the leading axes; parameters broadcast to both."""
    lead = state.shape[:-1]
    size = math.prod(shape)
    count = math.prod(lead) * size
    rows = np.reshape(state, (-1, 3))
    flat = [np.reshape(np.broadcast_to(p.astype(np.float64), lead + shape), -1) for p in parameters]
    result = np.empty(count)

    def fill(first: int) -> None:
        place = np.arange(first, min(first + _CHUNK, count))
        attempt = 0
        while place.size:
            row, number = (rows, place) if len(rows) == 1 else (rows[place // size], place % size)
            words = _words(row, number + attempt * size, blocks)
            values, accepted = propose(words, *[p[place] for p in flat])
            result[place[accepted]] = values[accepted]
            place = place[~accepted]
            attempt += 1

    starts = range(0, count, _CHUNK)
    if len(starts) > 1:
        memory.run(fill, starts)
    elif starts:
        with np.errstate(all="ignore"):
            fill(0)
    return np.reshape(result, lead + shape)


def _words(rows: Any, number: Any, blocks: int) -> list[Any]:
    first = number.astype(np.uint64) * np.uint64(blocks)
    return [philox.words_at(rows, first + np.uint64(b)) for b in range(blocks)]


def fraction(word: Any) -> Any:
    """A uniform float64 of (0, 1), ends excluded, from a wide word."""
    return ((word >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def search(u: Any, first: Any, ratio: Callable[[int], Any]) -> Any:
    """The least k whose cumulative probability exceeds u, where `first` is that of 0 and the probability of k is
    `ratio(k)` times that of k - 1; for distributions of small numbers."""
    k, mass, left = np.zeros_like(u), first, u - first
    for n in range(1, 200):
        # The second condition ends a search for what rounding has left.
        further = (left > 0) & (mass > 1e-20)
        if not np.any(further):
            break
        k += further
        mass = mass * ratio(n)
        left = left - mass
    return k


def stack(*groups: Sequence[Any]) -> tuple[Any, Any]:
    """Proposals of several kinds of elements as one: triples of a mask, values and acceptances."""
    size = groups[0][0].size
    values, accepted = np.full(size, np.nan), np.ones(size, bool)
    for mask, own, good in groups:
        values[mask], accepted[mask] = own, good
    return values, accepted
