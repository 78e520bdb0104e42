"""Functions traced for sizes that only a call tells: the same results and gradients as without tracing."""

import subprocess
import sys

import numpy as np
import pytest

import gradtape as tf

RNG = np.random.default_rng(7)
M = RNG.normal(size=(4, 6)).astype(np.float32)
V = RNG.normal(size=(5,)).astype(np.float32)
SQUARE = (RNG.normal(size=(3, 3)) + 4 * np.eye(3)).astype(np.float32)
POSITIVE = SQUARE @ SQUARE.T
IMAGE = RNG.normal(size=(2, 8, 8, 3)).astype(np.float32)
FILTER = RNG.normal(size=(3, 3, 3, 4)).astype(np.float32)
DEPTHWISE = RNG.normal(size=(3, 3, 3, 2)).astype(np.float32)
SEQUENCE = RNG.normal(size=(2, 5, 4)).astype(np.float32)
LABELS = np.eye(6, dtype=np.float32)[[0, 3, 5, 1]]

CASES = {
    "add": (lambda x: x + x[:1], M),
    "broadcast known": (lambda x: x * tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), M),
    "matmul": (lambda x: x @ tf.transpose(x), M),
    "matmul known": (lambda x: tf.matmul(x, tf.ones([6, 3])), M),
    "reduce_sum": (lambda x: tf.reduce_sum(x, axis=1), M),
    "reduce_mean": (lambda x: tf.reduce_mean(x, axis=0, keepdims=True), M),
    "reduce_max": (lambda x: tf.reduce_max(x, axis=-1), M),
    "reduce_prod": (lambda x: tf.reduce_prod(x, axis=1), M),
    "reduce_logsumexp": (lambda x: tf.reduce_logsumexp(x, axis=[0, 1]), M),
    "reduce_std": (lambda x: tf.math.reduce_std(x, axis=0), M),
    "reshape flat": (lambda x: tf.reshape(x, [-1]), M),
    "reshape rows": (lambda x: tf.reshape(x, [-1, 3]), M),
    "reshape by shape": (lambda x: tf.reshape(x, [tf.shape(x)[0], -1, 2]), M),
    "reshape like": (lambda x: tf.reshape(x * 2.0, tf.shape(x)), M),
    "expand_dims": (lambda x: tf.expand_dims(x, 1) * 2.0, M),
    "squeeze": (lambda x: tf.squeeze(x[:, None, :], axis=1), M),
    "squeeze all": (lambda x: tf.squeeze(x[:, None, :]), M),
    "transpose": (lambda x: tf.transpose(x), M),
    "tile": (lambda x: tf.tile(x, [2, 1]), M),
    "repeat": (lambda x: tf.repeat(x, 2, axis=0), M),
    "concat": (lambda x: tf.concat([x, x * 2.0], axis=0), M),
    "stack": (lambda x: tf.stack([x, x * x]), M),
    "split": (lambda x: tf.split(x, 2, axis=1)[1], M),
    "unstack": (lambda x: tf.unstack(tf.ensure_shape(x, [None, 6]), axis=1)[2], M),
    "slice": (lambda x: x[1:, ::2], M),
    "slice by tensor": (lambda x: x[: tf.shape(x)[0] // 2], M),
    "last": (lambda x: x[-1], M),
    "tf.slice": (lambda x: tf.slice(x, [1, 0], [-1, 2]), M),
    "strided_slice": (lambda x: tf.strided_slice(x, [0, 1], [3, 5], [2, 1]), M),
    "newaxis": (lambda x: x[..., None, 0], M),
    "gather": (lambda x: tf.gather(x, [0, 2, 0]), M),
    "gather axis": (lambda x: tf.gather(x, [0, 2], axis=1), M),
    "gather_nd": (lambda x: tf.gather_nd(x, [[0, 1], [2, 2]]), M),
    "boolean_mask": (lambda x: tf.boolean_mask(x, tf.ensure_shape(x[:, 0] > 0.0, [None])), M),
    "mask": (lambda x: x[x > 0.0], M),
    "where": (lambda x: tf.where(x > 0.0, x, tf.zeros_like(x)), M),
    "pad": (lambda x: tf.pad(x, [[1, 0], [0, 2]]), M),
    "reverse": (lambda x: tf.reverse(x, [0]), M),
    "roll": (lambda x: tf.roll(x, 1, 0), M),
    "cumsum": (lambda x: tf.cumsum(x, axis=0), M),
    "sort": (lambda x: tf.sort(x, axis=0), M),
    "top_k": (lambda x: tf.math.top_k(x, 2).values, M),
    "broadcast_to": (lambda x: tf.broadcast_to(x[:1], tf.shape(x)), M),
    "fill": (lambda x: x + tf.fill(tf.shape(x), 2.0), M),
    "zeros": (lambda x: tf.concat([x, tf.zeros([tf.shape(x)[0], 1])], 1), M),
    "ones": (lambda x: x * tf.ones([tf.shape(x)[0], tf.shape(x)[1]]), M),
    "eye": (lambda x: tf.eye(tf.shape(x)[0]) @ x, M),
    "range": (lambda x: x * tf.cast(tf.range(tf.shape(x)[1]), tf.float32), M),
    "linspace": (lambda x: x * tf.linspace(0.0, 1.0, tf.shape(x)[1]), M),
    "one_hot": (lambda x: x * tf.one_hot(tf.argmax(x, axis=1), 6), M),
    "meshgrid": (lambda x: tf.meshgrid(x[0], x[:, 0])[0], M),
    "size": (lambda x: x / tf.cast(tf.size(x), tf.float32), M),
    "rank": (lambda x: x * tf.cast(tf.rank(x), tf.float32), M),
    "norm": (lambda x: tf.norm(x, axis=1), M),
    "einsum": (lambda x: tf.einsum("ij,kj->ik", x, x), M),
    "tensordot": (lambda x: tf.tensordot(x, x, [[1], [1]]), M),
    "softmax": (lambda x: tf.nn.softmax(x), M),
    "log_softmax": (lambda x: tf.nn.log_softmax(x, axis=0), M),
    "cross entropy": (lambda x: tf.nn.softmax_cross_entropy_with_logits(tf.constant(LABELS), x), M),
    "sparse cross entropy": (lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 3, 5, 1], x), M),
    "sigmoid cross entropy": (lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.constant(LABELS), x), M),
    "relu": (lambda x: tf.nn.relu(x), M),
    "gelu": (lambda x: tf.nn.gelu(x), M),
    "l2_normalize": (lambda x: tf.math.l2_normalize(x, axis=1), M),
    "moments": (lambda x: tf.nn.moments(x, [0])[1], M),
    "bias_add": (lambda x: tf.nn.bias_add(x, tf.ones([6])), M),
    "clip_by_norm": (lambda x: tf.clip_by_norm(x, 1.0), M),
    "clip_by_value": (lambda x: tf.clip_by_value(x, -0.5, 0.5), M),
    "scatter": (lambda x: tf.tensor_scatter_nd_update(x, [[0]], [[1.0] * 6]), M),
    "scatter add": (lambda x: tf.tensor_scatter_nd_add(x, [[0]], [[1.0] * 6]), M),
    "scatter_nd": (lambda x: tf.scatter_nd([[0], [2]], x[:2], [tf.shape(x)[0], 6]), M),
    "segment_sum": (lambda x: tf.math.segment_sum(x, [0, 0, 1, 1]), M),
    "unsorted_segment_sum": (lambda x: tf.math.unsorted_segment_sum(x, [1, 0, 1, 1], 3), M),
    "sequence_mask": (lambda x: x * tf.sequence_mask([1, 2, 3, 4], tf.shape(x)[1], dtype=tf.float32), M),
    "matrix_diag": (lambda x: tf.linalg.diag(x), M),
    "diag_part": (lambda x: tf.linalg.diag_part(x), SQUARE),
    "band_part": (lambda x: tf.linalg.band_part(x, 0, 1), SQUARE),
    "trace": (lambda x: tf.linalg.trace(x), SQUARE),
    "inv": (lambda x: tf.linalg.inv(x), SQUARE),
    "solve": (lambda x: tf.linalg.solve(x, tf.ones([3, 1])), SQUARE),
    "det": (lambda x: tf.linalg.det(x), SQUARE),
    "cholesky": (lambda x: tf.linalg.cholesky(x @ tf.transpose(x)), SQUARE),
    "eigh": (lambda x: tf.linalg.eigvalsh(x + tf.transpose(x)), POSITIVE),
    "svd": (lambda x: tf.linalg.svd(x, compute_uv=False), SQUARE),
    "conv2d": (lambda x: tf.nn.conv2d(x, tf.constant(FILTER), 1, "SAME"), IMAGE),
    "conv2d valid": (lambda x: tf.nn.conv2d(x, tf.constant(FILTER), 2, "VALID"), IMAGE),
    "depthwise": (lambda x: tf.nn.depthwise_conv2d(x, tf.constant(DEPTHWISE), [1, 1, 1, 1], "SAME"), IMAGE),
    "max_pool": (lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), IMAGE),
    "avg_pool": (lambda x: tf.nn.avg_pool2d(x, 2, 2, "SAME"), IMAGE),
    "resize": (lambda x: tf.image.resize(x, [4, 4]), IMAGE),
    "flip": (lambda x: tf.image.flip_left_right(x), IMAGE),
    "space_to_depth": (lambda x: tf.nn.space_to_depth(x, 2), IMAGE),
    "conv1d": (lambda x: tf.nn.conv1d(x, tf.ones([3, 4, 2]), 1, "SAME"), SEQUENCE),
    "reverse_sequence": (lambda x: tf.reverse_sequence(x, [2, 3], seq_axis=1), SEQUENCE),
    "fft": (lambda x: tf.abs(tf.signal.rfft(x)), SEQUENCE),
    "dropout": (lambda x: tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2]), M),
    "stateless_normal": (lambda x: x * tf.random.stateless_normal(tf.shape(x), [3, 4]), M),
    "identity": (lambda x: tf.identity(x), V),
    "add_n": (lambda x: tf.add_n([x, x, x]), M),
    "dynamic_partition": (lambda x: tf.dynamic_partition(x, [0, 1, 1, 0], 2)[1], M),
    "searchsorted": (lambda x: x * tf.cast(tf.searchsorted(tf.sort(x), x), tf.float32), V),
    "unique": (lambda x: tf.unique(x)[0] * 2.0, V),
    "stop_gradient": (lambda x: x * tf.stop_gradient(x), M),
}


def with_gradient(function):
    """A function that gives the result, and the gradient of a sum over it."""

    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            loss = tf.reduce_sum(tf.sin(y) * y) if y.dtype.is_floating else tf.reduce_sum(tf.cast(y, tf.float32))
        return y, tf.convert_to_tensor(tape.gradient(loss, x, unconnected_gradients="zero"))

    return both


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("how", ["dimensions", "rank"])
def test_results_and_gradients(name, how):
    function, array = CASES[name]
    both, x = with_gradient(function), tf.constant(array)
    shape = None if how == "rank" else [None] * array.ndim
    traced = tf.function(both, autograph=False).get_concrete_function(tf.TensorSpec(shape, tf.float32))
    for found, wanted in zip(traced(x), both(x), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("name", CASES)
def test_static_shapes_agree_with_those_of_a_run(name):
    function, array = CASES[name]
    traced = tf.function(function, autograph=False).get_concrete_function(
        tf.TensorSpec([None] * array.ndim, tf.float32)
    )
    found = traced(tf.constant(array))
    assert traced.structured_outputs.get_shape().is_compatible_with(found.shape)


@pytest.mark.parametrize("name", CASES)
def test_tapes_outside(name):
    function, array = CASES[name]
    x = tf.constant(array)
    traced = tf.function(function, autograph=False).get_concrete_function(
        tf.TensorSpec([None] * array.ndim, tf.float32)
    )
    gradients = []
    for f in (traced, function):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
            loss = tf.reduce_sum(tf.sin(y) * y)
        gradients.append(tf.convert_to_tensor(tape.gradient(loss, x, unconnected_gradients="zero")))
    np.testing.assert_allclose(*gradients, rtol=2e-4, atol=2e-5)


SECOND = ["add", "matmul", "reduce_mean", "reshape rows", "slice", "gather axis", "boolean_mask", "where", "softmax", "tile",
          "cumsum", "norm", "concat", "squeeze all", "conv2d", "inv", "sparse cross entropy", "clip_by_norm"]  # fmt: skip


@pytest.mark.parametrize("name", SECOND)
@pytest.mark.parametrize("where", ["inside", "outside"])
def test_second_order(name, where):
    function, array = CASES[name]
    x = tf.constant(array)
    spec = tf.TensorSpec([None] * array.ndim, tf.float32)

    def loss(x, f):
        y = f(x)
        return tf.reduce_sum(tf.sin(y) * y)

    def second(x, f):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = loss(x, f)
            g = tf.convert_to_tensor(inner.gradient(y, x))
            s = tf.reduce_sum(g * tf.cos(g))
        return tf.convert_to_tensor(outer.gradient(s, x))

    if where == "inside":
        traced = tf.function(lambda x: second(x, function), autograph=False).get_concrete_function(spec)
        found = traced(x)
    else:
        found = second(x, tf.function(function, autograph=False).get_concrete_function(spec))
    np.testing.assert_allclose(found, second(x, function), rtol=2e-3, atol=2e-4)


def shape_of(function, *shapes):
    """The static shape of a result, for arguments of such shapes."""
    specs = [tf.TensorSpec(shape, tf.float32) for shape in shapes]
    shape = tf.function(function, autograph=False).get_concrete_function(*specs).structured_outputs.shape
    return None if shape.rank is None else shape.as_list()


@pytest.mark.parametrize(
    ("function", "shapes", "wanted"),
    [
        (lambda x: x * 2.0, [[None, 3]], [None, 3]),
        (lambda x, y: x + y, [[None, 3], [5, 3]], [5, 3]),
        (lambda x, y: x + y, [[None, None], [5, None]], [5, None]),
        (lambda x, y: x + y, [[None], [1]], [None]),
        (lambda x, y: tf.matmul(x, y), [[None, None], [3, 4]], [None, 4]),
        (lambda x, y: tf.concat([x, y], 0), [[None, 3], [2, None]], [None, 3]),
        (lambda x: tf.reshape(x, [-1, 4]), [[None, 8]], [None, 4]),
        (lambda x: tf.reshape(x, [tf.shape(x)[0], -1]), [[None, 2, 3]], [None, 6]),
        (lambda x: tf.reshape(tf.reshape(x, [-1, 4]), [tf.shape(x)[0], -1]), [[None]], [None, None]),
        (lambda x: x[:3], [[None, 2]], [None, 2]),
        (lambda x: x[0], [[None, 2]], [2]),
        (lambda x: tf.expand_dims(x, 1), [[None, 2]], [None, 1, 2]),
        (lambda x: tf.squeeze(x), [[None, 1, 2]], None),
        (lambda x: tf.zeros([tf.shape(x)[0], 7]), [[None]], [None, 7]),
        (lambda x: tf.boolean_mask(x, x > 0.0), [[10]], [None]),
        (lambda x: tf.reduce_sum(x), [None], []),
        (lambda x: tf.nn.softmax(x), [[None, 5]], [None, 5]),
        (lambda x: tf.nn.conv2d(x, tf.ones([3, 3, 2, 4]), 1, "SAME"), [[None, 8, 8, 2]], [None, 8, 8, 4]),
        (lambda x: tf.nn.conv2d(x, tf.ones([3, 3, 2, 4]), 1, "VALID"), [[2, None, 8, 2]], [2, None, 6, 4]),
        (lambda x: x + tf.ones([3]), [None], None),
    ],
)
def test_what_is_known_of_a_shape(function, shapes, wanted):
    found = shape_of(function, *shapes)
    assert found == wanted


def test_results_that_depend_on_values_differ_from_call_to_call():
    f = tf.function(lambda x, n: (tf.boolean_mask(x, x > 0.0) * 2.0, tf.range(n), x[:n]), autograph=False)
    for n, values in ((1, [1.0, -1.0, 2.0]), (3, [-1.0, -1.0, 5.0])):
        a, b, c = f(tf.constant(values), tf.constant(n))
        assert a.numpy().tolist() == [2 * v for v in values if v > 0]
        assert b.numpy().tolist() == list(range(n))
        assert c.numpy().tolist() == values[:n]
    assert f.experimental_get_tracing_count() == 1


def test_random_numbers_of_any_size_are_those_of_the_stream():
    draw = tf.function(lambda x: tf.random.uniform(tf.shape(x)), autograph=False)
    concrete = draw.get_concrete_function(tf.TensorSpec([None], tf.float32))
    tf.random.set_seed(3)
    wanted = [tf.random.uniform([n]).numpy() for n in (2, 3, 2)]
    tf.random.set_seed(3)
    for n, row in zip((2, 3, 2), wanted, strict=True):
        np.testing.assert_allclose(concrete(tf.ones([n])), row, rtol=1e-6)


def test_function_that_draws_only_in_a_later_trace():
    tf.random.set_seed(11)
    f = tf.function(lambda x, noisy: x + tf.random.normal([]) * 0.0 if noisy else x, autograph=False)
    assert float(f(tf.constant(1.0), False)) == 1.0
    assert float(f(tf.constant(1.0), True)) == 1.0


def test_error_of_the_function_itself_is_shown():
    f = tf.function(lambda x: tf.reshape(x, [7, -1]), autograph=False)
    with pytest.raises(ValueError, match=r"reshape(.|\n)*in user code"):
        f.get_concrete_function(tf.TensorSpec([2, 3], tf.float32))
    concrete = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert concrete(tf.ones([14])).shape == [7, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"test_unknown_sizes.py(.|\n)*Graph execution error"):
        concrete(tf.ones([8]))


def test_functions_of_a_module_that_was_imported_by_itself():
    code = """
import gradtape.nn.experimental
import gradtape as tf
drop = tf.function(lambda x: tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2]), autograph=False,
                   input_signature=[tf.TensorSpec([None, 3])])
print(drop(tf.ones([2, 3])).shape)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "(2, 3)\n"


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (tf.math.reduce_std, []),
        (lambda x: tf.math.reduce_std(x, [0, 1]), [3]),
        (tf.math.zero_fraction, []),
        (tf.image.per_image_standardization, [None, None, 3]),
        (lambda x: tf.image.central_crop(x, 0.5), [None, None, 3]),
        (lambda x: tf.image.resize_with_pad(x, 4, 4), [4, 4, 3]),
        (lambda x: tf.image.random_crop(x, [2, 2, 3]), [2, 2, 3]),
        (lambda x: tf.linspace(0.0, 1.0, tf.shape(x)[0]), [None]),
    ],
)
def test_functions_that_ask_for_numbers_keep_what_does_not_depend_on_them(function, shape):
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, None, 3])])
    def traced(x):
        y = function(x)
        seen.append(y.shape.as_list())
        return y

    assert traced(tf.ones([8, 8, 3])).shape.is_compatible_with(shape)
    assert seen[-1] == shape


def test_a_loop_over_an_image_keeps_its_shape():
    """The update of DeepDream: the deviation of a gradient has no axes, whatever the size of the image."""

    @tf.function(input_signature=[tf.TensorSpec([None, None, 3]), tf.TensorSpec([], tf.int32)])
    def climb(image, steps):
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                tape.watch(image)
                loss = tf.reduce_sum(image**2)
            gradient = tape.gradient(loss, image)
            image = tf.clip_by_value(image + gradient / (tf.math.reduce_std(gradient) + 1e-8), 0.0, 1.0)
        return image

    assert climb(tf.random.uniform([4, 5, 3]), 2).shape == [4, 5, 3]


def test_a_shape_of_which_the_unknown_part_is_empty():
    @tf.function(input_signature=[tf.TensorSpec([None, 1], tf.float32)])
    def spread(x):
        m = tf.eye(3)
        return tf.broadcast_to(m, tf.concat([tf.shape(x)[:-2], tf.shape(m)], 0))

    np.testing.assert_array_equal(spread(tf.zeros([4, 1])), np.eye(3))
