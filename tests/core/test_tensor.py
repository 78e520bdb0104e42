"""Eager tensors: dtypes, conversion, printing, as in TensorFlow."""

import copy
import pickle
import sys
import warnings
import weakref

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        (1, "int32"), (2**40, "int64"), (1.5, "float32"), (1j, "complex128"), (True, "bool"), ("s", "string"),
        (np.float64(1), "float64"), (np.arange(2), "int64"), ([1, 2.5], "float32"), ([[1, 2], [3, 4]], "int32"),
        (np.float16(1), "float16"), ([], "float32"), (range(3), "int32"),
    ],
)  # fmt: skip
def test_default_dtypes(given, dtype):
    assert tf.constant(given).dtype == dtype


def test_every_dtype_exists():
    for dtype in tf.dtypes.ALL if hasattr(tf.dtypes, "ALL") else []:
        assert tf.dtypes.as_dtype(dtype.name) is dtype
    for name in ("bfloat16", "float8_e5m2", "float8_e4m3fn", "uint16", "int8", "complex64", "half", "double"):
        dtype = getattr(tf, name)
        t = tf.cast(tf.constant([1.0, 2.0]), dtype)
        assert t.dtype == dtype
        assert pickle.loads(pickle.dumps(dtype)) is dtype


def test_no_promotion_between_tensors():
    f, i, d = tf.constant(1.0), tf.constant(1), tf.constant(1.0, tf.float64)
    for a, b in ((f, i), (f, d), (tf.constant(1.0, tf.float16), tf.cast(1.0, tf.bfloat16))):
        with pytest.raises(tf.errors.InvalidArgumentError) as info:
            a + b
        assert isinstance(info.value, TypeError)
        assert "at:" in str(info.value)
        assert "fix:" in str(info.value)


def test_other_operands_take_the_tensors_dtype():
    t = tf.constant([1.0, 2.0])
    for result in (t + np.ones(2), np.ones(2) + t, t + [1, 2], 2 * t, t * np.float64(3), np.float64(3) * t, t / 2):
        assert isinstance(result, tf.Tensor)
        assert result.dtype == tf.float32
    for bad in (lambda: tf.constant(1) + 1.5, lambda: tf.constant(1) * 2.0):
        with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
            bad()


def test_integer_arithmetic():
    i = tf.constant([7, -7])
    assert (i / 2).dtype == tf.float64
    assert (tf.constant([1], tf.int8) / tf.constant([2], tf.int8)).dtype == tf.float32
    assert (i // 2).numpy().tolist() == [3, -4]
    assert (i % 4).numpy().tolist() == [3, 1]
    for bad in (lambda: i // 0, lambda: i % 0, lambda: i ** tf.constant([-1, -1])):
        with pytest.raises(tf.errors.InvalidArgumentError):
            bad()


def test_equality():
    a = tf.constant([1.0, 2.0])
    assert (a == [1.0, 3.0]).numpy().tolist() == [True, False]
    assert bool(a == tf.constant([1.0, 2.0, 3.0])) is False
    assert bool(a != tf.constant([1.0, 2.0, 3.0])) is True
    assert (a == None) is False  # noqa: E711
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.equal(a, tf.constant([1.0, 2.0, 3.0]))
    with pytest.raises(TypeError):
        hash(a)
    assert {a.ref(): 1}[a.ref()] == 1
    assert a.ref().deref() is a
    reference = a.ref()
    assert weakref.WeakKeyDictionary({reference: 1})[reference] == 1


def test_python_conversions():
    assert bool(tf.constant([1.0]))
    assert not bool(tf.constant([]))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(tf.constant([1.0, 2.0]))
    with pytest.raises(TypeError):
        len(tf.constant(1.0))
    with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
        iter(tf.constant(1.0))
    assert [1, 2, 3][tf.constant(1)] == 2
    assert float(tf.constant(1.5)) == 1.5
    assert complex(tf.constant(1j)) == 1j
    assert len(tf.constant([1, 2])) == 2
    assert [int(v) for v in tf.constant([1, 2])] == [1, 2]
    with pytest.raises(TypeError):
        tf.constant([1.0])[0] = 2.0
    assert f"{tf.constant(1.23456):.2f}" == "1.23"


def test_identity_of_conversion():
    t = tf.constant(1.0)
    assert tf.constant(t) is t
    assert tf.convert_to_tensor(t) is t
    with pytest.raises(ValueError, match="requested dtype"):
        tf.convert_to_tensor(t, tf.int32)
    array = np.ones(2)
    u = tf.constant(array)
    array[0] = 5
    assert u.numpy().tolist() == [1.0, 1.0]
    copied = u.numpy()
    copied[0] = 9
    assert u.numpy().tolist() == [1.0, 1.0]
    assert not np.asarray(u).flags.writeable


def test_missing_attributes_name_the_function():
    t = tf.constant([1.0])
    with pytest.raises(AttributeError):
        t.name  # noqa: B018
    for attribute, hint in (
        ("T", "tf.transpose"),
        ("reshape", "tf.reshape"),
        ("astype", "tf.cast"),
        ("backward", "tape.gradient"),
    ):
        with pytest.raises(AttributeError, match=hint):
            getattr(t, attribute)


def test_repr_and_str():
    t = tf.constant([1.0, 2.0])
    assert repr(t) == "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>"
    assert str(t) == "tf.Tensor([1. 2.], shape=(2,), dtype=float32)"
    assert repr(tf.constant(3.0)) == "<tf.Tensor: shape=(), dtype=float32, numpy=3.0>"
    assert repr(tf.constant("a")) == "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"
    assert str(tf.constant(True)) == "tf.Tensor(True, shape=(), dtype=bool)"


def test_copy_pickle_dlpack_buffer():
    t = tf.constant([[1.0, 2.0]])
    assert copy.copy(t) is t
    assert copy.deepcopy(t) is t
    again = pickle.loads(pickle.dumps(t))
    assert again.numpy().tolist() == [[1.0, 2.0]]
    shared = np.from_dlpack(t)
    assert shared.tolist() == [[1.0, 2.0]]
    assert tf.constant(np.from_dlpack(np.ones(3))).shape == (3,)
    assert tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(t)).numpy().tolist() == [[1.0, 2.0]]
    if sys.version_info >= (3, 12):
        view = memoryview(t)
        assert view.readonly
        assert view.tolist() == [[1.0, 2.0]]


def test_conversion_errors():
    for bad, error in (
        (None, ValueError), ([[1, 2], [3]], ValueError), ([1, [2]], ValueError), (object(), ValueError), ([1, "a"], ValueError),
    ):  # fmt: skip
        with pytest.raises(error):
            tf.constant(bad)
    with pytest.raises(TypeError):
        tf.constant(1.5, tf.int32)
    with pytest.raises(TypeError):
        tf.constant([1, 2, 3], shape=[2])
    with pytest.raises(ValueError):
        tf.constant(2**64, tf.uint8)
    assert int(tf.constant(300, tf.uint8)) == 44  # wraps, as in TensorFlow
    assert tf.constant([1, 2, 3, 4], shape=[2, 2]).shape == (2, 2)
    assert tf.constant(7, shape=[2]).numpy().tolist() == [7, 7]


def test_list_of_tensors_is_recorded():
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.convert_to_tensor([[a, 3.0], [b, a]])
        z = y * y
    assert y.shape == (2, 2)
    assert [float(g) for g in tape.gradient(z, [a, b])] == [4.0, 4.0]


def test_strings():
    t = tf.constant([["a", "ß"], ["c", b"d"]])
    assert t.dtype == tf.string
    assert t.numpy().tolist() == [[b"a", "ß".encode()], [b"c", b"d"]]
    assert (t == "a").numpy().tolist() == [[True, False], [False, False]]


def divisions_and_overflows():
    x = tf.Variable([0.0, 1.0, -1.0])
    for f in (lambda v: v / 0.0, tf.math.log, lambda v: v * 1e38 * 1e38, tf.sqrt, lambda v: tf.exp(v * 1e4)):
        with tf.GradientTape() as tape:
            y = f(x)
        assert y.dtype == tf.float32
        assert tape.gradient(y, x).dtype == tf.float32


def test_no_float_warnings():
    # Here warnings are errors: they are caught, and the kernel runs again without them.
    divisions_and_overflows()
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradtape\.")
        divisions_and_overflows()
    assert not caught


def test_user_settings_of_numpy_survive():
    before = np.geterr()
    with np.errstate(all="raise"):
        assert np.isinf((tf.constant(1.0) / 0.0).numpy())
        assert np.isinf((tf.constant([1.0]) / 0.0).numpy()[0])
    assert np.geterr() == before


def test_strings_of_numpy() -> None:
    for value in (np.str_("a"), np.bytes_(b"a"), np.array("a"), np.array(b"a"), np.array(["a"])[0]):
        tensor = tf.convert_to_tensor(value)
        assert (tensor.dtype, tuple(tensor.shape), tensor.numpy()) == (tf.string, (), b"a")


class TestHints:
    def test_lists_that_hold_tensors_keep_their_dtype_and_gradient(self):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.convert_to_tensor([x, 1.0], dtype_hint=tf.float64)
        assert y.dtype is tf.float32
        np.testing.assert_array_equal(tape.gradient(y, x), 1.0)

    def test_lists_that_hold_symbols(self):
        f = tf.function(lambda n: tf.zeros(tf.convert_to_tensor([n, 2], dtype_hint=tf.int32)))
        assert f(tf.constant(3)).shape == [3, 2]

    def test_the_graph_of_a_constant(self):
        seen = []

        @tf.function
        def f(x):
            seen.append(tf.constant(True).graph is x.graph)
            return x

        f(tf.constant(1.0))
        assert seen == [True]
        with pytest.raises(AttributeError, match=r"Tensor\.graph is undefined when eager"):
            _ = tf.constant(True).graph


def test_complex_arrays_become_real_with_numpys_warning():
    numbers = np.array([1 + 2j, 3.0])
    with pytest.warns(np.exceptions.ComplexWarning):
        assert tf.constant(numbers, tf.float32).numpy().tolist() == [1.0, 3.0]
    with pytest.warns(np.exceptions.ComplexWarning):
        assert tf.Variable(numbers, dtype=tf.int32).numpy().tolist() == [1, 3]
    with pytest.raises(TypeError):
        tf.constant([1 + 2j], tf.float32)
