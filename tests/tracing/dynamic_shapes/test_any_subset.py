"""Whatever is traced with known sizes is traced with any of them unknown, and without ranks, and computes the same."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf

_PATH = Path(__file__).parents[3] / "conformance" / "behaviours" / "cases" / "_programs_of_sizes.py"
_spec = importlib.util.spec_from_file_location("programs_of_sizes", _PATH)
table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)
M, N, V, W, T, I, IMAGE = table.M, table.N, table.V, table.W, table.T, table.I, table.IMAGE
POSITIVE = np.abs(M) + 0.5

MORE = {
    "huber": (lambda tf, x, y: tf.math.squared_difference(x, y) / 2.0, [M, W]),
    "cross_entropy": (lambda tf, x, y: tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x), [M, POSITIVE]),
    "sigmoid_cross_entropy": (lambda tf, x: tf.nn.sigmoid_cross_entropy_with_logits(labels=x * 0.0, logits=x), [M]),
    "log_softmax": (lambda tf, x: tf.nn.log_softmax(x, axis=0), [M]),
    "bias_add": (lambda tf, x, b: tf.nn.bias_add(x, b), [M, W]),
    "norm": (lambda tf, x: tf.norm(x, axis=-1), [POSITIVE]),
    "batch_norm": (
        lambda tf, x: tf.nn.batch_normalization(
            x, *tf.nn.moments(x, [0]), offset=None, scale=None, variance_epsilon=0.1
        ),
        [M],
    ),
    "embedding": (lambda tf, i: tf.nn.embedding_lookup(tf.constant(N), i), [I]),
    "dense": (lambda tf, x: tf.nn.relu(tf.matmul(x, tf.constant(N)) + 0.125), [M]),
    "attention": (lambda tf, q: tf.matmul(tf.nn.softmax(tf.matmul(q, q, transpose_b=True) / 2.0), q), [T]),
    "conv1d": (lambda tf, x: tf.nn.conv1d(x, tf.ones([2, 4, 3]), 1, "SAME"), [T]),
    "depthwise": (lambda tf, x: tf.nn.depthwise_conv2d(x, tf.ones([2, 2, 3, 1]), [1, 1, 1, 1], "SAME"), [IMAGE]),
    "conv_transpose": (
        lambda tf, x: tf.nn.conv2d_transpose(
            x, tf.ones([2, 2, 2, 3]), tf.stack([tf.shape(x)[0], tf.shape(x)[1] * 2, tf.shape(x)[2] * 2, 2]), 2
        ),
        [IMAGE],
    ),
    "cumprod": (lambda tf, x: tf.math.cumprod(x, axis=0, exclusive=True), [M]),
    "reduce_prod": (lambda tf, x: tf.reduce_prod(x, axis=1), [M]),
    "reduce_std": (lambda tf, x: tf.math.reduce_std(x), [M]),
    "top_values": (lambda tf, x: tf.math.top_k(x, 2).values, [M]),
    "floor_sizes": (lambda tf, x: x[: tf.shape(x)[0] // 2 + 1], [M]),
    "pad_by_size": (lambda tf, x: tf.pad(x, [[0, 5 - tf.shape(x)[0]], [0, 0]]), [M]),
    "linspace": (lambda tf, x: tf.linspace(0.0, 1.0, tf.shape(x)[0]), [M]),
    "mask_by_size": (lambda tf, x: tf.linalg.band_part(tf.ones([tf.shape(x)[0]] * 2), -1, 0), [M]),
    "outer": (lambda tf, v, w: tf.einsum("i,j->ij", v, w), [V, W]),
    "trace": (lambda tf, x: tf.linalg.trace(tf.matmul(x, x, transpose_b=True)), [M]),
    "extract": (lambda tf, x: tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"), [IMAGE]),
    "flip": (lambda tf, x: tf.image.flip_left_right(x), [IMAGE]),
    "crop": (lambda tf, x: tf.image.central_crop(x, 0.5), [IMAGE]),
}
PROGRAMS = {**table.PROGRAMS, **MORE}
MASKED = {"boolean_mask", "boolean_mask_rows"}  # the mask needs a rank, as in TensorFlow
REFUSED = {"unstack"}  # without num: how many results there are depends on the size


def shapes_of(arrays, how):
    """Shapes of arrays in which some dimensions are unknown."""
    if how == "ranks":
        return [None for _ in arrays]
    if how == "sizes":
        return [[None] * x.ndim for x in arrays]
    random = np.random.default_rng(how)
    return [[None if random.random() < 0.5 else d for d in x.shape] for x in arrays]


def floats(structure):
    return [y for y in tf.nest.flatten(structure) if y.dtype.is_floating]


def gradients(program):
    def run(*xs):
        with tf.GradientTape() as tape:
            tape.watch([x for x in xs if x.dtype.is_floating])
            total = tf.add_n([tf.reduce_sum(y * tf.cast(y, y.dtype)) for y in floats(program(tf, *xs))])
        found = tape.gradient(total, [x for x in xs if x.dtype.is_floating], unconnected_gradients="zero")
        return [tf.convert_to_tensor(d) for d in found]

    return run


def agree(run, arrays, how):
    wanted = run(*[tf.constant(x) for x in arrays])
    specs = [tf.TensorSpec(s, x.dtype) for s, x in zip(shapes_of(arrays, how), arrays, strict=True)]
    concrete = tf.function(run).get_concrete_function(*specs)
    found = concrete(*[tf.constant(x) for x in arrays])
    for got, want in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=1e-5)
    for static, want in zip(tf.nest.flatten(concrete.structured_outputs), tf.nest.flatten(wanted), strict=True):
        assert static.shape.is_compatible_with(want.shape), f"{static.shape} was said of {want.shape}"


@pytest.mark.parametrize("how", ["ranks", 0])
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_results(name, how):
    program, arrays = PROGRAMS[name]
    if name in MASKED and how == "ranks":
        with pytest.raises(ValueError, match="the number of mask dimensions must be specified"):
            agree(lambda *xs: program(tf, *xs), arrays, how)
        return
    if name in REFUSED and None in (shapes_of(arrays, how)[0] or [None])[:1]:
        with pytest.raises(ValueError, match="Cannot infer argument `num`"):
            agree(lambda *xs: program(tf, *xs), arrays, how)
        return
    agree(lambda *xs: program(tf, *xs), arrays, how)


def has_gradient(name):
    program, arrays = PROGRAMS[name]
    result = program(tf, *[tf.constant(x) for x in arrays])
    return name not in REFUSED and name != "py_function" and floats(result) and any(x.dtype.kind == "f" for x in arrays)


@pytest.mark.parametrize("how", ["sizes", "ranks"])
@pytest.mark.parametrize("name", [n for n in sorted(PROGRAMS) if "_function" not in n and n != "slice_by_size"])
def test_gradients(name, how):
    if not has_gradient(name) or (name in MASKED and how == "ranks"):
        pytest.skip("there is none")
    program, arrays = PROGRAMS[name]
    agree(gradients(program), arrays, how)
