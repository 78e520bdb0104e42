"""Gradients of one's own: steadier, limited, turned round, passed through a step, or from the implicit function theorem."""

from __future__ import annotations

from typing import Any

import gradtape as tf
import terminal


@tf.custom_gradient
def softplus(x: Any) -> Any:
    """log(1 + exp(x)), whose plain derivative is inf / inf for large x."""
    e = tf.exp(x)

    def grad(upstream: Any) -> Any:
        return upstream * (1.0 - 1.0 / (1.0 + e))

    return tf.math.log(1.0 + e), grad


@tf.custom_gradient
def limited(x: Any) -> Any:
    """x itself; the gradient that comes back through it has at most norm 1."""
    return tf.identity(x), lambda upstream: tf.clip_by_norm(upstream, 1.0)


@tf.custom_gradient
def reversed_gradient(x: Any) -> Any:
    """x itself, with the gradient turned round: what follows learns one thing, what precedes the opposite."""
    return tf.identity(x), lambda upstream: -upstream


@tf.custom_gradient
def sign(x: Any) -> Any:
    """-1 or 1, with the gradient of the identity where |x| <= 1: the straight-through estimator."""
    return tf.sign(x), lambda upstream: upstream * tf.cast(tf.abs(x) <= 1.0, x.dtype)


@tf.custom_gradient
def kepler(anomaly: Any, eccentricity: Any) -> Any:
    """The solution E of E - e sin E = M, by Newton's method, whose steps nobody has to differentiate."""
    e = anomaly
    for _ in range(8):
        e = e - (e - eccentricity * tf.sin(e) - anomaly) / (1.0 - eccentricity * tf.cos(e))

    def grad(upstream: Any) -> Any:
        by_anomaly = upstream / (1.0 - eccentricity * tf.cos(e))
        return by_anomaly, by_anomaly * tf.sin(e)

    return e, grad


scale = tf.Variable(3.0, name="scale")


@tf.custom_gradient
def scaled(x: Any) -> Any:
    """scale * x; `grad` of a function that reads variables also gives the gradients of those."""

    def grad(upstream: Any, variables: Any = None) -> Any:
        return upstream * scale, [tf.reduce_sum(upstream * x) for _ in variables]

    return scale * x, grad


def steadier() -> None:
    x = tf.constant(100.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        plain, own = tf.math.log(1.0 + tf.exp(x)), softplus(x)
    print("plain:", tape.gradient(plain, x).numpy(), "  own:", tape.gradient(own, x).numpy())


def limited_inside() -> None:
    v = tf.Variable([30.0, 40.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(limited(v) ** 2)
    print(tape.gradient(loss, v).numpy())


def turned_round() -> None:
    feature, head = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        loss = head * reversed_gradient(feature)
    print([float(g) for g in tape.gradient(loss, [feature, head])])


def through_a_step() -> None:
    x = tf.Variable([-2.0, -0.5, 0.5, 2.0])
    with tf.GradientTape() as tape:
        y = sign(x)
    print(y.numpy(), tape.gradient(y, x).numpy())


def implicit() -> None:
    anomaly, eccentricity = tf.Variable(1.0), tf.Variable(0.3)
    with tf.GradientTape() as tape:
        e = kepler(anomaly, eccentricity)
    by_anomaly, by_eccentricity = tape.gradient(e, [anomaly, eccentricity])
    print(f"E = {float(e):.6f}, by M {float(by_anomaly):.6f}, by e {float(by_eccentricity):.6f}")


def with_variables() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(scaled(x))
    print(tape.gradient(y, [x, scale]))


def twice_and_compiled() -> None:
    @tf.function
    def second_derivative(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = softplus(x)
            slope = inner.gradient(y, x)
        return outer.gradient(slope, x)

    x = tf.constant([-1.0, 0.0, 1.0])
    expected = tf.sigmoid(x) * (1.0 - tf.sigmoid(x))
    print("right:", bool(tf.reduce_all(tf.abs(second_derivative(x) - expected) < 1e-6)))


def recomputed() -> None:
    runs = []

    @tf.recompute_grad
    def block(x: Any) -> Any:
        runs.append("run")
        return tf.sin(tf.exp(tf.cos(x)))

    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = block(x)  # keeps x alone, and computes the rest again on the way back
    print(f"{float(tape.gradient(y, x)):.6f}, runs: {len(runs)}")


def main() -> None:
    """Show all of them."""
    terminal.heading("Gradients of one's own")
    for example in (steadier, limited_inside, turned_round, through_a_step):
        terminal.show(example)
    for example in (implicit, with_variables, twice_and_compiled, recomputed):
        terminal.show(example)


if __name__ == "__main__":
    main()
