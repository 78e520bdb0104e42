"""Views: fused loops and matrix products read transposed, sliced, reversed and repeated values from their source.

An op that only moves elements makes a value whose elements lie in another array at regular distances. A loop that reads
the value can read that array instead, by strides, so that nothing is copied; the op goes if nobody else wants its
result. That is done where the loop loses little by it: long rows in the order of the memory, or few elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gradtape.compiler.backends.pointwise.plan import plan
from gradtape.compiler.bodies.kernel_op import Binding, KernelOp, PatternBody, body_of
from gradtape.compiler.bodies.loop import Loop
from gradtape.compiler.codegen.emission import CHUNK
from gradtape.compiler.codegen.simd.machine import default_width, host, least_vectors
from gradtape.compiler.graph import Graph, Node, Value, replace
from gradtape.core import dtypes
from gradtape.core.dtypes import DType
from gradtape.core.patterns.movement import View, contiguous, is_contiguous, only_view, packed
from gradtape.core.patterns.product import Product, product_of_views
from gradtape.core.shape import Spec
from gradtape.ops.matmul import MatMul

# Smaller products of bfloat16 are computed in float32.
_LEAST_ROWS, _LEAST_COLUMNS, _LEAST_DEPTH = 8, 16, 16
_FEW = 256  # elements that may be fetched one by one
_FEW_ROWS = 4

Passed = tuple[Node, set[Node]]  # a node that reads through views, and the nodes that it passes


class ViewSource(NamedTuple):
    """A value that another one is a view of, and the nodes on the way."""

    value: Value
    view: View
    nodes: tuple[Node, ...]


def load_through(graph: Graph) -> Graph:
    """The graph with loops that read through views."""

    def through(node: Node) -> Passed | None:
        body = body_of(node)
        return _through(node, body) if isinstance(body, Loop) else None

    return replace_readers(graph, through)


def replace_readers(graph: Graph, through: Callable[[Node], Passed | None]) -> Graph:
    """The graph with nodes that read through views in the place of those for which `through` gives one, without the views that nobody
    needs any more."""
    made: dict[Node, Sequence[Node]] = {}
    same: dict[Value, Value] = {}
    passed: set[Node] = set()
    for node in graph.nodes:
        found = through(node)
        if found is not None:
            made[node] = (found[0],)
            same |= zip(node.outputs, found[0].outputs, strict=True)
            passed |= found[1]
    wanted = set(graph.outputs)
    for node in reversed(graph.nodes):
        if node in passed and wanted.isdisjoint(node.outputs):
            made[node] = ()
        for own in made.get(node, (node,)):
            wanted.update(own.inputs)
    return replace(graph, made, same)


def _through(node: Node, loop: Loop) -> Passed | None:
    """A loop that reads through views as far as that is good, and the nodes that it passes; None if it reads through
    none."""
    op: KernelOp = node.op
    loads, inputs = list(op.loads), list(node.inputs)
    passed: set[Node] = set()
    for i, load in enumerate(op.loads):
        if loop.constants[i] is not None or load.is_part:
            continue
        for source in reversed(sources(inputs[load.slot])):
            turned = loop.see_through(i, source.view)
            if turned is None or not _is_good(loop, turned, i):
                continue
            if source.value not in inputs:
                inputs.append(source.value)
            loop, loads[i] = turned, Binding(inputs.index(source.value), source.view.offset, True)
            passed.update(source.nodes)
            break
    if not passed:
        return None
    used = sorted({load.slot for load in loads})
    loads = [load._replace(slot=used.index(load.slot)) for load in loads]
    made = KernelOp(loop, op.specs, op.parts, loads)
    return Node(made, [inputs[k] for k in used], {}, op.specs, node.place), passed


def sources(value: Value) -> list[ViewSource]:
    """What a value is a view of, then what that is one of, and so on; reshapes alone are none."""
    found: list[ViewSource] = []
    view, nodes, here = contiguous(value.spec.shape), [], value
    while here.node is not None:
        step = _view_of(here.node, here)
        composed = None if step is None else _compose(view, step)
        if composed is None:
            break
        nodes.append(here.node)
        view, here = composed, here.node.inputs[0]
        if step is not None and not _is_reshape(step, here):
            found.append(ViewSource(here, view, tuple(nodes)))
    return found


def _view_of(node: Node, value: Value) -> View | None:
    """The view of its only input that one of a node's results is; None if it is something else."""
    rule = getattr(node.op, "lower", None)
    if node.effect or len(node.inputs) != 1 or not callable(rule):
        return None
    specs = [v.spec for v in (node.inputs[0], value)]
    if any(None in s.shape or 0 in s.shape or s.dtype.kind == "O" for s in specs):
        return None
    return only_view(rule(specs[0], **node.params), specs[1].shape, node.outputs.index(value))


def _is_reshape(view: View, source: Value) -> bool:
    return is_contiguous(view) and math.prod(view.shape) == math.prod(source.spec.shape)


def _compose(outer: View, inner: View) -> View | None:
    """A view of the elements of another view, which it knows as a contiguous array; None if that is no view."""
    if is_contiguous(inner):
        return outer
    if is_contiguous(outer) and math.prod(outer.shape) == math.prod(inner.shape):
        return inner  # in the inner shape, which a reader looks into
    steps = packed(inner.shape)
    first, rest = [], outer.offset
    for step in steps:
        first.append(rest // step)
        rest %= step
    low, high = list(first), list(first)
    strides = []
    for n, stride in zip(outer.shape, outer.strides, strict=True):
        axis = next((k for k, s in enumerate(steps) if inner.shape[k] > 1 and stride % s == 0), None)
        if axis is None:
            return None
        distance = stride // steps[axis]
        low[axis] += min(0, distance * (n - 1))
        high[axis] += max(0, distance * (n - 1))
        strides.append(distance * inner.strides[axis])
    if any(a < 0 or b >= n for a, b, n in zip(low, high, inner.shape, strict=True)):
        return None
    offset = inner.offset + sum(a * s for a, s in zip(first, inner.strides, strict=True))
    return View(outer.shape, tuple(strides), offset)


def _is_good(before: Loop, after: Loop, i: int) -> bool:
    """Whether a loop that reads an input by strides is as quick as a copy and the loop before."""
    planned, _ = plan(after)
    if planned.is_flat:
        return True
    total, inner = math.prod(after.shape), after.shape[-1]
    lanes = min(planned.lanes, default_width(after.types()))
    if after.inputs[i][1][-1] not in (0, 1, -1):
        return total <= _FEW
    if total == inner > CHUNK:
        return False  # one row is one chunk
    is_long = inner >= (least_vectors() if inner % lanes == 0 else 8) * lanes
    return (
        is_long or total <= inner * _FEW_ROWS or (after.shape[-1] == before.shape[-1] and not plan(before)[0].is_flat)
    )


def load_products_through(graph: Graph) -> Graph:
    """The graph with matrix products that read transposed and sliced values where they come from.

    The heads of an attention layer are parts of rows: as a stack of matrices, they lie at regular distances in the array that a
    projection made. A product reads them there, so that the transposed array is not made at all if nobody else wants it.
    """
    return replace_readers(graph, lambda node: _product_through(node) if node.op is MatMul else None)


def load_bfloat16_products(graph: Graph) -> Graph:
    """The graph with products of bfloat16 by the machine's own instructions, if it has these: they read the values that were cast."""
    if not host().multiplies_bfloat16:
        return graph
    return replace_readers(graph, lambda node: _bfloat16_product(node) if node.op is MatMul else None)


def _bfloat16_product(node: Node) -> Passed | None:
    casts = [v.node for v in node.inputs if v.node is not None and v.node.op.name == "cast"]
    values = [cast.inputs[0] for cast in casts]
    if len(values) < 2 or any(v.spec.dtype is not dtypes.bfloat16 for v in values):
        return None
    if node.outputs[0].spec.dtype is not dtypes.float32:
        return None
    found = _product_through(node, values)
    return None if found is None else (found[0], found[1] | set(casts))


def _suits_pairs(pattern: Product) -> bool:
    """Whether a product of bfloat16 can be computed by pairs along k, and is large enough for copies of its factors in that order."""
    if pattern.k % 2 or pattern.k < _LEAST_DEPTH or pattern.m < _LEAST_ROWS or pattern.n < _LEAST_COLUMNS:
        return False
    return not pattern.transpose_b or (pattern.ldb or pattern.k) % 2 == 0


def _product_through(node: Node, pairs: list[Value] | None = None) -> Passed | None:
    """A product that reads through views, and the nodes that it passes; None if it reads through none.

    Args:
      node: the product.
      pairs: the values of bfloat16 that its inputs were cast from, which it is to read in their place.
    """
    inputs, spec = pairs or list(node.inputs), node.outputs[0].spec
    values = list(inputs)
    if not all(v.spec.is_known for v in inputs):
        return None
    if node.op.lower(*[v.spec for v in node.inputs], **node.params) is None:
        return None
    flags = node.params.get("transpose_a", False), node.params.get("transpose_b", False)
    seen = [contiguous(v.spec.shape) for v in inputs]
    passed: set[Node] = set()
    best: Product | None = None
    if pairs is not None:
        best = _product_of(seen, spec, flags, dtypes.bfloat16)
        if best is None:
            return None
    for k, value in enumerate(values):
        for source, view, nodes in reversed(sources(value)):
            tried = [*seen[:k], view, *seen[k + 1 :]]
            stored = None if pairs is None else dtypes.bfloat16
            pattern = _product_of(tried, spec, flags, stored) if view.shape == value.spec.shape else None
            if pattern is not None:
                best, seen, inputs[k] = pattern, tried, source
                passed.update(nodes)
                break
    if best is None:
        return None
    loads = [Binding(k, view.offset, True) for k, view in enumerate(seen)]
    op = KernelOp(PatternBody(best), [spec], MatMul.name, loads)
    return Node(op, inputs, {}, spec, node.place), passed


def _product_of(seen: list[View], spec: Spec, flags: tuple[bool, bool], stored: DType | None = None) -> Product | None:
    """The product of views, if it can be launched at once; None if not."""
    if any(s < 0 for view in seen for s in view.strides):
        return None
    pattern = product_of_views(seen[0], seen[1], spec.dtype, *flags)
    if pattern is None or len(pattern.axes) > 2 or (stored is not None and not _suits_pairs(pattern)):
        return None
    return pattern._replace(stored=stored)
