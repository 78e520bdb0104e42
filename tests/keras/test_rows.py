"""Gradients of embeddings: rows that reach the optimizer as rows where that changes nothing, and sums of them elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.core.op import REGISTRY

# Every optimizer of Keras, by how it takes the gradient of an embedding: as rows, or whole.
AS_ROWS: dict[str, Any] = {
    "SGD": lambda o: o.SGD(0.1),
    "SGD with decay": lambda o: o.SGD(0.1, weight_decay=0.1),
    "SGD with averages": lambda o: o.SGD(0.1, use_ema=True, ema_overwrite_frequency=2),
    "SGD, norms clipped": lambda o: o.SGD(0.1, clipnorm=0.5),
    "SGD, norm clipped": lambda o: o.SGD(0.1, global_clipnorm=0.5),
    "SGD, values clipped": lambda o: o.SGD(0.1, clipvalue=2.0),
    "SGD, scaled": lambda o: o.SGD(0.1, loss_scale_factor=4.0),
    "SGD, scaled as needed": lambda o: o.LossScaleOptimizer(o.SGD(0.1), initial_scale=4.0),
    "Adagrad": lambda o: o.Adagrad(0.1),
    "Adagrad, norms clipped": lambda o: o.Adagrad(0.1, clipnorm=0.5),
}
WHOLE: dict[str, Any] = {
    "SGD with momentum": lambda o: o.SGD(0.1, momentum=0.9),
    "SGD with Nesterov's momentum": lambda o: o.SGD(0.1, momentum=0.9, nesterov=True),
    "SGD, accumulated": lambda o: o.SGD(0.1, gradient_accumulation_steps=2),
    "RMSprop": lambda o: o.RMSprop(0.1),
    "Adadelta": lambda o: o.Adadelta(0.1),
    "Adafactor": lambda o: o.Adafactor(0.1),
    "Adam": lambda o: o.Adam(0.1),
    "AdamW": lambda o: o.AdamW(0.1),
    "Adamax": lambda o: o.Adamax(0.1),
    "Ftrl": lambda o: o.Ftrl(0.1),
    "Lamb": lambda o: o.Lamb(0.1),
    "Lion": lambda o: o.Lion(0.1),
    "Muon": lambda o: o.Muon(0.1),
    "Nadam": lambda o: o.Nadam(0.1),
    "ScheduleFreeAdamW": lambda o: o.ScheduleFreeAdamW(0.1),
}
OPTIMIZERS = AS_ROWS | WHOLE


@pytest.fixture
def dense_gradients(monkeypatch: Any) -> list[Any]:
    """The shapes of whole gradients that are made of rows by ops that run."""
    made: list[Any] = []
    kind = type(REGISTRY["scatter_rows"])
    kernel = kind.kernel

    def seen(self: Any, *args: Any, **params: Any) -> Any:
        made.append(params["rows"])
        return kernel(self, *args, **params)

    monkeypatch.setattr(kind, "kernel", seen)
    return made


def embedding(keras: Any, rows: int = 6) -> Any:
    layer = keras.layers.Embedding(rows, 2, embeddings_initializer=keras.initializers.RandomNormal(seed=1))
    layer.build()
    return layer


def test_a_row_that_is_read_twice_gets_both_gradients(keras: Any) -> None:
    layer = embedding(keras)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(np.array([1, 1, 4])))
    gradient = tape.gradient(y, layer.trainable_variables)[0]
    assert isinstance(gradient, tf.IndexedSlices)
    before = layer.embeddings.numpy()
    keras.optimizers.SGD(1.0).apply_gradients([(gradient, layer.embeddings)])
    change = layer.embeddings.numpy() - before
    np.testing.assert_allclose(change[:, 0], [0.0, -2.0, 0.0, 0.0, -1.0, 0.0], atol=1e-6)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_rows_are_updated_as_by_the_dense_gradient(keras: Any, dense_gradients: Any, name: str) -> None:
    results = []
    for dense in (False, True):
        layer = embedding(keras)
        optimizer = OPTIMIZERS[name](keras.optimizers)
        for words in ([1, 1, 4, 1], [4, 0, 0, 4], [2, 1, 1, 2]):
            with tf.GradientTape() as tape:
                y = optimizer.scale_loss(tf.reduce_sum(layer(np.array(words)) ** 2))
            gradient = tape.gradient(y, layer.embeddings)
            assert isinstance(gradient, tf.IndexedSlices)
            gradient = tf.convert_to_tensor(gradient) if dense else gradient
            optimizer.apply_gradients([(gradient, layer.embeddings)])
        results.append([layer.embeddings.numpy(), *[v.numpy() for v in optimizer.variables]])
        assert len(dense_gradients) == (3 if dense or name in WHOLE else 0)
        dense_gradients.clear()
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("name", ["SGD", "Adagrad", "Adam", "SGD, norm clipped", "SGD, scaled as needed"])
def test_fit_with_rows_is_fit_with_dense_gradients(keras: Any, dense_gradients: Any, name: str, eager: bool) -> None:
    class Dense(keras.Sequential):  # type: ignore[misc, name-defined]
        def train_step(self, data: Any) -> Any:
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compute_loss(y=y, y_pred=self(x, training=True))
                scaled = self.optimizer.scale_loss(loss)
            gradients = [tf.convert_to_tensor(g) for g in tape.gradient(scaled, self.trainable_weights)]
            self.optimizer.apply(gradients, self.trainable_weights)
            return {"loss": loss}

    random = np.random.default_rng(0)
    x, y = random.integers(0, 5, (24, 3)), random.normal(size=(24, 1)).astype("float32")
    results = []
    for kind in (keras.Sequential, Dense):
        keras.utils.set_random_seed(3)
        layers = keras.layers
        model = kind([keras.Input((3,), dtype="int32"), layers.Embedding(40, 4), layers.Flatten(), layers.Dense(1)])
        model.compile(OPTIMIZERS[name](keras.optimizers), "mse", run_eagerly=eager)
        model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0)
        results.append(model.get_weights())
        if kind is keras.Sequential:
            assert bool(dense_gradients) == (eager and name in WHOLE)
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_compiled_step_makes_a_dense_gradient_only_where_it_must(keras: Any, name: str) -> None:
    layers = keras.layers
    model = keras.Sequential([keras.Input((3,), dtype="int32"), layers.Embedding(1000, 4), layers.Flatten()])
    model.compile(OPTIMIZERS[name](keras.optimizers), "mse")
    model.fit(np.ones((8, 3), "int32"), np.zeros((8, 12), "float32"), verbose=0)
    (trace,) = model.train_function.explain().traces
    kernels = " ".join([*trace.native, *[outside.op for outside in trace.outside]])
    assert ("scatter_rows" in kernels) == (name in WHOLE)


@pytest.mark.parametrize("name", ["SGD", "Adagrad", "Adam"])
def test_variables_of_gradtape(keras: Any, name: str) -> None:
    table, optimizer = tf.Variable(tf.ones([5, 2])), OPTIMIZERS[name](keras.optimizers)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [3, 3, 0]) ** 2)
    optimizer.apply_gradients([(tape.gradient(y, table), table)])
    assert (table.numpy()[:, 0] < 1.0).tolist() == [True, False, False, True, False]


def test_batches_of_unknown_size(keras: Any) -> None:
    layer, optimizer = embedding(keras), keras.optimizers.Adagrad(0.1)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def step(words: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(layer(words) ** 2)
        optimizer.apply_gradients([(tape.gradient(y, layer.embeddings), layer.embeddings)])
        return y

    values = [[float(step(np.array(words, "int32"))) for words in ([1, 1, 4], [2])] for _ in range(3)]
    assert values[2] < values[1] < values[0]


def test_a_table_that_is_also_read_as_a_whole(keras: Any) -> None:
    layer, optimizer = embedding(keras), keras.optimizers.Adagrad(0.1)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(np.array([1, 2])) @ tf.transpose(layer.embeddings))
    gradient = tape.gradient(y, layer.embeddings)
    assert not isinstance(gradient, tf.IndexedSlices)
    before = layer.embeddings.numpy()
    optimizer.apply([gradient], [layer.embeddings])
    assert np.all(layer.embeddings.numpy() != before)
