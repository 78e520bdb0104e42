"""`tf.compat.v1.nn`: functions of version 2, and the arguments that version 1 has for some."""

from __future__ import annotations

import functools
from typing import Any

import gradtape as tf
from gradtape.compat.v1 import _rooms
from gradtape.core import errors

__getattr__, __dir__ = _rooms.from_room("nn")


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: Any = None,
) -> Any:
    """The cross entropy of rows; no gradient flows into the labels."""
    return tf.nn.softmax_cross_entropy_with_logits(tf.stop_gradient(labels), logits, dim if axis is None else axis)


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Any:
    """The cross entropy of rows; gradients flow into the labels too."""
    chosen = dim if axis is None else axis
    return tf.nn.softmax_cross_entropy_with_logits(labels, logits, -1 if chosen is None else chosen)


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """The cross entropy of rows, with labels as numbers."""
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """The cross entropy of independent classes."""
    return tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)


def fractional_max_pool(
    value: Any, pooling_ratio: Any, pseudo_random: bool = False, overlapping: bool = False, deterministic: bool = False,
    seed: int = 0, seed2: int = 0, name: str | None = None,
) -> Any:  # fmt: skip
    """The maximum of windows whose sizes differ by one; the ratio has four numbers."""
    _check_ratio("fractional_max_pool", pooling_ratio)
    return tf.nn.fractional_max_pool(value, pooling_ratio, pseudo_random, overlapping, seed or seed2)


def fractional_avg_pool(
    value: Any, pooling_ratio: Any, pseudo_random: bool = False, overlapping: bool = False, deterministic: bool = False,
    seed: int = 0, seed2: int = 0, name: str | None = None,
) -> Any:  # fmt: skip
    """The mean of windows whose sizes differ by one; the ratio has four numbers."""
    _check_ratio("fractional_avg_pool", pooling_ratio)
    return tf.nn.fractional_avg_pool(value, pooling_ratio, pseudo_random, overlapping, seed or seed2)


def _check_ratio(what: str, ratio: Any) -> None:
    """UnimplementedError for windows over examples or channels; version 2 has a ValueError."""
    if len(ratio) < 4:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{what}: pooling_ratio must have 4 numbers, got {ratio!r}.",
            "give [1.0, height ratio, width ratio, 1.0].",
        )
    if ratio[0] != 1 or ratio[3] != 1:
        raise errors.build(
            errors.UnimplementedError,
            f"{what}: pooling_ratio must be 1 for the examples and the channels, got {ratio!r}.",
            "give [1.0, height ratio, width ratio, 1.0].",
        )


def _axis(axis: Any, dim: Any) -> Any:
    chosen = dim if axis is None else axis
    return -1 if chosen is None else chosen


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """The softmax of rows."""
    return tf.nn.softmax(logits, _axis(axis, dim))


def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """The logarithm of the softmax of rows."""
    return tf.nn.log_softmax(logits, _axis(axis, dim))


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None) -> Any:
    """A tensor divided by its norm."""
    return tf.nn.l2_normalize(x, dim if axis is None else axis, epsilon)


def dropout(
    x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: Any = None, name: str | None = None, rate: Any = None
) -> Any:
    """Dropout; `keep_prob` is one minus the rate."""
    if (keep_prob is None) == (rate is None):
        raise ValueError("Exactly one of `rate` and `keep_prob` must be specified.")
    return tf.nn.dropout(x, 1 - keep_prob if rate is None else rate, noise_shape, seed)


def moments(
    x: Any, axes: Any, shift: Any = None, name: str | None = None, keep_dims: Any = None, keepdims: Any = None
) -> Any:
    """Mean and variance."""
    return tf.nn.moments(x, axes, keepdims=bool(keep_dims if keepdims is None else keepdims))


def _image_format(data_format: Any) -> str:
    return data_format or "NHWC"


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Any:
    """The largest element of windows."""
    return tf.nn.max_pool2d(value if input is None else input, ksize, strides, padding, _image_format(data_format))


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Any:
    """The mean of windows."""
    return tf.nn.avg_pool2d(value if input is None else input, ksize, strides, padding, _image_format(data_format))


def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
    filters: Any = None,
) -> Any:
    """A convolution of images."""
    kernel = filter if filters is None else filters
    return tf.nn.conv2d(input, kernel, strides, padding, _image_format(data_format), dilations)


def convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """A convolution of any rank."""
    kernel = filter if filters is None else filters
    rates = dilation_rate if dilations is None else dilations
    return tf.nn.convolution(input, kernel, strides, padding, data_format, rates)


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: Any = 1.0,
) -> tuple[Any, Any, Any]:
    """A batch normalised by its own mean and variance, or by given ones; with the running mean and variance."""
    from gradtape.compat._internal import raw_ops

    y, kept_mean, kept_variance, *_ = raw_ops.FusedBatchNormV3(
        x=x,
        scale=scale,
        offset=offset,
        mean=tf.zeros([0]) if mean is None else mean,
        variance=tf.zeros([0]) if variance is None else variance,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
    )
    return y, kept_mean, kept_variance


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1, merge_repeated: bool = True
) -> Any:
    """The most likely sequences of labels."""
    return tf.nn.ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths)


def ctc_loss(
    labels: Any, inputs: Any = None, sequence_length: Any = None, preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True, ignore_longer_outputs_than_inputs: bool = False, time_major: bool = True, logits: Any = None,
) -> Any:  # fmt: skip
    """The CTC loss of label sequences without alignment; the last class is the blank."""
    given = inputs if logits is None else logits
    return tf.nn.ctc_loss(labels, given, None, sequence_length, time_major, blank_index=-1)


def _is_divided(params: Any) -> bool:
    return isinstance(params, (list, tuple)) and len(params) > 1


def _places(params: Any, ids: Any, partition_strategy: str) -> Any:
    """The rows of ids in tables that stand one behind the other; with "mod", the tables take turns."""
    if partition_strategy not in ("mod", "div"):
        raise ValueError(f"partition_strategy must be 'mod' or 'div', got {partition_strategy!r}.")
    if partition_strategy == "div" or not _is_divided(params):
        return ids
    ids, count = tf.convert_to_tensor(ids), len(params)
    starts = tf.cumsum([tf.shape(table, ids.dtype)[0] for table in params], exclusive=True)
    return tf.gather(starts, ids % count) + ids // count


def _places_of_rows(params: Any, ids: Any, partition_strategy: str) -> Any:
    if isinstance(ids, tf.SparseTensor):
        return tf.SparseTensor(ids.indices, _places(params, ids.values, partition_strategy), ids.dense_shape)
    return ids.with_flat_values(_places(params, ids.flat_values, partition_strategy))


def _joined(tables: Any, partition_strategy: str) -> Any:
    """One table, with its rows in the order of their ids."""
    if partition_strategy == "div" or not _is_divided(tables):
        return tables
    whole = tf.concat([tf.convert_to_tensor(table) for table in tables], 0)
    return tf.gather(whole, _places(tables, tf.range(whole.shape[0]), partition_strategy))


def embedding_lookup(
    params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None, validate_indices: bool = True, max_norm: Any = None
) -> Any:  # fmt: skip
    """Rows of one or several tables."""
    if isinstance(ids, tf.RaggedTensor):
        return tf.nn.embedding_lookup(params, _places_of_rows(params, ids, partition_strategy), max_norm)
    return tf.nn.embedding_lookup(params, _places(params, ids, partition_strategy), max_norm)


def embedding_lookup_sparse(
    params: Any, sp_ids: Any, sp_weights: Any, partition_strategy: str = "mod", name: str | None = None, combiner: Any = None,
    max_norm: Any = None, allow_fast_lookup: bool = False,
) -> Any:  # fmt: skip
    """Rows of one or several tables, combined."""
    if _is_divided(params) and isinstance(sp_ids, (tf.SparseTensor, tf.RaggedTensor)):
        sp_ids = _places_of_rows(params, sp_ids, partition_strategy)
    return tf.nn.embedding_lookup_sparse(params, sp_ids, sp_weights, combiner, max_norm)


def safe_embedding_lookup_sparse(
    embedding_weights: Any, sparse_ids: Any, sparse_weights: Any = None, combiner: str = "mean", default_id: Any = None,
    name: str | None = None, partition_strategy: str = "div", max_norm: Any = None, allow_fast_lookup: bool = False,
) -> Any:  # fmt: skip
    """Rows of one or several tables, combined; ids below 0 are left out."""
    tables = _joined(embedding_weights, partition_strategy)
    return tf.nn.safe_embedding_lookup_sparse(tables, sparse_ids, sparse_weights, combiner, default_id, max_norm)


def _sampled(name: str) -> Any:
    function = getattr(tf.nn, name)

    @functools.wraps(function)
    def loss(
        weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: Any, num_classes: Any, num_true: int = 1,
        sampled_values: Any = None, remove_accidental_hits: bool = name == "sampled_softmax_loss",
        partition_strategy: str = "mod", name: str | None = None, **seed: Any,
    ) -> Any:  # fmt: skip
        return function(
            _joined(weights, partition_strategy), _joined(biases, partition_strategy), labels, inputs, num_sampled,
            num_classes, num_true, sampled_values, remove_accidental_hits, **seed,
        )  # fmt: skip

    return loss


nce_loss = _sampled("nce_loss")
sampled_softmax_loss = _sampled("sampled_softmax_loss")
