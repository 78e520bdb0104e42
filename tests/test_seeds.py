"""The eager programs that people start with, written as they are found in guides and answers, with their outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf


def test_basic_gradient_calculation(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    dy_dx = tape.gradient(y, x)
    print(dy_dx)  # Output: 6.0
    assert capsys.readouterr().out == "tf.Tensor(6.0, shape=(), dtype=float32)\n"
    assert dy_dx.numpy() == 6.0


def test_gradient_calculation_with_manual_watch() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**2
    dy_dx = tape.gradient(y, x)
    assert dy_dx.numpy() == 6.0


def test_product_of_a_watched_constant() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    dy_dx = tape.gradient(y, x)
    assert dy_dx.numpy() == 6.0
    assert dy_dx.dtype == tf.float32


def test_higher_order_gradients() -> None:
    x = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape1:
        with tf.GradientTape() as tape2:
            y = x * x
        dy_dx = tape2.gradient(y, x)
    d2y_dx2 = tape1.gradient(dy_dx, x)
    assert (dy_dx.numpy(), d2y_dx2.numpy()) == (2.0, 2.0)


def test_nested_tapes_of_a_cube() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as third:
        with tf.GradientTape() as second:
            with tf.GradientTape() as first:
                y = x * x * x
            dy_dx = first.gradient(y, x)
        d2y_dx2 = second.gradient(dy_dx, x)
    d3y_dx3 = third.gradient(d2y_dx2, x)
    assert [d.numpy() for d in (dy_dx, d2y_dx2, d3y_dx3)] == [12.0, 12.0, 6.0]


def test_unwatched_tensor_has_no_gradient() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None


def test_persistent_tape_gives_several_gradients() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert tape.gradient(z, x).numpy() == 108.0
    assert tape.gradient(y, x).numpy() == 6.0
    del tape


def test_resources_are_released_after_one_gradient() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="can only be used to compute one set of gradients"):
        tape.gradient(y, x)


def test_list_of_variables_of_different_shapes() -> None:
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    b = tf.Variable([0.5, -0.5])
    scale = tf.Variable(2.0)
    x = tf.constant([[1.0, 0.0, -1.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(scale * (tf.matmul(x, w) + b))
    gradients = tape.gradient(loss, [w, b, scale])
    assert isinstance(gradients, list)
    assert [g.shape for g in gradients] == [(3, 2), (2,), ()]
    np.testing.assert_array_equal(gradients[0].numpy(), [[2, 2], [0, 0], [-2, -2]])
    np.testing.assert_array_equal(gradients[1].numpy(), [2, 2])
    assert gradients[2].numpy() == -8.0


def test_watch_accessed_variables_off() -> None:
    a, b = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(a)
        y = a * b
    assert tape.watched_variables() == (a,)
    da, db = tape.gradient(y, [a, b])
    assert da.numpy() == 5.0
    assert db is None


def test_only_trainable_variables_are_watched() -> None:
    a = tf.Variable(2.0)
    frozen = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = a * frozen
    da, d_frozen = tape.gradient(y, [a, frozen])
    assert da.numpy() == 3.0
    assert d_frozen is None


def test_stop_gradient() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * tf.stop_gradient(x)
    assert tape.gradient(y, x).numpy() == 3.0


def test_jacobian_after_the_forward_pass() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    np.testing.assert_array_equal(tape.jacobian(y, x).numpy(), [[2.0, 0.0], [0.0, 4.0]])


def test_jacobian_of_a_model_output_in_some_epochs() -> None:
    w = tf.Variable([[1.0, -1.0], [0.5, 2.0]])
    x = tf.constant([[1.0, 2.0]])
    found = []
    for epoch in range(101):
        if epoch % 50 == 0:
            with tf.GradientTape() as tape:
                output = tf.matmul(x, w)
            found.append(tape.jacobian(output, w))
    assert len(found) == 3
    expected = np.zeros((1, 2, 2, 2))
    expected[0, 0, :, 0] = expected[0, 1, :, 1] = [1.0, 2.0]
    np.testing.assert_array_equal(found[0].numpy(), expected)


class Line(tf.Module):
    """y = w x + b."""

    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable(5.0)
        self.b = tf.Variable(0.0)

    def __call__(self, x: Any) -> Any:
        return self.w * x + self.b


def line_data() -> tuple[Any, Any]:
    x = tf.constant(np.linspace(-2.0, 2.0, 201).astype(np.float32))
    return x, 3.0 * x + 2.0


def test_custom_training_loop() -> None:
    model = Line()
    inputs, targets = line_data()
    losses = []
    for _ in range(100):
        with tf.GradientTape() as tape:
            predictions = model(inputs)
            loss = tf.reduce_mean(tf.square(targets - predictions))
        gradients = tape.gradient(loss, model.trainable_variables)
        for gradient, variable in zip(gradients, model.trainable_variables, strict=True):
            variable.assign_sub(0.1 * gradient)
        losses.append(loss.numpy())
    assert losses[0] == pytest.approx(4 + 4 * 4 * 202 / 600, rel=1e-5)
    assert losses[-1] < 1e-9
    assert model.w.numpy() == pytest.approx(3.0, abs=1e-4)
    assert model.b.numpy() == pytest.approx(2.0, abs=1e-4)


def test_gradients_are_clipped_before_they_are_applied() -> None:
    model = Line()
    inputs, targets = line_data()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(targets - model(inputs)))
    gradients = tape.gradient(loss, model.trainable_variables)
    clipped = [tf.clip_by_value(g, -1.0, 1.0) for g in gradients]
    assert [g.numpy() for g in clipped] == [-1.0, 1.0]


def test_two_models_with_one_tape() -> None:
    encoder, decoder = Line(), Line()
    inputs, _ = line_data()
    variables = encoder.trainable_variables + decoder.trainable_variables
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(decoder(encoder(inputs)) - inputs))
    gradients = tape.gradient(loss, variables)
    assert len(gradients) == 4
    assert all(g is not None and g.shape == () for g in gradients)


def test_generator_and_discriminator_with_two_tapes() -> None:
    generator, discriminator = Line(), Line()
    noise, real = tf.constant([0.1, -0.3]), tf.constant([1.0, 2.0])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        fake_score = discriminator(generator(noise))
        real_score = discriminator(real)
        gen_loss = -tf.reduce_mean(fake_score)
        disc_loss = tf.reduce_mean(fake_score) - tf.reduce_mean(real_score)
    of_generator = gen_tape.gradient(gen_loss, generator.trainable_variables)
    of_discriminator = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    # Attributes in alphabetical order: b, w.
    assert [g.numpy() for g in of_generator] == pytest.approx([-5.0, 0.5])
    assert [g.numpy() for g in of_discriminator] == pytest.approx([0.0, -2.0])


def test_partial_derivatives_of_watched_tensors() -> None:
    z, t = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(z)
        tape.watch(t)
        y = z * z * t
    dz, dt = tape.gradient(y, [z, t])
    assert (dz.numpy(), dt.numpy()) == (12.0, 4.0)


def test_gradients_need_a_floating_variable() -> None:
    x = tf.Variable(3)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None
