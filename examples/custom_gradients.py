"""Custom gradients with `tf.custom_gradient`.

You learn how to replace a gradient: for numerical stability, to clip or reverse it, to pass it through a step function, or to
take it from the implicit function theorem. The last example trades time for memory with `tf.recompute_grad`.

    python examples/custom_gradients.py
"""

from __future__ import annotations

import contextlib
import inspect
import io
import textwrap
from collections.abc import Callable

import gradtape as tf

# A differentiable function returns its value and a function from the upstream gradient to the gradient of the input.
Gradient = Callable[[tf.Tensor], tf.Tensor]


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


@tf.custom_gradient
def softplus(x: tf.Tensor | tf.Variable) -> tuple[tf.Tensor, Gradient]:
    """log(1 + exp(x)); its automatic derivative is inf / inf for large x."""
    e = tf.exp(x)

    def grad(upstream: tf.Tensor) -> tf.Tensor:
        return upstream * (1.0 - 1.0 / (1.0 + e))  # sigmoid(x), finite even if e is inf

    return tf.math.log(1.0 + e), grad


@tf.custom_gradient
def clip_gradient(x: tf.Tensor | tf.Variable) -> tuple[tf.Tensor, Gradient]:
    """The identity; its gradient is clipped to norm 1."""
    return tf.identity(x), lambda upstream: tf.clip_by_norm(upstream, 1.0)


@tf.custom_gradient
def reverse_gradient(x: tf.Tensor | tf.Variable) -> tuple[tf.Tensor, Gradient]:
    """The identity; its gradient is reversed, for adversarial training of the layers before it."""
    return tf.identity(x), lambda upstream: -upstream


@tf.custom_gradient
def sign(x: tf.Tensor | tf.Variable) -> tuple[tf.Tensor, Gradient]:
    """-1 or 1, with the gradient of the identity for |x| <= 1: the straight-through estimator."""
    return tf.sign(x), lambda upstream: upstream * tf.cast(tf.abs(x) <= 1.0, x.dtype)


@tf.custom_gradient
def kepler(
    anomaly: tf.Tensor | tf.Variable, eccentricity: tf.Tensor | tf.Variable
) -> tuple[tf.Tensor, Callable[[tf.Tensor], tuple[tf.Tensor, tf.Tensor]]]:
    """The solution E of E - e sin E = M by Newton's method.

    The gradient comes from the implicit function theorem, so the tape need not differentiate the steps.
    """
    e = tf.convert_to_tensor(anomaly)  # the first guess
    for _ in range(8):
        e = e - (e - eccentricity * tf.sin(e) - anomaly) / (1.0 - eccentricity * tf.cos(e))

    def grad(upstream: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        # Differentiate E - e sin E = M on both sides: dE/dM = 1 / (1 - e cos E), dE/de = sin E dE/dM.
        d_anomaly = upstream / (1.0 - eccentricity * tf.cos(e))
        return d_anomaly, d_anomaly * tf.sin(e)

    return e, grad


scale = tf.Variable(3.0, name="scale")


@tf.custom_gradient
def scale_by_variable(x: tf.Tensor | tf.Variable) -> tuple[tf.Tensor, Callable[..., tuple[tf.Tensor, list[tf.Tensor]]]]:
    """scale * x; if a function reads variables, `grad` also returns their gradients."""

    def grad(upstream: tf.Tensor, variables: list[tf.Variable]) -> tuple[tf.Tensor, list[tf.Tensor]]:
        return upstream * scale, [tf.reduce_sum(upstream * x) for _ in variables]

    return scale * x, grad


def stability() -> None:
    x = tf.constant(100.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        plain, custom = tf.math.log(1.0 + tf.exp(x)), softplus(x)
    print("plain:", tape.gradient(plain, x).numpy(), "  custom:", tape.gradient(custom, x).numpy())


def clipping() -> None:
    v = tf.Variable([30.0, 40.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(clip_gradient(v) ** 2)
    print(tape.gradient(loss, v).numpy())


def reversal() -> None:
    feature, head = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        loss = head * reverse_gradient(feature)
    print([float(g) for g in tape.gradient(loss, [feature, head])])


def straight_through() -> None:
    x = tf.Variable([-2.0, -0.5, 0.5, 2.0])
    with tf.GradientTape() as tape:
        y = sign(x)
    print(y.numpy(), tape.gradient(y, x).numpy())


def implicit() -> None:
    anomaly, eccentricity = tf.Variable(1.0), tf.Variable(0.3)
    with tf.GradientTape() as tape:
        e = kepler(anomaly, eccentricity)
    d_m, d_e = tape.gradient(e, [anomaly, eccentricity])
    print(f"E = {float(e):.6f}, dE/dM = {float(d_m):.6f}, dE/de = {float(d_e):.6f}")


def functions_with_variables() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(scale_by_variable(x))
    print(tape.gradient(y, [x, scale]))


def second_order_in_a_function() -> None:
    @tf.function
    def second_derivative(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = softplus(x)
            slope = inner.gradient(y, x)
        return outer.gradient(slope, x)

    x = tf.constant([-1.0, 0.0, 1.0])
    expected = tf.sigmoid(x) * (1.0 - tf.sigmoid(x))
    print("correct:", bool(tf.reduce_all(tf.abs(second_derivative(x) - expected) < 1e-6)))


def recomputation() -> None:
    runs = []

    @tf.recompute_grad
    def block(x: tf.Variable) -> tf.Tensor:
        runs.append("run")
        return tf.sin(tf.exp(tf.cos(x)))

    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = block(x)  # stores only x, and recomputes the rest in the backward pass
    print(f"{float(tape.gradient(y, x)):.6f}, runs: {len(runs)}")


def main() -> None:
    """Run all examples."""
    heading("Custom gradients")
    for example in (stability, clipping, reversal, straight_through):
        show(example)
    for example in (implicit, functions_with_variables, second_order_in_a_function, recomputation):
        show(example)


if __name__ == "__main__":
    main()
