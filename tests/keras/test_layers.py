"""Layers whose state or time matters: normalization, dropout, recurrence, embeddings, attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf


def test_moving_averages(keras: Any) -> None:
    layer = keras.layers.BatchNormalization(momentum=0.5)
    x = np.array([[1.0, 10.0], [3.0, 30.0]], "float32")
    y = layer(x, training=True)
    np.testing.assert_allclose(np.mean(y, axis=0), 0.0, atol=1e-6)
    np.testing.assert_allclose(layer.moving_mean.numpy(), [1.0, 10.0])
    np.testing.assert_allclose(layer.moving_variance.numpy(), [1.0, 50.5])
    before = layer.moving_mean.numpy()
    layer(x, training=False)
    np.testing.assert_array_equal(layer.moving_mean.numpy(), before)


def test_dropout_follows_its_seed(keras: Any) -> None:
    x = np.ones((4, 50), "float32")
    first, second = keras.layers.Dropout(0.5, seed=3), keras.layers.Dropout(0.5, seed=3)
    a, b = np.array(first(x, training=True)), np.array(second(x, training=True))
    np.testing.assert_array_equal(a, b)
    assert set(np.unique(a)) == {0.0, 2.0}
    assert np.any(np.array(first(x, training=True)) != a)
    np.testing.assert_array_equal(np.array(first(x, training=False)), x)


def test_dropout_draws_anew_in_every_compiled_step(keras: Any) -> None:
    layer = keras.layers.Dropout(0.5, seed=3)
    layer.build((4, 50))

    @tf.function
    def dropped(x: Any) -> Any:
        return layer(x, training=True)

    x = tf.ones((4, 50))
    assert np.any(dropped(x).numpy() != dropped(x).numpy())


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "SimpleRNN"])
def test_masked_steps_do_not_count(keras: Any, kind: str) -> None:
    layer = getattr(keras.layers, kind)(3, return_sequences=True, return_state=True)
    x = np.random.default_rng(0).normal(size=(2, 5, 4)).astype("float32")
    mask = np.array([[True, True, True, False, False], [True, True, True, True, True]])
    whole, *_ = layer(x, mask=mask)
    short, state, *_ = layer(x[:1, :3])
    np.testing.assert_allclose(whole[0, :3], short[0], rtol=1e-5)
    np.testing.assert_allclose(whole[0, 4], state[0], rtol=1e-5)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
@pytest.mark.parametrize("backwards", [False, True])
def test_the_fast_loop_is_the_general_one(keras: Any, kind: str, backwards: bool) -> None:
    x = np.random.default_rng(1).normal(size=(2, 4, 3)).astype("float32")
    mask = np.array([[True, False, True, True], [True, True, True, False]])
    fast = getattr(keras.layers, kind)(5, return_sequences=True, go_backwards=backwards)
    general = getattr(keras.layers, kind)(5, return_sequences=True, go_backwards=backwards, use_cudnn=False)
    fast(x), general(x)
    general.set_weights(fast.get_weights())
    np.testing.assert_allclose(fast(x, mask=mask), general(x, mask=mask), rtol=1e-5, atol=1e-6)


def test_stateful_recurrence(keras: Any) -> None:
    layer = keras.layers.LSTM(3, stateful=True)
    x = np.ones((2, 4, 3), "float32")
    first = np.array(layer(x))
    assert np.any(np.array(layer(x)) != first)
    layer.reset_state()
    np.testing.assert_allclose(layer(x), first, rtol=1e-6)


def test_bidirectional_model_trains(keras: Any) -> None:
    model = keras.Sequential(
        [
            keras.layers.Input((6,), dtype="int32"),
            keras.layers.Embedding(10, 4, mask_zero=True),
            keras.layers.Bidirectional(keras.layers.LSTM(3)),
            keras.layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    x = np.random.default_rng(0).integers(0, 10, (16, 6))
    history = model.fit(x, x.sum(1, keepdims=True) / 30.0, epochs=3, batch_size=8, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]


def test_attention_model_trains(keras: Any) -> None:
    inputs = keras.Input((5, 8))
    hidden = keras.layers.MultiHeadAttention(2, 4)(inputs, inputs, use_causal_mask=True)
    hidden = keras.layers.LayerNormalization()(hidden + inputs)
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.GlobalAveragePooling1D()(hidden)))
    model.compile(keras.optimizers.AdamW(0.01), "mse")
    x = np.random.default_rng(0).normal(size=(12, 5, 8)).astype("float32")
    history = model.fit(x, x[:, 0, :1], epochs=4, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]


def test_convolutional_model_trains(keras: Any) -> None:
    model = keras.Sequential(
        [
            keras.layers.Input((8, 8, 1)),
            keras.layers.Conv2D(4, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dense(2, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    x = np.random.default_rng(0).normal(size=(40, 8, 8, 1)).astype("float32")
    history = model.fit(x, (x.mean((1, 2, 3)) > 0).astype(int), epochs=4, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]


def test_mixed_precision_scales_the_loss(keras: Any) -> None:
    keras.config.set_dtype_policy("mixed_float16")
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(1, dtype="float32")])
    model.compile("adam", "mse")
    assert isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
    x = np.random.default_rng(0).normal(size=(32, 4)).astype("float32")
    history = model.fit(x, x[:, :1], epochs=3, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]
    assert model.layers[0].kernel.dtype == "float32"
    assert keras.backend.standardize_dtype(model.layers[0](x).dtype) == "float16"


def test_gradients_are_accumulated(keras: Any) -> None:
    v = keras.Variable(1.0)
    optimizer = keras.optimizers.SGD(1.0, gradient_accumulation_steps=2)
    optimizer.apply([keras.ops.convert_to_tensor(1.0)], [v])
    assert float(v) == 1.0
    optimizer.apply([keras.ops.convert_to_tensor(3.0)], [v])
    assert float(v) == -1.0


def test_unknown_dimensions_are_found_without_arithmetic(keras: Any) -> None:
    class Layer(keras.layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, x: Any) -> Any:
            seen.append(x)
            return tf.reshape(tf.concat([x, x], axis=1), (-1, 3)), tf.reduce_sum(x, axis=1)

    seen: list[Any] = []
    rows, sums = Layer()(keras.Input((None, 6)))
    assert rows.shape == (None, 3)
    assert sums.shape == (None, 6)
    assert all(type(x) is not tf.Tensor for x in seen)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_the_same_in_functions(keras: Any, causal: bool) -> None:
    rng = np.random.default_rng(0)
    query, key, value = (rng.normal(size=(2, n, heads, 4)).astype("float32") for n, heads in ((5, 4), (6, 2), (6, 2)))
    mask = rng.uniform(size=(2, 1, 5, 6)) < 0.5
    mask[0, 0, 2] = False  # a query that sees nothing

    def attend(query: Any, flash: Any = None) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(query)
            y = keras.ops.dot_product_attention(query, key, value, mask=mask, is_causal=causal, flash_attention=flash)
            total = tf.reduce_sum(tf.square(y))
        return y, tape.gradient(total, query)

    query = tf.constant(query)
    eager = attend(query)
    compiled = tf.function(attend)
    for flash in (None, True):
        for expected, found in zip(eager, compiled(query, flash), strict=True):
            np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)
    first = compiled.explain().traces[0]
    assert first.native
    assert not first.outside


@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU"])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("zeros", [False, True])
def test_many_masked_steps_are_a_loop_in_functions(keras: Any, kind: str, backwards: bool, zeros: bool) -> None:
    cell = getattr(keras.layers, f"{kind}Cell")(3)
    layer = keras.layers.RNN(
        cell, return_sequences=True, return_state=True, go_backwards=backwards, zero_output_for_mask=zeros
    )
    random = np.random.default_rng(0)
    x = tf.constant(random.normal(size=(2, 20, 2)).astype("float32"))
    mask = tf.constant(random.random((2, 20)) > 0.4)

    def run(x: Any, mask: Any) -> Any:
        with tf.GradientTape() as tape:
            sequence, *states = layer(x, mask=mask)
            total = tf.reduce_sum(sequence[:, ::3] ** 2) + tf.reduce_sum(states[-1])
        return sequence, *states, *tape.gradient(total, layer.trainable_weights)

    eager = run(x, mask)
    compiled = tf.function(run)
    for expected, found in zip(eager, compiled(x, mask), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    (trace,) = compiled.explain().traces
    assert "loop" in trace.native


@pytest.mark.parametrize("reverse", [False, True])
def test_many_steps_of_a_scan_are_a_loop_in_functions(keras: Any, reverse: bool) -> None:
    ops = keras.ops

    def run(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            last, partial = ops.scan(lambda c, row: (c * 0.9 + row[0], c * row[1]), x[0], (x, x * 2.0), reverse=reverse)
            total = ops.sum(last) + ops.sum(partial**2)
            total = ops.fori_loop(0, 30, lambda i, v: v * 1.01 + ops.cast(i, "float32"), total)
        return last, partial, total, tape.gradient(total, x)

    x = tf.constant(np.random.default_rng(0).normal(size=(20, 3)).astype("float32"))
    compiled = tf.function(run)
    for expected, found in zip(run(x), compiled(x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    (trace,) = compiled.explain().traces
    assert sum("loop" in kernel for kernel in trace.native) >= 2


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
@pytest.mark.parametrize("backwards", [False, True])
def test_many_steps_are_a_loop_in_functions(keras: Any, kind: str, backwards: bool) -> None:
    layer = getattr(keras.layers, kind)(3, return_sequences=True, return_state=True, go_backwards=backwards)
    x = tf.constant(np.random.default_rng(0).normal(size=(2, 70, 2)).astype("float32"))

    def run(x: Any) -> Any:
        with tf.GradientTape() as tape:
            sequence, *states = layer(x)
            total = tf.reduce_sum(sequence[:, ::7] ** 2) + tf.reduce_sum(states[-1])
        return sequence, *states, *tape.gradient(total, layer.trainable_weights)

    eager = run(x)
    compiled = tf.function(run)
    for expected, found in zip(eager, compiled(x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert len(compiled.explain().traces[0].native) < 70


def test_a_size_that_only_the_real_batch_has(keras: Any) -> None:
    class Grouped(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return keras.ops.reshape(x, (2, 3, 4))

    given = keras.Input((4,))
    made = Grouped()(given)
    assert made.shape == (2, 3, 4)
    model = keras.Model(given, keras.ops.sum(made, axis=-1))
    np.testing.assert_array_equal(model(np.ones((6, 4), "float32")), np.full((2, 3), 4.0))
    with pytest.raises(ValueError, match="requested shape has 24"):
        model(np.ones((5, 4), "float32"))


def test_sizes_that_never_fit_are_still_refused(keras: Any) -> None:
    class Wrong(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return tf.matmul(x, tf.ones([5, 2]))

    with pytest.raises(ValueError, match="inner dimensions differ"):
        Wrong()(keras.Input((4,)))


@pytest.mark.parametrize("call", [lambda x: tf.matmul(x, tf.ones([4, 5])), lambda x: x + tf.ones([7, 4])])
def test_wrong_shapes_of_a_functional_model_show_no_invented_batch(keras: Any, call: Any) -> None:
    class Layer(keras.layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, x: Any) -> Any:
            return call(x)

    with pytest.raises(ValueError, match=r"f32\[\?,3\]"):
        Layer()(keras.Input((3,)))
