"""`tf.nn`: maxima and means of windows."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import integers, tensor
from gradtape.api.window_arguments import channels_first, every_axis, explicit_pairs
from gradtape.core import dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.nn._fractional_pooling import fractional_avg_pool, fractional_max_pool
from gradtape.ops.family import dims
from gradtape.ops.pooling import AvgPool, MaxPool, PoolPick, PoolPositions, PoolWinner
from gradtape.ops.windows import Pairs, Sizes, same_padding

__all__ = [
    "avg_pool", "avg_pool1d", "avg_pool2d", "avg_pool3d", "fractional_avg_pool", "fractional_max_pool", "max_pool",
    "max_pool1d", "max_pool2d", "max_pool3d", "max_pool_with_argmax", "pool",
]  # fmt: skip


def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Tensor:
    """The maximum of each window, over one, two or three axes.

    Padding is never the maximum. The gradient goes to the first position of a window that attains its maximum.

    Args:
      input: `[n, *size, channels]`, or with the channels first; rank 3, 4 or 5.
      ksize: the window: an int, or one for each axis that it moves over, or for each axis of the input.
      strides: the steps of the window, likewise.
      padding: "SAME", "VALID", or pairs [before, after] for each axis of the input.
      data_format: None or "NWC", "NHWC", "NDHWC"; "NCW", "NCHW", "NCDHW" for channels first.
      name: ignored.

    Returns:
      `[n, *places, channels]`, in the layout of the input.

    >>> tf.nn.max_pool([[[1.0], [3.0], [2.0], [0.0]]], 2, 2, "VALID")[0, :, 0].numpy()
    array([3., 2.], dtype=float32)
    """
    return _by_rank(MaxPool, "max_pool", input, ksize, strides, padding, data_format)


def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NWC", name: str | None = None
) -> Tensor:
    """The maximum of each window over one axis; see `tf.nn.max_pool`.

    Args:
      input: `[n, width, channels]`, or with the channels first.
      ksize: the window.
      strides: its step.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NWC" or "NCW".
      name: ignored.

    Returns:
      `[n, places, channels]`, in the layout of the input.

    >>> tf.nn.max_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID")[0, :, 0].numpy()
    array([3., 3.], dtype=float32)
    """
    return _pool(MaxPool, "max_pool1d", tensor(input), 1, ksize, strides, padding, data_format)


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC", name: str | None = None
) -> Tensor:
    """The maximum of each window over two axes; see `tf.nn.max_pool`.

    Args:
      input: `[n, height, width, channels]`, or with the channels first.
      ksize: the window: an int, or 2 or 4 of them.
      strides: its steps, likewise.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NHWC" or "NCHW".
      name: ignored.

    Returns:
      `[n, places, places, channels]`, in the layout of the input.

    >>> tf.nn.max_pool2d(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), 2, 2, "VALID")[0, :, :, 0].numpy()
    array([[ 5.,  7.],
           [13., 15.]], dtype=float32)
    """
    return _pool(MaxPool, "max_pool2d", tensor(input), 2, ksize, strides, padding, data_format)


def max_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NDHWC", name: str | None = None
) -> Tensor:
    """The maximum of each window over three axes; see `tf.nn.max_pool`.

    Args:
      input: `[n, depth, height, width, channels]`, or with the channels first.
      ksize: the window: an int, or 3 or 5 of them.
      strides: its steps, likewise.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NDHWC" or "NCDHW".
      name: ignored.

    Returns:
      `[n, *places, channels]`, in the layout of the input.

    >>> tf.nn.max_pool3d(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().item()
    7.0
    """
    return _pool(MaxPool, "max_pool3d", tensor(input), 3, ksize, strides, padding, data_format)


def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Tensor:
    """The mean of each window, over one, two or three axes. Padding does not count.

    Args:
      input: `[n, *size, channels]`, or with the channels first; rank 3, 4 or 5.
      ksize: the window: an int, or one for each axis that it moves over, or for each axis of the input.
      strides: the steps of the window, likewise.
      padding: "SAME", "VALID", or pairs [before, after] for each axis of the input.
      data_format: None or "NWC", "NHWC", "NDHWC"; "NCW", "NCHW", "NCDHW" for channels first.
      name: ignored.

    Returns:
      `[n, *places, channels]`, in the layout of the input.

    >>> tf.nn.avg_pool([[[1.0], [3.0], [2.0]]], 2, 2, "SAME")[0, :, 0].numpy()
    array([2., 2.], dtype=float32)
    """
    return _by_rank(AvgPool, "avg_pool", input, ksize, strides, padding, data_format)


def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NWC", name: str | None = None
) -> Tensor:
    """The mean of each window over one axis; see `tf.nn.avg_pool`.

    Args:
      input: `[n, width, channels]`, or with the channels first.
      ksize: the window.
      strides: its step.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NWC" or "NCW".
      name: ignored.

    Returns:
      `[n, places, channels]`, in the layout of the input.

    >>> tf.nn.avg_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID")[0, :, 0].numpy()
    array([2. , 2.5], dtype=float32)
    """
    return _pool(AvgPool, "avg_pool1d", tensor(input), 1, ksize, strides, padding, data_format)


def avg_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC", name: str | None = None
) -> Tensor:
    """The mean of each window over two axes; see `tf.nn.avg_pool`.

    Args:
      input: `[n, height, width, channels]`, or with the channels first.
      ksize: the window: an int, or 2 or 4 of them.
      strides: its steps, likewise.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NHWC" or "NCHW".
      name: ignored.

    Returns:
      `[n, places, places, channels]`, in the layout of the input.

    >>> tf.nn.avg_pool2d(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), 2, 2, "VALID")[0, :, :, 0].numpy()
    array([[ 2.5,  4.5],
           [10.5, 12.5]], dtype=float32)
    """
    return _pool(AvgPool, "avg_pool2d", tensor(input), 2, ksize, strides, padding, data_format)


def avg_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NDHWC", name: str | None = None
) -> Tensor:
    """The mean of each window over three axes; see `tf.nn.avg_pool`.

    Args:
      input: `[n, depth, height, width, channels]`, or with the channels first.
      ksize: the window: an int, or 3 or 5 of them.
      strides: its steps, likewise.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NDHWC" or "NCDHW".
      name: ignored.

    Returns:
      `[n, *places, channels]`, in the layout of the input.

    >>> tf.nn.avg_pool3d(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().item()
    3.5
    """
    return _pool(AvgPool, "avg_pool3d", tensor(input), 3, ksize, strides, padding, data_format)


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The maximum or mean of each window, whose positions may lie apart.

    Args:
      input: `[n, *size, channels]`, or with the channels first.
      window_shape: the window: an int for each axis that it moves over.
      pooling_type: "MAX" or "AVG".
      strides: the steps of the window: an int, or one for each axis; 1 by default.
      padding: "SAME", "VALID", or pairs [before, after] for each axis of the input.
      data_format: None or "NWC", "NHWC", "NDHWC"; "NCW", "NCHW", "NCDHW" for channels first.
      dilations: the distances of the window's positions: an int, or one for each axis; 1 by default.
      name: ignored.

    Returns:
      `[n, *places, channels]`, in the layout of the input.

    >>> tf.nn.pool([[[1.0], [3.0], [2.0], [0.0]]], [2], "MAX", dilations=[2])[0, :, 0].numpy()
    array([2., 3.], dtype=float32)
    """
    window = integers(window_shape, "pool", "window_shape")
    op = {"MAX": MaxPool, "AVG": AvgPool}.get(pooling_type)
    if op is None:
        raise errors.build(
            errors.ShapeError, f"pool: {len(window)}-D {pooling_type} pooling is not supported.", 'use "MAX" or "AVG".'
        )
    return _pool(op, "pool", tensor(input), len(window), window, strides, padding, data_format, dilations)


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    output_dtype: Any = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The maximum of each window over two axes, and where it is.

    Args:
      input: `[n, height, width, channels]`.
      ksize: the window: an int, or 2 or 4 of them.
      strides: its steps, likewise.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NHWC".
      output_dtype: int32 or int64.
      include_batch_in_index: count positions over all examples instead of in each.
      name: ignored.

    Returns:
      The maxima, and the position of the first of each, as if the axes of an example were one: `(y * width + x) *
      channels + channel`.

    >>> y, where = tf.nn.max_pool_with_argmax([[[[1.0], [5.0]], [[2.0], [3.0]]]], 2, 2, "VALID")
    >>> y.numpy().item(), where.numpy().item()
    (5.0, 1)
    """
    what = "max_pool_with_argmax"
    if data_format != "NHWC":
        raise errors.build(
            errors.ShapeError, f"{what}: data_format is {data_format!r}.", "transpose the input to NHWC first."
        )
    x = tensor(input)
    params = _params(what, x, 2, ksize, strides, padding, data_format, None)
    winner = PoolWinner(x, **params)
    first = 0 if include_batch_in_index else 1
    where = PoolPositions(winner, size=dims(x), first=first, output_type=dtypes.as_dtype(output_dtype), **params)
    return PoolPick(x, winner, **params), where


def _by_rank(op: Any, what: str, input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any) -> Tensor:
    x = tensor(input)
    if not 3 <= x.ndim <= 5:
        raise errors.build(
            errors.ShapeError,
            f"{what}: `input.shape.rank` must be 3, 4 or 5, received {spec_of(x)} of rank {x.ndim}.",
            "the input has an axis for examples and one for channels beside those that the window moves over.",
        )
    return _pool(op, what, x, x.ndim - 2, ksize, strides, padding, data_format)


def _pool(
    op: Any,
    what: str,
    x: Any,
    count: int,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilations: Any = None,
) -> Tensor:
    params = _params(what, x, count, ksize, strides, padding, data_format, dilations)
    result: Tensor = op(x, **params)
    return result


def _params(
    what: str, x: Any, count: int, ksize: Any, strides: Any, padding: Any, data_format: Any, dilations: Any
) -> dict[str, Any]:
    """The op's parameters: for every axis of the input."""
    first = channels_first(data_format, count, what)
    if x.ndim != count + 2:
        raise errors.build(
            errors.ShapeError,
            f"{what}: input is {spec_of(x)}, and must have rank {count + 2}.",
            "the input has an axis for examples and one for channels beside those that the window moves over.",
        )
    window = every_axis(ksize, count, first, what, "ksize")
    steps = every_axis(strides, count, first, what, "strides")
    apart = every_axis(dilations, count, first, what, "dilations")
    pairs = _padding(what, padding, dims(x), window, steps, apart, first)
    return {"window": window, "strides": steps, "padding": pairs, "dilations": apart}


def _padding(
    what: str, padding: Any, size: Sizes, window: Sizes, strides: Sizes, dilations: Sizes, first: bool
) -> Pairs:
    if padding == "VALID":
        return ((0, 0),) * len(size)
    if padding == "SAME":
        return same_padding(size, window, strides, dilations)
    return explicit_pairs(padding, len(size) - 2, first, what)
