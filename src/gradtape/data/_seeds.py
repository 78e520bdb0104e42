"""Seeds of stages that draw: reproducible, another stream for each iteration."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, state
from gradtape.ops import philox


class Seeds:
    """The streams of a stage, one for each of its iterations.

    With a seed, or under `tf.random.set_seed`, the sequence of streams is the same in every run.

    Attributes:
      place: what says which streams come next: the key, and their number.
    """

    def __init__(self, seed: Any, changes: bool = True) -> None:
        self.place = np.array([*_key(seed), 0], np.int64)
        self._changes = changes

    def stream(self) -> Stream:
        """The stream of the next iteration."""
        *key, number = self.place.tolist()
        self.place = np.array([*key, number + 1], np.int64)
        return Stream(np.array(key), number if self._changes else 0)


def of(stage: Any) -> list[Seeds]:
    """The seeds of a stage and of those that it reads."""
    own = getattr(stage, "_seeds", None)
    return [*([own] if isinstance(own, Seeds) else []), *[s for source in stage.inputs for s in of(source)]]


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
    from gradtape.random import _functions as random

    with state.outside():
        if seed is not None:
            first = random._DEFAULT_SEED if random.streams.seed is None else random.streams.seed
            pair = np.array([first, int(seed)])
        elif random.streams.seed is not None:
            pair = random.uniform([2], 0, 2**62, dtypes.int64).numpy()
        else:
            pair = np.random.default_rng().integers(0, 2**62, 2)
        return philox.from_seed(pair.astype(np.int64))
