"""tf.function: what is traced when, what a call does, and what goes wrong in words."""

import functools
import gc
import weakref

import numpy as np
import pytest

import gradtape as tf


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
        tf.config.run_functions_eagerly(True)
        assert tf.config.functions_run_eagerly()
        try:
            f(tf.constant(1.0)), f(tf.constant(1.0))
        finally:
            tf.config.run_functions_eagerly(False)
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
            np.testing.assert_allclose(
                a, c, rtol=1e-6
            )  # the same bits, whose logarithms machine code rounds its own way
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
            tf.function(lambda x: 1 if x else 2, autograph=False)(tf.constant(1.0))

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

    def test_exceptions_with_other_constructors(self):
        class Pair(Exception):
            def __init__(self, a, b):
                super().__init__(f"{a} and {b}")

        def f():
            raise Pair(1, 2)

        with pytest.raises(tf.errors.StagingError, match=r"in user code:(.|\n)*Pair: 1 and 2"):
            tf.function(f)()

    def test_key_error(self):
        with pytest.raises(KeyError) as problem:
            tf.function(lambda: {}["missing"])()
        assert str(problem.value).startswith("in user code:\n\n    File")

    def test_first_trace_that_failed_may_be_repeated(self):
        made, problems = [], [ValueError("once")]

        @tf.function(autograph=False)
        def f():
            if problems:
                raise problems.pop()
            if not made:
                made.append(tf.Variable(3.0))
            return made[0] + 1.0

        with pytest.raises(ValueError, match="once"):
            f()
        assert float(f()) == 4.0

    def test_leaked_tensor_in_another_function(self):
        leaked = []
        tf.function(lambda x: leaked.append(x * 2.0), autograph=False)(tf.constant(1.0))
        with pytest.raises(tf.errors.InaccessibleTensorError, match="is out of scope"):
            tf.function(lambda x: x + leaked[0], autograph=False)(tf.constant(1.0))

    def test_dtypes_that_differ(self):
        with pytest.raises(TypeError, match="dtypes differ"):
            tf.function(lambda x: x + tf.constant(1), autograph=False)(tf.constant(1.0))

    def test_what_needs_a_value_says_so(self):
        with pytest.raises(NotImplementedError, match=r"needs the value of(.|\n)*py_function"):
            tf.function(lambda x: float(x), autograph=False)(tf.constant(1.0))
        with pytest.raises(NotImplementedError, match="needs the value of"):
            tf.function(lambda x: np.asarray(x), autograph=False)(tf.constant(1.0))
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Iterating over a symbolic"):
            tf.function(lambda x: list(x), autograph=False)(tf.constant([1.0]))
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Iterating over a symbolic"):
            tf.function(lambda x: 1.0 in x, autograph=False)(tf.constant([1.0]))
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Python `bool`"):
            tf.function(lambda x: x in [tf.constant(1.0)], autograph=False)(tf.constant(1.0))

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

    def test_signature_of_a_method_leaves_the_instance_out(self):
        class Scale(tf.Module):
            def __init__(self):
                super().__init__()
                self.factor = tf.Variable(2.0)

            @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
            def __call__(self, x):
                return self.factor * x

        scale = Scale()
        assert scale([1, 2]).numpy().tolist() == [2.0, 4.0]
        assert Scale.__call__(scale, [1, 2, 3]).numpy().tolist() == [2.0, 4.0, 6.0]
        with pytest.raises(TypeError, match="Can not cast"):
            scale(tf.ones([2, 2]))


class TestSizes:
    def test_input_signature_with_open_sizes_is_traced_once(self):
        f, traces = counted(lambda x: tf.reduce_sum(x, axis=0))
        g = tf.function(f.python_function, input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        assert g(tf.ones([3, 2])).numpy().tolist() == [3.0, 3.0]
        assert g([[1, 2]]).numpy().tolist() == [1.0, 2.0]
        assert g(np.ones([5, 2])).numpy().tolist() == [5.0, 5.0]
        assert [t[0].shape.as_list() for t in traces] == [[None, 2]]
        with pytest.raises(TypeError, match="Can not cast"):
            g(tf.ones([2, 3]))

    def test_more_general_trace_is_used(self):
        f, traces = counted(lambda x: x * 2.0)
        concrete = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
        assert f(tf.ones([3])).shape == [3]
        assert f(tf.ones([4])).shape == [4]
        assert len(traces) == 1
        f(tf.ones([2, 2]))
        assert len(traces) == 2
        assert concrete.structured_outputs.shape.as_list() == [None]

    def test_of_several_general_traces_the_narrowest_is_used(self):
        f, traces = counted(lambda x: tf.cast(x.shape.rank is None or None in x.shape.as_list()[1:], tf.int32))
        f.get_concrete_function(tf.TensorSpec([None, 3], tf.float32))
        f.get_concrete_function(tf.TensorSpec([None, None], tf.float32))
        f.get_concrete_function(tf.TensorSpec(None, tf.float32))
        assert [int(f(tf.ones(shape))) for shape in ([2, 3], [2, 4], [2], [2, 3, 4])] == [0, 1, 1, 1]
        assert len(traces) == 3

    def test_reduce_retracing(self):
        f, traces = counted(lambda x, n=1: tf.reduce_sum(x) * n)
        g = tf.function(f.python_function, reduce_retracing=True)
        assert [float(g(tf.ones([k]))) for k in (2, 3, 4, 2, 9)] == [2.0, 3.0, 4.0, 2.0, 9.0]
        assert [t[0].shape for t in traces] == [tf.TensorShape([2]), tf.TensorShape([None])]
        assert float(g(tf.ones([2, 2]))) == 4.0
        assert traces[-1][0].shape.rank is None
        g(tf.ones([2]), 2), g(tf.ones([2]), 3)
        assert len(traces) == 5

    def test_former_name_of_reduce_retracing(self):
        f, traces = counted(lambda x: x)
        g = tf.function(f.python_function, experimental_relax_shapes=True)
        g(tf.ones([1])), g(tf.ones([2])), g(tf.ones([3]))
        assert len(traces) == 2

    def test_reason_of_a_relaxed_trace(self):
        g = tf.function(lambda x: x, reduce_retracing=True)
        g(tf.ones([1])), g(tf.ones([2]))
        assert g.explain().traces[1].because == "x is a tensor f32[?], not a tensor f32[1]"

    def test_shape_as_a_tensor(self):
        @tf.function(autograph=False)
        def f(x):
            known, unknown = tf.ones([2, 3]), x
            return tf.shape(known), tf.shape(unknown), tf.size(x), tf.rank(x)

        concrete = f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
        found = [y.numpy().tolist() for y in concrete(tf.ones([5, 2]))]
        assert found == [[2, 3], [5, 2], 10, 2]

    def test_variable_whose_size_changes(self):
        v = tf.Variable([1.0], shape=[None])
        f = tf.function(lambda: tf.reduce_sum(v) / tf.cast(tf.size(v), tf.float32), autograph=False)
        assert float(f()) == 1.0
        v.assign([2.0, 4.0])
        assert float(f()) == 3.0
        assert f.experimental_get_tracing_count() == 1

    def test_index_that_is_a_tensor(self):
        f = tf.function(lambda x, i: (x[i], x[i, 0], x[:, i]), autograph=False)
        x = tf.reshape(tf.range(9), [3, 3])
        for i in (-1, 0, 2):
            for found, wanted in zip(f(x, tf.constant(i)), (x[i], x[i, 0], x[:, i]), strict=True):
                np.testing.assert_array_equal(found, wanted)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Graph execution error"):
            f(x, tf.constant(3))

    def test_set_shape(self):
        @tf.function(autograph=False)
        def f(x):
            x.set_shape([None, 3])
            assert x.shape.as_list() == [None, 3]
            with pytest.raises(ValueError, match="not compatible"):
                x.set_shape([2])
            return x * tf.ones([3])

        concrete = f.get_concrete_function(tf.TensorSpec(None, tf.float32))
        assert concrete(tf.ones([2, 3])).shape == [2, 3]
        with pytest.raises(tf.errors.InvalidArgumentError, match="ensure_shape: x has shape"):
            concrete(tf.ones([2, 4]))

    def test_general_function_in_a_function(self):
        inner = tf.function(
            lambda x: tf.reshape(x, [-1]) * 2.0, input_signature=[tf.TensorSpec([None, None], tf.float32)]
        )
        outer = tf.function(lambda x: inner(x) + inner(tf.transpose(x)), autograph=False)
        x = tf.constant([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = outer(x)
        assert y.numpy().tolist() == [4.0, 8.0]
        assert tape.gradient(y, x).numpy().tolist() == [[4.0, 4.0]]
        assert inner.experimental_get_tracing_count() == 1

    def test_wrong_sizes_are_found_when_traced_or_run(self):
        f = tf.function(lambda x: tf.matmul(x, tf.ones([3, 2])), autograph=False)
        with pytest.raises(ValueError, match="inner dimensions differ"):
            f.get_concrete_function(tf.TensorSpec([None, 4], tf.float32))
        concrete = f.get_concrete_function(tf.TensorSpec([None, None], tf.float32))
        with pytest.raises(tf.errors.InvalidArgumentError, match="inner dimensions differ"):
            concrete(tf.ones([2, 4]))


class TestMembers:
    def test_description_of_the_parameters(self):
        f = tf.function(lambda x, y=1, *args, z=2, **kwargs: x)
        spec = f.function_spec.fullargspec
        assert (spec.args, spec.varargs, spec.varkw, spec.defaults) == (["x", "y"], "args", "kwargs", (1,))
        assert (spec.kwonlyargs, spec.kwonlydefaults) == (["z"], {"z": 2})
        assert f.function_spec.arg_names == ("x", "y")
        assert str(f.function_type) == "(x, y=1, *args, z=2, **kwargs)"

    def test_initialization_function(self):
        made = []

        @tf.function(autograph=False)
        def f(x):
            if not made:
                made.append(tf.Variable(2.0))
            return x * made[0]

        initialize = f.get_initialization_function(tf.TensorSpec([], tf.float32))
        assert initialize() is None
        assert float(f(tf.constant(3.0))) == 6.0
        with pytest.raises(RuntimeError, match="has been used"):
            f.get_initialization_function(tf.constant(1.0))

    def test_compiler_ir(self):
        f = tf.function(lambda x: x * 2.0 + 1.0, jit_compile=True, autograph=False)
        text = f.experimental_get_compiler_ir(tf.constant([1.0]))
        assert "multiply(" in text()
        assert "parameter x" in text(stage="optimized_hlo")
        with pytest.raises(ValueError, match="Invalid stage"):
            text(stage="machine")
        general = f.experimental_get_compiler_ir(tf.TensorSpec([None], tf.float32))
        with pytest.raises(ValueError, match="has not run yet"):
            general(stage="optimized_hlo")
        with pytest.raises(ValueError, match="jit_compile=True"):
            tf.function(lambda x: x).experimental_get_compiler_ir(tf.constant(1.0))

    def test_init_scope(self):
        @tf.function(autograph=False)
        def f(x):
            with tf.init_scope():
                assert tf.executing_eagerly()
                number = float(tf.constant(2.0))
            assert not tf.executing_eagerly()
            return x * number

        assert float(f(tf.constant(3.0))) == 6.0

    def test_rows_are_returned_as_rows(self):
        table = tf.Variable(tf.ones([4, 2]))

        @tf.function(autograph=False)
        def f(ids):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.gather(table, ids) ** 2)
            return {"rows": tape.gradient(y, table)}

        rows = f(tf.constant([1, 3]))["rows"]
        assert isinstance(rows, tf.IndexedSlices)
        assert rows.indices.numpy().tolist() == [1, 3]
        assert rows.values.numpy().tolist() == [[2.0, 2.0], [2.0, 2.0]]


class TestMemory:
    def test_thousand_shapes(self):
        from gradtape.compiler.graph import Graph

        f = tf.function(lambda x: tf.reduce_sum(x * x), autograph=False)

        def graphs():
            gc.collect()
            return sum(type(o) is Graph for o in gc.get_objects())

        for n in range(1, 301):
            f(tf.ones([n]))
        middle = graphs()
        for n in range(301, 701):
            f(tf.ones([n]))
        assert graphs() <= middle + 10

    def test_thousand_shapes_of_one_trace(self):
        f = tf.function(lambda x: x * x, input_signature=[tf.TensorSpec([None], tf.float32)], autograph=False)
        for n in range(1, 101):
            assert f(tf.ones([n])).shape == [n]
        (concrete,) = f._traces.values()
        assert len(concrete._staged.program._programs) <= 32

    def test_rare_sizes_get_no_machine_code(self):
        f = tf.function(
            lambda x: tf.tanh(x) * 2.0, input_signature=[tf.TensorSpec([None], tf.float32)], autograph=False
        )
        (n, m), seen = (4000, 5000), []
        for size in (n, m, m, m, m):
            np.testing.assert_allclose(f(tf.ones([size])), 2 * np.tanh(np.ones(size)), rtol=1e-6)
            (trace,) = f.explain().traces
            seen.append(bool(trace.native))
        assert seen == [True, False, False, True, True]

    def test_traces_of_objects_that_are_gone_are_dropped(self):
        class Thing:
            pass

        f = tf.function(lambda x, thing: x, autograph=False)
        for _ in range(20):
            f(tf.constant(1.0), Thing())
        assert len(f._traces) <= 2


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
