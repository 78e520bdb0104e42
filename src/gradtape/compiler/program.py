"""A graph as a program: straight-line Python that calls the kernels, written once per graph.

Values are freed at their last use. This is what runs where no machine code is made, and between the parts that are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from gradtape.compiler.graph import Graph, Node, Value
from gradtape.core import errors, large
from gradtape.core.provenance import Site

NO_SLOTS: Mapping[int, Any] = MappingProxyType({})


class Program:
    """Runs a graph on arrays.

    Attributes:
      graph: what it runs.
      source: the Python text.
    """

    __slots__ = ("_lines", "_run", "graph", "source")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._lines: dict[int, Node] = {}
        self.source, names = _write(graph, self._lines)
        exec(compile(self.source, _FILE, "exec"), names)
        self._run = names["program"]

    def __call__(self, arrays: Sequence[Any], slots: Mapping[int, Any] = NO_SLOTS) -> tuple[Any, ...]:
        """The outputs for the arrays of parameters and captures, in their order; `slots` goes to nodes with effects."""
        try:
            with np.errstate(all="ignore"):
                return self._run(slots, *arrays)  # type: ignore[no-any-return]
        except Exception as problem:
            raise self._explained(problem) from problem.__cause__

    def _explained(self, problem: Exception) -> Exception:
        """The problem with the line of the user's function that it belongs to."""
        trace, node = problem.__traceback__, None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == _FILE:
                node = self._lines.get(trace.tb_lineno)
            trace = trace.tb_next
        site = None if node is None else Site.of(node.place)
        if node is None or site is None:
            return problem
        where = f"Detected at node {node.op.name!r} of {self.graph.name}, {site}"
        if isinstance(problem, errors.OpError):
            return type(problem)(f"Graph execution error:\n\n{where}\n{problem}")
        problem.add_note(where)
        return problem


_FILE = "<gradtape program>"


def _write(graph: Graph, lines: dict[int, Node]) -> tuple[str, dict[str, Any]]:
    """The text of the program, and the names it uses; `lines` gets the node of each line."""
    names: dict[str, Any] = {}
    labels: dict[Value, str] = {}
    for value in graph.sources():
        labels[value] = f"v{len(labels)}"
    for value, array in graph.constants.items():
        names[labels[value]] = array
    arguments = [labels[v] for v in graph.parameters] + [labels[v] for _, v in graph.captures]
    text = [f"def program({', '.join(['slots', *arguments])}):"]
    last = _last_uses(graph)
    for i, node in enumerate(graph.nodes):
        names[f"k{i}"] = _callable(node)
        for value in node.outputs:
            labels[value] = f"v{len(labels)}"
        operands = [labels[v] for v in node.inputs] + ["slots"] * node.effect
        call = f"k{i}({', '.join(operands)})"
        targets = ", ".join(labels[v] for v in node.outputs) + ("," if node.several else "")
        text.append(f"    {targets} = {call}" if node.outputs else f"    {call}")
        lines[len(text)] = node
        dead = sorted(
            {labels[v] for v in (*node.inputs, *node.outputs) if last.get(v, i) == i and v not in graph.constants}
        )
        if dead:
            text[-1] += f"; del {', '.join(dead)}"
    text.append(f"    return ({''.join(labels[v] + ', ' for v in graph.outputs)})")
    return "\n".join(text) + "\n", names


def _last_uses(graph: Graph) -> dict[Value, int]:
    """The index of the last node that reads each value; those that are returned are never dead."""
    last: dict[Value, int] = {}
    for i, node in enumerate(graph.nodes):
        for value in node.inputs:
            last[value] = i
    for value in graph.outputs:
        last[value] = len(graph.nodes)
    return last


def _callable(node: Node) -> Callable[..., Any]:
    """The kernel of a node with its parameters; large elementwise results are shared among threads."""
    op, params = node.op, node.params
    kernel = op.kernel
    if getattr(op, "elementwise", False) and _is_large(node):
        return lambda *arrays: large.apply(op, arrays, params)
    if not params:
        return kernel  # type: ignore[no-any-return]
    return lambda *arrays: kernel(*arrays, **params)


def _is_large(node: Node) -> bool:
    size = 1
    for d in node.outputs[0].spec.shape:
        size *= d or 1
    return size >= large.THRESHOLD
