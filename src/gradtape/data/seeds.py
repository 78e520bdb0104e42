"""Seeds of stages that draw: reproducible, another stream for each iteration."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from gradtape.core import dtypes, state
from gradtape.ops import philox


class Seeds:
    """The streams of a stage, one for each of its iterations.

    With a seed, or under `tf.random.set_seed`, the sequence of streams is the same in every run.
    """

    def __init__(self, seed: Any, changes: bool = True) -> None:
        self._key = _key(seed)
        self._changes = changes
        self._count = itertools.count()

    def stream(self) -> Stream:
        """The stream of the next iteration."""
        return Stream(self._key, next(self._count) if self._changes else 0)


class Stream:
    """Random words."""

    def __init__(self, key: Any, epoch: int) -> None:
        low, high, word = key.tolist()
        self._state = np.array([low, high ^ (epoch << 8), word], np.int64)
        self._next = 0

    def words(self, count: int) -> Any:
        """So many uint64."""
        blocks = -(-count // 2)
        found = philox.words(self._state, self._next, blocks)
        self._next += blocks
        return found.reshape(-1)[:count]

    def below(self, limit: int, count: int) -> list[int]:
        """Integers from 0 to limit - 1."""
        return ((self.words(count) >> np.uint64(32)) * np.uint64(limit) >> np.uint64(32)).tolist()  # type: ignore[no-any-return]

    def uniform(self, count: int) -> Any:
        """float64 in [0, 1)."""
        return (self.words(count) >> np.uint64(11)) * 2.0**-53


def _key(seed: Any) -> Any:
    """The state that a stage's streams begin with."""
    from gradtape.names import random

    with state.outside():
        if seed is not None:
            first = random._DEFAULT_SEED if random.streams.seed is None else random.streams.seed
            pair = np.array([first, int(seed)])
        elif random.streams.seed is not None:
            pair = random.uniform([2], 0, 2**62, dtypes.int64).numpy()
        else:
            pair = np.random.default_rng().integers(0, 2**62, 2)
        return philox.from_seed(pair.astype(np.int64))
