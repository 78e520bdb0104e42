"""Stages: loops over rows one after the other, with arrays in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gradtape.compiler.backends.rows.lower import lower
from gradtape.compiler.bodies.rows import RowLoop
from gradtape.compiler.runtime.kernels import Launch, Lowered, Operand


class Stage(NamedTuple):
    """A loop over rows, and what it reads and writes: operands of the whole."""

    loop: RowLoop
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]


def chain_stages(stages: Sequence[Stage], between: Sequence[int]) -> Lowered:
    """Stages as one.

    Args:
      stages: in their order.
      between: bytes of the arrays in between, which are operands of kind scratch.
    """
    launches: list[Launch] = []
    scratch = list(between)
    for stage in stages:
        part = lower(stage.loop)
        first = len(scratch)
        scratch += part.scratch
        for kernel, operands in part.launches:
            launches.append(Launch(kernel, tuple([_move(o, stage, first) for o in operands])))
    return Lowered(tuple(launches), tuple(scratch))


def _move(operand: Operand, stage: Stage, first: int) -> Operand:
    """An operand of a stage as one of the whole."""
    if operand.kind == "input":
        found = stage.inputs[operand.number]
    elif operand.kind == "output":
        found = stage.outputs[operand.number]
    elif operand.kind == "scratch":
        found = Operand("scratch", first + operand.number)
    else:
        return operand
    return found._replace(offset=found.offset + operand.offset)
