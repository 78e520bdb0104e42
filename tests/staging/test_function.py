"""tf.function: what is traced when, what a call does, and what goes wrong in words."""

import functools
import gc
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape.staging.function import settings


def counted(function):
    """A tf.function, and a list that grows with every trace."""
    traces = []

    @functools.wraps(function)
    def inner(*args, **kwargs):
        traces.append(args)
        return function(*args, **kwargs)

    return tf.function(inner), traces


class TestCache:
    def test_tensors_count_by_dtype_and_shape(self):
        f, traces = counted(lambda x: x + 1)
        for value in (tf.constant(1.0), tf.constant(2.0), np.float32(3.0), tf.constant([1.0]), tf.constant([2.0])):
            f(value)
        assert len(traces) == 2
        f(tf.constant(1))
        assert len(traces) == 3

    def test_python_values_count_by_equality(self):
        f, traces = counted(lambda x, n: x * n)
        x = tf.constant(2.0)
        assert [float(f(x, n)) for n in (1, 1.0, True, 2)] == [2.0, 2.0, 2.0, 4.0]
        assert len(traces) == 2

    def test_keyword_and_position_are_the_same(self):
        f, traces = counted(lambda x, y=1.0: x + y)
        x = tf.constant(1.0)
        f(x), f(x, 1.0), f(x=x), f(y=1.0, x=x)
        assert len(traces) == 1

    def test_structures_count(self):
        f, traces = counted(lambda xs: xs)
        one = tf.constant(1.0)
        f([one]), f((one,)), f({"a": one}), f({"b": one}), f([one, one]), f([one])
        assert len(traces) == 5

    def test_objects_count_by_equality_and_are_held_weakly(self):
        class Thing:
            pass

        f, traces = counted(lambda x, thing: x)
        x, thing = tf.constant(1.0), Thing()
        f(x, thing), f(x, thing), f(x, Thing())
        assert len(traces) == 2
        del traces[:]
        reference = weakref.ref(thing)
        del thing
        gc.collect()
        assert reference() is None

    def test_unhashable_argument_is_refused(self):
        f, _ = counted(lambda x, s: x)
        with pytest.raises(TypeError, match="Could not generate a generic TraceType"):
            f(tf.constant(1.0), {1, 2})

    def test_variables_count_by_kind_and_aliasing(self):
        f, traces = counted(lambda a, b: a + b)
        v, w = tf.Variable(1.0), tf.Variable(2.0)
        assert [float(f(v, w)), float(f(w, v)), float(f(v, v)), float(f(w, w))] == [3.0, 3.0, 2.0, 4.0]
        assert len(traces) == 2

    def test_captured_python_values_are_frozen_and_variables_live(self):
        scale, v = [2.0], tf.Variable(1.0)
        f, _ = counted(lambda x: x * scale[0] * v)
        assert float(f(tf.constant(1.0))) == 2.0
        scale[0] = 5.0
        v.assign(3.0)
        assert float(f(tf.constant(1.0))) == 6.0

    def test_cache_is_bounded(self):
        f, _ = counted(lambda n: tf.constant(n))
        for n in range(300):
            f(n)
        assert len(f._traces) <= 256

    def test_methods_have_a_trace_for_each_instance_and_go_with_it(self):
        class Model:
            def __init__(self, scale):
                self.scale = scale

            @tf.function
            def __call__(self, x):
                return x * self.scale

        a, b = Model(2.0), Model(3.0)
        x = tf.constant(1.0)
        assert [float(a(x)), float(b(x)), float(a(x))] == [2.0, 3.0, 2.0]
        reference = weakref.ref(a)
        del a
        gc.collect()
        assert reference() is None

    def test_many_retraces_are_warned_of_twice(self, caplog):
        f, _ = counted(lambda n: tf.constant(n))
        for n in range(30):
            f(n)
        assert sum("triggered tf.function retracing" in m for m in caplog.messages) == 2


class TestCalls:
    def test_results_keep_their_structure(self):
        f = tf.function(lambda x: {"a": x, "b": [x + 1, None, 3], "c": (np.float32(2.0),)})
        found = f(tf.constant(1.0))
        assert float(found["a"]) == 1.0
        assert [None if y is None else float(y) for y in found["b"]] == [2.0, None, 3.0]
        assert isinstance(found["c"][0], tf.Tensor)

    def test_returned_input_is_a_new_object(self):
        x = tf.constant(1.0)
        assert tf.function(lambda x: x)(x) is not x

    def test_variable_is_returned_as_a_tensor(self):
        v = tf.Variable(2.0)
        assert isinstance(tf.function(lambda: v)(), tf.Tensor)

    def test_other_objects_cannot_be_returned(self):
        with pytest.raises(TypeError, match="found return value of type object"):
            tf.function(lambda: object())()

    def test_side_effects_of_python_happen_once(self):
        seen = []
        f = tf.function(lambda x: seen.append(1) or x)
        f(tf.constant(1.0)), f(tf.constant(2.0))
        assert seen == [1]

    def test_assignments_are_in_program_order(self):
        v = tf.Variable(1.0)

        @tf.function
        def f():
            before = v + 0.0
            v.assign_add(1.0)
            middle = v * 10.0
            v.assign(v * 2.0)
            return before, middle, v.read_value()

        assert [float(y) for y in f()] == [1.0, 20.0, 4.0]
        assert [float(y) for y in f()] == [4.0, 50.0, 10.0]
        assert float(v) == 10.0

    def test_variable_argument_is_assigned(self):
        @tf.function
        def double(v):
            v.assign(v * 2.0)

        a, b = tf.Variable(1.0), tf.Variable([1.0])
        double(a), double(b), double(a)
        assert float(a) == 4.0
        assert b.numpy().tolist() == [2.0]

    def test_functions_in_functions(self):
        inner = tf.function(lambda x: x * x)
        outer, _ = counted(lambda x: inner(x) + inner(x + 1.0))
        assert float(outer(tf.constant(2.0))) == 13.0
        assert inner.experimental_get_tracing_count() == 1

    def test_inner_function_may_assign(self):
        v = tf.Variable(1.0)
        bump = tf.function(lambda: v.assign_add(1.0))

        @tf.function
        def outer():
            bump()
            bump()
            return v * 10.0

        assert float(outer()) == 30.0
        assert float(v) == 3.0

    def test_vectorized_map_inside_and_outside(self):
        f = tf.function(lambda x: tf.reduce_sum(x * x))
        xs = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        assert tf.vectorized_map(f, xs).numpy().tolist() == [5.0, 25.0]
        g = tf.function(lambda xs: tf.vectorized_map(lambda x: tf.reduce_sum(x * x), xs))
        assert g(xs).numpy().tolist() == [5.0, 25.0]

    def test_run_eagerly(self):
        f, traces = counted(lambda x: x)
        settings.eager = True
        try:
            f(tf.constant(1.0)), f(tf.constant(1.0))
        finally:
            settings.eager = False
        assert len(traces) == 2

    def test_status_inside(self):
        seen = []
        tf.function(lambda: seen.append((tf.executing_eagerly(), tf.inside_function())))()
        assert seen == [(False, True)]
        assert (tf.executing_eagerly(), tf.inside_function()) == (True, False)

    def test_not_callable(self):
        with pytest.raises(TypeError, match="3 is not a callable object"):
            tf.function(3)


class TestRandomNumbers:
    def test_each_call_draws_the_eager_stream(self):
        draw = tf.function(lambda: (tf.random.normal([2]), tf.random.uniform([])))
        tf.random.set_seed(5)
        eager = [(tf.random.normal([2]), tf.random.uniform([])) for _ in range(3)]
        tf.random.set_seed(5)
        compiled = [draw() for _ in range(3)]
        for (a, b), (c, d) in zip(eager, compiled, strict=True):
            np.testing.assert_array_equal(a, c)
            assert float(b) == float(d)

    def test_generator(self):
        generator = tf.random.Generator.from_seed(3)
        draw = tf.function(lambda: generator.normal([2]))
        first, second = draw(), draw()
        assert not np.array_equal(first, second)
        generator.reset_from_seed(3)
        np.testing.assert_array_equal(generator.normal([2]), first)
        np.testing.assert_array_equal(generator.normal([2]), second)


class TestVariablesMadeInside:
    def test_on_the_first_call(self):
        class Layer:
            w = None

            @tf.function
            def __call__(self, x):
                if self.w is None:
                    self.w = tf.Variable(tf.reduce_sum(x) * tf.ones([2]))
                return x * self.w

        layer = Layer()
        assert layer(tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 6.0]
        assert layer(tf.constant([1.0, 1.0])).numpy().tolist() == [3.0, 3.0]

    def test_on_every_call_is_refused(self):
        with pytest.raises(ValueError, match=r"only supports singleton tf.Variables created on the first call"):
            tf.function(lambda: tf.Variable(1.0) + 1.0)()


class TestErrors:
    def test_shape_error_names_the_line(self):
        with pytest.raises(ValueError, match=r"in user code:(.|\n)*test_function.py.*(.|\n)*inner dimensions differ"):
            tf.function(lambda x: tf.matmul(x, x))(tf.ones([2, 3]))

    def test_own_exceptions_keep_their_class(self):
        class Mine(Exception):
            pass

        def f():
            raise Mine("oops")

        with pytest.raises(Mine, match="oops"):
            tf.function(f)()

    def test_truth_value(self):
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="as a Python `bool` is not allowed"):
            tf.function(lambda x: 1 if x else 2)(tf.constant(1.0))

    def test_numpy(self):
        with pytest.raises(AttributeError, match="'SymbolicTensor' object has no attribute 'numpy'"):
            tf.function(lambda x: x.numpy())(tf.constant(1.0))

    def test_leaked_tensor(self):
        leaked = []
        tf.function(lambda x: leaked.append(x * 2.0))(tf.constant(1.0))
        with pytest.raises(TypeError, match="is out of scope and cannot be used here"):
            leaked[0] + 1.0

    def test_changed_argument(self):
        with pytest.raises(ValueError, match=r"should not modify its Python input arguments(.|\n)*xs"):
            tf.function(lambda xs: xs.append(1.0))([tf.constant(1.0)])

    def test_missing_argument(self):
        with pytest.raises(
            TypeError, match=r"Binding inputs to tf.function failed due to `missing a required argument"
        ):
            tf.function(lambda x: x)()

    def test_what_cannot_be_traced_yet_is_refused(self):
        v = tf.Variable(tf.zeros([3, 2]))
        with pytest.raises(tf.errors.UnimplementedError, match="py_function cannot be traced"):
            tf.function(lambda x: tf.py_function(lambda a: a, [x], tf.float32))(tf.constant(1.0))
        with pytest.raises(tf.errors.UnimplementedError, match="numpy_function cannot be traced"):
            tf.function(lambda x: tf.numpy_function(lambda a: a, [x], tf.float32))(tf.constant(1.0))
        with pytest.raises(tf.errors.UnimplementedError, match="only assign, assign_add and assign_sub can be traced"):
            tf.function(lambda: v.scatter_nd_add([[0]], [[1.0, 2.0]]))()
        assert not v.numpy().any()

    def test_failed_trace_changes_nothing(self):
        v = tf.Variable(1.0)

        @tf.function
        def f():
            v.assign(5.0)
            raise ValueError("late")

        with pytest.raises(ValueError, match="late"):
            f()
        assert float(v) == 1.0
        assert tf.executing_eagerly()

    def test_run_time_error_names_the_line(self):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Graph execution error(.|\n)*test_function.py"):
            tf.function(lambda x, i: tf.gather(x, i))(tf.constant([1.0, 2.0]), tf.constant([5]))


class TestInputSignature:
    def test_values_are_converted(self):
        f, traces = counted(lambda x: x * 2)
        g = tf.function(f.python_function, input_signature=[tf.TensorSpec([2], tf.float32)])
        assert g([1, 2]).numpy().tolist() == [2.0, 4.0]
        assert g(np.array([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]
        assert len(traces) == 1

    def test_what_does_not_fit_is_refused(self):
        g = tf.function(lambda x: x, input_signature=[tf.TensorSpec([2], tf.float32)])
        with pytest.raises(TypeError, match="Can not cast"):
            g(tf.constant([1.0, 2.0, 3.0]))
        with pytest.raises(TypeError, match="Can not cast"):
            g(tf.constant([1, 2]))

    def test_bad_signatures(self):
        spec = tf.TensorSpec([], tf.float32)
        with pytest.raises(TypeError, match="must be either a tuple or a list"):
            tf.function(lambda x: x, input_signature=spec)
        with pytest.raises(TypeError, match="nested sequence of TensorSpec"):
            tf.function(lambda x: x, input_signature=[1])
        with pytest.raises(TypeError, match="missing type constraint for y"):
            tf.function(lambda x, y: x, input_signature=[spec])
        with pytest.raises(TypeError, match="contains 1 extra type constraints"):
            tf.function(lambda x: x, input_signature=[spec, spec])


class TestConcreteFunction:
    def test_traces_specs_and_is_kept(self):
        f, traces = counted(lambda x, y=2.0, *, z=3: {"sum": x * y + z})
        concrete = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
        assert f.get_concrete_function(tf.TensorSpec([2], tf.float32)) is concrete
        assert f(tf.constant([1.0, 2.0]))["sum"].numpy().tolist() == [5.0, 7.0]
        assert len(traces) == 1

    def test_is_called_with_its_tensors(self):
        concrete = tf.function(lambda x, y: x - y).get_concrete_function(tf.constant(1.0), 2.0)
        assert float(concrete(tf.constant(5.0))) == 3.0
        assert float(concrete(x=tf.constant(5.0))) == 3.0
        assert float(concrete(tf.constant(5.0), 2.0)) == 3.0

    def test_refuses_what_is_no_tensor(self):
        concrete = tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([], tf.float32))
        with pytest.raises(TypeError, match="takes tensors"):
            concrete([1.0])
        with pytest.raises(TypeError, match="flat signature"):
            concrete()
        with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
            concrete(tf.constant(1))

    def test_attributes(self):
        v = tf.Variable(1.0, name="v")
        w = tf.Variable(1.0, trainable=False)
        concrete = tf.function(lambda x: (x * v + w, [x])).get_concrete_function(tf.TensorSpec([2], tf.float32))
        assert concrete.name == b"<lambda>"
        assert concrete.variables == (v, w)
        assert concrete.trainable_variables == (v,)
        assert concrete.structured_input_signature == ((tf.TensorSpec([2], tf.float32, name="x"),), {})
        assert [s.shape.as_list() for s in concrete.inputs] == [[2]]
        assert len(concrete.outputs) == 2
        assert concrete.output_shapes[1][0].as_list() == [2]
        assert concrete.output_dtypes[0] is tf.float32
        assert concrete.graph.name == "<lambda>"

    def test_pretty_signature(self):
        def f(x, y, *, z):
            return x * y + z

        concrete = tf.function(f).get_concrete_function(tf.TensorSpec([2], tf.float32), 2.0, z=3)
        text = concrete.pretty_printed_signature()
        assert "x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(2,), dtype=tf.float32, name=None)" in text
        assert "y (POSITIONAL_OR_KEYWORD): Literal[2.0]" in text
        assert "z (KEYWORD_ONLY): Literal[3]" in text
        assert "Captures:\n  None" in text

    def test_is_differentiable(self):
        concrete = tf.function(lambda x: x * x).get_concrete_function(tf.TensorSpec([], tf.float32))
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = concrete(x.read_value())
        assert float(tape.gradient(y, x)) == 6.0
