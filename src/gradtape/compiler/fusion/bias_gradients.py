"""Bias gradients: the sums of a cotangent over all places become a part of the convolution's filter gradient.

That kernel reads the cotangent anyway, and has it in the cache.
"""

from __future__ import annotations

from gradtape.compiler.bodies.kernel_op import KernelOp, PatternBody
from gradtape.compiler.graph import Graph, Node, Value, replace
from gradtape.core.patterns.convolution import Convolve

FILTER_GRADIENT, SUM = "convolution_filter_gradient", "reduce_sum"


def fuse_bias_gradients(graph: Graph) -> Graph:
    """The graph with sums over all axes but the last one as parts of the gradients that read the same value."""
    position = {node: i for i, node in enumerate(graph.nodes)}
    sums: dict[Value, list[Node]] = {}
    for node in graph.nodes:
        if node.op.name == SUM and _sums_columns(node):
            sums.setdefault(node.inputs[0], []).append(node)
    made: dict[Node, list[Node]] = {}
    same: dict[Value, Value] = {}
    for node in graph.nodes:
        if node.op.name != FILTER_GRADIENT or not sums.get(node.inputs[1]) or not _can_sum(node):
            continue
        first, last = sorted([node, sums[node.inputs[1]][0]], key=position.__getitem__)
        if all(v.node is None or position[v.node] < position[first] for v in node.inputs):
            total = sums[node.inputs[1]].pop(0)
            both = _add(node, total)
            made |= {first: [both], last: []}
            same |= zip((node.outputs[0], total.outputs[0]), both.outputs, strict=True)
    return replace(graph, made, same)


def _add(gradient: Node, total: Node) -> Node:
    """A gradient that also gives the sums."""
    pattern = gradient.op.lower(*[v.spec for v in gradient.inputs], **gradient.params)
    specs = (gradient.outputs[0].spec, total.outputs[0].spec)
    op = KernelOp(PatternBody(pattern, sums_columns=True), specs, f"{FILTER_GRADIENT} {SUM}")
    return Node(op, gradient.inputs, {}, specs, gradient.place)


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
