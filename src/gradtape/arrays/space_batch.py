"""Blocks of space in other axes, sequences of several lengths, patches of volumes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integers, tensor
from gradtape.arrays.blocks import (
    batch_to_space,
    depth_to_space,
    required_space_to_batch_paddings,
    space_to_batch,
    space_to_depth,
)
from gradtape.core import dtypes, errors
from gradtape.core.dims import Undecided
from gradtape.core.symbolic_arrays import unknown_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.cast import Cast, CastToDiscrete
from gradtape.ops.comparison import Less
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather
from gradtape.ops.movement import Reshape, Transpose
from gradtape.ops.reduction import ReduceMax
from gradtape.ops.rounding import Ceil
from gradtape.ops.sequence import ReverseSequence
from gradtape.ops.slicing import Pad

__all__ = [
    "batch_to_space", "depth_to_space", "extract_volume_patches", "required_space_to_batch_paddings", "reverse_sequence",
    "sequence_mask", "space_to_batch", "space_to_depth",
]  # fmt: skip


def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None, name: str | None = None
) -> Tensor:
    """The tensor with the beginning of each sequence reversed.

    Args:
      input: sequences along `seq_axis`, one for each entry of `batch_axis`.
      seq_lengths: integers: how much of each sequence is reversed; the rest stays.
      seq_axis: the axis of time.
      batch_axis: the axis of sequences; the first by default.

    Returns:
      A tensor like the input.

    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy()
    array([[2, 1, 3],
           [6, 5, 4]], dtype=int32)
    """
    if seq_axis is None:
        raise TypeError(errors.compose("reverse_sequence: seq_axis is None.", "name the axis to reverse."))
    axes = integer(seq_axis, "reverse_sequence", "seq_axis"), integer(batch_axis or 0, "reverse_sequence", "batch_axis")
    x = tensor(input)
    if any(not 0 <= a < x.ndim for a in axes):
        raise errors.build(
            errors.RangeError,
            f"reverse_sequence: seq_axis is {axes[0]}, batch_axis is {axes[1]}, but input has rank {x.ndim}: "
            f"{'batch_dim' if 0 <= axes[0] < x.ndim else 'seq_dim'} must be < input rank.",
            "axes count from 0; negative ones are not allowed.",
        )
    return ReverseSequence(x, tensor(seq_lengths), seq_axis=axes[0], batch_axis=axes[1])


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool_, name: str | None = None) -> Tensor:
    """True for the first positions of each row, up to its length.

    Args:
      lengths: numbers, of any shape.
      maxlen: the length of the rows; the largest of the lengths by default.
      dtype: of the result.

    Returns:
      A tensor of shape `lengths.shape + [maxlen]`. There is no gradient.

    >>> tf.sequence_mask([1, 3, 2], dtype=tf.int32).numpy()
    array([[1, 0, 0],
           [1, 1, 1],
           [1, 1, 0]], dtype=int32)
    """
    x = tensor(lengths)
    if maxlen is None:
        # A place is below a length if it is below the next whole number.
        x = Ceil(x) if x.dtype.is_floating else x
        whole = CastToDiscrete(x, dtype=dtypes.int64) if x.dtype.is_floating else x
        most = ReduceMax(whole, axis=tuple(range(x.ndim)), keepdims=False) if math.prod(dims(x)) else 0
        size = max(integer(most, "sequence_mask", "maxlen"), 0)
    else:
        if getattr(maxlen, "ndim", 0) or isinstance(maxlen, (list, tuple)):
            raise ValueError(
                errors.compose(
                    f"sequence_mask: `maxlen` must be scalar, a single int, got {maxlen!r}.", "give a single int."
                )
            )
        size = integer(maxlen, "sequence_mask", "maxlen")
        if size < 0:
            raise errors.build(
                errors.InvalidArgumentError,
                f"sequence_mask: maxlen must be non-negative, got {size}.",
                "leave it out for the largest of the lengths.",
            )
    x = CastToDiscrete(x, dtype=dtypes.int64)  # places up to maxlen may not fit in the lengths' dtype
    try:
        places = wrap(np.arange(size))
    except Undecided:
        places = unknown_tensor((size,), x.dtype)
    mask = Less(places, Reshape(x, shape=(*dims(x), 1)))
    wanted = dtypes.as_dtype(dtype)
    if wanted.is_bool:
        return mask
    return (Cast if wanted.is_trainable else CastToDiscrete)(mask, dtype=wanted)


def extract_volume_patches(input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None) -> Tensor:
    """Patches of volumes, each laid out in the last axis.

    Args:
      input: volumes `[n, planes, rows, columns, channels]`.
      ksizes: the size of a patch, `[1, planes, rows, columns, 1]`.
      strides: how far apart patches begin, `[1, planes, rows, columns, 1]`.
      padding: "VALID": patches lie inside; "SAME": zeros around, and one patch for each stride.

    Returns:
      A tensor `[n, planes, rows, columns of patches, size of a patch * channels]`.

    >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> tf.extract_volume_patches(x, [1, 1, 2, 2, 1], [1, 1, 1, 1, 1], "VALID").numpy().reshape(2, 4)
    array([[0., 1., 2., 3.],
           [4., 5., 6., 7.]], dtype=float32)
    """
    who = "extract_volume_patches"
    x = tensor(input)
    sizes, steps = _window(ksizes, "ksizes"), _window(strides, "strides")
    if x.ndim != 5 or x.dtype.kind not in "fViu":
        kind = errors.ShapeError if x.ndim != 5 else errors.DTypeError
        raise errors.build(
            kind,
            f"{who}: input must hold real numbers and have rank 5, got {x.dtype.name} of shape {x.shape}.",
            "give volumes [batch, depth, height, width, channels].",
        )
    if padding not in ("SAME", "VALID"):
        raise errors.build(
            errors.InvalidArgumentError,
            f'{who}: padding must be "SAME" or "VALID", got {padding!r}.',
            'use "SAME" or "VALID".',
        )
    if padding == "SAME":
        sides = [_same(n, k, s) for n, k, s in zip(dims(x)[1:4], sizes, steps, strict=True)]
        x = Pad(x, paddings=((0, 0), *sides, (0, 0)), mode="constant", value=0)
    for i, (k, s) in enumerate(zip(sizes, steps, strict=True)):
        # Along each axis the places of all patches: the axis becomes a pair (which patch, place in it).
        axis = 1 + 2 * i
        starts = np.arange(0, max(dims(x)[axis] - k + 1, 0), s)
        x = Gather(x, starts[:, None] + np.arange(k), axis=axis, batch_dims=0)
    x = Transpose(x, perm=(0, 1, 3, 5, 2, 4, 6, 7))
    shape = dims(x)
    return Reshape(x, shape=(*shape[:4], math.prod(shape[4:])))


def _window(value: Any, name: str) -> tuple[int, ...]:
    """The three numbers in the middle of five."""
    who = "extract_volume_patches"
    found = integers(value, who, name)
    if len(found) != 5 or min(found) < 1:
        raise errors.build(
            errors.ShapeError,
            f"{who}: {name} must be five positive ints, got {list(found)}.",
            "give one for each axis of the volumes.",
        )
    if found[0] != 1 or found[4] != 1:
        raise errors.build(
            errors.UnimplementedError,
            f"{who}: the first and the last of {name} must be 1, got {list(found)}.",
            "write [1, depth, height, width, 1].",
        )
    return found[1:4]


def _same(n: int, size: int, step: int) -> tuple[int, int]:
    """Zeros before and after an axis, so that there is a patch for each step; the odd one comes after."""
    missing = max((-(-n // step) - 1) * step + size - n, 0)
    return missing // 2, missing - missing // 2
