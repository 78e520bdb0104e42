"""Products that are computed in parts, and in given memory."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.ops import blas


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
@pytest.mark.parametrize("transposes", [(False, False), (True, False), (False, True)])
def test_parts_of_one_product(
    monkeypatch: pytest.MonkeyPatch, random: np.random.Generator, dtype: type, transposes: tuple[bool, bool]
) -> None:
    a, b = random.normal(size=(320, 320)).astype(dtype), random.normal(size=(320, 320)).astype(dtype)

    def product() -> np.ndarray:
        return tf.matmul(a, b, transpose_a=transposes[0], transpose_b=transposes[1]).numpy()

    whole = product()
    monkeypatch.setattr(blas, "LONG", 1 << 16)
    np.testing.assert_allclose(product(), whole, rtol=1e-5, atol=1e-4)


def test_stacks_in_parts(monkeypatch: pytest.MonkeyPatch, random: np.random.Generator) -> None:
    a = random.normal(size=(9, 100, 100)).astype(np.float32)
    whole = tf.matmul(a, a).numpy()
    monkeypatch.setattr(blas, "LONG", 1 << 16)
    np.testing.assert_array_equal(tf.matmul(a, a).numpy(), whole)


def test_given_memory(random: np.random.Generator) -> None:
    a, out = random.normal(size=(40, 40)), np.empty((40, 40))
    assert blas.matmul(a, a, out) is out
    np.testing.assert_array_equal(out, a @ a)


def test_large_convolutions_and_their_gradients() -> None:
    x, k = tf.ones([2, 64, 64, 16]), tf.Variable(tf.ones([3, 3, 16, 32]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.conv2d(x, k, 1, "VALID")
    assert (y.numpy() == 9 * 16).all()
    dx, dk = tape.gradient(y, [x, k])
    assert dx.numpy().max() == 9 * 32
    assert (dk.numpy() == 2 * 62 * 62).all()
