"""Arguments that the convolution functions share: layouts, groups of channels, padding."""

from __future__ import annotations

import math
from typing import Any

from gradtape.api.arguments import integers
from gradtape.api.window_arguments import channels_first, padding_pairs, per_axis, spatial
from gradtape.core import errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.convolution import Convolution, ConvolutionInputGradient
from gradtape.ops.family import dims
from gradtape.ops.movement import Reshape, Transpose
from gradtape.ops.windows import Sizes

_TO_LAST = {n: (0, *range(2, n + 2), 1) for n in range(1, 4)}
_TO_FIRST = {n: (0, n + 1, *range(1, n + 1)) for n in range(1, 4)}


def last(x: Any, first: bool) -> Any:
    """x with its channels last."""
    return Transpose(x, perm=_TO_LAST[x.ndim - 2]) if first else x


def back(y: Any, first: bool) -> Tensor:
    """y with its channels where the data format wants them."""
    return Transpose(y, perm=_TO_FIRST[y.ndim - 2]) if first else y


def check_rank(what: str, name: str, x: Any, rank: int, at_least: bool = False) -> None:
    """ShapeError unless a tensor has that rank."""
    if x.ndim == rank or (at_least and x.ndim > rank):
        return
    raise errors.build(
        errors.ShapeError,
        f"{what}: {name} is {spec_of(x)}, and must have rank {rank}{' or more' if at_least else ''}.",
        "the input needs an axis for the batch and one for channels; a single example gets one with x[tf.newaxis].",
    )


def convolve(
    what: str, x: Any, w: Any, count: int, strides: Any, padding: Any, data_format: Any, dilations: Any
) -> Tensor:
    """A convolution over the last `count` axes, or those before the channels; leading axes are examples."""
    first = channels_first(data_format, count, what)
    check_rank(what, "filters", w, count + 2)
    check_rank(what, "input", x, count + 2, at_least=True)
    lead = dims(x)[: -count - 1]
    if len(lead) > 1:
        x = Reshape(x, shape=(math.prod(lead), *dims(x)[-count - 1 :]))
    x = last(x, first)
    y = convolve_last(what, x, w, groups_of(what, x, w), strides, padding, dilations, first)
    y = back(y, first)
    return y if len(lead) == 1 else Reshape(y, shape=(*lead, *dims(y)[1:]))


def convolve_last(
    what: str, x: Any, w: Any, groups: int, strides: Any, padding: Any, dilations: Any, first: bool
) -> Any:
    """A convolution of an input whose channels come last, with arguments in the order of the data format."""
    size, window = dims(x)[1:-1], dims(w)[:-2]
    steps = per_axis(strides, len(size), first, what, "strides")
    apart = per_axis(dilations, len(size), first, what, "dilations")
    pairs = padding_pairs(padding, size, window, steps, apart, first, what)
    return Convolution(x, w, strides=steps, padding=pairs, dilations=apart, groups=groups)


def groups_of(what: str, x: Any, w: Any) -> int:
    """The number of channel groups: the input's channels divided by the filter's input channels."""
    c, (each, o) = dims(x)[-1], dims(w)[-2:]
    groups = c // each if each else 1
    if each * groups != c or (groups and o % groups):
        raise errors.build(
            errors.ShapeError,
            f"{what}: input depth must be evenly divisible by filter depth: input has {c} channels, filters is "
            f"{spec_of(w)}.",
            "the last axes of the filters are input channels and output channels; groups must divide both.",
        )
    return max(1, groups)


def transpose(
    what: str,
    x: Any,
    w: Any,
    count: int,
    output_shape: Any,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilations: Any,
) -> Tensor:
    """A transposed convolution."""
    first = channels_first(data_format, count, what)
    check_rank(what, "filters", w, count + 2)
    check_rank(what, "input", x, count + 2)
    channels = dims(last(x, first))[-1]
    if channels != dims(w)[-1]:
        raise errors.build(
            errors.ShapeError,
            f"{what}: channels differ: input is {spec_of(x)} with {channels} channels, filters is {spec_of(w)} for {dims(w)[-1]}.",
            "filters are [height, width, output channels, input channels]; a convolution has the last two the other way round.",
        )
    size = _output_size(what, output_shape, x, w, count, first)
    steps = per_axis(strides, count, first, what, "strides")
    apart = per_axis(dilations, count, first, what, "dilations")
    pairs = padding_pairs(padding, size, dims(w)[:-2], steps, apart, first, what)
    y = ConvolutionInputGradient(
        last(x, first), w, size=size, strides=steps, padding=pairs, dilations=apart, groups=1
    )  # fmt: skip
    return back(y, first)


def _output_size(what: str, output_shape: Any, x: Any, w: Any, count: int, first: bool) -> Sizes:
    """The axes of the result that the window moves over."""
    single = type(output_shape) is int
    shape = integers([output_shape] if single else output_shape, what, "output_shape")
    if len(shape) == count:
        return shape
    n, c = dims(x)[0], dims(w)[-2]
    wanted = (n, c) if len(shape) == count + 2 else None
    if wanted is None or (shape[0], shape[1 if first else -1]) != wanted or min(shape) < 0:
        raise errors.build(
            errors.ShapeError,
            f"{what}: output_shape is {list(shape)}, input is {spec_of(x)}, filters is {spec_of(w)}: these do not match.",
            f"give {count + 2} sizes, with {n} examples and {c} channels, as the input and filters[-2] say; or only the "
            f"{count} that the window moves over.",
        )
    return spatial(shape, first)
