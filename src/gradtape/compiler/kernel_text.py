"""The kernels of a graph as readable text: nests, with the work, the bytes and the user's lines. Those of loops and branches are indented."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gradtape.compiler import passes, pipeline
from gradtape.compiler.graph import Graph, Node, blocks
from gradtape.compiler.nest.text import lines_of
from gradtape.compiler.nest.translation import nest_of
from gradtape.core.provenance import Site
from gradtape.core.shape import Spec


def describe(graph: Graph) -> str:
    """The kernels of a fused graph, in their order; what runs in NumPy is named in between."""
    return "\n".join([line for node in graph.nodes for line in _lines(node)])


def flops(node: Node) -> int:
    """About how many scalar operations a node takes; 0 where only data moves, and where nothing is known."""
    nest = nest_of(node)
    return 0 if nest is None else nest.work()


def size(node: Node) -> int:
    """The bytes of all arrays that a node reads and writes."""
    return sum(_bytes(value.spec) for value in (*node.inputs, *node.outputs))


def _lines(node: Node) -> Iterator[str]:
    site = Site.of(node.place)
    head = f"{getattr(node.op, 'parts', node.op.name)}  {', '.join(str(v.spec) for v in node.outputs)}"
    nest = nest_of(node)
    work = 0 if nest is None else nest.work()
    yield f"{head:<60}  {work:,} flops, {size(node):,} bytes" + (f"  # {site}" if site else "")
    if nest is not None:
        yield from ("  " + line for line in lines_of(nest))
    for block in blocks(node):
        yield f"  {block.name}:"
        running = block.running() if hasattr(block, "running") else block
        for inner in pipeline.fuse_block(passes.optimize(running)).nodes:
            yield from ("    " + line for line in _lines(inner))


def _bytes(spec: Spec) -> int:
    return spec.dtype.size * math.prod([d or 0 for d in spec.shape])
