"""Joints: values that are joined lie side by side from the beginning.

What the steps of an unrolled loop give is joined for one product over all steps. Where each value is a piece of the joined array
without gaps, it is computed right there: the joint, a concatenation for instance, has nothing to copy any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradtape.compiler.fusion.store_through import joined_views
from gradtape.compiler.graph import Value
from gradtape.compiler.memory.arena import Part, Piece, roots, size_of
from gradtape.compiler.runtime.kernels import Launch
from gradtape.core.patterns.movement import is_contiguous


def joined(
    parts: Sequence[Part], arrays: Mapping[Value, int], updated: Mapping[Value, Value]
) -> tuple[list[Part], dict[Value, Piece]]:
    """Parts of a program, of which joints copy only what has another place, and the values that are computed in theirs.

    Args:
      parts: what runs.
      arrays: values whose memory a run is given.
      updated: values that may be written over an input, and so must not be begun before they are complete.
    """
    same = roots(parts)
    own = {v for part in parts for v in part.node.outputs if v not in same and v not in arrays}
    # Values over which something is written later: another array must not hold them.
    own -= {same[part.node.outputs[k]] for part in parts if part.lowered.launches for k, _ in part.lowered.views}
    pieces: dict[Value, Piece] = {}
    result: list[Part] = []
    for part in parts:
        found = {} if part.node.outputs[:1] and part.node.outputs[0] in updated else _pieces(part, same)
        placed = {value: piece for value, (piece, _) in found.items() if value in own}
        if placed:
            pieces |= placed
            own -= {*placed, part.node.outputs[0]}  # a value has one place, and what has pieces is none itself
            copied = tuple([launch for value, (_, launch) in found.items() if value not in placed])
            part = Part(part.node, part.lowered._replace(launches=copied))
        result.append(part)
    return result, pieces


def _pieces(part: Part, same: Mapping[Value, Value]) -> dict[Value, tuple[Piece, Launch]]:
    """The pieces of what a part joins, each with the launch that copies it; empty if it does anything else."""
    node, (launches, scratch, _, views, _) = part
    if len(node.inputs) < 2 or len(launches) != len(node.inputs) or scratch or views:
        return {}
    targets = joined_views(node)
    if targets is None or not all(is_contiguous(view._replace(offset=0)) for view in targets):
        return {}
    whole, found = node.outputs[0], dict[Value, tuple[Piece, Launch]]()
    for launch in launches:
        numbers = [operand.number for operand in launch.operands if operand.kind == "input"]
        if len(numbers) != 1:
            return {}
        value = node.inputs[numbers[0]]
        root = same.get(value, value)
        if size_of(root) == size_of(value):
            found[root] = Piece(whole, targets[numbers[0]].offset * whole.spec.dtype.size), launch
    return found if len(found) == len(node.inputs) else {}
