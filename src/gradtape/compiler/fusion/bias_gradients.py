"""Bias gradients: the sums of a cotangent over all places become a part of the convolution's filter gradient.

That kernel reads the cotangent anyway, and has it in the cache.
"""

from __future__ import annotations

from gradtape.compiler.bodies.kernel_op import KernelOp, PatternBody
from gradtape.compiler.graph import Copy, Graph, Node, Value
from gradtape.core.patterns.convolution import Convolve

FILTER_GRADIENT, SUM = "convolution_filter_gradient", "reduce_sum"


def fuse_bias_gradients(graph: Graph) -> Graph:
    """The graph with sums over all axes but the last one as parts of the gradients that read the same value."""
    if not any(node.op.name == FILTER_GRADIENT for node in graph.nodes):
        return graph
    pairs = _pairs(graph)
    if not pairs:
        return graph
    copy, done = Copy(graph), set[Node]()
    by_node = {node: pair for pair in pairs for node in pair}
    for node in graph.nodes:
        if node not in by_node:
            copy.keep(node)
        elif node not in done:
            _add(copy, *by_node[node])
            done.update(by_node[node])
    return copy.done()


def _add(copy: Copy, gradient: Node, total: Node) -> None:
    pattern = gradient.op.lower(*[v.spec for v in gradient.inputs], **gradient.params)
    specs = (gradient.outputs[0].spec, total.outputs[0].spec)
    op = KernelOp(PatternBody(pattern, sums_columns=True), specs, f"{FILTER_GRADIENT} {SUM}")
    made = Node(op, [copy.now(v) for v in gradient.inputs], {}, specs, gradient.place)
    copy.new.nodes.append(made)
    copy.moved.update(zip((gradient.outputs[0], total.outputs[0]), made.outputs, strict=True))


def _pairs(graph: Graph) -> list[tuple[Node, Node]]:
    """Gradients and sums of the same value, of which both can be computed where the first of them was."""
    sums: dict[Value, list[tuple[int, Node]]] = {}
    for i, node in enumerate(graph.nodes):
        if node.op.name == SUM and _sums_columns(node):
            sums.setdefault(node.inputs[0], []).append((i, node))
    made = {v: i for i, node in enumerate(graph.nodes) for v in node.outputs}
    pairs = []
    for i, node in enumerate(graph.nodes):
        if node.op.name != FILTER_GRADIENT or not sums.get(node.inputs[1]) or not _can_sum(node):
            continue
        place, total = sums[node.inputs[1]][0]
        if all(made.get(v, -1) < min(i, place) for v in node.inputs):
            pairs.append((node, total))
            sums[node.inputs[1]].pop(0)
    return pairs


def _sums_columns(node: Node) -> bool:
    spec, axis = node.inputs[0].spec, node.params.get("axis")
    if not spec.is_known or axis is None or node.params.keys() - {"axis", "keepdims"}:
        return False
    return sorted(a % len(spec.shape) for a in axis) == list(range(len(spec.shape) - 1))


def _can_sum(node: Node) -> bool:
    """Whether a gradient is computed by a kernel that can give the sums too; one that is a product of matrices cannot."""
    if not all(v.spec.is_known for v in node.inputs):
        return False
    pattern = node.op.lower(*[v.spec for v in node.inputs], **node.params)
    if not isinstance(pattern, Convolve):
        return False
    from gradtape.compiler.backends.convolution import lowering  # loaded with the first convolution

    return lowering.has_filter_gradient(pattern)
