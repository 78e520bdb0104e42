"""One node in place of several that run the same blocks on the same operands for different results.

Derivatives ask for more results of a loop or branch than its first node has (control_gradient.py): where both nodes are in
one program, one run gives all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.compiler.graph import Node, Value
from gradtape.tracing.control.block import Block

Together = tuple[Node, list[list[int]]]  # the node, and for each old one where its outputs are now


def branch_family(node: Node) -> Any:
    """What branches have in common that can be one."""
    blocks: tuple[Block, ...] = node.params["branches"]
    return node.inputs, tuple([(b.trace, tuple(b.parameters)) for b in blocks])


def branches_together(nodes: Sequence[Node]) -> Together:
    """One branch for all."""
    found: dict[tuple[Value, ...], int] = {}
    ids: list[tuple[int, ...]] = []
    places = []
    for node in nodes:
        blocks = node.params["branches"]
        columns = list(zip(*[b.outputs for b in blocks], strict=True))
        for column, identities in zip(columns, zip(*[b.results for b in blocks], strict=True), strict=True):
            if column not in found:
                found[column] = len(found)
                ids.append(identities)
        places.append([found[column] for column in columns])
    first = nodes[0]
    made = tuple(
        [
            Block(b.trace, b.parameters, [(column[i], own[i]) for column, own in zip(found, ids, strict=True)])
            for i, b in enumerate(first.params["branches"])
        ]
    )
    params = {"branches": made}
    return Node(
        first.op, first.inputs, params, first.op.infer(*[v.spec for v in first.inputs], **params), first.place
    ), places


def loop_family(node: Node) -> Any:
    """What loops have in common that can be one."""
    params = node.params
    body: Block = params["body"]
    own = body.own()
    pairs = frozenset([(p, v) for p, v in zip(body.parameters, node.inputs[1:], strict=True) if p in own])
    return node.inputs[0], body.trace, params["cond"], params["reverse"], params["length"], params["states"], pairs


def loops_together(nodes: Sequence[Node]) -> Together:
    """One loop for all."""
    first = nodes[0]
    body: Block = first.params["body"]
    own = body.own()
    carried: dict[Any, tuple[Value, Value, int, Value]] = {}  # parameter, result, its identity, operand
    stacked: dict[Value, tuple[int, Any]] = {}  # identity, number of rows
    for node in nodes:
        block, count = node.params["body"], node.params["carried"]
        for i, (result, identity) in enumerate(block.returns()):
            if i < count:
                parameter = block.parameters[i]
                key = parameter if parameter in own else ("kept", result)
                carried.setdefault(key, (parameter, result, identity, node.inputs[1 + i]))
            else:
                stacked.setdefault(result, (identity, node.params["lengths"][i - count]))
    count = first.params["carried"]
    rest = body.parameters[count:]
    parts = sorted(carried.items(), key=lambda item: item[0] not in own)  # those of the condition first
    made = Block(
        body.trace,
        [*[p for _, (p, _, _, _) in parts], *rest],
        [*[(y, i) for _, (_, y, i, _) in parts], *[(y, i) for y, (i, _) in stacked.items()]],
    )
    lengths = tuple([length for _, length in stacked.values()])
    params = {**first.params, "body": made, "carried": len(parts), "lengths": lengths}
    inputs = (first.inputs[0], *[v for _, (_, _, _, v) in parts], *first.inputs[1 + count :])
    node = Node(first.op, inputs, params, first.op.infer(*[v.spec for v in inputs], **params), first.place)
    keys = {key: 1 + n for n, (key, _) in enumerate(parts)}
    rows = {value: 1 + len(parts) + n for n, value in enumerate(stacked)}
    return node, [_places(old, own, keys, rows) for old in nodes]


def _places(node: Node, own: set[Value], carried: dict[Any, int], stacked: dict[Value, int]) -> list[int]:
    block, count = node.params["body"], node.params["carried"]
    places = [0]
    for i, value in enumerate(block.outputs):
        if i >= count:
            places.append(stacked[value])
        else:
            parameter = block.parameters[i]
            places.append(carried[parameter if parameter in own else ("kept", value)])
    return places
