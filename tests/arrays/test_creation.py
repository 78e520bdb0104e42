"""New tensors."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

IAE = tf.errors.InvalidArgumentError


@pytest.mark.parametrize("make", [tf.zeros, tf.ones])
@pytest.mark.parametrize(
    "shape",
    [[2, 3], (2, 3), np.array([2, 3]), tf.constant([2, 3]), tf.TensorShape([2, 3]), [tf.constant(2), 3]],
    ids=repr,
)
def test_shapes(make, shape):
    t = make(shape)
    assert t.shape == [2, 3]
    assert t.dtype == tf.float32
    assert np.all(t.numpy() == (make is tf.ones))


def test_zeros_and_ones_of_other_dtypes():
    assert tf.zeros(2).shape == [2]
    assert tf.zeros([]).shape == []
    assert tf.zeros([2], tf.string).numpy().tolist() == [b"", b""]
    assert tf.ones([2], tf.bool).numpy().tolist() == [True, True]
    assert tf.ones([2], "bfloat16").dtype == tf.bfloat16
    with pytest.raises(TypeError, match="string"):
        tf.ones([2], tf.string)


@pytest.mark.parametrize("make", [tf.zeros, tf.ones, lambda shape: tf.fill(shape, 1)])
def test_refused_shapes(make):
    with pytest.raises(IAE, match="must not be negative"):
        make([-1])
    with pytest.raises(TypeError, match="must be integers"):
        make([2.0])
    with pytest.raises(ValueError, match="unknown dimensions"):
        make(tf.TensorShape([None]))
    with pytest.raises(ValueError, match="None"):
        make([None])


def test_fill():
    assert tf.fill([2], 3).dtype == tf.int32
    assert tf.fill(2, tf.constant(3.0)).numpy().tolist() == [3.0, 3.0]
    assert tf.fill([2], "a").numpy().tolist() == [b"a", b"a"]
    with pytest.raises(IAE, match=r"value must be a scalar, got i32\[2\]"):
        tf.fill([2], [3, 3])
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.fill([2, 3], v) * v
    assert tape.gradient(y, v).numpy() == 24.0


def test_likenesses():
    assert tf.zeros_like([1, 2]).dtype == tf.int32
    assert tf.zeros_like(tf.constant([1, 2]), tf.float32).numpy().tolist() == [0.0, 0.0]
    assert tf.zeros_like(["a"]).numpy().tolist() == [b""]
    assert tf.ones_like(1.5).numpy() == 1.0
    assert isinstance(tf.ones_like(1.5).numpy(), np.float32)
    with pytest.raises(IAE, match="str"):
        tf.ones_like(["a"])
    with pytest.raises(IAE, match=r"dtype must be a dtype of numbers, got tf\.string"):
        tf.ones_like([1.0], tf.string)


def test_likenesses_cut_gradients():
    v = tf.Variable([1.0, 2.0])
    for function in (tf.zeros_like, tf.ones_like):
        with tf.GradientTape() as tape:
            y = function(v) * 2.0
        assert tape.gradient(y, v) is None


@pytest.mark.parametrize(
    ("arguments", "dtype", "wanted"),
    [
        ((5,), "int32", [0, 1, 2, 3, 4]),
        ((3.0,), "float32", [0, 1, 2]),
        ((1, 6, 2), "int32", [1, 3, 5]),
        ((5, 1, -1), "int32", [5, 4, 3, 2]),
        ((5, 0, -2), "int32", [5, 3, 1]),
        ((0, 1, 0.25), "float32", [0, 0.25, 0.5, 0.75]),
        ((2, 2), "int32", []),
        ((tf.constant(0), tf.constant(3.0)), "float32", [0, 1, 2]),
        ((tf.constant(3, tf.int64),), "int64", [0, 1, 2]),
        ((np.float64(2),), "float64", [0, 1]),
        ((0, 4 * 10**9, 10**9), "int64", [0, 10**9, 2 * 10**9, 3 * 10**9]),
        ((tf.Variable(2),), "int32", [0, 1]),
    ],
    ids=repr,
)
def test_range(arguments, dtype, wanted):
    t = tf.range(*arguments)
    assert t.dtype == dtype
    np.testing.assert_array_equal(t.numpy(), wanted)


def test_range_of_a_dtype():
    assert tf.range(3, dtype=tf.float32).dtype == tf.float32
    assert tf.range(tf.constant(3), dtype=tf.int64).dtype == tf.int64
    assert tf.range(3, dtype=tf.bfloat16).numpy().astype(float).tolist() == [0, 1, 2]
    assert tf.range(0.0, 1.0, 0.1).shape == [10]
    np.testing.assert_array_equal(tf.range(0.0, 1.0, 0.3, dtype=tf.float64).numpy(), np.arange(4) * 0.3)


@pytest.mark.parametrize(
    ("arguments", "dtype", "count"),
    [
        ((0.0, 1.0, 0.01), "float32", 100),
        ((0.0, 1.0, 0.01), "float64", 100),
        ((-2.0, 1.0, 3 / 800), "float32", 800),
        ((-2.0, 1.0, 3 / 800), "float16", 800),
        ((0.0, 1000.0, 0.1), "float16", 10000),
        ((0.0, 1000.0, 0.1), "bfloat16", 9984),
        ((5.0, 0.0, -0.3), "float32", 17),
        ((1.0, 1.0, 0.1), "float32", 0),
    ],
)
def test_the_length_of_a_range_is_rounded_in_its_dtype(arguments, dtype, count):
    assert tf.range(*arguments, dtype=dtype).shape == [count]
    signature = [tf.TensorSpec([], tf.as_dtype(dtype))] * 3
    traced = tf.function(lambda *a: tf.range(*a), input_signature=signature)
    assert traced(*[tf.constant(a, dtype) for a in arguments]).shape == [count]


def test_range_refuses():
    for arguments in ((5, 1), (1, 5, -1), (1, 5, 0)):
        with pytest.raises(IAE, match="from start to limit"):
            tf.range(*arguments)
    for arguments in (([1, 2],), ("a",), (1j,)):
        with pytest.raises(IAE, match="give numbers"):
            tf.range(*arguments)
    with pytest.raises(IAE, match="too large for float16"):
        tf.range(0.0, 1e6, 0.7, dtype=tf.float16)


def test_eye():
    np.testing.assert_array_equal(tf.eye(2, 3).numpy(), np.eye(2, 3))
    assert tf.eye(2, batch_shape=[4, 1]).shape == [4, 1, 2, 2]
    assert tf.eye(tf.constant(2), dtype=tf.int32).dtype == tf.int32
    with pytest.raises(IAE, match="negative"):
        tf.eye(-1)


@pytest.mark.parametrize("num", [0, 1, 2, 3, 4, 5, 50, 51])
def test_linspace(num):
    for start, stop in ((0.0, 1.0), (-3.0, 7.5), (2.0, 2.0), (1.0, -1.0)):
        t = tf.linspace(start, stop, num)
        assert t.dtype == tf.float32
        np.testing.assert_allclose(t.numpy(), np.linspace(start, stop, num), rtol=1e-6, atol=1e-6)
        if num > 1:
            assert t.numpy()[-1] == stop


def test_linspace_of_tensors():
    start, stop = np.array([0.0, 1.0]), np.array([[1.0], [5.0]])
    for axis in (0, 1, 2, -1):
        np.testing.assert_allclose(
            tf.linspace(start, stop, 4, axis=axis).numpy(), np.linspace(start, stop, 4, axis=axis), rtol=1e-12
        )
    assert tf.linspace(0, 10, 5).dtype == tf.float64
    assert tf.linspace(tf.constant(0.0, tf.float64), 1.0, 3).dtype == tf.float64
    assert tf.linspace(0.0, tf.constant(1.0, tf.float64), 3).dtype == tf.float64
    with pytest.raises(IAE, match="num must not be negative, got -1"):
        tf.linspace(0.0, 1.0, -1)
    with pytest.raises(IAE, match=r"shapes do not broadcast: start is \(2,\), stop is \(3,\)"):
        tf.linspace([0.0, 1.0], [1.0, 2.0, 3.0], 3)
    check_grads(lambda a, b: tf.linspace(a, b, 5, axis=1), [start, np.array([2.0, -1.0])], order=2)


def test_one_hot():
    np.testing.assert_array_equal(tf.one_hot([0, 2, -1, 3], 3).numpy(), [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]])
    assert tf.one_hot([0, 2], 3).dtype == tf.float32
    np.testing.assert_array_equal(tf.one_hot([0, 2], 3, axis=0).numpy(), [[1, 0], [0, 0], [0, 1]])
    np.testing.assert_array_equal(tf.one_hot(1, tf.constant(3)).numpy(), [0, 1, 0])
    assert tf.one_hot([0], 3, dtype=tf.int64).dtype == tf.int64
    assert tf.one_hot([[0, 1]], 3).shape == [1, 2, 3]


def test_one_hot_with_values():
    np.testing.assert_array_equal(tf.one_hot([0, 2], 3, on_value=5, off_value=1).numpy(), [[5, 1, 1], [1, 1, 5]])
    assert tf.one_hot([0], 3, on_value=5, off_value=1).dtype == tf.int32
    assert tf.one_hot([0], 2, on_value=2.5).numpy().tolist() == [[2.5, 0.0]]
    assert tf.one_hot([0], 2, off_value=7).numpy().tolist() == [[1, 7]]
    assert tf.one_hot([0], 2, on_value=1, dtype=tf.float32).dtype == tf.float32
    assert tf.one_hot([0], 2, on_value=True, off_value=False).dtype == tf.bool
    assert tf.one_hot([0], 2, on_value="a", off_value="b").numpy().tolist() == [[b"a", b"b"]]
    with pytest.raises(TypeError, match="dtypes differ: on_value is int32, off_value is float32"):
        tf.one_hot([0], 3, on_value=1, off_value=1.0)


def test_one_hot_refuses():
    with pytest.raises(IAE, match=r"indices is f32\[1\]"):
        tf.one_hot([0.5], 3)
    with pytest.raises(IAE, match="depth must not be negative"):
        tf.one_hot([0], -1)
    with pytest.raises(IAE, match="axis is 2"):
        tf.one_hot([0], 3, axis=2)


@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_meshgrid(indexing):
    vectors = [np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0]), np.array([6.0])]
    for count in (1, 2, 3):
        ours, theirs = (
            tf.meshgrid(*vectors[:count], indexing=indexing),
            np.meshgrid(*vectors[:count], indexing=indexing),
        )
        assert isinstance(ours, list)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a.numpy(), b)


def test_meshgrid_edges():
    assert tf.meshgrid() == []
    assert tf.meshgrid([[1, 2]], [4, 5])[0].shape == [2, 2]
    with pytest.raises(ValueError, match=r"indexing must be .* got 'zz'"):
        tf.meshgrid([1], indexing="zz")
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.meshgrid(v, [1.0, 2.0, 3.0])[0]
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), [3, 3])
