"""Convolutions, and patches as columns."""

from __future__ import annotations

import itertools
from typing import Any

from keras.src.backend.common.backend_utils import compute_conv_transpose_output_shape
from keras.src.backend.config import standardize_data_format

import gradtape as tf
from gradtape.keras_backend.convert import operands

_LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
_FIRST = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


def each(value: Any, count: Any) -> Any:
    """A value for each spatial dimension."""
    return (value,) * count if isinstance(value, int) else tuple(value)


def layout(data_format: Any, count: Any) -> Any:
    """TensorFlow's name of a data format."""
    return (_LAST if standardize_data_format(data_format) == "channels_last" else _FIRST)[count]


def conv(
    inputs: Any, kernel: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None, dilation_rate: Any = 1
) -> Any:
    """The convolution with a kernel; fewer channels in the kernel than in the inputs make groups."""
    inputs, kernel = operands(inputs, kernel)
    count = inputs.ndim - 2
    channels = inputs.shape[-1 if standardize_data_format(data_format) == "channels_last" else 1]
    if channels % kernel.shape[-2]:
        raise ValueError(
            "The number of input channels must be evenly divisible by kernel's channels. Received input channels "
            f"{channels} and kernel channels {kernel.shape[-2]}. "
        )
    return tf.nn.convolution(
        inputs, kernel, each(strides, count), padding.upper(), layout(data_format, count), each(dilation_rate, count)
    )


def depthwise_conv(
    inputs: Any, kernel: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None, dilation_rate: Any = 1
) -> Any:
    """The convolution of each channel by itself."""
    inputs, kernel = operands(inputs, kernel)
    count = inputs.ndim - 2
    *sizes, channels, multiplier = tuple(kernel.shape)
    strides, dilations = each(strides, count), each(dilation_rate, count)
    if count == 2 and len(set(strides)) == 1:
        is_last = standardize_data_format(data_format) == "channels_last"
        steps = (1, *strides, 1) if is_last else (1, 1, *strides)
        return tf.nn.depthwise_conv2d(
            inputs, kernel, steps, padding.upper(), layout(data_format, 2), dilations if max(dilations) > 1 else None
        )
    kernel = tf.reshape(kernel, (*sizes, 1, channels * multiplier))
    return conv(inputs, kernel, strides, padding, data_format, dilations)


def separable_conv(
    inputs: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = 1,
    padding: Any = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """A convolution of each channel, then one of 1 x 1 over all channels."""
    middle = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(middle, pointwise_kernel, 1, "valid", data_format, 1)


def conv_transpose(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: Any = "valid",
    output_padding: Any = None,
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """The transposed convolution: the gradient of a convolution with respect to its inputs."""
    inputs, kernel = operands(inputs, kernel)
    count = inputs.ndim - 2
    data_format = standardize_data_format(data_format)
    *sizes, filters, _ = tuple(kernel.shape)
    shape = compute_conv_transpose_output_shape(
        tuple(inputs.shape), sizes, filters, strides, padding, output_padding, data_format, dilation_rate
    )
    return tf.nn.conv_transpose(
        inputs,
        kernel,
        shape,
        each(strides, count),
        padding.upper(),
        layout(data_format, count),
        each(dilation_rate, count),
    )


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Windows of `[n, c, h, w]` images as columns: `[n, c * kh * kw, windows]`."""
    (kh, kw), (dh, dw), (ph, pw), (sh, sw) = [each(v, 2) for v in (kernel_size, dilation, padding, stride)]
    (input,) = operands(input)
    padded = tf.pad(input, [[0, 0], [0, 0], [ph, ph], [pw, pw]])
    n, c, h, w = tuple(padded.shape)
    rows, columns = (h - dh * (kh - 1) - 1) // sh + 1, (w - dw * (kw - 1) - 1) // sw + 1
    parts = [
        padded[:, :, i * dh : i * dh + (rows - 1) * sh + 1 : sh, j * dw : j * dw + (columns - 1) * sw + 1 : sw]
        for i, j in itertools.product(range(kh), range(kw))
    ]
    return tf.reshape(tf.stack(parts, axis=2), (n, c * kh * kw, rows * columns))


def fold(x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Images from columns, the inverse of `unfold`: overlapping values are added."""
    (h, w), (kh, kw), (dh, dw), (ph, pw), (sh, sw) = [
        each(v, 2) for v in (output_size, kernel_size, dilation, padding, stride)
    ]
    (x,) = operands(x)
    n, depth, _ = tuple(x.shape)
    c = depth // (kh * kw)
    high, wide = h + 2 * ph, w + 2 * pw
    rows, columns = (high - dh * (kh - 1) - 1) // sh + 1, (wide - dw * (kw - 1) - 1) // sw + 1
    parts = tf.unstack(tf.reshape(x, (n, c, kh * kw, rows, columns)), axis=2)
    total = tf.zeros((n, c, high, wide), x.dtype)
    for part, (i, j) in zip(parts, itertools.product(range(kh), range(kw)), strict=True):
        total = total + _spread(_spread(part, 2, sh, i * dh, high), 3, sw, j * dw, wide)
    return total[:, :, ph : ph + h, pw : pw + w]


def _spread(x: Any, axis: Any, step: Any, start: Any, size: Any) -> Any:
    """Elements spread along a longer axis at a fixed distance, with zeros between them."""
    length = x.shape[axis]
    shape = list(x.shape)
    if step > 1:
        x = tf.stack([x, *[tf.zeros_like(x)] * (step - 1)], axis=axis + 1)
        shape[axis] = length * step
        x = tf.reshape(x, shape)
        index = [slice(None)] * len(shape)
        index[axis] = slice(0, (length - 1) * step + 1)
        x = x[tuple(index)]
    margins = [[0, 0] for _ in shape]
    margins[axis] = [start, size - start - ((length - 1) * step + 1)]
    return tf.pad(x, margins)


def depth_to_space(x: Any, block_size: Any, data_format: Any = "channels_last") -> Any:
    """Channels moved into blocks of pixels."""
    (x,) = operands(x)
    if data_format == "channels_last":
        n, h, w, c = tuple(x.shape)
        parts = tf.reshape(x, (n, h, w, block_size, block_size, c // block_size**2))
        return tf.reshape(
            tf.transpose(parts, (0, 1, 3, 2, 4, 5)), (n, h * block_size, w * block_size, c // block_size**2)
        )
    n, c, h, w = tuple(x.shape)
    parts = tf.reshape(x, (n, block_size, block_size, c // block_size**2, h, w))
    return tf.reshape(tf.transpose(parts, (0, 3, 4, 1, 5, 2)), (n, c // block_size**2, h * block_size, w * block_size))


def space_to_depth(x: Any, block_size: Any, data_format: Any = "channels_last") -> Any:
    """Blocks of pixels moved into channels."""
    (x,) = operands(x)
    if data_format == "channels_last":
        n, h, w, c = tuple(x.shape)
        parts = tf.reshape(x, (n, h // block_size, block_size, w // block_size, block_size, c))
        return tf.reshape(
            tf.transpose(parts, (0, 1, 3, 2, 4, 5)), (n, h // block_size, w // block_size, c * block_size**2)
        )
    n, c, h, w = tuple(x.shape)
    parts = tf.reshape(x, (n, c, h // block_size, block_size, w // block_size, block_size))
    return tf.reshape(tf.transpose(parts, (0, 3, 5, 1, 2, 4)), (n, c * block_size**2, h // block_size, w // block_size))
