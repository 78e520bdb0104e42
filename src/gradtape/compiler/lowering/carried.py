"""Carried values of loops that a step changes in place: arrays that are filled, or added to, row by row.

A carried value has two rooms, of which a step reads one and writes the other. That is a copy of the whole array for each row of a
`TensorArray`. Where the kernel that makes the next value can also work over the last one, and nothing reads that afterwards, both are
one room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from gradtape.compiler.graph import Graph, Node, Value
from gradtape.compiler.lowering.segments import Segment
from gradtape.compiler.memory.arena import Part, roots
from gradtape.compiler.runtime.kernels import Lowered
from gradtape.core.op import REGISTRY
from gradtape.core.patterns.indexing import Put
from gradtape.core.shape import Spec


class AddRow:
    """A carried total, with something added to one of its rows."""

    name = "add_row"
    effect = False
    elementwise = False

    def lower(self, total: Spec, index: Spec, row: Spec, *, put: Put) -> Put:
        """What the scatter of the row alone says, from the total on."""
        return put._replace(inputs=(0, 1, 2))


ADD_ROW = AddRow()


def add_rows(graph: Graph, carried: int) -> Graph:
    """A step in which `total + scatter_rows(index, row)`, the derivative of `x[i]`, adds one row to a carried total."""
    uses = Counter([*[v for node in graph.nodes for v in node.inputs], *graph.outputs])
    for number, total in enumerate(graph.parameters[:carried]):
        after = graph.outputs[number]
        new = _addition(total, after, uses) if uses[total] == uses[after] == 1 else None
        if new is not None:
            graph.nodes = [new if after in node.outputs else node for node in graph.nodes]
            graph.outputs[number] = new.outputs[0]
    return graph


def _addition(total: Value, after: Value, uses: Counter[Value]) -> Node | None:
    """The node that makes a carried total by adding one row; None if it is made in another way."""
    node = after.node
    if node is None or node.op is not REGISTRY["add"] or total not in node.inputs:
        return None
    rows = node.inputs[1] if node.inputs[0] is total else node.inputs[0]
    scatter = rows.node
    if scatter is None or scatter.op.name != "scatter_rows" or uses[rows] != 1 or rows.spec != total.spec:
        return None
    put = scatter.op.lower(*[v.spec for v in scatter.inputs], **scatter.params)
    # A sum of several rows would be rounded in another order.
    if put is None or (put.places.batch, put.places.outer, put.places.number) != (1, 1, 1):
        return None
    return Node(ADD_ROW, [total, *scatter.inputs], {"put": put}, after.spec, node.place)


def delay_updates(parts: Sequence[Part], before: Sequence[Value], after: Sequence[Value]) -> list[Part]:
    """Parts in an order in which those that could change a carried value in place come behind all that read it, if that can be."""
    same, found = roots(parts), list(parts)
    for old, new in zip(before, after, strict=True):
        number = _updating(found, old, new, same)
        if number is None:
            continue
        part = found[number]
        last = max([n for n, p in enumerate(found) if _reads(p, old, same)])
        if last > number and not any(
            _reads(p, y, same) for p in found[number + 1 : last + 1] for y in part.node.outputs
        ):
            found.insert(last, found.pop(number))
    return found


def update_in_place(
    segment: Segment, before: Sequence[Value], after: Sequence[Value]
) -> tuple[Segment, frozenset[int]]:
    """A planned segment in which kernels work over carried values, and the numbers of these values.

    Args:
      segment: a step.
      before: the carried values that it gets.
      after: the ones that it gives to the next step.
    """
    parts, same = list(segment.parts), roots(segment.parts)
    found: list[int] = []
    for i, (old, new) in enumerate(zip(before, after, strict=True)):
        number = _updating(parts, old, new, same)
        if number is None or any(_reads(part, old, same) for part in parts[number + 1 :]):
            continue
        node, lowered = parts[number]
        if lowered.update is not None:
            parts[number] = Part(node, Lowered(lowered.update.launches, lowered.scratch))
            found.append(i)
    return segment._replace(parts=parts), frozenset(found)


def _updating(parts: Sequence[Part], old: Value, new: Value, same: Mapping[Value, Value]) -> int | None:
    """The number of the part that can make a new value over an old one; None if there is none."""
    number = next((n for n, part in enumerate(parts) if new in part.node.outputs), None)
    if number is None:
        return None
    node, lowered = parts[number]
    reads = [same.get(v, v) for v in node.inputs]
    is_over = lowered.update is not None and reads[lowered.update.input] is old and reads.count(old) == 1
    return number if is_over else None


def _reads(part: Part, value: Value, same: Mapping[Value, Value]) -> bool:
    return any(same.get(v, v) is value for v in part.node.inputs)
