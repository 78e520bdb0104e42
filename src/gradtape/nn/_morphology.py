"""`tf.nn`: grey-scale dilation and erosion."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import beside, tensor
from gradtape.api.window_arguments import padding_pairs, per_axis
from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.nn._convolution_arguments import check_rank
from gradtape.ops.family import dims
from gradtape.ops.morphology import Dilation2D
from gradtape.ops.slicing import Reverse


def dilation2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """The maximum over each window of the input plus the filter, channel by channel.

    With a filter of zeros this is max pooling. Padding is never the maximum, and the gradient goes to the first position
    that attains it.

    Args:
      input: `[n, height, width, channels]`.
      filters: `[height, width, channels]`, in the dtype of the input.
      strides: the steps of the window: 4 ints, or an int, or 2 of them.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      dilations: the distances of the filter's taps, like the strides.

    Returns:
      `[n, places, places, channels]`.

    >>> x = tf.reshape([0.0, 1.0, 0.0], [1, 1, 3, 1])
    >>> tf.nn.dilation2d(x, tf.zeros([1, 3, 1]), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])[0, 0, :, 0].numpy()
    array([1., 1., 1.], dtype=float32)
    """
    return _dilate("dilation2d", tensor(input), filters, strides, padding, data_format, dilations)


def erosion2d(
    value: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """The minimum over each window of the value minus the mirrored filter, channel by channel.

    Args:
      value: `[n, height, width, channels]`.
      filters: `[height, width, channels]`, in the dtype of the value.
      strides: the steps of the window: 4 ints, or an int, or 2 of them.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      dilations: the distances of the filter's taps, like the strides.

    Returns:
      `[n, places, places, channels]`.

    >>> x = tf.reshape([1.0, 2.0, 2.0], [1, 1, 3, 1])
    >>> tf.nn.erosion2d(x, tf.zeros([1, 3, 1]), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])[0, 0, :, 0].numpy()
    array([1., 1., 2.], dtype=float32)
    """
    x = tensor(value)
    w = beside(filters, x)
    check_rank("erosion2d", "filters", w, 3)
    return -_dilate("erosion2d", -x, Reverse(w, axis=(0, 1)), strides, padding, data_format, dilations)


def _dilate(what: str, x: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any) -> Tensor:
    if data_format != "NHWC":
        raise errors.build(
            errors.ShapeError,
            f"{what}: data_format must be NHWC, got {data_format!r}.",
            "transpose the input to NHWC first.",
        )
    w = beside(filters, x)
    check_rank(what, "input", x, 4)
    check_rank(what, "filters", w, 3)
    steps = per_axis(strides, 2, False, what, "strides")
    apart = per_axis(dilations, 2, False, what, "dilations")
    pairs = padding_pairs(padding, dims(x)[1:-1], dims(w)[:-1], steps, apart, False, what)
    return Dilation2D(x, w, strides=steps, padding=pairs, dilations=apart)
