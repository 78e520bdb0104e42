"""Concatenation in place: values that are concatenated are computed in their part of the result.

The results of the steps of an unrolled loop are concatenated, or stacked, for one product over all steps. A value that is a contiguous
piece of the concatenation gets its memory there, so that nothing is left to copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradtape.compiler.fusion.store_through import concatenated_views
from gradtape.compiler.graph import Value
from gradtape.compiler.memory.arena import Part, PieceHome, roots, size_of
from gradtape.compiler.runtime.kernels import Launch
from gradtape.core.patterns.movement import is_contiguous


def alias_concatenations(
    parts: Sequence[Part], arrays: Mapping[Value, int], updated: Mapping[Value, Value]
) -> tuple[list[Part], dict[Value, PieceHome]]:
    """The parts of a program, with concatenations that copy only values which have memory elsewhere, and the values that are computed in place.

    Args:
      parts: what runs.
      arrays: values whose memory a run is given.
      updated: values that may be written over an input, and so must not be begun before they are complete.
    """
    same = roots(parts)
    own = {v for part in parts for v in part.node.outputs if v not in same and v not in arrays}
    # Values over which something is written later: another array must not hold them.
    own -= {same[part.node.outputs[k]] for part in parts if part.lowered.launches for k, _ in part.lowered.views}
    pieces: dict[Value, PieceHome] = {}
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


def _pieces(part: Part, same: Mapping[Value, Value]) -> dict[Value, tuple[PieceHome, Launch]]:
    """The values that a part concatenates, each with its place and the launch that copies it; empty if the part does anything else."""
    node, lowered = part
    launches, scratch, views = lowered.launches, lowered.scratch, lowered.views
    if len(node.inputs) < 2 or len(launches) != len(node.inputs) or scratch or views:
        return {}
    targets = concatenated_views(node)
    if targets is None or not all(is_contiguous(view._replace(offset=0)) for view in targets):
        return {}
    whole, found = node.outputs[0], dict[Value, tuple[PieceHome, Launch]]()
    for launch in launches:
        numbers = [operand.number for operand in launch.operands if operand.kind == "input"]
        if len(numbers) != 1:
            return {}
        value = node.inputs[numbers[0]]
        root = same.get(value, value)
        if size_of(root) == size_of(value):
            found[root] = PieceHome(whole, targets[numbers[0]].offset * whole.spec.dtype.size), launch
    return found if len(found) == len(node.inputs) else {}
