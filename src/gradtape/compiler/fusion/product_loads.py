"""Operands: matrix products that read transposed and sliced values where they come from.

The heads of an attention layer are parts of rows: as a stack of matrices, they lie at regular distances in the array that a
projection made. A product reads them there, so that the transposed array is not made at all if nobody else wants it.
"""

from __future__ import annotations

from gradtape.compiler.bodies.kernel_op import Binding, KernelOp, PatternBody
from gradtape.compiler.fusion.load_through import replace_readers, sources
from gradtape.compiler.graph import Graph, Node
from gradtape.core.patterns.movement import View, contiguous
from gradtape.core.patterns.product import Product, product_of_views
from gradtape.core.shape import Spec
from gradtape.ops.matmul import MatMul


def load_through(graph: Graph) -> Graph:
    """The graph with products that read through views."""
    return replace_readers(graph, lambda node: _through(node) if node.op is MatMul else None)


def _through(node: Node) -> tuple[Node, set[Node]] | None:
    """A product that reads through views, and the nodes that it passes; None if it reads through none."""
    inputs, spec = list(node.inputs), node.outputs[0].spec
    if not all(v.spec.is_known for v in inputs):
        return None
    if node.op.lower(*[v.spec for v in inputs], **node.params) is None:
        return None
    flags = node.params.get("transpose_a", False), node.params.get("transpose_b", False)
    seen = [contiguous(v.spec.shape) for v in inputs]
    passed: set[Node] = set()
    best: Product | None = None
    for k, value in enumerate(node.inputs):
        for source, view, nodes in reversed(sources(value)):
            tried = [*seen[:k], view, *seen[k + 1 :]]
            pattern = _pattern(tried, spec, flags) if view.shape == value.spec.shape else None
            if pattern is not None:
                best, seen, inputs[k] = pattern, tried, source
                passed.update(nodes)
                break
    if best is None:
        return None
    loads = [Binding(k, view.offset, True) for k, view in enumerate(seen)]
    op = KernelOp(PatternBody(best), [spec], MatMul.name, loads)
    return Node(op, inputs, {}, spec, node.place), passed


def _pattern(seen: list[View], spec: Spec, flags: tuple[bool, bool]) -> Product | None:
    """The product of views, if it can be launched at once; None if not."""
    if any(s < 0 for view in seen for s in view.strides):
        return None
    pattern = product_of_views(seen[0], seen[1], spec.dtype, *flags)
    return pattern if pattern is not None and len(pattern.axes) <= 2 else None
