"""stop_gradient: a value without its past."""

from __future__ import annotations

from typing import Any

from gradtape.core.op import NotDifferentiable, Op, declare
from gradtape.core.patterns.movement import Copy, same
from gradtape.core.shape import Spec


@declare("stop_gradient")
class StopGradient(Op):
    """The value as a new tensor, a constant to every tape."""

    kinds = "fVciubO"
    vjp = NotDifferentiable("stop_gradient makes its result a constant, as it was asked to")

    def infer(self, x: Spec) -> Spec:
        return x

    def kernel(self, x: Any) -> Any:
        return x

    def batch(self, batched: tuple[bool, ...], x: Any) -> Any:
        return self(x)

    def scalar(self, cg: Any, x: Any) -> Any:
        return x

    def lower(self, x: Spec) -> Copy:
        return same(x.shape)
