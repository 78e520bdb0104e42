"""Recipe: the computation along one row, recorded as calls of the emitter.

A rule that computes along the last axis, `row(cg, *values)`, may use all of the `Emitter` protocol and some things more:

    cg.row_sum(x)       and row_max, row_maximum, ...: a row made one value; known only after a pass over the row
    cg.column_sum(x)    and column_maximum, ...: all rows made one; it can only be a result
    cg.position()       the number of an element in its row
    cg.line()           the number of the row
    cg.require(mask)    where the mask is false the input is an error

A recipe runs the rule once and keeps the calls, and knows in which pass over the row each value can be computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.core import dtypes
from gradtape.core.dtypes import DType

_MASKS = ("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isfinite")
ELEMENT, ROW, COLUMN = "element", "row", "column"


class Call(NamedTuple):
    """One step: a method of the emitter, the numbers of its operands, and what else it takes."""

    method: str
    operands: tuple[int, ...]
    extra: tuple[Any, ...]

    @property
    def direction(self) -> str:
        """ROW or COLUMN if it is a reduction, else an empty text."""
        head = self.method.partition("_")[0]
        return head if head in (ROW, COLUMN) else ""

    @property
    def join(self) -> str:
        """How a reduction joins two elements: sum, prod, max, maximum, minimum, any, all."""
        return self.method.partition("_")[2]


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
      width: how long a row is.
      calls: the steps; values are numbered in their order. Inputs are calls of "input".
      types: the dtype of each value.
      varies: for each value, whether it differs along a row.
      passes: for each value, in which pass over a row it can be computed, from 0.
      checks: values that must be true.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.calls: list[Call] = []
        self.types: list[DType] = []
        self.varies: list[bool] = []
        self.passes: list[int] = []
        self.checks: list[int] = []
        self._seen: dict[Call, int] = {}

    @classmethod
    def of(cls, loop: RowLoop) -> Recipe:
        """The recipe of a loop, to be continued."""
        recipe = cls(loop.shape[-1])
        recipe.calls, recipe.types, recipe.varies = list(loop.calls), list(loop.types), list(loop.varies)
        recipe.passes, recipe.checks = list(loop.passes), list(loop.checks)
        recipe._seen = {call: i for i, call in enumerate(loop.calls)}
        return recipe

    def input(self, dtype: DType, varies: bool) -> Handle:
        """A new input, which differs along a row or is one value for each row."""
        call = Call("input", (), (len(self.calls),))
        return self._add(call, dtype, varies, 0)

    def constant(self, value: Any, like: Handle) -> Handle:
        """A number in the dtype of another value."""
        return self.splat(value, like.dtype)

    def splat(self, value: Any, dtype: DType) -> Handle:
        """A number in a dtype. It is kept as text, since 0.0 and -0.0 are equal and not the same."""
        return self._add(Call("number", (), (repr(np.asarray(value).item()), dtype)), dtype, False, 0)

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

    def row_mean(self, x: Handle) -> Handle:
        """The mean of a row."""
        return self.mul(self.reduced("row_sum", x), self.constant(1.0 / max(self.width, 1), x))

    def reduced(self, method: str, x: Handle, dtype: DType | None = None) -> Handle:
        """A row made one value, or all rows made one: `row_sum`, `column_maximum` and so on, rounded to a dtype. Of NaN `max`
        says nothing, while `maximum` and `minimum` are NaN if an element is."""
        along = method.startswith(ROW)
        dtype = dtype or x.dtype
        extra = () if dtype is x.dtype else (dtype,)
        return self._add(Call(method, (x.number,), extra), dtype, not along, self.passes[x.number] + along)

    def position(self) -> Handle:
        """The number of each element in its row, as int32."""
        return self._add(Call("position", (), ()), dtypes.int32, True, 0)

    def line(self) -> Handle:
        """The number of the row, among those that a column reduction joins, as int32."""
        return self._add(Call("line", (), ()), dtypes.int32, False, 0)

    def require(self, mask: Handle) -> None:
        """Say that the input is an error where a mask is false, which is one value for a row."""
        self.checks.append(mask.number)

    def __getattr__(self, name: str) -> Callable[..., Handle]:
        if name.startswith("_"):
            raise AttributeError(name)
        if name.startswith(("row_", "column_")):
            return lambda x: self.reduced(name, x)

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

    def place(self, x: Handle) -> str:
        """Where a value has one number: ELEMENT, ROW or COLUMN."""
        if self.calls[x.number].direction == COLUMN:
            return COLUMN
        return ELEMENT if self.varies[x.number] else ROW


class RowLoop(NamedTuple):
    """A recipe for every row of an array, without names.

    Attributes:
      shape: axes over rows, neighbouring ones joined where all inputs allow it; the last is along the row.
      outer: how many of the axes over rows a column reduction keeps; it joins the rows along the others.
      inputs: the number of the value, and along which axes of `shape` the input varies.
      calls, types, varies, passes, checks: the recipe's.
      outputs: the numbers of the values that are stored, and whether for each ELEMENT, ROW or COLUMN.
    """

    shape: tuple[int, ...]
    outer: int
    inputs: tuple[tuple[int, tuple[bool, ...]], ...]
    calls: tuple[Call, ...]
    types: tuple[DType, ...]
    varies: tuple[bool, ...]
    passes: tuple[int, ...]
    checks: tuple[int, ...]
    outputs: tuple[tuple[int, str], ...]


class ColumnResult(NamedTuple):
    """A loop over rows of which an epilogue gets one result: columns that the loop sums up.

    Attributes:
      loop: the loop.
      output: the number of the result.
    """

    loop: RowLoop
    output: int

    @property
    def inputs(self) -> int:
        """How many arrays are read."""
        return len(self.loop.inputs)

    @property
    def matrices(self) -> tuple[int, int, int]:
        """How many matrices the result consists of, and their rows and columns."""
        return 1, math.prod(self.loop.shape[: self.loop.outer]), self.loop.shape[-1]

    @property
    def others(self) -> list[int]:
        """The results that the epilogue has nothing to do with."""
        return [k for k in range(len(self.loop.outputs)) if k != self.output]


def row_loop(
    shape: tuple[int, ...],
    recipe: Recipe,
    inputs: Sequence[Handle],
    patterns: Sequence[tuple[bool, ...]],
    outputs: Sequence[Handle],
    places: Sequence[str] | None = None,
    outer: int = 0,
) -> RowLoop:
    """A recipe for every row of a shape.

    Args:
      shape: what the rows fill; the last axis is along them.
      recipe: what is computed.
      inputs: the recipe's inputs.
      patterns: along which axes of the shape each of them varies.
      outputs: what is stored.
      places: for each output, where it has one number; if omitted, where its value has.
      outer: how many leading axes of the shape a column reduction keeps.
    """
    joined: list[int] = []
    kept: list[tuple[bool, ...]] = []
    kept_outer = 0
    for axis, d in enumerate(shape[:-1]):
        pattern = tuple([p[axis] for p in patterns])
        if d == 1:
            continue
        if kept and kept[-1] == pattern and not (axis >= outer and len(kept) == kept_outer):
            joined[-1] *= d
        else:
            joined.append(d)
            kept.append(pattern)
        if axis < outer:
            kept_outer = len(kept)
    varying = [(*[k[i] for k in kept], patterns[i][-1]) for i in range(len(patterns))]
    return RowLoop(
        (*joined, shape[-1]),
        kept_outer,
        tuple([(h.number, v) for h, v in zip(inputs, varying, strict=True)]),
        tuple(recipe.calls), tuple(recipe.types), tuple(recipe.varies), tuple(recipe.passes), tuple(recipe.checks),
        tuple([(h.number, p) for h, p in zip(outputs, places or [recipe.place(h) for h in outputs], strict=True)]),
    )  # fmt: skip
