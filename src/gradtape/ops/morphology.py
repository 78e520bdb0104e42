"""Grey-scale morphology: the largest sum of a filter and a window, channel by channel.

As in max pooling, the derivative goes to the first tap that attains the maximum; see `ops/pooling.py`.
"""

from __future__ import annotations

import math
from typing import Any

from gradtape.core import dtypes, errors
from gradtape.core.op import NotDifferentiable, Op, declare
from gradtape.core.shape import Spec
from gradtape.ops import morphology_kernels
from gradtape.ops.convolution import merge_channels, split_channels
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.ops.indexing import spread
from gradtape.ops.movement import Reshape
from gradtape.ops.pooling import PoolPlace
from gradtape.ops.row_positions import check_integers, check_kind
from gradtape.ops.windows import Pairs, Sizes, scan


class Dilating(Op):
    """An image `[n, height, width, channels]` and a filter `[height, width, channels]`."""

    kinds = "fViu"
    validate = True
    lower = NO_LOWERING

    def places(self, x: Spec, w: Spec, strides: Sizes, padding: Pairs, dilations: Sizes) -> Sizes:
        """The shape of the result; ShapeError if there is none."""
        if x.rank != 4 or w.rank != 3 or x.shape[-1] != w.shape[-1]:
            raise self.error(
                errors.ShapeError,
                f"x is {x}, w is {w}: input and filter must have the same depth.",
                "give images [n, height, width, channels] and a filter [height, width, channels].",
            )
        out = scan(x.shape[1:-1], w.shape[:-1], strides, padding, dilations).out
        if min(out) < 0 or 0 in w.shape[:-1]:
            raise self.error(
                errors.ShapeError,
                f"a filter of {list(w.shape[:-1])} does not fit into images of {list(x.shape[1:-1])}.",
                "use a smaller filter, or padding='SAME'.",
            )
        return (x.shape[0], *out, x.shape[-1])

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        x, w = spread(batched, *inputs)
        return split_channels(self(merge_channels(x, 1), merge_channels(w, 1), **params), dims(x)[0], 1)


@declare("dilation2d")
class Dilation2D(Dilating):
    """The maximum over each window of x + w."""

    def infer(self, x: Spec, w: Spec, **params: Any) -> Spec:
        dtype = self.check_dtypes(x, w)
        return Spec(self.places(x, w, **params), dtype)

    def kernel(self, x: Any, w: Any, **params: Any) -> Any:
        return morphology_kernels.dilate(x, w, **params)

    def vjp(self, dy: Any, x: Any, w: Any, *, needs: Any, **params: Any) -> Any:
        winner = DilationWinner(x, w, **params)
        window = dims(w)[:-1]
        dx = dw = None
        if needs[0]:
            dx = PoolPlace(dy, winner, size=dims(x), window=(1, *window, 1), **morphology_kernels.whole(**params))
        if needs[1]:
            dw = Reshape(TapSums(dy, winner, taps=math.prod(window)), shape=dims(w))
        return dx, dw


@declare("dilation_winner")
class DilationWinner(Dilating):
    """The number of the first tap of each window that attains the maximum of x + w."""

    vjp = NotDifferentiable("the number of a tap is an integer")

    def infer(self, x: Spec, w: Spec, **params: Any) -> Spec:
        self.check_dtypes(x, w)
        return Spec(self.places(x, w, **params), dtypes.int32)

    def kernel(self, x: Any, w: Any, **params: Any) -> Any:
        return morphology_kernels.winners(x, w, **params)


class Tapping(Op):
    """Values and the numbers of taps, channel by channel."""

    kinds = "fVciu"
    homogeneous = False
    validate = True
    lower = NO_LOWERING


@declare("tap_sums")
class TapSums(Tapping):
    """For each tap and channel, the sum of `g` where that tap won: `[taps, channels]`."""

    def infer(self, g: Spec, winner: Spec, *, taps: int) -> Spec:
        check_kind(self, "g", g)
        check_integers(self, "winner", winner)
        if g.shape != winner.shape or not g.rank:
            raise self.error(
                errors.ShapeError,
                f"g is {g}, winner is {winner}: these do not match.",
                "give the number of a tap for each value.",
            )
        return Spec((taps, g.shape[-1]), g.dtype)

    def kernel(self, g: Any, winner: Any, *, taps: int) -> Any:
        return morphology_kernels.tap_sums(g, winner, taps=taps)

    def vjp(self, dy: Any, winner: Any, *, taps: int) -> Any:
        return TapValues(dy, winner), None

    def batch(self, batched: tuple[bool, ...], *inputs: Any, taps: int) -> Any:
        g, winner = spread(batched, *inputs)
        return split_channels(self(merge_channels(g, 1), merge_channels(winner, 1), taps=taps), dims(g)[0], 1)


@declare("tap_values")
class TapValues(Tapping):
    """The value of the tap that won, in each channel: the transpose of `tap_sums`."""

    def infer(self, w: Spec, winner: Spec) -> Spec:
        check_kind(self, "w", w)
        check_integers(self, "winner", winner)
        if w.rank != 2 or w.shape[-1:] != winner.shape[-1:]:
            raise self.error(
                errors.ShapeError,
                f"w is {w}, winner is {winner}: these do not match.",
                "give values [taps, channels], and as many channels.",
            )
        return Spec(winner.shape, w.dtype)

    def kernel(self, w: Any, winner: Any) -> Any:
        return morphology_kernels.tap_values(w, winner)

    def vjp(self, dy: Any, winner: Any, w_shape: Any) -> Any:
        return TapSums(dy, winner, taps=w_shape[0]), None

    def batch(self, batched: tuple[bool, ...], *inputs: Any) -> Any:
        w, winner = spread(batched, *inputs)
        return split_channels(self(merge_channels(w, 1), merge_channels(winner, 1)), dims(w)[0], 1)
