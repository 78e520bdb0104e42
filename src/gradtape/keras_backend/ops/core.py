"""`backend.core`: conversion, gradients, scattering and slicing; control flow comes from `control_flow`."""

from __future__ import annotations

import builtins
import contextlib
from typing import Any

from keras.src.backend.common import KerasVariable

import gradtape as tf
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.convert import cast_keeping_form as cast
from gradtape.keras_backend.convert import cast_tensor, convert_to_numpy, is_tensor, shape
from gradtape.keras_backend.convert import convert_keeping_form as convert_to_tensor
from gradtape.keras_backend.convert import convert_to_tensor as whole
from gradtape.keras_backend.ops.control_flow import (
    associative_scan,
    cond,
    fori_loop,
    map,
    scan,
    switch,
    vectorized_map,
    while_loop,
)
from gradtape.keras_backend.symbolic import compute_output_spec
from gradtape.keras_backend.variable import Variable

__all__ = [
    "IS_THREAD_SAFE", "SUPPORTS_COMPLEX_DTYPES", "SUPPORTS_RAGGED_TENSORS", "SUPPORTS_SPARSE_TENSORS", "Variable",
    "associative_scan", "cast", "compute_output_spec", "cond", "convert_to_numpy", "convert_to_tensor",
    "custom_gradient", "device_scope", "fori_loop", "is_tensor", "map", "random_seed_dtype", "remat", "scan", "scatter",
    "scatter_update", "shape", "slice", "slice_update", "stop_gradient", "switch", "unstack", "vectorized_map",
    "while_loop",
]  # fmt: skip

SUPPORTS_SPARSE_TENSORS = True
SUPPORTS_RAGGED_TENSORS = True
SUPPORTS_COMPLEX_DTYPES = True
# Callbacks run between steps: a step is done when it returns, and a second thread would only take time from it.
IS_THREAD_SAFE = False

_REDUCTIONS: dict[Any, Any] = {
    None: tf.tensor_scatter_nd_update,
    "add": tf.tensor_scatter_nd_add,
    "max": tf.tensor_scatter_nd_max,
    "min": tf.tensor_scatter_nd_min,
}


def stop_gradient(variable: Any) -> Any:
    """The value, through which no gradient flows."""
    return tf.stop_gradient(whole(variable))


def random_seed_dtype() -> Any:
    """The dtype of the two numbers that a random function is seeded with."""
    return "uint32"


def scatter(indices: Any, values: Any, shape: Any) -> Any:
    """Zeros of a shape with values added at indices."""
    shape = [int(d) for d in shape]
    return tf.scatter_nd(cast(indices, "int32"), whole(values), shape)


def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: Any = None) -> Any:
    """The inputs with updates written at indices, or combined with the existing values."""
    inputs, indices = whole(inputs), cast(indices, "int32")
    updates = cast(updates, inputs.dtype)
    if reduction == "mul":
        return _multiplied(inputs, indices, updates)
    if reduction not in _REDUCTIONS:
        raise ValueError(f"Unsupported reduction: {reduction}")
    return _REDUCTIONS[reduction](inputs, indices, updates)


def _multiplied(inputs: Any, indices: Any, updates: Any) -> Any:
    """The products of all updates of each position, 1 without any."""
    sizes = tuple(inputs.shape)
    depth = indices.shape[-1]
    flat = tf.zeros(tuple(indices.shape)[:-1], "int32")
    for axis in range(depth):
        flat = flat * sizes[axis] + indices[..., axis]
    count = 1
    for size in sizes[:depth]:
        count *= size
    rest = sizes[depth:]
    factors = tf.math.unsorted_segment_prod(tf.reshape(updates, (-1, *rest)), tf.reshape(flat, (-1,)), count)
    return inputs * tf.reshape(factors, sizes)


def slice(inputs: Any, start_indices: Any, shape: Any) -> Any:
    """The block of a shape that begins at some indices, which may be tensors."""
    inputs = whole(inputs)
    starts, sizes = _starts(start_indices), [int(s) for s in shape]
    if len(starts) != len(sizes):
        raise ValueError(
            "Length of `start_indices` must match length of `shape`. "
            f"Received: start_indices={start_indices}, shape={shape}"
        )
    if all(isinstance(s, int) for s in starts):
        starts = [min(max(s, 0), d - n) if n != -1 else s for s, n, d in zip(starts, sizes, inputs.shape, strict=True)]
        return tf.slice(inputs, starts, sizes)
    for axis, (start, size) in enumerate(zip(starts, sizes, strict=True)):
        inputs = tf.gather(inputs, _run(start, size, inputs.shape[axis]), axis=axis)
    return inputs


def _starts(indices: Any) -> Any:
    """Starts as Python ints where they are known, as scalar tensors otherwise."""
    if isinstance(indices, KerasVariable):
        indices = indices.value
    items = tf.unstack(indices) if isinstance(indices, Tensor) else list(indices)
    return [_known(item) for item in items]


def _known(item: Any) -> Any:
    if isinstance(item, KerasVariable):
        item = item.value
    if isinstance(item, Tensor):
        return cast_tensor(item, "int32") if type(item) is not Tensor else int(item)
    return int(item)


def _run(start: Any, size: Any, limit: Any) -> Any:
    """The indices of a run of an axis, moved so that it ends within."""
    return tf.clip_by_value(tf.cast(start, "int32"), 0, limit - size) + tf.range(size)


def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Any:
    """The inputs with a block replaced that begins at some indices."""
    inputs = whole(inputs)
    updates = cast(updates, inputs.dtype)
    starts, sizes, limits = _starts(start_indices), tuple(updates.shape), tuple(inputs.shape)
    axes = [_run(s, n, d) for s, n, d in zip(starts, sizes, limits, strict=True)]
    if not axes:
        return updates
    grid = tf.stack(tf.meshgrid(*axes, indexing="ij"), axis=-1)
    return tf.tensor_scatter_nd_update(inputs, grid, updates)


def unstack(x: Any, num: Any = None, axis: Any = 0) -> Any:
    """The parts along an axis, as a list."""
    return builtins.list(tf.unstack(whole(x), num=num, axis=axis))


class custom_gradient:  # noqa: N801 - Keras's name
    """A function whose gradient is the one that it returns itself: `fun(*args)` gives the result and `grad(*args, upstream=)`."""

    def __init__(self, fun: Any) -> None:
        self.fun = fun

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        @tf.custom_gradient
        def call(*tensors: Any) -> Any:
            result, grad = self.fun(*tensors, **kwargs)

            def pull(*upstream: Any, variables: Any = None) -> Any:
                given = grad(*tensors, upstream=upstream[0] if len(upstream) == 1 else upstream)
                given = given if isinstance(given, (tuple, list)) else (given,)
                # Arguments that are no tensors, and those left out at the end, have no gradient.
                found = [*given, *[None] * (len(tensors) - len(given))][: len(tensors)]
                return (found, [None] * len(variables)) if variables else found

            return result, pull

        return call(*[whole(a) if is_tensor(a) or isinstance(a, KerasVariable) else a for a in args])


def remat(f: Any) -> Any:
    """A function that computes its intermediate values again for the gradient, in place of keeping them."""
    return tf.recompute_grad(f)


@contextlib.contextmanager
def device_scope(device_name: Any) -> Any:
    """A block whose tensors are made on a device."""
    if isinstance(device_name, str) and device_name.lower().startswith("cpu"):
        yield
    else:
        with tf.device(device_name):
            yield
