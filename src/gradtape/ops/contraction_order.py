"""The best order for multiplying several arrays with labelled axes, two at a time.

The cost of a product is the number of multiplications: the product of the lengths of all labels that the two arrays
have. Up to `_FEW` arrays every order is looked at; beyond that the pair is taken that shrinks the data most.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

_FEW = 7


def pairwise_order(terms: Sequence[str], result: str, length: dict[str, int]) -> list[tuple[int, int]]:
    """Pairs of positions in a list from which the two are removed, and to whose end their product is added."""
    if len(terms) <= 2:
        return [(0, 1)] if len(terms) == 2 else []
    sets = [frozenset(t) for t in terms]
    return (_best if len(terms) <= _FEW else _greedy)(sets, frozenset(result), length)


def _size(labels: frozenset[str], length: dict[str, int]) -> int:
    return math.prod([length[x] for x in labels])


def _best(sets: list[frozenset[str]], result: frozenset[str], length: dict[str, int]) -> list[tuple[int, int]]:
    """The cheapest order of all, found for ever larger groups of arrays. A group is a set of bits."""
    count = len(sets)
    everything = (1 << count) - 1
    union = [frozenset[str]()] * (everything + 1)
    for group in range(1, everything + 1):
        low = group & -group
        union[group] = union[group ^ low] | sets[low.bit_length() - 1]
    kept = [union[g] & (union[everything ^ g] | result) for g in range(everything + 1)]
    best: dict[int, tuple[int, int]] = {1 << i: (0, 0) for i in range(count)}  # (cost, the half of the last product)
    for group in sorted(range(1, everything + 1), key=int.bit_count):
        if group in best:
            continue
        choices = []
        half = (group - 1) & group
        while half > group ^ half:  # each way to part the group in two, once
            other = group ^ half
            cost = best[half][0] + best[other][0] + _size(kept[half] | kept[other], length)
            choices.append((cost, half))
            half = (half - 1) & group
        best[group] = min(choices)
    return _pairs(best, everything, count)


def _pairs(best: dict[int, tuple[int, int]], everything: int, count: int) -> list[tuple[int, int]]:
    """The products of the cheapest order, inner ones first, as positions."""
    work = [1 << i for i in range(count)]
    pairs: list[tuple[int, int]] = []

    def multiply(group: int) -> None:
        if group in work:
            return
        halves = best[group][1], group ^ best[group][1]
        for half in halves:
            multiply(half)
        left, right = sorted([work.index(half) for half in halves])
        pairs.append((left, right))
        del work[right], work[left]
        work.append(group)

    multiply(everything)
    return pairs


def _greedy(sets: list[frozenset[str]], result: frozenset[str], length: dict[str, int]) -> list[tuple[int, int]]:
    """Each time the product that adds least to the size of the data, or takes most away."""
    work, pairs = list(sets), []
    while len(work) > 1:
        choices = []
        for i, j in itertools.combinations(range(len(work)), 2):
            later = result.union(*[s for k, s in enumerate(work) if k not in (i, j)])
            product = (work[i] | work[j]) & later
            growth = _size(product, length) - _size(work[i], length) - _size(work[j], length)
            choices.append((growth, i, j, product))
        _, i, j, product = min(choices, key=lambda c: c[:3])
        pairs.append((i, j))
        del work[j], work[i]
        work.append(product)
    return pairs
