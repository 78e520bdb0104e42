"""A training loop of Keras models on several replicas learns what it learns on one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf


def trained(strategy: Any, optimizer: str) -> tuple[list[float], list[Any]]:
    keras = tf.keras
    random = np.random.default_rng(0)
    x = random.normal(size=(24, 4)).astype(np.float32)
    y = random.integers(0, 3, 24)
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(8))
    keras.utils.set_random_seed(1)
    with strategy.scope():
        model = keras.Sequential([keras.layers.Dense(5, "tanh", kernel_regularizer="l2"), keras.layers.Dense(3)])
        chosen = keras.optimizers.get(
            {"class_name": optimizer.split()[-1], "config": {"learning_rate": 0.1, "clipnorm": 0.5}}
        )
        if optimizer.startswith("scaled"):
            chosen = keras.optimizers.LossScaleOptimizer(chosen, initial_scale=8.0)
        accuracy = keras.metrics.SparseCategoricalAccuracy()
        loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)

    def step(inputs: Any) -> Any:
        images, labels = inputs
        with tf.GradientTape() as tape:
            logits = model(images, training=True)
            loss = tf.nn.compute_average_loss(loss_of(labels, logits))
            loss += tf.nn.scale_regularization_loss(tf.add_n(model.losses))
            scaled = chosen.scale_loss(loss)
        gradients = tape.gradient(scaled, model.trainable_variables)
        chosen.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        accuracy.update_state(labels, logits)
        return loss

    @tf.function
    def distributed_step(inputs: Any) -> Any:
        per_replica_losses = strategy.run(step, args=(inputs,))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica_losses, axis=None)

    losses = [float(distributed_step(batch)) for _ in range(2) for batch in data]
    assert int(chosen.iterations) == 6
    return [*losses, float(accuracy.result())], model.get_weights()


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "scaled SGD"])
def test_replicas_learn_as_one(two: Any, optimizer: str) -> None:
    numbers, weights = trained(tf.distribute.MirroredStrategy(["CPU:0"]), optimizer)
    others, other_weights = trained(two, optimizer)
    np.testing.assert_allclose(others, numbers, rtol=2e-5)
    for a, b in zip(weights, other_weights, strict=True):
        np.testing.assert_allclose(b, a, rtol=2e-4, atol=2e-6)


def test_statistics_and_seeds(two: Any) -> None:
    keras = tf.keras
    with two.scope():
        model = keras.Sequential([keras.layers.BatchNormalization(momentum=0.0), keras.layers.Dropout(0.5, seed=1)])
    x = two.experimental_distribute_values_from_function(lambda c: tf.ones([2, 3]) * float(c.replica_id_in_sync_group))
    two.run(lambda x: model(x, training=True), args=(x,))
    np.testing.assert_allclose(model.layers[0].moving_mean, np.full(3, 0.5))


def test_fit_in_a_scope(two: Any) -> None:
    keras = tf.keras
    with two.scope():
        model = keras.Sequential([keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    x = np.ones((8, 2), np.float32)
    history = model.fit(x, x[:, :1], epochs=2, batch_size=4, verbose=0).history["loss"]
    assert history[1] < history[0]
