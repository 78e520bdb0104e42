"""Runner: an optimised program of some values of a graph."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from gradtape.compiler import backend, passes
from gradtape.compiler.graph import Graph, Value
from gradtape.compiler.runtime.program import NO_SLOTS, Program
from gradtape.core.variable import Variable


class Runner:
    """An optimised program of some values of a graph, on the arrays of all its parameters and captures.

    Attributes:
      program: what runs.
      seconds: how long it took to make.
    """

    __slots__ = ("_used", "program", "seconds")

    def __init__(self, graph: Graph, outputs: Sequence[Value], native: bool = True) -> None:
        start = time.perf_counter()
        part = Graph(graph.name)
        part.parameters, part.captures = list(graph.parameters), list(graph.captures)
        part.constants, part.nodes, part.outputs = dict(graph.constants), list(graph.nodes), list(outputs)
        optimized = backend.prepare(part) if native else passes.optimize(part)
        position = {v: i for i, v in enumerate([*graph.parameters, *[v for _, v in graph.captures]])}
        self._used = [position[v] for v in (*optimized.parameters, *[v for _, v in optimized.captures])]
        self.program = Program(optimized)
        self.seconds = time.perf_counter() - start

    def run(self, arrays: Sequence[Any], slots: Mapping[int, Variable] = NO_SLOTS) -> tuple[Any, ...]:
        """The values for the arrays of the parameters; the program fetches what it captures."""
        return self.program.run(arrays, slots)

    def __call__(self, arrays: Sequence[Any], slots: Mapping[int, Variable] = NO_SLOTS) -> tuple[Any, ...]:
        """The values for the arrays of the parameters and captures."""
        return self.program([arrays[i] for i in self._used], slots)
