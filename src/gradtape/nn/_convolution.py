"""`tf.nn`: convolutions of one, two and three dimensions, transposed, depthwise and separable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import beside, tensor
from gradtape.api.families import Family, family
from gradtape.core import errors
from gradtape.core.annotations import TensorLike
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.nn._atrous import atrous_conv2d, atrous_conv2d_transpose, with_space_to_batch
from gradtape.nn._convolution_arguments import convolve, transpose
from gradtape.nn._depthwise import (
    depthwise_conv2d,
    depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input,
    separable_conv2d,
)

__all__ = [
    "atrous_conv2d", "atrous_conv2d_transpose", "conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "conv3d",
    "conv3d_transpose", "conv_transpose", "convolution", "depthwise_conv2d", "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input", "separable_conv2d", "with_space_to_batch",
]  # fmt: skip

_PAIRS = '"SAME", "VALID", or pairs for each axis.'


def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The sums of products of filters with all windows of an input, over one, two or three axes.

    The filter is not flipped. If the input has a multiple of the filter's input channels, the channels are divided
    into so many groups, each with its part of the output channels.

    Args:
      input: `[..., *size, channels]`, or with the channels first.
      filters: `[*window, input channels, output channels]`, in the dtype of the input.
      strides: the steps of the window: an int, or one for each axis; 1 by default.
      padding: "SAME", "VALID", or pairs [before, after] for each axis of the input.
      data_format: None or "NWC", "NHWC", "NDHWC"; "NCW", "NCHW", "NCDHW" for channels first.
      dilations: the distances of the taps: an int, or one for each axis; 1 by default.

    Returns:
      `[..., *places, output channels]`, in the layout of the input. Derivatives of any order exist for all strides and
      dilations.

    >>> tf.nn.convolution(tf.ones([1, 5, 1]), tf.ones([3, 1, 1]))[0, :, 0].numpy()
    array([3., 3., 3.], dtype=float32)
    """
    x = tensor(input)
    w = beside(filters, x)
    return convolve("convolution", x, w, w.ndim - 2, strides, padding, data_format, dilations)


def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: Any = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution over one axis; see `tf.nn.convolution`.

    Args:
      input: `[..., width, channels]`, or with the channels first.
      filters: `[window, input channels, output channels]`.
      stride: the step of the window.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NWC" or "NCW".
      dilations: the distance of the taps.

    Returns:
      `[..., places, output channels]`, in the layout of the input.

    >>> tf.nn.conv1d(tf.ones([1, 4, 1]), tf.ones([3, 1, 1]), stride=1, padding="SAME")[0, :, 0].numpy()
    array([2., 3., 3., 2.], dtype=float32)
    """
    x = tensor(input)
    return convolve("conv1d", x, beside(filters, x), 1, stride, padding, data_format, dilations)


def _convolutions(default: str, rank: int) -> Family[Tensor]:
    """The family of one rank. They differ in the default of `data_format`."""

    @family(
        padding=_PAIRS,
        strides=f"the steps of the window: an int, or {rank} or {rank + 2} of them.",
        dilations=f"the distances of the taps: an int, or {rank} or {rank + 2} of them.",
    )
    def convolution(who: str) -> Callable[..., Tensor]:
        def function(
            input: TensorLike,
            filters: TensorLike,
            strides: Any,
            padding: Any,
            data_format: str = default,
            dilations: Any = None,
            name: str | None = None,
        ) -> Tensor:
            x = tensor(input)
            return convolve(who, x, beside(filters, x), rank, strides, padding, data_format, dilations)

        return function

    return convolution


conv2d = _convolutions("NHWC", 2)(
    "conv2d",
    "The convolution over two axes; see `tf.nn.convolution`.",
    """tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([3, 3, 1, 1]), 1, "SAME")[0, :, :, 0].numpy() -> array([[4., 6., 4.],
       [6., 9., 6.],
       [4., 6., 4.]], dtype=float32)""",
    returns="`[..., places, places, output channels]`, in the layout of the input.",
    input="`[..., height, width, channels]`, or with the channels first.",
    filters="`[window height, window width, input channels, output channels]`.",
    data_format='"NHWC" or "NCHW".',
)
conv3d = _convolutions("NDHWC", 3)(
    "conv3d",
    "The convolution over three axes; see `tf.nn.convolution`.",
    'tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1]), 1, "VALID").numpy().item() -> 8.0',
    returns="`[..., *places, output channels]`, in the layout of the input.",
    input="`[..., depth, height, width, channels]`, or with the channels first.",
    filters="`[*window, input channels, output channels]`.",
    data_format='"NDHWC" or "NCDHW".',
)


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of a convolution over one, two or three axes: its gradient with respect to the input.

    Args:
      input: `[n, *places, input channels]`, or with the channels first.
      filters: `[*window, output channels, input channels]`, in the dtype of the input.
      output_shape: the shape of the result.
      strides: the steps of the window: an int, or one for each axis.
      padding: of the convolution that is transposed: "SAME", "VALID", or pairs for each axis.
      data_format: None or "NWC", "NHWC", "NDHWC"; "NCW", "NCHW", "NCDHW" for channels first.
      dilations: the distances of the taps.

    Returns:
      `[n, *size, output channels]`, in the layout of the input.

    >>> tf.nn.conv_transpose(tf.ones([1, 2, 1]), tf.ones([2, 1, 1]), [1, 4, 1], strides=2)[0, :, 0].numpy()
    array([1., 1., 1., 1.], dtype=float32)
    """
    if not isinstance(output_shape, (Tensor, Variable)) and not hasattr(output_shape, "__len__"):
        raise ValueError(
            errors.compose(
                f"conv_transpose: `output_shape` must be a tensor or sized collection, got {output_shape!r}.",
                "give the shape of the result.",
            )
        )
    if len(output_shape) not in (3, 4, 5):
        raise ValueError(
            errors.compose(
                f"conv_transpose: `output_shape` must be of length 3, 4 or 5, got one of length {len(output_shape)}.",
                "give the shape of the result, with the batch and the channels.",
            )
        )
    x = tensor(input)
    w = beside(filters, x)
    return transpose("conv_transpose", x, w, w.ndim - 2, output_shape, strides, padding, data_format, dilations)


def _transposes(default: str, rank: int) -> Family[Tensor]:
    """The family of one rank. They differ in the default of `data_format`."""

    @family(padding=_PAIRS, dilations="the distances of the taps.")
    def transposed(who: str) -> Callable[..., Tensor]:
        def function(
            input: TensorLike,
            filters: TensorLike,
            output_shape: Any,
            strides: Any,
            padding: Any = "SAME",
            data_format: str = default,
            dilations: Any = None,
            name: str | None = None,
        ) -> Tensor:
            x = tensor(input)
            w = beside(filters, x)
            return transpose(who, x, w, rank, output_shape, strides, padding, data_format, dilations)

        return function

    return transposed


conv1d_transpose = _transposes("NWC", 1)(
    "conv1d_transpose",
    "The transpose of a convolution over one axis; see `tf.nn.conv_transpose`.",
    'tf.nn.conv1d_transpose(tf.ones([1, 2, 1]), tf.ones([3, 1, 1]), [1, 5, 1], 2, "VALID")[0, :, 0].numpy() -> '
    "array([1., 1., 2., 1., 1.], dtype=float32)",
    returns="`[n, width, output channels]`, in the layout of the input.",
    input="`[n, places, input channels]`, or with the channels first.",
    filters="`[window, output channels, input channels]`.",
    output_shape="the shape of the result, or its width.",
    strides="the step of the window.",
    data_format='"NWC" or "NCW".',
)
conv2d_transpose = _transposes("NHWC", 2)(
    "conv2d_transpose",
    "The transpose of a convolution over two axes, also called deconvolution; see `tf.nn.conv_transpose`.",
    "tf.nn.conv2d_transpose(tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1]), [1, 2, 2, 1], 2)[0, :, :, 0].numpy() -> "
    "array([[1., 1.],\n       [1., 1.]], dtype=float32)",
    returns="`[n, height, width, output channels]`, in the layout of the input.",
    input="`[n, places, places, input channels]`, or with the channels first.",
    filters="`[window height, window width, output channels, input channels]`.",
    output_shape="the shape of the result, or its height and width.",
    strides="the steps of the window: an int, or 2 or 4 of them.",
    data_format='"NHWC" or "NCHW".',
)
conv3d_transpose = _transposes("NDHWC", 3)(
    "conv3d_transpose",
    "The transpose of a convolution over three axes; see `tf.nn.conv_transpose`.",
    "tf.nn.conv3d_transpose(tf.ones([1, 1, 1, 1, 1]), tf.ones([2, 2, 2, 1, 1]), [1, 2, 2, 2, 1], 2).shape -> "
    "TensorShape([1, 2, 2, 2, 1])",
    returns="`[n, depth, height, width, output channels]`, in the layout of the input.",
    input="`[n, *places, input channels]`, or with the channels first.",
    filters="`[*window, output channels, input channels]`.",
    output_shape="the shape of the result, or its depth, height and width.",
    strides="the steps of the window: an int, or 3 or 5 of them.",
    data_format='"NDHWC" or "NCDHW".',
)
