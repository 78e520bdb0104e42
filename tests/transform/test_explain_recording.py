"""`tape.explain`: what was not watched, not recorded, or left the tape; the right cause and the right line."""

import sys
import threading

import numpy as np

import gradtape as tf
from gradtape.core.provenance import Site
from gradtape.transform.report import Cause
from transform.explaining import agrees, labels, marked


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
        file = Site(__file__, 1, "").short.partition(":")[0]
        assert str(tape.explain(loss, w)).splitlines() == [
            "w (Variable 'dense/kernel', f32[2,3]) -> loss: no path. Cause: left the tape through NumPy",
            f"  read          {file}:{marked('READ')}   h = x @ w  # READ",
            f"  left          {file}:{marked('LEFT')}   m = np.mean(h.numpy())  # LEFT   <-- here",
            f"  came back     {file}:{marked('BACK')}   loss = tf.constant(m)  # BACK",
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
            m = np.ptp(w * 2.0)  # HERE
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


def test_places_of_records_in_functions_of_the_user():
    """The same op from several functions, with and without a function of ours in between."""

    def inner(x):
        return tf.nn.relu(x) + x**2

    w = tf.Variable(3.0)
    for call in (tf.math.tanh, tf.nn.relu, inner, lambda x: tf.reduce_sum(x), tf.reduce_sum, inner):
        with tf.GradientTape() as tape:
            call(w)
            w**2
        *calls, last = [(record[4], record[0].name) for record in tape._recording.records]
        here = sys._getframe().f_code
        assert last == (here, "square")
        assert {code for code, _ in calls} == {here if call.__module__ != __name__ else call.__code__}
