"""A verifier for nests: every value is made before it is used, dtypes agree, accesses stay in bounds, and stores do not meet."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradtape.compiler.nest.description import REDUCTIONS, SOURCES, Access, Instruction, Nest, axes_of, is_inside
from gradtape.core.shape import Spec


def verify(nest: Nest, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> None:
    """AssertionError unless a nest can be run on arrays like these."""
    for number, instruction in enumerate(nest.instructions):
        place = f"%{number} = {instruction.op}"
        assert all(i < number for i in instruction.operands), f"{place} uses a value before it is made."
        assert instruction.op in SOURCES or instruction.operands, f"{place} has no operands."
        assert instruction.op not in SOURCES or instruction.operands == _lookups(instruction), f"{place} of values."
        assert bool(instruction.axes) <= (instruction.op in REDUCTIONS), f"{place} is no reduction and removes axes."
        assert all(a < len(nest.axes) for a in instruction.axes), f"{place} reduces over an axis that there is not."
        if instruction.access is not None:
            _verify_access(nest, instruction.access, place)
            if instruction.op == "load":
                _verify_array(instruction.access, inputs, place)
                assert inputs[instruction.access.slot].dtype is instruction.dtype, f"{place} of another dtype."
        _verify_types(nest, number, place)
    domains = nest.domains
    for access, value in nest.stores:
        place = f"store of %{value}"
        assert value < len(nest.instructions), f"{place}, which is not made."
        _verify_access(nest, access, place)
        _verify_array(access, outputs, place)
        own = axes_of(access.dims)
        assert domains[value] <= own, f"{place} depends on axes along which it is not stored."
        assert outputs[access.slot].dtype is nest.instructions[value].dtype, f"{place} in another dtype."
        assert _is_injective(nest, access), f"{place} writes an element twice."


def _lookups(instruction: Instruction) -> tuple[int, ...]:
    dims = () if instruction.access is None else instruction.access.dims
    return tuple([dim.lookup for dim in dims if dim.lookup >= 0])


def _verify_access(nest: Nest, access: Access, place: str) -> None:
    assert all(a < len(nest.axes) for a in axes_of(access.dims)), f"{place} has an axis that there is not."
    if access.fill is None:
        assert all(is_inside(dim, nest.axes) for dim in access.dims), f"{place} is out of bounds: {access}."


def _verify_array(access: Access, specs: Sequence[Spec], place: str) -> None:
    assert 0 <= access.slot < len(specs), f"{place} has no array {access.slot}."
    size, own = math.prod([dim.size for dim in access.dims]), math.prod(specs[access.slot].shape)
    assert size == own, f"{place} sees {size} elements of {own}."


def _verify_types(nest: Nest, number: int, place: str) -> None:
    """Operands of scalar operations have one dtype; masks may stand beside them."""
    instruction = nest.instructions[number]
    if instruction.axes or instruction.op in ("cast", "require", *SOURCES):
        return
    operands = instruction.operands[1:] if instruction.op == "select" else instruction.operands
    found = {nest.instructions[i].dtype for i in operands}
    assert len(found) == 1, f"{place} of {', '.join(sorted(d.name for d in found))}."


def _is_injective(nest: Nest, access: Access) -> bool:
    """True if no two iterations write to the same element, as far as strides can tell."""
    strides: dict[int, int] = {}
    unit = 1
    for dim in reversed(access.dims):
        for axis, c in dim.terms:
            strides[axis] = strides.get(axis, 0) + c * unit
        unit *= dim.size
    span = 0
    for axis, stride in sorted(strides.items(), key=lambda item: abs(item[1])):
        if abs(stride) <= span:
            return False
        span += abs(stride) * (nest.axes[axis] - 1)
    return True
