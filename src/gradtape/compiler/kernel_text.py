"""What the kernels of a graph compute, as text for people: loads with strides, steps, stores; the user's lines beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from gradtape.compiler.ending import Ending
from gradtape.compiler.graph import Graph, Node
from gradtape.compiler.kernel_op import Contraction, body_of
from gradtape.compiler.loop import Loop, Step
from gradtape.compiler.recipe import RowLoop
from gradtape.core.patterns.convolution import Convolve
from gradtape.core.patterns.product import Product
from gradtape.core.provenance import Site
from gradtape.core.shape import Spec


def describe(graph: Graph) -> str:
    """The kernels of a fused graph, in their order; what runs in NumPy is named in between."""
    return "\n".join([line for node in graph.nodes for line in _lines(node)])


def flops(node: Node) -> int:
    """About how many floating-point operations a node takes; 0 where only data moves."""
    body = body_of(node)
    if isinstance(body, Loop):
        return math.prod(body.shape) * len(body.steps)
    if isinstance(body, RowLoop):
        return math.prod(body.shape) * sum(call.method not in ("input", "number") for call in body.calls)
    pattern = _pattern(node)
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
    body = body_of(node)
    if isinstance(body, Loop):
        return _loop(body)
    if isinstance(body, RowLoop):
        return _rows(body)
    pattern = _pattern(node)
    ending = _ending(body.ending) if isinstance(body, Contraction) and body.ending is not None else ()
    if isinstance(pattern, Convolve):
        return [*_convolution(pattern), *ending]
    return [*_product(pattern), *ending] if isinstance(pattern, Product) else []


def _pattern(node: Node) -> Any:
    """What the op says of itself to the compiler, if it says something."""
    body, rule = body_of(node), getattr(node.op, "lower", None)
    if isinstance(body, Contraction):
        return body.pattern
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
