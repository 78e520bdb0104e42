"""Every pass from a traced graph to the numbers that the driver runs, in order.

    passes.PASSES   the traced graph as a smaller one with the same bits (`passes/`)
    FUSION          ops become kernels; kernels take over what is done before and after them
    segment         kernels become launches, in as few native programs as effects allow (`lowering/nodes.py`, `lowering/segments.py`)
    LAUNCHES        the launches of one native program are chained, aliased and given memory

What remains is encoding, by constructors that do nothing else (`lowering/native.py`, `blocks.py`). `GRADTAPE_DEBUG=verify` checks what every pass leaves.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable

from gradtape.compiler import debug, passes
from gradtape.compiler.availability import supports
from gradtape.compiler.bodies.kernel_op import KernelOp
from gradtape.compiler.fusion import epilogue, expansion, pointwise
from gradtape.compiler.graph import Graph, Node
from gradtape.compiler.lowering import chains, nodes, segments
from gradtape.compiler.lowering.native import Native
from gradtape.compiler.lowering.segments import Segment
from gradtape.compiler.memory import arena

LaunchPass = Callable[[Segment], Segment]


def _late(module: str, name: str, useful: Callable[[Iterable[Node]], bool]) -> passes.Pass:
    """A pass of `fusion/` that concerns few programs: its module is loaded by the first graph for which it may be useful."""

    def change(graph: Graph) -> Graph:
        if not useful(graph.nodes):
            return graph
        found: Graph = getattr(importlib.import_module(f"gradtape.compiler.fusion.{module}"), name)(graph)
        return found

    change.__name__ = name
    return change


def _moves(nodes: Iterable[Node]) -> bool:
    """True if ops other than products and reshapes run by themselves; only these can move elements."""
    return any(callable(getattr(n.op, "lower", None)) and n.op.name not in ("matmul", "reshape") for n in nodes)


def _names(*names: str) -> Callable[[Iterable[Node]], bool]:
    return lambda nodes: {node.op.name for node in nodes}.issuperset(names)


def fuse_pointwise(graph: Graph) -> Graph:
    """Groups of elementwise ops and reductions over the same rows as one kernel each."""
    return pointwise.fuse(graph, supports)


FUSION: tuple[passes.Pass, ...] = (
    expansion.expand,  # first: the parts of a mean or a softmax can fuse with their neighbours
    # before grouping: a cast that a product makes unnecessary is in no kernel
    _late("load_through", "load_bfloat16_products", _names("matmul", "cast")),
    # before grouping: the kernel that has the cotangent in the cache adds it up
    _late("bias_gradients", "fuse_bias_gradients", _names("convolution_filter_gradient", "reduce_sum")),
    fuse_pointwise,
    # before epilogues: a product that reads through views is still one that can take an epilogue
    _late("load_through", "load_products_through", _moves),
    epilogue.fuse_epilogues,
    _late(
        "load_through", "load_through", _moves
    ),  # after grouping: whether strided loads pay off depends on the whole group
    _late("store_through", "store_through", _moves),  # after epilogues: the last step decides what is stored
    # after the other, which stores several results of one kernel; this one joins several kernels
    _late("product_stores", "store_products_through", _moves),
)


def chain(segment: Segment) -> Segment:
    """Small launches for the same rows become one launch."""
    return segment._replace(parts=chains.chain(segment.parts, segment.kept, segment.updated))


def alias(segment: Segment) -> Segment:
    """Values that are concatenated are computed in their part of the joined array."""
    if not _moves([part.node for part in segment.parts]):
        return segment
    from gradtape.compiler.memory import concat_aliasing  # loaded with the first of them

    found, pieces = concat_aliasing.alias_concatenations(segment.parts, segment.arrays, segment.updated)
    return segment._replace(parts=found, pieces=pieces)


def lay_out(segment: Segment) -> Segment:
    """Liveness, in-place results, and offsets in the arena."""
    layout = arena.lay_out(segment.parts, segment.arrays, segment.updated, segment.pieces)
    return segment._replace(layout=layout)


LAUNCHES: tuple[LaunchPass, ...] = (
    chain,  # first: values inside of a chain need no place in the arena
    alias,  # before the layout, which gives a piece its place in the whole
    lay_out,
)


# Of blocks, which give arrays to their caller and so have nothing to alias.
BLOCK_FUSION = (*FUSION, _late("store_through", "separate_outputs", lambda nodes: True))
BLOCK_LAUNCHES = (chain, lay_out)


def fuse(graph: Graph) -> Graph:
    """An optimized graph with kernels in place of most ops."""
    return passes.run(FUSION, graph, verify=verify)


def fuse_block(graph: Graph) -> Graph:
    """The same of a loop's body or a branch."""
    return passes.run(BLOCK_FUSION, graph, verify=verify)


def verify(graph: Graph) -> None:
    """AssertionError unless a graph is well formed, and the nests of its kernels fit the arrays that they are bound to."""
    from gradtape.compiler.nest import check, translation  # loaded only to look at kernels

    graph.verify()
    for node in graph.nodes:
        nest = translation.nest_of(node) if type(node.op) is KernelOp else None
        if nest is not None:
            check.verify(nest, [v.spec for v in node.inputs], [v.spec for v in node.outputs])


def plan(segment: Segment) -> Segment:
    """A segment after all passes over launches."""
    return _run(LAUNCHES, segment)


def plan_block(segment: Segment) -> Segment:
    """The same of a loop's body or a branch."""
    return _run(BLOCK_LAUNCHES, segment)


def _run(several: Iterable[LaunchPass], segment: Segment) -> Segment:
    for change in several:
        segment = change(segment)
        if debug.wants("verify"):
            from gradtape.compiler.lowering import segment_check  # loaded only to look at segments

            segment_check.verify(segment)
    return segment


def segment(graph: Graph, look: Callable[[Segment], None] = lambda planned: None) -> Graph:
    """A fused graph with native programs in place of the nodes that have kernels; `look` is called with each of them before it is encoded."""

    def native(found: Segment) -> Native:
        planned = plan(found)
        look(planned)
        return Native(planned, [p.node for p in found.parts])

    return segments.split_at_effects(graph, nodes.lower, native)
