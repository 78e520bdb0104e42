"""Elementwise ops that choose between values: where, maximum, minimum, clipping."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import NotDifferentiable, Op, Unsupported, cast_hint, declare
from gradtape.core.shape import Spec, broadcast
from gradtape.ops.family import NO_LOWERING, Binary, align, unbroadcast, unbroadcast_to

_ARRAYS = np.ndarray, np.generic


def number(value: Any, like: Any) -> Any:
    """A Python number as a NumPy scalar in the dtype of a tensor or array: an unrecorded constant for rules."""
    dtype = like.dtype
    return (dtype.numpy if isinstance(dtype, dtypes.DType) else dtype).type(value)


def zeros(dy: Any) -> Any:
    """Zeros in place of a cotangent: a derivative that is zero rather than absent."""
    return Keep(dy, np.bool_(False))


@declare("connected")
class Connected(Binary):
    """x, whose derivative with respect to the source is zero rather than absent; the two broadcast together."""

    inputs = ("x", "source")

    def kernel(self, x: Any, source: Any) -> Any:
        return x if x.shape == source.shape else np.broadcast_arrays(x, source)[0]

    def vjp(self, dy: Any, x_shape: Any, source_shape: Any) -> Any:
        return unbroadcast_to(dy, x_shape), unbroadcast_to(zeros(dy), source_shape)

    def scalar(self, cg: Any, x: Any, source: Any) -> Any:
        return cg.select(cg.eq(source, source), x, x)


@declare("where")
class Where(Op):
    """Elements of a where the condition is true, of b where it is false; the three inputs broadcast together."""

    kinds = "fVciubO"
    homogeneous = False
    validate = True
    elementwise = True
    inputs = ("condition", "a", "b")
    kernel = staticmethod(np.where)

    def fits(self, condition: Any, a: Any, b: Any) -> bool:
        return (
            isinstance(condition, np.ndarray)
            and isinstance(a, _ARRAYS)
            and isinstance(b, _ARRAYS)
            and condition.dtype.kind == "b"
            and a.dtype is b.dtype
            and condition.shape == (a.shape or condition.shape) == (b.shape or condition.shape)
        )

    def infer(self, condition: Spec, a: Spec, b: Spec) -> Spec:
        if not condition.dtype.is_bool:
            raise self.error(
                errors.DTypeError,
                f"condition is {condition}, and must be bool.",
                "compare first: tf.where(x != 0, a, b).",
            )
        if a.dtype is not b.dtype:
            raise self.error(
                errors.DTypeError,
                f"dtypes differ: a is {a}, b is {b}.",
                f"tensors are never promoted silently; use {cast_hint('a', a.dtype, 'b', b.dtype)}.",
            )
        shape = broadcast(a.shape, b.shape)
        shape = None if shape is None else broadcast(condition.shape, shape)
        if shape is None:
            raise self.error(
                errors.ShapeError,
                f"shapes do not broadcast: condition is {condition}, a is {a}, b is {b}.",
                "aligned from the right, dimensions must be equal or 1.",
            )
        return Spec(shape, a.dtype)

    def vjp(self, dy: Any, condition: Any, a_shape: Any, b_shape: Any, *, needs: Any) -> Any:
        return (
            None,
            unbroadcast_to(Keep(dy, condition), a_shape) if needs[1] else None,
            unbroadcast_to(Keep(dy, ~condition), b_shape) if needs[2] else None,
        )

    def batch(self, batched: tuple[bool, ...], *inputs: Any) -> Any:
        return self(*align(batched, inputs))

    def scalar(self, cg: Any, condition: Any, a: Any, b: Any) -> Any:
        return cg.select(condition, a, b)


@declare("keep")
class Keep(Binary):
    """x where the mask is true, zero elsewhere: what a selection does to a cotangent."""

    kinds = "fVciub"
    homogeneous = False
    validate = True

    def fits(self, x: Any, mask: Any) -> bool:
        return type(x) is type(mask) is np.ndarray and mask.dtype.kind == "b" and x.shape == mask.shape

    def infer(self, x: Spec, mask: Spec) -> Spec:  # type: ignore[override]
        if not mask.dtype.is_bool:
            raise self.error(errors.DTypeError, f"mask is {mask}, and must be bool.", "compare first.")
        return Spec(self.broadcast_shape(x, mask), x.dtype)

    def kernel(self, x: Any, mask: Any) -> Any:
        # On masks without a pattern `where` takes ten times as long as a product, which is wrong beside inf and nan.
        if x.size >= 1000:
            y = x * mask
            if np.all(np.isfinite(y)):
                return y
        return np.where(mask, x, number(0, x))

    def vjp(self, dy: Any, x_shape: Any, mask: Any) -> Any:
        return unbroadcast_to(Keep(dy, mask), x_shape), None

    def scalar(self, cg: Any, x: Any, mask: Any) -> Any:
        return cg.select(mask, x, cg.constant(0, x))


@declare("where_indices")
class WhereIndices(Op):
    """The indices of the elements that are not zero, one row per element, in row-major order."""

    kinds = "fVciub"
    vjp = NotDifferentiable("indices are integers")
    batch = Unsupported("the number of rows depends on the values")
    lower = NO_LOWERING

    def infer(self, x: Spec) -> Spec:
        self.check_dtypes(x)
        return Spec((None, x.rank), dtypes.int64)  # type: ignore[arg-type]

    def kernel(self, x: Any) -> Any:
        return np.argwhere(x).astype(np.int64)


@declare("maximum")
class Maximum(Binary):
    """The larger of two, elementwise; NaN if one is NaN. Equal elements give their gradient to the first input."""

    kinds = "fViu"
    numpy = (np.maximum,)
    inputs = ("a", "b")
    kernel = staticmethod(np.maximum)

    def vjp(self, dy: Any, a: Any, b: Any, *, needs: Any) -> Any:
        return _split(dy, a >= b, a, b, needs)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.maximum(a, b)


@declare("minimum")
class Minimum(Binary):
    """The smaller of two, elementwise; NaN if one is NaN. Equal elements give their gradient to the first input."""

    kinds = "fViu"
    numpy = (np.minimum,)
    inputs = ("a", "b")
    kernel = staticmethod(np.minimum)

    def vjp(self, dy: Any, a: Any, b: Any, *, needs: Any) -> Any:
        return _split(dy, a <= b, a, b, needs)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.minimum(a, b)


def _split(dy: Any, first: Any, a: Any, b: Any, needs: Any) -> Any:
    """The cotangent to `a` where `first` is true, else to `b`."""
    return (
        unbroadcast(Keep(dy, first), a) if needs[0] else None,
        unbroadcast(Keep(dy, ~first), b) if needs[1] else None,
    )


@declare("clip_by_value")
class ClipByValue(Op):
    """x limited to the range from low to high, which broadcast to its shape. The gradient passes on the limits."""

    kinds = "fViu"
    validate = True
    elementwise = True

    def fits(self, x: Any, low: Any, high: Any) -> bool:
        return (
            isinstance(x, np.ndarray)
            and isinstance(low, _ARRAYS)
            and isinstance(high, _ARRAYS)
            and x.dtype is low.dtype is high.dtype
            and x.shape == (low.shape or x.shape) == (high.shape or x.shape)
        )

    def infer(self, x: Spec, low: Spec, high: Spec) -> Spec:
        dtype = self.check_dtypes(x, low, high)
        for name, limit in (("clip_value_min", low), ("clip_value_max", high)):
            if broadcast(x.shape, limit.shape) != x.shape:
                raise self.error(
                    errors.ShapeError,
                    f"{name} must broadcast to the shape of t: it is {limit}, t is {x}.",
                    "tf.clip_by_value(t, low, high): the tensor comes first, then numbers or tensors that fit its shape.",
                )
        return Spec(x.shape, dtype)

    def kernel(self, x: Any, low: Any, high: Any) -> Any:
        # Not np.clip, which promotes bfloat16.
        return np.maximum(np.minimum(x, high), low)

    def vjp(self, dy: Any, x: Any, low: Any, high: Any, *, needs: Any) -> Any:
        inside = (x >= low) & (x <= high) if needs[0] else None
        # As the composition of minimum and maximum: `low` wins where the limits are crossed, and gets NaN's share.
        above = (x > high) & (high >= low) if needs[2] else None
        below = ~(Minimum(x, high) >= low) if needs[1] else None
        return (
            Keep(dy, inside) if needs[0] else None,
            unbroadcast(Keep(dy, below), low) if needs[1] else None,
            unbroadcast(Keep(dy, above), high) if needs[2] else None,
        )

    def batch(self, batched: tuple[bool, ...], *inputs: Any) -> Any:
        x, low, high = align(batched, inputs)
        return Maximum(Minimum(x, high), low)

    def scalar(self, cg: Any, x: Any, low: Any, high: Any) -> Any:
        return cg.maximum(cg.minimum(x, high), low)
