"""`tf.nn`: averages of losses over a batch, and the loss of counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api.arguments import axes, tensor
from gradtape.core import convert, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.cast import Cast, CastToDiscrete
from gradtape.ops.division import DivideNoNan
from gradtape.ops.exponential import Exp, Log
from gradtape.ops.family import dims
from gradtape.ops.movement import Reshape
from gradtape.ops.reduction import ReduceSum
from gradtape.ops.selection import Where


def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Tensor:
    """The sum of the losses of examples, divided by the global batch size.

    Args:
      per_example_loss: a loss for each example, of rank 1 or more.
      sample_weight: what to multiply each loss by, or None. A vector weighs the examples of losses of any rank.
      global_batch_size: an integer; the length of the first axis by default, times the replicas of a strategy around.

    Returns:
      A scalar.

    >>> tf.nn.compute_average_loss([1.0, 2.0, 3.0], global_batch_size=4).numpy()
    np.float32(1.5)
    """
    loss = tensor(per_example_loss)
    if not loss.ndim:
        raise ValueError(
            errors.compose(
                "compute_average_loss: Invalid value passed for `per_example_loss`. Expected a tensor with at least rank "
                f"1. Received per_example_loss={per_example_loss} with rank 0",
                "give a loss for each example.",
            )
        )
    size = dims(loss)[0] * _replicas() if global_batch_size is None else _batch_size(global_batch_size)
    if sample_weight is not None:
        loss = _weighted(loss, sample_weight)
    if not (loss.dtype.is_floating or loss.dtype.is_complex):
        loss = Cast(loss, dtype=convert.convert_to_tensor(0.0).dtype)
    total = ReduceSum(loss, axis=axes(None, loss.ndim, "compute_average_loss"), keepdims=False)
    return DivideNoNan(total, convert.convert_to_tensor(float(size), loss.dtype))


def _weighted(loss: Any, sample_weight: Any) -> Any:
    weight = tensor(sample_weight)
    if weight.dtype is not loss.dtype:
        convert_to = Cast if loss.dtype.is_floating or loss.dtype.is_complex else CastToDiscrete
        weight = convert_to(weight, dtype=loss.dtype)
    shape = dims(weight)
    if weight.ndim == loss.ndim + 1 and shape[-1] == 1:
        weight = Reshape(weight, shape=shape[:-1])
    elif weight.ndim and weight.ndim + 1 == loss.ndim and shape == dims(loss)[:-1]:
        weight = Reshape(weight, shape=(*shape, 1))
    return loss * weight


def _batch_size(value: Any) -> int:
    found = np.asarray(tensor(value))
    if found.ndim:
        raise ValueError(
            errors.compose(
                f"compute_average_loss: global_batch_size must be scalar, saw shape: {found.shape}.", "pass an int."
            )
        )
    if found.dtype.kind not in "iu":
        raise TypeError(
            errors.compose(
                f"compute_average_loss: global_batch_size must be an integer, got {value!r}.", "pass an int."
            )
        )
    if found < 0:
        raise errors.build(
            errors.InvalidArgumentError,
            f"compute_average_loss: global_batch_size must be non-negative, got {found}.",
            "pass the number of examples of the whole batch.",
        )
    return int(found)


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of a regularisation loss, divided by the number of replicas of the current strategy.

    Args:
      regularization_loss: numbers of any shape.

    Returns:
      A scalar.

    >>> tf.nn.scale_regularization_loss([1.0, 2.0]).numpy()
    np.float32(3.0)
    """
    loss = tensor(regularization_loss)
    if not (loss.dtype.is_floating or loss.dtype.is_complex):
        loss = Cast(loss, dtype=convert.convert_to_tensor(0.0).dtype)
    total = ReduceSum(loss, axis=axes(None, loss.ndim, "scale_regularization_loss"), keepdims=False)
    count = _replicas()
    return total if count == 1 else total / convert.convert_to_tensor(float(count), total.dtype)


def _replicas() -> int:
    """How many replicas compute together."""
    from gradtape.distribute._context import get_strategy

    return int(get_strategy().num_replicas_in_sync)


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """exp(log_input) - log_input * targets, elementwise: -log of the probability of counts, up to a constant.

    Args:
      targets: counts.
      log_input: logarithms of the expected counts, of the same shape and dtype.
      compute_full_loss: add Stirling's approximation of the constant, log(targets!), where the targets are above 1.

    Returns:
      A loss for each element.

    >>> tf.nn.log_poisson_loss([2.0], [0.0]).numpy()
    array([1.], dtype=float32)
    """
    rates = tensor(log_input)
    counts = tensor(convert.like(targets, rates.dtype))
    if dims(counts) != dims(rates):
        raise errors.build(
            errors.ShapeError,
            f"log_poisson_loss: `log_input` and `targets` must have the same shape, received {spec_of(rates)} and "
            f"{spec_of(counts)}.",
            "reshape one of them, or use tf.broadcast_to.",
        )
    loss = Exp(rates) - rates * counts
    if not compute_full_loss:
        return loss
    one, zero = (convert.convert_to_tensor(v, rates.dtype) for v in (1.0, 0.0))
    is_small = (counts >= 0.0) & (counts <= 1.0)
    # A logarithm of 0 would put NaN into the gradient, though the other branch is taken.
    safe = Where(is_small, one, counts)
    stirling = safe * Log(safe) - safe + 0.5 * Log((2.0 * math.pi) * safe)
    return loss + Where(is_small, zero, stirling)
