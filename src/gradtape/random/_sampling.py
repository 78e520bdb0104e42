"""Distributions: numbers from a state, for generators, seeded and stateless functions alike.

`take` is a function of a shape that gives a state to draw that many numbers from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import integers, tensor
from gradtape.api.arguments import shape as as_shape
from gradtape.core import convert, dtypes, errors
from gradtape.core.tensor import Tensor
from gradtape.ops import random
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather
from gradtape.ops.movement import Identity, Reshape

Take = Callable[[tuple[int, ...]], Tensor]


def normal(take: Take, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    """Normal numbers; differentiable with respect to mean and stddev."""
    return _scaled(random.RandomNormal, take, shape, mean, stddev, dtype)


def truncated_normal(take: Take, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    """Normal numbers within two standard deviations of the mean; differentiable with respect to mean and stddev."""
    return _scaled(random.RandomTruncatedNormal, take, shape, mean, stddev, dtype)


def _scaled(op: Any, take: Take, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    size, wanted = _size(shape, f"random.{op.name.removeprefix('random_')}"), _float(dtype)
    drawn: Tensor = op(take(size), shape=size, dtype=wanted)
    if not _is(stddev, 1.0):
        drawn = drawn * convert.convert_to_tensor(stddev, wanted)
    if not _is(mean, 0.0):
        drawn = drawn + convert.convert_to_tensor(mean, wanted)
    return drawn


def uniform(take: Take, shape: Any, minval: Any, maxval: Any, dtype: Any, whole_range: bool = False) -> Tensor:
    """Uniform numbers of [minval, maxval); floats are differentiable with respect to the bounds.

    Args:
      whole_range: whether None as both bounds means all integers of the dtype.
    """
    size, wanted = _size(shape, "random.uniform"), dtypes.as_dtype(dtype)
    if wanted.is_integer:
        return _integers(take, size, minval, maxval, wanted, whole_range)
    if wanted.name not in random.FLOATS:
        raise _bad_dtype(wanted, (*random.FLOATS, "int32", "int64"))
    drawn = random.RandomUniform(take(size), shape=size, dtype=wanted)
    if _is(minval, 0) and (maxval is None or _is(maxval, 1)):
        return drawn
    low: Any = convert.convert_to_tensor(minval, wanted)
    high: Any = convert.convert_to_tensor(1 if maxval is None else maxval, wanted)
    result: Tensor = drawn * (high - low) + low
    return result


def _integers(
    take: Take, size: tuple[int, ...], minval: Any, maxval: Any, dtype: dtypes.DType, whole_range: bool
) -> Tensor:
    if whole_range and minval is None and maxval is None:
        return bits(take, size, dtype)
    if minval is None or maxval is None:
        fix = (
            "tf.random.uniform(shape, 0, maxval, tf.int32)."
            if not whole_range
            else "give both bounds, or None for both."
        )
        what = (
            f"uniform: minval and maxval must be given for integers of dtype {dtype.name}, got {minval} and {maxval}."
        )
        raise errors.build(ValueError, what, fix)
    if dtype.name not in ("int32", "int64"):
        raise _bad_dtype(dtype, (*random.FLOATS, "int32", "int64"))
    low, high = convert.convert_to_tensor(minval, dtype), convert.convert_to_tensor(maxval, dtype)
    if low.ndim or high.ndim:
        raise errors.build(
            errors.ShapeError,
            f"uniform: the bounds of integers must be scalars, got shapes {low.shape} and {high.shape}.",
            "draw floats and round them down, or draw once for each pair of bounds.",
        )
    return random.RandomIntegers(take(size), low, high, shape=size)


def binomial(take: Take, shape: Any, counts: Any, probs: Any, dtype: Any) -> Tensor:
    """Numbers of the binomial distribution."""
    from gradtape.ops.random_counts import RandomBinomial  # a family that few programs need

    whole = as_shape(shape, "binomial")
    return RandomBinomial(take(whole), tensor(counts), tensor(probs), shape=whole, dtype=dtypes.as_dtype(dtype))


def bits(take: Take, shape: Any, dtype: Any) -> Tensor:
    """Integers over the whole range of a dtype of 32 or 64 bits."""
    size, wanted = _size(shape, "random.Generator.uniform_full_int"), dtypes.as_dtype(dtype)
    if wanted.name not in random.INTEGERS:
        raise _bad_dtype(wanted, random.INTEGERS)
    return random.RandomBits(take(size), shape=size, dtype=wanted)


def shuffle(take: Take, value: Any) -> Tensor:
    """The rows of a tensor in a random order; the gradient goes back to where each row came from."""
    x = convert.convert_to_tensor(value)
    if not x.ndim:
        return Identity(x)
    shape = dims(x)
    order = random.RandomPermutation(take(shape[:1]), size=shape[0])
    # Gathered along the second axis, since gathering rows would give IndexedSlices as the gradient.
    rows = Gather(Reshape(x, shape=(1, *shape)), order, axis=1, batch_dims=0)
    return Reshape(rows, shape=shape)


def _size(shape: Any, who: str) -> tuple[int, ...]:
    if type(shape) is int:
        raise errors.build(
            errors.ShapeError,
            f"{who}: shape must be a list of sizes (must be rank 1), got {shape}.",
            f"all sizes go into one list: tf.{who}([{shape}]) or tf.{who}([{shape}, 3]).",
        )
    size = integers(shape, who, "shape")
    if size and min(size) < 0:
        what = f"{who}: sizes in shape must not be negative, got {list(size)}."
        raise errors.build(errors.ShapeError, what, "compute a size with tf.shape(x)[axis].")
    return size


def _float(dtype: Any) -> dtypes.DType:
    wanted = dtypes.as_dtype(dtype)
    if wanted.name not in random.FLOATS:
        raise errors.build(
            errors.DTypeError,
            f"random: dtype is {wanted.name}, and must be one of {', '.join(random.FLOATS)}.",
            "draw floats, and convert them with tf.cast.",
        )
    return wanted


def _bad_dtype(dtype: dtypes.DType, accepted: tuple[str, ...]) -> Exception:
    return ValueError(
        errors.compose(
            f"Argument `dtype` got invalid value {dtype!r}. Accepted dtypes are {', '.join(accepted)}.",
            "draw in one of these, and convert with tf.cast.",
        )
    )


def _is(value: Any, number: float) -> bool:
    """True for a Python number of that value: nothing to compute then."""
    return type(value) in (int, float) and value == number
