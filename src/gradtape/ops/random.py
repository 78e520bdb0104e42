"""Random numbers: pure functions of a state, which holds a counter and a key (see `ops/philox.py`).

The stateful functions of `tf.random` keep such a state in a variable and move it on; so eager, compiled and
recomputed programs draw the same stream. Leading axes of a state are independent streams, which is also the rule for
batches.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import NotDifferentiable, Op, declare
from gradtape.core.patterns import random
from gradtape.core.shape import Spec, broadcast
from gradtape.ops import philox
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.ops.movement import Reshape

# Narrow floats leave out one bit, so that a product with an even width does not round up to the upper bound.
FLOATS = {"float16": 10, "bfloat16": 7, "float32": 24, "float64": 53}
INTEGERS = ("int32", "int64", "uint32", "uint64")


class Draw(Op):
    """Something from a state of shape `[..., 3]`."""

    kinds = "i"
    validate = True
    vjp: Any = NotDifferentiable("random bits do not depend smoothly on the generator's state")
    lower: Any = NO_LOWERING

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        return self(*inputs, **params)

    def check_state(self, state: Spec) -> tuple[int, ...]:
        """The leading axes of a state; raises if it is none."""
        if state.dtype is not dtypes.int64 or state.shape[-1:] != (3,):
            raise self.error(
                errors.DTypeError if state.dtype is not dtypes.int64 else errors.ShapeError,
                f"the state is {state}, and must be i64[3].",
                "make one with tf.random.create_rng_state(seed, 'philox').",
            )
        return state.shape[:-1]

    def check_output(self, dtype: dtypes.DType, accepted: tuple[str, ...]) -> None:
        """Raises if numbers of that dtype cannot be drawn."""
        if dtype.name not in accepted:
            raise self.error(
                errors.DTypeError,
                f"dtype is {dtype.name}, and must be one of {', '.join(accepted)}.",
                "draw in one of these and use tf.cast.",
            )


def _draw(what: str, state: Spec, shape: tuple[int, ...], dtype: dtypes.DType, digits: int = 0) -> Any:
    """The pattern of a draw from one state."""
    size = math.prod(shape)
    return random.Draw(what, size, dtype, digits) if state.shape == (3,) and size else None


class Floats(Draw):
    """Floats of a shape: `kernel(state, *, shape, dtype)`."""

    def infer(self, state: Spec, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Spec:
        self.check_output(dtype, tuple(FLOATS))
        return Spec(self.check_state(state) + shape, dtype)


@declare("random_bits")
class RandomBits(Draw):
    """Integers over the whole range of a dtype."""

    def infer(self, state: Spec, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Spec:
        self.check_output(dtype, INTEGERS)
        return Spec(self.check_state(state) + shape, dtype)

    def kernel(self, state: Any, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Any:
        return philox.bits(state, shape, dtype.numpy)

    def lower(self, state: Spec, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Any:
        return _draw("bits", state, shape, dtype)


@declare("random_uniform")
class RandomUniform(Floats):
    """Floats of [0, 1), with all bits of the mantissa random."""

    def kernel(self, state: Any, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Any:
        return philox.uniform(state, shape, dtype.numpy, FLOATS[dtype.name])

    def lower(self, state: Spec, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Any:
        return _draw("uniform", state, shape, dtype, FLOATS[dtype.name])


@declare("random_normal")
class RandomNormal(Floats):
    """Standard normal floats."""

    def kernel(self, state: Any, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Any:
        return philox.normal(state, shape, dtype.numpy)

    def lower(self, state: Spec, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Any:
        return _draw("normal", state, shape, dtype)


@declare("random_truncated_normal")
class RandomTruncatedNormal(Floats):
    """Standard normal floats on the condition that they lie between -2 and 2."""

    def kernel(self, state: Any, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Any:
        return philox.truncated_normal(state, shape, dtype.numpy)


@declare("random_integers")
class RandomIntegers(Draw):
    """Integers of [low, high), in the dtype of the bounds, which broadcast with the leading axes of the state."""

    homogeneous = False

    def infer(self, state: Spec, low: Spec, high: Spec, *, shape: tuple[int, ...]) -> Spec:
        if low.dtype is not high.dtype:
            raise self.error(
                errors.DTypeError, f"dtypes differ: low is {low}, high is {high}.", "give both bounds the same dtype."
            )
        self.check_output(low.dtype, ("int32", "int64"))
        lead: Any = self.check_state(state)
        for bound in (low, high):
            lead = None if lead is None else broadcast(lead, bound.shape)
        if lead is None:
            raise self.error(
                errors.ShapeError,
                f"the bounds must be scalars: low is {low}, high is {high}, the state is {state}.",
                "draw floats and scale them, or draw once for each pair of bounds.",
            )
        return Spec(lead + shape, low.dtype)

    def kernel(self, state: Any, low: Any, high: Any, *, shape: tuple[int, ...]) -> Any:
        lead = np.broadcast_shapes(tuple(state.shape[:-1]), tuple(low.shape), tuple(high.shape))
        if np.any(low >= high):
            if not math.prod(lead + shape):
                return np.zeros(lead + shape, low.dtype)
            raise self.error(
                errors.InvalidArgumentError,
                f"Need minval < maxval, got {low} >= {high}.",
                "maxval is excluded: pass at least minval + 1.",
            )
        return philox.integers(state, low, high, shape, lead)

    def batch(self, batched: tuple[bool, ...], *inputs: Any, shape: tuple[int, ...]) -> Any:
        # The state has one axis more than the bounds: its words.
        ranks = [x.ndim - flag - extra for x, flag, extra in zip(inputs, batched, (1, 0, 0), strict=True)]
        aligned = []
        for x, flag, rank in zip(inputs, batched, ranks, strict=True):
            shape_of_x = dims(x)
            padded = shape_of_x[:1] + (1,) * (max(ranks) - rank) + shape_of_x[1:]
            aligned.append(Reshape(x, shape=padded) if flag and padded != shape_of_x else x)
        return self(*aligned, shape=shape)

    def lower(self, state: Spec, low: Spec, high: Spec, *, shape: tuple[int, ...]) -> Any:
        is_simple = low.shape == high.shape == () and low.dtype is dtypes.int32
        return _draw("integers", state, shape, low.dtype) if is_simple else None


@declare("random_permutation")
class RandomPermutation(Draw):
    """The numbers from 0 to `size - 1` in a random order."""

    def infer(self, state: Spec, *, size: int) -> Spec:
        return Spec((*self.check_state(state), size), dtypes.int64)

    def kernel(self, state: Any, *, size: int) -> Any:
        return philox.permutation(state, size)


@declare("random_skip")
class RandomSkip(Draw):
    """The state after `count` more blocks of the stream."""

    def infer(self, state: Spec, *, count: int) -> Spec:
        return Spec((*self.check_state(state), 3), dtypes.int64)

    def kernel(self, state: Any, *, count: int) -> Any:
        return philox.skip(state, count)

    def lower(self, state: Spec, *, count: int) -> Any:
        return random.Skip(count) if state.shape == (3,) else None


@declare("random_state")
class RandomState(Draw):
    """The state that belongs to a seed of two integers, `[..., 2]`."""

    def infer(self, seed: Spec) -> Spec:
        if seed.dtype.name not in ("int32", "int64") or seed.shape[-1:] != (2,):
            raise self.error(
                errors.ShapeError if seed.dtype.is_integer else errors.DTypeError,
                f"seed is {seed}, and must be i32[2] or i64[2].",
                "pass two integers, for instance seed=[1, 2].",
            )
        return Spec((*seed.shape[:-1], 3), dtypes.int64)

    def kernel(self, seed: Any) -> Any:
        return philox.from_seed(seed)

    def lower(self, seed: Spec) -> Any:
        return random.Scramble(seed.dtype) if seed.shape == (2,) else None
