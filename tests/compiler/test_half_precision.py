"""Products and convolutions of float16 and bfloat16 in functions: machine code, and the numbers of eager ops."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf

PROGRAMS: dict[str, tuple[Callable[..., Any], list[int], list[int]]] = {
    "matmul": (lambda x, w: tf.nn.relu(x @ w), [24, 40], [40, 56]),
    "transposed": (lambda x, w: tf.matmul(x, w, transpose_a=True, transpose_b=True), [33, 24], [17, 33]),
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
