"""Products and norms under TensorFlow's names."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(5)
A, B = random.normal(size=(2, 3)), random.normal(size=(3, 4))
C = random.normal(size=(2, 3)) + 1j * random.normal(size=(2, 3))


def test_matmul_flags():
    np.testing.assert_allclose(tf.matmul(A, B), A @ B)
    np.testing.assert_allclose(tf.matmul(A.T, B, transpose_a=True), A @ B)
    np.testing.assert_allclose(tf.matmul(A, B.T, transpose_b=True), A @ B)
    np.testing.assert_allclose(tf.linalg.matmul(C, C, adjoint_a=True), C.conj().T @ C)
    np.testing.assert_allclose(tf.matmul(C, C, adjoint_b=True), C @ C.conj().T)
    np.testing.assert_allclose(tf.constant(A) @ tf.Variable(B), A @ B)


def test_matmul_operands_take_the_dtype_of_a_tensor():
    x = tf.constant([[1.0, 2.0]])
    assert tf.matmul(x, B[:2]).dtype is tf.float32
    assert tf.matmul(B[:2].T, x, transpose_b=True).dtype is tf.float32
    assert tf.matmul([[1.0]], tf.Variable([[2.0]], dtype=tf.float64)).dtype is tf.float64
    assert tf.matmul([[1, 2]], [[3], [4]]).numpy().tolist() == [[11]]


def test_matmul_output_type():
    small = tf.constant([[100]], tf.int8)
    assert tf.matmul(small, small, output_type=tf.int32).numpy().tolist() == [[10000]]
    assert tf.matmul(tf.constant(A), tf.constant(B), output_type=tf.float32).dtype is tf.float32


def test_matmul_refusals():
    with pytest.raises(ValueError, match="transpose_a and adjoint_a"):
        tf.matmul(A, B, transpose_a=True, adjoint_a=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="inner dimensions differ"):
        tf.matmul(A, A)
    with pytest.raises(tf.errors.InvalidArgumentError, match="both need rank 2"):
        tf.matmul(A, B[:, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtypes differ"):
        tf.matmul(tf.constant(A), tf.constant(B, tf.float32))


def test_large_matrices_are_not_split_like_elementwise_arrays():
    x = random.normal(size=(512, 512)).astype(np.float32)
    np.testing.assert_allclose(tf.constant(x) @ tf.constant(x), x @ x, rtol=1e-4, atol=1e-3)


def test_matvec():
    stack = random.normal(size=(2, 3, 4))
    vectors = random.normal(size=(2, 4))
    np.testing.assert_allclose(tf.linalg.matvec(stack, vectors), np.einsum("bij,bj->bi", stack, vectors))
    np.testing.assert_allclose(tf.linalg.matvec(A, A[:, 0], transpose_a=True), A.T @ A[:, 0])
    np.testing.assert_allclose(tf.linalg.matvec(C, C[:, 0], adjoint_a=True), C.conj().T @ C[:, 0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.matvec(A, A[:, 0])


@pytest.mark.parametrize(
    ("shape_a", "shape_b", "axes"),
    [
        ((2, 3), (3, 4), 1),
        ((2, 3), (2, 3), 2),
        ((2,), (3,), 0),
        ((2, 3, 4), (4, 3, 5), [[1, 2], [1, 0]]),
        ((2, 3, 4), (4, 3, 5), ([2, 1], [0, 1])),
        ((3, 2), (3, 4), [[0], [0]]),
        ((2, 3), (4, 3), [1, 1]),
        ((2, 3), (4, 3), [-1, -1]),
        ((2, 3, 4), (5, 3), [[1], [1]]),
        ((0, 3), (3, 4), 1),
    ],
)
def test_tensordot(shape_a, shape_b, axes):
    a, b = random.normal(size=shape_a), random.normal(size=shape_b)
    np.testing.assert_allclose(tf.tensordot(a, b, axes), np.tensordot(a, b, axes))
    if a.size:
        check_grads(lambda x, y: tf.tensordot(x, y, axes), (a, b))


def test_tensordot_axes_may_be_tensors():
    np.testing.assert_allclose(tf.tensordot(A, A, tf.constant([[1], [1]])), A @ A.T)
    np.testing.assert_allclose(tf.tensordot(A, B, tf.constant(1)), A @ B)


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        (3, "axes is 3"),
        (-1, "axes is -1"),
        ([[0], [0, 1]], "axes of a and b differ in number: 1 vs 2"),
        ([1, 1, 1], "two lists"),
    ],
)
def test_tensordot_refuses_axes(axes, words):
    with pytest.raises(ValueError, match=words):
        tf.tensordot(A, A, axes)


def test_tensordot_refuses_lengths():
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not have the lengths"):
        tf.tensordot(A, A, 1)


@pytest.mark.parametrize("order", ["euclidean", 2, 1, np.inf, 3, 2.5])
@pytest.mark.parametrize(("axis", "numpy_axis"), [(0, 0), (-1, 1), ([1], 1)])
def test_vector_norms(order, axis, numpy_axis):
    wanted = np.linalg.norm(A, 2 if order == "euclidean" else order, axis=numpy_axis)
    np.testing.assert_allclose(tf.norm(A, order, axis), wanted)
    check_grads(lambda x: tf.norm(x, order, axis), (A,))


@pytest.mark.parametrize("order", ["euclidean", 2, 1, np.inf, 3])
def test_norms_of_the_whole_tensor_as_one_vector(order):
    np.testing.assert_allclose(tf.norm(A, order), np.linalg.norm(A.ravel(), 2 if order == "euclidean" else order))


@pytest.mark.parametrize(("order", "numpy_order"), [("fro", "fro"), ("euclidean", "fro"), (1, 1), (np.inf, np.inf)])
@pytest.mark.parametrize("axis", [(0, 1), [1, 2], (2, 0), (-2, -1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_matrix_norms(order, numpy_order, axis, keepdims):
    x = random.normal(size=(2, 3, 4))
    wanted = np.linalg.norm(x, numpy_order, axis=tuple(axis), keepdims=keepdims)
    np.testing.assert_allclose(tf.linalg.norm(x, order, axis, keepdims=keepdims), wanted)


def test_norm_keeps_dims():
    assert tf.norm(A, axis=1, keepdims=True).shape == (2, 1)
    assert tf.norm(A, keepdims=True).shape == (1, 1)


def test_norm_of_complex_numbers():
    assert tf.norm(C).dtype is tf.complex128
    assert tf.norm(C, ord=1).dtype is tf.float64
    np.testing.assert_allclose(tf.norm(C), np.linalg.norm(C))
    np.testing.assert_allclose(tf.norm(C, ord=1), np.abs(C).sum())


def test_gradient_of_the_norm_at_zero_is_nan():
    x = tf.Variable([0.0, 0.0])
    with tf.GradientTape() as tape:
        y = tf.norm(x)
    assert np.isnan(tape.gradient(y, x).numpy()).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"ord": "bad"}, "supported vector norm"),
        ({"ord": "fro"}, "supported vector norm"),
        ({"ord": -1}, "supported vector norm"),
        ({"ord": 3, "axis": [0, 1]}, "supported matrix norm"),
        ({"axis": [0, 0]}, "pair of different ints"),
        ({"axis": [0, 1, 0]}, "pair of different ints"),
    ],
)
def test_norm_refusals(arguments, words):
    with pytest.raises(ValueError, match=words):
        tf.norm(A, **arguments)


def test_norm_refuses_integers():
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        tf.norm([3, 4])


def test_normalize_gives_unit_vectors_and_lengths():
    unit, length = tf.linalg.normalize(A, axis=1)
    np.testing.assert_allclose(length, np.linalg.norm(A, axis=1, keepdims=True))
    np.testing.assert_allclose(unit, A / length.numpy())
    assert tf.linalg.normalize(C, ord=1)[0].dtype is tf.complex128


def test_l2_normalize():
    np.testing.assert_allclose(tf.math.l2_normalize(A, axis=1), A / np.linalg.norm(A, axis=1, keepdims=True))
    np.testing.assert_allclose(tf.nn.l2_normalize(A), A / np.linalg.norm(A))
    np.testing.assert_allclose(tf.linalg.l2_normalize(C), C / np.linalg.norm(C))
    np.testing.assert_allclose(tf.math.l2_normalize(A, dim=0), A / np.linalg.norm(A, axis=0))
    check_grads(lambda x: tf.math.l2_normalize(x, axis=1), (A,))
    check_grads(tf.math.l2_normalize, (C,))


def test_l2_normalize_has_a_slope_of_a_million_at_zero():
    x = tf.Variable([0.0, 0.0])
    with tf.GradientTape() as tape:
        y = tf.math.l2_normalize(x)
    np.testing.assert_allclose(tape.gradient(y, x), [1e6, 1e6], rtol=1e-5)


def test_variables_with_a_loose_shape():
    v = tf.Variable(A, shape=[None, None])
    np.testing.assert_allclose(tf.tensordot(v, B, 1), A @ B)
    np.testing.assert_allclose(tf.linalg.matvec(v, A[0]), A @ A[0])
    np.testing.assert_allclose(tf.norm(v), np.linalg.norm(A))
