"""Which ops a program uses, with those of its gradient."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradtape.compiler import backend


@contextmanager
def counting(counts: Counter[str]) -> Iterator[None]:
    """Count the ops of all graphs that are compiled in a block, each once for a graph."""
    before = backend.prepare

    def prepare(graph: Any) -> Any:
        counts.update({name for node in graph.nodes for name in _names(node)})
        return before(graph)

    backend.prepare = prepare
    try:
        yield
    finally:
        backend.prepare = before


def _names(node: Any) -> Iterator[str]:
    yield node.op.name
