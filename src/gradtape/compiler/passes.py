"""The passes over a graph, in their order. Each takes a graph and gives a new one; nodes are never changed in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.compiler.graph import Graph, Node, Value
from gradtape.core.tensor import Tensor

Pass = Callable[[Graph], Graph]


def optimize(graph: Graph, check: bool = False) -> Graph:
    """The graph after all passes; with `check`, verified after each."""
    for run in PASSES:
        graph = run(graph)
        if check:
            graph.verify()
    return graph


class _Copy:
    """A graph under construction, and where the values of the old one went."""

    def __init__(self, old: Graph) -> None:
        self.old, self.new = old, Graph(old.name)
        self.moved: dict[Value, Value] = {}
        self.new.parameters = list(old.parameters)
        self.new.captures = list(old.captures)
        self.new.constants = dict(old.constants)

    def now(self, value: Value) -> Value:
        """The new value of an old one."""
        return self.moved.get(value, value)

    def keep(self, node: Node) -> Node:
        """A node in the new graph; a new one if its inputs moved."""
        inputs = tuple([self.now(v) for v in node.inputs])
        if inputs == node.inputs:
            self.new.nodes.append(node)
            return node
        copied = node.on(inputs)
        self.moved.update(zip(node.outputs, copied.outputs, strict=True))
        self.new.nodes.append(copied)
        return copied

    def done(self) -> Graph:
        """The new graph."""
        self.new.outputs = [self.now(v) for v in self.old.outputs]
        return self.new


def bake(graph: Graph) -> Graph:
    """Tensors that the function closes over never change: they become constants."""
    copy = _Copy(graph)
    copy.new.captures = []
    for source, value in graph.captures:
        if type(source) is Tensor:
            copy.new.constants[value] = source._array
        else:
            copy.new.captures.append((source, value))
    for node in graph.nodes:
        copy.keep(node)
    return copy.done()


def drop_dead(graph: Graph) -> Graph:
    """Without nodes that have no effect and whose outputs nobody reads."""
    copy = _Copy(graph)
    wanted = set(graph.outputs)
    kept = []
    for node in reversed(graph.nodes):
        if node.effect or any(v in wanted for v in node.outputs):
            wanted.update(node.inputs)
            kept.append(node)
    copy.new.nodes = kept[::-1]
    copy.new.constants = {v: array for v, array in graph.constants.items() if v in wanted}
    return copy.done()


_FOLDED = 1 << 14  # results up to this many elements are computed when the function is compiled


def fold(graph: Graph) -> Graph:
    """With the results of ops on constants computed once."""
    copy = _Copy(graph)
    constants = copy.new.constants
    for node in graph.nodes:
        inputs = [copy.now(v) for v in node.inputs]
        if node.effect or not inputs or not all(v in constants for v in inputs) or not _is_small(node):
            copy.keep(node)
            continue
        try:
            with np.errstate(all="ignore"):
                result = node.op.kernel(*[constants[v] for v in inputs], **node.params)
        except Exception:
            copy.keep(node)  # it fails when the function runs, and names the line
            continue
        for old, array in zip(node.outputs, result if node.several else (result,), strict=True):
            new = copy.moved[old] = Value(old.spec)
            constants[new] = array
    return copy.done()


def _is_small(node: Node) -> bool:
    for value in node.outputs:
        size = 1
        for d in value.spec.shape:
            if d is None:
                return False
            size *= d
        if size > _FOLDED:
            return False
    return True


def share(graph: Graph) -> Graph:
    """With equal nodes on equal inputs computed once (common subexpressions)."""
    copy = _Copy(graph)
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


PASSES: tuple[Pass, ...] = (
    bake,  # first: it is what makes operands known
    fold,  # before sharing, so that equal results of constants are found equal
    share,
    drop_dead,  # last: it removes what the others made useless
)
