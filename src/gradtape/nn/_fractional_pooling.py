"""`tf.nn`: pooling over windows of different sizes, so that an image shrinks by a non-integer ratio.

After B. Graham, Fractional Max-Pooling, arXiv:1412.6071.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.core import errors
from gradtape.core.op import describe_kinds
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.division import TruncateDiv
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather, ScatterRows
from gradtape.ops.pooling import MaxPool
from gradtape.random._functions import stateless_uniform, uniform


def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: Any = 0,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The maximum of windows whose sizes differ by one, in a random order.

    Args:
      value: `[n, height, width, channels]`.
      pooling_ratio: by how much height and width shrink, 1 or more: a number, 2 of them, or 4 with 1 for the others.
      pseudo_random: distribute the sizes evenly from a random start, rather than shuffle them.
      overlapping: let each window see the first row and column of the next.
      seed: with an integer other than 0, the same windows in every call.

    Returns:
      The maxima, and the first rows and first columns of the windows, each followed by where the last window ends.

    >>> y, rows, columns = tf.nn.fractional_max_pool(tf.ones([1, 10, 10, 1]), 1.5, seed=3)
    >>> y.shape, rows.numpy()[[0, -1]]
    (TensorShape([1, 6, 6, 1]), array([ 0, 10]))
    """
    x, rows, columns = _cut("fractional_max_pool", "fViu", value, pooling_ratio, pseudo_random, seed)
    y = x
    window = [1, 1, 1, 1]
    for axis, starts in ((1, rows), (2, columns)):
        # Windows of one size: shorter ones see their last position again, which changes no maximum.
        parts = _windows(starts, overlapping)
        window[axis] = max(map(len, parts))
        index = [p[min(i, len(p) - 1)] for p in parts for i in range(window[axis])]
        y = Gather(y, np.array(index, np.int64), axis=axis)
    shape = tuple(window)
    y = MaxPool(y, window=shape, strides=shape, padding=((0, 0),) * 4, dilations=(1,) * 4)
    return y, wrap(np.array(rows, np.int64)), wrap(np.array(columns, np.int64))


def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: Any = 0,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The mean of windows whose sizes differ by one, in a random order.

    Args:
      value: `[n, height, width, channels]`.
      pooling_ratio: by how much height and width shrink, 1 or more: a number, 2 of them, or 4 with 1 for the others.
      pseudo_random: distribute the sizes evenly from a random start, rather than shuffle them.
      overlapping: let each window see the first row and column of the next.
      seed: with an integer other than 0, the same windows in every call.

    Returns:
      The means, and the first rows and first columns of the windows, each followed by where the last window ends.

    >>> y, rows, columns = tf.nn.fractional_avg_pool(tf.ones([1, 4, 4, 1]), 2.0)
    >>> y[0, :, :, 0].numpy(), rows.numpy()
    (array([[1., 1.],
            [1., 1.]], dtype=float32), array([0, 2, 4]))
    """
    x, rows, columns = _cut("fractional_avg_pool", "fViu", value, pooling_ratio, pseudo_random, seed)
    y, number = x, tensor(np.ones((), x.dtype.as_numpy_dtype))
    for axis, starts in ((1, rows), (2, columns)):
        parts = _windows(starts, overlapping)
        index = np.array([i for p in parts for i in p], np.int64)
        owner = np.repeat(np.arange(len(parts)), list(map(len, parts)))
        counts = np.array(list(map(len, parts)), y.dtype.as_numpy_dtype)
        y = ScatterRows(owner, Gather(y, index, axis=axis), rows=len(parts), axis=axis)
        number = number * counts.reshape((-1,) + (1,) * (3 - axis))
    y = TruncateDiv(y, number) if x.dtype.is_integer else y / number
    return y, wrap(np.array(rows, np.int64)), wrap(np.array(columns, np.int64))


def _cut(
    what: str, kinds: str, value: Any, pooling_ratio: Any, pseudo_random: bool, seed: Any
) -> tuple[Any, list[int], list[int]]:
    """The images, and where the windows start along height and width."""
    x = tensor(value)
    if x.ndim != 4 or x.dtype.kind not in kinds:
        raise errors.build(
            errors.ShapeError if x.ndim != 4 else errors.DTypeError,
            f"{what}: value must be images [n, height, width, channels] of {describe_kinds(kinds)}, got {spec_of(x)}.",
            "add an axis for the batch with x[tf.newaxis], or use tf.cast.",
        )
    ratios = _ratios(what, pooling_ratio)
    number = integer(seed, what, "seed")
    starts = []
    for i, (n, ratio) in enumerate(zip(dims(x)[1:3], ratios, strict=True)):
        out = math.floor(n / ratio)
        if out < 1:
            raise errors.build(
                errors.ShapeError,
                f"{what}: pooling_ratio is {pooling_ratio!r}, and value is {spec_of(x)}: nothing would remain of {n}.",
                "use a ratio of at most the image's size.",
            )
        draws = uniform([out]) if number == 0 else stateless_uniform([out], seed=[number, i])
        starts.append(_sequence(n, out, np.asarray(draws, np.float64), pseudo_random))
    return x, starts[0], starts[1]


def _ratios(what: str, value: Any) -> tuple[float, float]:
    found = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    if len(found) == 4 and found[0] == 1 and found[3] == 1:
        found = found[1:3]
    if len(found) == 1:
        found *= 2
    if len(found) != 2 or any(not isinstance(r, (int, float)) or r < 1 for r in found):
        raise errors.build(
            errors.ShapeError,
            f"{what}: `pooling_ratio` is {value!r}; it should be >= 1.0, with first and last elements 1.0 of four.",
            "give a number, or [1.0, height ratio, width ratio, 1.0].",
        )
    return float(found[0]), float(found[1])


def _sequence(n: int, out: int, draws: Any, pseudo_random: bool) -> list[int]:
    """Where `out` windows of sizes k and k + 1 start that fill `n` positions; then n."""
    k, longer = divmod(n, out)
    if not longer or not pseudo_random:
        # As many of the longer ones as it takes, at places that random numbers rank first.
        sizes = np.full(out, k)
        sizes[np.argsort(draws, kind="stable")[:longer]] += 1
        return [0, *np.cumsum(sizes).tolist()]
    alpha = n / out
    # So far that the first window is not longer than k + 1, and the last not shorter than k.
    furthest = min((k + 2) / alpha - 1, (n + 1 - k) / alpha - (out - 1))
    u = draws[0] * furthest
    return [0, *[math.ceil(alpha * (i + u)) - 1 for i in range(1, out)], n]


def _windows(starts: list[int], overlapping: bool) -> list[range]:
    """The positions of each window."""
    n = starts[-1]
    return [range(a, min(b + overlapping, n)) for a, b in itertools.pairwise(starts)]
