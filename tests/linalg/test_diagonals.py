"""Diagonals, bands and simple products of matrices under TensorFlow's names."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(31)
A = random.normal(size=(2, 3, 4))
C = A + 1j * random.normal(size=(2, 3, 4))


def test_adjoint():
    np.testing.assert_array_equal(tf.linalg.adjoint(C), np.conj(np.swapaxes(C, -1, -2)))


def test_band_part():
    np.testing.assert_array_equal(tf.linalg.band_part(A, 1, -1), np.triu(A, -1))
    np.testing.assert_array_equal(tf.linalg.band_part(A, -1, tf.constant(0)), np.tril(A))
    np.testing.assert_array_equal(tf.linalg.band_part(A, -7, -7), A)
    with pytest.raises(tf.errors.InvalidArgumentError, match="lower is 4"):
        tf.linalg.band_part(A, 4, 0)


@pytest.mark.parametrize("k", [0, 1, -1, 3, (0, 1), (-2, 0), (-2, 3), (1, 2)])
@pytest.mark.parametrize("align", ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"])
def test_diag_part_and_back(k, align):
    low, high = k if isinstance(k, tuple) else (k, k)
    d = tf.linalg.diag_part(A, k=k, padding_value=9.0, align=align)
    for row, i in enumerate(range(high, low - 1, -1)):
        own = np.diagonal(A, i, -2, -1)
        held = d.numpy() if low == high else d.numpy()[:, row]
        right = align.split("_")[i < 0] == "RIGHT"
        gap = held.shape[-1] - own.shape[-1]
        np.testing.assert_array_equal(held[:, gap:] if right else held[:, : own.shape[-1]], own)
        np.testing.assert_array_equal(held[:, :gap] if right else held[:, own.shape[-1] :], 9.0)
    within = np.triu(np.tril(np.ones((3, 4), bool), high), low)
    back = tf.linalg.diag(d, k=k, num_rows=3, num_cols=4, padding_value=7.0, align=align)
    np.testing.assert_array_equal(back, np.where(within, A, 7.0))
    zeroed = tf.linalg.set_diag(np.zeros_like(A), d, k=k, align=align)
    np.testing.assert_array_equal(zeroed, np.where(within, A, 0.0))


def test_diag_shapes():
    assert tf.linalg.diag([1, 2]).numpy().tolist() == [[1, 0], [0, 2]]
    assert tf.linalg.diag([1, 2], k=-1).shape == (3, 3)
    assert tf.linalg.diag([1, 2], k=1, num_rows=2).shape == (2, 3)
    assert tf.linalg.diag([1, 2], num_cols=5).shape == (2, 5)
    assert tf.linalg.diag([1, 2], num_rows=3, num_cols=2).numpy().tolist() == [[1, 0], [0, 2], [0, 0]]
    assert tf.linalg.diag([[1, 2, 3]] * 2, k=tf.constant([-1, 0])).shape == (3, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_rows is 4 and num_cols is 4"):
        tf.linalg.diag([1, 2], num_rows=4, num_cols=4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="needs rank 2 or more"):
        tf.linalg.diag([1, 2], k=(0, 1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="lowest and the highest"):
        tf.linalg.diag([1, 2], k=(0, 1, 2))
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="align must be one of RIGHT_LEFT, LEFT_RIGHT, LEFT_LEFT, RIGHT_RIGHT, got 'CENTER'",
    ):
        tf.linalg.diag_part(A, k=(0, 1), align="CENTER")


def test_set_diag_refusals():
    with pytest.raises(tf.errors.InvalidArgumentError, match="needs rank 2"):
        tf.linalg.set_diag([1.0], [1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="leading dimensions differ"):
        tf.linalg.set_diag(A, A[0, :, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtypes differ"):
        tf.linalg.set_diag(tf.constant(A), tf.constant(A[:, :, 0], tf.float32))


def test_gradients():
    d = random.normal(size=(2, 3))
    check_grads(lambda x: tf.linalg.diag(x, k=(-1, 0), padding_value=3.0) ** 2, (random.normal(size=(2, 3)),))
    check_grads(lambda x: tf.linalg.diag_part(x, k=(-1, 2), padding_value=3.0) ** 2, (A,))
    check_grads(lambda x, d: tf.linalg.set_diag(x, d) ** 2, (A, d))
    check_grads(lambda x: tf.linalg.trace(tf.linalg.adjoint(x) @ x), (C,))
    check_grads(lambda a, b: tf.linalg.cross(a, b) * a, (d, random.normal(size=(2, 3))))
    check_grads(lambda a, b: tf.linalg.kron(a, b), (A[0], C[0].real))
    check_grads(lambda a: tf.linalg.tensor_diag_part(tf.linalg.tensor_diag(a)) * a, (d,))


def test_tensor_diag():
    y = tf.linalg.tensor_diag(A)
    assert y.shape == (2, 3, 4, 2, 3, 4)
    np.testing.assert_array_equal(np.einsum("abcabc->abc", y), A)
    assert np.count_nonzero(y) == A.size
    np.testing.assert_array_equal(tf.linalg.tensor_diag_part(y), A)
    with pytest.raises(tf.errors.InvalidArgumentError, match="a scalar"):
        tf.linalg.tensor_diag(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must have a shape \[d1"):
        tf.linalg.tensor_diag_part(A)


def test_trace():
    np.testing.assert_allclose(tf.linalg.trace(A), np.trace(A, axis1=1, axis2=2))
    assert tf.linalg.trace([[1, 2], [3, 4]]).numpy() == 5
    with pytest.raises(tf.errors.InvalidArgumentError, match="needs rank 2"):
        tf.linalg.trace([1.0])


def test_cross():
    a, b = random.normal(size=(2, 5, 3))
    np.testing.assert_allclose(tf.linalg.cross(a, b), np.cross(a, b))
    for wrong in ([1.0, 2.0], [[1.0, 2.0, 3.0]], 1.0):
        with pytest.raises(tf.errors.InvalidArgumentError, match="both must have one shape"):
            tf.linalg.cross([1.0, 2.0, 3.0], wrong)


def test_kron():
    b = random.normal(size=(2, 2, 2))
    np.testing.assert_allclose(tf.linalg.kron(A, b), [np.kron(p, q) for p, q in zip(A, b, strict=True)])
    np.testing.assert_allclose(tf.linalg.kron(A, b[0]), [np.kron(p, b[0]) for p in A])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be matrices"):
        tf.linalg.kron(A, [1.0])


def test_vectorized_map():
    got = tf.vectorized_map(lambda x: tf.linalg.set_diag(x, tf.linalg.diag_part(x) * 2.0), tf.constant(A))
    want = A.copy()
    want[:, range(3), range(3)] *= 2.0
    np.testing.assert_array_equal(got, want)


def test_diagonals_outside_of_the_matrix_are_left_out() -> None:
    rows = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3]]
    want = [[1, 8, 6], [0, 2, 9], [0, 0, 3]]
    assert tf.linalg.diag(rows, k=(0, 3), num_rows=3).numpy().tolist() == want
    assert tf.linalg.diag(rows, k=(0, 3), num_cols=4).numpy().tolist() == [[1, 7, 5, 3], [0, 2, 8, 6], [0, 0, 3, 9]]
    below = tf.linalg.diag([[1, 2], [3, 4], [5, 6]], k=(-3, -1), align="LEFT_LEFT", padding_value=9)
    assert below.numpy().tolist() == [[9, 9, 9], [1, 9, 9], [3, 2, 9]]
