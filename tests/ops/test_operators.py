"""Python's operators on tensors and variables."""

import operator

import numpy as np
import pytest

import gradtape as tf
from gradtape.ops import exponential

X = [[1.5, -2.0], [3.0, 0.25]]
Y = [[2.0, 0.5], [-1.0, 4.0]]
ARITHMETIC = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.matmul,
]  # fmt: skip
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
MAKERS = [tf.constant, tf.Variable]


def value(t):
    return np.asarray(t).tolist()


def check(got, want):
    """A tensor has the values and the dtype of a NumPy result."""
    assert isinstance(got, tf.Tensor)
    assert got.dtype == np.asarray(want).dtype
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-6)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("function", [*ARITHMETIC, *COMPARISONS])
class TestTwoOperands:
    def test_tensors_and_variables(self, function, make):
        want = function(np.float32(X), np.float32(Y))
        for other in MAKERS:
            check(function(make(X), other(Y)), want)

    def test_the_other_operand_takes_the_dtype_of_the_tensor(self, function, make):
        want, reflected = function(np.float32(X), np.float32(Y)), function(np.float32(Y), np.float32(X))
        for other in (Y, np.array(Y), np.array(Y, np.float16)):
            check(function(make(X), other), want)
            check(function(other, make(X)), reflected)

    def test_a_list_of_tensors_is_stacked(self, function, make):
        check(function(make(X), [tf.constant(row) for row in Y]), function(np.float32(X), np.float32(Y)))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("function", [*[f for f in ARITHMETIC if f is not operator.matmul], operator.pow, *COMPARISONS])
def test_numbers_on_either_side(function, make):
    for number in (2, 2.0, np.float64(2.0), np.float16(2.0), np.int64(2), np.array(2.0)):
        check(function(make(X), number), function(np.float32(X), np.float32(2)))
        check(function(number, make([0.5, 2.0])), function(np.float32(2), np.float32([0.5, 2.0])))


@pytest.mark.parametrize(
    ("function", "a", "b"),
    [
        (operator.add, 1.0, 1.0),
        (operator.sub, 1.0, -1.0),
        (operator.mul, 4.0, 3.0),
        (operator.truediv, 0.25, -3.0 / 16.0),
        (operator.pow, 4.0 * 27.0, 81.0 * np.log(3.0)),
        (operator.mod, 1.0, 0.0),
    ],
)
def test_gradients_flow_to_both_operands(function, a, b):
    x, y = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape() as tape:
        z = function(x, y)
    assert [float(d) for d in tape.gradient(z, [x, y])] == pytest.approx([a, b], rel=1e-6)


def test_gradients_flow_through_reflected_operators():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        results = [1.0 - x, 3.0 * x, 1.0 / x, 3.0**x, np.ones(2) - x, [1.0, 2.0] / x]
    found = [float(tape.gradient(y, x)) for y in results]
    assert found == pytest.approx([-1.0, 3.0, -0.25, 9.0 * np.log(3.0), -2.0, -0.75])


class TestDtypes:
    @pytest.mark.parametrize(
        ("given", "wanted"),
        [("int8", "float32"), ("uint8", "float32"), ("int16", "float32"), ("uint16", "float32"), ("int32", "float64"),
         ("int64", "float64"), ("uint32", "float64"), ("uint64", "float64")],
    )  # fmt: skip
    def test_true_division_of_integers(self, given, wanted):
        for quotient in (
            tf.constant(7, given) / tf.constant(2, given),
            tf.constant(7, given) / 2,
            7 / tf.constant(2, given),
        ):
            assert (value(quotient), quotient.dtype) == (3.5, wanted)

    def test_true_division_of_integers_beside_arrays(self):
        check(np.array([7, 8]) / tf.constant([2, 4]), np.array([3.5, 2.0]))
        check(tf.constant([7, 8]) / np.array([2, 4]), np.array([3.5, 2.0]))

    def test_true_division_of_integers_by_zero(self):
        assert value(tf.constant([1, -1]) / 0) == [np.inf, -np.inf]

    @pytest.mark.parametrize("function", [*ARITHMETIC, *COMPARISONS, operator.pow])
    def test_tensors_are_never_promoted(self, function):
        with pytest.raises(tf.errors.InvalidArgumentError, match="dtypes differ"):
            function(tf.constant([[1.0]]), tf.constant([[1]]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="dtypes differ"):
            function(tf.constant([[1.0]]), tf.Variable([[1.0]], dtype=tf.float64))

    @pytest.mark.parametrize("function", [*ARITHMETIC, *COMPARISONS, operator.pow])
    def test_a_float_does_not_fit_an_integer_tensor(self, function):
        for kind in (tf.errors.InvalidArgumentError, TypeError):
            with pytest.raises(kind, match="cannot be converted to int32"):
                function(tf.constant([[1, 2]]), 1.5)
            with pytest.raises(kind, match="cannot be converted to int32"):
                function(1.5, tf.constant([[1, 2]]))

    def test_a_numpy_float_is_cut_off_beside_integers(self):
        assert value(tf.constant(1) + np.float64(1.5)) == 2
        assert value(np.float64(1.5) + tf.constant(1)) == 2

    def test_complex_numbers(self):
        check(tf.constant([1.0 + 2.0j]) * 2, np.array([2.0 + 4.0j]))
        check(1j + tf.constant([1.0 + 2.0j], tf.complex64), np.complex64([1.0 + 3.0j]))
        with pytest.raises(TypeError, match="complex64"):
            tf.constant(1.0) + 1j

    def test_bfloat16(self):
        x = tf.constant([1.5, 2.0], tf.bfloat16)
        for y in (x * 2.0, 2 * x, x + x, x / 2, x**2, x**3, -x, abs(x), x**0.5):
            assert y.dtype == tf.bfloat16


class TestIntegers:
    def test_division_rounds_down(self):
        x = tf.constant([7, -7])
        assert value(x // 2) == [3, -4]
        assert value(x % 3) == [1, 2]
        assert value(-7 // tf.constant(2)) == -4
        assert value(7 % tf.constant(-3)) == -2

    @pytest.mark.parametrize("function", [operator.floordiv, operator.mod])
    def test_division_by_zero(self, function):
        with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
            function(tf.constant([1, 2]), tf.constant([1, 0]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
            function(tf.ones([300_000], tf.int32), 0)

    def test_powers(self):
        assert value(tf.constant([2, -3]) ** 3) == [8, -27]
        assert value(2 ** tf.constant([0, 5])) == [1, 32]
        for power in (-1, tf.constant(-1), tf.constant([2, -1])):
            with pytest.raises(tf.errors.InvalidArgumentError, match="negative integer powers"):
                tf.constant([2, 4]) ** power


class TestPowers:
    @pytest.mark.parametrize("make", MAKERS)
    def test_only_numbers_make_a_square(self, make):
        x = make(3.0)
        assert [value(x**b) for b in (2, 2.0, np.int64(2), tf.constant(2.0))] == [9.0] * 4
        with pytest.raises(TypeError):
            x**None

    @pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 5, 16, 17, -1, -2, 0.5, 2.0, 3.0, 2.5])
    def test_values_and_gradients(self, exponent):
        x = tf.constant([0.5, 2.0, 3.0], tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**exponent
        want = np.array([0.5, 2.0, 3.0])
        np.testing.assert_allclose(np.asarray(y), want**exponent, rtol=1e-12)
        np.testing.assert_allclose(np.asarray(tape.gradient(y, x)), exponent * want ** (exponent - 1.0), rtol=1e-12)

    def test_whole_exponents_are_multiplications(self, monkeypatch):
        monkeypatch.setattr(type(exponential.Pow), "kernel", None)
        assert value(tf.constant([2.0, -1.0]) ** 3) == [8.0, -1.0]
        assert value(tf.constant([2.0, -1.0]) ** 4.0) == [16.0, 1.0]

    def test_variables(self):
        assert value(tf.Variable(3.0) ** 2) == 9.0
        assert value(tf.Variable(3.0) ** tf.Variable(2.0)) == 9.0
        assert value(2.0 ** tf.Variable(3.0)) == 8.0


@pytest.mark.parametrize("make", MAKERS)
class TestOneOperand:
    def test_sign_and_size(self, make):
        assert value(-make([1.0, -2.0])) == [-1.0, 2.0]
        assert value(+make([1.0, -2.0])) == [1.0, -2.0]
        assert value(abs(make([1.0, -2.0]))) == [1.0, 2.0]
        assert value(abs(make([3 + 4j]))) == [5.0]
        assert abs(make(tf.constant([3 + 4j], tf.complex64))).dtype == tf.float32

    def test_inversion(self, make):
        assert value(~make([True, False])) == [False, True]
        assert value(~make([5, -1])) == [-6, 0]
        with pytest.raises(TypeError):
            ~make([1.0])

    def test_gradients(self, make):
        x = make([1.0, -2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = abs(-x) + (+x)
        assert value(tape.gradient(y, x)) == [2.0, 0.0]


@pytest.mark.parametrize("function", [operator.and_, operator.or_, operator.xor])
class TestLogic:
    def test_bools(self, function):
        a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
        for x, y in ((tf.constant(a), tf.constant(b)), (tf.constant(a), b), (a, tf.constant(b)), (tf.Variable(a), b)):
            check(function(x, y), function(a, b))
        check(function(tf.constant(a), True), function(a, True))
        check(function(True, tf.constant(a)), function(True, a))

    def test_integers(self, function):
        a = np.array([6, 5], np.int32)
        check(function(tf.constant(a), 3), function(a, np.int32(3)))
        check(function(3, tf.constant(a)), function(np.int32(3), a))

    def test_floats_are_refused(self, function):
        with pytest.raises(TypeError, match="signed integers"):
            function(tf.constant(1.0), 2.0)
        with pytest.raises(TypeError):
            function(tf.constant(True), 1)
        with pytest.raises(TypeError):
            function(tf.constant(True), None)


class TestEquality:
    @pytest.mark.parametrize("make", MAKERS)
    def test_elements_are_compared(self, make):
        assert value(make([1, 2]) == [1, 3]) == [True, False]
        assert value(make([1, 2]) != make([1, 3])) == [False, True]
        assert value(np.array([1.0, 2.0]) == make([1.0, 3.0])) == [True, False]
        assert value(make(["a", "b"]) == "a") == [True, False]

    @pytest.mark.parametrize("make", MAKERS)
    @pytest.mark.parametrize("other", [tf.constant([1, 2, 3]), [1, 2, 3], np.array([1, 2, 3])])
    def test_shapes_that_do_not_fit_are_unlike(self, make, other):
        x = make([1, 2])
        for found, want in ((x == other, False), (x != other, True), (other == x, False), (other != x, True)):
            assert isinstance(found, tf.Tensor)
            assert (value(found), tuple(found.shape)) == (want, ())

    def test_the_function_refuses_such_shapes(self):
        with pytest.raises(tf.errors.InvalidArgumentError, match="do not broadcast"):
            tf.equal(tf.constant([1, 2]), tf.constant([1, 2, 3]))

    def test_none(self):
        assert (tf.constant([1]) == None) is False  # noqa: E711
        assert (tf.constant([1]) != None) is True  # noqa: E711
        with pytest.raises(ValueError, match="None"):
            tf.Variable([1]) == None  # noqa: B015, E711
        with pytest.raises(ValueError, match="None"):
            tf.Variable([1]) != None  # noqa: B015, E711

    def test_foreign_objects_are_unlike(self):
        assert (tf.constant([1]) == object()) is False
        assert (tf.constant([1]) != object()) is True

    def test_tensors_are_not_hashable(self):
        with pytest.raises(TypeError):
            hash(tf.constant(1))
        with pytest.raises(TypeError):
            hash(tf.Variable(1))


class Foreign:
    """A class with operators of its own."""

    def __radd__(self, other):
        return "radd"

    def __rmatmul__(self, other):
        return "rmatmul"

    def __rand__(self, other):
        return "rand"

    def __rpow__(self, other):
        return "rpow"


def test_foreign_objects_get_their_turn():
    x = tf.constant([1.0])
    assert [x + Foreign(), x @ Foreign(), x & Foreign(), x ** Foreign()] == ["radd", "rmatmul", "rand", "rpow"]
    for function in (operator.add, operator.sub, operator.mul, operator.pow, operator.lt, operator.matmul):
        with pytest.raises(TypeError):
            function(x, object())
        with pytest.raises(TypeError):
            function(None, x)


def test_indexed_slices_beside_a_tensor_are_dense():
    slices = tf.IndexedSlices(tf.constant([[2.0]]), tf.constant([1]), tf.constant([3, 1]))
    assert value(tf.ones([3, 1]) + slices) == [[1.0], [3.0], [1.0]]
    assert value(tf.ones([3, 1]) * slices) == [[0.0], [2.0], [0.0]]


class TestInPlace:
    @pytest.mark.parametrize(
        ("function", "hint"),
        [
            (operator.iadd, "assign_add"),
            (operator.isub, "assign_sub"),
            (operator.imul, r"variable \* value"),
            (operator.itruediv, "variable / value"),
            (operator.ipow, r"variable \*\* value"),
        ],
    )
    def test_variables_refuse_what_would_replace_them(self, function, hint):
        with pytest.raises(RuntimeError, match=hint):
            function(tf.Variable([2.0]), 1.0)

    @pytest.mark.parametrize("function", [operator.ifloordiv, operator.imod, operator.imatmul])
    def test_others_put_a_tensor_in_place_of_the_variable(self, function):
        v = tf.Variable([[2.0]])
        w = function(v, [[1.0]])
        assert isinstance(w, tf.Tensor)
        assert value(v) == [[2.0]]

    def test_tensors_are_replaced(self):
        x = before = tf.constant([1.0])
        x += 1.0
        x *= 3.0
        assert (value(x), value(before)) == ([6.0], [1.0])


def test_shapes_that_do_not_broadcast():
    for function in (operator.add, operator.truediv, operator.pow, operator.lt, operator.mod):
        with pytest.raises(ValueError, match=r"do not broadcast: a is f32\[2\], b is f32\[3\]"):
            function(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]))


def test_division_by_zero_gives_infinities_without_warnings():
    x = tf.constant([1.0, -1.0, 0.0])
    assert value(x / 0.0)[:2] == [np.inf, -np.inf]
    assert np.isnan(value(x / 0.0)[2])
    assert value(tf.constant(1.0) / 0.0) == np.inf
    assert value(tf.constant(1.0) // 0.0) == np.inf


def test_large_matrices_are_multiplied_as_matrices():
    a, b = np.ones((400, 400), np.float32), np.full((400, 400), 2.0, np.float32)
    assert value((tf.constant(a) @ tf.constant(b))[0, 0]) == 800.0
