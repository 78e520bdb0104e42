"""Ways to train: options of `compile` and of optimizers, masks, precision, and callbacks that change what is learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

X = np.random.default_rng(0).normal(size=(24, 4)).astype("float32")
Y = (X @ np.array([[1.0], [-2.0], [0.5], [0.0]])).astype("float32")


def fitted(
    keras: Any, optimizer: Any = None, batch_size: int = 8, epochs: int = 2, fit: Any = None, **options: Any
) -> Any:
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="tanh"), keras.layers.Dense(1)])
    model.compile(optimizer or keras.optimizers.SGD(0.1), "mse", **options)
    model.fit(X, Y, batch_size=batch_size, epochs=epochs, shuffle=False, verbose=0, **(fit or {}))
    return model


def same(model: Any, other: Any) -> None:
    for a, b in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "options", [{"jit_compile": True}, {"jit_compile": False}, {"run_eagerly": True}, {"steps_per_execution": 2}]
)
def test_options_of_compile_change_nothing_that_is_learned(keras: Any, options: Any) -> None:
    same(fitted(keras, **options), fitted(keras))


@pytest.mark.parametrize("eager", [False, True])
def test_accumulated_gradients_are_those_of_larger_batches(keras: Any, eager: bool) -> None:
    optimizer = keras.optimizers.Adam(0.1, gradient_accumulation_steps=3)
    accumulated = fitted(keras, optimizer, batch_size=8, run_eagerly=eager)
    same(accumulated, fitted(keras, keras.optimizers.Adam(0.1), batch_size=24))


@pytest.mark.parametrize("clip", ["clipnorm", "global_clipnorm", "clipvalue"])
def test_clipped_gradients_take_short_steps(keras: Any, clip: str) -> None:
    clipped = fitted(keras, keras.optimizers.SGD(1.0, **{clip: 1e-3}), epochs=1)
    start = fitted(keras, epochs=0)
    changes = [np.abs(a - b).max() for a, b in zip(clipped.get_weights(), start.get_weights(), strict=True)]
    assert 0.0 < max(changes) <= 3.1e-3


def test_averages_of_weights(keras: Any) -> None:
    seen = []
    watch = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: seen.append(model.get_weights()[0]))
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5), "mse")
    model.fit(X, Y, batch_size=8, callbacks=[watch], verbose=0)
    # The weights that remain are the averages: of the first step all, of each later one half.
    np.testing.assert_allclose(model.get_weights()[0], 0.25 * seen[0] + 0.25 * seen[1] + 0.5 * seen[2], rtol=1e-5)


def test_averages_serve_while_evaluating(keras: Any) -> None:
    swap = keras.callbacks.SwapEMAWeights(swap_on_epoch=True)
    model = fitted(
        keras, keras.optimizers.Adam(0.1, use_ema=True), fit={"callbacks": [swap], "validation_data": (X, Y)}
    )
    assert np.isfinite(model.evaluate(X, Y, verbose=0))


def test_a_schedule_and_a_scheduler(keras: Any) -> None:
    decay = keras.optimizers.schedules.ExponentialDecay(0.1, decay_steps=3, decay_rate=0.5, staircase=True)
    scheduler = keras.callbacks.LearningRateScheduler(lambda epoch, rate: 0.1 * 0.5**epoch)
    same(fitted(keras, keras.optimizers.SGD(decay)), fitted(keras, fit={"callbacks": [scheduler]}))


@pytest.mark.parametrize("eager", [False, True])
def test_masked_steps_have_no_loss(keras: Any, eager: bool) -> None:
    layers, losses = keras.layers, []
    x = np.array([[3, 1, 0, 0], [2, 4, 1, 0]])
    for padding in (0.0, 1000.0):
        keras.utils.set_random_seed(0)
        model = keras.Sequential(
            [
                keras.Input((4,), dtype="int32"),
                layers.Embedding(5, 3, mask_zero=True),
                layers.GRU(4, return_sequences=True),
                layers.Dense(1),
            ]
        )
        model.compile("sgd", "mse", weighted_metrics=["mae"], run_eagerly=eager)
        y = np.where(x == 0, padding, 1.0)[..., None]
        losses.append([*model.fit(x, y, epochs=2, verbose=0).history["loss"], *model.evaluate(x, y, verbose=0)])
    np.testing.assert_allclose(*losses, rtol=1e-6)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_mixed_precision(keras: Any, policy: str) -> None:
    keras.config.set_dtype_policy(policy)
    model = fitted(keras, "adam", epochs=3)
    assert isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer) == (policy == "mixed_float16")
    assert {w.dtype for w in model.weights} == {"float32"}
    assert keras.backend.standardize_dtype(model(X).dtype) == policy.removeprefix("mixed_")
    keras.config.set_dtype_policy("float32")
    for a, b in zip(model.get_weights(), fitted(keras, "adam", epochs=3).get_weights(), strict=True):
        np.testing.assert_allclose(a, b, atol=2e-2)


@pytest.mark.parametrize("eager", [False, True])
def test_an_overflow_halves_the_scale_and_changes_no_weight(keras: Any, eager: bool) -> None:
    keras.config.set_dtype_policy("mixed_float16")
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1), initial_scale=2.0**30)
    model.compile(optimizer, "mse", run_eagerly=eager)
    before = model.get_weights()
    model.fit(X, Y, batch_size=8, verbose=0)
    for a, b in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)
    assert (float(optimizer.dynamic_scale), int(optimizer.iterations)) == (2.0**27, 0)
    model.fit(X, Y, batch_size=8, epochs=20, verbose=0)
    assert int(optimizer.iterations) > 0
    assert np.isfinite(model.evaluate(X, Y, verbose=0))


def test_the_progress_bar(keras: Any, capsys: Any) -> None:
    fitted(keras, epochs=2, fit={"validation_split": 0.5})
    assert capsys.readouterr().out == ""
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    model.fit(X, Y, batch_size=8, epochs=2, verbose=2)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "Epoch 1/2"
    assert printed[1].startswith("3/3 - ")
    assert {"loss", "mae"} <= {part.split(":")[0] for part in printed[1].split(" - ")}
    model.fit(X, Y, batch_size=8, verbose=1)
    assert "3/3" in capsys.readouterr().out


def test_a_loss_that_is_added_and_a_regularizer(keras: Any) -> None:
    class Active(keras.layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, x: Any) -> Any:
            self.add_loss(tf.reduce_mean(tf.square(x)))
            return x

    model = keras.Sequential(
        [keras.Input((4,)), keras.layers.Dense(1, kernel_regularizer="l2", kernel_initializer="ones"), Active()]
    )
    model.compile("sgd", "mse")
    expected = np.mean((X.sum(1) - Y[:, 0]) ** 2) + np.mean(X.sum(1) ** 2) + 0.01 * 4.0
    assert model.evaluate(X, Y, batch_size=24, verbose=0) == pytest.approx(expected, rel=1e-5)
    model.fit(X, Y, verbose=0)
    assert len(model.losses) == 2


def test_loss_scales_and_multiple_optimizers(keras: Any) -> None:
    scaled = fitted(keras, keras.optimizers.SGD(0.1, loss_scale_factor=8.0))
    same(scaled, fitted(keras))
    optimizers = keras.optimizers
    chosen = optimizers.MultiOptimizer(lambda variable: by_name[variable.path.split("/")[-1]])
    by_name = {"kernel": optimizers.SGD(0.1), "bias": optimizers.SGD(0.0)}
    model = fitted(keras, chosen)
    assert not np.any(model.layers[0].bias.numpy())
    assert np.any(model.get_weights()[0] != fitted(keras, epochs=0).get_weights()[0])
