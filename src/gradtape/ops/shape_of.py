"""Shapes as values: what a function asks for when it runs, if sizes are not known while it is traced."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.dims import Dim
from gradtape.core.op import REGISTRY, NotDifferentiable, Op, declare
from gradtape.core.shape import ANY, Spec, TensorShape
from gradtape.ops.family import NO_LOWERING
from gradtape.ops.movement import BroadcastTo


@declare("shape_of")
class ShapeOf(Op):
    """The shape of x as a vector of integers."""

    kinds = "fVciubO"
    infers_unknown = True
    vjp = NotDifferentiable("a shape does not depend on values")
    lower = NO_LOWERING

    validate = True

    def infer(self, x: Spec, *, dtype: dtypes.DType) -> Spec:
        if not dtype.is_integer:
            raise self.error(
                errors.DTypeError, f"dtype must be int32 or int64, got {dtype.name}.", "use tf.int32 or tf.int64."
            )
        return Spec((None if x.shape is ANY else x.rank,), dtype)  # type: ignore[arg-type]

    def kernel(self, x: Any, *, dtype: dtypes.DType) -> Any:
        try:
            return np.array(x.shape, dtype.numpy, like=x if hasattr(x, "__array_function__") else None)
        except OverflowError:
            raise self.error(
                errors.InvalidArgumentError,
                f"sizes of 2^31 and more do not fit in {dtype.name}, got {list(x.shape)}.",
                "use tf.shape(x, out_type=tf.int64).",
            ) from None

    def batch(self, batched: tuple[bool, ...], x: Any, *, dtype: dtypes.DType) -> Any:
        whole = self(x, dtype=dtype)
        each = REGISTRY["strided_slice"](whole, index=((1, x.ndim, 1),))
        return BroadcastTo(each, shape=(x.shape[0], x.ndim - 1))


@declare("ensure_shape")
class EnsureShape(Op):
    """x, which must have a shape; None in `shape` stands for any length."""

    kinds = "fVciubO"
    validate = True
    infers_unknown = True
    lower = NO_LOWERING

    def infer(self, x: Spec, *, shape: tuple[int | None, ...]) -> Spec:
        own: tuple[Any, ...] = (None,) * len(shape) if x.shape is ANY else x.shape
        if len(own) != len(shape) or any(None not in (m, n) and m != n for m, n in zip(own, shape, strict=True)):
            raise self._wrong(x.shape, shape)
        return Spec(tuple([m if n is None else n for m, n in zip(own, shape, strict=True)]), x.dtype)

    def kernel(self, x: Any, *, shape: tuple[int | None, ...]) -> Any:
        if len(x.shape) != len(shape) or any(n not in (m, None) for m, n in zip(x.shape, shape, strict=True)):
            raise self._wrong(x.shape, shape)
        return x

    def _wrong(self, own: Any, shape: Any) -> Exception:
        return self.error(
            errors.ShapeError,
            f"x must have shape {_text(shape)}, got {_text(own)}.",
            "None allows any length.",
        )

    def vjp(self, dy: Any, *, shape: tuple[int | None, ...]) -> Any:
        return (dy,)

    def batch(self, batched: tuple[bool, ...], x: Any, *, shape: tuple[int | None, ...]) -> Any:
        return self(x, shape=(None, *shape))


def _text(shape: Any) -> str:
    """A shape as users see it."""
    if shape is ANY:
        return str(TensorShape(None))
    return str(TensorShape([None if type(d) is Dim else d for d in shape]))
