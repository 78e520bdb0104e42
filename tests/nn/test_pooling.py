"""tf.nn's pooling against loops, and its derivatives."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(12)


def distinct(*shape):
    return random.permutation(np.arange(np.prod(shape)) / 8 - 3).reshape(shape)


def windows(x, window, strides):
    """The windows of `[n, *size, c]` without padding, `[n, *places, c, *window]`."""
    axes = tuple(range(1, x.ndim - 1))
    view = np.lib.stride_tricks.sliding_window_view(x, window, axes)
    return view[(slice(None), *[slice(None, None, s) for s in strides])]


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_one_two_and_three_axes(count, kind):
    window, strides = (3, 2, 2)[:count], (2, 1, 3)[:count]
    x = distinct(2, *(7, 5, 6)[:count], 3)
    taps = tuple(range(-count, 0))
    view = windows(x, window, strides)
    wanted = view.max(taps) if kind == "max" else view.mean(taps)
    for function in (getattr(tf.nn, f"{kind}_pool{count}d"), getattr(tf.nn, f"{kind}_pool")):
        np.testing.assert_allclose(function(x, window, strides, "VALID"), wanted, atol=1e-12)
        np.testing.assert_allclose(function(x, [1, *window, 1], [1, *strides, 1], "VALID"), wanted, atol=1e-12)
        layout = {1: "NCW", 2: "NCHW", 3: "NCDHW"}[count]
        first = function(np.moveaxis(x, -1, 1), window, strides, "VALID", data_format=layout)
        np.testing.assert_allclose(np.moveaxis(first.numpy(), 1, -1), wanted, atol=1e-12)
    found = tf.nn.pool(x, window, kind.upper(), strides=strides)
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_padding_does_not_count():
    x = -np.ones((1, 3, 3, 1))
    assert np.all(tf.nn.max_pool2d(x, 2, 2, "SAME").numpy() == -1)
    assert np.all(tf.nn.avg_pool2d(x, 2, 2, "SAME").numpy() == -1)
    pads = [[0, 0], [1, 0], [0, 1], [0, 0]]
    assert np.all(tf.nn.max_pool2d(x, 2, 1, pads).numpy() == -1)
    assert np.all(tf.nn.avg_pool2d(x, 2, 1, pads).numpy() == -1)


def test_dilated_pool():
    x = distinct(1, 7, 6, 2)
    y = tf.nn.pool(x, [2, 3], "MAX", dilations=[3, 1])
    wanted = np.maximum(*[windows(x[:, i : i + 4], (1, 3), (1, 1)).max((-1, -2)) for i in (0, 3)])
    np.testing.assert_allclose(y, wanted)
    # Of five positions two apart the outer windows see one or two.
    y = tf.nn.pool([[[1.0], [2.0], [4.0], [8.0]]], [3], "AVG", padding="SAME", dilations=[2])
    assert y[0, :, 0].numpy().tolist() == [2.5, 5.0, 2.5, 5.0]


def test_windows_over_channels():
    x = distinct(2, 3, 3, 4)
    y = tf.nn.max_pool(x, [1, 1, 1, 2], [1, 1, 1, 2], "VALID")
    np.testing.assert_allclose(y, x.reshape(2, 3, 3, 2, 2).max(-1))


def test_whole_images():
    x = distinct(2, 3, 4, 2)
    np.testing.assert_allclose(tf.nn.avg_pool2d(x, [3, 4], 1, "VALID")[:, 0, 0], x.mean((1, 2)), atol=1e-12)
    np.testing.assert_allclose(tf.nn.max_pool2d(x, [3, 4], 1, "VALID")[:, 0, 0], x.max((1, 2)))


@pytest.mark.parametrize("kind", ["max", "avg"])
def test_many_blocks(kind):
    x = random.normal(size=(40, 24, 24, 16)).astype(np.float32)
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(tf.nn, f"{kind}_pool2d")(x, 2, 2, "VALID")
    parts = x.numpy().reshape(40, 12, 2, 12, 2, 16).transpose(0, 1, 3, 5, 2, 4).reshape(40, 12, 12, 16, 4)
    np.testing.assert_allclose(y, parts.max(-1) if kind == "max" else parts.mean(-1), atol=1e-6)
    g = random.normal(size=y.shape).astype(np.float32)
    dx = tape.gradient(y, x, output_gradients=tf.constant(g)).numpy()
    share = (parts == parts.max(-1, keepdims=True)) if kind == "max" else np.full(parts.shape, 0.25)
    wanted = (share * g[..., None]).reshape(40, 12, 12, 16, 2, 2).transpose(0, 1, 4, 2, 5, 3).reshape(x.shape)
    np.testing.assert_allclose(dx, wanted, atol=1e-6)


def test_ties_go_to_the_first():
    x = tf.ones([1, 2, 2, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, 2, 2, "VALID")
    assert tape.gradient(y, x).numpy().ravel().tolist() == [1.0, 0.0, 0.0, 0.0]


def test_infinite_cotangents_stay_where_they_belong():
    x = tf.reshape(tf.range(4.0), [1, 4, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool1d(x, 2, 2, "VALID")
    g = tf.reshape(tf.constant([np.inf, np.nan]), [1, 2, 1])
    np.testing.assert_array_equal(tape.gradient(y, x, output_gradients=g)[0, :, 0], [0.0, np.inf, 0.0, np.nan])


def test_nan_is_the_maximum():
    assert np.isnan(tf.nn.max_pool1d([[[1.0], [np.nan]]], 2, 2, "VALID").numpy().item())


def test_dtypes():
    x = np.arange(8).reshape(1, 8, 1)
    for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.int32, tf.uint8):
        y = tf.nn.max_pool1d(tf.cast(x, dtype), 2, 2, "VALID")
        assert y.dtype is dtype
        assert y.numpy().astype(int).ravel().tolist() == [1, 3, 5, 7]
    # Each sum is beyond float16.
    y = tf.nn.avg_pool1d(tf.fill([1, 4, 1], tf.constant(60000.0, tf.float16)), 4, 4, "VALID")
    assert y.numpy().item() == 60000.0
    with pytest.raises(TypeError, match=r"x is i32\[1,8,1\]"):
        tf.nn.avg_pool1d(tf.cast(x, tf.int32), 2, 2, "VALID")


def test_argmax():
    """The numbers are TensorFlow's, for 0..35 in two images of 3 x 3 x 2."""
    x = tf.reshape(tf.range(36.0), [2, 3, 3, 2])
    y, where = tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")
    assert where.dtype is tf.int64
    one = [[[8, 9], [10, 11]], [[14, 15], [16, 17]]]
    assert where.numpy().tolist() == [one, one]
    np.testing.assert_array_equal(y, tf.nn.max_pool2d(x, 2, 2, "SAME"))
    _, where = tf.nn.max_pool_with_argmax(
        x, 2, 2, "SAME", output_dtype=tf.int32, include_batch_in_index=True
    )  # fmt: skip
    assert where.dtype is tf.int32
    assert where.numpy()[1].tolist() == (np.array(one) + 18).tolist()
    np.testing.assert_array_equal(tf.gather(tf.reshape(x, [-1]), where), y)


def test_argmax_of_padded_windows_is_inside():
    x = np.full((1, 2, 2, 1), -np.inf)
    _, where = tf.nn.max_pool_with_argmax(x, 2, 1, [[0, 0], [1, 1], [1, 1], [0, 0]])
    assert where.numpy().ravel().tolist() == [0, 0, 1, 0, 0, 1, 2, 2, 3]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.nn.max_pool2d(x, 2, 1, "SAME"),
        lambda x: tf.nn.avg_pool2d(x, [3, 2], [2, 1], "SAME"),
        lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")[0],
        lambda x: tf.nn.pool(x, [2, 2], "MAX", dilations=[2, 1]),
        lambda x: tf.nn.fractional_max_pool(x, 1.5, overlapping=True, seed=1)[0],
        lambda x: tf.nn.fractional_avg_pool(x, [1.0, 1.5, 1.2, 1.0], pseudo_random=True, overlapping=True, seed=2)[0],
    ],
)
def test_derivatives(function):
    check_grads(lambda x: function(x) ** 2, (distinct(1, 4, 4, 2),), order=2)


def test_vectorized_map_and_jacobian():
    x = distinct(3, 2, 4, 1)
    found = tf.vectorized_map(lambda x: tf.nn.max_pool1d(x, 2, 2, "VALID"), tf.constant(x))
    np.testing.assert_allclose(found, x.reshape(3, 2, 2, 2, 1).max(3))
    x = tf.constant(x[0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.avg_pool1d(x, 2, 2, "VALID")
    jacobian = tape.jacobian(y, x).numpy()
    assert jacobian[0, 1, 0, 0].ravel().tolist() == [0.0, 0.0, 0.5, 0.5]


@pytest.mark.parametrize("pseudo_random", [False, True])
@pytest.mark.parametrize(("n", "ratio"), [(10, 1.44), (11, 1.73), (12, 2.0), (7, 1.0), (10, 5.5), (23, 2.9)])
def test_fractional_sequences(n, ratio, pseudo_random):
    """Windows of sizes k and k + 1 that fill the image."""
    for seed in range(1, 6):
        _, rows, columns = tf.nn.fractional_max_pool(tf.ones([1, n, n + 1, 1]), ratio, pseudo_random, seed=seed)
        for size, starts in ((n, rows.numpy()), (n + 1, columns.numpy())):
            out = int(size / ratio)
            assert starts.dtype == np.int64
            assert (len(starts), starts[0], starts[-1]) == (out + 1, 0, size)
            assert set(np.diff(starts)) <= {size // out, size // out + 1}


@pytest.mark.parametrize("overlapping", [False, True])
def test_fractional_values(overlapping):
    x = distinct(2, 10, 9, 2)
    for function, reduce in ((tf.nn.fractional_max_pool, np.max), (tf.nn.fractional_avg_pool, np.mean)):
        y, rows, columns = function(x, [1.0, 1.44, 1.7, 1.0], overlapping=overlapping, seed=7)
        rows, columns = rows.numpy(), columns.numpy()
        for i, j in np.ndindex(len(rows) - 1, len(columns) - 1):
            part = x[:, rows[i] : rows[i + 1] + overlapping, columns[j] : columns[j + 1] + overlapping]
            np.testing.assert_allclose(y[:, i, j], reduce(part, axis=(1, 2)), atol=1e-12)


def test_fractional_seeds():
    x = tf.ones([1, 40, 40, 1])
    one, again, other = (tf.nn.fractional_max_pool(x, 1.4, seed=s)[1].numpy().tolist() for s in (1, 1, 2))
    assert one == again != other
    tf.random.set_seed(3)
    first = [tf.nn.fractional_max_pool(x, 1.4)[1].numpy().tolist() for _ in range(2)]
    tf.random.set_seed(3)
    assert tf.nn.fractional_max_pool(x, 1.4)[1].numpy().tolist() == first[0] != first[1]


X = tf.ones([1, 5, 5, 2])
WRONG = [
    (lambda: tf.nn.max_pool(X[0, 0], 2, 2, "SAME"), ValueError, "must be 3, 4 or 5"),
    (lambda: tf.nn.max_pool2d(X[0], 2, 2, "SAME"), ValueError, "must have rank 4"),
    (lambda: tf.nn.max_pool2d(X, [2, 2, 2], 2, "SAME"), ValueError, "ksize should be of length 1 or 2 or 4"),
    (lambda: tf.nn.max_pool2d(X, 0, 2, "SAME"), tf.errors.InvalidArgumentError, "ksize is 0"),
    (lambda: tf.nn.max_pool2d(X, 2, 2, "same"), ValueError, "padding must be .* got 'same"),
    (lambda: tf.nn.max_pool2d(X, 2, 2, "SAME", "NCW"), ValueError, "data_format (is|cannot be) 'NCW'"),
    (lambda: tf.nn.max_pool2d(X, 8, 1, "VALID"), tf.errors.InvalidArgumentError, "does not fit"),
    (lambda: tf.nn.max_pool2d(X, 2, 1, [[0, 0], [2, 0], [0, 0], [0, 0]]), ValueError, "see nothing else"),
    (lambda: tf.nn.pool(X, [2, 2], "SUM"), ValueError, "2-D SUM pooling is not supported"),
    (lambda: tf.nn.max_pool_with_argmax(X, 2, 2, "SAME", "NCHW"), ValueError, "data_format must be NHWC, got 'NCHW'"),
    (lambda: tf.nn.fractional_max_pool(X, 0.5), ValueError, "should be >= 1.0"),
    (lambda: tf.nn.fractional_max_pool(X, [2.0, 1.0, 1.0, 1.0]), ValueError, "first and last elements"),
    (lambda: tf.nn.fractional_max_pool(X, 20.0), tf.errors.InvalidArgumentError, "nothing would remain of 5"),
    (lambda: tf.nn.fractional_max_pool(X[0], 2.0), ValueError, r"value must be images .* got f32\[5,5,2\]"),
    (lambda: tf.nn.fractional_avg_pool(tf.cast(X, tf.bool), 2.0), TypeError, r"value must be images .* got bool\[1,5,5,2\]"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "text"), WRONG)
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_fractional_means_of_integers_are_integers():
    image = np.array([[-3, -4], [-4, -4]]).reshape(1, 2, 2, 1)
    assert tf.nn.fractional_avg_pool(image, 2.0)[0].numpy().tolist() == [[[[-3]]]]  # -3.75 toward zero
