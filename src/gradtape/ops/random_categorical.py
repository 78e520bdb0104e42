"""Classes with given log-odds: the lookup that turns uniform random numbers into random classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import NotDifferentiable, Op, declare
from gradtape.core.shape import Spec, broadcast
from gradtape.ops.family import NO_LOWERING, align


@declare("categorical_quantile")
class CategoricalQuantile(Op):
    """The class at which the cumulated probabilities, proportional to exp(logits), `[..., classes]`, first exceed u.

    u has the shape `[..., count]` and is float64; the leading axes broadcast.
    """

    kinds = "fV"
    homogeneous = False
    validate = True
    lower = NO_LOWERING
    vjp = NotDifferentiable("a class is a whole number")

    def infer(self, logits: Spec, u: Spec, *, dtype: dtypes.DType) -> Spec:
        self.check_dtypes(logits, u)
        if dtype.name not in ("int32", "int64"):
            raise self.error(
                errors.DTypeError, f"dtype must be int32 or int64, got {dtype.name}.", "use tf.int32 or tf.int64."
            )
        lead = broadcast(logits.shape[:-1], u.shape[:-1]) if logits.rank and u.rank else None
        if lead is None or not logits.shape[-1]:
            raise self.error(
                errors.ShapeError,
                f"logits is {logits}, u is {u}: these do not match.",
                "logits need at least one class in the last axis, and leading axes that broadcast with those of u.",
            )
        return Spec((*lead, u.shape[-1]), dtype)

    def kernel(self, logits: Any, u: Any, *, dtype: dtypes.DType) -> Any:
        logits = logits.astype(np.float64)
        mass = np.cumsum(np.exp(logits - np.max(logits, axis=-1, keepdims=True)), axis=-1)
        lead = np.broadcast_shapes(tuple(mass.shape[:-1]), tuple(u.shape[:-1]))
        mass = np.broadcast_to(mass, (*lead, mass.shape[-1]))
        u = np.broadcast_to(u, (*lead, u.shape[-1]))
        total = mass[..., -1:]
        # Rounding must not lift the product to the total, which no class exceeds.
        return _first_above(mass, np.minimum(u * total, np.nextafter(total, 0.0))).astype(dtype.numpy)

    def batch(self, batched: tuple[bool, ...], *inputs: Any, dtype: dtypes.DType) -> Any:
        return self(*align(batched, inputs), dtype=dtype)


def _first_above(rising: Any, wanted: Any) -> Any:
    """For each wanted value the first index of its row, in the last axis, whose element is larger: by bisection."""
    last = rising.shape[-1] - 1
    found = np.zeros_like(wanted, dtype=np.int64)
    step = 1 << last.bit_length() >> 1
    while step:
        tried = np.minimum(found + (step - 1), last)
        passed = (found + step <= last) & (np.take_along_axis(rising, tried, axis=-1) <= wanted)
        found = found + step * passed
        step >>= 1
    return found
