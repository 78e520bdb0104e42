"""Recipe: what is computed along one row, written down as calls of the emitter.

A rule that computes along the last axis, `row(cg, *values)`, may use all of the `Emitter` protocol and three things more:
`cg.row_sum(x)`, `cg.row_max(x)` and `cg.position()`, the number of an element in its row; a result that is
`cg.column_sum(x)` is summed over all rows. A recipe runs the rule once and keeps the calls. Values that are the same for a whole row, such as a sum, are known only after a pass over the row; the
recipe knows in which pass each value can be computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gradtape.core import dtypes
from gradtape.core.dtypes import DType

REDUCTIONS = ("row_sum", "row_max")
_MASKS = ("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isfinite")


class Call(NamedTuple):
    """One step: a method of the emitter, the numbers of its operands, and what else it takes."""

    method: str
    operands: tuple[int, ...]
    extra: tuple[Any, ...]


class Handle:
    """A value of a recipe."""

    __slots__ = ("dtype", "number")

    def __init__(self, number: int, dtype: DType) -> None:
        self.number, self.dtype = number, dtype


class Recipe:
    """An emitter that writes down what it is asked for.

    Args:
      width: how long a row is.

    Attributes:
      calls: the steps; values are numbered in their order. Inputs are calls of "input".
      types: the dtype of each value.
      varies: for each value, whether it differs along a row.
      passes: for each value, in which pass over a row it can be computed, from 0.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self.calls: list[Call] = []
        self.types: list[DType] = []
        self.varies: list[bool] = []
        self.passes: list[int] = []
        self._seen: dict[Call, int] = {}

    def input(self, dtype: DType, varies: bool) -> Handle:
        """A new input, which differs along a row or is one value for each row."""
        call = Call("input", (), (len(self.calls),))
        return self._add(call, dtype, varies, 0)

    def constant(self, value: Any, like: Handle) -> Handle:
        """A number in the dtype of another value."""
        return self._add(Call("splat", (), (value, like.dtype)), like.dtype, False, 0)

    def dtype(self, x: Handle) -> DType:
        """The DType of a value."""
        return x.dtype

    def cast(self, x: Handle, dtype: Any) -> Handle:
        """The value in another dtype."""
        wanted = dtypes.as_dtype(dtype)
        return self._record("cast", (x,), wanted, (wanted,))

    def select(self, mask: Handle, a: Handle, b: Handle) -> Handle:
        """a where the mask is true, else b."""
        return self._record("select", (mask, a, b), a.dtype)

    def row_sum(self, x: Handle) -> Handle:
        """The sum of a row."""
        return self._reduce("row_sum", x)

    def row_max(self, x: Handle) -> Handle:
        """The largest element of a row; of NaN nothing is said."""
        return self._reduce("row_max", x)

    def row_mean(self, x: Handle) -> Handle:
        """The mean of a row."""
        return self.mul(self.row_sum(x), self.constant(1.0 / max(self._width, 1), x))

    def column_sum(self, x: Handle) -> Handle:
        """The sum over all rows, for each place in them. It can only be a result."""
        return self._add(Call("column_sum", (x.number,), ()), x.dtype, True, self.passes[x.number])

    def position(self) -> Handle:
        """The number of each element in its row, as int32."""
        return self._add(Call("position", (), ()), dtypes.int32, True, 0)

    def _reduce(self, method: str, x: Handle) -> Handle:
        if not self.varies[x.number]:
            raise ValueError(f"recipe: {method} of a value that is the same along a row.")
        return self._add(Call(method, (x.number,), ()), x.dtype, False, self.passes[x.number] + 1)

    def __getattr__(self, name: str) -> Callable[..., Handle]:
        if name.startswith("_"):
            raise AttributeError(name)

        def method(*values: Handle) -> Handle:
            return self._record(name, values, dtypes.bool_ if name in _MASKS else values[0].dtype)

        return method

    def _record(self, method: str, values: tuple[Handle, ...], dtype: DType, extra: tuple[Any, ...] = ()) -> Handle:
        numbers = tuple([v.number for v in values])
        varies = any(self.varies[n] for n in numbers)
        return self._add(Call(method, numbers, extra), dtype, varies, max([self.passes[n] for n in numbers], default=0))

    def _add(self, call: Call, dtype: DType, varies: bool, number: int) -> Handle:
        known = self._seen.get(call)
        if known is not None:
            return Handle(known, self.types[known])
        self._seen[call] = len(self.calls)
        self.calls.append(call)
        self.types.append(dtype)
        self.varies.append(varies)
        self.passes.append(number)
        return Handle(len(self.calls) - 1, dtype)


class RowLoop(NamedTuple):
    """A recipe for every row of an array, without names.

    Attributes:
      shape: axes over rows, neighbouring ones joined where all inputs allow it; the last is along the row.
      inputs: the number of the value, and along which axes of `shape` the input varies.
      calls, types, varies, passes: the recipe's.
      outputs: the numbers of the values that are stored: whole, one for each row, or the sum of all rows.
    """

    shape: tuple[int, ...]
    inputs: tuple[tuple[int, tuple[bool, ...]], ...]
    calls: tuple[Call, ...]
    types: tuple[DType, ...]
    varies: tuple[bool, ...]
    passes: tuple[int, ...]
    outputs: tuple[int, ...]


def row_loop(
    shape: tuple[int, ...],
    recipe: Recipe,
    inputs: Sequence[Handle],
    patterns: Sequence[tuple[bool, ...]],
    outputs: Sequence[Handle],
) -> RowLoop:
    """A recipe for every row of a shape.

    Args:
      shape: what the rows fill; the last axis is along them.
      recipe: what is computed.
      inputs: the recipe's inputs.
      patterns: along which axes of the shape each of them varies.
      outputs: what is stored.
    """
    joined: list[int] = []
    kept: list[tuple[bool, ...]] = []
    for axis, d in enumerate(shape[:-1]):
        pattern = tuple([p[axis] for p in patterns])
        if d == 1:
            continue
        if kept and kept[-1] == pattern:
            joined[-1] *= d
        else:
            joined.append(d)
            kept.append(pattern)
    varying = [(*[k[i] for k in kept], patterns[i][-1]) for i in range(len(patterns))]
    return RowLoop(
        (*joined, shape[-1]),
        tuple([(h.number, v) for h, v in zip(inputs, varying, strict=True)]),
        tuple(recipe.calls), tuple(recipe.types), tuple(recipe.varies), tuple(recipe.passes),
        tuple([h.number for h in outputs]),
    )  # fmt: skip
