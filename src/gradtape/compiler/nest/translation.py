"""Nests of the kernels of a graph: fused ones by their bodies, others by the patterns that their ops give."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gradtape.compiler.bodies.epilogue import Distances, Epilogue, Groups
from gradtape.compiler.bodies.kernel_op import Binding, KernelOp, Pattern, PatternBody, body_of
from gradtape.compiler.bodies.loop import Loop
from gradtape.compiler.bodies.rows import COLUMN, ROW, Call, ColumnResult, RowLoop
from gradtape.compiler.graph import Node
from gradtape.compiler.nest.body import NestBuilder, NestValue, strided
from gradtape.compiler.nest.description import Dim, Nest
from gradtape.core.patterns.convolution import Convolve
from gradtape.core.patterns.indexing import Take
from gradtape.core.patterns.movement import Copy, View, packed
from gradtape.core.patterns.pooling import Pool
from gradtape.core.patterns.product import Product
from gradtape.core.patterns.reduction import Reduce
from gradtape.core.shape import Spec

# (axis, elements from one place along it to the next)
Strides = list[tuple[int, int]]


def nest_of(node: Node) -> Nest | None:
    """What a node computes; None if it has no nest: scans, sorts, scatters, random numbers, unknown sizes."""
    specs = [v.spec for v in node.inputs], [v.spec for v in node.outputs]
    if node.effect or not all(spec.is_known for several in specs for spec in several):
        return None
    body = body_of(node)
    if isinstance(body, Loop):
        return _loop(body, node.op, *specs)
    if isinstance(body, RowLoop):
        return _rows(body, *specs)
    if isinstance(body, PatternBody):
        return _pattern(body, node.op, *specs)
    rule = getattr(node.op, "lower", None)
    pattern = rule(*specs[0], **node.params) if callable(rule) else None
    if pattern is not None and hasattr(type(pattern), "matrices"):
        return _pattern(PatternBody(pattern), None, *specs)
    translate = _PATTERNS.get(type(pattern))
    return None if translate is None else translate(pattern, *specs)


def _loop(loop: Loop, op: KernelOp, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Nest:
    cg, axes = NestBuilder(loop.shape), range(len(loop.shape))
    values: list[NestValue] = []
    for (dtype, strides), known, load in zip(loop.inputs, loop.constants, op.loads, strict=True):
        if known is not None:
            values.append(cg.splat(known, dtype))
        else:
            values.append(cg.load(load.slot, dtype, _index(cg, inputs, load, zip(axes, strides, strict=True))))
    _replay(cg, loop.steps, values)
    targets = loop.targets or (packed(loop.shape),) * len(loop.outputs)
    stores, sums = op.stores[: len(loop.outputs)], op.stores[len(loop.outputs) :]
    for number, store, strides in zip(loop.outputs, stores, targets, strict=True):
        cg.store(store.slot, _index(cg, outputs, store, zip(axes, strides, strict=True)), values[number])
    for number, store in zip(loop.sums, sums, strict=True):
        total = cg.reduce("sum", values[number], axes, outputs[store.slot].dtype)
        cg.store(store.slot, _index(cg, outputs, store, []), total)
    return cg.nest()


def _replay(cg: NestBuilder, steps: Iterable[Any], values: list[NestValue]) -> None:
    """Add the values of steps, which are ops, to those of their operands."""
    for step in steps:
        values.append(step.op.scalar(cg, *[values[i] for i in step.operands], **dict(step.params)))


def _index(cg: NestBuilder, specs: Sequence[Spec], binding: Binding, strides: Iterable[tuple[int, int]]) -> list[Dim]:
    return strided(specs[binding.slot].shape, cg.axes, binding.offset, strides)


def _rows(loop: RowLoop, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Nest:
    cg, values = _row_values(loop, inputs)
    _store_rows(cg, loop, values, enumerate(range(len(loop.outputs))), outputs)
    return cg.nest()


def _row_values(loop: RowLoop, inputs: Sequence[Spec]) -> tuple[NestBuilder, list[NestValue]]:
    cg, width = NestBuilder(loop.shape), len(loop.shape) - 1
    joined = list(range(loop.outer, width))  # the axes that a column reduction removes
    slots = {number: (slot, varies) for slot, (number, varies) in enumerate(loop.inputs)}
    values: list[NestValue] = []
    for number, call in enumerate(loop.calls):
        if call.method == "input":
            slot, varies = slots[number]
            own = _dense(cg, [a for a in range(width + 1) if varies[a]])
            values.append(cg.load(slot, loop.types[number], strided(inputs[slot].shape, cg.axes, 0, own)))
        else:
            values.append(_call(cg, call, values, loop, joined))
    for number in loop.checks:
        cg.require(values[number])
    return cg, values


def _store_rows(
    cg: NestBuilder,
    loop: RowLoop,
    values: list[NestValue],
    stores: Iterable[tuple[int, int]],
    outputs: Sequence[Spec],
) -> None:
    """Store results of a loop over rows: (slot, number of the result)."""
    width = len(loop.shape) - 1
    for slot, k in stores:
        number, place = loop.outputs[k]
        left_out = {ROW: [width], COLUMN: list(range(loop.outer, width))}.get(place, [])
        along = [a for a in range(width + 1) if a not in left_out]
        cg.store(slot, strided(outputs[slot].shape, cg.axes, 0, _dense(cg, along)), values[number])


def _call(cg: NestBuilder, call: Call, values: list[NestValue], loop: RowLoop, joined: list[int]) -> NestValue:
    """The value of one call of a recipe."""
    method, operands, extra = call
    width = len(loop.shape) - 1
    given = [values[i] for i in operands]
    if method == "number":
        return cg.number(*extra)
    if method == "cast":
        return cg.cast(given[0], extra[0])
    if method == "position":
        return cg.index(Dim(loop.shape[width], 0, ((width, 1),)))
    if method == "line":
        return cg.index(Dim(math.prod([loop.shape[a] for a in joined]), 0, tuple(_dense(cg, joined))))
    if call.direction:
        axes = [width] if call.direction == ROW else joined
        return cg.reduce(call.join, given[0], axes, extra[0] if extra else None)
    made: NestValue = getattr(cg, method)(*given)
    return made


def _dense(cg: NestBuilder, axes: Sequence[int]) -> Strides:
    """The strides of an array without gaps along some axes."""
    return list(zip(axes, packed([cg.axes[a] for a in axes]), strict=True))


def _pattern(body: PatternBody, op: KernelOp | None, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Nest | None:
    """A product, convolution, pooling, gather or loop over rows, and its epilogue."""
    pattern, epilogue = body.pattern, body.epilogue
    if body.sums_columns:
        assert isinstance(pattern, Convolve)
        return _filter_and_bias(pattern, outputs)
    loads = [Binding(i) for i in range(pattern.inputs)] if op is None else op.loads
    if isinstance(pattern, ColumnResult):
        rows, others = pattern.loop, pattern.others
        cg, along = _row_values(rows, inputs)
        value = along[rows.outputs[pattern.output][0]]
        frame = _Frame(cg.axes, [], range(rows.outer), [len(rows.shape) - 1])
        _store_rows(cg, rows, along, enumerate(others, len(outputs) - len(others)), outputs)
    else:
        found = _result(pattern, epilogue, loads, inputs)
        if found is None:
            return None
        cg, value, frame = found
    if epilogue is None or op is None:
        cg.store(0, strided(outputs[0].shape, cg.axes, 0, frame.whole()), value)
        return cg.nest()
    distances = [operand.distances for operand in epilogue.operands]
    if not all(frame.fits(d) for d in (*distances, *epilogue.targets) if d is not None):
        return None
    values: list[NestValue] = []
    loaded = iter(loads[pattern.inputs :])
    for i, (dtype, apart, known) in enumerate(epilogue.operands):
        if i == epilogue.product:
            values.append(value)
        elif apart is None:
            values.append(cg.splat(known, dtype))
        else:
            load = next(loaded)
            values.append(cg.load(load.slot, dtype, _index(cg, inputs, load, frame.strides(apart))))
    _replay(cg, epilogue.steps, values)
    for k, (number, store) in enumerate(zip(epilogue.results, op.stores, strict=False)):
        target = epilogue.targets[k] if epilogue.targets else None
        places = frame.whole() if target is None else frame.strides(target)
        cg.store(store.slot, _index(cg, outputs, store, places), values[number])
    return cg.nest()


def _result(
    pattern: Pattern, epilogue: Epilogue | None, loads: Sequence[Binding], inputs: Sequence[Spec]
) -> tuple[NestBuilder, NestValue, _Frame] | None:
    """What a pattern computes, before anything is done with it; None if no nest describes it."""
    if isinstance(pattern, Product):
        sizes = _cut_sizes([axis.size for axis in pattern.axes], epilogue, 0)
        return None if sizes is None else _product(pattern, sizes, loads, inputs)
    if isinstance(pattern, Convolve):
        return _convolution(pattern)
    if isinstance(pattern, Pool):
        return _pool(pattern)
    assert isinstance(pattern, Take)
    sizes = _cut_sizes([pattern.places.number], epilogue, 1)
    return None if sizes is None else _take(pattern, sizes, loads, inputs)


class _Frame:
    """The axes of a result that is a stack of matrices: those of the stack, of rows and of columns, outermost first."""

    def __init__(self, axes: Sequence[int], batch: Sequence[int], rows: Sequence[int], columns: Sequence[int]) -> None:
        self._axes, self._batch, self._rows, self._columns = axes, batch, rows, columns

    def whole(self) -> Strides:
        """The strides of an array that the result fills."""
        order = [*self._batch, *self._rows, *self._columns]
        return list(zip(order, packed([self._axes[a] for a in order]), strict=True))

    def strides(self, distances: Distances) -> Strides:
        """The strides of an operand or result of an epilogue."""
        item, row, column = distances
        return self._spread(self._rows, row) + self._spread(self._columns, column) + self._spread(self._batch, item)

    def fits(self, distances: Distances) -> bool:
        """True if groups of matrices and of rows are whole axes."""
        pairs = zip((self._batch, self._rows), distances, strict=False)
        return all(self._cut(axes, d.members) is not None for axes, d in pairs if isinstance(d, Groups))

    def _cut(self, axes: Sequence[int], members: int) -> int | None:
        """How many axes are outside of groups of so many members; None if a group ends within an axis."""
        sizes = [math.prod([self._axes[a] for a in axes[k:]]) for k in range(len(axes) + 1)]
        return sizes.index(members) if members in sizes else None

    def _spread(self, axes: Sequence[int], stride: int | Groups) -> Strides:
        """Places at equal distances along several axes that count as one, or in groups."""
        if isinstance(stride, Groups):
            cut = self._cut(axes, stride.members)
            return self._spread(axes[:cut], stride.outer) + self._spread(axes[cut:], stride.inner)
        units = packed([self._axes[a] for a in axes])
        return [(a, stride * unit) for a, unit in zip(axes, units, strict=True)]


def _cut_sizes(sizes: Sequence[int], epilogue: Epilogue | None, which: int) -> list[int] | None:
    """The axes of a stack, or with `which` 1 of its rows, cut so that groups of an epilogue are whole axes; None if they cannot be."""
    count = math.prod(sizes)
    cuts = {1, count, *[math.prod(sizes[i:]) for i in range(len(sizes))]}
    several = [] if epilogue is None else [*[o.distances for o in epilogue.operands], *epilogue.targets]
    groups = [d[which] for d in several if d is not None]
    cuts |= {d.members for d in groups if isinstance(d, Groups) and d.members < count}
    ordered = sorted(cuts, reverse=True)
    if any(large % small for large, small in itertools.pairwise(ordered)):
        return None
    return [large // small for large, small in itertools.pairwise(ordered)]


def _product(
    pattern: Product, sizes: list[int], loads: Sequence[Binding], inputs: Sequence[Spec]
) -> tuple[NestBuilder, NestValue, _Frame]:
    m, n, k = len(sizes), len(sizes) + 1, len(sizes) + 2
    cg = NestBuilder((*sizes, pattern.m, pattern.n, pattern.k))
    batch = list(range(len(sizes)))
    a, b = _stack(cg, pattern, batch)
    lda, ldb = _leading(pattern)
    a += [(k, lda), (m, 1)] if pattern.transpose_a else [(m, lda), (k, 1)]
    b += [(n, ldb), (k, 1)] if pattern.transpose_b else [(k, ldb), (n, 1)]
    left = cg.load(loads[0].slot, pattern.stored or pattern.dtype, _index(cg, inputs, loads[0], a))
    right = cg.load(loads[1].slot, pattern.stored or pattern.dtype, _index(cg, inputs, loads[1], b))
    if pattern.stored is not None:
        left, right = cg.cast(left, pattern.dtype), cg.cast(right, pattern.dtype)
    total = cg.reduce("sum", cg.mul(left, right), [k])
    return cg, total, _Frame(cg.axes, batch, [m], [n])


def _leading(pattern: Product) -> tuple[int, int]:
    """Elements from one stored row of a factor to the next."""
    lda = pattern.lda or (pattern.m if pattern.transpose_a else pattern.k)
    return lda, pattern.ldb or (pattern.k if pattern.transpose_b else pattern.n)


def _stack(cg: NestBuilder, pattern: Product, batch: Sequence[int]) -> tuple[Strides, Strides]:
    """The strides of both factors along the axes of a stack, which may be cut finer than the pattern's."""
    a: Strides = []
    b: Strides = []
    rest = list(batch)
    for size, stride_a, stride_b in reversed(pattern.axes):
        unit = 1
        while unit < size:
            axis = rest.pop()
            a.append((axis, stride_a * unit))
            b.append((axis, stride_b * unit))
            unit *= cg.axes[axis]
    return a, b


def _convolution(pattern: Convolve) -> tuple[NestBuilder, NestValue, _Frame]:
    """Axes are examples, places, groups, channels within a group; then what is summed over."""
    dims, groups = len(pattern.window), pattern.groups
    channels, filters = pattern.channels // groups, pattern.filters // groups
    n, at, g = 0, list(range(1, 1 + dims)), 1 + dims
    own, other = g + 1, g + 2
    taps = list(range(g + 3, g + 3 + dims))
    if pattern.kind == "filter":
        return _filter_gradient(pattern)[:3]
    forward = pattern.kind == "forward"
    places = pattern.out if forward else pattern.size
    made, summed = (filters, channels) if forward else (channels, filters)
    cg = NestBuilder((pattern.examples, *places, groups, made, summed, *pattern.window))
    seen = []
    for i, p in enumerate(at):
        size, start, stride, dilation = pattern.size[i], pattern.starts[i], pattern.strides[i], pattern.dilations[i]
        if forward:
            seen.append(Dim(size, start, ((p, stride), (taps[i], dilation))))
        else:
            seen.append(Dim(pattern.out[i], -start, ((p, 1), (taps[i], -dilation)), stride))
    count = pattern.channels if forward else pattern.filters
    source = [Dim(pattern.examples, 0, ((n, 1),)), *seen, Dim(count, 0, ((g, summed), (other, 1)))]
    window = [Dim(size, 0, ((t, 1),)) for size, t in zip(pattern.window, taps, strict=True)]
    last, column = (other, own) if forward else (own, other)
    weights = [*window, Dim(channels, 0, ((last, 1),)), Dim(pattern.filters, 0, ((g, filters), (column, 1)))]
    x = cg.load(0, pattern.dtype, source, "0.0")
    w = cg.load(1, pattern.dtype, weights)
    total = cg.reduce("sum", cg.mul(x, w), [other, *taps])
    return cg, total, _Frame(cg.axes, [], [n, *at], [g, own])


def _filter_and_bias(pattern: Convolve, outputs: Sequence[Spec]) -> Nest:
    """The gradient by a filter, and the sums over all places of the cotangent."""
    cg, value, frame, slope = _filter_gradient(pattern)
    cg.store(0, strided(outputs[0].shape, cg.axes, 0, frame.whole()), value)
    groups, last = len(pattern.window) + 1, len(cg.axes)
    total = cg.reduce("sum", slope, range(groups + 2, last))
    cg.store(1, strided(outputs[1].shape, cg.axes, 0, _dense(cg, [groups, groups + 1])), total)
    return cg.nest()


def _filter_gradient(pattern: Convolve) -> tuple[NestBuilder, NestValue, _Frame, NestValue]:
    dims, groups = len(pattern.window), pattern.groups
    channels, filters = pattern.channels // groups, pattern.filters // groups
    taps, c, g, o, n = list(range(dims)), dims, dims + 1, dims + 2, dims + 3
    at = list(range(n + 1, n + 1 + dims))
    cg = NestBuilder((*pattern.window, channels, groups, filters, pattern.examples, *pattern.out))
    sizes = zip(pattern.size, pattern.starts, pattern.strides, pattern.dilations, at, taps, strict=True)
    seen = [Dim(size, start, ((p, stride), (t, dilation))) for size, start, stride, dilation, p, t in sizes]
    source = [Dim(pattern.examples, 0, ((n, 1),)), *seen, Dim(pattern.channels, 0, ((g, channels), (c, 1)))]
    places = [Dim(size, 0, ((p, 1),)) for size, p in zip(pattern.out, at, strict=True)]
    slope = [Dim(pattern.examples, 0, ((n, 1),)), *places, Dim(pattern.filters, 0, ((g, filters), (o, 1)))]
    x, dy = cg.load(0, pattern.dtype, source, "0.0"), cg.load(1, pattern.dtype, slope)
    total = cg.reduce("sum", cg.mul(x, dy), [n, *at])
    return cg, total, _Frame(cg.axes, [], [*taps, c], [g, o]), dy


def _copy(pattern: Copy, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Nest | None:
    """Every move has separate axes."""
    types = {spec.dtype for spec in (*inputs, *outputs)}
    if pattern.size is not None or any(spec.dtype.kind == "O" for spec in outputs) or _overlap(pattern, outputs):
        return None
    moves = pattern.moves
    first = list(itertools.accumulate([len(move.read.shape) for move in moves], initial=0))
    cg = NestBuilder([d for move in moves for d in move.read.shape])
    for move, start in zip(moves, first, strict=False):
        dtype = outputs[move.output].dtype
        if move.source is None:
            number = np.frombuffer(move.fill, dtype.numpy)[0]
            value = cg.splat(number, dtype)
        elif len(types) > 1 and inputs[move.source].dtype is not dtype:
            return None
        else:
            value = cg.load(move.source, dtype, _seen(cg, inputs[move.source], move.read, start))
        cg.store(move.output, _seen(cg, outputs[move.output], move.write, start), value)
    return cg.nest()


def _overlap(pattern: Copy, outputs: Sequence[Spec]) -> bool:
    """Whether moves write some places more than once, so that their order counts."""
    sizes: dict[int, int] = {}
    for move in pattern.moves:
        sizes[move.output] = sizes.get(move.output, 0) + math.prod(move.read.shape)
    return any(sizes[k] > math.prod(outputs[k].shape) for k in sizes)


def _seen(cg: NestBuilder, spec: Spec, view: View, first: int) -> list[Dim]:
    axes = range(first, first + len(view.shape))
    return strided(spec.shape, cg.axes, view.offset, zip(axes, view.strides, strict=True))


def _reduce(pattern: Reduce, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Nest:
    cg, axes = NestBuilder(pattern.sizes), range(len(pattern.sizes))
    x = cg.load(0, pattern.dtype, strided(inputs[0].shape, cg.axes, 0, _dense(cg, list(axes))))
    over = [a for a in axes if pattern.reduced[a]]
    value = cg.reduce("sum" if pattern.join == "mean" else pattern.join, x, over)
    if pattern.join == "mean":
        count = math.prod([pattern.sizes[a] for a in over])
        value = cg.div(value, cg.constant(count, value)) if pattern.dtype.is_floating else value
        if not pattern.dtype.is_floating:
            value = cg.floordiv(value, cg.constant(count, value))
    kept = [a for a in axes if not pattern.reduced[a]]
    cg.store(0, strided(outputs[0].shape, cg.axes, 0, _dense(cg, kept)), value)
    return cg.nest()


def _pool(pattern: Pool) -> tuple[NestBuilder, NestValue, _Frame] | None:
    if pattern.kind not in ("maximum", "mean") or not pattern.dtype.is_floating:
        return None
    dims = len(pattern.size)
    cg = NestBuilder((*pattern.out, *pattern.window))
    index = [
        Dim(size, start, ((p, stride), (dims + p, dilation)))
        for p, (size, start, stride, dilation) in enumerate(
            zip(pattern.size, pattern.starts, pattern.strides, pattern.dilations, strict=True)
        )
    ]
    taps = range(dims, 2 * dims)
    x = cg.load(0, pattern.dtype, index, "-inf" if pattern.kind == "maximum" else "0.0")
    value = cg.reduce("maximum" if pattern.kind == "maximum" else "sum", x, taps)
    if pattern.kind == "mean":
        value = cg.div(value, cg.reduce("sum", cg.cast(cg.inside(index), pattern.dtype), taps))
    _, end = pattern.moving
    return cg, value, _Frame(cg.axes, [], range(end), range(end, dims))


def _take(
    pattern: Take, sizes: list[int], loads: Sequence[Binding], inputs: Sequence[Spec]
) -> tuple[NestBuilder, NestValue, _Frame]:
    """Axes are entries with indices of their own, entries that share them, indices, elements of a row."""
    places, last = pattern.places, 2 + len(sizes)
    cg = NestBuilder((places.batch, places.outer, *sizes, places.width))
    entry = [Dim(places.batch, 0, ((0, 1),))]
    index = [*entry, Dim(places.number, 0, tuple(_dense(cg, range(2, last))))]
    depth = len(places.dims)
    numbers = [cg.load(loads[1].slot, places.indices, [*index, Dim(depth, k)]) for k in range(depth)]
    rows = [Dim(size, lookup=value.number) for size, value in zip(places.dims, numbers, strict=True)]
    source = [*entry, Dim(places.outer, 0, ((1, 1),)), *rows, Dim(places.width, 0, ((last, 1),))]
    x = cg.load(loads[0].slot, inputs[loads[0].slot].dtype, source, "0" if places.skips else None)
    return cg, x, _Frame(cg.axes, [], range(last), [last])


_PATTERNS: dict[type, Callable[[Any, Sequence[Spec], Sequence[Spec]], Nest | None]] = {
    Copy: _copy,
    Reduce: _reduce,
}
