"""`tf.nn`: convolutions with holes, and any function of windows made to have holes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import beside, integer, integers, tensor
from gradtape.arrays.blocks import batch_to_space, space_to_batch
from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.nn._convolution_arguments import convolve, transpose
from gradtape.ops.family import dims
from gradtape.ops.windows import extent

_LARGEST_RATE = 2**30  # the examples that TensorFlow makes are rate**2 times as many


def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Tensor:
    """The convolution over two axes with taps `rate` positions apart.

    Args:
      value: `[n, height, width, channels]`.
      filters: `[window height, window width, input channels, output channels]`.
      rate: the distance of the taps.
      padding: "SAME" or "VALID".

    Returns:
      `[n, places, places, output channels]`.

    >>> tf.nn.atrous_conv2d(tf.ones([1, 5, 5, 1]), tf.ones([3, 3, 1, 1]), 2, "VALID").shape
    TensorShape([1, 1, 1, 1])
    """
    x = tensor(value)
    rate = integer(rate, "atrous_conv2d", "rate")
    _check_rate("atrous_conv2d", rate)
    return convolve("atrous_conv2d", x, beside(filters, x), 2, 1, padding, "NHWC", rate)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """The transpose of `tf.nn.atrous_conv2d`.

    Args:
      value: `[n, places, places, input channels]`.
      filters: `[window height, window width, output channels, input channels]`.
      output_shape: the shape of the result.
      rate: the distance of the taps.
      padding: "SAME" or "VALID".

    Returns:
      `[n, height, width, output channels]`.

    >>> tf.nn.atrous_conv2d_transpose(tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1]), [1, 3, 3, 1], 2, "VALID")[0, :, 0].numpy()
    array([[1.],
           [0.],
           [1.]], dtype=float32)
    """
    what = "atrous_conv2d_transpose"
    x = tensor(value)
    rate = integer(rate, what, "rate")
    _check_rate(what, rate)
    return transpose(what, x, beside(filters, x), 2, output_shape, 1, padding, "NHWC", rate)


def _check_rate(what: str, rate: int) -> None:
    """InvalidArgumentError for a rate that no image has room for, and whose square is no size that TensorFlow could compute with."""
    if rate > _LARGEST_RATE:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{what}: rate must be at most {_LARGEST_RATE}, got {rate}.",
            "give the distance of the taps in positions of the image.",
        )


def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Any, int, Any], Any],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: Any = None,
) -> Any:
    """A function of windows, applied with dilation: it gets every `rate`-th position as a separate example.

    Args:
      input: the examples along the first axis.
      dilation_rate: how far apart neighbouring positions of a window shall be, for each axis that it moves over.
      padding: "SAME", "VALID", or pairs [before, after] for these axes.
      op: a function of (input, number of these axes, padding).
      filter_shape: the window's shape without holes; needed for "SAME".
      spatial_dims: the axes, in increasing order; by default those between examples and channels.
      data_format: one that starts with "NC" if the channels come before these axes.

    Returns:
      The function's result, with the positions in their order again.

    >>> x = tf.reshape(tf.range(6.0), [1, 6, 1])
    >>> pairs = lambda x, count, padding: x[:, 1:] + x[:, :-1]
    >>> tf.nn.with_space_to_batch(x, [2], "VALID", pairs)[0, :, 0].numpy()
    array([2., 4., 6., 8.], dtype=float32)
    """
    what = "with_space_to_batch"
    x = tensor(input)
    rate = integers(dilation_rate, what, "dilation_rate")
    count = len(rate)
    if count < 1 or min(rate) < 1:
        raise errors.build(
            errors.ShapeError,
            f"{what}: dilation_rate must hold a positive int for each axis, got {dilation_rate!r}.",
            "give a positive int for each axis.",
        )
    if max(rate) == 1:
        return op(x, count, padding)
    start = 2 if data_format is not None and data_format.startswith("NC") else 1
    axes = tuple(range(start, start + count)) if spatial_dims is None else integers(spatial_dims, what, "spatial_dims")
    if len(axes) != count or axes[0] < 1 or list(axes) != sorted(set(axes)) or axes[-1] >= x.ndim:
        raise errors.build(
            errors.ShapeError,
            f"{what}: spatial_dims is {list(axes)}, for {count} rates and an input of rank {x.ndim}: these do not match.",
            "give as many axes of the input as there are rates, in increasing order, without the first axis.",
        )
    # Every axis up to the last of them has a block, of size 1 if it is none of them.
    sizes = dims(x)[1 : axes[-1] + 1]
    blocks, pairs = [1] * len(sizes), [(0, 0)] * len(sizes)
    for axis, r, pair in zip(axes, rate, _base_padding(what, padding, filter_shape, rate), strict=True):
        blocks[axis - 1], pairs[axis - 1] = r, pair
    crops = [(0, -(low + n + high) % b) for n, (low, high), b in zip(sizes, pairs, blocks, strict=True)]
    paddings = [(low, high + more) for (low, high), (_, more) in zip(pairs, crops, strict=True)]
    y = op(space_to_batch(x, blocks, paddings), count, "VALID")
    return batch_to_space(y, blocks, crops)


def _base_padding(what: str, padding: Any, filter_shape: Any, rate: tuple[int, ...]) -> list[tuple[int, int]]:
    """What is padded on each axis because the padding asks for it."""
    if padding == "VALID":
        return [(0, 0)] * len(rate)
    if padding == "SAME":
        if filter_shape is None:
            raise errors.build(
                errors.ShapeError,
                f"{what}: `filter_shape` must be specified for `padding='SAME'`.",
                "give the window's shape, without holes.",
            )
        window = integers(filter_shape, what, "filter_shape")
        totals = [extent(k, r) - 1 for k, r in zip(window, rate, strict=False)]
        return [(total // 2, total - total // 2) for total in totals]
    pairs = [] if isinstance(padding, str) else [integers(pair, what, "padding") for pair in padding]
    if len(pairs) != len(rate) or any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise errors.build(
            errors.ShapeError,
            f'{what}: padding must be "SAME", "VALID", or {len(rate)} pairs [before, after], got {padding!r}.',
            f'use "SAME", "VALID", or {len(rate)} pairs [before, after].',
        )
    return [(pair[0], pair[1]) for pair in pairs]
