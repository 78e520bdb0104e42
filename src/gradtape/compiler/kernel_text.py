"""What the kernels of a graph compute, as text for people: loads with strides, steps, stores; the user's lines beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from gradtape.compiler.ending import Ending
from gradtape.compiler.epilogue import ConvolutionWithEnding, ProductWithEnding
from gradtape.compiler.graph import Graph, Node
from gradtape.compiler.loop import Loop, Step
from gradtape.compiler.loops import Fused
from gradtape.compiler.operands import ProductOfViews
from gradtape.compiler.recipe import RowLoop
from gradtape.compiler.rows import FusedRows
from gradtape.core.patterns.convolution import Convolve
from gradtape.core.patterns.product import Product
from gradtape.core.provenance import Site
from gradtape.core.shape import Spec


def describe(graph: Graph) -> str:
    """The kernels of a fused graph, in their order; what runs in NumPy is named in between."""
    return "\n".join([line for node in graph.nodes for line in _lines(node)])


def flops(node: Node) -> int:
    """About how many floating-point operations a node takes; 0 where only data moves."""
    op = node.op
    if isinstance(op, Fused):
        return math.prod(op.loop.shape) * len(op.loop.steps)
    if isinstance(op, FusedRows):
        return math.prod(op.loop.shape) * sum(call.method not in ("input", "number") for call in op.loop.calls)
    pattern = _pattern(node)
    if isinstance(op, ProductWithEnding):
        pattern = op.product
    if isinstance(op, ConvolutionWithEnding):
        pattern = op.pattern
    if isinstance(pattern, Product):
        return 2 * pattern.m * pattern.n * pattern.k * math.prod([axis.size for axis in pattern.axes])
    if isinstance(pattern, Convolve):
        places = pattern.examples * math.prod(pattern.out) * math.prod(pattern.window)
        return 2 * places * pattern.channels * pattern.filters // pattern.groups
    return 0


def size(node: Node) -> int:
    """The bytes of all arrays that a node reads and writes."""
    return sum(_bytes(value.spec) for value in (*node.inputs, *node.outputs))


def _lines(node: Node) -> Iterator[str]:
    site = Site.of(node.place)
    head = f"{getattr(node.op, 'parts', node.op.name)}  {', '.join(str(v.spec) for v in node.outputs)}"
    yield f"{head:<60}  {flops(node):,} flops, {size(node):,} bytes" + (f"  # {site}" if site else "")
    yield from ("  " + line for line in _body(node))


def _body(node: Node) -> Iterable[str]:
    op = node.op
    if isinstance(op, Fused):
        return _loop(op.loop)
    if isinstance(op, FusedRows):
        return _rows(op.loop)
    if isinstance(op, ProductWithEnding):
        return [*_product(op.product), *_ending(op.ending)]
    if isinstance(op, ConvolutionWithEnding):
        return [*_convolution(op.pattern), *_ending(op.ending)]
    pattern = _pattern(node)
    if isinstance(pattern, Convolve):
        return _convolution(pattern)
    return _product(pattern) if isinstance(pattern, Product) else []


def _pattern(node: Node) -> Any:
    """What the op says of itself to the compiler, if it says something."""
    rule = getattr(node.op, "lower", None)
    if isinstance(node.op, ProductOfViews):
        return node.op.pattern
    if not callable(rule) or any(None in v.spec.shape for v in (*node.inputs, *node.outputs)):
        return None
    return rule(*[v.spec for v in node.inputs], **node.params)


def _loop(loop: Loop) -> Iterator[str]:
    yield f"for each of {list(loop.shape)}"
    for i, ((dtype, strides), known) in enumerate(zip(loop.inputs, loop.constants, strict=True)):
        source = f"load {dtype.name} strides {list(strides)}" if known is None else f"constant {known!r}"
        yield f"  %{i} = {source}"
    yield from _steps(len(loop.inputs), loop.steps)
    targets = loop.targets or [None] * len(loop.outputs)
    for value, target in zip(loop.outputs, targets, strict=True):
        yield f"  store %{value}" + (f" strides {list(target)}" if target else "")
    for value in loop.sums:
        yield f"  sum %{value} over all"


def _rows(loop: RowLoop) -> Iterator[str]:
    yield f"for each row of {list(loop.shape)}, in {max(loop.passes) + 1} passes"
    for number, call in enumerate(loop.calls):
        operands = "".join(f" %{i}" for i in call.operands)
        extra = "".join(f" {getattr(e, 'name', e)}" for e in call.extra) if call.method != "input" else ""
        yield f"  %{number} = {call.method}{operands}{extra}"
    for value, place in loop.outputs:
        yield f"  store %{value} for each {place}"


def _product(pattern: Product) -> Iterator[str]:
    stack = "".join(f" x {axis.size}" for axis in pattern.axes)
    turned = [name for name, flag in (("a", pattern.transpose_a), ("b", pattern.transpose_b)) if flag]
    note = f", {' and '.join(turned)} transposed" if turned else ""
    yield f"[{pattern.m}, {pattern.k}] @ [{pattern.k}, {pattern.n}]{stack} {pattern.dtype.name}{note}"


def _convolution(pattern: Convolve) -> Iterator[str]:
    window = [*pattern.window, pattern.channels // pattern.groups, pattern.filters]
    image = [pattern.examples, *pattern.size, pattern.channels]
    places = [pattern.examples, *pattern.out, pattern.filters]
    left, right, made = {
        "forward": (image, window, places),
        "input": (places, window, image),
        "filter": (image, places, window),
    }[pattern.kind]
    yield f"{pattern.kind} of {left} and {right} to {made}, strides {list(pattern.strides)} {pattern.dtype.name}"


def _ending(ending: Ending) -> Iterator[str]:
    yield "then for each element"
    for i, (dtype, distances, known) in enumerate(ending.operands):
        if i == ending.product:
            source = "the product"
        else:
            source = f"constant {known!r}" if distances is None else f"load {dtype.name} strides {list(distances)}"
        yield f"  %{i} = {source}"
    yield from _steps(len(ending.operands), ending.steps)
    yield from (f"  store %{value}" for value in ending.results)


def _steps(first: int, steps: Iterable[Step]) -> Iterator[str]:
    for number, step in enumerate(steps, first):
        params = "".join(f" {name}={value}" for name, value in step.params)
        yield f"  %{number} = {step.op.name}{''.join(f' %{i}' for i in step.operands)}{params}"


def _bytes(spec: Spec) -> int:
    return spec.dtype.size * math.prod([d or 0 for d in spec.shape])
