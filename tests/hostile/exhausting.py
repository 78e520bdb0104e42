"""Ways to run out of memory, in a process that may have little more than it has. Prints a line for each that ends in another way than by
`tf.errors.ResourceExhaustedError` with the op, the bytes and the line."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.core import memory

N = 1 << 22
ROOM = 1 << 28
x, column, row = tf.ones([N]), tf.ones([N, 1]), tf.ones([1, 64])
v = tf.Variable(tf.ones([N]))
wide = np.broadcast_to(np.float32(1), (64, N))

outer = tf.function(lambda a, b: tf.tanh(a) * b)
sized = tf.function(lambda n: tf.zeros([n]) + 1.0)
mapped = tf.function(lambda a: tf.map_fn(lambda e: e * tf.ones([N // 64]), a))


@tf.function
def doubled(n: Any) -> Any:
    """A loop whose value grows."""
    a, i = tf.ones([1024]), tf.constant(0)
    while i < n:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(a, tf.TensorShape([None]))])
        a, i = tf.concat([a, a], 0), i + 1
    return a


@tf.function
def step(a: Any) -> None:
    """An update that needs more room than there is."""
    v.assign(v + tf.reduce_sum(tf.sort(tf.sin(a) * row), 1))


def gradient() -> Any:
    """A backward pass on large arrays."""
    with tf.GradientTape() as tape:
        tape.watch(column)
        y = tf.reduce_sum(column * row)
    return tape.gradient(y, column)


def jacobian() -> Any:
    """A Jacobian of many rows."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.jacobian(y, x)


WAYS: dict[str, Callable[[], Any]] = {
    "zeros": lambda: tf.zeros([N, 64]),
    "ones": lambda: tf.ones([N, 64]),
    "fill": lambda: tf.fill([N, 64], 2.0),
    "eye": lambda: tf.eye(1 << 16),
    "range": lambda: tf.range(N * 64),
    "linspace": lambda: tf.linspace(0.0, 1.0, N * 64),
    "constant": lambda: tf.constant(1.0, shape=[N, 64]),
    "normal": lambda: tf.random.normal([N, 64]),
    "an operator": lambda: column * row,
    "a function of elements": lambda: tf.exp(tf.broadcast_to(x, [64, N])),
    "tile": lambda: tf.tile(x, [64]),
    "concat": lambda: tf.concat([x] * 64, 0),
    "stack": lambda: tf.stack([x] * 64),
    "one_hot": lambda: tf.one_hot(tf.zeros([N], tf.int32), 64),
    "gather": lambda: tf.gather(tf.ones([1, 64]), tf.zeros([N], tf.int32)),
    "pad": lambda: tf.pad(x, [[0, 64 * N]]),
    "matmul": lambda: tf.matmul(column, row),
    "einsum": lambda: tf.einsum("i,j->ij", x, row[0]),
    "scatter_nd": lambda: tf.scatter_nd([[0]], [1.0], [N * 64]),
    "a NumPy array": lambda: tf.constant(wide),
    "numpy()": lambda: tf.broadcast_to(x, [64, N]).numpy(),
    "a variable": lambda: tf.Variable(lambda: tf.zeros([N, 64])),
    "to_dense": lambda: tf.sparse.to_dense(tf.SparseTensor([[0, 0]], [1.0], [N, 64])),
    "resize": lambda: tf.image.resize(tf.ones([1, 8, 8, 3]), [12000, 12000]),
    "a gradient": gradient,
    "a Jacobian": jacobian,
    "a pipeline": lambda: next(iter(tf.data.Dataset.from_tensors(x).repeat(64).batch(64))),
    "a function": lambda: outer(column, row),
    "a size in a function": lambda: sized(tf.constant(N * 64)),
    "a loop": lambda: doubled(tf.constant(40)),
    "map_fn": lambda: mapped(tf.ones([8192])),
    "a step": lambda: step(column),
}


def main() -> None:
    """Try all ways."""
    outer(column[:2], row)
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
    for name, way in WAYS.items():
        try:
            way()
            print(f"{name}: no error")
        except tf.errors.ResourceExhaustedError as problem:
            if not all(word in str(problem) for word in ("out of memory", "bytes", "exhausting.py:")):
                print(f"{name}: {problem}")
        except BaseException as problem:
            print(f"{name}: {type(problem).__name__}: {problem}")
        memory.release()
        if not (v.numpy() == 1.0).all():
            print(f"{name}: the variable has changed")
    assert outer(column[:2], row).numpy().shape == (2, 64)


main()
