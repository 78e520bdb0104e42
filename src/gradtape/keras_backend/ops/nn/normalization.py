"""Moments, batch normalization and attention."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.core import state
from gradtape.keras_backend.convert import as_float, cast, convert_to_tensor, operands, widened


def moments(x: Any, axes: Any, keepdims: Any = False, synchronized: Any = False) -> Any:
    """Mean and variance along axes, of all replicas if synchronized; narrow floats are computed as float32."""
    x = as_float(x)
    wide, back = widened(x)
    along = list(axes) if isinstance(axes, (tuple, list)) else [axes]
    replica = tf.distribute.get_replica_context() if synchronized else None
    if replica is None or replica.num_replicas_in_sync == 1:
        mean, variance = tf.nn.moments(wide, along, keepdims=keepdims)
    else:
        mean, variance = _moments_of_all(replica, wide, along, keepdims)
    limits = x.dtype.min, x.dtype.max
    if wide is not x:
        mean, variance = [tf.clip_by_value(v, float(limits[0]), float(limits[1])) for v in (mean, variance)]
    return back(mean), back(variance)


def _moments_of_all(replica: Any, x: Any, axes: list[int], keepdims: Any) -> tuple[Any, Any]:
    """Mean and variance of the elements of all replicas: sums first, then those of squared distances from the mean."""
    count = tf.cast(tf.reduce_prod(tf.gather(tf.shape(x), axes)), x.dtype)
    total, elements = replica.all_reduce("SUM", [tf.reduce_sum(x, axes, keepdims=True), count])
    mean = total / elements
    squares = replica.all_reduce("SUM", tf.reduce_sum(tf.square(x - mean), axes, keepdims=True))
    variance = squares / elements
    return (mean, variance) if keepdims else (tf.squeeze(mean, axes), tf.squeeze(variance, axes))


def batch_normalization(
    x: Any, mean: Any, variance: Any, axis: Any, offset: Any = None, scale: Any = None, epsilon: Any = 1e-3
) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, with statistics along an axis."""
    x = as_float(x)
    shape = [1] * x.ndim
    shape[axis] = -1
    mean, variance = [tf.reshape(cast(v, x.dtype), shape) for v in (mean, variance)]
    factor = tf.math.rsqrt(variance + epsilon)
    if scale is not None:
        factor = factor * tf.reshape(cast(scale, x.dtype), shape)
    shift = -mean * factor
    if offset is not None:
        shift = shift + tf.reshape(cast(offset, x.dtype), shape)
    return x * factor + shift


def dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    scale: Any = None,
    is_causal: Any = False,
    flash_attention: Any = None,
    attn_logits_soft_cap: Any = None,
) -> Any:
    """Values looked up by the likeness of queries and keys, which have the shape `(batch, time, heads, size)`.

    Flash attention, which does not keep the weights for the backward pass, is an op of gradtape. Eager code always uses it; in
    functions, products and softmax of their own are faster, as there is machine code for them.
    """
    query, key, value = [convert_to_tensor(x) for x in (query, key, value)]
    for name, x in (("query", query), ("key", key), ("value", value)):
        if x.ndim != 4:
            raise ValueError(
                f"`dot_product_attention` only supports 4D inputs. Received: {name}.shape={tuple(x.shape)}."
            )
    query, key, value = operands(as_float(query), as_float(key), as_float(value))
    scale = float(query.shape[-1]) ** -0.5 if scale is None else scale
    bias = None if bias is None else convert_to_tensor(bias, query.dtype)
    mask = None if mask is None else cast(mask, "bool")
    is_plain = attn_logits_soft_cap is None and isinstance(scale, float)
    if flash_attention and not is_plain:
        raise ValueError("Flash attention is not supported with a soft cap or a scale that is a tensor.")
    if flash_attention or (is_plain and state.current.trace is None):
        return tf.nn.dot_product_attention(query, key, value, bias, mask, float(scale), is_causal)
    return _by_products(query, key, value, bias, mask, scale, is_causal, attn_logits_soft_cap)


def _by_products(query: Any, key: Any, value: Any, bias: Any, mask: Any, scale: Any, is_causal: Any, cap: Any) -> Any:
    """Attention whose weights are kept; their scores may be capped."""
    groups = query.shape[2] // key.shape[2]
    if groups > 1:
        key, value = [tf.repeat(x, groups, axis=2) for x in (key, value)]
    wide, back = widened(tf.einsum("btnh,bsnh->bnts", query, key))
    scores = wide * convert_to_tensor(scale, wide.dtype)
    if cap is not None:
        scores = tf.tanh(scores / cap) * cap
    if bias is not None:
        scores = scores + cast(bias, scores.dtype)
    if is_causal:
        rows, columns = tuple(scores.shape)[-2:]
        seen = tf.greater_equal(tf.range(rows)[:, None], tf.range(columns)[None, :])
        mask = seen if mask is None else tf.logical_and(mask, seen)
    if mask is not None:
        scores = tf.where(mask, scores, convert_to_tensor(-0.7 * float(scores.dtype.max), scores.dtype))
    weights = tf.nn.softmax(scores, axis=-1)
    if mask is not None:
        # As the op has it: a query that sees no key gives zeros.
        weights = tf.where(mask, weights, convert_to_tensor(0.0, weights.dtype))
    return tf.einsum("bnts,bsnh->btnh", back(weights), value)
