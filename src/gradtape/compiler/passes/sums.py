"""Sums of many products as one product.

The gradient of weights that a program uses again and again, as an unrolled recurrent layer does, is a sum of products
`a0^T b0 + a1^T b1 + ...`: one product of all rows of a with all rows of b, which is computed without the sums in between. Sums of
column sums become one alike. Only the order in which numbers are added changes.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from gradtape.compiler.graph import Copy, Graph, Node, Value
from gradtape.core.op import REGISTRY

_LEAST = 4  # terms
_DEEPEST = 256  # rows of a term; the sums in between are little beside longer ones


class _Kind(NamedTuple):
    """What terms have in common that can be one."""

    name: str
    params: tuple[tuple[str, Any], ...]


def join(graph: Graph) -> Graph:
    """With one node in place of many whose results are added."""
    readers = Counter([v for node in graph.nodes for v in node.inputs] + graph.outputs)
    inner = {v for node in graph.nodes if _is_sum(node) for v in node.inputs if readers[v] == 1 and _is_sum(v.node)}
    copy, is_changed = Copy(graph), False
    for node in graph.nodes:
        if _is_sum(node) and node.outputs[0] not in inner:
            terms = _terms(node, readers)
            made = _join(copy, terms, node.place) if len(terms) >= _LEAST else None
            if made is not None:
                copy.moved[node.outputs[0]] = made
                is_changed = True
                continue
        copy.keep(node)
    return copy.done() if is_changed else graph


def _is_sum(node: Node | None) -> bool:
    """True for an addition of floats of one shape."""
    if node is None or node.op.name != "add":
        return False
    spec = node.outputs[0].spec
    return spec.dtype.is_floating and spec.is_known and all(v.spec == spec for v in node.inputs)


def _terms(node: Node, readers: Counter[Value]) -> list[Value]:
    """What is added up to a value, in order."""
    terms, waiting = [], list(node.inputs[::-1])
    while waiting:
        value = waiting.pop()
        if readers[value] == 1 and _is_sum(value.node):
            waiting.extend(value.node.inputs[::-1])  # type: ignore[union-attr]
        else:
            terms.append(value)
    return terms


def _join(copy: Copy, terms: list[Value], place: Any) -> Value | None:
    """The sum, with those of the terms joined that can be; None if few can."""
    kinds: dict[_Kind, list[Value]] = {}
    others = []
    for term in terms:
        kind = _kind(term)
        if kind is None:
            others.append(term)
        else:
            kinds.setdefault(kind, []).append(term)
    if not any(len(found) >= _LEAST for found in kinds.values()):
        return None
    total: Value | None = None
    for kind, found in kinds.items():
        parts = [_one(copy, kind, found, place)] if len(found) >= _LEAST else [copy.now(v) for v in found]
        for part in parts:
            total = part if total is None else _make(copy, place, "add", total, part)
    for value in others:
        total = _make(copy, place, "add", total, copy.now(value))  # type: ignore[arg-type]
    return total


def _kind(value: Value) -> _Kind | None:
    """What a term is; None if it cannot be joined with others."""
    node = value.node
    if node is None or not all(v.spec.is_known for v in node.inputs):
        return None
    shape = node.inputs[0].spec.shape
    if node.op.name == "matmul":
        flags = [bool(node.params.get(f"transpose_{x}", False)) for x in "ab"]
        is_plain = all(len(v.spec.shape) == 2 and v.spec.dtype is value.spec.dtype for v in node.inputs)
        if is_plain and flags == [True, False] and shape[0] <= _DEEPEST:
            return _Kind("matmul", (("transpose_a", True), ("transpose_b", False)))
    if node.op.name == "reduce_sum" and len(shape) == 2 and node.params == {"axis": (0,), "keepdims": False}:
        return _Kind("reduce_sum", (("axis", (0,)), ("keepdims", False)))
    return None


def _one(copy: Copy, kind: _Kind, terms: list[Value], place: Any) -> Value:
    """One node for several: its operands are theirs, one below the other."""
    columns = zip(*[term.node.inputs for term in terms], strict=True)  # type: ignore[union-attr]
    operands = [_make(copy, place, "concat", *[copy.now(v) for v in column], axis=0) for column in columns]
    return _make(copy, place, kind.name, *operands, **dict(kind.params))


def _make(copy: Copy, place: Any, name: str, *inputs: Value, **params: Any) -> Value:
    op = REGISTRY[name]
    node = Node(op, inputs, params, op.infer(*[v.spec for v in inputs], **params), place)
    copy.new.nodes.append(node)
    return node.outputs[0]
