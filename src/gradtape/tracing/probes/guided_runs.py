"""Runs of a function that asks for numbers: symbols as long as they will do, then numbers that fit all answers so far.

Numbers that are drawn beforehand seldom fit each other if ranks are unknown too: images of rank 4, boxes of rank 3 of which the last size
is 4, colours of rank 2. Here every answer narrows down what is asked next, and the rank of a tensor is chosen when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from gradtape.compiler.graph import Value
from gradtape.core.dims import Undecided, bounds, new_size
from gradtape.core.paths import RANKS, Path, explore
from gradtape.core.shape import ANY
from gradtape.core.tensor import Tensor
from gradtape.tracing.dynamic_shapes.symbolic_shapes import RankedSpec
from gradtape.tracing.probes.probe import Scratch
from gradtape.tracing.symbol import Symbol

T = TypeVar("T")
_PATHS = 800
_NUMBERS = (2, 1, 4, 0)  # that a size may be, the most likely first
_MOST = 1 << 16  # elements that are made up for a tensor


class Guess(Path):
    """A path on which a symbol that is asked for its number has one of a few."""

    def number(self, x: Any) -> int:
        """The number of a Dim: that of this path, or one of some that fit it."""
        try:
            return super().number(x)
        except Undecided:
            x = self.resolve(x)
            low, high = bounds(x, self.limits)
            fitting = [n for n in _NUMBERS if low <= n <= high] or [int(low)]
            found = fitting[self.choose(len(fitting))]
            self._equate(x, found)
            return found


class Guided(Scratch):
    """A scratch on such a path: values that are asked for are made up, too."""

    def stand_in(self, x: Tensor, shape: Any) -> Symbol:
        """A symbol for a tensor of the trace around; its rank is chosen when it is asked for."""
        found = super().stand_in(x, () if shape is ANY else shape)
        if shape is ANY:
            found.value.spec = RankedSpec(x.dtype, [new_size() for _ in range(RANKS - 1)])
        return found

    def _unknown(self, value: Value) -> Any:
        try:
            return super()._unknown(value)
        except Undecided:
            self.asked = True
            shape, dtype = [int(d) for d in value.spec.shape], value.spec.dtype
            if np.prod(shape) > _MOST:
                raise
            self._asked[value] = np.full(shape, b"" if dtype.kind == "O" else 1, dtype.numpy)
            return self._asked[value]


def guided_runs(run: Callable[[], T], refusals: tuple[type[Exception], ...], count: int) -> list[T]:
    """What a run gives on the first paths on which it ends well, as many as asked for, or fewer."""
    found: list[T] = []

    def is_enough(result: T) -> bool:
        found.append(result)
        return len(found) == count

    explore(lambda path: run(), refusals, _PATHS, is_enough, Guess)
    return found
