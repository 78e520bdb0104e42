"""The elementwise functions: names, signatures, conversions and compositions. Their ops keep the contract tests."""

import doctest
import inspect
import logging
import pickle

import numpy as np
import pytest

import gradtape as tf
from gradtape.math import _elementwise as elementwise

MODULES = {tf: elementwise.TOP, tf.math: elementwise.MATH, tf.nn: elementwise.NN, tf.bitwise: elementwise.BITWISE}
FUNCTIONS = sorted(elementwise.__all__)
OTHER_SIGNATURES = {
    "accumulate_n": "inputs, shape, tensor_dtype, name", "add_n": "inputs, name", "angle": "input, name",
    "atan2": "y, x, name", "cast": "x, dtype, name", "clip_by_value": "t, clip_value_min, clip_value_max, name",
    "complex": "real, imag, name", "crelu": "features, axis, name", "gelu": "features, approximate, name",
    "imag": "input, name", "leaky_relu": "features, alpha, name", "real": "input, name",
    "saturate_cast": "value, dtype, name", "scalar_mul": "scalar, x, name", "silu": "features, beta",
    "swish": "features, beta", "where": "condition, x, y, name",
}  # fmt: skip
OF_FEATURES = {"elu", "relu", "relu6", "selu", "softplus", "softsign"}


def value(t):
    return np.asarray(t).tolist()


def slices(values=((1.0, -5.0),), indices=(1,), shape=(3, 2)):
    return tf.IndexedSlices(tf.constant(values), tf.constant(indices), tf.constant(shape))


class TestNames:
    @pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
    def test_functions_are_where_tensorflow_has_them(self, module):
        shown = {n: inspect.unwrap(getattr(module, n, print)) for n in MODULES[module]}
        missing = [n for n, function in shown.items() if function is not inspect.unwrap(getattr(elementwise, n))]
        assert not missing

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_parameters_have_the_names_of_tensorflow(self, name):
        found = ", ".join(inspect.signature(getattr(elementwise, name)).parameters)
        if name in OTHER_SIGNATURES:
            assert found == OTHER_SIGNATURES[name]
        elif name in OF_FEATURES:
            assert found == "features, name"
        else:
            assert found in ("x, name", "x, y, name")

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_functions_are_documented_with_an_example(self, name):
        function = getattr(elementwise, name)
        text = inspect.getdoc(function)
        assert text.split("\n")[0].endswith(".")
        assert "Args:" in text
        test = doctest.DocTestParser().get_doctest(text, {"tf": tf, "np": np}, name, None, None)
        report: list[str] = []
        runner = doctest.DocTestRunner(verbose=False)
        runner.run(test, out=report.append)
        assert test.examples
        assert not runner.failures, "".join(report)

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_functions_can_be_pickled(self, name):
        function = getattr(elementwise, name)
        assert pickle.loads(pickle.dumps(function)) is function


class TestConversion:
    def test_arguments_may_be_anything_that_becomes_a_tensor(self):
        for x in (4.0, [4.0], np.float32(4.0), np.array([4.0]), tf.Variable(4.0), tf.constant(4.0)):
            assert np.ravel(value(tf.sqrt(x))) == [2.0]
        assert tf.sqrt(np.array([4.0])).dtype == tf.float64

    def test_values_take_the_dtype_of_the_tensor_beside_them(self):
        x = tf.constant([1.0, 2.0])
        for y in (tf.add(1, x), tf.add(x, 1), tf.multiply(np.ones(2), x), tf.maximum(x, [0, 5]), tf.atan2(1, x)):
            assert y.dtype == tf.float32
        assert tf.add(tf.constant(1, tf.float64), [0.5]).dtype == tf.float64

    def test_the_second_value_takes_the_dtype_of_the_first(self):
        assert tf.add(1, 2).dtype == tf.int32
        assert tf.multiply(2.0, 3).dtype == tf.float32
        assert tf.add(np.float64(1.0), 2.5).dtype == tf.float64
        with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be converted"):
            tf.add(1, 2.5)

    def test_name_is_accepted(self):
        assert value(tf.add(1, 2, name="sum")) == 3
        assert value(tf.nn.relu(features=[-1.0], name="r")) == [0.0]
        assert value(tf.tanh(x=[0.0], name="t")) == [0.0]

    @pytest.mark.parametrize("foreign", [None, object()])
    def test_foreign_objects(self, foreign):
        for call in (tf.sin, lambda x: tf.add(x, 1.0), lambda x: tf.add(1.0, x), lambda x: tf.pow(tf.constant(1.0), x)):
            with pytest.raises(ValueError, match="unsupported type"):
                call(foreign)

    def test_integers_where_floats_are_needed(self):
        for function in (tf.exp, tf.sqrt, tf.tanh, tf.sigmoid, tf.nn.elu, tf.floor, tf.nn.gelu, tf.math.log):
            with pytest.raises(tf.errors.InvalidArgumentError, match="must be floating point"):
                function(1)

    def test_indexed_slices_become_dense(self):
        assert value(tf.multiply(slices(), 2.0)) == [[0.0, 0.0], [2.0, -10.0], [0.0, 0.0]]
        assert value(tf.abs(slices())) == [[0.0, 0.0], [1.0, 5.0], [0.0, 0.0]]


class TestDivision:
    def test_integers(self):
        for function in (tf.divide, tf.truediv, tf.math.divide_no_nan):
            assert (value(function(7, 2)), function(7, 2).dtype) == (3.5, tf.float64)
            assert function(tf.constant(7, tf.int8), 2).dtype == tf.float32
        assert value(tf.math.divide_no_nan([1, 2], [0, 1])) == [0.0, 2.0]

    def test_dtypes_that_differ(self):
        with pytest.raises(TypeError, match=r"dtypes differ: a is i32\[\], b is f32\[\]"):
            tf.divide(tf.constant(1), tf.constant(2.0))
        with pytest.raises(TypeError):
            tf.realdiv(7, 2)

    def test_reciprocal_no_nan(self):
        x = tf.constant([2.0, 0.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.reciprocal_no_nan(x)
        assert value(y) == [0.5, 0.0]
        assert value(tape.gradient(y, x)) == [-0.25, 0.0]


class TestComplexNumbers:
    def test_parts_of_real_numbers(self):
        x = tf.constant([1.5, -2.0])
        assert tf.math.real(x) is x
        assert tf.math.conj(x) is x
        assert value(tf.math.imag(x)) == [0.0, 0.0]
        assert value(tf.math.imag([3, 4])) == [0, 0]
        assert value(tf.math.angle(x)) == pytest.approx([0.0, np.pi])

    @pytest.mark.parametrize("function", [tf.math.real, tf.math.imag, tf.math.conj, tf.math.angle])
    def test_what_has_no_parts(self, function):
        for x in (True, "a"):
            with pytest.raises(TypeError):
                function(x)

    def test_angle_of_integers(self):
        with pytest.raises(TypeError, match="int32"):
            tf.math.angle(3)

    def test_complex(self):
        assert tf.complex(1.0, [2.0, 3.0]).dtype == tf.complex64
        assert tf.complex(tf.constant(1.0, tf.float64), 2.0).dtype == tf.complex128
        for parts in ((1, 2), (tf.constant(1.0), tf.constant(2.0, tf.float64)), (tf.constant(1.0, tf.half), 1.0)):
            with pytest.raises(TypeError):
                tf.complex(*parts)

    def test_sign_and_squared_difference(self):
        assert value(tf.sign([3 + 4j, 0j])) == pytest.approx([0.6 + 0.8j, 0j])
        z = tf.constant(1 + 2j)
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = tf.math.squared_difference(z, 0)
        assert value(y) == 5 + 0j
        assert value(tape.gradient(y, z)) == 2 + 4j


class TestCast:
    def test_what_has_the_dtype_is_returned_as_it_is(self):
        x, v = tf.constant(1.0), tf.Variable(1.0)
        assert tf.cast(x, tf.float32) is x
        assert tf.cast(v, "float32") is v
        assert tf.cast(1.0, tf.float32).dtype == tf.float32

    @pytest.mark.parametrize(
        ("given", "dtype", "wanted"),
        [
            (3.7, tf.int32, 3), (-3.7, "int32", -3), (300, np.uint8, 44), (2.5, tf.bool, True), (0.0, bool, False),
            (1j, tf.bool, False), (True, tf.float32, 1.0), ([1, 2], tf.float16, [1.0, 2.0]), (1, tf.complex64, 1 + 0j),
            (3 + 4j, tf.int32, 3), (1.5, tf.bfloat16, 1.5), (float("nan"), tf.int32, -(2**31)),
        ],
    )  # fmt: skip
    def test_values(self, given, dtype, wanted):
        y = tf.cast(given, dtype)
        assert (value(y), y.dtype) == (wanted, tf.as_dtype(dtype))

    def test_strings(self):
        for x, dtype in (("1", tf.int32), ("1", tf.float32)):
            with pytest.raises(TypeError):
                tf.cast(x, dtype)
        with pytest.raises(tf.errors.UnimplementedError, match="Cast int32 to string is not supported"):
            tf.cast(1, tf.string)

    def test_gradients_end_at_integers(self):
        x = tf.Variable(1.5)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.cast(tf.cast(x, tf.float16), tf.float64) * 2.0
            z = tf.cast(tf.cast(x, tf.int32), tf.float32)
        d = tape.gradient(y, x)
        assert (float(d), d.dtype) == (2.0, tf.float32)
        assert tape.gradient(z, x) is None

    def test_dropping_the_imaginary_part_is_logged(self, caplog):
        x = tf.Variable(3.0)
        with caplog.at_level(logging.WARNING, "gradtape"), tf.GradientTape() as tape:
            y = tf.cast(tf.cast(x, tf.complex64) * (1 + 2j), tf.float32)
        assert "from complex64 to float32" in caplog.text
        assert float(tape.gradient(y, x)) == 1.0

    def test_indexed_slices(self):
        y = tf.cast(slices(), tf.float64)
        assert isinstance(y, tf.IndexedSlices)
        assert y.values.dtype == tf.float64


class TestSaturateCast:
    @pytest.mark.parametrize(
        ("given", "dtype", "wanted"),
        [
            ([300, -7], tf.uint8, [255, 0]), ([1.5, 1e10, -1e10], tf.int8, [1, 127, -128]), (1e20, tf.int32, 2147483520),
            (70000.0, tf.float16, 65504.0), (3 + 4j, tf.float32, 3.0), ([1, 2], tf.int64, [1, 2]), (True, tf.int32, 1),
            (-1.5, tf.uint8, 0), (7, tf.float32, 7.0),
        ],
    )  # fmt: skip
    def test_values(self, given, dtype, wanted):
        y = tf.saturate_cast(given, dtype)
        assert (value(y), y.dtype) == (wanted, dtype)

    def test_bool_has_no_limits(self):
        with pytest.raises(TypeError, match="bool has no smallest"):
            tf.saturate_cast(2.5, tf.bool)

    def test_gradient_stops_outside_the_range(self):
        x = tf.constant([3.0, 1e9])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.saturate_cast(x, tf.float16)
        assert value(tape.gradient(y, x)) == [1.0, 0.0]


class TestWhere:
    def test_branches_take_one_dtype(self):
        assert tf.where([True, False], 1, tf.constant(2.0)).dtype == tf.float32
        assert value(tf.where([[True], [False]], [1, 2], 0)) == [[1, 2], [0, 0]]
        assert value(tf.where(True, "a", "b")) == b"a"
        with pytest.raises(TypeError):
            tf.where([True, False], 1, 2.5)

    def test_condition_must_be_bool(self):
        with pytest.raises(TypeError, match="must be bool"):
            tf.where([1, 0], 1, 2)

    def test_one_branch_alone(self):
        with pytest.raises(ValueError, match="only one of x and y"):
            tf.where([True], 1.0)

    def test_indices(self):
        assert value(tf.where([[True, False], [False, True]])) == [[0, 0], [1, 1]]
        assert value(tf.where([0.0, 3.0])) == [[1]]
        assert tuple(tf.where(True).shape) == (1, 0)
        assert tf.where([True]).dtype == tf.int64


class TestClipByValue:
    def test_limits_take_the_dtype(self):
        assert value(tf.clip_by_value([1.0, 5.0, 9.0], 2, 6)) == [2.0, 5.0, 6.0]
        assert value(tf.clip_by_value(tf.Variable([1, 5, 9]), 2, tf.constant(6))) == [2, 5, 6]
        with pytest.raises(TypeError):
            tf.clip_by_value([1, 5, 9], 2.0, 6.0)

    def test_limits_must_fit_the_shape(self):
        with pytest.raises(ValueError, match=r"clip_value_min must broadcast .* it is f32\[2\]"):
            tf.clip_by_value([1.0], [1.0, 2.0], 3.0)

    def test_indexed_slices_stay(self):
        y = tf.clip_by_value(slices(), -1.0, 0.5)
        assert isinstance(y, tf.IndexedSlices)
        assert value(y.values) == [[0.5, -1.0]]


class TestAddN:
    def test_sums(self):
        assert value(tf.add_n([1, 2, 3])) == 6
        assert value(tf.add_n([tf.Variable(1.0)])) == 1.0
        assert value(tf.add_n(tf.constant([[1.0, 2.0], [3.0, 4.0]]))) == [4.0, 6.0]
        assert value(tf.add_n([slices(), tf.ones([3, 2])])) == [[1.0, 1.0], [2.0, -4.0], [1.0, 1.0]]

    def test_gradients(self):
        x, y = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
        with tf.GradientTape() as tape:
            z = tf.add_n([x, y, x])
        assert [value(d) for d in tape.gradient(z, [x, y])] == [[2.0, 2.0], [1.0, 1.0]]

    def test_refusals(self):
        with pytest.raises(ValueError, match="no inputs"):
            tf.add_n([])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"inputs\[1\]"):
            tf.add_n([[1.0], [1.0, 2.0]])
        with pytest.raises(tf.errors.InvalidArgumentError, match="dtypes differ"):
            tf.add_n([tf.constant(1.0), tf.constant(1)])
        with pytest.raises(TypeError):
            tf.add_n(3)

    def test_accumulate_n(self):
        assert value(tf.math.accumulate_n([[1.0], [2.0]], shape=[1], tensor_dtype=tf.float32)) == [3.0]
        with pytest.raises(ValueError, match="incompatible"):
            tf.math.accumulate_n([[1.0]], shape=[2])
        with pytest.raises(TypeError, match="tensor_dtype"):
            tf.math.accumulate_n([[1.0]], tensor_dtype=tf.int32)


class TestScalarMul:
    def test_values(self):
        assert value(tf.scalar_mul(2, [1.0, 2.0])) == [2.0, 4.0]
        assert value(tf.scalar_mul(tf.constant(2.0), slices()).values) == [[2.0, -10.0]]

    def test_the_scalar_has_rank_zero(self):
        with pytest.raises(ValueError, match="scalar"):
            tf.scalar_mul([2.0], [1.0])


class TestActivations:
    def test_integers(self):
        assert value(tf.nn.relu([-1, 2])) == [0, 2]
        assert value(tf.nn.relu6([-1, 8])) == [0, 6]
        assert tf.nn.leaky_relu([-1, 2]).dtype == tf.float32

    def test_swish_is_silu(self):
        assert tf.nn.swish is tf.nn.silu

    @pytest.mark.parametrize("function", [tf.nn.silu, tf.nn.leaky_relu])
    def test_parameters_may_be_numbers_or_tensors_with_gradients(self, function):
        x = tf.constant([-1.0, 2.0])
        v = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            y = function(x, v)
        np.testing.assert_allclose(value(y), value(function(x, 0.5)), rtol=1e-6)
        d = 1e-3
        slope = (np.sum(value(function(x, 0.5 + d))) - np.sum(value(function(x, 0.5 - d)))) / (2 * d)
        assert float(tape.gradient(y, v)) == pytest.approx(slope, rel=1e-3)

    def test_crelu(self):
        x = tf.constant([[1.0, -2.0]])
        assert value(tf.nn.crelu(x)) == [[1.0, 0.0, 0.0, 2.0]]
        assert value(tf.nn.crelu(x, axis=0)) == [[1.0, 0.0], [0.0, 2.0]]

    def test_nan_stays_nan(self):
        for function in (tf.nn.relu, tf.nn.relu6, tf.nn.leaky_relu, tf.nn.elu, tf.nn.selu, tf.sigmoid, tf.nn.gelu):
            assert np.isnan(value(function(float("nan"))))

    def test_scipy_is_imported_when_needed(self):
        import subprocess
        import sys

        code = "import sys, gradtape as tf; tf.sigmoid(1.0); print('scipy' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_where_indices_and_comparisons_have_no_gradient():
    x = tf.Variable([1.0, 0.0])
    with tf.GradientTape(persistent=True) as tape:
        results = [tf.cast(y, tf.float32) for y in (tf.where(x), x > 0.5, tf.math.is_nan(x), tf.equal(x, 1.0))]
    assert [tape.gradient(y, x) for y in results] == [None] * 4


def test_numbers_of_numpy_are_conditions():
    for condition in (np.array([1, 0, 2]), np.array([1.0, 0.0, 2.0])):
        assert tf.where(condition, [1, 2, 3], [4, 5, 6]).numpy().tolist() == [1, 5, 3]
    with pytest.raises(TypeError):
        tf.where(tf.constant([1, 0, 2]), [1, 2, 3], [4, 5, 6])


def test_logic_takes_the_numbers_of_arrays():
    assert tf.logical_and(np.array([1, 0]), True).numpy().tolist() == [True, False]
    assert tf.logical_or(np.int64(2), np.int64(0)).numpy() is np.True_
    assert tf.math.logical_xor([True, False], np.array([1.0, 1.0])).numpy().tolist() == [False, True]
    assert tf.logical_not(np.float32(1)).numpy() is np.False_
    for other in (1, [1, 0], tf.constant(1)):  # other numbers do not become bools silently
        with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
            tf.logical_not(other)
