"""tf.debugging: checks at once, while a function is traced, and when it runs."""

import numpy as np
import pytest

import gradtape as tf

INVALID = tf.errors.InvalidArgumentError
NAN, INF = float("nan"), float("inf")

RELATIONS = {
    "assert_equal": ([1, 2], [1, 2], [1, 3]),
    "assert_none_equal": ([1, 2], [3, 4], [1, 4]),
    "assert_less": ([1, 2], [2, 3], [2, 2]),
    "assert_less_equal": ([1, 2], [1, 2], [0, 2]),
    "assert_greater": ([1, 2], [0, 1], [1, 0]),
    "assert_greater_equal": ([1, 2], [1, 2], [2, 2]),
    "assert_near": ([1.0, 2.0], [1.0, 2.0], [1.0, 2.1]),
}
SIGNS = {
    "assert_positive": ([1, 2], [0, 1]),
    "assert_negative": ([-1, -2], [-1, 0]),
    "assert_non_negative": ([0, 1], [0, -1]),
    "assert_non_positive": ([0, -1], [0, 1]),
}


@pytest.mark.parametrize("name", RELATIONS)
def test_relations(name):
    check = getattr(tf.debugging, name)
    x, good, bad = map(tf.constant, RELATIONS[name])
    assert check(x, good) is None
    with pytest.raises(INVALID, match=r"details here(.|\n)*test_value_checks.py"):
        check(x, bad, message="details here")
    traced = tf.function(lambda x, y: check(x, y, message="details here"), autograph=False)
    assert traced(x, good) is None
    with pytest.raises(
        INVALID, match=rf"^details here\n  at:  .*test_value_checks.py(.|\n)*Graph execution error: .*{name}"
    ):
        traced(x, bad)


@pytest.mark.parametrize("name", SIGNS)
def test_signs(name):
    check = getattr(tf.debugging, name)
    good, bad = map(tf.constant, SIGNS[name])
    check(good)
    with pytest.raises(INVALID, match=r"Condition x .* 0 did not hold"):
        check(bad)
    traced = tf.function(lambda x: check(x), autograph=False)
    traced(good)
    with pytest.raises(INVALID, match=r"did not hold(.|\n)*Graph execution error"):
        traced(bad)


def test_message_of_a_relation():
    with pytest.raises(INVALID) as problem:
        tf.debugging.assert_equal([1, 2, 3], [1, 5, 3])
    assert problem.value.message.startswith(
        "Condition x == y did not hold.\nIndices of first 1 different values:\n[[1]]\nCorresponding x values:\n[2]\n"
        "Corresponding y values:\n[5]\nFirst 3 elements of x:\n[1 2 3]\nFirst 3 elements of y:\n[1 5 3]"
    )


def test_what_is_known_is_checked_while_tracing():
    def f(x):
        tf.debugging.assert_equal(tf.constant([1]), [2])
        return x

    with pytest.raises(INVALID, match="in user code"):
        tf.function(f, autograph=False).get_concrete_function(tf.TensorSpec([], tf.float32))
    shaped = tf.function(lambda x: tf.debugging.assert_equal(tf.shape(x)[0], 3), autograph=False)
    shaped.get_concrete_function(tf.TensorSpec([3], tf.float32))
    with pytest.raises(INVALID, match="in user code"):
        shaped.get_concrete_function(tf.TensorSpec([4], tf.float32))
    general = shaped.get_concrete_function(tf.TensorSpec([None], tf.float32))
    general(tf.ones([3]))
    with pytest.raises(INVALID, match="Graph execution error"):
        general(tf.ones([4]))


def test_tolerances():
    tf.debugging.assert_near(1.0, 1.05, rtol=0.1)
    tf.debugging.assert_near(1.0, 1.05, atol=0.1)
    with pytest.raises(INVALID, match=r"rtol = 0.01"):
        tf.debugging.assert_near(1.0, 1.05, rtol=0.01)


def test_assert():
    tf.Assert(tf.constant(True), ["fine"])
    with pytest.raises(INVALID, match=r"Expected '.*' to be true. Summarized data: \[1 2\]\ntext\n3"):
        tf.Assert(tf.constant(False), [tf.constant([1, 2]), "text", tf.constant(3.0)])
    traced = tf.function(lambda x: tf.debugging.Assert(x > 0, [x]), autograph=False)
    traced(tf.constant(1))
    with pytest.raises(INVALID, match=r"assertion failed: .-5.(.|\n)*Graph execution error"):
        traced(tf.constant(-5))


def test_checks_keep_their_place_among_assignments():
    v = tf.Variable(0)

    @tf.function(autograph=False)
    def f(x):
        v.assign_add(1)
        tf.debugging.assert_positive(x)
        v.assign_add(10)

    f(tf.constant(1))
    assert int(v) == 11
    with pytest.raises(INVALID):
        f(tf.constant(0))
    assert int(v) == 12


def test_finite():
    for check in (tf.debugging.check_numerics, tf.debugging.assert_all_finite):
        x = tf.constant([1.0, 2.0])
        assert check(x, "m").numpy().tolist() == [1.0, 2.0]
        for values, text in (([1.0, INF], "Inf"), ([NAN, -INF], "-Inf and NaN"), ([INF, -INF], r"-Inf and \+Inf")):
            bad = tf.constant(values)
            with pytest.raises(INVALID, match=rf"loss : Tensor had {text} values\n  at:  .*test_value_checks.py"):
                check(bad, "loss")
            with pytest.raises(INVALID, match=rf"loss : Tensor had {text} values(.|\n)*Graph execution error"):
                tf.function(lambda x: check(x, "loss"), autograph=False)(bad)  # noqa: B023
    with pytest.raises(TypeError, match="check_numerics: tensor must be floating point, got int32"):
        tf.debugging.check_numerics(tf.constant(1), "m")


def test_gradients_pass_checks():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.debugging.check_numerics(x * x, "m")
    assert float(tape.gradient(y, x)) == 4.0


class TestShapes:
    def test_ranks(self):
        x = tf.ones([2, 3])
        tf.debugging.assert_rank(x, 2)
        tf.debugging.assert_rank_at_least(x, 1)
        tf.debugging.assert_rank_in(x, [1, 2])
        with pytest.raises(ValueError, match=r"must have rank 1.  Received rank 2, shape \(2, 3\)"):
            tf.debugging.assert_rank(x, 1)
        with pytest.raises(ValueError, match="must have rank at least 3"):
            tf.debugging.assert_rank_at_least(x, 3)
        with pytest.raises(ValueError, match=r"note. Tensor  must have rank in \(0, 1\)"):
            tf.debugging.assert_rank_in(x, [0, 1], message="note")

    def test_ranks_in_functions(self):
        f = tf.function(lambda x: tf.debugging.assert_rank(x, 1), autograph=False)
        with pytest.raises(ValueError, match="in user code"):
            f.get_concrete_function(tf.TensorSpec([None, None], tf.float32))
        concrete = f.get_concrete_function(tf.TensorSpec(None, tf.float32))
        concrete(tf.ones([3]))
        with pytest.raises(INVALID, match=r"must have rank 1(.|\n)*Graph execution error"):
            concrete(tf.ones([3, 3]))

    def test_scalar(self):
        assert tf.debugging.assert_scalar(3.0) is None
        with pytest.raises(ValueError, match="Expected scalar shape, saw shape"):
            tf.debugging.assert_scalar([1.0])

    def test_shapes(self):
        x, y, z = tf.ones([2, 3]), tf.ones([2]), tf.ones([4, 2, 3])
        tf.debugging.assert_shapes([(x, ("n", 3)), (y, "n"), (z, ("*", "n", None))])
        tf.debugging.assert_shapes([(z, (..., 3)), (y, ["."])])
        with pytest.raises(ValueError, match="only allowed as the first entry"):
            tf.debugging.assert_shapes([(z, (4, ...))])
        with pytest.raises(ValueError, match="Specified shape must be an iterable"):
            tf.debugging.assert_shapes([(y, 2)])
        with pytest.raises(ValueError, match=r"dimension 0 must have size 2.  Received size 4"):
            tf.debugging.assert_shapes([(x, ("n", "m")), (z, ("n", None, None))])
        with pytest.raises(ValueError, match=r"Specified explicitly.*must have size 5"):
            tf.debugging.assert_shapes([(y, (5,))], message="note")
        with pytest.raises(ValueError, match=r"must have rank in \(0, 1\)"):
            tf.debugging.assert_shapes([(x, ("n",))])

    def test_shapes_in_functions(self):
        def f(x, y):
            tf.debugging.assert_shapes([(x, ("n", "m")), (y, ("n",))])

        spec = [tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None], tf.float32)]
        concrete = tf.function(f, autograph=False).get_concrete_function(*spec)
        concrete(tf.ones([2, 3]), tf.ones([2]))
        with pytest.raises(INVALID, match=r"must have size 2(.|\n)*Graph execution error"):
            concrete(tf.ones([2, 3]), tf.ones([4]))


class TestTypes:
    def test_type(self):
        tf.debugging.assert_type(tf.constant(1.0), tf.float32)
        for wrong in (tf.constant([1.0]), tf.ragged.constant([[1.0]]), tf.sparse.from_dense([1.0])):
            with pytest.raises(TypeError, match=r"^note\.  tensor must be of type tf\.string; got tf\.float32"):
                tf.debugging.assert_type(wrong, tf.string, message="note")
        with pytest.raises(TypeError, match=r"tensor must be of type tf.float32; got tf.int32"):
            tf.debugging.assert_type(tf.constant(1), tf.float32)
        with pytest.raises(TypeError, match="in user code"):
            tf.function(lambda x: tf.debugging.assert_type(x, tf.int32), autograph=False)(tf.constant(1.0))

    def test_integer(self):
        tf.debugging.assert_integer([1])
        with pytest.raises(TypeError, match='Expected "x" to be integer type'):
            tf.debugging.assert_integer([1.0])

    def test_iterable(self):
        tf.debugging.assert_proper_iterable([1])
        for bad in (tf.constant([1]), np.ones(2), "text", 3):
            with pytest.raises(TypeError, match='"proper" iterable'):
                tf.debugging.assert_proper_iterable(bad)

    def test_same_float_dtype(self):
        assert tf.debugging.assert_same_float_dtype([tf.constant(1.0), None, tf.Variable(2.0)]) is tf.float32
        assert tf.debugging.assert_same_float_dtype() is tf.float32
        with pytest.raises(ValueError, match="must be of the same type"):
            tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant(1.0, tf.float64)])
        with pytest.raises(ValueError, match="Expected floating point type"):
            tf.debugging.assert_same_float_dtype([tf.constant(1)])

    def test_numeric(self):
        assert tf.debugging.is_numeric_tensor(tf.constant(1.0))
        assert not tf.debugging.is_numeric_tensor(tf.constant(True))
        assert not tf.debugging.is_numeric_tensor(1.0)


class TestCheckingEverything:
    @pytest.fixture(autouse=True)
    def switched_on(self):
        tf.debugging.enable_check_numerics()
        yield
        tf.debugging.disable_check_numerics()

    def test_eager(self):
        tf.math.log(tf.constant([1.0, 2.0]))
        x = tf.constant([-1.0, 0.0])
        with pytest.raises(INVALID) as raised:
            tf.math.log(x)
        message = raised.value.message
        assert 'output 0 of eagerly-executing op "Log" (# of outputs: 1)' in message.splitlines()[0]
        assert "dtype: <dtype: 'float32'>\n" in message
        assert "shape: (2,)\n" in message
        assert "# of -Inf elements: 1\n" in message
        assert "# of NaN elements: 1\n" in message
        assert f"Input tensor: {x!s}" in message
        assert "test_value_checks.py" in message

    def test_inputs_have_numbers(self):
        x, y = tf.constant([2.0, 3.0]), tf.constant([1.0, 0.0])
        with pytest.raises(INVALID) as raised:
            x / y
        assert f"0: {x!s}" in raised.value.message
        assert f"1: {y!s}" in raised.value.message
        assert "# of +Inf elements: 1\n" in raised.value.message
        assert "NaN elements" not in raised.value.message

    def test_operators(self):
        with pytest.raises(INVALID, match='eagerly-executing op "RealDiv"'):
            tf.constant(1.0) / tf.constant(0.0)

    def test_gradients(self):
        x = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            y = tf.sqrt(x)
        with pytest.raises(INVALID, match="Infinity or NaN"):
            tape.gradient(y, x)

    def test_functions(self):
        f = tf.function(lambda x: tf.math.log(x) * 2.0, autograph=False)
        assert float(f(tf.constant(1.0))) == 0.0
        pattern = (
            r"graph op .Log.(.|\n)*test_value_checks.py(.|\n)*Stack trace of op's creation(.|\n)*Graph execution error"
        )
        with pytest.raises(INVALID, match=pattern):
            f(tf.constant(0.0))

    def test_constants_of_functions(self):
        @tf.function(autograph=False)
        def adds_nan(x):
            return x + tf.constant(np.nan)

        with pytest.raises(INVALID, match=r'graph op "Const"(.|\n)*Graph name: "adds_nan"'):
            adds_nan(tf.Variable(3.0))

    def test_functions_of_datasets(self):
        ds = tf.data.Dataset.range(3).map(lambda i: tf.math.log([[-1.0, 1.0]]) + tf.cast(i, tf.float32))
        with pytest.raises(INVALID, match=r'graph op "Log"(.|\n)*shape: \(1, 2\)'):
            next(iter(ds))

    def test_switched_off(self):
        tf.debugging.disable_check_numerics()
        assert np.isneginf(tf.math.log(tf.constant(0.0)).numpy())


def test_order_of_dependencies():
    v = tf.Variable(1.0)

    @tf.function(autograph=False)
    def f(x):
        with tf.control_dependencies([tf.debugging.assert_positive(x), v.assign_add(x), tf.no_op()]):
            return tf.group(v) or v * 2.0

    assert float(f(tf.constant(2.0))) == 6.0
    with pytest.raises(INVALID):
        f(tf.constant(-1.0))
    assert float(v) == 3.0


def test_shapes_of_sparse_tensors_and_numbers() -> None:
    sparse = tf.SparseTensor([[1, 2]], [7], [10, 30])
    tf.debugging.assert_shapes([(sparse, ("n", 30)), (tf.ones([10]), ("n",)), (tf.ones([3]), None)])
    with pytest.raises(ValueError, match="dimension 1 must have size 31"):
        tf.debugging.assert_shapes([(sparse, ("n", 31))])
    # A number counts as a vector of one element, and the other way round.
    tf.debugging.assert_shapes([(tf.constant(1), ("n",)), (tf.ones([1]), ()), (tf.constant(2), (1,)), (3, ("*", "n"))])
    with pytest.raises(ValueError, match="dimension 0 must have size 1"):
        tf.debugging.assert_shapes([(tf.ones([2]), ())])
    with pytest.raises(ValueError, match=r"must have rank in \(0, 1\)"):
        tf.debugging.assert_shapes([(tf.ones([2, 2]), ("n",))])
    with pytest.raises(ValueError, match="dimension -2 must have size 3"):
        tf.debugging.assert_shapes([(tf.ones([2, 3]), (..., 3, "m"))])


def test_shapes_of_what_is_known_when_it_runs() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.SparseTensorSpec([None, None])])
    def check(x, sparse):
        tf.debugging.assert_shapes([(x, ("n", 3)), (sparse, ("n", 4))])
        return x

    check(tf.ones([2, 3]), tf.SparseTensor([[0, 0]], [1.0], [2, 4]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have size 2"):
        check(tf.ones([2, 3]), tf.SparseTensor([[0, 0]], [1.0], [5, 4]))


def test_complex_numbers_are_near():
    tf.debugging.assert_near(tf.constant(1 + 1j, tf.complex64), tf.constant(1 + 1.0000001j, tf.complex64))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.debugging.assert_near(1 + 1j, 1 + 2j)


def test_digits_in_a_wanted_shape_are_numbers():
    x = tf.ones([2, 3])
    tf.debugging.assert_shapes([(x, "23"), (x, ("n", "3"))])
    with pytest.raises(ValueError, match="Specified explicitly"):
        tf.debugging.assert_shapes([(x, "33")])
