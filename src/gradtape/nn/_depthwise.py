"""`tf.nn`: convolutions in which every channel has separate filters."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import beside, shape, tensor
from gradtape.api.window_arguments import channels_first, padding_pairs, per_axis, spatial
from gradtape.core import errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.nn._convolution_arguments import back, check_rank, convolve_last, last
from gradtape.ops.convolution import ConvolutionFilterGradient, ConvolutionInputGradient
from gradtape.ops.family import dims
from gradtape.ops.movement import Reshape


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of each channel with its own filters.

    Args:
      input: `[n, height, width, channels]`, or with the channels first.
      filter: `[window height, window width, channels, multiplier]`: so many filters for each channel.
      strides: the steps of the window: 4 ints, or an int, or 2 of them.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NHWC" (the default) or "NCHW".
      dilations: the distances of the taps: an int, or 2 of them.

    Returns:
      `[n, places, places, channels * multiplier]`, in the layout of the input: the results of the first channel's
      filters, then those of the second's.

    >>> tf.nn.depthwise_conv2d(tf.ones([1, 2, 2, 1]), [[[[1.0, 10.0]]]], [1, 1, 1, 1], "SAME")[0, 0, 0].numpy()
    array([ 1., 10.], dtype=float32)
    """
    return _depthwise("depthwise_conv2d", tensor(input), filter, strides, padding, data_format, dilations)


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """A depthwise convolution followed by a pointwise one.

    Args:
      input: `[n, height, width, channels]`, or with the channels first.
      depthwise_filter: `[window height, window width, channels, multiplier]`.
      pointwise_filter: `[1, 1, channels * multiplier, output channels]`.
      strides: the steps of the window: 4 ints, or an int, or 2 of them.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NHWC" (the default) or "NCHW".
      dilations: the distances of the taps: an int, or 2 of them.

    Returns:
      `[n, places, places, output channels]`, in the layout of the input.

    >>> tf.nn.separable_conv2d(tf.ones([1, 2, 2, 1]), [[[[1.0, 10.0]]]], [[[[1.0], [2.0]]]], [1, 1, 1, 1], "SAME")[0, 0, 0].numpy()
    array([21.], dtype=float32)
    """
    what = "separable_conv2d"
    x = tensor(input)
    w = beside(pointwise_filter, x)
    first = channels_first(data_format, 2, what)
    y = last(_depthwise(what, x, depthwise_filter, strides, padding, data_format, dilations), first)
    if w.ndim != 4 or dims(w)[:3] != (1, 1, dims(y)[-1]):
        raise errors.build(
            errors.ShapeError,
            f"{what}: pointwise_filter is {spec_of(w)}, after a depthwise convolution to {dims(y)[-1]} channels: these do not match.",
            f"its shape must be [1, 1, {dims(y)[-1]}, output channels].",
        )
    return back(convolve_last(what, y, w, 1, 1, "VALID", 1, first), first)


def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `tf.nn.depthwise_conv2d` with respect to its input.

    Args:
      input_sizes: the shape of the input.
      filter: `[window height, window width, channels, multiplier]`.
      out_backprop: the gradient with respect to the result.
      strides, padding, data_format, dilations: those of the convolution.

    Returns:
      A tensor of the shape `input_sizes`.

    >>> dy = tf.ones([1, 2, 2, 1])
    >>> tf.nn.depthwise_conv2d_backprop_input([1, 2, 2, 1], [[[[3.0]]]], dy, [1, 1, 1, 1], "SAME")[0, 0, 0].numpy()
    array([3.], dtype=float32)
    """
    what = "depthwise_conv2d_backprop_input"
    g = tensor(out_backprop)
    sizes = shape(input_sizes, what, "input_sizes")
    first = channels_first(data_format, 2, what)
    w = _filter(what, filter, g)
    check_rank(what, "out_backprop", g, 4)
    c = sizes[1 if first else -1] if len(sizes) == 4 else None
    if c != dims(w)[2] or sizes[0] != dims(g)[0]:
        raise errors.build(
            errors.ShapeError,
            f"{what}: input_sizes is {list(sizes)}, filter is {spec_of(w)}, out_backprop is {spec_of(g)}: these do not match.",
            "input_sizes is the shape of the convolution's input: as many examples as the gradient, as many channels as "
            "the filter.",
        )
    params = _params(what, spatial(sizes, first), dims(w)[:2], strides, padding, dilations, first)
    y = ConvolutionInputGradient(last(g, first), _grouped(w), size=spatial(sizes, first), groups=c or 1, **params)
    return back(y, first)


def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `tf.nn.depthwise_conv2d` with respect to its filter.

    Args:
      input: the convolution's input.
      filter_sizes: the shape of the filter: `[window height, window width, channels, multiplier]`.
      out_backprop: the gradient with respect to the result.
      strides, padding, data_format, dilations: those of the convolution.

    Returns:
      A tensor of the shape `filter_sizes`.

    >>> x = tf.ones([1, 2, 2, 1])
    >>> tf.nn.depthwise_conv2d_backprop_filter(x, [1, 1, 1, 1], x, [1, 1, 1, 1], "SAME").numpy().item()
    4.0
    """
    what = "depthwise_conv2d_backprop_filter"
    x = tensor(input)
    g = beside(out_backprop, x)
    sizes = shape(filter_sizes, what, "filter_sizes")
    first = channels_first(data_format, 2, what)
    check_rank(what, "input", x, 4)
    check_rank(what, "out_backprop", g, 4)
    x, g = last(x, first), last(g, first)
    c = dims(x)[-1]
    if len(sizes) != 4 or sizes[2] != c or sizes[2] * sizes[3] != dims(g)[-1]:
        raise errors.build(
            errors.ShapeError,
            f"{what}: filter_sizes is {list(sizes)}, for {c} channels of the input and {dims(g)[-1]} of out_backprop: these do not match.",
            "filter_sizes is [window height, window width, channels, multiplier].",
        )
    params = _params(what, dims(x)[1:-1], sizes[:2], strides, padding, dilations, first)
    y = ConvolutionFilterGradient(x, g, window=sizes[:2], groups=c or 1, **params)
    return Reshape(y, shape=sizes)


def _depthwise(what: str, x: Any, filter: Any, strides: Any, padding: Any, data_format: Any, dilations: Any) -> Tensor:
    first = channels_first(data_format, 2, what)
    check_rank(what, "input", x, 4)
    w = _filter(what, filter, x)
    x = last(x, first)
    c = dims(x)[-1]
    if c != dims(w)[2]:
        raise errors.build(
            errors.ShapeError,
            f"{what}: input has {c} channels, but the filter is {spec_of(w)}.",
            "its shape is [window height, window width, channels, multiplier].",
        )
    if 0 in dims(w):
        raise errors.build(
            errors.InvalidArgumentError,
            f"{what}: filter must not have zero elements (i.e. all dimensions must be non-zero), got {spec_of(w)}.",
            "give at least one channel and one filter for each.",
        )
    y = convolve_last(what, x, _grouped(w), c, strides, padding, dilations, first)
    return back(y, first)


def _filter(what: str, filter: Any, x: Any) -> Any:
    w = beside(filter, x)
    check_rank(what, "filter", w, 4)
    return w


def _grouped(w: Any) -> Any:
    """A depthwise filter as one with a group for each channel; without channels there is one empty group."""
    height, width, c, multiplier = dims(w)
    return Reshape(w, shape=(height, width, 1 if c else 0, c * multiplier))


def _params(what: str, size: Any, window: Any, strides: Any, padding: Any, dilations: Any, first: bool) -> Any:
    """The op's parameters, from arguments in the order of the data format."""
    steps = per_axis(strides, 2, first, what, "strides")
    apart = per_axis(dilations, 2, first, what, "dilations")
    pairs = padding_pairs(padding, size, window, steps, apart, first, what)
    return {"strides": steps, "padding": pairs, "dilations": apart}
