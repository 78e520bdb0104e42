"""What follows a convolution is a part of its kernel: programs, their kernels, and their numbers."""

import numpy as np
import pytest

import gradtape as tf

# images, filter, strides, padding, dilations: Winograd, tiles with strides and remainders, 1x1, large windows, holes
CASES = {
    "3x3": ((2, 14, 14, 16), (3, 3, 16, 32), 1, "SAME", 1),
    "strided": ((2, 15, 13, 5), (3, 3, 5, 7), 2, "VALID", 1),
    "1x1": ((1, 8, 8, 3), (1, 1, 3, 64), 1, "SAME", 1),
    "5x5": ((2, 9, 9, 8), (5, 5, 8, 16), 1, "VALID", 1),
    "blocks of channels": ((1, 8, 8, 700), (3, 3, 700, 16), 2, "SAME", 1),
    "grey images": ((2, 16, 16, 1), (5, 5, 1, 8), 1, "SAME", 1),
    "dilated": ((2, 12, 12, 8), (3, 3, 8, 24), 1, "SAME", 2),
    "groups": ((2, 9, 8, 12), (3, 3, 4, 15), 1, "SAME", 1),
    "groups of whole vectors": ((2, 9, 8, 8), (3, 3, 4, 64), 2, "SAME", 1),
}
EPILOGUES = {
    "bias and relu": (lambda y, b, r: tf.nn.relu(y + b), "add relu"),
    "residual": (lambda y, b, r: tf.nn.relu(y + b + r), "add add relu"),
    "batch norm in inference": (lambda y, b, r: tf.nn.relu(y * b + b), "multiply add relu"),
    "tanh": (lambda y, b, r: tf.tanh(y) * 2.0, "tanh multiply"),
}


def problem(case, dtype=tf.float32):
    shape, window, strides, padding, dilations = CASES[case]
    random = np.random.default_rng(0)
    x = tf.constant(random.normal(size=shape), dtype)
    w = tf.constant(random.normal(size=window) / np.sqrt(np.prod(window[:-1])), dtype)
    b = tf.constant(random.normal(size=window[-1:]), dtype)

    def convolve(x, w):
        return tf.nn.conv2d(x, w, strides, padding, dilations=dilations)

    r = tf.constant(random.normal(size=convolve(x, w).shape), dtype)
    return convolve, x, w, b, r


def close(got, want):
    for a, e in zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True):
        np.testing.assert_allclose(a, e, rtol=0, atol=2e-5 * np.abs(e.numpy()).max())


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", EPILOGUES)
def test_forward(case, name):
    convolve, x, w, b, r = problem(case)
    epilogue, parts = EPILOGUES[name]
    function = tf.function(lambda x: epilogue(convolve(x, w), b, r))
    close(function(x), epilogue(convolve(x, w), b, r))
    assert function.explain().traces[0].native == (f"convolution {parts}",)


def test_double_precision():
    convolve, x, w, b, _ = problem("3x3", tf.float64)
    function = tf.function(lambda x: tf.nn.relu(convolve(x, w) + b))
    np.testing.assert_allclose(function(x), tf.nn.relu(convolve(x, w) + b), rtol=1e-11, atol=1e-11)
    assert function.explain().traces[0].native == ("convolution add relu",)


def test_both_results_are_wanted():
    convolve, x, w, b, _ = problem("3x3")

    def both(x):
        y = convolve(x, w)
        return y, tf.nn.relu(y + b)

    function = tf.function(both)
    close(function(x), both(x))
    assert function.explain().traces[0].native == ("convolution add relu",)


def test_the_derivative_of_an_activation_is_a_part_of_the_input_gradient():
    convolve, x, w, b, _ = problem("3x3")

    def gradients(x):
        with tf.GradientTape() as tape:
            tape.watch([x, w, b])
            loss = tf.reduce_sum(tf.square(tf.nn.relu(convolve(tf.nn.relu(x), w) + b)))
        return tape.gradient(loss, [x, w, b])

    function = tf.function(gradients)
    close(function(x), gradients(x))
    assert function.explain().traces[0].native == (
        "relu",
        "convolution add relu add relu_grad",  # the cotangent of relu is computed from its own result
        "convolution_filter_gradient reduce_sum",
        "convolution_input_gradient relu_grad",
    )


def depthwise(strides):
    return lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, strides, strides, 1], "SAME")


def transposed(strides, target):
    return lambda x, w: tf.nn.conv2d_transpose(x, w, target, strides, "SAME")


def few_channels(strides):
    return lambda x, w: tf.nn.conv2d(x, w, strides, "SAME")


# Rows that complete a tile, parts of vectors, several filters for a channel, places between those of other phases
SCATTERED = {
    "depthwise": (depthwise(1), (2, 9, 7, 16), (3, 3, 16, 1), "convolution"),
    "depthwise, parts of vectors": (depthwise(1), (1, 5, 5, 13), (3, 3, 13, 1), "convolution"),
    "depthwise, two filters": (depthwise(2), (2, 11, 8, 6), (5, 3, 6, 2), "convolution"),
    "depthwise, many channels": (depthwise(1), (1, 6, 6, 300), (3, 3, 300, 1), "convolution"),
    "few channels": (few_channels(1), (2, 7, 5, 32), (3, 3, 32, 3), "convolution"),
    "one channel": (few_channels(2), (1, 9, 9, 40), (3, 2, 40, 1), "convolution"),
    "transposed": (
        transposed(2, (2, 14, 10, 16)), (2, 7, 5, 8), (3, 3, 16, 8), "convolution_input_gradient",
    ),
    "transposed, parts of vectors": (
        transposed(3, (1, 16, 14, 11)), (1, 6, 5, 5), (4, 2, 11, 5), "convolution_input_gradient",
    ),
    "transposed, holes": (transposed(3, (1, 9, 9, 24)), (1, 3, 3, 4), (2, 2, 24, 4), "convolution_input_gradient"),
}  # fmt: skip


@pytest.mark.parametrize("case", SCATTERED)
@pytest.mark.parametrize("turns", [1, 12], ids=["in registers", "a function"])
def test_results_that_are_written_vector_by_vector(case, turns):
    """Depthwise and transposed convolutions, with the bits that two kernels give."""
    convolve, shape, window, name = SCATTERED[case]
    random = np.random.default_rng(1)
    x, w = (tf.constant(random.normal(size=s), tf.float32) for s in (shape, window))
    alone = tf.function(convolve)(x, w)
    b = tf.constant(random.normal(size=alone.shape[-1:]), tf.float32)
    r = tf.constant(random.normal(size=alone.shape), tf.float32)

    def epilogue(y, b, r):
        for _ in range(turns):
            y = tf.nn.relu(y + b) * r + 2.0
        return y

    function = tf.function(lambda x, w, b, r: epilogue(convolve(x, w), b, r))
    got = function(x, w, b, r)
    np.testing.assert_array_equal(
        got.numpy().view(np.uint32), tf.function(epilogue)(alone, b, r).numpy().view(np.uint32)
    )
    close(got, epilogue(convolve(x, w), b, r))
    native = [
        parts for parts in function.explain().traces[0].native if parts != "reshape"
    ]  # of the filter: nothing runs
    assert len(native) == 1
    assert native[0].startswith(f"{name} add ")


@pytest.mark.parametrize("case", ["depthwise", "few channels", "transposed"])
def test_an_operand_is_not_written_over_where_rows_are_repeated(case):
    """The rows that complete a tile repeat another one: it would read what was written already."""
    convolve, shape, window, _ = SCATTERED[case]
    random = np.random.default_rng(2)
    x, w = (tf.constant(random.normal(size=s), tf.float32) for s in (shape, window))
    r = tf.constant(random.normal(size=convolve(x, w).shape), tf.float32)
    sums = tf.constant(np.ones((r.shape[-1], r.shape[-1])), tf.float32)

    def residual(x, w, r):
        return tf.nn.relu(convolve(x, w) + r @ sums) @ sums

    close(tf.function(residual)(x, w, r), residual(x, w, r))


@pytest.mark.parametrize("case", ["depthwise", "few channels", "transposed"])
def test_long_epilogues_stay_apart_where_each_vector_has_its_place(case):
    convolve, shape, window, _ = SCATTERED[case]
    random = np.random.default_rng(3)
    x, w = (tf.constant(random.normal(size=s), tf.float32) for s in (shape, window))
    function = tf.function(lambda x, w: tf.nn.gelu(convolve(x, w)))
    close(function(x, w), tf.nn.gelu(convolve(x, w)))
    assert function.explain().traces[0].native[-1] == "gelu"


@pytest.mark.parametrize("function", [tf.tanh, tf.sigmoid, tf.nn.silu, tf.nn.elu, tf.nn.selu])
def test_functions_follow_a_depthwise_convolution(function):
    convolve, shape, window, _ = SCATTERED["depthwise, parts of vectors"]
    random = np.random.default_rng(4)
    x, w = (tf.constant(random.normal(size=s), tf.float32) for s in (shape, window))
    compiled = tf.function(lambda x, w: function(convolve(x, w)))
    close(compiled(x, w), function(convolve(x, w)))
    assert len([parts for parts in compiled.explain().traces[0].native if parts != "reshape"]) == 1


@pytest.mark.parametrize(
    "function", [tf.nn.softsign, lambda x: tf.where(x > 0.0, x, 0.25 * x), lambda x: tf.maximum(x, 0.1 * x)]
)
def test_masks_are_a_part_of_the_kernels_of_a_depthwise_convolution(function):
    convolve, shape, window, _ = SCATTERED["depthwise"]
    random = np.random.default_rng(6)
    x, w = (tf.constant(random.normal(size=s), tf.float32) for s in (shape, window))

    def gradients(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            loss = tf.reduce_sum(tf.square(function(convolve(function(x), w))))
        return tape.gradient(loss, [x, w])

    compiled = tf.function(gradients)
    close(compiled(x, w), gradients(x, w))
    native = [parts for parts in compiled.explain().traces[0].native if parts != "reshape"]
    assert len([parts for parts in native if "convolution" not in parts]) == 1  # the function of x


@pytest.mark.parametrize("strides", [1, 2])
def test_the_derivative_of_an_activation_is_a_part_of_the_gradient_of_groups(strides):
    random = np.random.default_rng(5)
    x, w = (tf.constant(random.normal(size=s), tf.float32) for s in ((2, 7, 6, 12), (3, 3, 4, 9)))

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.square(tf.nn.conv2d(tf.nn.relu(x), w, strides, "SAME")))
        return tape.gradient(loss, x)

    function = tf.function(gradient)
    close(function(x), gradient(x))
    assert "convolution_input_gradient relu_grad" in function.explain().traces[0].native


def test_the_derivative_of_an_activation_is_a_part_of_the_gradient_of_a_strided_convolution():
    convolve, x, w, b, _ = problem("strided")

    def gradients(x):
        with tf.GradientTape() as tape:
            tape.watch([x, w, b])
            loss = tf.reduce_sum(tf.square(tf.nn.relu(convolve(tf.nn.relu(x), w) + b)))
        return tape.gradient(loss, [x, w, b])

    function = tf.function(gradients)
    close(function(x), gradients(x))
    assert "convolution_input_gradient relu_grad" in function.explain().traces[0].native


# Transformed tiles at odd edges and of several blocks, several boxes and splits, blocks of channels, parts of vectors, several filters for a channel
BIASES = {
    **CASES,
    "odd edges": ((4, 15, 13, 16), (3, 3, 16, 48), 1, "SAME", 1),
    "many places": ((9, 31, 33, 5), (3, 3, 5, 37), 1, "VALID", 1),
    "transformed blocks of channels": ((6, 9, 7, 200), (3, 3, 200, 48), 1, "SAME", 1),
    "depthwise": ((2, 12, 12, 13), (3, 3, 1, 13), 1, "SAME", 1),
    "depthwise, many taps": ((5, 20, 12, 140), (5, 5, 1, 280), 1, "SAME", 1),
}


@pytest.mark.parametrize("case", BIASES)
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64], ids=["float32", "float64"])
def test_the_gradient_of_a_bias_is_a_part_of_that_of_the_filter(case, dtype):
    shape, window, strides, padding, dilations = BIASES[case]
    random = np.random.default_rng(6)
    x, w, b = (tf.constant(random.normal(size=s), dtype) for s in (shape, window, window[-1:]))

    def gradients(x, w, b):
        with tf.GradientTape() as tape:
            tape.watch([x, w, b])
            y = tf.nn.relu(tf.nn.conv2d(x, w, strides, padding, dilations=dilations) + b)
            loss = tf.reduce_sum(y * y)
        return tape.gradient(loss, [x, w, b])

    function = tf.function(gradients)
    close(function(x, w, b), gradients(x, w, b))
    assert [name.split(" ")[0] for name in function.explain().traces[0].native] == [
        "convolution",
        "convolution_filter_gradient",
        "convolution_input_gradient",
    ]


def test_a_training_step_has_one_kernel_for_each_convolution_and_gradient():
    random = np.random.default_rng(7)
    shapes = ((4, 14, 14, 8), (3, 3, 8, 32), (32,), (3, 3, 32, 16), (16,))
    x, v, a, w, b = (tf.constant(random.normal(size=s) / 4, tf.float32) for s in shapes)

    def gradients(x, v, a, w, b):
        with tf.GradientTape() as tape:
            tape.watch([v, a, w, b])
            h = tf.nn.relu(tf.nn.conv2d(x, v, 1, "SAME") + a)
            y = tf.nn.relu(tf.nn.conv2d(h, w, 1, "SAME") + b)
            loss = tf.reduce_mean(y * y)
        return tape.gradient(loss, [v, a, w, b])

    function = tf.function(gradients)
    close(function(x, v, a, w, b), gradients(x, v, a, w, b))
    assert function.explain().traces[0].native == (
        "convolution add relu",
        "convolution add relu multiply add relu_grad",
        "convolution_filter_gradient reduce_sum",
        "convolution_input_gradient relu_grad",
        "convolution_filter_gradient reduce_sum",
    )
    text = function.explain(stage="kernels")
    assert "store out1[m] = " in text


def test_a_sum_that_the_images_depend_on_is_computed_before():
    random = np.random.default_rng(8)
    x, dy = (tf.constant(random.normal(size=s), tf.float32) for s in ((2, 6, 6, 8), (2, 6, 6, 24)))

    def filter_gradient(x, dy):
        with tf.GradientTape() as tape:
            w = tf.zeros([3, 3, 8, 24])
            tape.watch(w)
            y = tf.nn.conv2d(x, w, 1, "SAME")
        return tape.gradient(y, w, dy)

    def gradients(x, dy):
        total = tf.reduce_sum(dy, [0, 1, 2])
        seen = x * tf.tanh(tf.reduce_sum(total))
        return total, filter_gradient(seen, dy)

    close(tf.function(gradients)(x, dy), gradients(x, dy))


def channels_first(x, w, b, w2, b2):
    y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "SAME", data_format="NCHW"), b, data_format="NCHW"))
    return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(y, w2, 1, "SAME", data_format="NCHW"), b2, data_format="NCHW"))


def channels_first_inputs():
    random = np.random.default_rng(0)
    shapes = [(2, 8, 9, 7), (3, 3, 8, 16), (16,), (3, 3, 16, 24), (24,)]
    return [tf.constant(random.normal(size=shape) / np.sqrt(np.prod(shape[:-1])), tf.float32) for shape in shapes]


def test_channels_first():
    """Two layers are transposed once on the way in and once on the way out."""
    inputs = channels_first_inputs()
    function = tf.function(channels_first)
    close(function(*inputs), channels_first(*inputs))
    kernels = [name for name in function.explain().traces[0].native if name != "reshape"]
    assert kernels == ["transpose", "convolution add relu", "convolution add relu", "transpose"]


def test_gradients_with_channels_first():
    """Between layers, derivatives of activations are parts of convolutions, and biases' gradients of the filters' ones, as with the channels
    last; nothing is transposed there."""

    def gradients(*inputs):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            loss = tf.reduce_sum(tf.square(channels_first(*inputs)))
        return tape.gradient(loss, inputs)

    inputs = channels_first_inputs()
    function = tf.function(gradients)
    close(function(*inputs), gradients(*inputs))
    kernels = function.explain().traces[0].native
    assert {"convolution_filter_gradient reduce_sum", "convolution_input_gradient relu_grad"} <= set(kernels)
    assert kernels.count("transpose") == 2


def test_a_transposed_product():
    random = np.random.default_rng(0)
    a, b, c = (tf.constant(random.normal(size=s), tf.float32) for s in ((16, 24), (24, 32), (16,)))
    function = tf.function(lambda a, b, c: tf.tanh(tf.transpose(a @ b) + c))
    close(function(a, b, c), tf.tanh(tf.transpose(a @ b) + c))
    kernels = [name for name in function.explain().traces[0].native if name != "reshape"]
    assert kernels == ["matmul add tanh", "transpose"]
