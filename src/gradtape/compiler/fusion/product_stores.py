"""Parts: matrix products that write their results where these are transposed, or joined with those of other products.

The gradients of queries, keys and values come out of three products as stacks of matrices, which are transposed and put side by side.
Each product writes its part of that array by itself, one over the array of the other: nothing is moved any more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from gradtape.compiler.bodies.epilogue import Epilogue, EpilogueOperand, distances_of
from gradtape.compiler.bodies.kernel_op import Binding, KernelOp, PatternBody, body_of, pattern_of
from gradtape.compiler.codegen.simd.machine import default_width, least_vectors
from gradtape.compiler.fusion.load_through import sources
from gradtape.compiler.fusion.store_through import concatenated_views
from gradtape.compiler.graph import Graph, Node, Value, replace
from gradtape.core.patterns.movement import View, contiguous, packed
from gradtape.core.patterns.product import Product
from gradtape.core.shape import Spec
from gradtape.ops.matmul import MatMul


class _Part(NamedTuple):
    """A product whose result is a part of another value.

    Attributes:
      product: the node.
      view: where its elements go, in their order.
      nodes: what is passed on the way, and nobody else reads.
    """

    product: Node
    view: View
    nodes: tuple[Node, ...]


def store_products_through(graph: Graph) -> Graph:
    """The graph with products that write where their results are transposed, or joined with those of others."""
    position = {node: i for i, node in enumerate(graph.nodes)}
    readers = Counter([v for node in graph.nodes for v in node.inputs] + graph.outputs)
    leaving = _leaving(graph)
    made: dict[Node, list[Node]] = {}
    same: dict[Value, Value] = {}
    for node in reversed(graph.nodes):
        if node in made or len(node.outputs) != 1 or node.outputs[0] in leaving or not node.outputs[0].spec.is_known:
            continue
        parts = _parts(node, readers)
        if parts is None or any(made.get(part.product) for part in parts):
            continue
        written = _write(sorted(parts, key=lambda part: position[part.product]), node.outputs[0].spec)
        if written is not None:
            made |= {product: [writer] for product, writer in written.items()}
            last = written[max(written, key=position.__getitem__)]
            for passed in {node, *[n for part in parts for n in part.nodes]}:
                made[passed] = []
                same[passed.outputs[0]] = last.outputs[0]
    return replace(graph, made, same)


def _leaving(graph: Graph) -> set[Value]:
    """Values that are read outside of native programs, perhaps in another shape: they need a separate array."""
    found = {*graph.outputs, *[v for node in graph.nodes if node.effect for v in node.inputs]}
    for node in reversed(graph.nodes):
        if node.op.name == "reshape" and node.outputs[0] in found:
            found.add(node.inputs[0])
    return found


def _parts(node: Node, readers: Counter[Value]) -> list[_Part] | None:
    """The products that a value is made of, if it is nothing but their elements in another order."""
    views, result = concatenated_views(node), node.outputs[0]
    pieces = [(result, contiguous(result.spec.shape))] if views is None else list(zip(node.inputs, views, strict=True))
    found = []
    for value, write in pieces:
        part = _part(value, write, readers)
        if part is None or (value is not result and readers[value] > 1):
            return None
        found.append(part)
    return found if len({part.product for part in found}) == len(found) else None


def _part(value: Value, write: View, readers: Counter[Value]) -> _Part | None:
    """The product whose result a value is, perhaps transposed."""
    for source, view, nodes in sources(value):
        maker = source.node
        is_wanted = any(readers[v] > 1 for n in nodes for v in n.outputs if v is not value) or readers[source] > 1
        if maker is None or not _is_product(maker) or is_wanted:
            continue
        fine = _split(write, view.shape)
        axes = sorted([(s, d, w) for d, s, w in zip(view.shape, view.strides, fine or (), strict=False) if d > 1])[::-1]
        shape = tuple([d for _, d, _ in axes])
        if fine is None or view.offset or packed(shape) != tuple([s for s, _, _ in axes]):
            continue
        if math.prod(shape) == math.prod(source.spec.shape):
            return _Part(maker, View(shape, tuple([w for _, _, w in axes]), write.offset), nodes)
    return None


def _is_product(node: Node) -> bool:
    if len(node.outputs) != 1:
        return False
    body = body_of(node)
    if isinstance(body, PatternBody):
        is_free = body.epilogue is None or (not body.epilogue.targets and node.op.onto is None)
        return is_free and isinstance(body.pattern, Product)
    return node.op is MatMul


def _split(view: View, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The strides of a view along axes into which its own are cut; None if they are cut otherwise."""
    strides: list[int] = []
    axes = [(d, s) for d, s in zip(view.shape, view.strides, strict=True) if d > 1]
    for size in reversed(shape):
        if size == 1:
            strides.insert(0, 0)
            continue
        if not axes or axes[-1][0] % size:
            return None
        d, s = axes.pop()
        strides.insert(0, s)
        if d > size:
            axes.append((d // size, s * size))
    return tuple(strides)


def _write(parts: list[_Part], spec: Spec) -> dict[Node, Node] | None:
    """For each of some products a node that writes its part, each over the array of the one before; None if that cannot be."""
    found: dict[Node, Node] = {}
    before: Value | None = None
    for node, view, _ in parts:
        kernel = _with_epilogue(node)
        if kernel is None:
            return None
        body, loads = kernel
        target = distances_of(view.shape, view.strides, body.pattern.matrices)
        few = least_vectors() * default_width([spec.dtype])
        if body.epilogue is None or target is None or target[2] != 1 or body.pattern.matrices[2] < few:
            return None
        body, store = body._replace(epilogue=body.epilogue._replace(targets=(target,))), Binding(0, view.offset, True)
        inputs = [*node.inputs, *([] if before is None else [before])]
        onto = None if before is None else len(inputs) - 1
        writer = KernelOp(body, [spec], getattr(node.op, "parts", node.op.name), loads, [store], onto)
        found[node] = Node(writer, inputs, {}, (spec,), node.place)
        before = found[node].outputs[0]
    return found


def _with_epilogue(node: Node) -> tuple[PatternBody, Sequence[Binding]] | None:
    """A product as one with an epilogue, which may be that nothing is done, and the bindings of what it reads."""
    body = body_of(node)
    if isinstance(body, PatternBody) and body.epilogue is not None:
        return body, node.op.loads
    found, spec = pattern_of(node), node.outputs[0].spec
    if found is None or not isinstance(found[0].pattern, Product) or not spec.is_known:
        return None
    pattern, loads = found[0].pattern, found[1]
    if len(pattern.axes) > 2 or pattern.n < 2:
        return None
    return PatternBody(pattern, Epilogue((EpilogueOperand(spec.dtype, None),), 0, (), (0,))), loads
