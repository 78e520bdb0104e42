"""Order and distribution: sorting, quantiles, counting, correlation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from keras.src.backend.common.backend_utils import canonicalize_axis

import gradtape as tf
from gradtape.keras_backend.convert import (
    as_float,
    cast,
    cast_tensor,
    convert_to_tensor,
    float_operands,
    operands,
    widened,
)
from gradtape.keras_backend.ops.numpy import elementwise
from gradtape.keras_backend.ops.numpy_fallback import values_of
from gradtape.numpy_functions import matrices


def sort(x: Any, axis: Any = -1) -> Any:
    """x in ascending order along an axis; as a vector if the axis is None."""
    x = convert_to_tensor(x)
    if axis is None:
        x, axis = tf.reshape(x, (-1,)), 0
    if x.dtype.kind == "b":
        return cast_tensor(tf.sort(cast_tensor(x, "int8"), axis=axis), "bool")
    return tf.sort(x, axis=axis)


def argsort(x: Any, axis: Any = -1) -> Any:
    """The indices that sort x."""
    x = convert_to_tensor(x)
    if x.dtype.kind == "b":
        x = cast_tensor(x, "uint8")
    if axis is None or not x.ndim:
        x, axis = tf.reshape(x, (-1,)), -1
    return cast_tensor(tf.argsort(x, axis=axis, stable=True), "int32")


def argpartition(x: Any, kth: Any, axis: Any = -1) -> Any:
    """Indices that bring the kth smallest to its place."""
    return argsort(x, axis)


def searchsorted(sorted_sequence: Any, values: Any, side: Any = "left") -> Any:
    """The insertion positions of values in a sorted sequence."""
    sorted_sequence, values = operands(convert_to_tensor(sorted_sequence), convert_to_tensor(values))
    if sorted_sequence.ndim != 1:
        raise ValueError(
            "`searchsorted` only supports 1-D sorted sequences. You can use `keras.ops.vectorized_map` to extend it to "
            f"N-D sequences. Received: sorted_sequence.shape={tuple(sorted_sequence.shape)}"
        )
    places = tf.searchsorted(sorted_sequence, tf.reshape(values, (-1,)), side=side)
    return tf.reshape(cast_tensor(places, "int32"), tuple(values.shape))


def digitize(x: Any, bins: Any) -> Any:
    """The numbers of the bins that x falls into."""
    x, bins = convert_to_tensor(x), convert_to_tensor(bins)
    x, bins = operands(x, bins)
    if x.dtype.kind == "b":
        x, bins = cast_tensor(x, "int32"), cast_tensor(bins, "int32")
    return searchsorted(bins, x, side="right")


def bincount(x: Any, weights: Any = None, minlength: Any = 0, sparse: Any = False) -> Any:
    """How often each number occurs, or the sums of its weights."""
    if sparse:
        raise ValueError("Unsupported value `sparse=True` with gradtape backend")
    x = cast(x, "int32")
    if weights is not None:
        dtype = convert_to_tensor(weights).dtype.name
        weights = cast(weights, {"int64": "int32"}.get(dtype, dtype))
    return tf.math.bincount(x, weights=weights, minlength=minlength, axis=-1)


def histogram(x: Any, bins: Any = 10, range: Any = None) -> Any:
    """The count of numbers in each bin, and the edges of the bins."""
    values = values_of(x, "histogram")
    bins = values_of(bins, "histogram") if not isinstance(bins, int) else bins
    counts, edges = np.histogram(values.astype("float64") if values.dtype.kind in "iub" else values, bins, range)
    kind = "int32" if values.dtype.kind == "b" else values.dtype.name
    floating = kind if values.dtype.kind == "f" else "float32"
    return tf.constant(counts.astype("int32")), tf.constant(edges.astype(floating))


def unique(
    x: Any,
    sorted: Any = True,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    size: Any = None,
    fill_value: Any = None,
) -> Any:
    """The distinct values, their positions and their counts."""
    values = values_of(x, "unique")
    found, index, inverse, counts = np.unique(
        values, return_index=True, return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    along = 0 if axis is None else axis
    if size is not None:
        found, index, counts = _sized(found, index, counts, along, size, fill_value)
    outputs = [convert_to_tensor(found, values.dtype.name)]
    for wanted, item in ((return_index, index), (return_inverse, inverse), (return_counts, counts)):
        if wanted:
            outputs.append(convert_to_tensor(item, "int32"))
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _sized(found: Any, index: Any, counts: Any, along: Any, size: Any, fill_value: Any) -> Any:
    """The results cut or filled to a given number of values."""
    missing = size - found.shape[along]
    if missing <= 0:
        return np.take(found, np.arange(size), along), index[:size], counts[:size]
    first = np.take(found, [0], along) if found.size else np.zeros_like(found, shape=(1,))
    fill = np.repeat(first if fill_value is None else np.full_like(first, fill_value), missing, along)
    index = np.concatenate([index, np.full(missing, index[0] if index.size else 0)])
    return np.concatenate([found, fill], along), index, np.concatenate([counts, np.zeros(missing, counts.dtype)])


def median(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The median along axes."""
    return quantile(x, 0.5, axis, "linear", keepdims)


def percentile(x: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: Any = False) -> Any:
    """Percentiles along axes."""
    return quantile(x, convert_to_tensor(q, "float32") / 100.0, axis, method, keepdims)


def quantile(x: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: Any = False) -> Any:
    """Quantiles along axes; the axis of several quantiles comes first."""
    return quantile_of_sorted(as_float(x), q, axis, method, keepdims, skip_nan=False)


def quantile_of_sorted(x: Any, q: Any, axis: Any, method: Any, keepdims: Any, skip_nan: Any) -> Any:
    """Quantiles, computed from the sorted elements, optionally ignoring NaN."""
    wide, back = widened(x)
    q = cast(q, wide.dtype)
    axes = list(range(x.ndim)) if axis is None else axis if isinstance(axis, (tuple, list)) else [axis]
    axes = [canonicalize_axis(a, x.ndim) for a in axes]
    kept = [a for a in range(x.ndim) if a not in axes]
    shape = tuple(x.shape)
    rows = tf.reshape(tf.transpose(wide, kept + axes), (*[shape[a] for a in kept], math.prod(shape[a] for a in axes)))
    is_nan = tf.math.is_nan(rows)
    ordered = tf.sort(tf.where(is_nan, convert_to_tensor(math.inf, rows.dtype), rows), axis=-1)
    if skip_nan:
        count = tf.reduce_sum(cast_tensor(tf.logical_not(is_nan), rows.dtype), axis=-1)
        broken = tf.equal(count, 0.0)
    else:
        count = tf.fill([shape[a] for a in kept], convert_to_tensor(rows.shape[-1], rows.dtype))
        broken = tf.reduce_any(is_nan, axis=-1)
    parts = [
        tf.where(broken, convert_to_tensor(math.nan, rows.dtype), _at_quantile(ordered, count, part, method))
        for part in (tf.unstack(tf.reshape(q, (-1,))) if q.ndim else [q])
    ]
    if keepdims:
        parts = [tf.reshape(p, [1 if a in axes else d for a, d in enumerate(shape)]) for p in parts]
    if not q.ndim:
        return back(parts[0])
    stacked = tf.stack(parts)
    return back(tf.reshape(stacked, (*tuple(q.shape), *tuple(stacked.shape)[1:])) if q.ndim > 1 else stacked)


def _at_quantile(ordered: Any, count: Any, q: Any, method: Any) -> Any:
    """The element at a fraction of the way through rows of which the first `count` elements count."""
    place = q * tf.maximum(count - 1.0, 0.0)
    low, high = tf.floor(place), tf.math.ceil(place)
    if method == "nearest":
        low = high = tf.round(place)
    elif method == "lower":
        high = low
    elif method == "higher":
        low = high
    elif method not in ("linear", "midpoint"):
        raise ValueError(f"Invalid method: {method}")
    below, above = _picked(ordered, low), _picked(ordered, high)
    if method == "midpoint":
        return tf.where(tf.equal(low, high), below, (below + above) * 0.5)
    weight = place - low if method == "linear" else tf.zeros_like(place)
    return tf.where(tf.equal(low, high), below, below * (1.0 - weight) + above * weight)


def _picked(rows: Any, place: Any) -> Any:
    places = tf.expand_dims(cast_tensor(place, "int32"), -1)
    return tf.squeeze(tf.gather(rows, places, axis=-1, batch_dims=rows.ndim - 1), -1)


def corrcoef(x: Any) -> Any:
    """The correlation coefficients of the rows."""
    x, back = widened(as_float(x, wide=True))
    rows = tf.reshape(x, (1, -1)) if x.ndim < 2 else x
    rows = rows - tf.reduce_mean(rows, axis=-1, keepdims=True)
    covariance = tf.matmul(rows, elementwise.conj(tf.transpose(rows)))
    deviation = tf.sqrt(tf.linalg.diag_part(elementwise.real(covariance)))
    scale = cast_tensor(tf.expand_dims(deviation, 1) * tf.expand_dims(deviation, 0), covariance.dtype)
    result = back(covariance / scale)
    return tf.reshape(result, ()) if x.ndim < 2 else result


def correlate(x1: Any, x2: Any, mode: Any = "valid") -> Any:
    """The cross-correlation of two vectors."""
    x1, x2 = float_operands(x1, x2, wide=True)
    n, m = x1.shape[0], x2.shape[0]
    if m > n:
        # The longer one stays; the result is that of the exchanged vectors, reversed.
        return elementwise.conj(tf.reverse(correlate(x2, x1, mode), [0]))
    before, after = {"valid": (0, 0), "full": (m - 1, m - 1), "same": (m // 2, (m - 1) - m // 2)}[mode]
    padded = tf.pad(x1, [[before, after]])
    count = padded.shape[0] - m + 1
    places = np.arange(count)[:, None] + np.arange(m)[None, :]
    windows = tf.gather(padded, places.astype("int32"))
    return tf.linalg.matvec(windows, elementwise.conj(x2))


def cross(x1: Any, x2: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None) -> Any:
    """The cross product of vectors of 3 (or 2) elements."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x1, x2 = operands(convert_to_tensor(x1), convert_to_tensor(x2))
    sizes = (x1.shape[axisa], x2.shape[axisb])
    if any(size not in (2, 3) for size in sizes):
        raise ValueError(
            "`x1`'s dim on `axis={axisa}` and `x2`'s dim must be either 2 or 3, but received: "
            f"{tuple(x1.shape)} and {tuple(x2.shape)}"
        )
    return matrices.cross(x1, x2, axisa, axisb, axisc)
