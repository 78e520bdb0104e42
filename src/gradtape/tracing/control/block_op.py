"""BlockOp: what the ops that run blocks have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradtape.compiler.runtime.program import NO_SLOTS
from gradtape.core.op import InstanceOp
from gradtape.core.variable import Variable
from gradtape.ops.family import NO_LOWERING


class BlockOp(InstanceOp):
    """An op whose parameters are blocks. Tapes keep its operands, and what its results are like."""

    inputs = ("operands",)
    outputs = ()
    variadic = True
    kinds = "fVciubO"
    homogeneous = False
    any_size = True
    differentiable = True
    takes_needs = True
    takes_none = True
    residuals = (("operands", ""), ("results", "like"))
    constant = False  # results on known operands are not computed before the program runs: it might never come here
    lower: Any = NO_LOWERING
    slots: Mapping[int, Variable] = NO_SLOTS

    def bound(self, slots: Mapping[int, Variable]) -> BlockOp:
        """The op in a copy of a function: its blocks use some variables in place of others, by identity."""
        op = type(self)()
        op.slots = self.taking_part(slots)
        return op

    def taking_part(self, slots: Mapping[int, Variable]) -> Mapping[int, Variable]:
        """The variables that take part in a run in place of others, of those that a call names and of this op's own."""
        if not self.slots:
            return slots
        return {**slots, **{i: slots.get(v._id, v) for i, v in self.slots.items()}}

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        """The operands, and the results without their values; in a trace the symbols, which name the trace."""
        return tuple(values), tuple([_likeness(y) for y in result])

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> list[Any]:
        """The cotangents of the operands."""
        raise NotImplementedError


def _likeness(y: Any) -> Any:
    if isinstance(y, (np.ndarray, np.generic)):
        return np.broadcast_to(np.zeros((), y.dtype), y.shape)
    return y
