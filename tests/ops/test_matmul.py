"""Products in maps: a matrix that meets many narrow ones is multiplied once."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.ops import matmul


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "int32"])
@pytest.mark.parametrize(("transpose_a", "transpose_b"), list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_narrow_products_of_a_map(
    dtype: str, transpose_a: bool, transpose_b: bool, wrap: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=(40, 70) if transpose_a else (70, 40), scale=3).astype(dtype)
    b = rng.normal(size=(5, 3, 40) if transpose_b else (5, 40, 3), scale=3).astype(dtype)
    seen = []
    monkeypatch.setattr(matmul, "_side_by_side", _spy(matmul._side_by_side, seen))

    def each(x: Any) -> Any:
        return tf.matmul(a, x, transpose_a=transpose_a, transpose_b=transpose_b)

    found = wrap(lambda b: tf.vectorized_map(each, b))(tf.constant(b)).numpy()
    assert seen
    expected = np.matmul(
        (a.T if transpose_a else a).astype(np.complex128),
        (b.swapaxes(1, 2) if transpose_b else b).astype(np.complex128),
    )
    assert found.dtype == dtype
    tolerance = 4e-3 if dtype == "float16" else 1e-5
    np.testing.assert_allclose(found, expected, atol=tolerance * abs(expected).max())


def _spy(function: Any, seen: list[Any]) -> Any:
    def noted(*args: Any, **kwargs: Any) -> Any:
        seen.append(args)
        return function(*args, **kwargs)

    return noted


def test_gradient_and_jacobian_of_a_map() -> None:
    rng = np.random.default_rng(0)
    a, b = tf.constant(rng.normal(size=(70, 40))), tf.constant(rng.normal(size=(5, 40, 3)))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        y = tf.vectorized_map(lambda x: tf.matmul(a, x), b)
    weights = rng.normal(size=(5, 70, 3))
    da, db = tape.gradient(y, [a, b], weights)
    np.testing.assert_allclose(da, np.einsum("bmn,bkn->mk", weights, b), rtol=1e-12)
    np.testing.assert_allclose(db, np.einsum("bmn,mk->bkn", weights, a), rtol=1e-12)


def test_few_rows_and_unknown_sizes_stay_stacks() -> None:
    narrow = tf.zeros([5, 40, 3])
    assert not matmul._is_narrow(tf.zeros([8, 40]), narrow)
    assert not matmul._is_narrow(tf.zeros([70, 4]), tf.zeros([5, 4, 3]))
    assert matmul._is_narrow(tf.zeros([70, 40]), narrow)

    @tf.function(input_signature=[tf.TensorSpec([None, 40]), tf.TensorSpec([None, 40, 3])])
    def mapped(a: Any, b: Any) -> Any:
        return tf.vectorized_map(lambda x: tf.matmul(a, x), b)

    np.testing.assert_allclose(mapped(tf.ones([70, 40]), tf.ones([5, 40, 3])), np.full((5, 70, 3), 40.0))
