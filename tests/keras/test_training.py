"""Models that train: Sequential, Functional, subclassed, with the user's own steps and loops."""

from __future__ import annotations

import contextlib
import signal
from typing import Any

import numpy as np
import pytest

import gradtape as tf


def blobs(count: int = 120) -> tuple[Any, Any]:
    """Three clouds of points that a small model can tell apart."""
    random = np.random.default_rng(0)
    labels = np.arange(count) % 3
    centres = np.array([[0.0, 3.0, 0.0, 1.0], [3.0, 0.0, 1.0, 0.0], [-3.0, -3.0, 0.0, 0.0]])
    points = centres[labels] + random.normal(size=(count, 4))
    return points.astype("float32"), labels.astype("int32")


def classifier(keras: Any) -> Any:
    return keras.Sequential(
        [keras.layers.Input((4,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(3)]
    )


def loss(keras: Any) -> Any:
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@pytest.mark.parametrize("eager", [False, True])
def test_sequential(keras: Any, eager: bool) -> None:
    x, y = blobs()
    model = classifier(keras)
    model.compile(keras.optimizers.Adam(0.05), loss(keras), metrics=["accuracy"], run_eagerly=eager)
    history = model.fit(x, y, epochs=5, batch_size=32, verbose=0, validation_split=0.2).history
    assert history["accuracy"][-1] > 0.9
    assert history["val_loss"][-1] < history["val_loss"][0]
    scores = model.evaluate(x, y, verbose=0, return_dict=True)
    predicted = model.predict(x, batch_size=50, verbose=0)
    assert predicted.shape == (120, 3)
    assert np.mean(predicted.argmax(-1) == y) == pytest.approx(scores["accuracy"], abs=1e-6)


def test_compiled_and_eager_training_agree(keras: Any) -> None:
    x, y = blobs(50)
    results = []
    for eager in (False, True):
        keras.utils.set_random_seed(3)
        model = keras.Sequential(
            [
                keras.layers.Input((4,)),
                # A bias before a normalization has a gradient of rounding errors alone, which Adam would enlarge.
                keras.layers.Dense(8, use_bias=False),
                keras.layers.BatchNormalization(),
                keras.layers.Dropout(0.3, seed=5),
                keras.layers.Dense(3),
            ]
        )
        optimizer = keras.optimizers.Adam(0.01, clipnorm=1.0, use_ema=True)
        model.compile(optimizer, loss(keras), metrics=["accuracy"], run_eagerly=eager)
        logs = model.fit(x, y, epochs=3, batch_size=16, shuffle=False, verbose=0).history
        results.append((logs, [w.numpy() for w in model.weights]))
    (first, weights), (second, other) = results
    np.testing.assert_allclose(first["loss"], second["loss"], rtol=1e-5)
    for a, b in zip(weights, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_the_step_is_compiled(keras: Any) -> None:
    runs = []

    class Counted(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(3)

        def call(self, x: Any) -> Any:
            runs.append(x)
            return self.dense(x)

    x, y = blobs(100)
    model = Counted()
    model.compile("sgd", loss(keras))
    model.fit(x, y, epochs=4, batch_size=32, verbose=0)
    # Built once, traced for full batches and for the last, smaller one.
    assert len(runs) <= 4


@pytest.mark.parametrize("kind", ["dense", "convolution", "recurrent", "attention"])
def test_the_step_is_one_native_program(keras: Any, kind: str) -> None:
    layers = keras.layers
    inputs = keras.Input((6,), dtype="int32") if kind == "attention" else keras.Input((6, 6, 1))
    if kind == "attention":
        embedded = layers.Embedding(5, 8)(inputs)
        hidden = layers.LayerNormalization()(embedded + layers.MultiHeadAttention(2, 4)(embedded, embedded))
    elif kind == "convolution":
        hidden = layers.MaxPooling2D()(layers.BatchNormalization()(layers.Conv2D(4, 3, activation="relu")(inputs)))
    elif kind == "recurrent":
        hidden = layers.LSTM(4)(layers.Reshape((6, 6))(inputs))
    else:
        hidden = layers.Dense(8, activation="gelu")(inputs)
    outputs = layers.Dense(3, activation="softmax")(layers.Dropout(0.2)(layers.Flatten()(hidden)))
    model = keras.Model(inputs, outputs)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    random = np.random.default_rng(0)
    x = random.integers(0, 5, (16, 6)) if kind == "attention" else random.normal(size=(16, 6, 6, 1))
    model.fit(x, random.integers(0, 3, 16), batch_size=8, epochs=2, verbose=0)
    (trace,) = model.train_function.explain().traces
    assert trace.native
    # Views cost nothing, whoever makes them.
    assert {outside.op for outside in trace.outside} <= {"reshape"}


def test_functional_with_two_inputs_and_outputs(keras: Any) -> None:
    a, b = keras.Input((3,), name="a"), keras.Input((2,), name="b")
    hidden = keras.layers.concatenate([keras.layers.Dense(4)(a), b])
    model = keras.Model(
        {"a": a, "b": b},
        {
            "sum": keras.layers.Dense(1, name="sum")(hidden),
            "kind": keras.layers.Dense(2, activation="softmax", name="kind")(hidden),
        },
    )
    model.compile(
        "adam", {"sum": "mse", "kind": "sparse_categorical_crossentropy"}, loss_weights={"sum": 0.5, "kind": 1.0}
    )
    x = {"a": np.ones((10, 3), "float32"), "b": np.ones((10, 2), "float32")}
    y = {"sum": np.ones((10, 1), "float32"), "kind": np.zeros(10, "int32")}
    history = model.fit(x, y, epochs=3, batch_size=4, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]
    assert {k: v.shape for k, v in model.predict(x, verbose=0).items()} == {"sum": (10, 1), "kind": (10, 2)}


def test_weights_of_samples_and_classes(keras: Any) -> None:
    x, y = blobs(30)
    model = classifier(keras)
    model.compile("sgd", loss(keras), weighted_metrics=["accuracy"])
    only_first = model.evaluate(x[:10], y[:10], verbose=0)[0]
    weights = np.zeros(30)
    weights[:10] = 3.0
    assert model.evaluate(x, y, sample_weight=weights, batch_size=30, verbose=0)[0] == pytest.approx(
        only_first, rel=1e-5
    )
    before = model.get_weights()
    model.fit(x, y, class_weight={0: 0.0, 1: 0.0, 2: 0.0}, verbose=0)
    for a, b in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("steps", [1, 3])
def test_steps_per_execution(keras: Any, steps: int) -> None:
    x, y = blobs(70)
    model = classifier(keras)
    model.compile("sgd", loss(keras), steps_per_execution=steps)
    model.fit(x, y, batch_size=10, epochs=2, verbose=0)
    assert int(model.optimizer.iterations) == 14
    assert model.predict(x, batch_size=10, verbose=0).shape == (70, 3)


def test_train_step_of_the_user(keras: Any) -> None:
    class Model(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(3)

        def call(self, x: Any, training: bool = False) -> Any:
            return self.dense(x)

        def train_step(self, data: Any) -> Any:
            x, y = data
            with tf.GradientTape() as tape:
                error = self.compute_loss(y=y, y_pred=self(x, training=True))
            gradients = tape.gradient(error, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"error": error, "norm": tf.linalg.global_norm(gradients)}

    x, y = blobs()
    model = Model()
    model.compile(keras.optimizers.SGD(0.1), loss(keras))
    history = model.fit(x, y, epochs=3, verbose=0).history
    assert history["error"][-1] < history["error"][0]
    assert history["norm"][-1] > 0.0


def test_custom_loop_under_a_function(keras: Any) -> None:
    x, y = blobs(64)
    model, optimizer, error = classifier(keras), keras.optimizers.Adam(0.05), loss(keras)
    accuracy = keras.metrics.SparseCategoricalAccuracy()

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            value = error(y, logits)
        optimizer.apply_gradients(
            zip(tape.gradient(value, model.trainable_variables), model.trainable_variables, strict=True)
        )
        accuracy.update_state(y, logits)
        return value

    values = [float(step(x, y)) for _ in range(20)]
    assert values[-1] < 0.5 * values[0]
    assert step.experimental_get_tracing_count() <= 2
    assert 0.3 < float(accuracy.result()) <= 1.0


def test_two_optimizers_of_a_gan(keras: Any) -> None:
    class Gan(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.generator = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(4)])
            self.critic = keras.Sequential(
                [keras.layers.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)]
            )
            self.seed_generator = keras.random.SeedGenerator(1)

        def compile(self, first: Any, second: Any, loss_fn: Any) -> None:
            super().compile()
            self.first, self.second, self.loss_fn = first, second, loss_fn

        def train_step(self, real: Any) -> Any:
            noise = keras.random.normal((real.shape[0], 2), seed=self.seed_generator)
            with tf.GradientTape() as tape:
                both = keras.ops.concatenate([self.generator(noise), real])
                labels = keras.ops.concatenate(
                    [keras.ops.zeros((real.shape[0], 1)), keras.ops.ones((real.shape[0], 1))]
                )
                critic_loss = self.loss_fn(labels, self.critic(both))
            weights = self.critic.trainable_weights
            self.first.apply_gradients(zip(tape.gradient(critic_loss, weights), weights, strict=True))
            with tf.GradientTape() as tape:
                made = self.critic(self.generator(noise))
                generator_loss = self.loss_fn(keras.ops.ones_like(made), made)
            weights = self.generator.trainable_weights
            self.second.apply_gradients(zip(tape.gradient(generator_loss, weights), weights, strict=True))
            return {"critic": critic_loss, "generator": generator_loss}

    model = Gan()
    model.compile(
        keras.optimizers.Adam(0.01), keras.optimizers.Adam(0.01), keras.losses.BinaryCrossentropy(from_logits=True)
    )
    before = [w.numpy() for w in model.weights]
    history = model.fit(blobs()[0], epochs=2, batch_size=40, verbose=0).history
    assert len(history["critic"]) == 2
    assert all(np.any(a != w.numpy()) for a, w in zip(before, model.weights, strict=True))


def test_callbacks(keras: Any, tmp_path: Any) -> None:
    x, y = blobs()
    model = classifier(keras)
    model.compile(keras.optimizers.SGD(1.0), loss(keras))
    callbacks = [
        keras.callbacks.EarlyStopping(monitor="val_loss", min_delta=10.0, patience=1),
        keras.callbacks.ReduceLROnPlateau(monitor="val_loss", min_delta=10.0, patience=1, factor=0.5),
        keras.callbacks.CSVLogger(tmp_path / "log.csv"),
        keras.callbacks.ModelCheckpoint(tmp_path / "model.keras"),
        keras.callbacks.TerminateOnNaN(),
    ]
    history = model.fit(x, y, epochs=20, validation_split=0.3, callbacks=callbacks, verbose=0)
    assert len(history.history["loss"]) == 2
    assert float(model.optimizer.learning_rate) == 0.5
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 3
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-6)


@pytest.mark.parametrize("often", ["epoch", 2])
def test_tensorboard(keras: Any, tmp_path: Any, often: Any) -> None:
    x, y = blobs()
    model = classifier(keras)
    model.compile("sgd", loss(keras))
    board = keras.callbacks.TensorBoard(tmp_path, histogram_freq=1, write_images=True, update_freq=often)
    model.fit(x, y, epochs=2, validation_split=0.5, callbacks=[board], verbose=0)
    (train,), (validation,) = [list((tmp_path / part).iterdir()) for part in ("train", "validation")]
    written = train.read_bytes()
    assert all(tag in written for tag in (b"epoch_loss", b"epoch_learning_rate", b"kernel", b"Sequential"))
    assert (b"batch_loss" in written) == (often == 2)
    assert b"epoch_loss" in validation.read_bytes()


def test_batch_methods(keras: Any) -> None:
    x, y = blobs(8)
    model = classifier(keras)
    model.compile("sgd", loss(keras), metrics=["accuracy"])
    first = model.train_on_batch(x, y, return_dict=True)
    second = model.test_on_batch(x, y, return_dict=True)
    assert second["loss"] < first["loss"]
    assert model.predict_on_batch(x).shape == (8, 3)


def test_interrupted_training_leaves_a_usable_model(keras: Any) -> None:
    class Interrupt(keras.callbacks.Callback):  # type: ignore[misc, name-defined]
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if batch == 1:
                raise KeyboardInterrupt

    x, y = blobs()
    model = classifier(keras)
    model.compile("sgd", loss(keras))
    with pytest.raises(KeyboardInterrupt):
        model.fit(x, y, callbacks=[Interrupt()], verbose=0)
    model.fit(x, y, verbose=0)
    assert np.isfinite(model.predict(x, verbose=0)).all()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # raised in a callback of the collector
def test_signals_at_any_moment_leave_a_usable_model(keras: Any) -> None:
    heard: list[int] = []

    def interrupt(number: Any, frame: Any) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    x, y = blobs()
    model = classifier(keras)
    model.compile("adam", loss(keras), metrics=["accuracy"])
    model.fit(x, y, verbose=0)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for k in range(20):
            signal.setitimer(signal.ITIMER_REAL, 0.003 + 0.0011 * k)
            heard.clear()
            with contextlib.suppress(KeyboardInterrupt):
                while not heard:  # Keras swallows what is raised while it makes numbers of logs
                    model.fit(x, y, batch_size=8, verbose=0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    history = model.fit(x, y, epochs=20, verbose=0).history
    assert history["accuracy"][-1] > 0.9
    assert [w.shape for w in model.get_weights()] == [(4, 16), (16,), (16, 3), (3,)]


@pytest.mark.parametrize("eager", [False, True])
def test_a_missing_gradient_is_explained(keras: Any, eager: bool) -> None:
    class Model(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused = keras.layers.Dense(3), keras.layers.Dense(3)

        def call(self, x: Any) -> Any:
            self.unused(x)
            return self.used(x)

    x, y = blobs(16)
    model = Model()
    model.compile("sgd", loss(keras), run_eagerly=eager)
    with pytest.warns(UserWarning, match="Gradients do not exist for variables") as caught:
        model.fit(x, y, verbose=0)
    text = str(caught[0].message)
    assert "model/dense_1/kernel: " in text
    assert "no path" in text


def test_explain_takes_variables_of_keras(keras: Any) -> None:
    used, unused = keras.layers.Dense(2), keras.layers.Dense(2)
    used.build((None, 3)), unused.build((None, 3))
    with tf.GradientTape() as tape:
        y = used(np.ones((1, 3), "float32"))
    assert "kernel" in str(tape.explain(y, unused.kernel))
