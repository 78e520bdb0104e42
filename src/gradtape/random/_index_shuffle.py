"""Random permutations of indices."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import tensor
from gradtape.core import convert, errors
from gradtape.core.tensor import Tensor
from gradtape.ops.creation import ZerosLike
from gradtape.ops.family import dims
from gradtape.ops.joining import Concat
from gradtape.ops.random_index import RandomIndexShuffle


def random_index_shuffle(index: Any, seed: Any, max_index: Any, rounds: int = 4, name: str | None = None) -> Tensor:
    """The position of an index in a random permutation of 0, 1, ..., max_index, which is never stored.

    Args:
      index: integers from 0 to `max_index`.
      seed: three integers, or a row of three for each index.
      max_index: the largest index, included; of the dtype of `index`.
      rounds: how thoroughly to mix: an even number from 4 on.

    >>> sorted(tf.random_index_shuffle(tf.range(5), seed=[1, 2, 3], max_index=4).numpy().tolist())
    [0, 1, 2, 3, 4]
    """
    index = tensor(index)
    return RandomIndexShuffle(index, tensor(seed), convert.like(max_index, index.dtype), rounds=int(rounds))


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Tensor:
    """The position of an index in a random permutation of 0, 1, ..., max_index that belongs to a seed of two integers.

    Args:
      index: integers from 0 to `max_index`.
      seed: two integers, or a row of two for each index.
      max_index: the largest index, included; of the dtype of `index`.

    >>> sorted(tf.random.experimental.index_shuffle(tf.range(5), seed=[1, 2], max_index=4).numpy().tolist())
    [0, 1, 2, 3, 4]
    """
    seed = tensor(seed)
    if not seed.ndim or dims(seed)[-1] not in (2, None):
        raise errors.build(
            errors.ShapeError,
            f"index_shuffle: seed must have two integers, got shape {list(dims(seed))}.",
            "tf.random_index_shuffle takes three.",
        )
    padded = Concat(seed, ZerosLike(seed, dtype=None)[..., :1], axis=max(0, seed.ndim - 1))
    return random_index_shuffle(index, padded, max_index)
