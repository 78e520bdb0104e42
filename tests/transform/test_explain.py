"""`tape.explain`: paths, used tapes, arguments, and what a report looks like."""

import json

import numpy as np
import pytest

import gradtape as tf
from gradtape.transform.report import Cause
from transform.explaining import agrees, marked


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
        assert repr(report) == f"<Report NOT_DIFFERENTIABLE at {report.site.short}>"

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
