"""tf.function: what goes wrong, in words."""

import numpy as np
import pytest

import gradtape as tf


class TestErrors:
    def test_shape_error_names_the_line(self):
        with pytest.raises(ValueError, match=r"inner dimensions differ(.|\n)*in user code:(.|\n)*test_errors.py"):
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

    def test_programs_that_ask_whether_there_is_a_value(self):
        f = tf.function(lambda x: x.numpy() if hasattr(x, "numpy") else 2.0 * x, autograph=False)
        assert float(f(tf.constant(3.0))) == 6.0

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

        with pytest.raises(tf.errors.StagingError, match=r"Pair: 1 and 2(.|\n)*in user code:"):
            tf.function(f)()

    def test_key_error(self):
        with pytest.raises(KeyError) as problem:
            tf.function(lambda: {}["missing"])()
        assert str(problem.value).startswith("'missing'\n\nin user code:\n\n    File")

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
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"test_errors.py(.|\n)*Graph execution error"):
            tf.function(lambda x, i: tf.gather(x, i))(tf.constant([1.0, 2.0]), tf.constant([5]))


def test_the_prompt_of_python_3_13_is_shown_without_its_count():
    space = {"tf": tf}
    exec(compile("def f(x):\n    return tf.reshape(x, [2, 2])\n", "<stdin>-7", "exec"), space)
    with pytest.raises(ValueError, match=r'in user code:\n\n    File "<stdin>", line 2, in f'):
        tf.function(space["f"])(tf.ones([3]))


def test_an_error_without_lines_of_the_user_has_no_list_of_them():
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
    with pytest.raises(ValueError, match="Expected shape") as problem:
        model.predict(np.ones([4], np.float32), verbose=0)
    assert "in user code" not in str(problem.value)
