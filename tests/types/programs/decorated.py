"""tf.function keeps the signature of what it decorates, also through decorators of the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, assert_type

import gradtape as tf

P = ParamSpec("P")
R = TypeVar("R")


def logged(f: Callable[P, R]) -> Callable[P, R]:
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        print("calling", f)
        return f(*args, **kwargs)

    return inner


@logged
@tf.function
def axpy(a: float, x: tf.Tensor, y: tf.Tensor, *, scale: float = 1.0) -> tf.Tensor:
    return (a * x + y) * scale


@tf.function(reduce_retracing=True, jit_compile=False)
def both(x: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    return x, {"twice": 2 * x}


x = tf.ones([3])
assert_type(axpy(2.0, x, x, scale=3.0), tf.Tensor)
first, named = both(x)
assert_type(first, tf.Tensor)
assert_type(named["twice"], tf.Tensor)


class Counter:
    def __init__(self) -> None:
        self.n = tf.Variable(0)

    @tf.function
    def step(self, by: int = 1) -> tf.Tensor:
        return self.n.assign_add(by).read_value()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def total(self, x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(x)


c = Counter()
assert_type(c.step(2), tf.Tensor)
assert_type(c.total(x), tf.Tensor)
concrete = axpy
conc = both.get_concrete_function(tf.TensorSpec([None], tf.float32))
print(conc.structured_outputs, both.experimental_get_tracing_count())
f = tf.function(lambda v: v * 2)
print(f(x))
g: Callable[[tf.Tensor], tf.Tensor] = tf.function(tf.nn.relu)
print(g(x))
