"""Blocks of space in the batch axis or among the channels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integers, tensor
from gradtape.core import convert, errors
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.family import dims
from gradtape.ops.movement import Identity, Reshape, Transpose
from gradtape.ops.slicing import Pad, StridedSlice

Pairs = tuple[tuple[int, int], ...]


def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Spatial blocks moved to the batch axis: elements at the same position of all blocks form one batch entry.

    Args:
      input: a tensor `[batch, space..., rest...]`.
      block_shape: the size of a block along each axis of space, which are as many; an int stands for a pair.
      paddings: a pair `[before, after]` for each axis of space: zeros are added first. The sum must be a multiple of the
        block.

    Returns:
      A tensor `[batch * prod(block_shape), space / block_shape..., rest...]`.

    >>> tf.space_to_batch([[1, 2, 3, 4, 5, 6]], [2], [[0, 0]]).numpy()
    array([[1, 3, 5],
           [2, 4, 6]], dtype=int32)
    """
    x, block, sides = _blocks("space_to_batch", input, block_shape, paddings, "paddings")
    count = len(block)
    for i, ((before, after), n, b) in enumerate(zip(sides, dims(x)[1:], block, strict=False)):
        if (before + n + after) % b:
            raise errors.build(
                errors.ShapeError,
                f"space_to_batch: axis {i + 1} has length {before + n + after} with paddings, but blocks of {b}.",
                "add paddings up to a multiple; tf.required_space_to_batch_paddings computes them.",
            )
    rest = x.ndim - 1 - count
    blank = b"" if x.dtype.kind == "O" else 0
    if any(max(s) for s in sides):
        x = Pad(x, paddings=((0, 0), *sides, *((0, 0),) * rest), mode="constant", value=blank)
    batch, *space = dims(x)[: count + 1]
    parts = [n for s, b in zip(space, block, strict=True) for n in (s // b, b)]
    x = Reshape(x, shape=(batch, *parts, *dims(x)[count + 1 :]))
    outer, inner = range(1, 2 * count, 2), range(2, 2 * count + 1, 2)
    x = Transpose(x, perm=(*inner, 0, *outer, *range(2 * count + 1, x.ndim)))
    shape = dims(x)
    return Reshape(x, shape=(math.prod(shape[: count + 1]), *shape[count + 1 :]))


def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Spatial blocks assembled from entries of the batch axis: the inverse of `tf.space_to_batch`.

    Args:
      input: a tensor `[batch, space..., rest...]`.
      block_shape: the size of a block along each axis of space, which are as many; an int stands for a pair.
      crops: a pair `[before, after]` for each axis of space: how much is cut off in the end.

    Returns:
      A tensor `[batch / prod(block_shape), space * block_shape - crops..., rest...]`.

    >>> tf.batch_to_space([[1, 3, 5], [2, 4, 6]], [2], [[0, 1]]).numpy()
    array([[1, 2, 3, 4, 5]], dtype=int32)
    """
    x, block, sides = _blocks("batch_to_space", input, block_shape, crops, "crops")
    count, size = len(block), math.prod(block)
    batch, *space = dims(x)[: count + 1]
    if batch % size:
        raise errors.build(
            errors.ShapeError,
            f"batch_to_space: the batch axis has length {batch}, but a block {size} elements.",
            "the length must be a multiple of prod(block_shape).",
        )
    rest = dims(x)[count + 1 :]
    x = Reshape(x, shape=(*block, batch // size, *space, *rest))
    pairs = [axis for i in range(count) for axis in (count + 1 + i, i)]
    x = Transpose(x, perm=(count, *pairs, *range(2 * count + 1, x.ndim)))
    whole = [s * b for s, b in zip(space, block, strict=True)]
    x = Reshape(x, shape=(batch // size, *whole, *rest))
    for i, ((before, after), n) in enumerate(zip(sides, whole, strict=True)):
        if before + after > n:
            raise errors.build(
                errors.ShapeError,
                f"batch_to_space: crops[{i}] is {[before, after]}, but axis {i + 1} has length {n}.",
                "crop at most the length of the axis.",
            )
    if any(max(s) for s in sides):
        cut = [(before, n - after, 1) for (before, after), n in zip(sides, whole, strict=True)]
        x = StridedSlice(x, index=((0, batch // size, 1), *cut))
    return x


def _blocks(who: str, x: Any, block_shape: Any, sides: Any, name: str) -> tuple[Any, tuple[int, ...], Pairs]:
    """The tensor, the block, and the pairs of ints for each axis of space."""
    x = tensor(x)
    if type(block_shape) is int:
        block_shape = [block_shape, block_shape]
    block = integers(block_shape, who, "block_shape")
    if any(b < 1 for b in block):
        raise errors.build(
            errors.ShapeError,
            f"{who}: block_shape must be positive, got {list(block)}.",
            "use 1 or more for each axis.",
        )
    if math.prod(block) * dims(x)[0] >= 1 << 63:
        raise errors.build(
            errors.ShapeError,
            f"{who}: Negative dimension size caused by overflow: block_shape {list(block)} does not fit in 64 bits.",
            "use smaller blocks.",
        )
    if x.ndim < len(block) + 1:
        raise errors.build(
            errors.ShapeError,
            f"{who}: input has shape {x.shape}, but block_shape is {list(block)}.",
            "input needs a batch axis and one axis for each entry of block_shape.",
        )
    pairs = np.asarray(convert.convert_to_tensor(sides))
    wrong = pairs.size and (pairs.shape != (len(block), 2) or pairs.dtype.kind not in "iu" or pairs.min() < 0)
    if wrong or pairs.size != 2 * len(block):
        raise errors.build(
            errors.ShapeError,
            f"{who}: {name} is {pairs.tolist()}, but block_shape is {list(block)}.",
            "give a pair [before, after], not negative, for each entry of block_shape.",
        )
    return Identity(x) if not block else x, block, tuple([(int(p), int(q)) for p, q in pairs.reshape(-1, 2)])


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings for `tf.space_to_batch` that make blocks fit, and the crops that undo them.

    Args:
      input_shape: the lengths of the axes of space.
      block_shape: the size of a block along each.
      base_paddings: pairs `[before, after]` that are wanted at least; none by default.

    Returns:
      Two int32 tensors of shape `[axes, 2]`: paddings and crops.

    >>> paddings, crops = tf.required_space_to_batch_paddings([5, 6], [2, 3])
    >>> paddings.numpy()
    array([[0, 1],
           [0, 0]], dtype=int32)
    """
    who = "required_space_to_batch_paddings"
    lengths, block = integers(input_shape, who, "input_shape"), integers(block_shape, who, "block_shape")
    base = np.zeros((len(lengths), 2), int) if base_paddings is None else np.asarray(tensor(base_paddings))
    if len(lengths) != len(block) or base.shape != (len(block), 2) or min(block, default=1) < 1:
        raise errors.build(
            errors.ShapeError,
            f"{who}: input_shape is {list(lengths)}, block_shape {list(block)}, base_paddings {base.tolist()}: these do not match.",
            "give one positive block size, and one pair, for each axis.",
        )
    more = [-(n + int(p) + int(q)) % b for n, b, (p, q) in zip(lengths, block, base, strict=True)]
    paddings = [[int(p), int(q) + m] for (p, q), m in zip(base, more, strict=True)]
    crops = [[0, m] for m in more]
    first, second = (wrap(np.array(pairs, np.int32).reshape(len(block), 2)) for pairs in (paddings, crops))
    return first, second


def space_to_depth(input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Square blocks of images as channels.

    Args:
      input: images `[n, height, width, channels]`, or `[n, channels, height, width]`.
      block_size: the side of a block, 2 or more; height and width are multiples of it.
      data_format: "NHWC" or "NCHW".

    Returns:
      Images with sides divided by `block_size`, and `block_size ** 2` times as many channels.

    >>> tf.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy()
    array([[[[1, 2, 3, 4]]]], dtype=int32)
    """
    x, b, last = _images("space_to_depth", input, block_size, data_format)
    n, *shape = dims(x)
    height, width, depth = shape if last else (*shape[1:], shape[0])
    if height % b or width % b:
        raise errors.build(
            errors.ShapeError,
            f"space_to_depth: input has shape {x.shape}, but block_size is {b}.",
            "height and width must be multiples of block_size; pad the images.",
        )
    h, w = height // b, width // b
    if last:
        x = Transpose(Reshape(x, shape=(n, h, b, w, b, depth)), perm=(0, 1, 3, 2, 4, 5))
        return Reshape(x, shape=(n, h, w, b * b * depth))
    x = Transpose(Reshape(x, shape=(n, depth, h, b, w, b)), perm=(0, 3, 5, 1, 2, 4))
    return Reshape(x, shape=(n, b * b * depth, h, w))


def depth_to_space(input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Channels as square blocks of images: undoes `tf.nn.space_to_depth`.

    Args:
      input: images `[n, height, width, channels]`, or `[n, channels, height, width]`.
      block_size: the side of a block, 2 or more; the channels are a multiple of its square.
      data_format: "NHWC" or "NCHW".

    Returns:
      Images with sides multiplied by `block_size`, and `block_size ** 2` times fewer channels.

    >>> tf.nn.depth_to_space([[[[1, 2, 3, 4]]]], 2).numpy().tolist()
    [[[[1], [2]], [[3], [4]]]]
    """
    x, b, last = _images("depth_to_space", input, block_size, data_format)
    n, *shape = dims(x)
    h, w, channels = shape if last else (*shape[1:], shape[0])
    if channels % (b * b):
        raise errors.build(
            errors.ShapeError,
            f"depth_to_space: input has shape {x.shape} with {channels} channels, but block_size is {b}.",
            f"the channels must be a multiple of {b * b}.",
        )
    depth = channels // (b * b)
    if last:
        x = Transpose(Reshape(x, shape=(n, h, w, b, b, depth)), perm=(0, 1, 3, 2, 4, 5))
        return Reshape(x, shape=(n, h * b, w * b, depth))
    x = Transpose(Reshape(x, shape=(n, b, b, depth, h, w)), perm=(0, 3, 4, 1, 5, 2))
    return Reshape(x, shape=(n, depth, h * b, w * b))


def _images(who: str, x: Any, block_size: Any, data_format: str) -> tuple[Any, int, bool]:
    """The images, the side of a block, and whether channels come last."""
    if data_format == "NCHW_VECT_C":
        raise errors.build(
            errors.UnimplementedError,
            f"{who}: NCHW_VECT_C is a format of GPUs for int8, which is not supported.",
            'use "NHWC" or "NCHW".',
        )
    if data_format not in ("NHWC", "NCHW"):
        raise errors.build(
            errors.InvalidArgumentError,
            f'{who}: data_format must be "NHWC" or "NCHW", got {data_format!r}.',
            'use "NHWC" or "NCHW".',
        )
    x, b = tensor(x), integer(block_size, who, "block_size")
    if x.ndim != 4:
        raise errors.build(
            errors.ShapeError,
            f"{who}: input must have rank 4, got shape {x.shape}.",
            "give images [batch, height, width, channels].",
        )
    if b < 2:
        raise errors.build(
            errors.InvalidArgumentError, f"{who}: block_size must be 2 or more, got {b}.", "use 2 or more."
        )
    return x, b, data_format == "NHWC"
