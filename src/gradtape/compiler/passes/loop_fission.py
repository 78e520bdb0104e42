"""Loop fission: the part of a loop that can run for all steps at once is moved out of it."""

from __future__ import annotations

from gradtape.compiler.graph import Copy, Graph


def divide(graph: Graph) -> Graph:
    """With nodes in place of those whose ops say, by `divided`, how they are done otherwise."""
    if not any(hasattr(node.op, "divided") for node in graph.nodes):
        return graph
    copy, is_changed = Copy(graph), False
    for old in graph.nodes:
        node = copy.keep(old)
        found = node.op.divided(node) if hasattr(node.op, "divided") else None
        if found is None:
            continue
        nodes, values, constants = found
        copy.new.nodes[-1:] = nodes
        copy.new.constants |= constants
        copy.moved.update(zip(old.outputs, values, strict=True))
        is_changed = True
    return copy.done() if is_changed else graph
