"""What loops keep of their steps: rows of one shape in an array, of several shapes apart; and the ops that vectorised loops
need for both."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import REGISTRY, InstanceOp
from gradtape.core.shape import ANY, Spec, Steps
from gradtape.ops.family import NO_LOWERING

KEPT = -1  # the number of rows of a result that only the derivative reads


class Apart(np.lib.mixins.NDArrayOperatorsMixin):
    """Rows of different shapes, in place of an array. Only loops read them; cotangents of them are made and added.

    Attributes:
      rows: the rows.
      turned: True if each row is of all examples of a map, and stands for an axis behind that of the examples.
    """

    __slots__ = ("dtype", "rows", "shape", "turned")

    def __init__(self, rows: list[Any], turned: bool = False) -> None:
        self.rows, self.turned, self.dtype = rows, turned, rows[0].dtype
        lead = (rows[0].shape[0], len(rows)) if turned else (len(rows), None)
        is_of_one_rank = len({y.ndim for y in rows}) == 1
        self.shape = (*lead, *[None] * (rows[0].ndim - 1)) if is_of_one_rank else ANY

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: sum(y.size for y in self.rows))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, t: Any) -> Any:
        return self if t == () else self.rows[t]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return self._each(ufunc, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self._each(function, args, kwargs)

    def _each(self, function: Any, inputs: Any, options: Any) -> Apart:
        columns = [x.rows if isinstance(x, Apart) else [x] * len(self) for x in inputs]
        return Apart([function(*row, **options) for row in zip(*columns, strict=True)], self.turned)


class _Layout(InstanceOp):
    """An op on what loops keep, which need not know its shape."""

    inputs = ("x",)
    kinds = "fVciubO"
    any_size = True
    differentiable = True
    takes_needs = False
    residuals = ()
    lower = NO_LOWERING

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        """Nothing."""
        return ()


class Turn(_Layout):
    """x with two neighbouring axes exchanged: rows of all examples, and examples of all rows."""

    name = "turn"

    def infer(self, x: Spec, *, axis: int) -> Spec:
        shape = (*x.shape[:axis], x.shape[axis + 1], x.shape[axis], *x.shape[axis + 2 :])
        return Spec(Steps(shape) if type(x.shape) is Steps else shape, x.dtype)

    def kernel(self, x: Any, *, axis: int) -> Any:
        return Apart(x.rows, not x.turned) if isinstance(x, Apart) else np.swapaxes(x, axis, axis + 1)

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> tuple[Any]:
        """The cotangent, turned back."""
        return (TURN(dy, **params),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, axis: int) -> Any:
        return TURN(x, axis=axis + 1)


class Repeat(_Layout):
    """x once for each example."""

    name = "repeat"

    def infer(self, x: Spec, *, size: int) -> Spec:
        shape = (size, *x.shape)
        return Spec(Steps(shape) if type(x.shape) is Steps else shape, x.dtype)

    def kernel(self, x: Any, *, size: int) -> Any:
        if isinstance(x, Apart):
            return Apart([np.broadcast_to(y, (size, *y.shape)) for y in x.rows], turned=True)
        return np.broadcast_to(x, (size, *x.shape))

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> tuple[Any]:
        """The sum over the examples."""
        return (REGISTRY["reduce_sum"](dy, axis=(0,), keepdims=False),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, size: int) -> Any:
        return TURN(REPEAT(x, size=size), axis=0)


TURN, REPEAT = Turn(), Repeat()
