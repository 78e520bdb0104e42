"""Expansion: ops in terms of simpler ones, by their `expand` rules, so that their parts can be put into loops.

    def expand(self, build, x, *, axis, keepdims=False):
        total = build("reduce_sum", x, axis=axis, keepdims=keepdims)
        return build("divide", total, build.number(count(x.spec.shape, axis), total))

A rule gets values of the graph and returns one, or one for each result; it returns None where the op is to stay as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.compiler.fusion.classify import JOINS, reduction
from gradtape.compiler.graph import Copy, Graph, Node, Value
from gradtape.compiler.passes.dead_code import drop_dead
from gradtape.core import dtypes
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec


class Builder:
    """Adds nodes to a graph, in place of another one."""

    def __init__(self, graph: Graph, place: Any) -> None:
        self._graph, self._place = graph, place

    def __call__(self, name: str, *values: Value, **params: Any) -> Value:
        """The result of an op."""
        if name in JOINS and (found := _in_turn(self, name, values[0], **params)) is not None:
            return found
        op = REGISTRY[name]
        node = Node(op, values, params, op.infer(*[v.spec for v in values], **params), self._place)
        self._graph.nodes.append(node)
        return node.outputs[0]

    def number(self, number: Any, like: Value) -> Value:
        """A constant in the dtype of another value."""
        value = Value(Spec((), like.spec.dtype))
        self._graph.constants[value] = np.asarray(number, like.spec.dtype.numpy)
        return value

    def constant(self, array: Any, dtype: Any) -> Value:
        """A constant array."""
        value = Value(Spec(array.shape, dtype))
        self._graph.constants[value] = np.asarray(array, dtype.numpy)
        return value

    def is_zero(self, x: Value) -> bool:
        """Whether a value is a constant of zeros."""
        known = self._graph.constants.get(x)
        return known is not None and not np.any(known)

    def cast(self, x: Value, dtype: Any) -> Value:
        """A value in another dtype."""
        return x if x.spec.dtype is dtype else self("cast", x, dtype=dtype)


def expand(graph: Graph) -> Graph:
    """The graph with ops that have a rule for it in terms of simpler ones."""
    known: dict[Any, bool] = {}
    copy, has_several = Copy(graph), False
    for node in graph.nodes:
        if node.op not in known:
            known[node.op] = node.op.name in JOINS or hasattr(node.op, "expand")
        found = _parts(node, copy) if known[node.op] else None
        if found is None:
            copy.keep(node)
        else:
            has_several |= isinstance(found, tuple)
            copy.moved.update(zip(node.outputs, found if isinstance(found, tuple) else (found,), strict=True))
    # Of several results some may not be used.
    return drop_dead(copy.done()) if has_several else copy.done()


def _parts(node: Node, copy: Copy) -> Value | tuple[Value, ...] | None:
    op = node.op
    if any(not v.spec.is_known for v in (*node.inputs, *node.outputs)):
        return None
    build, values = Builder(copy.new, node.place), [copy.now(v) for v in node.inputs]
    if op.name in JOINS:
        return _in_turn(build, op.name, values[0], **node.params)
    found: Value | tuple[Value, ...] | None = op.expand(build, *values, **node.params)
    return found


def _in_turn(build: Builder, name: str, x: Value, *, axis: tuple[int, ...], keepdims: bool = False) -> Value | None:
    """A reduction of axes that are not next to each other, the last ones first; None if they are."""
    shape, dtype = x.spec.shape, x.spec.dtype
    own = [a for a in axis if shape[a] != 1]
    if dtype.kind not in "fViub" or (own and reduction(shape, axis) is not None):
        return None
    if not own:
        kept = [1 if i in axis else d for i, d in enumerate(shape) if keepdims or i not in axis]
        return build("reshape", x, shape=tuple(kept))
    last = [own.pop()]
    while own and all(shape[a] == 1 for a in range(own[-1] + 1, last[0])):
        last.insert(0, own.pop())
    if dtype.name in ("float16", "bfloat16") and name in ("reduce_sum", "reduce_prod"):
        x = build.cast(x, dtypes.float32)
    first = build(name, x, axis=tuple(last), keepdims=True)
    return build.cast(build(name, first, axis=axis, keepdims=keepdims), dtype)
