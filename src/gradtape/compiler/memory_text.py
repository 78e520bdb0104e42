"""The memory of a native program as text, for people: where each kernel writes, and which bytes are used again."""

from __future__ import annotations

from gradtape.compiler.graph import Node, Value
from gradtape.compiler.lowering.segments import Segment
from gradtape.compiler.memory.arena import size_of


def describe(segment: Segment) -> str:
    """A line for each value that a program makes, in the order of its kernels."""
    layout = segment.planned
    count = len(segment.parts)
    lines = [f"program of {count} {'kernel' if count == 1 else 'kernels'}, {layout.size:,} bytes between them"]
    for (node, lowered), scratch in zip(segment.parts, layout.scratch, strict=True):
        for value in node.outputs:
            lines.append(f"  {_name(node):<40} {value.spec!s:<18} {_place(segment, value)}")
        lines += [
            f"  {_name(node):<40} {f'{size:,} bytes':<18} arena {place:,}, a temporary"
            for size, place in zip(lowered.scratch, scratch, strict=True)
        ]
    return "\n".join(lines)


def _name(node: Node) -> str:
    name = getattr(node.op, "parts", node.op.name)
    return name if len(name) <= 40 else f"{name[:37]}..."


def _place(segment: Segment, value: Value) -> str:
    layout = segment.planned
    root = layout.roots.get(value, value)
    same = "" if root is value else ", as a view"
    home = layout.homes.get(root)
    if home is None:
        return f"a constant{same}"
    if home.array is None:
        return f"arena {home.offset:,} to {home.offset + size_of(root):,}{same}"
    (owner,) = [v for v, number in segment.arrays.items() if number == home.array]
    kind = "an array that is returned" if owner in segment.kept else "an array that is given"
    if owner in segment.updated:
        kind = "the array of a variable, over its old value"
    return f"{kind}{same}" if not home.offset else f"{kind}, from byte {home.offset:,}{same}"
