"""Reductions as loops over rows: of neighbouring axes at once, the last ones first, with arrays in between."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradtape.compiler.backends import emits
from gradtape.compiler.backends.rows.sequence import Stage, chain_stages
from gradtape.compiler.bodies.rows import ELEMENT, Handle, Recipe, RowLoop, row_loop
from gradtape.compiler.codegen.simd.machine import supports
from gradtape.compiler.runtime.kernels import Lowered, Operand
from gradtape.core import dtypes
from gradtape.core.dtypes import DType
from gradtape.core.patterns.reduction import Extreme, Reduce
from gradtape.core.shape import Spec

_LONG = 1 << 15  # elements from which a single row is cut into several, for several threads


@emits(Reduce)
def emit_reduce(pattern: Reduce, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Lowered | None:
    """The loops of a reduction."""
    if not supports(pattern.dtype):
        return None
    return _Reducer(pattern).lower()


def _accumulator(pattern: Reduce) -> DType:
    """The dtype of partial results: sums that become a mean must not wrap before they are divided."""
    dtype = pattern.dtype
    if dtype.name in ("float16", "bfloat16") and pattern.join in ("sum", "mean", "prod"):
        return dtypes.float32
    if pattern.join == "mean" and dtype.is_integer:
        return dtypes.uint64 if dtype.is_unsigned else dtypes.int64
    return dtype


class _Reducer:
    """Writes the stages of a reduction."""

    def __init__(self, pattern: Reduce) -> None:
        self.pattern = pattern
        self.join = "sum" if pattern.join == "mean" else pattern.join
        self.work = _accumulator(pattern)
        self.stages: list[Stage] = []
        self.between: list[int] = []

    def lower(self) -> Lowered:
        """All stages."""
        sizes, flags = list(self.pattern.sizes), list(self.pattern.reduced)
        source, dtype = Operand("input", 0), self.pattern.dtype
        while True in flags:
            last = len(flags) - 1 - flags[::-1].index(True)
            outer, n, inner = math.prod(sizes[:last]), sizes[last], math.prod(sizes[last + 1 :])
            is_last = flags.count(True) == 1 and self.pattern.join != "mean"
            source = self._reduce(source, dtype, (outer, n, inner), is_last)
            del sizes[last], flags[last]
            dtype = self.work
        if self.pattern.join == "mean" or not self.stages:
            self._finish(source, dtype, math.prod(sizes))
        return chain_stages(self.stages, self.between)

    def _reduce(self, source: Operand, dtype: DType, sizes: tuple[int, int, int], is_last: bool) -> Operand:
        """A stage that reduces the axis in the middle, or two where it is one long row; where its result is."""
        outer, n, inner = sizes
        parts = n // (_LONG // 2)
        if outer * inner == 1 and n > _LONG:
            width = n // parts
            rest = n - parts * width
            middle = self._room(self.work, parts + bool(rest))
            self._stage(source, dtype, (parts, width, 1), middle, self.work)
            if rest:
                left = source._replace(offset=source.offset + parts * width * dtype.size)
                self._stage(left, dtype, (1, rest, 1), middle._replace(offset=parts * self.work.size), self.work)
            return self._reduce(middle, self.work, (1, parts + bool(rest), 1), is_last)
        target = Operand("output", 0) if is_last else self._room(self.work, outer * inner)
        self._stage(source, dtype, sizes, target, self.pattern.dtype if is_last else self.work)
        return target

    def _room(self, dtype: DType, count: int) -> Operand:
        self.between.append(count * dtype.size)
        return Operand("scratch", len(self.between) - 1)

    def _stage(self, source: Operand, own: DType, sizes: tuple[int, int, int], target: Operand, dtype: DType) -> None:
        outer, n, inner = sizes
        recipe = Recipe(n if inner == 1 else inner)
        x = recipe.input(own, True)
        wide = recipe.cast(x, self.work) if own is not self.work else x
        if inner == 1:
            total = recipe.reduced(f"row_{self.join}", wide, dtype)
            loop = row_loop((outer, n), recipe, [x], [(True, True)], [total])
        else:
            total = recipe.reduced(f"column_{self.join}", wide, dtype)
            loop = row_loop((outer, n, inner), recipe, [x], [(True, True, True)], [total], outer=1)
        self.stages.append(Stage(loop, (source,), (target,)))

    def _finish(self, source: Operand, dtype: DType, count: int) -> None:
        """A stage that divides sums by the number of elements, toward zero if they are integers; or copies."""
        recipe = Recipe(count)
        x = recipe.input(dtype, True)
        y = x
        if self.pattern.join == "mean":
            reduced = zip(self.pattern.sizes, self.pattern.reduced, strict=True)
            y = _quotient(recipe, x, math.prod([n for n, flag in reduced if flag]))
        y = recipe.cast(y, self.pattern.dtype) if dtype is not self.pattern.dtype else y
        loop = row_loop((1, count), recipe, [x], [(True, True)], [y], [ELEMENT])
        self.stages.append(Stage(loop, (source,), (Operand("output", 0),)))


def _quotient(recipe: Recipe, x: Handle, n: int) -> Handle:
    """x / n, cut off toward zero if they are integers."""
    if not x.dtype.is_floating and n > x.dtype.max:
        return recipe.constant(0, x)
    count = recipe.constant(n, x)
    if x.dtype.is_floating:
        return recipe.div(x, count)
    below = recipe.floordiv(x, count)
    if x.dtype.is_unsigned:
        return below
    is_cut = recipe.bit_and(recipe.lt(x, recipe.constant(0, x)), recipe.ne(recipe.mul(below, count), x))
    return recipe.select(is_cut, recipe.add(below, recipe.constant(1, x)), below)


@emits(Extreme)
def emit_extreme(pattern: Extreme, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Lowered | None:
    """The loops that find positions: the extreme first, then the first place where it is."""
    outer, n, inner = pattern.sizes
    if not supports(pattern.dtype) or not supports(pattern.output) or not outer * n * inner or n >= 1 << 31:
        return None
    source, result = Operand("input", 0), Operand("output", 0)
    if inner == 1:
        return chain_stages([Stage(_first_in_row(pattern), (source,), (result,))], ())
    recipe = Recipe(inner)
    x = recipe.input(pattern.dtype, True)
    whole = (True, True, True)
    top = recipe.reduced(f"column_{pattern.join}", _order(recipe, x, pattern.join))
    extremes = row_loop((outer, n, inner), recipe, [x], [whole], [top], outer=1)
    middle = Operand("scratch", 0)
    stages = [
        Stage(extremes, (source,), (middle,)),
        Stage(_first_in_column(pattern, top.dtype), (source, middle), (result,)),
    ]
    return chain_stages(stages, (outer * inner * top.dtype.size,))


def _order(recipe: Recipe, x: Handle, join: str) -> Handle:
    """Values that can be compared: bools as small integers, nan as the least extreme value."""
    if x.dtype.is_floating:
        least = -math.inf if join == "maximum" else math.inf
        return recipe.select(recipe.isnan(x), recipe.constant(least, x), x)
    return recipe.cast(x, dtypes.uint8) if x.dtype.is_bool else x


def _first_in_row(pattern: Extreme) -> RowLoop:
    outer, n, _ = pattern.sizes
    recipe = Recipe(n)
    x = recipe.input(pattern.dtype, True)
    value = _order(recipe, x, pattern.join)
    place = _candidate(recipe, value, recipe.reduced(f"row_{pattern.join}", value), recipe.position(), n)
    first = recipe.cast(recipe.reduced("row_minimum", place), pattern.output)
    return row_loop((outer, n), recipe, [x], [(True, True)], [first])


def _first_in_column(pattern: Extreme, dtype: DType) -> RowLoop:
    outer, n, inner = pattern.sizes
    recipe = Recipe(inner)
    x, top = recipe.input(pattern.dtype, True), recipe.input(dtype, True)
    place = _candidate(recipe, _order(recipe, x, pattern.join), top, recipe.line(), n)
    first = recipe.reduced("column_minimum", place, pattern.output)
    patterns = [(True, True, True), (True, False, True)]
    return row_loop((outer, n, inner), recipe, [x, top], patterns, [first], outer=1)


def _candidate(recipe: Recipe, x: Handle, top: Handle, place: Handle, n: int) -> Handle:
    """The place of an element if it is the extreme one, else a number behind all places."""
    return recipe.select(recipe.eq(x, top), place, recipe.constant(n, place))
