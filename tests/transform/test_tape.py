"""GradientTape as SEMANTICS 1.1 to 1.5 describe it."""

import collections
import gc
import logging
import threading
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape.core import state
from gradtape.transform.recording import Recording


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
        try:
            for _ in range(3):
                with tf.GradientTape() as outer, tf.GradientTape() as tape:
                    y = x * x * x
                    g = tape.gradient(y, x)
                outer.gradient(g, x)
            del tape, outer, y, g
            assert not [o for o in gc.get_objects() if isinstance(o, Recording)]
        finally:
            gc.enable()


class TestTargets:
    @pytest.mark.parametrize(
        ("bad", "error"),
        [
            (None, TypeError), ([None], TypeError), ("text", TypeError), (1.5, AttributeError),
            (np.float32(1.0), AttributeError), (np.ones(2), AttributeError),
        ],
    )  # fmt: skip
    def test_wrong_kinds(self, bad, error):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            x * x
        with pytest.raises(error):
            tape.gradient(bad, x)

    def test_structures_are_summed(self):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            a, b = x * x, x * 3.0
        assert value(tape.gradient({"b": [a], "a": (b,)}, x)) == 7.0
        assert value(tape.gradient([a, a], x)) == 8.0
        assert tape.gradient([], x) is None

    def test_non_scalar_and_empty(self):
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
            e = x[:0] * 2.0
        assert value(tape.gradient(y, x)) == [2.0, 4.0]
        assert value(tape.gradient(e, x)) == [0.0, 0.0]

    def test_target_is_source(self):
        x, i, b = tf.constant([1.0, 2.0]), tf.constant(3), tf.constant(True)
        v = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
        assert value(tape.gradient(x, x)) == [1.0, 1.0]
        assert value(tape.gradient(i, i)) == 1
        assert tape.gradient(i, i).dtype == tf.int32
        assert value(tape.gradient(b, b)) is True
        assert value(tape.gradient(v, v)) == 1.0
        assert tape.gradient(v, x) is None
        assert value(tape.gradient([v, y], v)) == 5.0
        assert tape.gradient(tf.constant("s"), v) is None

    def test_mixed_list_with_integers(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y, n, s = x * x, tf.constant(3), tf.constant("s")
        assert value(tape.gradient([y, n, s], x)) == 4.0

    def test_unrecorded_targets(self):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
            c = tf.cast(y, tf.int32)
        assert tape.gradient(tf.constant(1.0), x) is None
        assert tape.gradient(y * 2.0, x) is None
        assert tape.gradient(c, x) is None


Pair = collections.namedtuple("Pair", "left right")


class TestSources:
    def test_structure_is_kept(self):
        x, w = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * w
        for sources in (
            [x, w],
            (x, w),
            Pair(x, w),
            {"b": x, "a": w},
            collections.OrderedDict(z=x, a=w),
            [],
            {},
            [[x], (w,)],
        ):
            result = tape.gradient(y, sources)
            assert type(result) is type(sources)
            tf.nest.assert_same_structure(sources, result)
        by_key = tape.gradient(y, {"b": x, "a": w})
        assert list(by_key) == ["b", "a"]
        assert value(by_key["b"]) == 3.0
        refs = tape.gradient(y, {x.ref(): x, w.ref(): w})
        assert value(refs[x.ref()]) == 3.0

    def test_repeated_and_ancestors(self):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            h = x * x
            y = h * h
        assert [value(g) for g in tape.gradient(y, [x, x, h, x.handle])] == [32.0, 32.0, 8.0, 32.0]

    @pytest.mark.parametrize(
        ("bad", "error"),
        [
            (None, TypeError),
            ([None], TypeError),
            (1.0, AttributeError),
            (True, AttributeError),
            (np.array([object()]), AttributeError),
        ],
    )
    def test_wrong_kinds(self, bad, error):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
        with pytest.raises(error):
            tape.gradient(y, bad)

    def test_fresh_read_is_none(self):
        v = tf.Variable([2.0, 3.0])
        with tf.GradientTape() as tape:
            y = v[0] * v[0]
        assert tape.gradient(y, v[0]) is None

    def test_dtype_and_shape_of_the_source(self):
        x = tf.Variable(np.ones((3, 1)), dtype=tf.float64)
        with tf.GradientTape() as tape:
            y = x * tf.ones([2, 3, 4], tf.float64)
        g = tape.gradient(y, x)
        assert g.dtype == tf.float64
        assert g.shape == (3, 1)

    def test_only_what_is_asked_for_is_computed(self):
        calls = []

        @tf.custom_gradient
        def spy(x):
            def grad(dy):
                calls.append(1)
                return dy

            return x * 1.0, grad

        a, b = tf.Variable(1.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = spy(a) * b
        assert value(tape.gradient(y, b)) == 1.0
        assert not calls


class TestOutputGradients:
    def test_forms(self):
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            y, z = x * x, x * 3.0
        for seed in ([2.0, 1.0], np.array([2.0, 1.0], "f"), tf.constant([2.0, 1.0]), tf.Variable([2.0, 1.0])):
            assert value(tape.gradient(y, x, output_gradients=tf.convert_to_tensor(seed))) == [4.0, 4.0]
        assert value(tape.gradient([y, z], x, output_gradients=[np.float32([1, 1])])) == [5.0, 7.0]
        assert value(tape.gradient([y], x, output_gradients=[np.float32([1, 1]), np.float32([9, 9])])) == [2.0, 4.0]
        assert value(tape.gradient(y, x, output_gradients=3.0)) == [6.0, 12.0]
        with pytest.raises(ValueError):
            tape.gradient([y, z], x, output_gradients=[None, np.float32([1, 1])])
        with pytest.raises(tf.errors.InvalidArgumentError):
            tape.gradient(y, x, output_gradients=1)


class TestUnconnected:
    def test_enum(self):
        assert tf.UnconnectedGradients.NONE.value == "none"
        assert tf.UnconnectedGradients("zero") is tf.UnconnectedGradients.ZERO

    @pytest.mark.parametrize("source", [tf.constant([1, 2]), tf.constant([1.0], tf.float64), tf.Variable([3.0])])
    def test_zeros(self, source):
        with tf.GradientTape() as tape:
            y = tf.constant(1.0) * 2.0
        zero = tape.gradient(y, source, unconnected_gradients="zero")
        assert zero.dtype == source.dtype
        assert zero.shape == source.shape
        assert not np.any(zero.numpy())

    def test_zero_string(self):
        with tf.GradientTape() as tape:
            y = tf.constant(1.0) * 2.0
        assert tape.gradient(y, tf.constant("ab"), unconnected_gradients="zero").numpy() == b""

    def test_none_and_zeros(self):
        x = tf.Variable([1.5, -2.5])
        none = [
            tf.floor, tf.math.ceil, tf.round, tf.math.rint, tf.argmax, lambda v: v > 0.0, lambda v: tf.cast(v, tf.int32),
            tf.zeros_like, tf.ones_like, tf.stop_gradient, lambda v: tf.numpy_function(np.sin, [v], tf.float32),
        ]  # fmt: skip
        for f in none:
            with tf.GradientTape() as tape:
                y = f(x)
            assert tape.gradient(y, x) is None
        with tf.GradientTape() as tape:
            y = tf.sign(x)
        assert value(tape.gradient(y, x)) == [0.0, 0.0]


class TestComplex:
    def test_convention(self):
        z = tf.Variable(1 + 2j)
        cases = [
            (lambda z: z * z, 2 - 4j), (tf.exp, np.conj(np.exp(1 + 2j))), (tf.abs, (1 + 2j) / abs(1 + 2j)),
            (tf.math.real, 1), (tf.math.imag, 1j), (tf.math.angle, -0.4 + 0.2j), (lambda z: z * tf.math.conj(z), 2 * (1 + 2j)),
        ]  # fmt: skip
        for f, expected in cases:
            with tf.GradientTape() as tape:
                y = f(z)
            np.testing.assert_allclose(tape.gradient(y, z).numpy(), expected, rtol=1e-12)

    def test_real_to_complex_and_back(self):
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            z = tf.cast(x, tf.complex64)
            y = tf.math.real(z * z)
        assert value(tape.gradient(y, x)) == 6.0


class TestNesting:
    def test_any_order(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as t3:
            with tf.GradientTape() as t2:
                with tf.GradientTape() as t1:
                    y = x**5
                d1 = t1.gradient(y, x)
            d2 = t2.gradient(d1, x)
        d3 = t3.gradient(d2, x)
        assert [value(d) for d in (d1, d2, d3)] == [80.0, 160.0, 240.0]

    def test_inner_gradient_after_the_outer_block(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as outer, tf.GradientTape() as inner:
            y = x * x
        assert outer.gradient(inner.gradient(y, x), x) is None

    def test_outer_watches_what_inner_does_not(self):
        x, w = tf.constant(2.0), tf.constant(3.0)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(w)
                y = x * x * w
            dw = inner.gradient(y, w)
        assert value(outer.gradient(dw, x)) == 4.0


class TestThreads:
    def run(self, function):
        box = []

        def body():
            try:
                box.append(function())
            except Exception as problem:
                box.append(problem)

        thread = threading.Thread(target=body)
        thread.start()
        thread.join()
        return box[0]

    def test_other_threads_are_not_recorded(self):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = self.run(lambda: x * x)
            z = y * 3.0
        assert tape.gradient(z, x) is None

    def test_watch_from_another_thread_is_a_no_op(self):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            assert self.run(lambda: tape.watch(x)) is None
            y = x * x
        assert tape.gradient(y, x) is None

    def test_record_here_differentiate_there(self):
        x = tf.Variable(2.0)

        def record():
            with tf.GradientTape() as tape:
                y = x * x
            return tape, y

        tape, y = self.run(record)
        assert value(tape.gradient(y, x)) == 4.0
        tape, y = record()
        assert value(self.run(lambda: tape.gradient(y, x))) == 4.0

    def test_sequential_re_entry(self):
        x, tape = tf.Variable(2.0), tf.GradientTape()

        def first():
            with tape:
                return x * x

        y = self.run(first)
        with tape:
            z = y * 3.0
        assert value(tape.gradient(z, x)) == 12.0

    def test_entering_elsewhere_while_recording(self):
        with tf.GradientTape() as tape:
            assert isinstance(self.run(tape.__enter__), ValueError)

    def test_leaving_in_another_thread(self):
        x, tape = tf.Variable(2.0), tf.GradientTape()
        tape.__enter__()
        y = x * x
        problem = self.run(lambda: tape.__exit__(None, None, None))
        assert isinstance(problem, RuntimeError)
        x * 5.0
        assert value(tape.gradient(y, x)) == 4.0
        assert state.current.recorders == ()

    def test_many_threads_at_once(self):
        def work():
            v = tf.Variable(1.5)
            for _ in range(200):
                with tf.GradientTape() as tape:
                    y = v * v * v
                g = tape.gradient(y, v)
            return float(g)

        results = []
        threads = [threading.Thread(target=lambda: results.append(work())) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert results == [6.75] * 8
