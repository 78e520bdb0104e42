"""Functions of XLA that libraries call outside of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gradtape as tf


def dynamic_update_slice(x: Any, update: Any, start: Any) -> Any:
    """A tensor with another one in the place that begins at computed indices."""
    x, update = tf.convert_to_tensor(x), tf.convert_to_tensor(update)
    start = tf.clip_by_value(tf.cast(start, tf.int32), 0, tf.shape(x) - tf.shape(update))
    grids = tf.meshgrid(*[tf.range(n) for n in update.shape.as_list()], indexing="ij")
    indices = tf.stack([g + start[i] for i, g in enumerate(grids)], -1)
    return tf.tensor_scatter_nd_update(x, indices, update)


def replica_id() -> Any:
    """The number of the replica: there is one."""
    return tf.constant(0)


def variadic_reduce(
    operands: Sequence[Any], init_values: Sequence[Any], axis: Any, reducer: Callable[..., Any], name: str | None = None
) -> list[Any]:
    """Several tensors reduced together along an axis by a function of two rows of numbers."""
    axes = [axis] if isinstance(axis, int) else list(axis)
    operands = [tf.convert_to_tensor(x) for x in operands]
    rank = operands[0].shape.rank
    axes = [a % rank for a in axes]
    order = [*axes, *[i for i in range(rank) if i not in axes]]
    flat = []
    for x in operands:
        moved = tf.transpose(x, order)
        flat.append(tf.reshape(moved, tf.concat([[-1], tf.shape(moved)[len(axes) :]], 0)))
    shape = tf.shape(flat[0])[1:]
    start = [tf.broadcast_to(tf.cast(v, x.dtype), shape) for v, x in zip(init_values, flat, strict=True)]
    return list(tf.foldl(lambda held, row: tuple(reducer(tuple(held), tuple(row))), tuple(flat), tuple(start)))


def compile_computation(computation: Callable[..., Any], inputs: Any = None) -> Any:
    """What a compiled function gives for some inputs; a tensor alone is in a tuple."""
    found = tf.function(computation, autograph=False)(*(inputs or ()))
    return (found,) if tf.is_tensor(found) else found


@contextlib.contextmanager
def jit_scope(compile_ops: Any = True, separate_compiled_gradients: bool = False) -> Iterator[None]:
    """A block whose ops XLA may compile: as any other."""
    yield
