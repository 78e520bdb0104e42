"""`tf.nn.dot_product_attention`: queries look up values by their keys."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api.arguments import tensor
from gradtape.core import convert, device, dtypes, errors
from gradtape.core.shape import broadcast, spec_of
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.attention import Attention
from gradtape.ops.family import dims
from gradtape.ops.movement import BroadcastTo, Reshape, Transpose
from gradtape.ops.selection import Where


def dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    scale: float | None = None,
    is_causal: bool = False,
    name: str | None = None,
) -> Tensor:
    """softmax(scale * query @ key^T + bias) @ value, for each head: values weighted by the similarity of queries and keys.

    A name of gradtape's own, with the shapes of `keras.ops.dot_product_attention`. It is one op, forward and backward: the
    weights, which have an element for each pair of query and key, are not kept between them.

    Args:
      query: `[..., t, heads, dim]`.
      key: `[..., s, heads, dim]`. It may have fewer heads, if their number divides that of the query: then several
        heads share a key.
      value: `[..., s, heads, size]`, with as many heads as the key.
      bias: added to the scores; broadcasts to `[..., heads, t, s]`.
      mask: bool, true where a query may see a key; broadcasts to `[..., heads, t, s]`. A query that sees no key gives
        zeros.
      scale: what the scores are multiplied by; 1 / sqrt(dim) by default.
      is_causal: whether query i sees only keys 0 to i.

    Returns:
      `[..., t, heads, size]`.

    >>> x = tf.constant([[[1.0, 0.0]], [[0.0, 1.0]]])
    >>> tf.nn.dot_product_attention(x, x, x, is_causal=True)[0].numpy()
    array([[1., 0.]], dtype=float32)
    """
    query, key, value = tensor(query), tensor(key), tensor(value)
    _check(query, key, value)
    lead = broadcast(broadcast(dims(query)[:-3], dims(key)[:-3]) or (), dims(value)[:-3]) or ()
    (*_, t, heads, dim), (*_, s, groups, _), (*_, size) = dims(query), dims(key), dims(value)
    q, k, v = (_by_head(x, lead) for x in (query, key, value))
    pairs = (*lead, heads, t, s)
    bias = _biases(bias, mask, pairs, query.dtype)
    repeat = heads // groups
    if repeat > 1:
        # Heads that share a key are more queries of one head.
        if is_causal:
            bias = _biases(bias, np.tri(t, s, dtype=bool), pairs, query.dtype)
        q = Reshape(q, shape=(*lead, groups, repeat * t, dim))
        if bias is not None:
            bias = Reshape(BroadcastTo(bias, shape=pairs), shape=(*lead, groups, repeat * t, s))
    if bias is None:
        bias = wrap(device.place(np.zeros((1, 1), query.dtype.numpy)))
    factor = 1 / math.sqrt(dim or 1) if scale is None else float(scale)
    y = Attention(q, k, v, bias, scale=factor, causal=bool(is_causal) and repeat == 1)
    y = Reshape(y, shape=(*lead, heads, t, size))
    return Transpose(y, perm=_swapped(y.ndim))


def _check(query: Any, key: Any, value: Any) -> None:
    q, k, v = dims(query), dims(key), dims(value)
    fits = min(len(q), len(k), len(v)) >= 3 and q[-1] == k[-1] and k[-3:-1] == v[-3:-1] and k[-2] > 0
    lead = broadcast(q[:-3], k[:-3]) if fits else None
    if lead is None or q[-2] % k[-2] or broadcast(lead, v[:-3]) is None:
        raise errors.build(
            errors.ShapeError,
            f"dot_product_attention: query is {spec_of(query)}, key is {spec_of(key)}, value is {spec_of(value)}: these do not match.",
            "give [..., t, heads, dim], [..., s, heads, dim] and [..., s, heads, size].",
        )


def _by_head(x: Any, lead: tuple[int, ...]) -> Any:
    """`[..., length, heads, dim]` as `[..., heads, length, dim]` with all leading axes."""
    y = Transpose(x, perm=_swapped(x.ndim))
    shape = (*lead, *dims(y)[-3:])
    return y if dims(y) == shape else BroadcastTo(y, shape=shape)


def _swapped(rank: int) -> tuple[int, ...]:
    """The permutation that swaps the third axis from the end with the second."""
    return (*range(rank - 3), rank - 2, rank - 3, rank - 1)


def _biases(bias: Any, mask: Any, pairs: tuple[int, ...], dtype: dtypes.DType) -> Any:
    """Bias and mask as one bias; None if there is neither."""
    if bias is not None:
        bias = tensor(convert.like(bias, dtype))
    if mask is not None:
        mask = tensor(mask)
        if not mask.dtype.is_bool:
            raise errors.build(
                errors.DTypeError,
                f"dot_product_attention: mask must be bool, got {spec_of(mask)}.",
                "compare first: mask != 0.",
            )
    for label, x in (("bias", bias), ("mask", mask)):
        if x is not None and broadcast(dims(x), pairs) != pairs:
            raise errors.build(
                errors.ShapeError,
                f"dot_product_attention: {label} is {spec_of(x)}, but there are {list(pairs)} pairs of query and key.",
                f"{label} must broadcast to [..., heads, t, s].",
            )
    if mask is not None:
        zero, nothing = (convert.convert_to_tensor(x, dtype) for x in (0.0, -math.inf))
        bias = Where(mask, zero if bias is None else bias, nothing)
    if bias is None:
        return None
    # A bias with 1 as its last dimension has no effect to the op; but it may be -inf.
    shape = (*[1] * (2 - bias.ndim), *dims(bias)[:-1], pairs[-1])
    return bias if dims(bias) == shape else BroadcastTo(bias, shape=shape)
