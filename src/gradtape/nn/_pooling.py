"""`tf.nn`: maxima and means of windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import integers, tensor
from gradtape.api.families import Family, family
from gradtape.api.window_arguments import channels_first, every_axis, explicit_pairs
from gradtape.core import dtypes, errors
from gradtape.core.annotations import TensorLike
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


def _pooling(default: str | None, rank: int, **texts: str) -> Family[Tensor]:
    """The family of one rank; 0 is any. They differ in the default of `data_format`."""

    @family("`[n, *places, channels]`, in the layout of the input.", **texts)
    def pooling(who: str, op: Any) -> Callable[..., Tensor]:
        def function(
            input: TensorLike,
            ksize: Any,
            strides: Any,
            padding: Any,
            data_format: str | None = default,
            name: str | None = None,
        ) -> Tensor:
            x = tensor(input)
            if not rank and not 3 <= x.ndim <= 5:
                raise errors.build(
                    errors.ShapeError,
                    f"{who}: `input.shape.rank` must be 3, 4 or 5, received {spec_of(x)} of rank {x.ndim}.",
                    "the input has axes for examples and channels in addition to those of the window.",
                )
            return _pool(op, who, x, rank or x.ndim - 2, ksize, strides, padding, data_format)

        return function

    return pooling


_PAIRS = '"SAME", "VALID", or pairs for each axis.'
_pool_any = _pooling(
    None,
    0,
    input="`[n, *size, channels]`, or with the channels first; rank 3, 4 or 5.",
    ksize="the window: an int, or one for each axis that it moves over, or for each axis of the input.",
    strides="the steps of the window, likewise.",
    padding='"SAME", "VALID", or pairs [before, after] for each axis of the input.',
    data_format='None or "NWC", "NHWC", "NDHWC"; "NCW", "NCHW", "NCDHW" for channels first.',
)
_pool_1d = _pooling(
    "NWC",
    1,
    input="`[n, width, channels]`, or with the channels first.",
    ksize="the window.",
    strides="its step.",
    padding=_PAIRS,
    data_format='"NWC" or "NCW".',
)
_pool_2d = _pooling(
    "NHWC",
    2,
    input="`[n, height, width, channels]`, or with the channels first.",
    ksize="the window: an int, or 2 or 4 of them.",
    strides="its steps, likewise.",
    padding=_PAIRS,
    data_format='"NHWC" or "NCHW".',
)
_pool_3d = _pooling(
    "NDHWC",
    3,
    input="`[n, depth, height, width, channels]`, or with the channels first.",
    ksize="the window: an int, or 3 or 5 of them.",
    strides="its steps, likewise.",
    padding=_PAIRS,
    data_format='"NDHWC" or "NCDHW".',
)
_SQUARE = '(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), 2, 2, "VALID")[0, :, :, 0].numpy()'
_CUBE = '(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().item()'
_ONE_PLACE = "`[n, places, channels]`, in the layout of the input."
_TWO_PLACES = "`[n, places, places, channels]`, in the layout of the input."

max_pool = _pool_any(
    "max_pool",
    "The maximum of each window, over one, two or three axes.\n\n"
    "Padding is never the maximum. The gradient goes to the first position of a window that attains its maximum.",
    'tf.nn.max_pool([[[1.0], [3.0], [2.0], [0.0]]], 2, 2, "VALID")[0, :, 0].numpy() -> array([3., 2.], dtype=float32)',
    MaxPool,
)
max_pool1d = _pool_1d(
    "max_pool1d",
    "The maximum of each window over one axis; see `tf.nn.max_pool`.",
    'tf.nn.max_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID")[0, :, 0].numpy() -> array([3., 3.], dtype=float32)',
    MaxPool,
    returns=_ONE_PLACE,
)
max_pool2d = _pool_2d(
    "max_pool2d",
    "The maximum of each window over two axes; see `tf.nn.max_pool`.",
    f"tf.nn.max_pool2d{_SQUARE} -> array([[ 5.,  7.],\n       [13., 15.]], dtype=float32)",
    MaxPool,
    returns=_TWO_PLACES,
)
max_pool3d = _pool_3d(
    "max_pool3d",
    "The maximum of each window over three axes; see `tf.nn.max_pool`.",
    f"tf.nn.max_pool3d{_CUBE} -> 7.0",
    MaxPool,
)
avg_pool = _pool_any(
    "avg_pool",
    "The mean of each window, over one, two or three axes. Padding does not count.",
    'tf.nn.avg_pool([[[1.0], [3.0], [2.0]]], 2, 2, "SAME")[0, :, 0].numpy() -> array([2., 2.], dtype=float32)',
    AvgPool,
)
avg_pool1d = _pool_1d(
    "avg_pool1d",
    "The mean of each window over one axis; see `tf.nn.avg_pool`.",
    'tf.nn.avg_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID")[0, :, 0].numpy() -> array([2. , 2.5], dtype=float32)',
    AvgPool,
    returns=_ONE_PLACE,
)
avg_pool2d = _pool_2d(
    "avg_pool2d",
    "The mean of each window over two axes; see `tf.nn.avg_pool`.",
    f"tf.nn.avg_pool2d{_SQUARE} -> array([[ 2.5,  4.5],\n       [10.5, 12.5]], dtype=float32)",
    AvgPool,
    returns=_TWO_PLACES,
)
avg_pool3d = _pool_3d(
    "avg_pool3d",
    "The mean of each window over three axes; see `tf.nn.avg_pool`.",
    f"tf.nn.avg_pool3d{_CUBE} -> 3.5",
    AvgPool,
)


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
    """The maximum or mean of each window; windows may be dilated.

    Args:
      input: `[n, *size, channels]`, or with the channels first.
      window_shape: the window: an int for each axis that it moves over.
      pooling_type: "MAX" or "AVG".
      strides: the steps of the window: an int, or one for each axis; 1 by default.
      padding: "SAME", "VALID", or pairs [before, after] for each axis of the input.
      data_format: None or "NWC", "NHWC", "NDHWC"; "NCW", "NCHW", "NCDHW" for channels first.
      dilations: the distances of the window's positions: an int, or one for each axis; 1 by default.

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
    """The maximum of each window over two axes, and its position.

    Args:
      input: `[n, height, width, channels]`.
      ksize: the window: an int, or 2 or 4 of them.
      strides: its steps, likewise.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NHWC".
      output_dtype: int32 or int64.
      include_batch_in_index: count positions over all examples instead of in each.

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
            errors.ShapeError,
            f"{what}: data_format must be NHWC, got {data_format!r}.",
            "transpose the input to NHWC first.",
        )
    x = tensor(input)
    params = _params(what, x, 2, ksize, strides, padding, data_format, None)
    winner = PoolWinner(x, **params)
    first = 0 if include_batch_in_index else 1
    where = PoolPositions(winner, size=dims(x), first=first, output_type=dtypes.as_dtype(output_dtype), **params)
    return PoolPick(x, winner, **params), where


def _params(
    what: str, x: Any, count: int, ksize: Any, strides: Any, padding: Any, data_format: Any, dilations: Any
) -> dict[str, Any]:
    """The op's parameters: for every axis of the input."""
    first = channels_first(data_format, count, what)
    if x.ndim != count + 2:
        raise errors.build(
            errors.ShapeError,
            f"{what}: input is {spec_of(x)}, and must have rank {count + 2}.",
            "the input needs an axis for the batch and one for channels; a single example gets one with x[tf.newaxis].",
        )
    window = every_axis(ksize, count, first, what, "ksize")
    steps = every_axis(strides, count, first, what, "strides")
    apart = every_axis(dilations, count, first, what, "dilations")
    if max(steps) > 1 and max(apart) > 1:
        raise errors.build(
            errors.ShapeError,
            f"{what}: strides > 1 are not supported in conjunction with dilations > 1, got {strides!r} and {dilations!r}.",
            "leave out one of them; y[:, ::2] takes every second place of a result.",
        )
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
