"""`tape.explain`: ops, state and functions that cut a gradient; the right cause and the right line."""

import pytest

import gradtape as tf
from gradtape.core.op import REGISTRY, Unsupported, declare
from gradtape.ops.family import NO_LOWERING, Binary, Unary
from gradtape.transform.report import Cause
from transform.explaining import agrees, marked


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
        ("name", "expression"),
        [
            ("cast", "tf.cast(h, tf.int32)"),
            ("round", "tf.round(h)"),
            ("argmax", "tf.argmax(h)"),
            ("greater", "h > 0.0"),
            ("floor", "tf.floor(h)"),
        ],
    )
    def test_op(self, name, expression, tmp_path):
        program = tmp_path / "program.py"
        program.write_text(
            "w = tf.Variable([1.0, 2.0])\n"
            "with tf.GradientTape(persistent=True) as tape:\n"
            "    h = w * 3.0\n"
            f"    k = {expression}\n"
            "    loss = tf.reduce_sum(tf.cast(k, tf.float32))\n"
        )
        scope = {"tf": tf}
        exec(compile(program.read_text(), str(program), "exec"), scope)
        report = agrees(scope["tape"], scope["loss"], scope["w"])
        assert report.cause is Cause.NOT_DIFFERENTIABLE
        assert (report.site.filename, report.site.line) == (str(program), 4)
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
                both = y + w
                beside = w * 3.0
            report = tape.explain(y, w)
            for target in (y, both):
                with pytest.raises(LookupError, match="gradient registry has no entry for: ruleless"):
                    tape.gradient(target, w)
            assert float(tape.gradient(beside, w)) == 3.0
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
