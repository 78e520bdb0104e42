"""`tf.compat.v1.losses`: losses that are weighted, added up and kept in a collection."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.compat._graph_keys import GraphKeys
from gradtape.compat.v1._collections import add_to_collection, get_collection


class Reduction:
    """How the losses of the elements become one."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key: str) -> None:
        """ValueError unless it is one of them."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The losses of the elements, weighted and reduced."""
    Reduction.validate(reduction)
    losses = tf.convert_to_tensor(losses)
    dtype = losses.dtype
    losses, weights = tf.cast(losses, tf.float32), tf.cast(weights, tf.float32)
    weighted = losses * weights
    total = tf.reduce_sum(weighted)
    spread = tf.broadcast_to(weights, tf.shape(losses))
    if reduction == Reduction.NONE:
        total = weighted
    elif reduction == Reduction.MEAN:
        total = tf.math.divide_no_nan(total, tf.reduce_sum(spread))
    elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        total = tf.math.divide_no_nan(total, tf.reduce_sum(tf.cast(tf.not_equal(spread, 0.0), tf.float32)))
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        total = tf.math.divide_no_nan(total, tf.cast(tf.size(losses), tf.float32))
    found = tf.cast(total, dtype)
    add_loss(found, loss_collection)
    return found


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Keep a loss of the graph that is being built."""
    if loss_collection and not tf.executing_eagerly():
        add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES) -> list[Any]:
    """The losses in the collection."""
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The penalties of variables."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None) -> Any:
    """The sum of the losses and penalties."""
    listed = get_losses(scope)
    return tf.add_n([*listed, *get_regularization_losses(scope)] if add_regularization_losses else listed)


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:  # fmt: skip
    """The squares of the differences."""
    predictions = tf.cast(predictions, tf.float32)
    losses = tf.math.squared_difference(predictions, tf.cast(labels, tf.float32))
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def absolute_difference(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:  # fmt: skip
    """The absolute differences."""
    losses = tf.abs(tf.cast(predictions, tf.float32) - tf.cast(labels, tf.float32))
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, delta: float = 1.0, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:  # fmt: skip
    """Huber's loss: squares of small differences, sizes of large ones."""
    error = tf.abs(tf.cast(predictions, tf.float32) - tf.cast(labels, tf.float32))
    small = tf.minimum(error, delta)
    losses = 0.5 * small * small + delta * (error - small)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-7, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:  # fmt: skip
    """The negative log likelihood of binary labels."""
    labels, predictions = tf.cast(labels, tf.float32), tf.cast(predictions, tf.float32)
    losses = -labels * tf.math.log(predictions + epsilon) - (1 - labels) * tf.math.log(1 - predictions + epsilon)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:  # fmt: skip
    """The cross entropy of independent classes."""
    logits = tf.convert_to_tensor(logits)
    labels = tf.cast(multi_class_labels, logits.dtype)
    if label_smoothing > 0:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:  # fmt: skip
    """The cross entropy of one class among many, with labels as rows."""
    logits = tf.convert_to_tensor(logits)
    labels = tf.cast(onehot_labels, logits.dtype)
    if label_smoothing > 0:
        labels = labels * (1 - label_smoothing) + label_smoothing / labels.shape[-1]
    losses = tf.nn.softmax_cross_entropy_with_logits(tf.stop_gradient(labels), logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:  # fmt: skip
    """The cross entropy of one class among many, with labels as numbers."""
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
