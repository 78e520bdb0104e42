"""tf.nn's convolutions against loops and SciPy, and their derivatives."""

import numpy as np
import pytest
import scipy.signal

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(11)


def normal(*shape):
    return random.normal(size=shape)


def correlated(x, w, strides, dilations=None):
    """A convolution without padding by scipy.signal.correlate, channel by channel: `[n, *size, c]`, `[*window, c, o]`."""
    count = x.ndim - 2
    dilations = dilations or (1,) * count
    holes = np.zeros((*[(k - 1) * d + 1 for k, d in zip(w.shape, dilations, strict=False)], *w.shape[-2:]))
    holes[tuple([slice(None, None, d) for d in dilations])] = w
    steps = tuple([slice(None, None, s) for s in strides])
    images = [
        np.stack(
            [sum(scipy.signal.correlate(x[n, ..., i], holes[..., i, o], "valid") for i in range(w.shape[-2]))[steps]
             for o in range(w.shape[-1])],
            axis=-1,
        )
        for n in range(x.shape[0])
    ]  # fmt: skip
    return np.stack(images)


def padded(x, *pairs):
    return np.pad(x, ((0, 0), *pairs, (0, 0)))


# TensorFlow pads "SAME" so that ceil(size / stride) places fit, and puts what is odd at the end.
SAME = [
    (5, 3, 1, (1, 1)),
    (5, 2, 1, (0, 1)),
    (6, 3, 2, (0, 1)),
    (5, 3, 2, (1, 1)),
    (5, 1, 2, (0, 0)),
    (7, 4, 3, (1, 2)),
]


@pytest.mark.parametrize(("size", "window", "stride", "pair"), SAME)
def test_same_padding(size, window, stride, pair):
    x, w = normal(2, size, 3), normal(window, 3, 2)
    y = tf.nn.conv1d(x, w, stride, "SAME")
    assert y.shape[1] == -(-size // stride)
    np.testing.assert_allclose(y, correlated(padded(x, pair), w, (stride,)), atol=1e-12)


def test_one_two_and_three_axes():
    for count, function in ((1, tf.nn.conv1d), (2, tf.nn.conv2d), (3, tf.nn.conv3d)):
        x, w = normal(2, *[6, 5, 7][:count], 2), normal(*[3, 2, 3][:count], 2, 3)
        strides, dilations = [2, 1, 3][:count], [1, 2, 1][:count]
        wanted = correlated(x, w, strides, dilations)
        np.testing.assert_allclose(function(x, w, strides, "VALID", dilations=dilations), wanted, atol=1e-12)
        np.testing.assert_allclose(
            tf.nn.convolution(x, w, strides=strides, dilations=dilations), wanted, atol=1e-12
        )  # fmt: skip
        full = [1, *strides, 1]
        np.testing.assert_allclose(function(x, w, full, "VALID", dilations=[1, *dilations, 1]), wanted, atol=1e-12)


def test_explicit_padding():
    x, w = normal(1, 4, 5, 2), normal(3, 3, 2, 2)
    y = tf.nn.conv2d(x, w, 1, [[0, 0], [2, 1], [0, 3], [0, 0]])
    np.testing.assert_allclose(y, correlated(padded(x, (2, 1), (0, 3)), w, (1, 1)), atol=1e-12)


@pytest.mark.parametrize(
    ("function", "size", "layout"),
    [(tf.nn.conv1d, (5,), "NCW"), (tf.nn.conv2d, (5, 4), "NCHW"), (tf.nn.conv3d, (3, 4, 3), "NCDHW")],
)
def test_channels_first(function, size, layout):
    x, w = normal(2, *size, 4), normal(*[2] * len(size), 2, 6)
    pads = [[0, 0], *[[1, 0]] * len(size), [0, 0]]
    for padding, first_padding in (("SAME", "SAME"), (pads, [pads[0], pads[-1], *pads[1:-1]])):
        wanted = np.moveaxis(np.asarray(function(x, w, 2, padding)), -1, 1)
        strides = [1, 1, *[2] * len(size)]
        y = function(np.moveaxis(x, -1, 1), w, strides, first_padding, data_format=layout)
        np.testing.assert_allclose(y, wanted, atol=1e-12)


def test_groups():
    """An input with more channels than the filter takes: group g of the outputs sees group g of the inputs."""
    x, w = normal(2, 5, 5, 6), normal(3, 3, 2, 9)
    y = tf.nn.conv2d(x, w, 1, "VALID")
    parts = [correlated(x[..., 2 * g : 2 * g + 2], w[..., 3 * g : 3 * g + 3], (1, 1)) for g in range(3)]
    np.testing.assert_allclose(y, np.concatenate(parts, -1), atol=1e-12)


def test_leading_axes_are_examples():
    x, w = normal(2, 3, 5, 4, 2), normal(3, 3, 2, 4)
    y = tf.nn.conv2d(x, w, 1, "SAME")
    assert y.shape == (2, 3, 5, 4, 4)
    np.testing.assert_allclose(y[1], tf.nn.conv2d(x[1], w, 1, "SAME"), atol=1e-12)


def test_dtypes():
    x, w = random.integers(-3, 3, (1, 6, 2)), random.integers(-3, 3, (3, 2, 4))
    wanted = tf.nn.conv1d(x.astype(float), w.astype(float), 1, "SAME").numpy()
    for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.int32):
        y = tf.nn.conv1d(tf.cast(x, dtype), tf.cast(w, dtype), 1, "SAME")
        assert y.dtype is dtype
        assert np.array_equal(y.numpy().astype(float), wanted)


def test_narrow_dtypes_are_summed_in_float32():
    x, w = tf.ones([1, 1, 1, 4096], tf.float16), tf.ones([1, 1, 4096, 1], tf.float16) + tf.constant(2**-10, tf.float16)
    assert tf.nn.conv2d(x, w, 1, "VALID").numpy().item() == 4100.0


@pytest.mark.parametrize(
    "shape", [(32, 28, 28, 8, 16), (2, 90, 70, 32, 40), (3, 30, 30, 64, 130), (1, 9, 9, 600, 4), (9, 33, 30, 3, 20)]
)
def test_many_blocks(shape):
    """Sizes at which the work is divided, against a product with windows laid out by NumPy."""
    n, height, width, c, o = shape
    x, w = normal(n, height, width, c).astype(np.float32), normal(3, 3, c, o).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(padded(x, (1, 1), (1, 1)), (3, 3), (1, 2))
    wanted = np.tensordot(windows, w, ((3, 4, 5), (2, 0, 1)))
    x, w = tf.constant(x), tf.constant(w)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.conv2d(x, w, 1, "SAME")
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())
    g = normal(*wanted.shape).astype(np.float32)
    dx, dw = tape.gradient(y, [x, w], output_gradients=tf.constant(g))
    dw_wanted = np.tensordot(windows, g, ((0, 1, 2), (0, 1, 2))).transpose(1, 2, 0, 3)
    np.testing.assert_allclose(dw, dw_wanted, rtol=1e-3, atol=1e-4 * np.abs(dw_wanted).max())
    # The gradient of the input is the transpose: the same number from both sides.
    moved = normal(*x.shape).astype(np.float32)
    there = float(np.vdot(tf.nn.conv2d(moved, w, 1, "SAME").numpy(), g))
    back = float(np.vdot(moved, dx.numpy()))
    assert abs(there - back) < 1e-4 * np.linalg.norm(g) * np.linalg.norm(y.numpy())


def test_the_bits_are_the_same_again():
    x, w = normal(16, 20, 20, 16).astype(np.float32), normal(3, 3, 16, 32).astype(np.float32)
    x, w = tf.constant(x), tf.constant(w)
    found = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = tf.nn.conv2d(x, w, 1, "SAME")
        found.append([y, *tape.gradient(y, [x, w], output_gradients=y)])
    for first, *others in zip(*found, strict=True):
        assert all(np.array_equal(first.numpy(), other.numpy()) for other in others)


def test_transposed_convolution_by_hand():
    """Stride 2, "SAME", a window of 3: each value lands on the places that its window came from."""
    x = tf.reshape([1.0, 10.0], [1, 2, 1])
    w = tf.reshape([1.0, 2.0, 3.0], [3, 1, 1])
    y = tf.nn.conv1d_transpose(x, w, [1, 4, 1], 2)
    assert y[0, :, 0].numpy().tolist() == [1.0, 2.0, 13.0, 20.0]
    y = tf.nn.conv1d_transpose(x, w, [1, 5, 1], 2, "VALID")
    assert y[0, :, 0].numpy().tolist() == [1.0, 2.0, 13.0, 20.0, 30.0]


def scattered(g, w, size, stride, padding, dilation):
    """Each value of g through the filter onto the positions that its window came from, one place at a time."""
    window = w.shape[0]
    reach = (window - 1) * dilation + 1
    total = max(0, (-(-size // stride) - 1) * stride + reach - size) if padding == "SAME" else 0
    low = total // 2
    wide = np.zeros((g.shape[0], size + total + reach * stride, size + total + reach * stride, w.shape[2]))
    for i, j in np.ndindex(*g.shape[1:3]):
        rows = slice(i * stride, i * stride + reach, dilation)
        columns = slice(j * stride, j * stride + reach, dilation)
        wide[:, rows, columns] += np.einsum("no,abco->nabc", g[:, i, j], w)
    return wide[:, low : low + size, low : low + size]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("channels", [3, 6])
@pytest.mark.parametrize(
    ("stride", "window", "dilation"), [(1, 3, 1), (2, 3, 1), (2, 4, 1), (3, 2, 1), (1, 2, 2), (2, 2, 3), (4, 3, 2)]
)
def test_transposed(padding, channels, stride, window, dilation):
    size = 7
    w = normal(window, window, channels, 4)
    reach = (window - 1) * dilation + 1
    out = -(-size // stride) if padding == "SAME" else (size - reach) // stride + 1
    g = normal(2, out, out, 4)
    wanted = scattered(g, w, size, stride, padding, dilation)
    shape = [2, size, size, channels]
    for output_shape in (shape, [size, size]):
        found = tf.nn.conv2d_transpose(g, w, output_shape, stride, padding, dilations=dilation)
        np.testing.assert_allclose(found, wanted, atol=1e-12)
    np.testing.assert_allclose(
        tf.nn.conv_transpose(g, w, shape, stride, padding, dilations=dilation), wanted, atol=1e-12
    )  # fmt: skip
    found = tf.nn.conv2d_transpose(
        np.moveaxis(g, -1, 1), w, [2, channels, size, size], stride, padding, "NCHW", dilations=dilation
    )
    np.testing.assert_allclose(np.moveaxis(found.numpy(), 1, -1), wanted, atol=1e-12)


def test_transposed_in_three_axes():
    g, w = normal(1, 2, 2, 2, 3), normal(2, 2, 2, 2, 3)
    y = tf.nn.conv3d_transpose(g, w, [1, 4, 4, 4, 2], 2, "VALID")
    assert y.shape == (1, 4, 4, 4, 2)
    np.testing.assert_allclose(y[0, :2, :2, 2:, 0], np.tensordot(w[..., 0, :], g[0, 0, 0, 1], 1), atol=1e-12)


def test_atrous():
    x, w = normal(2, 7, 8, 2), normal(3, 2, 2, 3)
    y = tf.nn.atrous_conv2d(x, w, 2, "VALID")
    np.testing.assert_allclose(y, correlated(x, w, (1, 1), (2, 2)), atol=1e-12)
    np.testing.assert_allclose(
        tf.nn.atrous_conv2d(x, w, 3, "SAME"), tf.nn.conv2d(x, w, 1, "SAME", dilations=3), atol=1e-12
    )  # fmt: skip
    back = tf.nn.atrous_conv2d_transpose(y, w, [2, 7, 8, 2], 2, "VALID")
    np.testing.assert_allclose(back, tf.nn.conv2d_transpose(y, w, [7, 8], 1, "VALID", dilations=2), atol=1e-12)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_with_space_to_batch_is_dilation(padding):
    x, w = normal(2, 7, 6, 2), normal(3, 2, 2, 3)
    y = tf.nn.with_space_to_batch(
        x, [2, 3], padding, lambda x, count, padding: tf.nn.convolution(x, w, padding=padding), filter_shape=[3, 2]
    )
    np.testing.assert_allclose(y, tf.nn.conv2d(x, w, 1, padding, dilations=[2, 3]), atol=1e-12)


def test_with_space_to_batch_in_other_axes():
    x = normal(2, 3, 7)
    y = tf.nn.with_space_to_batch(x, [2], [[1, 0]], lambda x, *_: x[..., 1:] + x[..., :-1], data_format="NCW")
    wide = np.pad(x, ((0, 0), (0, 0), (1, 0)))
    np.testing.assert_allclose(y, wide[..., 2:] + wide[..., :-2])
    assert tf.nn.with_space_to_batch(x, [1], "SAME", lambda x, count, padding: (count, padding)) == (1, "SAME")


@pytest.mark.parametrize("strides", [1, 2, (2, 1)])
@pytest.mark.parametrize("dilations", [None, [1, 2]])
@pytest.mark.parametrize("multiplier", [1, 3])
def test_depthwise(strides, dilations, multiplier):
    x, w = normal(2, 6, 7, 4), normal(3, 2, 4, multiplier)
    y = tf.nn.depthwise_conv2d(x, w, strides, "VALID", dilations=dilations)
    steps = strides if isinstance(strides, tuple) else (strides, strides)
    parts = [correlated(x[..., c : c + 1], w[:, :, c : c + 1], steps, dilations) for c in range(4)]
    np.testing.assert_allclose(y, np.concatenate(parts, -1), atol=1e-12)
    first = tf.nn.depthwise_conv2d(
        np.moveaxis(x, -1, 1), w, [1, 1, *steps], "VALID", data_format="NCHW", dilations=dilations
    )
    np.testing.assert_allclose(np.moveaxis(first.numpy(), 1, -1), y, atol=1e-12)


def test_depthwise_in_many_blocks():
    x, w = normal(8, 40, 30, 64), normal(3, 3, 64, 1)
    windows = np.lib.stride_tricks.sliding_window_view(padded(x, (1, 1), (1, 1)), (3, 3), (1, 2))
    x = tf.constant(x)
    w = tf.constant(w)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME")
    np.testing.assert_allclose(y, np.einsum("nhwcij,ijc->nhwc", windows, w.numpy()[..., 0]), atol=1e-10)
    g = normal(*y.shape)
    dx, dw = tape.gradient(y, [x, w], output_gradients=tf.constant(g))
    np.testing.assert_allclose(dw[..., 0], np.einsum("nhwcij,nhwc->ijc", windows, g), atol=1e-9)
    windows = np.lib.stride_tricks.sliding_window_view(padded(g, (1, 1), (1, 1)), (3, 3), (1, 2))
    np.testing.assert_allclose(dx, np.einsum("nhwcij,ijc->nhwc", windows, w.numpy()[::-1, ::-1, :, 0]), atol=1e-10)


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_depthwise_gradients_as_functions(layout):
    x, w = tf.constant(normal(2, 5, 5, 3)), tf.constant(normal(3, 3, 3, 2))
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME")
    g = tf.constant(normal(*y.shape))
    dx, dw = tape.gradient(y, [x, w], output_gradients=g)
    strides, shape = [1, 2, 2, 1], [2, 5, 5, 3]
    if layout == "NCHW":
        x, g, dx = (tf.transpose(t, [0, 3, 1, 2]) for t in (x, g, dx))
        strides, shape = [1, 1, 2, 2], [2, 3, 5, 5]
    found = tf.nn.depthwise_conv2d_backprop_input(shape, w, g, strides, "SAME", layout)
    np.testing.assert_allclose(found, dx, atol=1e-12)
    found = tf.nn.depthwise_conv2d_backprop_filter(x, [3, 3, 3, 2], g, strides, "SAME", layout)
    np.testing.assert_allclose(found, dw, atol=1e-12)


def test_separable():
    x, depthwise, pointwise = normal(2, 5, 5, 3), normal(3, 3, 3, 2), normal(1, 1, 6, 4)
    y = tf.nn.separable_conv2d(x, depthwise, pointwise, [1, 2, 2, 1], "SAME")
    wanted = tf.nn.depthwise_conv2d(x, depthwise, [1, 2, 2, 1], "SAME").numpy() @ pointwise[0, 0]
    np.testing.assert_allclose(y, wanted, atol=1e-12)
    first = tf.nn.separable_conv2d(
        np.moveaxis(x, -1, 1), depthwise, pointwise, [1, 1, 2, 2], "SAME", data_format="NCHW"
    )
    np.testing.assert_allclose(np.moveaxis(first.numpy(), 1, -1), wanted, atol=1e-12)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, w: tf.nn.conv2d(x, w, [2, 1], "SAME", dilations=[1, 2]),
        lambda x, w: tf.nn.conv2d_transpose(x, tf.transpose(w, [0, 1, 3, 2]), [1, 7, 4, 3], [2, 1], "SAME"),
        lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME", dilations=[1, 2]),
        lambda x, w: tf.nn.separable_conv2d(x, w, tf.reshape(w[:1, :1], [1, 1, 6, 1]), [1, 1, 1, 1], "VALID"),
        lambda x, w: tf.nn.with_space_to_batch(x, [2, 1], "VALID", lambda x, *_: tf.nn.conv2d(x, w, 1, "VALID")),
    ],
)
def test_derivatives(function):
    check_grads(function, (normal(1, 4, 4, 2), normal(2, 2, 2, 3)), order=2)


def test_third_order():
    x, w = tf.constant(normal(1, 4, 1)), tf.constant(normal(2, 1, 1))
    check_grads(lambda x, w: tf.nn.conv1d(x, w, 1, "SAME") ** 3, (x, w), order=3)


@pytest.mark.parametrize("batched", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("shape", [((4, 5, 2), (2, 3, 2, 3)), ((4, 5, 4), (2, 3, 2, 6)), ((4, 5, 3), (2, 3, 1, 6))])
def test_vectorized_map(batched, shape):
    """One filter per example, or one input per filter, as in per-example gradients and ensembles."""
    (height, width, c), window = shape
    x, w = normal(3, 1, height, width, c), normal(3, *window)

    def one(pair):
        image, filters = (p if flag else q for p, q, flag in zip(pair, (x[0], w[0]), batched, strict=True))
        return tf.nn.conv2d(image, filters, [1, 2], "SAME")

    found = tf.vectorized_map(one, (tf.constant(x), tf.constant(w)), fallback_to_while_loop=False)
    for i in range(3):
        wanted = tf.nn.conv2d(x[i if batched[0] else 0], w[i if batched[1] else 0], [1, 2], "SAME")
        np.testing.assert_allclose(found[i], wanted, atol=1e-12)


def test_variables_and_arrays_as_filters():
    x = tf.ones([1, 3, 1])
    v = tf.Variable(tf.ones([2, 1, 1]))
    with tf.GradientTape() as tape:
        y = tf.nn.conv1d(x, v, 1, "VALID")
    assert tape.gradient(y, v).numpy().ravel().tolist() == [2.0, 2.0]
    assert tf.nn.conv1d(x, np.ones((2, 1, 1)), 1, "VALID").dtype is tf.float32


X, W = tf.ones([1, 5, 5, 2]), tf.ones([3, 3, 2, 4])
WRONG = [
    (lambda: tf.nn.conv2d(X, W, 1, "same"), ValueError, "conv2d: padding must be .* got 'same"),
    (lambda: tf.nn.conv2d(X, W, 1, None), ValueError, "conv2d: padding is None"),
    (lambda: tf.nn.conv2d(X, W, [1, 1, 1], "SAME"), ValueError, "strides should be of length 1 or 2 or 4"),
    (lambda: tf.nn.conv2d(X, W, 0, "SAME"), tf.errors.InvalidArgumentError, "strides must be positive"),
    (lambda: tf.nn.conv2d(X, W, [2, 1, 1, 1], "SAME"), tf.errors.UnimplementedError, "not 1 for the examples"),
    (lambda: tf.nn.conv2d(X, W, 1, [[1, 1], [1, 1]]), ValueError, "it must have 4 pairs"),
    (lambda: tf.nn.conv2d(X, W, 1, [[0, 0], [1, 1], [-1, 1], [0, 0]]), ValueError, "not negative"),
    (lambda: tf.nn.conv2d(X, W, 1, [[1, 0], [1, 1], [1, 1], [0, 0]]), ValueError, "pads the examples"),
    (lambda: tf.nn.conv2d(X, W, 1, "SAME", "NWC"), tf.errors.InvalidArgumentError, "data_format (is|cannot be) 'NWC'"),
    (lambda: tf.nn.conv2d(X[0], W, 1, "SAME"), tf.errors.InvalidArgumentError, r"input is f32\[5,5,2\]"),
    (lambda: tf.nn.conv2d(X, W[0], 1, "SAME"), tf.errors.InvalidArgumentError, r"filters is f32\[3,2,4\]"),
    (lambda: tf.nn.conv2d(X, tf.ones([3, 3, 3, 4]), 1, "SAME"), ValueError, "evenly divisible by filter depth"),
    (lambda: tf.nn.conv2d(X, tf.ones([3, 3, 1, 3]), 1, "SAME"), ValueError, "groups must divide both"),
    (lambda: tf.nn.conv2d(X, tf.ones([7, 7, 2, 4]), 1, "VALID"), tf.errors.InvalidArgumentError, "does not fit"),
    (lambda: tf.nn.conv2d(X, tf.cast(W, tf.float64), 1, "SAME"), TypeError, "dtypes differ"),
    (lambda: tf.nn.conv2d_transpose(X, W, [1, 12, 10, 2], 2), ValueError, "output_shape is"),
    (lambda: tf.nn.conv2d_transpose(X, tf.ones([3, 3, 4, 2]), [1, 12, 10, 4], 2), ValueError, "gives .6, 5."),
    (lambda: tf.nn.conv2d_transpose(X, tf.ones([3, 3, 4, 3]), [1, 10, 10, 4], 2), ValueError, "2 channels"),
    (lambda: tf.nn.atrous_conv2d(X, W, 0, "SAME"), ValueError, "must be positive"),
    (lambda: tf.nn.depthwise_conv2d(X, tf.ones([3, 3, 3, 1]), 1, "SAME"), ValueError, "input has 2 channels"),
    (lambda: tf.nn.depthwise_conv2d(X, tf.ones([3, 3, 2]), 1, "SAME"), ValueError, "filter is"),
    (lambda: tf.nn.separable_conv2d(X, tf.ones([3, 3, 2, 1]), W, 1, "SAME"), ValueError, "pointwise_filter is"),
    (
        lambda: tf.nn.depthwise_conv2d_backprop_input([1, 5, 5, 3], tf.ones([3, 3, 2, 1]), X, 1, "SAME"),
        ValueError, "input_sizes is",
    ),
    (
        lambda: tf.nn.depthwise_conv2d_backprop_filter(X, [3, 3, 2, 2], X, 1, "SAME"),
        ValueError, "filter_sizes is",
    ),
    (lambda: tf.nn.with_space_to_batch(X, [2, 2], "SAME", None), ValueError, "`filter_shape` must be specified"),
    (lambda: tf.nn.with_space_to_batch(X, [2, 0], "VALID", None), ValueError, "dilation_rate is"),
    (lambda: tf.nn.with_space_to_batch(X, [2], "VALID", None, spatial_dims=[0]), ValueError, "spatial_dims is"),
    (lambda: tf.nn.with_space_to_batch(X, [2], [[1]], None), ValueError, "padding is"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "text"), WRONG)
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_depthwise_without_channels(wrap, padding):
    def f(x, w):
        return tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], padding)

    for channels, multiplier in ((0, 3), (2, 0)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="filter must not have zero elements"):
            wrap(f)(tf.zeros([1, 4, 4, channels]), tf.zeros([2, 2, channels, multiplier]))
