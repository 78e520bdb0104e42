"""`tf.nn`: losses over many classes, estimated from a sample of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import tensor
from gradtape.core import dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.nn._softmax import embedding_lookup
from gradtape.ops.cast import Cast, CastToDiscrete
from gradtape.ops.comparison import Equal
from gradtape.ops.cross_entropy import SigmoidCrossEntropy, SoftmaxCrossEntropy
from gradtape.ops.exponential import Log
from gradtape.ops.family import dims
from gradtape.ops.joining import Concat
from gradtape.ops.matmul import MatMul
from gradtape.ops.movement import Reshape
from gradtape.ops.reduction import ReduceAny, ReduceSum
from gradtape.ops.selection import Where
from gradtape.ops.slicing import StridedSlice
from gradtape.ops.stop_gradient import StopGradient
from gradtape.random._candidate_samplers import log_uniform_candidate_sampler


def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Tensor:
    """Noise-contrastive estimation: tells true classes from sampled ones, each by a sigmoid.

    Gradients of weights and biases are `tf.IndexedSlices`: only the rows that were used.

    Args:
      weights: `[num_classes, dim]`, a variable or tensor, or a list of parts.
      biases: `[num_classes]`.
      labels: the true classes, `[batch, num_true]`.
      inputs: `[batch, dim]`.
      num_sampled: how many classes to draw for the batch.
      num_classes: how many classes there are.
      num_true: how many true classes an example has.
      sampled_values: the result of a candidate sampler; `tf.random.log_uniform_candidate_sampler` by default.
      remove_accidental_hits: leave out samples that are true classes of the example.

    Returns:
      A loss for each example.

    >>> tf.nn.nce_loss(tf.zeros([9, 2]), tf.zeros([9]), [[3]], tf.ones([1, 2]), num_sampled=4, num_classes=9).shape
    TensorShape([1])
    """
    logits, targets = _sampled_logits(
        "nce_loss", weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, None,
    )  # fmt: skip
    return ReduceSum(SigmoidCrossEntropy(targets, logits), axis=(1,), keepdims=False)


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: Any = None,
    name: str = "sampled_softmax_loss",
) -> Tensor:
    """The cross-entropy of a softmax over the true classes and a sample of the others. For training only.

    Gradients of weights and biases are `tf.IndexedSlices`: only the rows that were used.

    Args:
      weights: `[num_classes, dim]`, a variable or tensor, or a list of parts.
      biases: `[num_classes]`.
      labels: the true classes, `[batch, num_true]`.
      inputs: `[batch, dim]`.
      num_sampled: how many classes to draw for the batch.
      num_classes: how many classes there are.
      num_true: how many true classes an example has.
      sampled_values: the result of a candidate sampler; `tf.random.log_uniform_candidate_sampler` by default.
      remove_accidental_hits: leave out samples that are true classes of the example.
      seed: an integer that gives the sampler a stream of its own.

    Returns:
      A loss for each example.

    >>> weights, inputs = tf.zeros([9, 2]), tf.ones([1, 2])
    >>> tf.nn.sampled_softmax_loss(weights, tf.zeros([9]), [[3]], inputs, num_sampled=4, num_classes=9).shape
    TensorShape([1])
    """
    logits, targets = _sampled_logits(
        "sampled_softmax_loss", weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, seed,
    )  # fmt: skip
    return SoftmaxCrossEntropy(StopGradient(targets), logits)


def _sampled_logits(
    who: str, weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int,
    sampled_values: Any, remove_hits: bool, seed: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """Logits and targets, `[batch, num_true + num_sampled]`: first those of the true classes."""
    inputs, labels = tensor(inputs), _labels(who, labels, num_true)
    if inputs.ndim != 2 or dims(labels) != (dims(inputs)[0], num_true):
        raise errors.build(
            errors.ShapeError,
            f"{who}: labels is {spec_of(labels)}, inputs is {spec_of(inputs)}, num_true is {num_true}: these do not match.",
            "inputs is [batch, dim], labels is [batch, num_true].",
        )
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
    sampled, *counts = [StopGradient(tensor(v)) for v in sampled_values]
    sampled = sampled if sampled.dtype is dtypes.int64 else CastToDiscrete(sampled, dtype=dtypes.int64)
    batch, dim = dims(inputs)
    split, drawn = batch * num_true, dims(sampled)[0]
    # One gather for both, so that the gradient is one set of rows.
    ids = Concat(Reshape(labels, shape=(split,)), sampled, axis=0)
    rows, shifts = embedding_lookup(weights, ids), embedding_lookup(biases, ids)
    parts = [(StridedSlice(x, index=((0, split, 1),)), StridedSlice(x, index=((split, split + drawn, 1),)))
             for x in (rows, shifts)]  # fmt: skip
    (true_rows, sampled_rows), (true_shifts, sampled_shifts) = parts
    own = Reshape(inputs, shape=(batch, 1, dim)) * Reshape(true_rows, shape=(batch, num_true, dim))
    true_logits = ReduceSum(own, axis=(2,), keepdims=False) + Reshape(true_shifts, shape=(batch, num_true))
    sampled_logits = MatMul(inputs, sampled_rows, transpose_b=True) + sampled_shifts
    if remove_hits:
        pairs = Equal(Reshape(labels, shape=(batch, num_true, 1)), sampled)
        lowest = np.finfo(np.float32).min.astype(inputs.dtype.numpy)
        sampled_logits = Where(ReduceAny(pairs, axis=(1,), keepdims=False), lowest, sampled_logits)
    expected = [Log(c if c.dtype is inputs.dtype else Cast(c, dtype=inputs.dtype)) for c in counts]
    logits = Concat(true_logits - expected[0], sampled_logits - expected[1], axis=1)
    targets = np.zeros((batch, num_true + drawn), inputs.dtype.numpy)
    targets[:, :num_true] = 1 / num_true
    return logits, tensor(targets)


def _labels(who: str, labels: Any, num_true: int) -> Any:
    labels = tensor(labels)
    if labels.dtype.kind not in "iufV":
        raise errors.build(
            errors.DTypeError,
            f"{who}: labels must be integers, got {spec_of(labels)}.",
            "use tf.cast(labels, tf.int64).",
        )
    if labels.ndim == 1:
        labels = Reshape(labels, shape=(dims(labels)[0], 1))
    return labels if labels.dtype is dtypes.int64 else CastToDiscrete(labels, dtype=dtypes.int64)
