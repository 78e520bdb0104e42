"""GradientTape: its block, what it watches, and how long it lasts, as in TensorFlow."""

import gc
import logging
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape.transform.record import Recording


def value(t):
    return np.asarray(t).tolist()


class TestContext:
    def test_positional_arguments_take_any_truth_value(self):
        x = tf.Variable(2.0)
        with tf.GradientTape(1, []) as tape:
            tape.watch(x)
            y = x * x
        assert value(tape.gradient(y, x)) == 4.0
        assert value(tape.gradient(y, x)) == 4.0

    def test_unknown_keyword(self):
        with pytest.raises(TypeError):
            tf.GradientTape(lazy=True)

    def test_is_the_class_of_autodiff(self):
        assert tf.GradientTape is tf.autodiff.GradientTape

    def test_public_members(self):
        members = {m for m in dir(tf.GradientTape) if not m.startswith("_")}
        ours = {"explain"}
        assert members - ours == {
            "watch", "stop_recording", "reset", "watched_variables", "gradient", "jacobian", "batch_jacobian",
        }  # fmt: skip

    def test_yields_itself_and_does_not_swallow(self):
        tape = tf.GradientTape()
        x = tf.Variable(3.0)
        box = []

        def fail():
            with tape as same:
                assert same is tape
                box.append(x * x)
                raise KeyError("inside")

        with pytest.raises(KeyError):
            fail()
        y = box[0]
        assert value(tape.gradient(y, x)) == 6.0

    def test_re_entering_an_active_tape(self):
        with tf.GradientTape() as tape, pytest.raises(ValueError, match="still recording"):
            tape.__enter__()

    def test_re_entering_resumes(self):
        x = tf.Variable(2.0)
        tape = tf.GradientTape()
        with tape:
            y = x * x
        with tape:
            z = y * y
        assert value(tape.gradient(z, x)) == 32.0

    def test_re_entering_a_consumed_tape_starts_anew(self):
        x = tf.Variable(2.0)
        tape = tf.GradientTape()
        with tape:
            y = x * x
        tape.gradient(y, x)
        with tape:
            z = x * 3.0
        assert tape.gradient(y, x) is None
        with tape:
            z = x * 3.0
        assert value(tape.gradient(z, x)) == 3.0

    def test_exit_in_any_order(self):
        x = tf.Variable(2.0)
        a, b = tf.GradientTape(), tf.GradientTape()
        a.__enter__()
        b.__enter__()
        y = x * x
        a.__exit__(None, None, None)
        z = y * x
        b.__exit__(None, None, None)
        assert a.gradient(z, x) is None
        assert value(b.gradient(z, x)) == 12.0

    def test_never_entered(self):
        tape, x = tf.GradientTape(), tf.Variable(1.0)
        with pytest.raises(AttributeError):
            tape.watch(x)
        tape.watch([])
        for call in (
            lambda: tape.gradient(x, x),
            lambda: tape.jacobian(x, x),
            lambda: tape.batch_jacobian(x, x),
        ):
            with pytest.raises(RuntimeError, match="non-persistent"):
                call()
        assert tape.watched_variables() == ()
        with pytest.raises(RuntimeError), tape.stop_recording():
            pass
        with pytest.raises(ValueError, match="not recording"):
            tape.reset()

    def test_exited(self):
        with tf.GradientTape() as tape:
            pass
        with pytest.raises(ValueError, match="not recording"), tape.stop_recording():
            pass
        with pytest.raises(ValueError, match="not recording"):
            tape.reset()


class TestWatch:
    def test_nested_structures(self):
        a, b, c = tf.constant(1.0), tf.constant(2.0), tf.Variable(3.0, trainable=False)
        with tf.GradientTape() as tape:
            tape.watch({"a": [a, (b,)], "c": c})
            y = a * b * c
        assert [value(g) for g in tape.gradient(y, [a, b, c])] == [6.0, 3.0, 2.0]

    @pytest.mark.parametrize("thing", [1.0, "x", None, np.ones(2), [tf.constant(1.0), 2.0]])
    def test_refuses_what_is_no_tensor(self, thing):
        with tf.GradientTape() as tape, pytest.raises(ValueError, match="Passed in object"):
            tape.watch(thing)

    def test_integers_only_warn_five_times_a_line(self, caplog):
        with caplog.at_level(logging.WARNING), tf.GradientTape() as tape:
            for _ in range(8):
                tape.watch(tf.constant(1))
        texts = [r.getMessage() for r in caplog.records if "must be floating" in r.getMessage()]
        assert len(texts) == 5
        assert "tf.int32" in texts[0]

    def test_not_retroactive_and_local(self):
        x = tf.constant(2.0)
        with tf.GradientTape() as outer, tf.GradientTape() as tape:
            y = x * x
            tape.watch(x)
            tape.watch(x)
            z = x * 3.0
            total = y + z
        assert value(tape.gradient(total, x)) == 3.0
        assert outer.gradient(total, x) is None

    def test_an_intermediate_does_not_cut_upstream(self):
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = x * x
            tape.watch(y)
            z = y * y
        dx, dy = tape.gradient(z, [x, y])
        assert (value(dx), value(dy)) == (108.0, 18.0)

    def test_untrainable_variable_is_listed(self):
        v = tf.Variable(1.0, trainable=False)
        with tf.GradientTape() as tape:
            v * 2.0
            assert tape.watched_variables() == ()
            tape.watch(v)
        assert tape.watched_variables()[0] is v

    def test_after_exit_it_is_a_no_op(self):
        x = tf.constant(2.0)
        tape = tf.GradientTape(persistent=True)
        with tape:
            pass
        tape.watch(x)
        with tape:
            y = x * x
        assert tape.gradient(y, x) is None

    def test_exited_tape_while_another_is_active(self):
        x = tf.constant(2.0)
        tape = tf.GradientTape()
        with tape:
            pass
        with tf.GradientTape():
            tape.watch(x)
        with tape:
            y = x * x
        assert value(tape.gradient(y, x)) == 4.0

    def test_after_gradient_in_context(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
            tape.gradient(y, x)
            with pytest.raises(AttributeError):
                tape.watch(x)


class TestVariables:
    def uses(self):
        return [
            lambda v: v.read_value(), lambda v: v.value(), lambda v: tf.convert_to_tensor(v), lambda v: v.assign([1.0]),
            lambda v: v.assign_add([1.0]), lambda v: v.numpy(), lambda v: float(v), lambda v: repr(v), lambda v: v + 1.0,
        ]  # fmt: skip

    def test_every_use_counts(self):
        for use in self.uses():
            v = tf.Variable([1.0])
            with tf.GradientTape() as tape:
                use(v)
            assert [w.ref() for w in tape.watched_variables()] == [v.ref()]

    def test_attributes_do_not_count(self):
        v = tf.Variable([1.0])
        with tf.GradientTape() as tape:
            v.shape, v.dtype, v.name, v.trainable, v.device, v.ref()
            tf.Variable(2.0)
        assert tape.watched_variables() == ()

    def test_integer_variables_are_listed_without_gradient(self):
        v = tf.Variable(2)
        with tf.GradientTape() as tape:
            y = v * 3
        assert len(tape.watched_variables()) == 1
        assert tape.gradient(y, v) is None

    def test_value_read_before_is_a_constant(self):
        v = tf.Variable(2.0)
        early = v.read_value()
        with tf.GradientTape() as tape:
            y = early * 3.0
        assert tape.watched_variables() == ()
        assert tape.gradient(y, v) is None

    def test_order_of_construction(self):
        a, b, c = (tf.Variable(float(i)) for i in range(3))
        with tf.GradientTape() as tape:
            c * b * a * c
            with tape.stop_recording():
                d = tf.Variable(1.0)
                d * 2.0
        assert [v.ref() for v in tape.watched_variables()] == [a.ref(), b.ref(), c.ref()]

    def test_after_gradient_and_reset(self):
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = v * v
        tape.gradient(y, v)
        assert len(tape.watched_variables()) == 1
        with tf.GradientTape() as tape:
            v * v
            tape.reset()
            assert tape.watched_variables() == ()

    def test_switch_is_local(self):
        v = tf.Variable(2.0)
        with tf.GradientTape() as outer, tf.GradientTape(watch_accessed_variables=False) as inner:
            y = v * v
        assert inner.gradient(y, v) is None
        assert value(outer.gradient(y, v)) == 4.0

    def test_reads_sum_and_are_distinct(self):
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            a, b = v.read_value(), v.value()
            y = a * b
        dv, da = tape.gradient(y, [v, a])
        assert (value(dv), value(da)) == (6.0, 3.0)

    def test_assignment_between_reads(self):
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = v * v
            v.assign(10.0)
            z = y * v
        v.assign(100.0)
        assert value(tape.gradient(z, v)) == 69.0

    def test_no_gradient_through_assign(self):
        x, v = tf.Variable(3.0), tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            v.assign(x * 2.0)
            y = v * v
            made = tf.Variable(x * 2.0)
            z = made * 1.0
        assert tape.gradient(y, x) is None
        assert value(tape.gradient(y, v)) == 12.0
        assert tape.gradient(z, x) is None


class TestStopAndReset:
    def test_stop_recording_is_local(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as outer, tf.GradientTape() as tape:
            with tape.stop_recording():
                y = x * x
            z = y * 1.0
        assert tape.gradient(z, x) is None
        assert value(outer.gradient(z, x)) == 4.0

    def test_nested_stop_and_reset_inside(self):
        with tf.GradientTape() as tape, tape.stop_recording():
            with pytest.raises(ValueError, match="not recording"), tape.stop_recording():
                pass
            with pytest.raises(ValueError, match="not recording"):
                tape.reset()

    def test_re_enter_inside_stop(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape, tape.stop_recording(), tape:
            y = x * x
        assert value(tape.gradient(y, x)) == 4.0

    def test_gradient_inside_stop(self, caplog):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
            with caplog.at_level(logging.WARNING), tape.stop_recording():
                assert value(tape.gradient(y, x)) == 4.0
        assert not caplog.records
        with tf.GradientTape() as tape:
            y = x * x
            with tape.stop_recording():
                assert value(tape.gradient(y, x)) == 4.0
            z = x * 5.0
        assert value(tape.gradient(z, x)) == 5.0

    def test_reset_drops_and_goes_on(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
            tape.reset()
            z = x * 3.0 + y
        assert value(tape.gradient(z, x)) == 3.0


class TestLifecycle:
    def test_once_only(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
        tape.gradient(y, x)
        with pytest.raises(RuntimeError, match="one set of gradients"):
            tape.gradient(y, x)
        with pytest.raises(RuntimeError, match="one set of gradients"):
            tape.jacobian(y, x)

    def test_in_context(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
            assert value(tape.gradient(y, x)) == 4.0
            x * 7.0
        with pytest.raises(RuntimeError):
            tape.gradient(y, x)

    def test_persistent_in_context_warns_once_and_gives_second_order(self, caplog):
        x = tf.Variable(2.0)
        with caplog.at_level(logging.WARNING), tf.GradientTape(persistent=True) as tape:
            y = x * x * x
            for _ in range(3):
                first = tape.gradient(y, x)
            second = tape.gradient(first, x)
        assert value(second) == 12.0
        assert len([r for r in caplog.records if "significantly less efficient" in r.getMessage()]) == 2

    def test_persistent_outside_is_first_order_only(self):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x * x
        first = tape.gradient(y, x)
        assert tape.gradient(first, x) is None

    def test_bad_arguments_leave_the_tape_usable(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
        with pytest.raises(TypeError, match="target"):
            tape.gradient(None, x)
        with pytest.raises(ValueError, match="unconnected_gradients"):
            tape.gradient(y, x, unconnected_gradients="ZERO")
        with pytest.raises(ValueError, match="unconnected_gradients"):
            tape.gradient(y, x, unconnected_gradients=None)
        with pytest.raises((TypeError, AttributeError)):
            tape.gradient(y, [x, None])
        with pytest.raises(tf.errors.InvalidArgumentError):
            tape.gradient(y, x, output_gradients=tf.constant([1.0, 2.0]))
        assert value(tape.gradient(y, x)) == 4.0

    def test_failure_in_backward(self):
        @tf.custom_gradient
        def broken(x):
            def grad(dy):
                raise KeyError("boom")

            return x * 1.0, grad

        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = broken(x)
        with pytest.raises(KeyError, match="boom"):
            tape.gradient(y, x)
        with pytest.raises(tf.errors.InternalError):
            tape.gradient(y, x)
        with tf.GradientTape(persistent=True) as tape:
            y, z = broken(x), x * x
        with pytest.raises(KeyError, match="boom"):
            tape.gradient(y, x)
        assert value(tape.gradient(z, x)) == 4.0

    def test_intermediates_are_released(self):
        x = tf.Variable(np.ones(1000, "f"))
        with tf.GradientTape() as tape:
            h = x * x
            y = h * h
        array = weakref.ref(h._array)
        del h
        assert array() is not None
        tape.gradient(y, x)
        assert array() is None

    def test_a_persistent_tape_keeps_until_collected(self):
        gc.disable()
        try:
            x = tf.Variable(np.ones(1000, "f"))
            with tf.GradientTape(persistent=True) as tape:
                h = x * x
                y = h * h
            array = weakref.ref(h._array)
            del h
            tape.gradient(y, x)
            assert array() is not None
            del tape
            assert array() is None, "no reference cycle may keep the tape's arrays"
        finally:
            gc.enable()

    def test_no_cycles_anywhere(self):
        x = tf.Variable(2.0)
        gc.collect()
        gc.disable()
        kept = [o for o in gc.get_objects() if type(o) is Recording]  # by tests that failed, in their tracebacks
        try:
            for _ in range(3):
                with tf.GradientTape() as outer, tf.GradientTape() as tape:
                    y = x * x * x
                    g = tape.gradient(y, x)
                outer.gradient(g, x)
            del tape, outer, y, g
            assert len([o for o in gc.get_objects() if type(o) is Recording]) == len(kept)
        finally:
            gc.enable()


def test_repr_says_what_was_recorded():
    x = tf.Variable(2.0)
    tape = tf.GradientTape()
    assert repr(tape) == "<tf.GradientTape, not entered>"
    with tape:
        y = x * x
        assert repr(tape).startswith("<tf.GradientTape, recording, 1 op, 1 variable, ")
    assert "stopped" in repr(tape)
    tape.gradient(y, x)
    assert "used" in repr(tape)
    assert "test_tape.py:" in repr(tape)


@pytest.mark.parametrize("value", [5, "yes", [1], np.ones(1)], ids=str)
def test_what_is_not_a_boolean_is_noticed(value, caplog):
    for taken in (True, False, None, 0, 1, np.True_):
        tf.GradientTape(taken)
    assert not caplog.records
    tf.GradientTape(value)
    assert "persistent must be True or False" in caplog.text
