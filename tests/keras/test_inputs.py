"""What `fit` takes: arrays whose last batch is smaller, generators, datasets of Python; and who is told of batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gradtape as tf


def arrays(count: int = 20) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    return random.normal(size=(count, 4)).astype("float32"), random.normal(size=(count, 2)).astype("float32")


def model_of(keras: Any) -> Any:
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    return model


def test_a_smaller_last_batch_is_compiled_once(keras: Any) -> None:
    model = model_of(keras)
    model.fit(*arrays(23), batch_size=8, epochs=5, verbose=0)
    assert len(model.train_function.explain().traces) == 2


def test_tensors_of_shuffled_batches_are_not_the_arrays(keras: Any) -> None:
    seen = []

    class Keeping(keras.Sequential):  # type: ignore[misc, name-defined]
        def train_step(self, data: Any) -> Any:
            seen.append(data[0])
            return super().train_step(data)

    x, y = arrays(8)
    model = Keeping([keras.Input((4,)), keras.layers.Dense(2)])
    model.compile("sgd", "mse", run_eagerly=True)
    for shuffle in (False, True):
        model.fit(x, y, batch_size=4, shuffle=shuffle, verbose=0)
    before = [np.array(data) for data in seen]
    x[:] = 0.0
    for data, expected in zip(seen, before, strict=True):
        np.testing.assert_array_equal(data, expected)


@pytest.mark.parametrize("kind", ["generator", "PyDataset", "tf.data"])
def test_batches_of_other_kinds_train_like_arrays(keras: Any, kind: str) -> None:
    x, y = arrays()

    class Rows(keras.utils.PyDataset):  # type: ignore[misc, name-defined]
        def __len__(self) -> int:
            return 4

        def __getitem__(self, i: int) -> Any:
            return x[5 * i : 5 * i + 5], y[5 * i : 5 * i + 5]

    def generated() -> Iterator[Any]:
        while True:
            for i in range(4):
                yield Rows()[i]

    data = {
        "generator": generated,
        "PyDataset": Rows,
        "tf.data": lambda: tf.data.Dataset.from_tensor_slices((x, y)).batch(5),
    }[kind]()
    model, same = model_of(keras), model_of(keras)
    steps = 4 if kind == "generator" else None
    losses = model.fit(data, steps_per_epoch=steps, epochs=2, shuffle=False, verbose=0).history["loss"]
    expected = same.fit(x, y, batch_size=5, epochs=2, shuffle=False, verbose=0).history["loss"]
    np.testing.assert_allclose(losses, expected, rtol=1e-6)


def test_callbacks_hear_of_every_batch(keras: Any) -> None:
    heard: list[Any] = []

    class Listener(keras.callbacks.Callback):  # type: ignore[misc, name-defined]
        def on_batch_begin(self, batch: int, logs: Any = None) -> None:
            heard.append(("begin", batch))

        def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
            heard.append(("test", batch, set(logs)))

    late = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: heard.append(("end", batch, set(logs)))
    )
    model_of(keras).fit(*arrays(8), batch_size=4, validation_data=arrays(4), callbacks=[Listener(), late], verbose=0)
    assert heard == [
        ("begin", 0),
        ("end", 0, {"loss"}),
        ("begin", 1),
        ("end", 1, {"loss"}),
        ("test", 0, {"loss"}),
    ]


def test_training_goes_on_where_it_was_interrupted(keras: Any, tmp_path: Any) -> None:
    class Interrupt(keras.callbacks.Callback):  # type: ignore[misc, name-defined]
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            if epoch == 2:
                raise KeyboardInterrupt

    x, y = arrays()
    whole = model_of(keras)
    whole.fit(x, y, epochs=4, shuffle=False, verbose=0)
    model = model_of(keras)
    with pytest.raises(KeyboardInterrupt):
        model.fit(
            x,
            y,
            epochs=4,
            shuffle=False,
            verbose=0,
            callbacks=[keras.callbacks.BackupAndRestore(tmp_path), Interrupt()],
        )
    again = model_of(keras)
    history = again.fit(
        x, y, epochs=4, shuffle=False, verbose=0, callbacks=[keras.callbacks.BackupAndRestore(tmp_path)]
    )
    assert history.epoch == [2, 3]
    np.testing.assert_allclose(again.get_weights()[0], whole.get_weights()[0], rtol=1e-6)


def test_variables_of_keras_are_arguments_of_functions(keras: Any) -> None:
    v, w = keras.Variable([1.0, 2.0]), keras.Variable([3.0, 4.0])

    @tf.function
    def step(x: Any, variables: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * variables[0] * variables[1])
        gradients = tape.gradient(y, variables)
        variables[0].assign_sub(gradients[0])
        return gradients

    for _ in range(2):
        first, second = step(tf.ones(2), [v, w])
    np.testing.assert_allclose(first, [3.0, 4.0])
    np.testing.assert_allclose(second, [-2.0, -2.0])
    np.testing.assert_allclose(v, [-5.0, -6.0])
    assert step.experimental_get_tracing_count() == 1
    step(tf.ones(2), [w, v])
    np.testing.assert_allclose(w, [8.0, 10.0])
