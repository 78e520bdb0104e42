"""Patterns of automatic differentiation.

You learn what a tape watches, where gradients end, and how to combine tapes for higher derivatives, jacobians and
Hessian-vector products.

    python examples/autodiff_patterns.py
"""

from __future__ import annotations

import contextlib
import inspect
import io
import textwrap
from collections.abc import Callable

import gradtape as tf


def show(example: Callable[[], None]) -> None:
    """Print the code of an example, then its output."""
    print()
    for line in inspect.getsource(example).splitlines()[1:]:
        print(f"  |{line[3:]}")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        example()
    for line in printed.getvalue().splitlines():
        print("    " + "\n        ".join(textwrap.wrap(line, 90, drop_whitespace=False) or [""]))


def heading(text: str) -> None:
    """Print the title of a section."""
    print(f"\n{text}\n{'-' * len(text)}")


class Layer(tf.Module):
    """tanh(x @ w + b)."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.w = tf.Variable(tf.random.normal([inputs, outputs], seed=1), name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b")

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.tanh(x @ self.w + self.b)


def gradients_of_a_module() -> None:
    layer = Layer(3, 2)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(layer(tf.ones([4, 3])) ** 2)
    gradients = tape.gradient(loss, layer.trainable_variables)
    for variable, gradient in zip(layer.trainable_variables, gradients, strict=True):
        print(variable.name, gradient.shape)


def automatic_watching() -> None:
    rate = tf.Variable(0.5, name="rate", trainable=False)
    weight, bias = tf.Variable(3.0, name="weight"), tf.Variable(1.0, name="bias")
    doubled = 2.0 * weight  # a tensor, computed before the tape
    with tf.GradientTape() as tape:
        loss = rate * weight**2 + doubled
    # None for `bias` (unused), `rate` (not trainable) and `doubled` (a tensor, not watched)
    gradients = tape.gradient(loss, [weight, bias, rate, doubled])
    print([None if g is None else float(g) for g in gradients])
    print("watched:", [v.name for v in tape.watched_variables()])


def manual_watching() -> None:
    encoder, decoder = tf.Variable(0.5), tf.Variable(4.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(decoder)  # the encoder is not watched, so its gradient is None
        loss = tf.square(decoder * tf.tanh(encoder) - 1.0)
    gradients = tape.gradient(loss, {"encoder": encoder, "decoder": decoder})
    print(gradients["encoder"], round(float(gradients["decoder"]), 5))


def intermediate_results() -> None:
    angle = tf.constant([0.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(angle)
        height = tf.sin(angle)
        energy = 0.5 * height**2
    # `height` depends on a watched tensor, so it can be a source, too
    print("d energy / d height:", tape.gradient(energy, height).numpy())
    print("d energy / d angle: ", tape.gradient(energy, angle).numpy())


def several_targets() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        losses = {"fit": (x - 5.0) ** 2, "size": 0.1 * x**2}
    print("gradient of the sum:", tape.gradient(losses, x).numpy())


def weighted_targets() -> None:
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = x**2
    print(tape.gradient(y, x, output_gradients=tf.constant([1.0, 0.0, -1.0])).numpy())


def control_flow() -> None:
    x = tf.Variable(1.5)
    with tf.GradientTape() as tape:
        y = x
        while y < 20.0:  # three squares: the tape sees the ops that ran
            y = y * y
    print("x**8 =", y.numpy(), "  8 * x**7 =", tape.gradient(y, x).numpy())


def rebinding_a_variable() -> None:
    tf.config.on_none("none")  # no log message about the None below
    x = tf.Variable(2.0)
    for epoch in range(2):
        with tf.GradientTape() as tape:
            loss = (x - 1.0) ** 2
        gradient = tape.gradient(loss, x)
        print("epoch", epoch, type(x).__name__, gradient)
        if gradient is not None:
            x = x - 0.1 * gradient  # x.assign_sub(0.1 * gradient) keeps the variable


def integers() -> None:
    count = tf.Variable(10)
    with tf.GradientTape() as tape:
        pairs = count * (count - 1) // 2  # integers have no derivatives
    print(tape.gradient(pairs, count))


def unconnected_sources() -> None:
    used, unused = tf.Variable(3.0), tf.Variable([2.0, 2.0])
    with tf.GradientTape() as tape:
        y = used**3
    gradients = tape.gradient(y, [used, unused], unconnected_gradients=tf.UnconnectedGradients.ZERO)
    print([g.numpy().tolist() for g in gradients])


def pausing_a_tape() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
        with tape.stop_recording():
            scale = 1.0 / (1.0 + y)  # constant for the tape, as with stop_gradient
        loss = y * scale
    print(tape.gradient(loss, x).numpy())


def resetting_a_tape() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        guess = x**2
        if guess > 1.0:
            tape.reset()  # discards everything recorded so far
            guess = 1.0 / x
    print(tape.gradient(guess, x).numpy())


def two_tapes() -> None:
    left, right = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape() as of_area, tf.GradientTape() as of_length:
        area, length = left * right, 2.0 * (left + right)
    print("gradient of the area:  ", [float(g) for g in of_area.gradient(area, [left, right])])
    print("gradient of the length:", [float(g) for g in of_length.gradient(length, [left, right])])


def gradient_penalty() -> None:
    layer, x = Layer(5, 10), tf.random.normal([7, 5], seed=2)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = layer(x)
        slope = inner.gradient(y, x)  # inside the outer tape, which records this backward pass
        size = tf.sqrt(tf.reduce_sum(slope**2))
    print([g.shape.as_list() for g in outer.gradient(size, layer.trainable_variables)])


def jacobian_of_a_layer() -> None:
    layer, x = Layer(5, 10), tf.random.normal([7, 5], seed=2)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = layer(x)
    print("with respect to w:", tape.jacobian(y, layer.w).shape)
    print("with respect to x:", tape.jacobian(y, x).shape)
    print("per example:      ", tape.batch_jacobian(y, x).shape)


def newtons_method() -> None:
    x = tf.Variable([-1.2, 1.0])
    for step in range(7):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                valley = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2  # Rosenbrock's
            gradient = inner.gradient(valley, x)
        hessian = outer.jacobian(gradient, x)  # the jacobian of the gradient
        x.assign_sub(tf.linalg.solve(hessian, gradient[:, tf.newaxis])[:, 0])
        print(f"step {step}: height {float(valley):.1e}")
    print("lowest at", x.numpy().round(4))


def hessian_times_vector() -> None:
    x, direction = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 0.0, -1.0])
    with tf.autodiff.ForwardAccumulator(x, direction) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_prod(x) ** 2
        gradient = tape.gradient(y, x)
    print(accumulator.jvp(gradient).numpy())  # forward over reverse: no Hessian is computed


def main() -> None:
    """Run all patterns."""
    tf.random.set_seed(3)
    heading("1. What a tape watches")
    for example in (gradients_of_a_module, automatic_watching, manual_watching, intermediate_results):
        show(example)
    heading("2. Targets")
    for example in (several_targets, weighted_targets, control_flow):
        show(example)
    heading("3. Where gradients end")
    for example in (rebinding_a_variable, integers, unconnected_sources, pausing_a_tape, resetting_a_tape):
        show(example)
    heading("4. Combining tapes")
    for example in (two_tapes, gradient_penalty, jacobian_of_a_layer, newtons_method, hessian_times_vector):
        show(example)


if __name__ == "__main__":
    main()
