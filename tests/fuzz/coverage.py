"""Which ops a program uses, with those of its gradient."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradtape.compiler import backend
from gradtape.compiler.graph import Graph, blocks


@contextmanager
def counting(counts: Counter[str]) -> Iterator[None]:
    """Count the ops of all graphs that are compiled in a block, each once for a graph."""
    before = backend.prepare

    def prepare(graph: Any) -> Any:
        counts.update(set(_names(graph)))
        return before(graph)

    backend.prepare = prepare
    try:
        yield
    finally:
        backend.prepare = before


def _names(graph: Graph) -> Iterator[str]:
    """The ops of a graph, and of the branches and bodies in it."""
    for node in graph.nodes:
        yield node.op.name
        for block in blocks(node):
            yield from _names(block)
