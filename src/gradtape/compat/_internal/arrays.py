"""Functions of arrays and control flow that have no public name."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import gradtape as tf
from gradtape.core import errors

ENABLE_CONTROL_FLOW_V2 = True


def EnableControlFlowV2(graph: Any) -> bool:  # noqa: N802
    """True: there is no other control flow."""
    return True


def GraphOrParentsInXlaContext(graph: Any) -> bool:  # noqa: N802
    """False: XLA is not used."""
    return False


def IsInXLAContext(op: Any) -> bool:  # noqa: N802
    """False: XLA is not used."""
    return False


def get_positive_axis(axis: int, ndims: Any, axis_name: str = "axis", ndims_name: str = "ndims") -> int:
    """An axis counted from the front."""
    if not isinstance(axis, int):
        raise TypeError(f"{axis_name} must be an int; got {type(axis).__name__}")
    if ndims is None:
        if axis < 0:
            raise ValueError(f"{axis_name}={axis} may only be negative if {ndims_name} is statically known.")
        return axis
    if not -ndims <= axis < ndims:
        raise ValueError(f"{axis_name}={axis} out of bounds: expected {-ndims}<={axis_name}<{ndims}")
    return int(axis % ndims)


def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Any:
    """A tensor through which no gradient may flow: LookupError if one is asked for."""

    @tf.custom_gradient
    def guarded(x: Any) -> Any:
        def gradient(dy: Any) -> Any:
            raise LookupError(f"Gradient explicitly disabled. Reason: {message}")

        return tf.identity(x), gradient

    return guarded(tf.convert_to_tensor(input))


def shape_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = tf.int32) -> Any:
    """The shape as a tensor."""
    return tf.shape(input, out_type)


def size_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = tf.int32) -> Any:
    """The number of elements as a tensor."""
    return tf.size(input, out_type)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Any:
    """The number of dimensions as a tensor."""
    return tf.rank(input)


def tensor_scatter_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """A tensor with other elements at some indices."""
    return tf.tensor_scatter_nd_update(tensor, indices, updates)


tensor_scatter_update_by_name = tensor_scatter_update


def mod(x: Any, y: Any, name: str | None = None) -> Any:
    """The remainder, with the sign of the divisor."""
    return tf.math.floormod(x, y)


def remove_squeezable_dimensions(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> Any:
    """Labels and predictions of the same rank, where one has a dimension of size 1 too many."""
    predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
    difference = (predictions.shape.rank or 0) - (labels.shape.rank or 0)
    if difference == expected_rank_diff + 1 and predictions.shape[-1] in (1, None):
        predictions = tf.squeeze(predictions, [-1])
    elif difference == expected_rank_diff - 1 and labels.shape[-1] in (1, None):
        labels = tf.squeeze(labels, [-1])
    return labels, predictions


def case_helper(
    cond_fn: Callable[..., Any], pred_fn_pairs: Any, default: Any, exclusive: bool, name: Any, allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:  # fmt: skip
    """The first function whose condition holds, by a function that chooses between two."""
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    if not pairs and default is None:
        raise ValueError("pred_fn_pairs must be a non-empty list when there is no default.")
    if default is None:
        *pairs, (_, default) = pairs
    chosen = default
    for pred, function in reversed(pairs):
        chosen = _either(cond_fn, pred, function, chosen, cond_kwargs)
    return chosen()


def _either(cond_fn: Callable[..., Any], pred: Any, function: Any, other: Any, kwargs: Any) -> Callable[[], Any]:
    return lambda: cond_fn(pred, true_fn=function, false_fn=other, **kwargs)


def with_dependencies(dependencies: Any, output_tensor: Any, name: str | None = None) -> Any:
    """A tensor that is there after some operations."""
    with tf.control_dependencies(dependencies):
        return tf.identity(output_tensor)


def gen_new_seed(seed: Any, salt: Any) -> int | None:
    """A seed made of another one and a text."""
    if seed is None:
        return None
    return int(hashlib.md5((str(seed) + salt).encode("utf-8"), usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF


def pfor(
    loop_fn: Callable[[Any], Any], iters: Any, fallback_to_while_loop: bool = True, parallel_iterations: Any = None
) -> Any:
    """What a function gives for 0, 1, … below a number, stacked."""
    return tf.vectorized_map(loop_fn, tf.range(iters))


def jacobian_of(output: Any, inputs: Any, use_pfor: bool = True, parallel_iterations: Any = None) -> Any:
    """The Jacobian inside a function."""
    flat = tf.reshape(output, [-1])
    rows = [tf.gradients(flat[i], inputs)[0] for i in range(flat.shape[0])]
    return tf.reshape(tf.stack(rows), tf.concat([tf.shape(output), tf.shape(inputs)], 0))


def batch_jacobian_of(output: Any, inp: Any, use_pfor: bool = True, parallel_iterations: Any = None) -> Any:
    """The Jacobian of each row inside a function."""
    flat = tf.reshape(output, [output.shape[0], -1])
    rows = [tf.gradients(flat[:, i], inp)[0] for i in range(flat.shape[1])]
    stacked = tf.stack(rows, 1)
    return tf.reshape(stacked, tf.concat([tf.shape(output), tf.shape(inp)[1:]], 0))


def parameterized_truncated_normal(
    shape: Any, means: Any = 0.0, stddevs: Any = 1.0, minvals: Any = -2.0, maxvals: Any = 2.0, dtype: Any = tf.float32,
    seed: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Normal numbers, each between its own bounds."""
    fixed = tf.random.uniform([2], maxval=2**31 - 1, dtype=tf.int32, seed=seed)
    means, stddevs = tf.cast(means, dtype), tf.cast(stddevs, dtype)
    minvals, maxvals = tf.cast(minvals, dtype), tf.cast(maxvals, dtype)
    return tf.random.stateless_parameterized_truncated_normal(shape, fixed, means, stddevs, minvals, maxvals)


def assert_broadcastable(weights: Any, values: Any) -> Any:
    """A check that weights can be spread over values."""
    weights, values = tf.convert_to_tensor(weights), tf.convert_to_tensor(values)
    if weights.shape.rank in (0, None) or values.shape.rank is None:
        return tf.no_op()
    fits = weights.shape.rank == values.shape.rank and all(
        m in (1, None) or n is None or m == n
        for m, n in zip(weights.shape.as_list(), values.shape.as_list(), strict=True)
    )
    if not fits:
        raise errors.build(
            ValueError,
            f"weights can not be broadcast to values. weights.shape={weights.shape}, values.shape={values.shape}.",
            "weights need the rank of the values, with sizes of 1 where they are the same.",
        )
    return tf.no_op()


def broadcast_weights(weights: Any, values: Any) -> Any:
    """Weights, spread over values."""
    assert_broadcastable(weights, values)
    values = tf.convert_to_tensor(values)
    return tf.broadcast_to(tf.convert_to_tensor(weights, values.dtype), tf.shape(values))
