"""Recipe: what is computed along one row, written down as calls of the emitter.

A rule that computes along the last axis, `row(cg, *values)`, may use all of the `Emitter` protocol and three things more:
`cg.row_sum(x)`, `cg.row_max(x)` and `cg.position(like)`, the number of an element in its row. A recipe runs the rule once
and keeps the calls. Values that are the same for a whole row, such as a sum, are known only after a pass over the row; the
recipe knows in which pass each value can be computed.
"""

from __future__ import annotations

from collections.abc import Callable
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

    Attributes:
      calls: the steps; values are numbered in their order. Inputs are calls of "input".
      types: the dtype of each value.
      varies: for each value, whether it differs along a row.
      passes: for each value, in which pass over a row it can be computed, from 0.
    """

    def __init__(self) -> None:
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
        """The largest element of a row; NaN if there is one."""
        return self._reduce("row_max", x)

    def position(self, like: Handle) -> Handle:
        """The number of each element in its row, in the dtype of another value."""
        return self._add(Call("position", (), (like.dtype,)), like.dtype, True, 0)

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
      outputs: the numbers of the values that are stored: whole, or one for each row.
    """

    shape: tuple[int, ...]
    inputs: tuple[tuple[int, tuple[bool, ...]], ...]
    calls: tuple[Call, ...]
    types: tuple[DType, ...]
    varies: tuple[bool, ...]
    passes: tuple[int, ...]
    outputs: tuple[int, ...]
