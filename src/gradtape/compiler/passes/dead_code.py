"""Dead-code elimination: nodes whose results are never read, and assignments that are overwritten."""

from __future__ import annotations

from gradtape.compiler.effects import ASSIGN
from gradtape.compiler.graph import Copy, Graph


def drop_dead(graph: Graph) -> Graph:
    """The graph without nodes that have no effect and whose outputs are never read."""
    copy = Copy(graph)
    wanted = set(graph.outputs)
    kept = []
    for node in reversed(graph.nodes):
        if node.effect or any(v in wanted for v in node.outputs):
            wanted.update(node.inputs)
            kept.append(node)
    copy.new.nodes = kept[::-1]
    copy.new.constants = {v: array for v, array in graph.constants.items() if v in wanted}
    return copy.done()


def drop_overwritten(graph: Graph) -> Graph:
    """Without assignments to variables that are assigned again before anything but assignments could see them.

    Reads do not count: the trace knows the value that a variable has at each point, so nodes read values.
    """
    copy = Copy(graph)
    kept = []
    assigned_later: set[int] = set()
    for node in reversed(graph.nodes):
        if node.op is ASSIGN:
            variable = id(node.params["variable"])
            if variable in assigned_later:
                continue
            assigned_later.add(variable)
        elif node.effect:
            assigned_later.clear()
        kept.append(node)
    copy.new.nodes = kept[::-1]
    return copy.done()
