"""`GradientTape(on_none=...)`: what happens where a gradient does not exist."""

import warnings

import numpy as np
import pytest

import gradtape as tf
from gradtape.errors import GradientError, GradientWarning
from gradtape.transform.report import Cause
from transform.explaining import marked


@pytest.fixture
def w():
    return tf.Variable([1.0, 2.0], name="w")


@pytest.fixture
def v():
    return tf.Variable(3.0, name="v")


class TestNone:
    def test_is_the_default(self, w, v):
        with tf.GradientTape() as tape:
            y = v * v
        assert tape.gradient(y, w) is None

    def test_by_name(self, w, v):
        with tf.GradientTape(on_none="none") as tape:
            y = v * v
        assert tape.gradient(y, w) is None

    def test_unknown_choice(self):
        with pytest.raises(
            ValueError, match=r"on_none must be one of 'log', 'none', 'zero', 'warn', 'raise', got 'nothing'"
        ):
            tf.GradientTape(on_none="nothing")


class TestZero:
    def test_zeros_of_the_source(self, w, v):
        with tf.GradientTape(on_none="zero") as tape:
            y = v * v
        dw, dv = tape.gradient(y, [w, v])
        np.testing.assert_array_equal(dw, [0.0, 0.0])
        assert dv.numpy() == 6.0

    def test_the_reason_can_still_be_asked_for(self, w, v):
        with tf.GradientTape(on_none="zero") as tape:
            y = tf.round(w)
        tape.gradient(y, w)
        assert tape.explain(y, w).cause is Cause.NOT_DIFFERENTIABLE


class TestWarn:
    def test_text_and_line(self, w):
        with tf.GradientTape(on_none="warn") as tape:
            y = tf.round(w)  # CAUSE
        with pytest.warns(GradientWarning, match=r"w \(Variable 'w', f32\[2\]\) -> y: no path") as caught:
            assert tape.gradient(y, w) is None  # HERE
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert caught[0].lineno == marked()
        assert f"test_on_none.py:{marked('CAUSE')}" in str(caught[0].message)

    def test_one_warning_for_each_missing_source(self, w, v):
        u = tf.Variable(1.0, name="u")
        with tf.GradientTape(on_none="warn") as tape:
            y = v * v
        with pytest.warns(GradientWarning) as caught:
            du, dv, dw = tape.gradient(y, [u, v, w])
        assert du is None
        assert dw is None
        assert dv.numpy() == 6.0
        assert ["Variable 'u'" in str(c.message) for c in caught] == [True, False]
        assert ["Variable 'w'" in str(c.message) for c in caught] == [False, True]

    def test_silent_where_all_is_well(self, v):
        with tf.GradientTape(on_none="warn") as tape:
            y = v * v
        assert tape.gradient(y, v).numpy() == 6.0

    def test_silent_where_zeros_were_asked_for(self, w, v):
        with tf.GradientTape(on_none="warn") as tape:
            y = v * v
        np.testing.assert_array_equal(tape.gradient(y, w, unconnected_gradients="zero"), [0.0, 0.0])

    def test_inside_a_function_of_the_user(self, w, v):
        def step():
            with tf.GradientTape(on_none="warn") as tape:
                loss = v * v
            return tape.gradient(loss, w)

        with pytest.warns(GradientWarning, match="-> loss: no path") as caught:
            assert step() is None
        assert caught[0].lineno == step.__code__.co_firstlineno + 3

    def test_repeats_are_shown_once_by_default(self, w, v):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            for _ in range(3):
                with tf.GradientTape(on_none="warn") as tape:
                    y = v * v
                tape.gradient(y, w)
        assert len(caught) == 1


class TestRaise:
    def test_the_error_carries_the_report(self, w):
        with tf.GradientTape(on_none="raise") as tape:
            y = tf.stop_gradient(w) * 2.0  # HERE
        with pytest.raises(GradientError, match="stop_gradient") as caught:
            tape.gradient(y, w)
        assert isinstance(caught.value, ValueError)
        assert caught.value.report.cause is Cause.STOPPED
        assert caught.value.report.site.line == marked()
        assert str(caught.value) == str(caught.value.report)

    def test_one_of_several_sources(self, w, v):
        with tf.GradientTape(on_none="raise") as tape:
            y = v * v
        with pytest.raises(GradientError, match=r"^w "):
            tape.gradient(y, {"v": v, "w": w})

    def test_a_persistent_tape_stays_usable(self, w, v):
        with tf.GradientTape(persistent=True, on_none="raise") as tape:
            y = v * v
        for _ in range(2):
            with pytest.raises(GradientError):
                tape.gradient(y, w)
            assert tape.gradient(y, v).numpy() == 6.0

    def test_a_tape_that_is_used_up_can_still_explain(self, w, v):
        with tf.GradientTape(on_none="raise") as tape:
            y = v * v
        with pytest.raises(GradientError):
            tape.gradient(y, w)
        assert tape.explain(y, v).connected
        with pytest.raises(RuntimeError, match="one set of gradients"):
            tape.gradient(y, v)

    def test_under_another_tape(self, w, v):
        with tf.GradientTape() as outer:
            with tf.GradientTape(on_none="raise") as inner:
                y = v * v
            with pytest.raises(GradientError):
                inner.gradient(y, w)
            z = y * 2.0
        assert outer.gradient(z, v).numpy() == 12.0

    def test_nothing_is_raised_where_all_is_well(self, v):
        with tf.GradientTape(on_none="raise") as tape:
            y = v * v
        assert tape.gradient(y, [v])[0].numpy() == 6.0
