"""A check of a value that must have the shape of another one, which may be known only when the program runs."""

from __future__ import annotations

from typing import Any

from gradtape.core import errors
from gradtape.core.op import InstanceOp
from gradtape.core.shape import Spec
from gradtape.ops.family import NO_LOWERING, by_loop


class OfShape(InstanceOp):
    """x, if it has the shape of another tensor; else an error."""

    name = "of_shape"
    inputs = ("x", "like")
    kinds = "fVciubO"
    homogeneous = False
    any_size = True
    differentiable = True
    takes_needs = False
    residuals = ()
    lower = NO_LOWERING

    def infer(self, x: Spec, like: Spec, *, who: str, name: str, fix: str) -> Spec:
        if x.is_known and like.is_known:
            self._check(x.shape, like.shape, who, name, fix)
        return x if x.is_known else Spec(like.shape, x.dtype)

    def kernel(self, x: Any, like: Any, *, who: str, name: str, fix: str) -> Any:
        self._check(x.shape, like.shape, who, name, fix)
        return x

    @staticmethod
    def _check(own: Any, wanted: Any, who: str, name: str, fix: str) -> None:
        if own != wanted:
            raise errors.build(
                errors.ShapeError,
                f"{who}: the delta must have the shape of variable {name!r}, {list(wanted)}, got {list(own)}.",
                fix,
            )

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return ()

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> tuple[Any, None]:
        return dy, None

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        return by_loop(self, batched, inputs, params)


OF_SHAPE = OfShape()
