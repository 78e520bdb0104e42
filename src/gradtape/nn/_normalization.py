"""`tf.nn`: normalisations over rows, groups of channels and neighbouring channels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api.arguments import axes as normalized_axes
from gradtape.api.arguments import beside, integer, tensor
from gradtape.core import convert, device, dtypes, errors
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor, wrap
from gradtape.nn._softmax import batch_normalization
from gradtape.ops.arithmetic import Square
from gradtape.ops.exponential import Pow
from gradtape.ops.family import dims
from gradtape.ops.matmul import MatMul
from gradtape.ops.movement import Reshape, Transpose, inverse
from gradtape.ops.normalization import LayerNormalization


def layer_normalization(
    x: Any, scale: Any = None, offset: Any = None, axis: Any = -1, epsilon: float = 1e-5, name: str | None = None
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, with the mean and variance over axes of each example.

    A name of gradtape's own: TensorFlow has it only as a Keras layer. It is one op, forward and backward.

    Args:
      x: floating numbers.
      scale: what to multiply by, or None. Of the shape of the normalised axes, or any that broadcasts with x.
      offset: what to add, or None; likewise.
      axis: the axis or axes to normalise over; the last by default.
      epsilon: a small number, against division by zero.

    Returns:
      A tensor like x.

    >>> tf.nn.layer_normalization([[1.0, 3.0]], epsilon=0.0).numpy()
    array([[-1.,  1.]], dtype=float32)
    """
    x = tensor(x)
    over = normalized_axes(axis, x.ndim, "layer_normalization")
    shape = dims(x)
    inner = tuple([shape[a] for a in over])
    vectors = [None if v is None else beside(v, x) for v in (scale, offset)]
    fused = all(v is None or dims(v) == inner for v in vectors)
    columns = _columns(vectors if fused else (None, None), inner, x.dtype)
    if over == (x.ndim - 1,):
        y = LayerNormalization(x, *columns, epsilon=float(epsilon))[0]
    else:
        order = (*[a for a in range(x.ndim) if a not in over], *over)
        rows = Transpose(x, perm=order)
        flat = Reshape(rows, shape=(*dims(rows)[: x.ndim - len(over)], math.prod(inner)))
        y = LayerNormalization(flat, *columns, epsilon=float(epsilon))[0]
        y = Transpose(Reshape(y, shape=dims(rows)), perm=inverse(order))
    return y if fused else _affine(y, *vectors)


def group_normalization(
    x: Any,
    groups: Any,
    scale: Any = None,
    offset: Any = None,
    axis: Any = -1,
    epsilon: float = 1e-5,
    name: str | None = None,
) -> Tensor:
    """x normalised over the channels of a group and all places of an example, then scaled and shifted by channel.

    A name of gradtape's own: TensorFlow has it only as a Keras layer. One group is layer normalisation over all axes but
    the first, as many groups as channels is instance normalisation.

    Args:
      x: floating numbers; the first axis counts the examples.
      groups: how many groups; it must divide the number of channels.
      scale: a vector with what to multiply each channel by, or None.
      offset: a vector with what to add to each channel, or None.
      axis: the axis of the channels.
      epsilon: a small number, against division by zero.

    Returns:
      A tensor like x.

    >>> tf.nn.group_normalization([[1.0, 3.0, 10.0, 30.0]], groups=2, epsilon=0.0).numpy()
    array([[-1.,  1., -1.,  1.]], dtype=float32)
    """
    x = tensor(x)
    axis = normalize_axis(axis, x.ndim, "group_normalization")
    shape, count = dims(x), integer(groups, "group_normalization", "groups")
    if not axis or count < 1 or shape[axis] % count:
        raise errors.build(
            errors.ShapeError,
            f"group_normalization: x has shape {list(shape)}, axis is {axis}, groups is {count}: these do not match.",
            "the axis of the channels comes after that of the examples, and groups must divide its length.",
        )
    channels = shape[axis]
    vectors = [None if v is None else beside(v, x) for v in (scale, offset)]
    for label, v in zip(("scale", "offset"), vectors, strict=True):
        if v is not None and dims(v) != (channels,):
            raise errors.build(
                errors.ShapeError,
                f"group_normalization: {label} has shape {list(dims(v))}, but there are {channels} channels.",
                "give a vector with one element for each channel.",
            )
    split = (*shape[:axis], count, channels // count, *shape[axis + 1 :])
    order = (0, axis, *[a for a in range(1, len(split)) if a != axis])
    rows = Transpose(Reshape(x, shape=split), perm=order)
    moved = dims(rows)
    flat = Reshape(rows, shape=(*moved[:2], math.prod(moved[2:])))
    y = LayerNormalization(flat, *_columns((None, None), moved[2:], x.dtype), epsilon=float(epsilon))[0]
    y = Reshape(Transpose(Reshape(y, shape=moved), perm=inverse(order)), shape=shape)
    column = (channels,) + (1,) * (x.ndim - axis - 1)
    return _affine(y, *[None if v is None else Reshape(v, shape=column) for v in vectors])


def _columns(vectors: Any, shape: tuple[int, ...], dtype: dtypes.DType) -> list[Any]:
    """Scale and offset as vectors; ones and zeros where there is none."""
    width = (math.prod(shape),)
    found = []
    for v, fill in zip(vectors, (1, 0), strict=True):
        if v is None:
            v = wrap(device.place(np.full(width, fill, dtype.numpy)))
        found.append(v if len(shape) == 1 else Reshape(v, shape=width))
    return found


def _affine(y: Tensor, scale: Any, offset: Any) -> Tensor:
    if scale is not None:
        y = y * scale
    return y if offset is None else y + offset


def local_response_normalization(
    input: Any, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5, name: str | None = None
) -> Tensor:
    """Each element over (bias + alpha * the sum of the squares of neighbouring channels) ** beta.

    Args:
      input: a tensor of rank 4, channels last.
      depth_radius: how many channels on each side are neighbours.
      bias: keeps the quotient finite.
      alpha: the weight of the squares.
      beta: the exponent.

    Returns:
      A tensor like the input.

    >>> tf.nn.local_response_normalization(tf.ones([1, 1, 1, 3]), depth_radius=1, bias=0.0, beta=1.0).numpy().ravel()
    array([0.5       , 0.33333334, 0.5       ], dtype=float32)
    """
    x = tensor(input)
    radius = integer(depth_radius, "local_response_normalization", "depth_radius")
    if x.ndim != 4 or radius < 0:
        raise errors.build(
            errors.ShapeError,
            f"local_response_normalization: the input has shape {list(dims(x))}, depth_radius is {radius}: these do not match.",
            "the input must be 4-dimensional, channels last, and the radius not negative.",
        )
    # Sums over neighbours are a product with a band of ones, which BLAS is quick at.
    band = _band(dims(x)[-1], radius, x.dtype)
    norm = float(bias) + float(alpha) * MatMul(Square(x), band)
    return x * Pow(norm, convert.like(-float(beta), x.dtype))


def _band(size: int, radius: int, dtype: dtypes.DType) -> Tensor:
    places = np.arange(size)
    return wrap(device.place((np.abs(places[:, None] - places) <= radius).astype(dtype.numpy)))


def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """Batch normalisation with an optional scale. `tf.nn.batch_normalization` is the newer name.

    Args:
      input: a tensor with channels last.
      mean: a vector, the mean of each channel.
      variance: a vector, the variance of each channel.
      beta: a vector to add.
      gamma: a vector to multiply by, if `scale_after_normalization`.
      variance_epsilon: a small number, against division by zero.
      scale_after_normalization: whether to multiply by gamma.

    Returns:
      A tensor like the input.

    >>> tf.nn.batch_norm_with_global_normalization([3.0], [1.0], [4.0], [10.0], [5.0], 0.0, True).numpy()
    array([15.], dtype=float32)
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)
