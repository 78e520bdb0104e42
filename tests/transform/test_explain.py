"""`tape.explain`: for each cause of a missing gradient, the right cause and the right line."""

import inspect
import json
import sys
import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape.core.op import REGISTRY, Unsupported, declare
from gradtape.ops.family import NO_LOWERING, Binary, Unary
from gradtape.transform.report import Cause, Report


def marked(mark: str = "HERE") -> int:
    """The number of the line of the calling test that carries a mark."""
    text, first = inspect.getsourcelines(sys._getframe(1).f_code)
    (line,) = [first + i for i, t in enumerate(text) if t.rstrip().endswith(f"# {mark}")]
    return line


def labels(report: Report) -> list[str]:
    return [step.label for step in report.steps]


def agrees(tape: tf.GradientTape, target, source) -> Report:
    """The report, after checking that `gradient` says the same."""
    report = tape.explain(target, source)
    assert report.connected == (tape.gradient(target, source) is not None)
    assert tape.explain(target, source).cause == report.cause
    return report


class TestConnected:
    def test_the_shortest_path(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            h = w * w  # FIRST
            long = tf.exp(tf.sin(h))
            loss = tf.reduce_sum(h) + tf.reduce_sum(long)
        report = agrees(tape, loss, w)
        assert report.connected
        assert report.cause is None
        assert not report.zero
        assert report.site is None
        assert report.steps[0].site.line == marked("FIRST")
        assert "3 ops on the shortest path" in str(report)
        assert str(tape.explain(loss, w)).startswith("w (Variable, f32[2]) -> loss: connected.")

    def test_long_paths_are_shortened(self):
        w = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = w
            y = tf.sin(y)
            y = tf.sin(y)
            y = tf.sin(y)
            y = tf.sin(y)
            y = tf.sin(y)
            y = tf.sin(y)
            y = tf.sin(y)
            y = tf.sin(y)
            y = tf.sin(y)
            y = tf.sin(y)
        report = tape.explain(y, w)
        assert len(report.steps) == 8
        assert "10 ops on the shortest path, 8 of them shown" in report.message

    def test_zero_whatever_the_values(self):
        w = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.sign(w) * 2.0
            z = y + w
        assert agrees(tape, y, w).zero
        assert not agrees(tape, z, w).zero

    def test_the_source_itself(self):
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            pass
        assert agrees(tape, x, x).connected

    def test_any_of_several_targets(self):
        w = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y, z = tf.constant(1.0), w * 2.0
        assert agrees(tape, [y, z], w).connected

    def test_several_sources(self):
        a, b = tf.Variable(1.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = a * 2.0
        reports = tape.explain(y, {"a": a, "b": b})
        assert reports["a"].connected
        assert reports["b"].cause is Cause.UNUSED

    def test_inside_the_block(self):
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = w * w
            assert tape.explain(y, w).connected
        assert tape.gradient(y, w).numpy() == 6.0

    def test_by_handle(self):
        w = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = w * w
        assert agrees(tape, y, w.handle).connected

    def test_lines_of_a_recorded_gradient(self):
        x = tf.Variable(3.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x * x
            g = inner.gradient(y, x)  # PASS
        report = outer.explain(g, x)
        assert report.connected
        assert {step.site.line for step in report.steps} == {marked("PASS")}


class TestUnwatched:
    def test_plain_tensor(self):
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:  # HERE
            y = x * x
        report = agrees(tape, y, x)
        assert report.cause is Cause.UNWATCHED
        assert report.site.line == marked()
        assert "tape.watch(x)" in tape.explain(y, x).fix

    def test_plain_tensor_beside_a_variable(self):
        x, w = tf.constant(3.0), tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:  # HERE
            y = x * w
        report = agrees(tape, y, x)
        assert report.cause is Cause.UNWATCHED
        assert report.site.line == marked()

    def test_where_it_was_used_if_another_tape_knew_it(self):
        x = tf.constant(3.0)
        with tf.GradientTape() as first:
            first.watch(x)
        with tf.GradientTape(persistent=True) as tape:  # HERE
            y = x * x  # USED
        report = agrees(tape, y, x)
        assert report.cause is Cause.UNWATCHED
        assert report.site.line == marked()
        assert report.steps[-1].label == "used"
        assert report.steps[-1].site.line == marked("USED")

    def test_watched_after_its_use(self):
        x = tf.constant(3.0)
        with tf.GradientTape() as first:
            first.watch(x)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x  # USED
            tape.watch(x)  # HERE
        report = agrees(tape, y, x)
        assert report.cause is Cause.UNWATCHED
        assert report.site.line == marked()
        assert report.steps[0].site.line == marked("USED")

    def test_watched_after_its_use_as_far_as_one_can_tell(self):
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
            tape.watch(x)  # HERE
        report = agrees(tape, y, x)
        assert report.cause is Cause.OUTSIDE
        assert report.site.line == marked()
        assert "before the watch" in report.message

    def test_watched_outside_of_the_block(self):
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
        tape.watch(x)  # HERE
        report = agrees(tape, y, x)
        assert report.cause is Cause.UNWATCHED
        assert report.site.line == marked()

    def test_watching_switched_off(self):
        w = tf.Variable(3.0)
        with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:  # HERE
            y = w * w
        report = agrees(tape, y, w)
        assert report.cause is Cause.UNWATCHED
        assert report.site.line == marked()
        assert "watch_accessed_variables" in report.message


class TestNotRecording:
    def test_computed_before_the_block(self):
        w = tf.Variable(3.0)
        y = w * w  # HERE
        with tf.GradientTape(persistent=True) as tape:
            pass
        report = agrees(tape, y, w)
        assert report.cause is Cause.OUTSIDE
        assert report.site.line == marked()

    def test_partly_computed_before_the_block(self):
        w = tf.Variable(3.0)
        h = w * w  # HERE
        with tf.GradientTape(persistent=True) as tape:
            y = h * w * 0.0 + h
            z = h + 1.0
        assert agrees(tape, y, w).connected
        report = agrees(tape, z, w)
        assert report.cause is Cause.OUTSIDE
        assert report.site.line == marked()

    def test_reduced_after_the_block(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            y = w * w
        loss = tf.reduce_sum(y)  # HERE
        report = agrees(tape, loss, w)
        assert report.cause is Cause.AFTER_TAPE
        assert report.site.line == marked()
        assert labels(report) == ["tape", "read", "reduce_sum"]

    def test_sliced_after_the_block(self):
        x = tf.constant([[1.0, 2.0]])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
        part = y[:, 0]  # HERE
        loss = tf.reduce_sum(part) * 2.0
        report = agrees(tape, loss, x)
        assert report.cause is Cause.AFTER_TAPE
        assert report.site.line == marked()

    def test_after_the_block_under_another_tape(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as outer:
            with tf.GradientTape(persistent=True) as tape:
                y = w * w
            loss = tf.reduce_sum(y)  # HERE
        report = tape.explain(loss, w)
        assert report.cause is Cause.AFTER_TAPE
        assert report.site.line == marked()
        assert outer.explain(loss, w).connected

    def test_between_two_blocks(self):
        w = tf.Variable(3.0)
        tape = tf.GradientTape(persistent=True)
        with tape:
            h = w * w
        k = h * 2.0  # HERE
        with tape:
            y = k * 3.0
        report = agrees(tape, y, w)
        assert report.cause is Cause.AFTER_TAPE
        assert report.site.line == marked()

    def test_stop_recording(self):
        w = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            h = w * w
            with tape.stop_recording():  # PAUSED
                k = h * 2.0  # HERE
            y = k + 1.0
        report = agrees(tape, y, w)
        assert report.cause is Cause.STOP_RECORDING
        assert report.site.line == marked()
        assert marked("PAUSED") in [step.site.line for step in report.steps]

    def test_another_thread(self):
        w = tf.Variable(3.0)
        found = []

        def work():
            found.append(w * w)

        with tf.GradientTape(persistent=True) as tape:
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            y = found[0] * 2.0
        report = agrees(tape, y, w)
        assert report.cause is Cause.THREAD
        assert report.site.line == work.__code__.co_firstlineno + 1

    def test_reset(self):
        w = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = w * w
            tape.reset()  # HERE
        report = agrees(tape, y, w)
        assert report.cause is Cause.RESET
        assert report.site.line == marked()

    def test_never_entered(self):
        w = tf.Variable(3.0)
        tape = tf.GradientTape()
        y = w * w
        report = tape.explain(y, w)
        assert report.cause is Cause.NOT_ENTERED
        assert not report.connected

    def test_a_target_that_nobody_knows(self):
        w = tf.Variable(3.0)
        y = tf.constant(1.0)
        with tf.GradientTape(persistent=True) as tape:  # HERE
            pass
        report = agrees(tape, y, w)
        assert report.cause is Cause.OUTSIDE
        assert report.site.line == marked()


class TestNumPy:
    def test_the_whole_text(self):
        w = tf.Variable(tf.ones([2, 3]), name="dense/kernel")
        x = tf.ones([4, 2])
        with tf.GradientTape() as tape:
            h = x @ w  # READ
            m = np.mean(h.numpy())  # LEFT
            loss = tf.constant(m)  # BACK
        assert tape.gradient(loss, w) is None
        assert str(tape.explain(loss, w)).splitlines() == [
            "w (Variable 'dense/kernel', f32[2,3]) -> loss: no path. Cause: left the tape through NumPy",
            f"  read          test_explain.py:{marked('READ')}   h = x @ w  # READ",
            f"  left          test_explain.py:{marked('LEFT')}   m = np.mean(h.numpy())  # LEFT   <-- here",
            f"  came back     test_explain.py:{marked('BACK')}   loss = tf.constant(m)  # BACK",
            "  fix: use tf.reduce_mean(h)",
        ]

    def test_a_python_number_beside_a_tensor(self):
        w, v = tf.Variable(3.0), tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            m = float(w * w)  # HERE
            scaled = m * 0.5
            loss = v * scaled  # BACK
            loss = loss + 1.0
        report = agrees(tape, loss, w)
        assert report.cause is Cause.NUMPY
        assert report.site.line == marked()
        assert labels(report)[-1] == "came back"
        assert report.steps[-1].site.line == marked("BACK")
        assert "float()" in report.message

    def test_the_variable_itself(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_sum(w.numpy() ** 2)  # HERE
        report = agrees(tape, loss, w)
        assert report.cause is Cause.NUMPY
        assert report.site.line == marked()

    def test_a_loss_in_a_function_of_its_own(self):
        w = tf.Variable([1.0, 2.0])

        def loss_in_numpy(h):
            h = np.asarray(h)
            return (h**2).mean()

        with tf.GradientTape(persistent=True) as tape:
            loss = tf.constant(loss_in_numpy(w * 2.0))
        report = agrees(tape, loss, w)
        assert report.cause is Cause.NUMPY
        assert report.site.line == loss_in_numpy.__code__.co_firstlineno + 1

    def test_a_numpy_function_that_has_no_op(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            m = np.median(w * 2.0)  # HERE
            loss = tf.constant(m) * 2.0
        report = agrees(tape, loss, w)
        assert report.cause is Cause.NUMPY
        assert report.site.line == marked()

    def test_a_number_as_target(self):
        w = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            loss = float(w * w)  # HERE
        report = tape.explain(loss, w)
        assert report.cause is Cause.NUMPY
        assert report.site.line == marked()

    def test_an_array_as_target_that_nobody_saw_leaving(self):
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            pass
        report = tape.explain(np.float32(3.0), w)
        assert report.cause is Cause.NUMPY
        assert "float32" in report.message

    def test_after_the_block(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            h = w * w
        m = h.numpy().mean()  # HERE
        loss = tf.constant(m)
        report = agrees(tape, loss, w)
        assert report.cause is Cause.NUMPY
        assert report.site.line == marked()

    def test_printing_is_no_cause(self):
        w, v = tf.Variable(3.0), tf.Variable(1.0)
        history = []
        with tf.GradientTape(persistent=True) as tape:
            h = w * w
            history.append(float(h))
            if h > 0.0:
                repr(h.numpy())
            loss = v * tf.constant(2.0)  # HERE
        report = agrees(tape, loss, w)
        assert report.cause is Cause.UNUSED
        assert report.site.line == marked()

    def test_the_first_cut_counts(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            i = tf.argmax(w * 2.0)  # HERE
            loss = tf.constant(float(i))
        report = agrees(tape, loss, w)
        assert report.cause is Cause.NOT_DIFFERENTIABLE
        assert report.site.line == marked()


class TestWithoutDerivative:
    def test_integer_variable(self):
        w = tf.Variable(3)
        with tf.GradientTape(persistent=True) as tape:
            y = w * 2  # HERE
        report = agrees(tape, y, w)
        assert report.cause is Cause.INTEGER
        assert report.site.line == marked()
        assert "int32" in report.message

    def test_bool_constant(self):
        x = tf.constant(True)
        with tf.GradientTape(persistent=True) as tape:  # HERE
            y = tf.cast(x, tf.float32) * 2.0
        report = agrees(tape, y, x)
        assert report.cause is Cause.INTEGER
        assert report.site.line == marked()

    @pytest.mark.parametrize(
        ("name", "function"),
        [
            ("cast", lambda x: tf.cast(x, tf.int32)),
            ("round", tf.round),
            ("argmax", tf.argmax),
            ("greater", lambda x: x > 0.0),
            ("floor", tf.floor),
        ],
    )
    def test_op(self, name, function):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            h = w * 3.0
            k = function(h)
            loss = tf.reduce_sum(tf.cast(k, tf.float32))
        report = agrees(tape, loss, w)
        assert report.cause is Cause.NOT_DIFFERENTIABLE
        (guilty,) = [step for step in report.steps if step.here]
        assert guilty.label == name
        assert report.fix

    def test_the_line_of_the_op(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            h = w * 3.0
            correct = tf.equal(tf.round(h), 1.0)  # HERE
            loss = tf.reduce_mean(tf.cast(correct, tf.float32))
        report = agrees(tape, loss, w)
        assert report.cause is Cause.NOT_DIFFERENTIABLE
        assert report.site.line == marked()
        assert "round" in report.message

    def test_a_target_of_integers(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            y = tf.cast(w, tf.int32)  # HERE
        report = agrees(tape, y, w)
        assert report.cause is Cause.NOT_DIFFERENTIABLE
        assert report.site.line == marked()

    def test_stop_gradient(self):
        w = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            h = tf.stop_gradient(w * w)  # HERE
            y = h * 2.0
        report = agrees(tape, y, w)
        assert report.cause is Cause.STOPPED
        assert report.site.line == marked()

    def test_one_way_that_is_not_stopped(self):
        w = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = w * tf.stop_gradient(w)
        assert agrees(tape, y, w).connected

    def test_an_input_without_a_derivative(self):
        @declare("halfway")
        class Halfway(Binary):
            lower = NO_LOWERING

            def kernel(self, a, b):
                return a + b

            def vjp(self, dy):
                return dy, None

        try:
            a, b = tf.Variable(2.0), tf.Variable(3.0)
            with tf.GradientTape(persistent=True) as tape:
                y = Halfway(a, b) * 2.0  # HERE
            report = tape.explain(y, b)
            assert agrees(tape, y, a).connected
            assert agrees(tape, y, b).cause is Cause.NOT_DIFFERENTIABLE
        finally:
            del REGISTRY["halfway"]
        assert report.cause is Cause.NOT_DIFFERENTIABLE
        assert report.site.line == marked()

    def test_an_op_without_a_rule(self):
        @declare("ruleless")
        class Ruleless(Unary):
            vjp = Unsupported("nobody has derived it")
            lower = NO_LOWERING

            def kernel(self, x):
                return x

        try:
            w = tf.Variable(3.0)
            with tf.GradientTape(persistent=True) as tape:
                y = Ruleless(w) * 2.0  # HERE
            report = agrees(tape, y, w)
        finally:
            del REGISTRY["ruleless"]
        assert report.cause is Cause.NO_RULE
        assert report.site.line == marked()
        assert "nobody has derived it" in report.message


class TestState:
    def test_rebound_after_a_step(self):
        x = tf.Variable(2.0)
        reports = []
        for _ in range(2):
            with tf.GradientTape(persistent=True) as tape:
                y = x * x
            reports.append(agrees(tape, y, x))
            x = x - 0.1 * y  # HERE
        assert reports[0].connected
        assert reports[1].cause is Cause.REBOUND
        assert reports[1].site.line == marked()
        assert "x.assign_sub" in reports[1].fix

    def test_rebound_before_asking(self):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
        x = x * 0.5  # HERE
        report = agrees(tape, y, x)
        assert report.cause is Cause.REBOUND
        assert report.site.line == marked()

    def test_assigned(self):
        w, v = tf.Variable(3.0), tf.Variable(1.0, name="cell")
        with tf.GradientTape(persistent=True) as tape:
            h = w * 2.0
            v.assign(h)  # HERE
            y = v * v  # BACK
        report = agrees(tape, y, w)
        assert report.cause is Cause.ASSIGNED
        assert report.site.line == marked()
        assert report.steps[-1].site.line == marked("BACK")
        assert "variable v" in tape.explain(y, w).message

    def test_assigned_later_is_no_cause(self):
        w, v = tf.Variable(3.0), tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            y = v * v  # HERE
            v.assign(w * 2.0)
        report = agrees(tape, y, w)
        assert report.cause is Cause.UNUSED
        assert report.site.line == marked()

    def test_a_variable_made_of_a_tensor(self):
        w = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            v = tf.Variable(w * 2.0)  # HERE
            y = v * v
        report = agrees(tape, y, w)
        assert report.cause is Cause.ASSIGNED
        assert report.site.line == marked()

    def test_state_that_is_not_trainable(self):
        w, mean = tf.Variable(3.0), tf.Variable(0.0, trainable=False)
        with tf.GradientTape(persistent=True) as tape:
            mean.assign_add(w * 0.1)  # HERE
            y = mean * 2.0
        report = agrees(tape, y, w)
        assert report.cause is Cause.STATE
        assert report.site.line == marked()

    def test_the_state_of_a_generator(self):
        generator = tf.random.Generator.from_seed(1)
        with tf.GradientTape(persistent=True) as tape:
            y = generator.normal([2]) * 2.0
        report = agrees(tape, y, generator.state)
        assert report.cause is Cause.INTEGER

    def test_frozen(self):
        w = tf.Variable(3.0, trainable=False)
        with tf.GradientTape(persistent=True) as tape:
            y = w * w  # HERE
        report = agrees(tape, y, w)
        assert report.cause is Cause.NOT_TRAINABLE
        assert report.site.line == marked()

    def test_frozen_beside_a_trained_one(self):
        w, v = tf.Variable(3.0, trainable=False), tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            h = v * 2.0
            y = w * h  # HERE
        report = agrees(tape, y, w)
        assert report.cause is Cause.NOT_TRAINABLE
        assert report.site.line == marked()


class TestUnused:
    def test_not_read_at_all(self):
        w, v = tf.Variable(3.0), tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            loss = v * v  # HERE
        report = agrees(tape, loss, w)
        assert report.cause is Cause.UNUSED
        assert report.site.line == marked()
        assert "only from v" in tape.explain(loss, w).message

    def test_read_for_another_loss(self):
        w, v = tf.Variable(3.0), tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            generator_loss = w * w  # READ
            discriminator_loss = v * v  # HERE
        report = agrees(tape, discriminator_loss, w)
        assert report.cause is Cause.UNUSED
        assert report.site.line == marked()
        assert report.steps[0].site.line == marked("READ")
        assert agrees(tape, generator_loss, w).connected

    def test_a_branch_that_was_not_taken(self):
        w, v = tf.Variable(3.0), tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            loss = v * v  # HERE
            if loss > 100.0:
                loss = loss + w
        report = agrees(tape, loss, w)
        assert report.cause is Cause.UNUSED
        assert report.site.line == marked()

    def test_a_fresh_slice_as_source(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_sum(w * w)
        first = w[0]  # HERE
        report = agrees(tape, loss, first)
        assert report.cause is Cause.OTHER_TENSOR
        assert report.site.line == marked()

    def test_a_slice_inside_the_block_as_source(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            first = w[0]  # HERE
            loss = tf.reduce_sum(w * w)
        report = agrees(tape, loss, first)
        assert report.cause is Cause.OTHER_TENSOR
        assert report.site.line == marked()

    def test_a_source_made_after_the_target(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_sum(w * w)
            after = loss * 2.0  # HERE
        report = agrees(tape, loss, after)
        assert report.cause is Cause.OTHER_TENSOR
        assert report.site.line == marked()


class TestFunctions:
    def test_numpy_function(self):
        w = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            h = tf.numpy_function(lambda a: a * 2, [w * 1.0], tf.float32)  # HERE
            y = h + 1.0
        report = agrees(tape, y, w)
        assert report.cause is Cause.PYTHON_FUNCTION
        assert report.site.line == marked()

    def test_a_variable_inside_py_function(self):
        w, x = tf.Variable(3.0), tf.Variable(2.0)

        def scale(a):
            return a * w

        with tf.GradientTape(persistent=True) as tape:
            y = tf.py_function(scale, [x], tf.float32)  # HERE
        report = agrees(tape, y, w)
        assert report.cause is Cause.PYTHON_FUNCTION
        assert report.site.line == marked()
        assert agrees(tape, y, x).connected

    def test_second_order_of_py_function(self):
        x = tf.Variable(2.0)

        def cube(a):
            return a * a * a

        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as inner:
                y = tf.py_function(cube, [x], tf.float32)  # HERE
            g = inner.gradient(y, x)
        report = agrees(outer, g, x)
        assert report.cause is Cause.PYTHON_FUNCTION
        assert report.site.line == marked()

    def test_custom_gradient_that_returns_none(self):
        @tf.custom_gradient
        def product(a, b):
            return a * b, lambda dy: (dy * b, None)

        a, b = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = product(a, b)  # HERE
        report = tape.explain(y, b)
        assert report.cause is Cause.CUSTOM_GRADIENT
        assert report.site.line == marked()
        assert agrees(tape, y, b).cause is Cause.CUSTOM_GRADIENT
        assert agrees(tape, y, a).connected

    def test_custom_gradient_that_returns_none_on_a_tape_that_is_used_up(self):
        @tf.custom_gradient
        def product(a, b):
            return a * b, lambda dy: (dy * b, None)

        a, b = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = product(a, b)  # HERE
        assert tape.gradient(y, b) is None
        report = tape.explain(y, b)
        assert report.cause is Cause.CUSTOM_GRADIENT
        assert report.site.line == marked()

    def test_custom_gradient_with_keywords(self):
        @tf.custom_gradient
        def product(a, b=None):
            return a * b, lambda dy: dy * b

        a, b = tf.constant(2.0), tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([a, b])
            y = product(a, b=b)  # HERE
        report = agrees(tape, y, b)
        assert report.cause is Cause.CUSTOM_GRADIENT
        assert report.site.line == marked()
        assert "keyword" in report.message

    def test_second_order_of_a_custom_gradient(self):
        @tf.custom_gradient
        def double(a):
            return a * a, lambda dy: dy * 2.0

        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as inner:
                y = double(x)  # HERE
            g = inner.gradient(y, x)
        report = agrees(outer, g, x)
        assert report.cause is Cause.CUSTOM_GRADIENT
        assert report.site.line == marked()


class TestSecondOrder:
    def test_from_one_persistent_tape_after_its_block(self):
        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x * x
        g = tape.gradient(y, x)  # HERE
        report = agrees(tape, g, x)
        assert report.cause is Cause.ONE_TAPE_HESSIAN
        assert report.site.line == marked()

    def test_of_something_computed_from_that_gradient(self):
        x, z = tf.Variable(3.0), tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x * z
        g = tape.gradient(y, x)  # HERE
        penalty = tf.square(g) * 2.0
        report = agrees(tape, penalty, z)
        assert report.cause is Cause.ONE_TAPE_HESSIAN
        assert report.site.line == marked()

    def test_inner_gradient_after_the_outer_block(self):
        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as outer, tf.GradientTape() as inner:
            y = x * x * x
        g = inner.gradient(y, x)  # HERE
        report = agrees(outer, g, x)
        assert report.cause is Cause.AFTER_TAPE
        assert report.site.line == marked()

    def test_of_a_linear_function(self):
        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as inner:
                y = x * 2.0
            g = inner.gradient(y, x)  # HERE
        report = agrees(outer, g, x)
        assert report.cause is Cause.CONSTANT_GRADIENT
        assert report.site.line == marked()

    def test_as_it_should_be(self):
        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as inner:
                y = x * x * x
            g = inner.gradient(y, x)
        assert agrees(outer, g, x).connected


class TestUsedUp:
    def test_records_stay_if_a_gradient_was_missing(self):
        w, v = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
        with tf.GradientTape() as tape:
            h = tf.round(w * 2.0)  # HERE
            loss = tf.reduce_sum(h) * v
        assert tape.gradient(loss, [w, v])[0] is None
        assert tape.explain(loss, v).connected
        report = tape.explain(loss, w)
        assert report.cause is Cause.NOT_DIFFERENTIABLE
        assert report.site.line == marked()

    def test_records_that_were_dropped(self):
        w, v = tf.Variable(3.0), tf.Variable(1.0)
        with tf.GradientTape() as tape:  # HERE
            loss = w * v
        assert tape.gradient(loss, w) is not None
        report = tape.explain(loss, w)
        assert report.connected
        assert "persistent=True" in report.fix
        report = tape.explain(loss, v)
        assert report.cause is Cause.CONSUMED
        assert report.site.line == marked()

    def test_zeros_were_asked_for(self):
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.round(w))  # HERE
        np.testing.assert_array_equal(tape.gradient(loss, w, unconnected_gradients="zero"), [0.0, 0.0])
        report = tape.explain(loss, w)
        assert not report.connected
        assert report.cause is Cause.NOT_DIFFERENTIABLE
        assert report.site.line == marked()

    def test_the_error_of_a_second_call(self):
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:  # TAPE
            y = w * w
        tape.gradient(y, w)
        with pytest.raises(RuntimeError, match="can only be used to compute one set of gradients") as caught:
            tape.gradient(y, w)
        text = str(caught.value)
        assert "persistent=True" in text
        assert "tape.explain" in text
        assert f"test_explain.py:{marked('TAPE')}" in text


class TestArguments:
    def test_none(self):
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            pass
        with pytest.raises(TypeError, match=r"target is None(.|\n)*tape.explain\(y, x\)"):
            tape.explain(None, w)

    @pytest.mark.parametrize("target", ["loss", object()])
    def test_no_tensor(self, target):
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            pass
        with pytest.raises(TypeError, match="target is"):
            tape.explain(target, w)

    def test_source_that_is_a_number(self):
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = w * w
        with pytest.raises(TypeError, match=r"source is 3\.0"):
            tape.explain(y, 3.0)

    def test_gradient_of_a_number_names_the_line_where_it_left(self):
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = float(w * w)  # HERE
        with pytest.raises(AttributeError, match=f"test_explain.py:{marked()}"):
            tape.gradient(y, w)


class TestReport:
    def example(self):
        w = tf.Variable([1.0], name="<b>")
        with tf.GradientTape() as tape:
            y = tf.round(w * 2.0)
        return tape.explain(y, w)

    def test_repr_is_short(self):
        report = self.example()
        assert repr(report) == f"<Report NOT_DIFFERENTIABLE at test_explain.py:{report.site.line}>"

    def test_html_is_escaped_and_whole(self):
        text = self.example()._repr_html_()
        assert "&lt;b&gt;" in text
        assert "<b>'" not in text
        assert "http" not in text
        assert "<script" not in text
        assert text.count("<div") == text.count("</div>")

    def test_plain_data(self):
        data = json.loads(json.dumps(self.example().to_dict()))
        assert data["connected"] is False
        assert data["cause"] == "NOT_DIFFERENTIABLE"
        assert data["steps"][-1]["here"] is True
        assert data["steps"][-1]["site"]["file"] == __file__

    def test_cause_compares_with_text(self):
        assert self.example().cause == "NOT_DIFFERENTIABLE"

    def test_names_are_found_in_objects_and_lists(self):
        class Model:
            pass

        model = Model()
        model.kernel = tf.Variable([1.0])
        weights = [tf.Variable(1.0), tf.Variable(2.0)]
        with tf.GradientTape() as tape:
            loss = tf.round(model.kernel)
        assert str(tape.explain(loss, model.kernel)).startswith("model.kernel (Variable, f32[1]) -> loss")
        assert str(tape.explain(loss, weights[1])).startswith("weights[1] (Variable, f32[]) -> loss")
        assert str(tape.explain(loss, tf.Variable(1.0, name="b"))).startswith("a variable (Variable 'b', f32[])")

    def test_code_without_a_file(self):
        scope = {"tf": tf}
        program = "w = tf.Variable(1.0)\nwith tf.GradientTape() as tape:\n    y = tf.round(w)\n"
        exec(compile(program, "<program>", "exec"), scope)
        report = scope["tape"].explain(scope["y"], scope["w"])
        assert report.cause is Cause.NOT_DIFFERENTIABLE
        assert report.site.line == 3
        assert "<program>:3" in str(report)
