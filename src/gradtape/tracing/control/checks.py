"""Conditions that are checked when a program runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors, state
from gradtape.core.op import InstanceOp, NotDifferentiable
from gradtape.core.shape import Spec
from gradtape.ops.family import NO_LOWERING

_current = state.current


class Require(InstanceOp):
    """x, if a condition is true; else an error. It is checked where x is used."""

    name = "require"
    inputs = ("x", "condition")
    kinds = "fVciubO"
    homogeneous = False
    any_size = True
    differentiable = True
    takes_needs = False
    residuals = ()
    lower = NO_LOWERING

    def infer(self, x: Spec, condition: Spec, *, what: str, fix: str) -> Spec:
        return x

    def kernel(self, x: Any, condition: Any, *, what: str, fix: str) -> Any:
        if not np.all(condition):
            raise errors.build(errors.InvalidArgumentError, what, fix)
        return x

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return ()

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> tuple[Any, None]:
        return dy, None

    def batch(self, batched: tuple[bool, ...], x: Any, condition: Any, **params: Any) -> Any:
        from gradtape.tracing.control.vectorize_blocks import spread

        return self(x if batched[0] else spread(x, condition.shape[0]), condition, **params)


class Ensure(InstanceOp):
    """Nothing, if a condition is true; else an error."""

    name = "assert"
    inputs = ("condition",)
    variadic = True
    kinds = "fVciubO"
    homogeneous = False
    any_size = True
    effect = True
    differentiable = False
    takes_needs = False
    residuals = ()
    vjp = NotDifferentiable("it computes nothing")
    lower = NO_LOWERING

    def infer(self, condition: Spec, *shown: Spec, what: str) -> tuple[()]:
        return ()

    def kernel(self, condition: Any, *shown: Any, what: str) -> tuple[()]:
        if not np.all(condition):
            parts = [str(np.asarray(x)) for x in shown if hasattr(x, "dtype")]
            text = f"assertion failed: {' '.join([what, *parts])}".strip()
            raise errors.build(errors.InvalidArgumentError, text, "the condition was false when the function ran.")
        return ()

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        return self(*inputs, **params)


REQUIRE, ENSURE = Require(), Ensure()


def required(x: Any, condition: Any, what: str, fix: str = "") -> Any:
    """x, which fails when the program runs if a condition is false then."""
    return REQUIRE(x, condition, what=what, fix=fix)
