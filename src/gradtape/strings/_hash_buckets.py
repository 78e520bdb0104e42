"""Strings as numbers of buckets: the same numbers as TensorFlow's, on every machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integers
from gradtape.api.array_op import flat, on_arrays
from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor
from gradtape.ops.farmhash import fingerprint64
from gradtape.strings._arguments import over, strings

_BITS = (1 << 64) - 1


def _numbers(x: Spec, **params: Any) -> Spec:
    return Spec(x.shape, dtypes.int64)


def _buckets(x: Any, hashes: list[int], count: int) -> Any:
    return np.array([h % count for h in hashes], np.int64).reshape(x.shape)[()]


def fingerprints(texts: list[bytes]) -> list[int]:
    """FarmHash's 64-bit fingerprints; all strings of one length together."""
    found = [0] * len(texts)
    by_length: dict[int, list[int]] = {}
    for i, s in enumerate(texts):
        by_length.setdefault(len(s), []).append(i)
    for length, places in by_length.items():
        rows = np.frombuffer(b"".join(texts[i] for i in places), np.uint8).reshape(len(places), length)
        for i, number in zip(places, np.asarray(fingerprint64(rows)).tolist(), strict=True):
            found[i] = int(number)
    return found


@on_arrays(_numbers)
def _fast(x: Any, *, count: int) -> Any:
    return _buckets(x, fingerprints(flat(x)), count)


@on_arrays(_numbers)
def _plain(x: Any, *, count: int) -> Any:
    return _buckets(x, [_murmur(s) for s in flat(x)], count)


@on_arrays(_numbers)
def _strong(x: Any, *, count: int, key: tuple[int, int]) -> Any:
    return _buckets(x, [_siphash(s, key) for s in flat(x)], count)


def _murmur(s: bytes, seed: int = 0xDECAFCAFFE) -> int:
    """MurmurHash64A, by Austin Appleby."""
    m = 0xC6A4A7935BD1E995
    h = seed ^ (len(s) * m & _BITS)
    whole = len(s) // 8 * 8
    for i in range(0, whole, 8):
        k = int.from_bytes(s[i : i + 8], "little") * m & _BITS
        k = (k ^ k >> 47) * m & _BITS
        h = (h ^ k) * m & _BITS
    if whole < len(s):
        h = (h ^ int.from_bytes(s[whole:], "little")) * m & _BITS
    h = (h ^ h >> 47) * m & _BITS
    return h ^ h >> 47


def _siphash(s: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4, by Jean-Philippe Aumasson and Daniel J. Bernstein."""
    k0, k1 = key
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    whole = len(s) // 8 * 8
    words = [int.from_bytes(s[i : i + 8], "little") for i in range(0, whole, 8)]
    words.append(int.from_bytes(s[whole:], "little") | (len(s) & 0xFF) << 56)
    for word in words:
        v[3] ^= word
        _rounds(v, 2)
        v[0] ^= word
    v[2] ^= 0xFF
    _rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _rounds(v: list[int], count: int) -> None:
    for _ in range(count):
        for a, b, r, turns in ((0, 1, 13, True), (2, 3, 16, False), (0, 3, 21, False), (2, 1, 17, True)):
            v[a] = (v[a] + v[b]) & _BITS
            v[b] = _turned(v[b], r) ^ v[a]
            if turns:
                v[a] = _turned(v[a], 32)


def _turned(x: int, by: int) -> int:
    return (x << by | x >> (64 - by)) & _BITS


def _count(num_buckets: Any, who: str) -> int:
    count = integer(num_buckets, who, "num_buckets")
    if count < 1:
        raise errors.build(
            errors.InvalidArgumentError, f"{who}: num_buckets must be at least 1, got {count}.", "give at least 1."
        )
    return count


def _hashed(op: Callable[..., Any], input: Any, num_buckets: Any, who: str, **more: Any) -> Tensor:
    count = _count(num_buckets, who)
    result: Tensor = over(strings(input, who), lambda x: op(x, count=count, **more))
    return result


def to_hash_bucket_fast(input: Any, num_buckets: Any, name: str | None = None) -> Tensor:
    """The number of a bucket for each string, by FarmHash.

    Args:
      input: strings.
      num_buckets: how many buckets there are.

    >>> tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).numpy()
    array([0, 2, 2])
    """
    return _hashed(_fast, input, num_buckets, "strings.to_hash_bucket_fast")


def to_hash_bucket(input: Any, num_buckets: Any, name: str | None = None) -> Tensor:
    """The number of a bucket for each string, by the hash function of TensorFlow's first versions.

    >>> tf.strings.to_hash_bucket("hello", 1000003)
    <tf.Tensor: shape=(), dtype=int64, numpy=546981>
    """
    return _hashed(_plain, input, num_buckets, "strings.to_hash_bucket")


def to_hash_bucket_strong(input: Any, num_buckets: Any, key: Any, name: str | None = None) -> Tensor:
    """The bucket of each string, by a keyed hash that cannot be predicted without the key.

    Args:
      input: strings.
      num_buckets: how many buckets there are.
      key: two integers.

    >>> tf.strings.to_hash_bucket_strong(["a", "b"], 10, [1, 2]).dtype
    tf.int64
    """
    numbers = integers(key, "strings.to_hash_bucket_strong", "key")
    if len(numbers) != 2:
        raise errors.build(
            errors.InvalidArgumentError,
            f"strings.to_hash_bucket_strong: key must be two integers (Key must have 2 elements), got {key!r}.",
            "give two integers.",
        )
    pair = tuple(n & _BITS for n in numbers)
    return _hashed(_strong, input, num_buckets, "strings.to_hash_bucket_strong", key=pair)
