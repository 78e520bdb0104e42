"""Products and convolutions of float16 and bfloat16 in functions: machine code, and the numbers of eager ops."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compiler.codegen.simd.machine import host

PROGRAMS: dict[str, tuple[Callable[..., Any], list[int], list[int]]] = {
    "matmul": (lambda x, w: tf.nn.relu(x @ w), [24, 40], [40, 56]),
    "transposed": (lambda x, w: tf.matmul(x, w, transpose_a=True, transpose_b=True), [33, 24], [17, 33]),
    "long": (tf.matmul, [33, 1450], [1450, 70]),
    "long, transposed": (lambda x, w: tf.matmul(x, w, transpose_a=True, transpose_b=True), [1450, 40], [18, 1450]),
    "odd": (tf.matmul, [24, 41], [41, 19]),
    "heads": (
        lambda x, w: tf.matmul(tf.transpose(x, [0, 2, 1, 3]), tf.transpose(w, [0, 2, 3, 1])),
        [2, 16, 3, 32],
        [2, 20, 3, 32],
    ),
    "stack": (tf.matmul, [3, 5, 8], [3, 8, 6]),
    "row": (tf.matmul, [1, 40], [40, 56]),
    "column": (tf.matmul, [24, 40], [40, 1]),
    "einsum": (lambda x, w: tf.einsum("bqhd,bkhd->bhqk", x, w), [2, 5, 3, 8], [2, 7, 3, 8]),
    "convolution": (lambda x, w: tf.nn.conv2d(x, w, 2, "SAME"), [2, 9, 9, 6], [3, 3, 6, 8]),
    "pointwise convolution": (lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), [2, 6, 6, 8], [1, 1, 8, 4]),
    "depthwise": (lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "VALID"), [2, 7, 7, 8], [3, 3, 8, 1]),
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_products_are_native_and_equal_to_eager(name: str, dtype: str) -> None:
    program, *shapes = PROGRAMS[name]
    values = [tf.random.stateless_normal(shape, [1, i], dtype=dtype) for i, shape in enumerate(shapes)]

    def step(*values: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = program(*values)
        return y, *tape.gradient(y, values)

    compiled = tf.function(step)
    results = compiled(*values)
    text = str(compiled.explain())
    assert set(re.findall(r"NumPy: (\w+)", text)) <= {"reshape"}, text  # a view of a result
    # Sums in another order in float32, rounded once: neighbours at most.
    rtol = 2.0 ** (-10 if dtype == "float16" else -7)
    for found, expected in zip(results, step(*values), strict=True):
        assert found.dtype == tf.as_dtype(dtype)
        np.testing.assert_allclose(tf.cast(found, "float32"), tf.cast(expected, "float32"), rtol=rtol, atol=rtol)


@pytest.mark.skipif(not host().multiplies_bfloat16, reason="this machine has no instruction for products of bfloat16")
@pytest.mark.parametrize(
    ("shapes", "kind"),
    [(([32, 64], [64, 48]), "bfloat16"), (([32, 63], [63, 48]), "float32"), (([4, 64], [64, 48]), "float32")],
)
def test_large_products_of_bfloat16_are_not_widened(shapes: Any, kind: str) -> None:
    x, w = (tf.ones(shape, "bfloat16") for shape in shapes)
    product = tf.function(tf.matmul)
    product(x, w)
    text = str(product.explain(stage="kernels"))
    assert re.search(r"%0 = load in0\[i, k\] +(\w+)", text)[1] == kind, text


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_values_that_are_not_finite(value: float) -> None:
    x = np.ones([32, 64], np.float32)
    x[3, 5] = value
    found = tf.function(tf.matmul)(tf.constant(x, tf.bfloat16), tf.ones([64, 48], tf.bfloat16))
    np.testing.assert_array_equal(tf.cast(found, "float32"), x @ np.ones([64, 48], np.float32))
