"""Seeds of random stages: reproducible, with a new stream for each iteration."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, state
from gradtape.ops import philox


class Seeds:
    """The streams of a stage, one for each of its iterations.

    With a seed, or under `tf.random.set_seed`, the sequence of streams is the same in every run.

    Attributes:
      place: what says which streams come next: the key, and their number.
      given: the seed and whether iterations differ, as the program gave them.
    """

    def __init__(self, seed: Any, changes: bool = True) -> None:
        self.place = np.array([*_key(seed), 0], np.int64)
        self.given = None if seed is None else int(seed), changes
        self._changes = changes
        if state.current.trace is not None and _is_set(seed):
            self._begin_with_each_run()

    def _begin_with_each_run(self) -> None:
        """Add a node that restarts the streams: each run of a function that creates the dataset creates another one."""
        from gradtape.data._traced import Call
        from gradtape.transform.py_function import numpy_function

        self._first = self.place
        begin = Call(self._begin_again)
        begin.assigns_nothing = True
        numpy_function(begin, [], [])

    def _begin_again(self) -> None:
        self.place = self._first

    def stream(self) -> Stream:
        """The stream of the next iteration."""
        *key, number = self.place.tolist()
        self.place = np.array([*key, number + 1], np.int64)
        return Stream(np.array(key), number if self._changes else 0)


class Draws:
    """The random numbers of a function; with a seed they restart with each iteration, as in TensorFlow.

    Attributes:
      trace: where they are drawn: eagerly, or in a trace. Functions that are called there and have traces of their own
        draw from the streams of the program.
    """

    def __init__(self, trace: Any = None, shared: Draws | None = None) -> None:
        self.trace, self._shared = trace, shared
        self._branch: Any = None

    def branch(self) -> Any:
        """The streams."""
        if self._shared is not None:
            return self._shared.branch()
        if self._branch is None:
            from gradtape.random._functions import Branch

            self._branch = Branch()
        return self._branch

    def renew(self) -> None:
        """Restart the streams."""
        if self._branch is not None:
            self._branch.renew()


def of(stage: Any) -> list[Seeds]:
    """The seeds of a stage and of its inputs."""
    own = getattr(stage, "_seeds", None)
    return [*([own] if isinstance(own, Seeds) else []), *[s for source in stage.inputs for s in of(source)]]


class Stream:
    """Random words."""

    def __init__(self, key: Any, epoch: int) -> None:
        low, high, word = key.tolist()
        self._state = np.array([low, high ^ (epoch << 8), word], np.int64)
        self._next = 0

    def words(self, count: int) -> Any:
        """A number of uint64 values."""
        blocks = -(-count // 2)
        found = philox.words(self._state, self._next, blocks)
        self._next += blocks
        return found.reshape(-1)[:count]

    def below(self, limit: int, count: int) -> list[int]:
        """Integers from 0 to limit - 1."""
        result: list[int] = ((self.words(count) >> np.uint64(32)) * np.uint64(limit) >> np.uint64(32)).tolist()
        return result

    def uniform(self, count: int) -> Any:
        """float64 in [0, 1)."""
        return (self.words(count) >> np.uint64(11)) * 2.0**-53


def _is_set(seed: Any) -> bool:
    """True if the streams of a stage are the same in every run of the program."""
    from gradtape.random import _functions as functions

    return seed is not None or functions.streams.seed is not None


def _key(seed: Any) -> Any:
    """The state that a stage's streams begin with."""
    from gradtape.random import _functions as functions

    with state.outside():
        if seed is not None:
            if isinstance(seed, (str, bytes)):
                raise TypeError(
                    errors.compose(f"shuffle: seed must be an integer, got {seed!r}.", "pass an int: seed=1.")
                )
            first = functions._DEFAULT_SEED if functions.streams.seed is None else functions.streams.seed
            pair = np.array([first, int(seed)])
        elif functions.streams.seed is not None:
            pair = functions.uniform([2], 0, 2**62, dtypes.int64).numpy()
        else:
            pair = np.random.default_rng().integers(0, 2**62, 2)
        return philox.from_seed(pair.astype(np.int64))
