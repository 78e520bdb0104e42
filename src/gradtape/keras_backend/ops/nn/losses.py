"""Cross entropies, sequences without alignment, hot vectors and image quality."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from keras.src import backend
from keras.src.backend.common.backend_utils import canonicalize_axis

import gradtape as tf
from gradtape.keras_backend.convert import as_float, cast, cast_tensor, convert_to_tensor, operands, widened
from gradtape.keras_backend.ops.nn.logits import logits_of
from gradtape.keras_backend.ops.numpy import shaping


def one_hot(x: Any, num_classes: Any, axis: Any = -1, dtype: Any = None, sparse: Any = False) -> Any:
    """Vectors with a 1 at the place of each number; of zeros for numbers outside."""
    x = convert_to_tensor(x)
    x = x if x.dtype.name in ("int32", "int64") else cast_tensor(x, "int32")
    if sparse:
        return _sparse_one_hot(x, int(num_classes), axis, dtype or backend.floatx())
    # tf.one_hot counts axes from the front; -1 alone is the last one.
    axis = axis if axis >= -1 else axis + len(x.shape) + 1
    return tf.one_hot(x, int(num_classes), axis=axis, dtype=dtype or backend.floatx())


def _sparse_one_hot(x: Any, count: int, axis: int, dtype: Any) -> Any:
    """As `one_hot`, with the ones alone."""
    rank = x.shape.rank
    along = axis % (rank + 1)
    places = tf.where(tf.logical_and(x >= 0, x < count))
    numbers = tf.cast(tf.gather_nd(x, places), "int64")[:, None]
    indices = tf.concat([places[:, :along], numbers, places[:, along:]], 1)
    sizes = tf.shape(x, out_type="int64")
    dense_shape = tf.concat([sizes[:along], tf.constant([count], "int64"), sizes[along:]], 0)
    result = tf.SparseTensor(indices, tf.ones(tf.shape(indices)[:1], dtype), dense_shape)
    result.set_shape([*x.shape[:along], count, *x.shape[along:]])
    return tf.sparse.reorder(result)


def multi_hot(x: Any, num_classes: Any, axis: Any = -1, dtype: Any = None, sparse: Any = False) -> Any:
    """A vector for each example with ones at the places of all its numbers."""
    x = convert_to_tensor(x)
    along = 1 if x.ndim > 1 else 0
    hot = one_hot(cast(x, "int32"), num_classes, axis=axis, dtype="int8")
    hot = cast_tensor(tf.reduce_max(hot, axis=along), dtype or backend.floatx())
    return tf.sparse.from_dense(hot) if sparse else hot


def categorical_crossentropy(target: Any, output: Any, from_logits: Any = False, axis: Any = -1) -> Any:
    """-sum(target * log(output)) along an axis; outputs are probabilities or logits."""
    output, from_logits = logits_of(output, from_logits, "Softmax", "categorical_crossentropy")
    target, output = _pair(target, output)
    _check_shapes(target, output)
    if len(target.shape) < 1:
        raise ValueError(
            f"Arguments `target` and `output` must be at least rank 1. Received: target.shape={tuple(target.shape)}, "
            f"output.shape={tuple(output.shape)}"
        )
    if from_logits:
        logs = tf.nn.log_softmax(output, axis=axis)
    else:
        output = output / tf.reduce_sum(output, axis=axis, keepdims=True)
        logs = tf.math.log(_between_zero_and_one(output))
    return tf.negative(tf.reduce_sum(target * logs, axis=axis))


def _pair(target: Any, output: Any) -> Any:
    output = as_float(output)
    return cast(target, output.dtype), output


def _check_shapes(target: Any, output: Any) -> Any:
    if len(target.shape) != len(output.shape):
        raise ValueError(
            "Arguments `target` and `output` must have the same rank (ndim). Received: "
            f"target.shape={tuple(target.shape)}, output.shape={tuple(output.shape)}"
        )
    for e1, e2 in zip(target.shape, output.shape, strict=True):
        if e1 is not None and e2 is not None and e1 != e2:
            raise ValueError(
                "Arguments `target` and `output` must have the same shape. Received: "
                f"target.shape={tuple(target.shape)}, output.shape={tuple(output.shape)}"
            )


def _between_zero_and_one(output: Any) -> Any:
    epsilon = backend.epsilon()
    return tf.clip_by_value(output, epsilon, 1.0 - epsilon)


def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: Any = False, axis: Any = -1) -> Any:
    """-log(output) at the place of the target along an axis."""
    output, from_logits = logits_of(output, from_logits, "Softmax", "sparse_categorical_crossentropy")
    output = as_float(output)
    target = cast(target, "int32")
    if target.ndim == output.ndim and target.shape[-1] == 1:
        target = tf.squeeze(target, axis=-1)
    if output.ndim < 1:
        raise ValueError(f"Argument `output` must be at least rank 1. Received: output.shape={tuple(output.shape)}")
    axis = canonicalize_axis(axis, output.ndim)
    others = tuple(output.shape)[:axis] + tuple(output.shape)[axis + 1 :]
    if target.ndim != len(others):
        raise ValueError(
            f"Argument `output` must have rank (ndim) `target.ndim - 1`. Received: target.shape={tuple(target.shape)}, "
            f"output.shape={tuple(output.shape)}"
        )
    for e1, e2 in zip(target.shape, others, strict=True):
        if e1 is not None and e2 is not None and e1 != e2:
            raise ValueError(
                "Arguments `target` and `output` must have the same shape up until the last dimension: "
                f"target.shape={tuple(target.shape)}, output.shape={tuple(output.shape)}"
            )
    if axis != output.ndim - 1:
        output = shaping.moveaxis(output, axis, -1)
    # Logarithms of probabilities are logits too: the softmax divides by their sum, and labels out of range are refused.
    logits = output if from_logits else tf.math.log(_between_zero_and_one(output))
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)


def binary_crossentropy(target: Any, output: Any, from_logits: Any = False) -> Any:
    """The cross entropy of probabilities, or logits, of yes and no, element by element."""
    output, from_logits = logits_of(output, from_logits, "Sigmoid", "binary_crossentropy")
    target, output = _pair(target, output)
    _check_shapes(target, output)
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    output = _between_zero_and_one(output)
    return tf.negative(target * tf.math.log(output) + (1.0 - target) * tf.math.log(1.0 - output))


def ctc_loss(target: Any, output: Any, target_length: Any, output_length: Any, mask_index: Any = 0) -> Any:
    """The loss of sequences whose alignment with the outputs is not known."""
    target, (output, _) = cast(target, "int32"), widened(as_float(output))
    if target.ndim != 2:
        raise ValueError(f"Targets `target` are expected to be a tensor of shape `(batch_size, max_length)` in integer "
                         f"format. Received: target.shape={tuple(target.shape)}")  # fmt: skip
    if output.ndim != 3:
        raise ValueError(
            "Logits `output` are expected to be a tensor of shape `(batch_size, max_length, num_classes)`. Received: "
            f"output.shape={tuple(output.shape)}"
        )
    return tf.nn.ctc_loss(
        labels=target,
        logits=output,
        label_length=cast(target_length, "int32"),
        logit_length=cast(output_length, "int32"),
        logits_time_major=False,
        blank_index=mask_index,
    )


def ctc_decode(
    inputs: Any,
    sequence_lengths: Any,
    strategy: Any = "greedy",
    beam_width: Any = 100,
    top_paths: Any = 1,
    merge_repeated: Any = True,
    mask_index: Any = 0,
) -> Any:
    """The most likely labels of sequences, with -1 after their ends, and the scores."""
    (inputs, _), lengths = widened(as_float(inputs)), cast(sequence_lengths, "int32")
    if strategy == "greedy":
        return _greedy(inputs, lengths, merge_repeated, mask_index)
    if strategy == "beam_search":
        return _beam_search(inputs, lengths, beam_width, top_paths, mask_index)
    raise ValueError(f"Invalid strategy {strategy}. Supported values are 'greedy' and 'beam_search'.")


def _greedy(inputs: Any, lengths: Any, merge_repeated: Any, mask_index: Any) -> Any:
    """The likeliest class of each step; repetitions and blanks left out, the rest moved to the front."""
    count, steps, classes = tuple(inputs.shape)
    mask_index = classes - 1 if mask_index is None else mask_index
    labels = tf.argmax(inputs, axis=-1, output_type="int32")
    scores = tf.reduce_max(inputs, axis=-1)
    valid = tf.less(tf.range(steps)[None, :], lengths[:, None])
    score = tf.negative(tf.reduce_sum(tf.where(valid, scores, tf.zeros_like(scores)), axis=1))
    kept = tf.logical_and(valid, tf.not_equal(labels, mask_index))
    if merge_repeated:
        changed = tf.concat([tf.ones((count, 1), "bool"), tf.not_equal(labels[:, 1:], labels[:, :-1])], axis=1)
        kept = tf.logical_and(kept, changed)
    order = tf.argsort(tf.cast(tf.logical_not(kept), "int32"), axis=-1, stable=True)
    labels = tf.where(kept, labels, -tf.ones_like(labels))
    return tf.expand_dims(tf.gather(labels, order, batch_dims=1), 0), tf.expand_dims(score, 1)


def _beam_search(inputs: Any, lengths: Any, beam_width: Any, top_paths: Any, mask_index: Any) -> Any:
    """The best paths of a beam; the decoder of tf takes the last class for the blank."""
    classes = inputs.shape[-1]
    if mask_index is not None and mask_index != classes - 1:
        before, blank = inputs[..., :mask_index], inputs[..., mask_index : mask_index + 1]
        inputs = tf.concat([before, inputs[..., mask_index + 1 :], blank], axis=-1)
    steps = tf.transpose(inputs, (1, 0, 2))
    paths, scores = tf.nn.ctc_beam_search_decoder(steps, lengths, beam_width=beam_width, top_paths=top_paths)
    dense = np.full((top_paths, *tuple(inputs.shape)[:2]), -1, "int32")
    for number, path in enumerate(paths):
        places = np.asarray(path.indices)
        values = np.asarray(path.values).astype("int32")
        if mask_index is not None:
            values = values + (values >= mask_index)
        dense[number, places[:, 0], places[:, 1]] = values
    return tf.constant(dense), scores


def psnr(x1: Any, x2: Any, max_val: Any) -> Any:
    """The peak signal-to-noise ratio in decibels."""
    x1, x2 = operands(as_float(x1), as_float(x2))
    if tuple(x1.shape) != tuple(x2.shape):
        raise ValueError(f"Input shapes {tuple(x1.shape)} and {tuple(x2.shape)} must match for PSNR calculation. ")
    error = tf.reduce_mean(tf.square(x1 - x2))
    peak = convert_to_tensor(max_val, x1.dtype)
    return (20.0 * tf.math.log(peak) - 10.0 * tf.math.log(error)) * (1.0 / math.log(10.0))
