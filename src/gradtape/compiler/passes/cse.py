"""Common subexpression elimination."""

from __future__ import annotations

from typing import Any

from gradtape.compiler.graph import Copy, Graph, Node, Value, replace


def share(graph: Graph) -> Graph:
    """With equal nodes on equal inputs computed once (common subexpressions)."""
    copy = Copy(graph)
    seen: dict[Any, Node] = {}
    same_constant: dict[Any, Value] = {}
    for value, array in list(copy.new.constants.items()):
        key = _constant_key(array)
        if key is None:
            continue
        first = same_constant.setdefault(key, value)
        if first is not value:
            copy.moved[value] = first
            del copy.new.constants[value]
    for node in graph.nodes:
        key = _key(node, tuple([copy.now(v) for v in node.inputs]))
        first_node = None if key is None else seen.get(key)
        if first_node is not None:
            copy.moved.update(zip(node.outputs, first_node.outputs, strict=True))
            continue
        kept = copy.keep(node)
        if key is not None:
            seen[key] = kept
    return copy.done()


def _constant_key(array: Any) -> Any:
    if getattr(array, "size", 99) > 16 or array.dtype.kind == "O":
        return None
    return array.dtype, array.shape, array.tobytes()


def _key(node: Node, inputs: tuple[Value, ...]) -> Any:
    if node.effect:
        return None
    key = (node.op, inputs, tuple(sorted(node.params.items(), key=lambda item: item[0])))
    try:
        hash(key)
    except TypeError:
        return None
    return key


def unite(graph: Graph) -> Graph:
    """With one node in place of several that do the same for different results: loops, and their runs for derivatives.

    Such ops say by `family` what those nodes have in common, and make the one node by `together`.
    """
    groups: dict[Any, list[Node]] = {}
    for node in graph.nodes:
        if hasattr(node.op, "family"):
            groups.setdefault(node.op.family(node), []).append(node)
    made: dict[Node, list[Node]] = {}
    same: dict[Value, Value] = {}
    for nodes in groups.values():
        if len(nodes) > 1 and not any(n.effect for n in nodes[1:]):
            one, places = nodes[0].op.together(nodes)
            made |= {nodes[0]: [one], **{node: [] for node in nodes[1:]}}
            for old, numbers in zip(nodes, places, strict=True):
                same |= zip(old.outputs, [one.outputs[i] for i in numbers], strict=True)
    return replace(graph, made, same)
