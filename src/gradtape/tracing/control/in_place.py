"""The carried arrays that a step may change in place: arrays written row by row, and sums of rows.

`write_row` makes a copy of an array. In a loop that fills an array with one row per step, the array that a step gets is its
own, and dead when it is done: there the row is written in place, and a loop over n rows takes n writes instead of n copies.
The same goes for `total + scatter_rows(...)`, which is what the derivative of `x[i]` in a loop comes to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.compiler.graph import Graph, Node, Value
from gradtape.core.op import REGISTRY
from gradtape.tracing.control.block import Block
from gradtape.tracing.control.tensor_array import WRITE_ROW
from gradtape.tracing.runner import Runner


class InPlace:
    """A kernel that changes its first operand, as an op of a program."""

    lower = None
    elementwise = False

    def __init__(self, name: str, kernel: Any) -> None:
        self.name, self.kernel = name, kernel

    def __repr__(self) -> str:
        return f"<op {self.name}>"


def _add_rows(total: Any, indices: Any, values: Any, **params: Any) -> Any:
    """`total + scatter_rows(indices, values)`, over total."""
    if np.ndim(indices) and np.size(indices) > 1:
        np.add.at(total, indices, values)
    elif np.size(indices):
        i = int(np.reshape(indices, ())[()])
        total[i] += np.reshape(values, total.shape[1:])
    return total


WRITE, ADD_ROWS = InPlace("write_row in place", WRITE_ROW.in_place), InPlace("add_rows in place", _add_rows)


def prepared(body: Block, carried: int) -> tuple[Any, frozenset[int]]:
    """The program of a body, and the carried arrays that it changes in place."""
    key = ("in place", carried)
    if key not in body.derived:
        graph, own = _rewritten(body, carried)
        body.derived[key] = (body.runner if not own else Runner(graph, graph.outputs)), frozenset(own)
    result: tuple[Any, frozenset[int]] = body.derived[key]
    return result


def _rewritten(body: Block, carried: int) -> tuple[Graph, list[int]]:
    uses: dict[Value, list[int]] = {}
    for n, node in enumerate(body.nodes):
        for value in node.inputs:
            uses.setdefault(value, []).append(n)
    graph, own = body.running(), []
    for j in range(carried):
        new = _in_place(body, j, uses)
        if new is not None:
            old: Any = body.outputs[j].node
            graph.nodes[graph.nodes.index(old)] = new
            graph.outputs = [new.outputs[0] if v is body.outputs[j] else v for v in graph.outputs]
            own.append(j)
    return graph, own


def _in_place(body: Block, j: int, uses: dict[Value, list[int]]) -> Node | None:
    """The node that makes carried value j from the one before, as one that writes over it; None if that would be seen."""
    before, after = body.parameters[j], body.outputs[j]
    node = after.node
    if node is None or None in before.spec.shape or not before.spec.shape or before.spec.dtype.kind == "O":
        return None
    if body.outputs.count(after) > 1 or before in body.outputs or uses.get(after):
        return None
    number = body.nodes.index(node)
    if any(n > number for n in uses.get(before, ())):
        return None
    if node.op is WRITE_ROW and node.inputs[0] is before and node.inputs.count(before) == 1:
        return Node(WRITE, node.inputs, node.params, after.spec, node.place)
    if node.op is not REGISTRY["add"] or before not in node.inputs or len(set(node.inputs)) < 2:
        return None
    rows = next(v for v in node.inputs if v is not before)
    made = rows.node
    if made is None or made.op is not REGISTRY["scatter_rows"] or uses[rows] != [number] or rows in body.outputs:
        return None
    if made.params.get("axis") or made.params.get("batch_dims") or rows.spec.shape != before.spec.shape:
        return None
    return Node(ADD_ROWS, (before, *made.inputs), {}, after.spec, node.place)
