"""Convolutions: one op and its two transposes, each the derivative of the others, so that any order closes.

    convolution                 y  = sum of w * windows of x
    convolution_input_gradient  dx = the transpose in x; also the transposed convolution of `tf.nn.conv_transpose`
    convolution_filter_gradient dw = the transpose in w

Channels come last: x is `[n, *size, c]`, w is `[*window, c / groups, o]`, y is `[n, *out, o]`. The channels of x and y are
divided into groups, and group g of y sees group g of x. A group per channel makes a depthwise convolution.
"""

from __future__ import annotations

import math
from typing import Any

from gradtape.core import errors
from gradtape.core.op import Op, declare
from gradtape.core.patterns.convolution import Convolve
from gradtape.core.patterns.product import Product
from gradtape.core.shape import Spec
from gradtape.ops import convolution_kernels, hot_kernels
from gradtape.ops.family import conj, dims
from gradtape.ops.movement import Reshape, Transpose
from gradtape.ops.reduction import computed_in_float32
from gradtape.ops.windows import Pairs, Sizes, scan


class Convolving(Op):
    """What the three have in common. Shapes are checked before the kernel: strides and padding fit many wrong ones."""

    kinds = "fVci"
    validate = True
    computes = "forward"

    def check_ranks(self, a: Spec, b: Spec, strides: Sizes) -> None:
        """ShapeError unless both inputs have an axis per stride and two more."""
        rank = len(strides) + 2
        if a.rank != rank or b.rank != rank:
            raise self.error(
                errors.ShapeError,
                f"{self.inputs[0]} is {a}, {self.inputs[1]} is {b}, and both need rank {rank}.",
                "the input has axes for examples and channels, the filter for input and output channels, in addition to the window's.",
            )

    def check_channels(self, c: int, w: Spec, groups: int) -> None:
        """ShapeError unless the filter fits the channels of the input."""
        if not groups or c != w.shape[-2] * groups or w.shape[-1] % groups:
            raise self.error(
                errors.ShapeError,
                f"the input has {c} channels, in {groups} groups, but the filter is {w}.",
                "the filter's last axes are the channels of one group of the input, and all output channels.",
            )

    def places(self, size: Sizes, window: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes) -> Sizes:
        """How often the window fits; ShapeError if it does not fit at all."""
        out = scan(size, window, strides, padding, dilations).out
        if 0 in window:
            raise self.error(
                errors.ShapeError,
                f"filter must not have zero elements, but its window is {list(window)}.",
                "give the window at least one tap along each axis.",
            )
        if min(out, default=0) < 0:
            raise self.error(
                errors.ShapeError,
                f"a window of {list(window)} with dilations {list(dilations)} does not fit into an input of size "
                f"{list(size)} with padding {list(map(list, padding))}.",
                "use a smaller window, or padding='SAME'.",
            )
        return out

    def expand(self, build: Any, a: Any, b: Any, **params: Any) -> Any:
        """Half precision for functions: the casts fuse with the kernels around the convolution."""
        return computed_in_float32(build, self.name, a, b, **params)

    def pattern(
        self, x: Spec, w: Sizes, *, strides: Sizes, padding: Pairs, dilations: Sizes, groups: int
    ) -> Convolve | Product | None:  # fmt: skip
        """The pattern for an input and a filter of a shape; None for dtypes that are not emitted, and for nothing to do."""
        way = scan(x.shape[1:-1], w[:-2], strides, padding, dilations)
        if x.dtype.name not in ("float32", "float64") or 0 in (*x.shape, *w, *way.out):
            return None
        if way.is_pointwise and way.out == x.shape[1:-1] and groups == 1 and self.computes != "filter":
            rows, (c, o) = math.prod(x.shape[:-1]), w[-2:]
            return (
                Product(rows, o, c, x.dtype)
                if self.computes == "forward"
                else Product(rows, c, o, x.dtype, False, True)
            )
        return Convolve(
            self.computes, x.dtype, x.shape[0], x.shape[-1], w[-1], groups, x.shape[1:-1], way.out, w[:-2], way.starts,
            strides, dilations,
        )  # fmt: skip


@declare("convolution")
class Convolution(Convolving):
    """The sums of products of a filter with the windows of x."""

    def infer(self, x: Spec, w: Spec, *, strides: Sizes, padding: Pairs, dilations: Sizes, groups: int) -> Spec:
        dtype = self.check_dtypes(x, w)
        self.check_ranks(x, w, strides)
        self.check_channels(x.shape[-1], w, groups)
        out = self.places(x.shape[1:-1], w.shape[:-2], strides, padding, dilations)
        return Spec((x.shape[0], *out, w.shape[-1]), dtype)

    def kernel(self, x: Any, w: Any, **params: Any) -> Any:
        native = hot_kernels.run(self, (x, w), params)
        return convolution_kernels.convolve(x, w, **params) if native is None else native

    def vjp(self, dy: Any, x: Any, w: Any, *, needs: Any, **params: Any) -> Any:
        return (
            ConvolutionInputGradient(dy, conj(w), size=dims(x)[1:-1], **params) if needs[0] else None,
            ConvolutionFilterGradient(conj(x), dy, window=dims(w)[:-2], **params) if needs[1] else None,
        )

    def batch(self, batched: tuple[bool, ...], x: Any, w: Any, *, groups: int, **params: Any) -> Any:
        if batched == (True, False):
            return split_front(self(merge_front(x), w, groups=groups, **params), *dims(x)[:2])
        if batched == (False, True):
            # All filters at once: within each group, the outputs of one filter after the other.
            return split_channels(self(x, merge_channels(w, groups), groups=groups, **params), dims(w)[0], groups)
        size = dims(x)[0]
        return split_channels(self(merge_channels(x, 1), merge_channels(w, 1), groups=size * groups, **params), size, 1)

    def lower(self, x: Spec, w: Spec, **params: Any) -> Convolve | Product | None:
        return self.pattern(x, w.shape, **params)


@declare("convolution_input_gradient")
class ConvolutionInputGradient(Convolving):
    """The transpose of a convolution in its input: what each position gets back of `g` from the windows that saw it."""

    computes = "input"

    def infer(
        self, g: Spec, w: Spec, *, size: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes, groups: int
    ) -> Spec:
        dtype = self.check_dtypes(g, w)
        self.check_ranks(g, w, strides)
        if g.shape[-1] != w.shape[-1] or w.shape[-1] % groups:
            raise self.error(
                errors.ShapeError,
                f"g is {g} with {g.shape[-1]} channels, in {groups} groups, but the filter is {w}.",
                "the last axis of the filter has the channels of g: for a transposed convolution, those of its input.",
            )
        out = self.places(size, w.shape[:-2], strides, padding, dilations)
        if g.shape[1:-1] != out:
            # Users get here with conv2d_transpose, whose words these are.
            raise self.error(
                errors.ShapeError,
                f"output_shape must lead to the size of the input: a convolution of {list(size)} gives {list(out)}, the input is {g}.",
                f"multiply the sizes {list(g.shape[1:-1])} by the strides for padding='SAME'.",
            )
        return Spec((g.shape[0], *size, w.shape[-2] * groups), dtype)

    def kernel(self, g: Any, w: Any, **params: Any) -> Any:
        native = hot_kernels.run(self, (g, w), params)
        return convolution_kernels.convolve_input(g, w, **params) if native is None else native

    def vjp(self, dy: Any, g: Any, w: Any, *, size: Sizes, needs: Any, **params: Any) -> Any:
        return (
            Convolution(dy, conj(w), **params) if needs[0] else None,
            ConvolutionFilterGradient(dy, conj(g), window=dims(w)[:-2], **params) if needs[1] else None,
        )

    def batch(self, batched: tuple[bool, ...], g: Any, w: Any, *, groups: int, **params: Any) -> Any:
        if batched == (True, False):
            return split_front(self(merge_front(g), w, groups=groups, **params), *dims(g)[:2])
        if batched == (False, True):
            return split_channels(self(g, merge_inputs(w), groups=groups, **params), dims(w)[0], groups)
        size = dims(g)[0]
        return split_channels(self(merge_channels(g, 1), merge_channels(w, 1), groups=size * groups, **params), size, 1)

    def lower(self, g: Spec, w: Spec, *, size: Sizes, groups: int, **params: Any) -> Convolve | Product | None:
        x = Spec((g.shape[0], *size, w.shape[-2] * groups), g.dtype)
        return self.pattern(x, w.shape, groups=groups, **params)


@declare("convolution_filter_gradient")
class ConvolutionFilterGradient(Convolving):
    """The transpose of a convolution in its filter: the sums over all places of what the window sees there times `g`."""

    computes = "filter"

    def infer(
        self, x: Spec, g: Spec, *, window: Sizes, strides: Sizes, padding: Pairs, dilations: Sizes, groups: int
    ) -> Spec:
        dtype = self.check_dtypes(x, g)
        self.check_ranks(x, g, strides)
        if x.shape[0] != g.shape[0] or x.shape[-1] % groups or g.shape[-1] % groups:
            raise self.error(
                errors.ShapeError,
                f"x is {x}, g is {g}, in {groups} groups of channels: these do not match.",
                "x and g need the same number of examples, and channels that the groups divide.",
            )
        out = self.places(x.shape[1:-1], window, strides, padding, dilations)
        if g.shape[1:-1] != out:
            raise self.error(
                errors.ShapeError,
                f"g must have a value for each place of the window: a window of {list(window)} has {list(out)} places in x, "
                f"{x}, but g is {g}.",
                "pass g with the shape of the convolution's result, and the window, strides and padding of that convolution.",
            )
        return Spec((*window, x.shape[-1] // groups, g.shape[-1]), dtype)

    def kernel(self, x: Any, g: Any, **params: Any) -> Any:
        native = hot_kernels.run(self, (x, g), params)
        return convolution_kernels.convolve_filter(x, g, **params) if native is None else native

    def vjp(self, dy: Any, x: Any, g: Any, *, window: Sizes, needs: Any, **params: Any) -> Any:
        return (
            ConvolutionInputGradient(conj(g), dy, size=dims(x)[1:-1], **params) if needs[0] else None,
            Convolution(conj(x), dy, **params) if needs[1] else None,
        )

    def batch(self, batched: tuple[bool, ...], x: Any, g: Any, *, groups: int, **params: Any) -> Any:
        if batched == (True, False):
            return split_inputs(self(merge_channels(x, groups), g, groups=groups, **params), dims(x)[0])
        if batched == (False, True):
            return split_channels(self(x, merge_channels(g, groups), groups=groups, **params), dims(g)[0], groups)
        size = dims(x)[0]
        return split_channels(self(merge_channels(x, 1), merge_channels(g, 1), groups=size * groups, **params), size, 1)

    def lower(self, x: Spec, g: Spec, *, window: Sizes, groups: int, **params: Any) -> Convolve | Product | None:
        return self.pattern(x, (*window, x.shape[-1] // groups, g.shape[-1]), groups=groups, **params)


def merge_front(x: Any) -> Any:
    """The first two axes as one."""
    a, b, *rest = dims(x)
    return Reshape(x, shape=(a * b, *rest))


def split_front(x: Any, size: int, each: int) -> Any:
    """The first axis as two, of these sizes."""
    return Reshape(x, shape=(size, each, *dims(x)[1:]))


def merge_channels(x: Any, groups: int) -> Any:
    """`[b, ..., (groups, c)] -> [..., (groups, b, c)]`: the examples side by side in each group of channels."""
    size, *lead, c = dims(x)
    rank = len(lead)
    x = Reshape(x, shape=(size, *lead, groups, c // groups))
    x = Transpose(x, perm=(*range(1, rank + 2), 0, rank + 2))
    return Reshape(x, shape=(*lead, size * c))


def split_channels(x: Any, size: int, groups: int) -> Any:
    """`[..., (groups, b, c)] -> [b, ..., (groups, c)]`: undoes `merge_channels`."""
    *lead, c = dims(x)
    rank = len(lead)
    x = Reshape(x, shape=(*lead, groups, size, c // (groups * size)))
    x = Transpose(x, perm=(rank + 1, *range(rank + 1), rank + 2))
    return Reshape(x, shape=(size, *lead, c // size))


def merge_inputs(w: Any) -> Any:
    """`[b, *window, c, o] -> [*window, (b, c), o]`."""
    size, *window, c, o = dims(w)
    rank = len(window)
    w = Transpose(w, perm=(*range(1, rank + 1), 0, rank + 1, rank + 2))
    return Reshape(w, shape=(*window, size * c, o))


def split_inputs(w: Any, size: int) -> Any:
    """`[*window, (b, c), o] -> [b, *window, c, o]`: undoes `merge_inputs`."""
    *window, c, o = dims(w)
    rank = len(window)
    w = Reshape(w, shape=(*window, size, c // size, o))
    return Transpose(w, perm=(rank, *range(rank), rank + 1, rank + 2))
