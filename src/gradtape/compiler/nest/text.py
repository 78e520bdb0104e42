"""Nests as text.

product i:4 j:2 k:3*                    axes and their sizes; * marks those that are reduced over
  %0 = load in0[i, k]                   f32
  %1 = load in1[k, j]                   f32
  %2 = mul %0 %1                        f32
  %3 = sum k %2                         f32
  store out0[i, j] = %3
"""

from __future__ import annotations

from collections.abc import Iterator

from gradtape.compiler.nest.description import Access, Dim, Instruction, Nest, kind

_WIDTH = 56


def lines_of(nest: Nest) -> Iterator[str]:
    """A nest, line by line."""
    names = [_name(a) for a in range(len(nest.axes))]
    reduced = nest.reduced
    axes = "".join(f" {names[a]}:{size}{'*' if a in reduced else ''}" for a, size in enumerate(nest.axes))
    yield kind(nest) + axes
    for number, instruction in enumerate(nest.instructions):
        text = f"  %{number} = {_instruction(instruction, names)}"
        yield f"{text:<{_WIDTH}} {instruction.dtype.name}"
    for access, value in nest.stores:
        yield f"  store {_access(access, names, 'out')} = %{value}"


def text_of(nest: Nest) -> str:
    """A nest as text."""
    return "\n".join(lines_of(nest))


def _name(axis: int) -> str:
    """i, j, ... z, then i1, j1 and so on."""
    letters = "ijklmnopqrstuvwxyz"
    return letters[axis % len(letters)] + (str(axis // len(letters)) if axis >= len(letters) else "")


def _instruction(instruction: Instruction, names: list[str]) -> str:
    op, _, operands, access, axes, extra = instruction
    if access is not None:
        fill = f" else {access.fill}" if access.fill else ""
        return f"{op} {_access(access, names, 'in')}{fill}"
    return " ".join([op, *[names[a] for a in axes], *[f"%{i}" for i in operands], *([extra] if extra else [])])


def _access(access: Access, names: list[str], side: str) -> str:
    array = "" if access.slot < 0 else f"{side}{access.slot}"
    return f"{array}[{', '.join(_dim(dim, names) for dim in access.dims)}]"


def _dim(dim: Dim, names: list[str]) -> str:
    if dim.lookup >= 0:
        return f"%{dim.lookup}"
    text = ""
    for axis, c in sorted(dim.terms, key=lambda term: -term[1]):
        sign = "-" if c < 0 else "+" if text else ""
        text += sign + (f"{abs(c)}*" if abs(c) != 1 else "") + names[axis]
    if dim.offset or not text:
        text += f"{dim.offset:+}" if text else str(dim.offset)
    return text if dim.step == 1 else f"({text})/{dim.step}"
