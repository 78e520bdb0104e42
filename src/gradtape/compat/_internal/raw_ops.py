"""`tf.raw_ops` of the names that libraries call: with TensorFlow's parameters, by name, over public functions."""

# ruff: noqa: N802, N803

from __future__ import annotations

from typing import Any, NamedTuple

import gradtape as tf
from gradtape.ops.gamma import RandomGammaSlope


def Add(*, x: Any, y: Any, name: Any = None) -> Any:
    """A sum."""
    return tf.add(x, y)


AddV2 = Add


def Sub(*, x: Any, y: Any, name: Any = None) -> Any:
    """A difference."""
    return tf.subtract(x, y)


def Mul(*, x: Any, y: Any, name: Any = None) -> Any:
    """A product."""
    return tf.multiply(x, y)


def MatMul(*, a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, name: Any = None, **_: Any) -> Any:
    """A product of matrices."""
    return tf.matmul(a, b, transpose_a, transpose_b)


def Cast(*, x: Any, DstT: Any, Truncate: bool = False, name: Any = None) -> Any:
    """A tensor of another dtype."""
    return tf.cast(x, DstT)


def ConcatV2(*, values: Any, axis: Any, name: Any = None) -> Any:
    """Tensors, joined."""
    return tf.concat(values, axis)


def Concat(*, concat_dim: Any, values: Any, name: Any = None) -> Any:
    """Tensors, joined."""
    return tf.concat(values, concat_dim)


def Conv2D(
    *, input: Any, filter: Any, strides: Any, padding: Any, data_format: str = "NHWC", dilations: Any = None, name: Any = None,
    **_: Any,
) -> Any:  # fmt: skip
    """A convolution of images."""
    return tf.nn.conv2d(input, filter, strides, padding, data_format, dilations)


def Conv3D(
    *, input: Any, filter: Any, strides: Any, padding: Any, data_format: str = "NDHWC", dilations: Any = None, name: Any = None
) -> Any:  # fmt: skip
    """A convolution over three axes."""
    return tf.nn.conv3d(input, filter, strides, padding, data_format, dilations)


def Dilation2D(*, input: Any, filter: Any, strides: Any, rates: Any, padding: Any, name: Any = None) -> Any:
    """A grey-scale dilation."""
    return tf.nn.dilation2d(input, filter, strides, padding, "NHWC", rates)


def MaxPoolV2(
    *, input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC", name: Any = None
) -> Any:  # fmt: skip
    """The maxima of windows, whose sizes may be tensors."""
    window, steps = (tf.get_static_value(tf.convert_to_tensor(value)).tolist() for value in (ksize, strides))
    return tf.nn.max_pool(input, window, steps, padding, data_format)


class _GradientArgs(NamedTuple):
    """The axes along which the gradients of two operands are added up."""

    r0: Any
    r1: Any


def BroadcastGradientArgs(*, s0: Any, s1: Any, name: Any = None) -> _GradientArgs:
    """The axes along which two shapes are broadcast."""
    s0, s1 = tf.convert_to_tensor(s0), tf.convert_to_tensor(s1)
    rank = tf.maximum(tf.size(s0), tf.size(s1))
    one = tf.ones([1], s0.dtype)
    a = tf.concat([tf.repeat(one, rank - tf.size(s0)), s0], 0)
    b = tf.concat([tf.repeat(one, rank - tf.size(s1)), s1], 0)
    index = tf.range(rank)
    first, second = [tf.cast(tf.boolean_mask(index, tf.equal(sizes, 1)), s0.dtype) for sizes in (a, b)]
    return _GradientArgs(first, second)


def Bucketize(*, input: Any, boundaries: Any, name: Any = None) -> Any:
    """The number of the bucket into which each element falls."""
    x = tf.convert_to_tensor(input)
    flat = tf.reshape(x, [-1])
    edges = tf.cast(tf.convert_to_tensor(boundaries), tf.float32)
    found = tf.searchsorted(edges, tf.cast(flat, tf.float32), side="right")
    return tf.reshape(found, tf.shape(x))


def IgammaGradA(*, a: Any, x: Any, name: Any = None) -> Any:
    """The derivative of the lower incomplete gamma function with respect to `a`."""
    a, x = tf.convert_to_tensor(a), tf.convert_to_tensor(x)
    whole = tf.broadcast_to(a, tf.broadcast_dynamic_shape(tf.shape(a), tf.shape(x)))
    with tf.GradientTape() as tape:
        tape.watch(whole)
        y = tf.math.igamma(whole, x)
    return tape.gradient(y, whole)


def RandomGammaGrad(*, alpha: Any, sample: Any, name: Any = None) -> Any:
    """The derivative of a gamma sample with respect to `alpha`."""
    return -RandomGammaSlope(tf.convert_to_tensor(alpha), tf.convert_to_tensor(sample), order=1)


def MatrixDiagPartV2(*, input: Any, k: Any, padding_value: Any, name: Any = None) -> Any:
    """Diagonals of matrices, to the left where they are shorter."""
    return tf.linalg.diag_part(input, k=k, padding_value=padding_value, align="LEFT_LEFT")


def MatrixDiagPartV3(*, input: Any, k: Any, padding_value: Any, align: str = "RIGHT_LEFT", name: Any = None) -> Any:
    """Diagonals of matrices."""
    return tf.linalg.diag_part(input, k=k, padding_value=padding_value, align=align)


class _Unique(NamedTuple):
    """The distinct elements, and the position of each element among them."""

    y: Any
    idx: Any


class _UniqueWithCounts(NamedTuple):
    """The distinct elements, the position of each element among them, and their counts."""

    y: Any
    idx: Any
    count: Any


def UniqueV2(*, x: Any, axis: Any, out_idx: Any = tf.int32, name: Any = None) -> _Unique:
    """The different rows along an axis, in the order of their first appearance."""
    found = UniqueWithCountsV2(x=x, axis=axis, out_idx=out_idx)
    return _Unique(found.y, found.idx)


def UniqueWithCountsV2(*, x: Any, axis: Any, out_idx: Any = tf.int32, name: Any = None) -> _UniqueWithCounts:
    """The different rows along an axis with their numbers, in the order of their first appearance."""
    x = tf.convert_to_tensor(x)
    if x.shape.rank == 1:  # elements, of which nan differs from itself
        return _UniqueWithCounts(*tf.unique_with_counts(x, out_idx))
    axes = [int(a) for a in tf.reshape(tf.get_static_value(tf.convert_to_tensor(axis)), [-1]).numpy()]
    axis = axes[0] % x.shape.rank if axes else 0
    order = [axis, *[i for i in range(x.shape.rank) if i != axis]]
    rows = tf.transpose(x, order)
    flat = tf.reshape(rows, [tf.shape(rows)[0], -1])
    same = tf.reduce_all(flat[:, tf.newaxis] == flat[tf.newaxis], -1)
    first = tf.argmax(tf.cast(same, tf.int32), 1, tf.int32)
    kept, idx, count = tf.unique_with_counts(first, out_idx)
    back = [order.index(i) for i in range(x.shape.rank)]
    return _UniqueWithCounts(tf.transpose(tf.gather(rows, kept), back), idx, count)


class _BatchNorm(NamedTuple):
    """The results of batch normalisation."""

    y: Any
    batch_mean: Any
    batch_variance: Any
    reserve_space_1: Any
    reserve_space_2: Any
    reserve_space_3: Any


def FusedBatchNormV3(
    *,
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    epsilon: float = 1e-4,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: Any = None,
) -> _BatchNorm:
    """A batch normalised with its own or with given statistics, and the statistics to keep."""
    x = tf.convert_to_tensor(x)
    channel = 1 if data_format.startswith("NC") else x.shape.rank - 1
    axes = [i for i in range(x.shape.rank) if i != channel]
    inner = tf.cast(x, tf.float32) if x.dtype in (tf.float16, tf.bfloat16) else x
    shape = [-1 if i == channel else 1 for i in range(x.shape.rank)]
    scale = tf.convert_to_tensor(scale)
    offset, mean, variance = (tf.convert_to_tensor(given, scale.dtype) for given in (offset, mean, variance))
    wanted = {"scale": scale, "offset": offset}
    if not is_training or exponential_avg_factor != 1.0:
        when = "When exponential_avg_factor != 1, " if is_training else "When is_training=false, "
        wanted |= {f"{when}mean": mean, f"{when}variance": variance}
    for named, given in wanted.items():
        if not given.shape.is_compatible_with([x.shape[channel]]):
            raise tf.errors.InvalidArgumentError(
                None,
                None,
                f"FusedBatchNorm: {named} must have the same number of elements as x has channels, {x.shape[channel]}; got "
                f"shape {given.shape}.",
            )
    if is_training:
        own_mean, own_variance = tf.nn.moments(inner, axes)
        count = tf.cast(tf.size(inner) / tf.size(own_mean), own_variance.dtype)
        kept_variance = own_variance * (count / tf.maximum(count - 1, 1))
        kept_mean = own_mean
        if exponential_avg_factor != 1.0:
            kept_mean = mean * (1 - exponential_avg_factor) + own_mean * exponential_avg_factor
            kept_variance = variance * (1 - exponential_avg_factor) + kept_variance * exponential_avg_factor
    else:
        own_mean = kept_mean = mean
        own_variance = kept_variance = variance
    factor = tf.math.rsqrt(own_variance + epsilon) * scale
    y = (inner - tf.reshape(own_mean, shape)) * tf.reshape(factor, shape) + tf.reshape(offset, shape)
    return _BatchNorm(tf.cast(y, x.dtype), kept_mean, kept_variance, own_mean, own_variance, own_variance)


class _OldBatchNorm(NamedTuple):
    """The results of batch normalisation."""

    y: Any
    batch_mean: Any
    batch_variance: Any
    reserve_space_1: Any
    reserve_space_2: Any


def FusedBatchNormV2(**options: Any) -> _OldBatchNorm:
    """As `FusedBatchNormV3`, with five results."""
    return _OldBatchNorm(*FusedBatchNormV3(**options)[:5])


FusedBatchNorm = FusedBatchNormV2


def ImageProjectiveTransformV3(
    *,
    images: Any,
    transforms: Any,
    output_shape: Any,
    fill_value: Any,
    interpolation: str,
    fill_mode: str = "CONSTANT",
    name: Any = None,
) -> Any:
    """Images under projective transforms, which give the source position of each output pixel."""
    images = tf.convert_to_tensor(images)
    dtype = images.dtype
    height, width = (int(v) for v in tf.get_static_value(tf.convert_to_tensor(output_shape)))
    if images.shape[0] * height * width * images.shape[3] >= 2**63:
        text = f"ImageProjectiveTransform: Encountered overflow when multiplying the sizes of {images.shape[0]} images of {height} x {width}."
        raise tf.errors.InvalidArgumentError(None, None, text)
    t = tf.cast(tf.convert_to_tensor(transforms), tf.float32)
    t = tf.broadcast_to(t, [images.shape[0], 8])
    ys, xs = tf.meshgrid(tf.range(height, dtype=tf.float32), tf.range(width, dtype=tf.float32), indexing="ij")
    k = [t[:, i, tf.newaxis, tf.newaxis] for i in range(8)]
    depth = k[6] * xs + k[7] * ys + 1
    sizes = images.shape.as_list()
    x = _inside((k[0] * xs + k[1] * ys + k[2]) / depth, sizes[2], fill_mode)
    y = _inside((k[3] * xs + k[4] * ys + k[5]) / depth, sizes[1], fill_mode)
    values = tf.cast(images, tf.float32)
    if interpolation.upper() == "NEAREST":
        return tf.cast(_pixels(values, tf.round(y), tf.round(x), fill_value), dtype)
    y0, x0 = tf.floor(y), tf.floor(x)
    dy, dx = (y - y0)[..., tf.newaxis], (x - x0)[..., tf.newaxis]
    top = _pixels(values, y0, x0, fill_value) * (1 - dx) + _pixels(values, y0, x0 + 1, fill_value) * dx
    bottom = _pixels(values, y0 + 1, x0, fill_value) * (1 - dx) + _pixels(values, y0 + 1, x0 + 1, fill_value) * dx
    return tf.cast(top * (1 - dy) + bottom * dy, dtype)


def _inside(place: Any, size: int, mode: str) -> Any:
    """Positions mapped into an image according to the fill mode."""
    if mode == "NEAREST":
        return tf.clip_by_value(place, 0.0, size - 1.0)
    if mode == "WRAP":
        return tf.math.floormod(place, float(size)) if size > 1 else tf.zeros_like(place)
    if mode == "REFLECT":
        folded = tf.math.floormod(place + 0.5, 2.0 * size)
        return tf.clip_by_value(tf.where(folded >= size, 2.0 * size - folded, folded) - 0.5, 0.0, size - 1.0)
    return place


def _pixels(images: Any, y: Any, x: Any, fill_value: Any) -> Any:
    """The pixels at whole places; the fill value outside."""
    height, width = images.shape[1], images.shape[2]
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    row = tf.cast(tf.clip_by_value(y, 0.0, height - 1.0), tf.int32)
    column = tf.cast(tf.clip_by_value(x, 0.0, width - 1.0), tf.int32)
    found = tf.gather_nd(images, tf.stack([row, column], -1), batch_dims=1)
    return tf.where(inside[..., tf.newaxis], found, tf.cast(fill_value, tf.float32))


def ImageProjectiveTransformV2(
    *,
    images: Any,
    transforms: Any,
    output_shape: Any,
    interpolation: str,
    fill_mode: str = "CONSTANT",
    name: Any = None,
) -> Any:
    """As `ImageProjectiveTransformV3`, with zeros outside."""
    return ImageProjectiveTransformV3(
        images=images, transforms=transforms, output_shape=output_shape, fill_value=0.0, interpolation=interpolation,
        fill_mode=fill_mode,
    )  # fmt: skip
