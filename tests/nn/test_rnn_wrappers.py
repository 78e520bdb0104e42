"""Wrappers around recurrent cells."""

from typing import NamedTuple

import numpy as np
import pytest

import gradtape as tf


class Cell:
    """A cell whose output is its weight times the sum of input and state."""

    state_size = 3
    output_size = 3

    def __init__(self):
        self.weight = tf.Variable(2.0)
        self.trainable_variables = [self.weight]

    def __call__(self, inputs, state):
        y = self.weight * (inputs + state)
        return y, y


class LSTMState(NamedTuple):
    c: object
    h: object


X, STATE = tf.ones([2, 3]), tf.zeros([2, 3])


def test_residual():
    cell = tf.nn.RNNCellResidualWrapper(Cell())
    y, state = cell(X, STATE)
    assert (y.numpy() == 3.0).all()
    assert (state.numpy() == 2.0).all()
    other = tf.nn.RNNCellResidualWrapper(Cell(), residual_fn=lambda i, o: o - i)
    assert (other(X, STATE)[0].numpy() == 1.0).all()
    with pytest.raises(ValueError, match="as many units as inputs"):
        cell(tf.ones([2, 1]), STATE)


def test_what_the_wrapper_has_not_is_that_of_the_cell():
    inner = Cell()
    cell = tf.nn.RNNCellResidualWrapper(tf.nn.RNNCellDeviceWrapper(inner, "/CPU:0"))
    assert (cell.state_size, cell.output_size) == (3, 3)
    assert cell.trainable_variables == [inner.weight]
    assert cell.wrapped_cell.wrapped_cell is inner
    with pytest.raises(AttributeError):
        cell.nothing  # noqa: B018


def test_device():
    cell = tf.nn.RNNCellDeviceWrapper(Cell(), "/CPU:0")
    y, _ = cell.call(X, STATE)
    assert y.device.endswith("CPU:0")
    with pytest.raises((RuntimeError, ValueError)):
        tf.nn.RNNCellDeviceWrapper(Cell(), "/nowhere:7")(X, STATE)


@pytest.mark.parametrize("part", ["input", "state", "output"])
def test_dropout_of_one_part(part):
    cell = tf.nn.RNNCellDropoutWrapper(Cell(), **{f"{part}_keep_prob": 0.5}, seed=1)
    y, state = cell(tf.ones([200, 3]), tf.zeros([200, 3]))
    dropped = {"input": (y, state), "state": (state,), "output": (y,)}[part]
    for value in (y, state):
        if any(value is d for d in dropped):
            assert set(np.unique(value)) == {0.0, 4.0}
            assert 200 < np.count_nonzero(value) < 400
        else:
            assert set(np.unique(value)) == {2.0}


def test_dropout_that_keeps_all():
    cell = tf.nn.RNNCellDropoutWrapper(Cell())
    assert (cell(X, STATE)[0].numpy() == 2.0).all()


def test_every_step_drops_others():
    cell = tf.nn.RNNCellDropoutWrapper(Cell(), output_keep_prob=0.5, seed=3)
    first, second = (cell(tf.ones([50, 3]), tf.zeros([50, 3]))[0].numpy() for _ in range(2))
    assert (first != second).any()


def test_variational_dropout_drops_the_same_at_every_step():
    keep = {"input_keep_prob": 0.5, "state_keep_prob": 0.5, "output_keep_prob": 0.5}
    wide = Cell()
    wide.state_size = wide.output_size = tf.TensorShape([40])
    options = {"variational_recurrent": True, "input_size": tf.TensorShape([40]), "dtype": tf.float32, "seed": 2}
    cell = tf.nn.RNNCellDropoutWrapper(wide, **keep, **options)
    results = [cell(tf.ones([5, 40]), tf.zeros([5, 40])) for _ in range(2)]
    for first, second in zip(*results, strict=True):
        np.testing.assert_array_equal(first, second)
        assert (first.numpy() == first.numpy()[0]).all()
        assert 0 < np.count_nonzero(first[0]) < 40


def test_the_memory_of_an_lstm_is_not_dropped():
    def lstm(inputs, state):
        return inputs, LSTMState(inputs + 0.0, inputs + 0.0)

    cell = tf.nn.RNNCellDropoutWrapper(lstm, state_keep_prob=0.5)
    _, state = cell(tf.ones([100, 3]), LSTMState(None, None))
    assert isinstance(state, LSTMState)
    assert (state.c.numpy() == 1.0).all()
    assert (state.h.numpy() == 0.0).any()
    flipped = tf.nn.RNNCellDropoutWrapper(
        lstm, state_keep_prob=0.5, dropout_state_filter_visitor=lambda s: LSTMState(True, False)
    )
    _, state = flipped(tf.ones([100, 3]), LSTMState(None, None))
    assert (state.c.numpy() == 0.0).any()
    assert (state.h.numpy() == 1.0).all()


def test_gradients_flow():
    inner = Cell()
    cell = tf.nn.RNNCellDropoutWrapper(tf.nn.RNNCellResidualWrapper(inner), output_keep_prob=0.5, seed=1)
    state = STATE
    with tf.GradientTape() as tape:
        for _ in range(3):
            y, state = cell(X, state)
        loss = tf.reduce_sum(y) + tf.reduce_sum(state)
    assert np.isfinite(tape.gradient(loss, inner.weight).numpy())


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"input_keep_prob": 1.5}, ValueError, "input_keep_prob must be above 0 and at most 1"),
        ({"output_keep_prob": 0.0}, ValueError, "output_keep_prob"),
        ({"variational_recurrent": True}, ValueError, "dtype must be provided"),
        (
            {"variational_recurrent": True, "dtype": tf.float32, "input_keep_prob": 0.5},
            ValueError,
            "input_size must be provided",
        ),
        ({"dropout_state_filter_visitor": 3}, TypeError, "must be callable"),
    ],
)
def test_dropout_refusals(options, error, words):
    with pytest.raises(error, match=words):
        tf.nn.RNNCellDropoutWrapper(Cell(), **options)


def test_a_cell_must_be_callable():
    with pytest.raises(TypeError, match="is not a cell"):
        tf.nn.RNNCellDeviceWrapper(3, "/CPU:0")
