"""A random permutation that is never written down: where it puts an index is computed from the index alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import NotDifferentiable, Op, declare
from gradtape.core.shape import Spec, broadcast
from gradtape.ops import philox
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.ops.movement import Reshape

ONE = np.uint64(1)


@declare("random_index_shuffle")
class RandomIndexShuffle(Op):
    """The place of an index in a permutation of 0, 1, ..., max_index that belongs to a seed of three integers.

    A Feistel network over the least square of a power of two that holds all indices; what falls outside is sent through
    again until it falls inside (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
    """

    kinds = "iu"
    homogeneous = False
    validate = True
    lower = NO_LOWERING
    vjp = NotDifferentiable("indices are integers")

    def infer(self, index: Spec, seed: Spec, max_index: Spec, *, rounds: int) -> Spec:
        self.check_dtypes(index, seed, max_index)
        if rounds < 4 or rounds % 2:
            raise self.error(
                errors.InvalidArgumentError,
                f"rounds must be even and at least 4, got {rounds}.",
                "give an even number of at least 4 rounds.",
            )
        shape = None
        if seed.shape[-1:] == (3,) and index.dtype is max_index.dtype:
            shape = broadcast(index.shape, max_index.shape)
            shape = None if shape is None else broadcast(shape, seed.shape[:-1])
        if shape is None:
            raise self.error(
                errors.ShapeError,
                f"index is {index}, seed is {seed}, max_index is {max_index}: these do not match.",
                "a seed has three integers; index and max_index share a dtype, and broadcast with the rows of the seed.",
            )
        return Spec(shape, index.dtype)

    def kernel(self, index: Any, seed: Any, max_index: Any, *, rounds: int) -> Any:
        if np.any(index < 0) or np.any(index > max_index):
            raise self.error(
                errors.InvalidArgumentError,
                "index must be from 0 to max_index, and has an element outside.",
                "check the indices.",
            )
        keys = philox.words(seed.astype(np.int64), 0, rounds // 2)
        keys = [keys[i % 2, ..., i // 2] for i in range(rounds)]
        last = max_index.astype(np.uint64)
        half = _half_width(last)
        value = index.astype(np.uint64) + np.zeros_like(keys[0]) + np.zeros_like(last)
        found = _feistel(value, keys, half)
        while np.any(found > last):
            found = np.where(found > last, _feistel(found, keys, half), found)
        return found.astype(index.dtype)

    def batch(self, batched: tuple[bool, ...], *inputs: Any, rounds: int) -> Any:
        # The seed has one axis more than the others: its words.
        ranks = [x.ndim - flag - own for x, flag, own in zip(inputs, batched, (0, 1, 0), strict=True)]
        aligned = []
        for x, flag, rank in zip(inputs, batched, ranks, strict=True):
            shape = dims(x)
            padded = shape[:1] + (1,) * (max(ranks) - rank) + shape[1:]
            aligned.append(Reshape(x, shape=padded) if flag and padded != shape else x)
        return self(*aligned, rounds=rounds)


def _half_width(last: Any) -> Any:
    """Half as many bits, rounded up, as the number has; at least one."""
    width = np.zeros_like(last)
    for step in (32, 16, 8, 4, 2, 1):
        shift = np.uint64(step)
        large = last >> shift > 0
        width = width + shift * large
        last = np.where(large, last >> shift, last)
    return (width >> ONE) + ONE


def _feistel(value: Any, keys: list[Any], half: Any) -> Any:
    mask = (ONE << half) - ONE
    left, right = value >> half, value & mask
    for key in keys:
        left, right = right, left ^ (_mixed(right ^ key) & mask)
    return left << half | right


def _mixed(word: Any) -> Any:
    """Every bit of a word spread over all its bits (the finaliser of SplitMix64)."""
    word = (word ^ word >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ word >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return word ^ word >> np.uint64(31)
