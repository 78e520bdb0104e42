"""A tour of gradtape: first gradients, tapes in tapes, a training loop, why a gradient is None, and a Keras model.

python examples/quickstart.py        or: make demo
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

import digits
import gradtape as tf
import spirals
import terminal

PICTURE = Path(__file__).resolve().parent.parent / "build" / "quickstart.png"


def variable() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    dy_dx = tape.gradient(y, x)
    print(dy_dx)


def constant() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)  # a tensor is watched when asked; a variable by itself
        y = x * x
    print(tape.gradient(y, x))


def several_sources() -> None:
    w, b = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([0.5, -0.5])
    with tf.GradientTape() as tape:
        y = tf.constant([[1.0, -1.0]]) @ w + b
        loss = tf.reduce_sum(tf.square(y))
    gradients = tape.gradient(loss, {"w": w, "b": b})  # the structure comes back
    print({name: gradient.numpy().tolist() for name, gradient in gradients.items()})


def twice_from_one_tape() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    print("dz/dx =", tape.gradient(z, x).numpy())
    print("dy/dx =", tape.gradient(y, x).numpy())
    del tape


def second_derivative() -> None:
    x = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape1:
        with tf.GradientTape() as tape2:
            y = x * x
        dy_dx = tape2.gradient(y, x)
    d2y_dx2 = tape1.gradient(dy_dx, x)
    print("dy/dx =", dy_dx.numpy(), "  d2y/dx2 =", d2y_dx2.numpy())


def jacobian() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x) * tf.reduce_sum(x)
    print(tape.jacobian(y, x))


def stopped() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * tf.stop_gradient(x * x)  # the factor counts as a constant
    print(tape.gradient(y, x))


def numpy_functions() -> None:
    x = tf.Variable([0.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        y = np.mean(np.exp(x))  # NumPy's functions on tensors are recorded
    print(tape.gradient(y, x))


def broken_by_numpy() -> None:
    tf.config.on_none("none")  # no line in the log: this shows what None looks like
    w = tf.Variable(tf.ones([3, 2]), name="dense/kernel")
    x = tf.ones([4, 3])
    with tf.GradientTape() as tape:
        h = x @ w
        m = np.mean(h.numpy())
        loss = tf.constant(m)
    print(tape.gradient(loss, w))
    print(tape.explain(loss, w))


def broken_by_rebinding() -> None:
    w = tf.Variable(1.0, name="w")
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.square(w - 3.0)
        gradient = tape.gradient(loss, w)
        if gradient is not None:
            w = w - 0.1 * gradient
    print(tape.explain(loss, w))


def main() -> None:
    """Show all parts."""
    start = time.perf_counter()
    terminal.heading("1. Gradients")
    for example in (variable, constant, several_sources):
        terminal.show(example)
    terminal.heading("2. Persistent tapes, tapes in tapes, jacobians")
    for example in (twice_from_one_tape, second_derivative, jacobian, stopped, numpy_functions):
        terminal.show(example)
    terminal.heading("3. A training loop: three spiral arms, 2-64-3 network")
    print()
    spirals.run(PICTURE)
    terminal.heading("4. Why is this gradient None?")
    for example in (broken_by_numpy, broken_by_rebinding):
        terminal.show(example)
    terminal.heading("5. Keras: a convolutional network learns drawn digits")
    print()
    digits.run()
    print(f"\n{'─' * terminal.WIDTH}\nAll of this took {time.perf_counter() - start:.1f} s.")


if __name__ == "__main__":
    main()
