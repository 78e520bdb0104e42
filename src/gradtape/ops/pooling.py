"""Pooling: maxima and means of windows. Windows have a size along every axis, 1 for those that they do not move over.

The derivative of a maximum goes to the first tap of the window that sees it. Its number, `winner`, is a constant; what
the winner sees (`pool_pick`), and the way back (`pool_place`), are linear and each the transpose of the other. So are
the mean and its gradient. Any order of derivatives closes with these.
"""

from __future__ import annotations

from typing import Any

from gradtape.core import dtypes, errors
from gradtape.core.dims import is_symbolic
from gradtape.core.op import NotDifferentiable, Op, declare
from gradtape.core.patterns.pooling import Pool, WinnerPositions
from gradtape.core.shape import Spec
from gradtape.ops import hot_kernels, pooling_kernels
from gradtape.ops.family import dims
from gradtape.ops.indexing import spread
from gradtape.ops.row_positions import check_integers, check_kind
from gradtape.ops.selection import Connected
from gradtape.ops.windows import Pairs, Sizes, axis_taps, scan


class Pooling(Op):
    """Windows over the axes of a tensor."""

    kinds = "fV"
    validate = True
    computes = ""

    def places(self, size: Sizes, window: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes) -> Sizes:
        """How often the window fits; ShapeError if it does not fit at all, or somewhere sees only padding."""
        if len(window) != len(size) or not size:
            raise self.error(
                errors.ShapeError,
                f"the window must have a size for every axis of the input, got {list(window)} for shape {list(size)}.",
                "use 1 for the axes that the window does not move over.",
            )
        way = scan(size, window, strides, padding, dilations)
        if min(way.out, default=1) < 0 or 0 in window:
            raise self.error(
                errors.ShapeError,
                f"a window of {list(window)} with dilations {list(dilations)} does not fit into an input of shape "
                f"{list(size)} with padding {list(map(list, padding))}.",
                "use a smaller window, or padding='SAME'.",
            )
        for axis, (n, (low, high)) in enumerate(zip(size, padding, strict=True)):
            if is_symbolic((n, low, high, way.out[axis])) or not (low or high):
                continue  # once sizes are known, it is asked again
            taps = axis_taps(n, *[field[axis] for field in way])
            if not _all_seen(taps, way.out[axis]):
                raise self.error(
                    errors.ShapeError,
                    f"padding of {[low, high]} on axis {axis} lets a window of {window[axis]} see nothing else.",
                    "use less padding than the length of the window.",
                )
        return way.out

    def batch(self, batched: tuple[bool, ...], x: Any, **params: Any) -> Any:
        return self(x, **wider(params, dims(x)[0]))

    def lower(self, x: Spec, *others: Spec, **params: Any) -> Any:
        return self.pattern(x.dtype, params.pop("size", x.shape), others[0].dtype if others else None, **params)

    def pattern(
        self, dtype: dtypes.DType, size: Sizes, winner: dtypes.DType | None, *, window: Sizes, strides: Sizes,
        padding: Pairs, dilations: Sizes,
    ) -> Pool | None:  # fmt: skip
        """The pattern for an input of a size; None for dtypes that have no vectors."""
        if dtype.is_complex:
            return None
        way = scan(size, window, strides, padding, dilations)
        return Pool(self.computes, dtype, winner, size, way.out, window, way.starts, strides, dilations)


def _all_seen(taps: Any, out: int) -> bool:
    """True if at every place some tap sees the input."""
    seen = [False] * out
    for places, _ in taps:
        seen[places] = [True] * (places.stop - places.start)
    return all(seen)


def wider(params: dict[str, Any], size: int) -> dict[str, Any]:
    """The parameters for inputs with one more leading axis, of that size."""
    first = {"window": 1, "strides": 1, "padding": (0, 0), "dilations": 1, "size": size}
    return {name: (first[name], *value) if name in first else value for name, value in params.items()}


@declare("max_pool")
class MaxPool(Pooling):
    """The maximum of each window; nan if it sees one. The cotangent goes to the first position that attains it."""

    computes = "maximum"
    kinds = "fViu"

    def infer(self, x: Spec, **params: Any) -> Spec:
        return Spec(self.places(x.shape, **params), self.check_dtypes(x))

    def kernel(self, x: Any, **params: Any) -> Any:
        native = hot_kernels.run(self, (x,), params)
        return pooling_kernels.largest(x, **params) if native is None else native

    def vjp(self, dy: Any, x: Any, **params: Any) -> Any:
        return (Connected(PoolPlace(dy, PoolWinner(x, **params), size=dims(x), **params), x),)


@declare("pool_winner")
class PoolWinner(Pooling):
    """The number of the first tap of each window that sees its maximum; nan never wins."""

    computes = "winner"
    kinds = "fViu"
    vjp = NotDifferentiable("the number of a tap is an integer")

    def infer(self, x: Spec, *, window: Sizes, **params: Any) -> Spec:
        self.check_dtypes(x)
        return Spec(self.places(x.shape, window, **params), pooling_kernels.winner_dtype(window))

    def kernel(self, x: Any, **params: Any) -> Any:
        native = hot_kernels.run(self, (x,), params)
        return pooling_kernels.winners(x, **params) if native is None else native

    def lower(self, x: Spec, *others: Spec, **params: Any) -> Any:
        return self.pattern(x.dtype, x.shape, pooling_kernels.winner_dtype(params["window"]), **params)


@declare("pool_pick")
class PoolPick(Pooling):
    """What the tap with a given number sees in each window."""

    computes = "pick"
    kinds = "fVciu"
    homogeneous = False

    def infer(self, x: Spec, winner: Spec, **params: Any) -> Spec:
        check_kind(self, "x", x)
        check_integers(self, "winner", winner)
        out = self.places(x.shape, **params)
        if winner.shape != out:
            raise self.error(
                errors.ShapeError,
                f"winner is {winner}, but the window has {list(out)} places.",
                "give the number of a tap for each place.",
            )
        return Spec(out, x.dtype)

    def kernel(self, x: Any, winner: Any, **params: Any) -> Any:
        native = hot_kernels.run(self, (x, winner), params)
        return pooling_kernels.pick(x, winner, **params) if native is None else native

    def vjp(self, dy: Any, winner: Any, x_shape: Any, **params: Any) -> Any:
        return PoolPlace(dy, winner, size=x_shape, **params), None

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        x, winner = spread(batched, *inputs)
        return self(x, winner, **wider(params, dims(x)[0]))


@declare("pool_place")
class PoolPlace(Pooling):
    """The transpose of `pool_pick`: each position gets the sum of `g` over the windows whose given tap saw it."""

    computes = "place"
    kinds = "fVciu"
    homogeneous = False

    def infer(self, g: Spec, winner: Spec, *, size: Sizes, **params: Any) -> Spec:
        check_kind(self, "g", g)
        check_integers(self, "winner", winner)
        out = self.places(size, **params)
        if not winner.shape == g.shape == out:
            raise self.error(
                errors.ShapeError,
                f"g is {g}, winner is {winner}, but the window has {list(out)} places in {list(size)}.",
                "give a value and the number of a tap for each place.",
            )
        return Spec(size, g.dtype)

    def kernel(self, g: Any, winner: Any, **params: Any) -> Any:
        native = hot_kernels.run(self, (g, winner), params)
        return pooling_kernels.place(g, winner, **params) if native is None else native

    def vjp(self, dy: Any, winner: Any, *, size: Sizes, **params: Any) -> Any:
        return PoolPick(dy, winner, **params), None

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        g, winner = spread(batched, *inputs)
        return self(g, winner, **wider(params, dims(g)[0]))


@declare("pool_positions")
class PoolPositions(Pooling):
    """Where the tap with a given number is: the position, counted from the axis `first` on as if they were one."""

    kinds = "iu"
    vjp = NotDifferentiable("a position is an integer")

    def infer(
        self, winner: Spec, *, size: Sizes, first: int, output_type: dtypes.DType, **params: Any
    ) -> Spec:  # fmt: skip
        self.check_dtypes(winner)
        out = self.places(size, **params)
        if winner.shape != out:
            raise self.error(
                errors.ShapeError,
                f"winner is {winner}, but the window has {list(out)} places in {list(size)}.",
                "give the number of a tap for each place.",
            )
        return Spec(out, output_type)

    def kernel(self, winner: Any, *, output_type: dtypes.DType, **params: Any) -> Any:
        return pooling_kernels.positions(winner, **params).astype(output_type.numpy)

    def batch(self, batched: tuple[bool, ...], x: Any, **params: Any) -> Any:
        return self(x, **{**wider(params, dims(x)[0]), "first": params["first"] + 1})

    def lower(self, x: Spec, *others: Spec, **params: Any) -> Any:
        size, first, dtype = params.pop("size"), params.pop("first"), params.pop("output_type")
        pool = self.pattern(dtypes.float32, size, x.dtype, **params)
        return None if pool is None else WinnerPositions(pool, first, dtype)


@declare("avg_pool")
class AvgPool(Pooling):
    """The mean of what each window sees of x: padding does not count."""

    computes = "mean"
    kinds = "fVc"

    def infer(self, x: Spec, **params: Any) -> Spec:
        return Spec(self.places(x.shape, **params), self.check_dtypes(x))

    def kernel(self, x: Any, **params: Any) -> Any:
        native = hot_kernels.run(self, (x,), params)
        return pooling_kernels.mean(x, **params) if native is None else native

    def vjp(self, dy: Any, x_shape: Any, **params: Any) -> Any:
        return (AvgPoolGradient(dy, size=x_shape, **params),)


@declare("avg_pool_gradient")
class AvgPoolGradient(Pooling):
    """The transpose of `avg_pool`: each position gets its share of `g` from the windows that saw it."""

    computes = "share"
    kinds = "fVc"

    def infer(self, g: Spec, *, size: Sizes, **params: Any) -> Spec:
        dtype = self.check_dtypes(g)
        out = self.places(size, **params)
        if g.shape != out:
            raise self.error(
                errors.ShapeError,
                f"g is {g}, but the window has {list(out)} places in {list(size)}.",
                "give a value for each place.",
            )
        return Spec(size, dtype)

    def kernel(self, g: Any, **params: Any) -> Any:
        native = hot_kernels.run(self, (g,), params)
        return pooling_kernels.mean_back(g, **params) if native is None else native

    def vjp(self, dy: Any, *, size: Sizes, **params: Any) -> Any:
        return (AvgPool(dy, **params),)
