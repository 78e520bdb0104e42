"""Decompositions under TensorFlow's names: values, and gradients of what does not depend on signs and phases."""

import logging

import numpy as np
import pytest
import scipy.linalg

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(6)


def normal(*shape):
    return random.normal(size=shape)


def complex_normal(*shape):
    return normal(*shape) + 1j * normal(*shape)


def dagger(x):
    return np.conj(np.swapaxes(x, -1, -2))


def gradient(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


def symmetric(x):
    return 0.5 * (x + tf.linalg.adjoint(x))


ROTATION = np.linalg.qr(normal(4, 4))[0]
REPEATED = ROTATION @ np.diag([1.0, 1.0, 2.0, 3.0]) @ ROTATION.T


@pytest.mark.parametrize("make", [normal, complex_normal])
@pytest.mark.parametrize("lead", [(), (2,), (2, 0), (3, 1)])
class TestValues:
    def test_cholesky(self, make, lead):
        x = make(*lead, 3, 3)
        x = x @ dagger(x) + np.eye(3)
        y = tf.linalg.cholesky(x).numpy()
        np.testing.assert_allclose(y @ dagger(y), x)
        np.testing.assert_array_equal(y, np.tril(y))

    @pytest.mark.parametrize("full", [False, True])
    @pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3)])
    def test_qr_and_svd(self, make, lead, shape, full):
        x = make(*lead, *shape)
        q, r = (t.numpy() for t in tf.linalg.qr(x, full_matrices=full))
        np.testing.assert_allclose(q @ r, x, atol=1e-12)
        np.testing.assert_array_equal(r, np.triu(r))
        s, u, v = (t.numpy() for t in tf.linalg.svd(x, full_matrices=full))
        np.testing.assert_allclose(s, np.linalg.svd(x, compute_uv=False))
        np.testing.assert_allclose(tf.linalg.svd(x, compute_uv=False), s)
        k = s.shape[-1]
        np.testing.assert_allclose((u[..., :k] * s[..., None, :]) @ dagger(v[..., :k]), x, atol=1e-12)
        for w in (q, u, v):
            wanted = np.broadcast_to(np.eye(w.shape[-1]), (*lead, w.shape[-1], w.shape[-1]))
            np.testing.assert_allclose(dagger(w) @ w, wanted, atol=1e-12)
        assert q.shape[-1] == (shape[0] if full else k)
        assert [u.shape[-1], v.shape[-1]] == (list(shape) if full else [k, k])

    def test_eigenvalues(self, make, lead):
        x = make(*lead, 3, 3)
        h = x + dagger(x)
        e, v = (t.numpy() for t in tf.linalg.eigh(h))
        np.testing.assert_allclose((v * e[..., None, :]) @ dagger(v), h, atol=1e-12)
        np.testing.assert_allclose(tf.linalg.eigvalsh(np.tril(h)), np.linalg.eigvalsh(h))
        e, v = (t.numpy() for t in tf.linalg.eig(x))
        np.testing.assert_allclose(x @ v, v * e[..., None, :], atol=1e-12)
        np.testing.assert_allclose(np.sum(np.abs(v) ** 2, axis=-2), np.ones((*lead, 3)))
        np.testing.assert_array_equal(tf.linalg.eigvals(x), e)

    def test_lu(self, make, lead):
        x = make(*lead, 3, 3)
        lu, p = tf.linalg.lu(x)
        rows = np.take_along_axis(x, p.numpy()[..., None], axis=-2)
        lower = np.tril(lu, -1) + np.eye(3)
        np.testing.assert_allclose(lower @ np.triu(lu), rows, atol=1e-12)
        np.testing.assert_allclose(tf.linalg.lu_reconstruct(lu, p), x, atol=1e-12)

    def test_pinv_and_rank(self, make, lead):
        x = make(*lead, 4, 2) @ make(*lead, 2, 3)
        np.testing.assert_allclose(tf.linalg.pinv(x), np.linalg.pinv(x), atol=1e-10)
        np.testing.assert_allclose(tf.linalg.pinv(x, rcond=1e-8), np.linalg.pinv(x), atol=1e-10)
        assert tf.linalg.matrix_rank(x).numpy().tolist() == np.full(lead, 2).tolist()


@pytest.mark.parametrize(
    ("dtype", "real"), [("float32", "float32"), ("complex64", "float32"), ("complex128", "float64")]
)
def test_dtypes_are_those_of_tensorflow(dtype, real):
    x = tf.constant([[2.0, 1.0], [1.0, 3.0]], dtype)
    e, v = tf.linalg.eigh(x)
    assert (e.dtype, v.dtype, tf.linalg.eigvalsh(x).dtype) == (dtype, dtype, dtype)
    assert [t.dtype.name for t in tf.linalg.svd(x)] == [real, dtype, dtype]
    assert all(t.dtype.is_complex and t.dtype.real_dtype == real for t in tf.linalg.eig(x))
    assert tf.linalg.qr(x).r.dtype == tf.linalg.lu(x).lu.dtype == tf.linalg.cholesky(x).dtype == dtype
    assert tf.linalg.lu(x, output_idx_type=tf.int64).p.dtype is tf.int64
    assert tf.linalg.matrix_rank(x).dtype is tf.int32


def test_half_precision_where_tensorflow_has_it():
    x = tf.constant([[3.0, 1.0], [4.0, 2.0]], tf.float16)
    q, r = tf.linalg.qr(x)
    assert q.dtype is r.dtype is tf.float16
    np.testing.assert_allclose(q @ r, x, rtol=1e-2)
    assert tf.linalg.matrix_rank(x).numpy() == 2
    assert tf.linalg.matrix_rank([[1, 2], [2, 4]]).numpy() == 1
    assert tf.linalg.eigh_tridiagonal(x[0], x[1][:1]).dtype is tf.float16
    for f in (tf.linalg.cholesky, tf.linalg.svd, tf.linalg.eigh, tf.linalg.eig, tf.linalg.lu):
        with pytest.raises(tf.errors.InvalidArgumentError, match="float32, float64"):
            f(x)


@pytest.mark.parametrize("make", [normal, complex_normal])
class TestGradients:
    def test_cholesky(self, make):
        check_grads(lambda x: tf.linalg.cholesky(x @ tf.linalg.adjoint(x) + np.eye(3)), (make(2, 3, 3),))

    @pytest.mark.parametrize("shape", [(3, 2), (2, 3), (2, 2)])
    def test_qr(self, make, shape):
        check_grads(lambda x: list(tf.linalg.qr(x)), (make(*shape),))

    @pytest.mark.parametrize("shape", [(3, 2), (2, 3), (2, 2)])
    def test_svd(self, make, shape):
        check_grads(lambda x: list(tf.linalg.svd(x)), (make(*shape),))
        check_grads(lambda x: tf.linalg.svd(x, compute_uv=False), (make(*shape),))

    @pytest.mark.parametrize("shape", [(5, 2), (2, 5)])
    def test_the_space_of_the_vectors_beyond_the_singular_values(self, make, shape):
        def rest(x):
            _, u, v = tf.linalg.svd(x, full_matrices=True)
            w = (u if shape[0] > 2 else v)[:, 2:]
            return w @ tf.linalg.adjoint(w)

        check_grads(rest, (make(*shape),))

    def test_the_space_of_the_columns_beyond_those_of_the_input(self, make):
        def rest(x):
            w = tf.linalg.qr(x, full_matrices=True).q[:, 2:]
            return w @ tf.linalg.adjoint(w)

        check_grads(rest, (make(5, 2),))

    def test_eigh(self, make):
        check_grads(lambda x: list(tf.linalg.eigh(symmetric(x))), (make(2, 3, 3),))
        check_grads(lambda x: tf.linalg.eigvalsh(symmetric(x)), (make(3, 3),))

    def test_eig(self, make):
        x = make(3, 3) * 0.2 + np.diag([1.0, 2.0, 4.0])
        check_grads(lambda x: list(tf.linalg.eig(x)), (x,))
        check_grads(tf.linalg.eigvals, (x,))

    def test_lu(self, make):
        check_grads(lambda x: tf.linalg.lu(x).lu, (make(2, 3, 3),))

    @pytest.mark.parametrize("rcond", [None, 0.3])
    def test_pinv(self, make, rcond):
        u, v = np.linalg.qr(make(4, 3))[0], np.linalg.qr(make(3, 3))[0]
        x = u @ np.diag([2.0, 1.5, 1.0 if rcond is None else 0.4]) @ v
        check_grads(lambda x: tf.linalg.pinv(x, rcond), (x,))

    @pytest.mark.parametrize("rank", [0, 1, 2])
    def test_pinv_of_matrices_that_keep_their_rank(self, make, rank):
        check_grads(lambda a, b: tf.linalg.pinv(a @ b), (make(4, rank), make(rank, 3)))

    def test_tridiagonal(self, make):
        check_grads(lambda a, b: list(tf.linalg.eigh_tridiagonal(a, b, eigvals_only=False)), (make(4), make(3)))
        check_grads(lambda a, b: tf.linalg.eigh_tridiagonal(a, b, select="i", select_range=(1, 2)), (make(4), make(3)))


def test_gradients_have_the_form_of_tensorflows():
    # Values of TensorFlow 2.21: Hermitian for cholesky, a lower triangle for eigenvalues.
    x = np.array([[2.0, 1.0], [1.0, 3.0]])
    wanted = [[0.25583364, 0.19543951], [0.19543951, 0.31622777]]
    np.testing.assert_allclose(gradient(tf.linalg.cholesky, x), wanted, rtol=1e-6)
    wanted = [[0.7236068, 0.0], [-0.89442719, 0.2763932]]
    np.testing.assert_allclose(gradient(lambda x: tf.linalg.eigvalsh(x)[0], x), wanted, rtol=1e-6)


def test_gradient_of_cholesky_where_only_the_lower_triangle_is_given():
    x = np.array([[2.0, 0.0], [1.0, 3.0]])
    d = gradient(tf.linalg.cholesky, x)
    np.testing.assert_allclose(d, [[0.25583364, 0.0], [2 * 0.19543951, 0.31622777]], rtol=1e-6)
    check_grads(tf.linalg.cholesky, (x,))


class TestEqualValues:
    """What is well defined where eigenvalues or singular values are equal."""

    @pytest.mark.parametrize("x", [REPEATED, np.eye(3), np.zeros((3, 3))], ids=["repeated", "identity", "zero"])
    def test_functions_of_eigenvalues(self, x):
        check_grads(lambda x: tf.reduce_sum(tf.exp(tf.linalg.eigvalsh(symmetric(x)))), (x,), order=1)
        check_grads(lambda x: tf.reduce_sum(tf.math.real(tf.exp(tf.linalg.eigvals(x)))), (x,), order=1)
        check_grads(lambda x: tf.reduce_sum(tf.linalg.svd(x, compute_uv=False) ** 2), (x,), order=1)

    def test_second_derivatives_of_a_value_beside_equal_ones(self):
        check_grads(lambda x: tf.linalg.eigvalsh(symmetric(x))[3], (REPEATED,))
        check_grads(lambda x: tf.linalg.svd(x, compute_uv=False)[0], (normal(4, 1) @ normal(1, 3),))
        check_grads(lambda x: tf.norm(x, 2, axis=(0, 1)), (REPEATED,))

    def test_the_space_of_equal_eigenvalues(self):
        def projection(x):
            v = tf.linalg.eigh(symmetric(x))[1][:, :2]
            return v @ tf.transpose(v)

        check_grads(projection, (REPEATED,), order=1)

    def test_an_eigenvector_beside_equal_eigenvalues(self):
        check_grads(lambda x: tf.abs(tf.linalg.eigh(symmetric(x))[1][:, 3]), (REPEATED,), order=1)

    @pytest.mark.parametrize("x", [REPEATED, np.eye(3), ROTATION], ids=["repeated", "identity", "rotation"])
    def test_the_nearest_unitary_matrix(self, x):
        def nearest(x):
            _, u, v = tf.linalg.svd(x)
            return u @ tf.linalg.adjoint(v)

        check_grads(nearest, (x,), order=1)
        check_grads(nearest, (x * (1 + 0.5j),), order=1)

    def test_the_first_singular_vectors_of_a_matrix_of_rank_one(self):
        def first(x):
            s, u, v = tf.linalg.svd(x)
            return s[0], tf.abs(u[:, 0]), tf.abs(v[:, 0])

        check_grads(first, (normal(4, 1) @ normal(1, 3),), order=1)

    def test_pinv_has_all_orders(self):
        check_grads(tf.linalg.pinv, (np.eye(3),))

    @pytest.mark.parametrize("x", [np.eye(3), np.zeros((3, 3)), np.ones((3, 2))])
    def test_every_gradient_is_finite(self, x):
        x = tf.constant(x)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            results = list(tf.linalg.svd(x, full_matrices=True))
            if x.shape[0] == x.shape[1]:
                results += [*tf.linalg.eigh(x), *tf.linalg.eig(x)]
        for y in results:
            assert np.isfinite(tape.gradient(y, x).numpy()).all()


def test_matrices_that_are_not_positive_definite_give_nan(caplog):
    x = np.stack([np.eye(2), -np.eye(2), [[np.nan, 0.0], [0.0, 1.0]], 4 * np.eye(2)])
    with caplog.at_level(logging.WARNING, "gradtape"):
        y = tf.linalg.cholesky(x).numpy()
    assert "Cholesky decomposition was not successful" in caplog.text
    np.testing.assert_array_equal(y[[0, 3]], [np.eye(2), 2 * np.eye(2)])
    assert np.isnan(y[1, [0, 1, 1], [0, 0, 1]]).all()
    assert y[1, 0, 1] == 0
    d = gradient(tf.linalg.cholesky, x)
    assert np.isnan(d[1]).all()
    assert np.isfinite(d[[0, 3]]).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [1, 3, 30])
def test_nan_and_inf_neither_hang_nor_leak_errors_of_numpy(value, n):
    x = normal(n, n)
    x[n // 2, 0] = value
    assert np.isnan(tf.linalg.svd(x, compute_uv=False).numpy()).all()
    assert np.isnan(tf.linalg.svd(np.stack([np.eye(n), x]))[1][1].numpy()).all()
    assert np.isnan(tf.linalg.pinv(x).numpy()).all()
    assert tf.linalg.matrix_rank(x).numpy() == 0
    assert tf.linalg.qr(x).q.shape == (n, n)
    for f in (tf.linalg.eigh, tf.linalg.eigvalsh, tf.linalg.eig, tf.linalg.eigvals):
        with pytest.raises(tf.errors.InvalidArgumentError, match="The input might not be valid"):
            f(x)


def test_what_is_not_read_may_be_nan():
    x = np.array([[2.0, np.nan], [1.0, 2.0]])
    np.testing.assert_allclose(tf.linalg.eigh(x)[0], [1.0, 3.0])
    np.testing.assert_allclose(tf.linalg.cholesky(x)[0], [np.sqrt(2), 0])


class TestTridiagonal:
    ALPHA, BETA = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.5, 0.6, 0.7])

    def test_against_scipy(self):
        e, v = tf.linalg.eigh_tridiagonal(self.ALPHA, self.BETA, eigvals_only=False)
        wanted, vectors = scipy.linalg.eigh_tridiagonal(self.ALPHA, self.BETA)
        np.testing.assert_allclose(e, wanted)
        np.testing.assert_allclose(np.abs(v), np.abs(vectors), atol=1e-12)
        np.testing.assert_allclose(tf.linalg.eigh_tridiagonal(self.ALPHA, self.BETA), wanted)

    def test_selections(self):
        wanted = scipy.linalg.eigh_tridiagonal(self.ALPHA, self.BETA)[0][1:3]
        for select, limits in (("i", (1, 2)), ("v", (1.0, 3.0)), ("v", [tf.constant(wanted[0] - 1e-9), wanted[1]])):
            e, v = tf.linalg.eigh_tridiagonal(self.ALPHA, self.BETA, False, select, limits)
            np.testing.assert_allclose(e, wanted)
            assert v.shape == (4, 2)
        assert tf.linalg.eigh_tridiagonal(self.ALPHA, self.BETA, select="v", select_range=(8.0, 9.0)).shape == (0,)

    def test_a_range_of_values_includes_both_ends(self):
        found = tf.linalg.eigh_tridiagonal([1.0, 2.0, 3.0], [0.0, 0.0], select="v", select_range=(1.0, 3.0))
        np.testing.assert_allclose(found, [1.0, 2.0, 3.0])
        with pytest.raises(tf.errors.InvalidArgumentError, match="do not match"):
            tf.linalg.eigh_tridiagonal(self.ALPHA, self.BETA, select="v", select_range=(2.0, 2.0))

    def test_complex_numbers_stand_above_the_diagonal(self):
        above = self.BETA + 1j * np.array([0.1, 0.4, 0.2])
        e, v = tf.linalg.eigh_tridiagonal(self.ALPHA.astype(complex), above, eigvals_only=False)
        matrix = np.diag(self.ALPHA) + np.diag(above, 1) + np.diag(above.conj(), -1)
        np.testing.assert_allclose(matrix @ v.numpy(), v.numpy() * e.numpy(), atol=1e-12)

    def test_complex_batches_and_small_sizes(self):
        wanted = scipy.linalg.eigh_tridiagonal(self.ALPHA, self.BETA)[0]
        e = tf.linalg.eigh_tridiagonal(self.ALPHA * (1 + 0j), self.BETA * 1j)
        assert e.dtype is tf.float64
        np.testing.assert_allclose(e, wanted)
        stacked = tf.linalg.eigh_tridiagonal(np.stack([self.ALPHA] * 2), np.stack([self.BETA] * 2))
        np.testing.assert_allclose(stacked, [wanted] * 2)
        assert tf.linalg.eigh_tridiagonal([3.0], []).numpy().tolist() == [3.0]

    @pytest.mark.parametrize(
        ("arguments", "kind", "words"),
        [
            ({"select": "x"}, ValueError, "select must be one of"),
            ({"select": "i"}, ValueError, "select_range is None"),
            ({"select": "i", "select_range": (2, 1)}, tf.errors.InvalidArgumentError, "(2, 1) for 4 eigenvalues"),
            ({"select": "i", "select_range": (2, 9)}, tf.errors.InvalidArgumentError, "numbers from 0 to 3"),
            ({"select": "v", "select_range": (3.0, 1.0)}, tf.errors.InvalidArgumentError, "the lower limit first"),
            ({"beta": [1.0]}, tf.errors.InvalidArgumentError, "alpha is f64[4], beta is f64[1]"),
        ],
    )
    def test_refusals(self, arguments, kind, words):
        arguments = {"alpha": self.ALPHA, "beta": self.BETA, **arguments}
        with pytest.raises(kind) as caught:
            tf.linalg.eigh_tridiagonal(**arguments)
        assert words in str(caught.value)

    def test_a_range_of_values_needs_one_matrix(self):
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match="select cannot be 'v' for several matrices",
        ):
            tf.linalg.eigh_tridiagonal(self.ALPHA[None], self.BETA[None], select="v", select_range=(0.0, 1.0))


def test_limits_of_pinv_and_rank_for_each_matrix():
    x = np.stack([np.diag([1.0, 0.1])] * 2)
    np.testing.assert_allclose(tf.linalg.pinv(x, rcond=[0.2, 0.01]), [np.diag([1.0, 0.0]), np.diag([1.0, 10.0])])
    np.testing.assert_allclose(tf.linalg.pinv(x[0], rcond=0.2), np.diag([1.0, 0.0]))
    assert tf.linalg.matrix_rank(x, tol=[[0.2], [0.01]]).numpy().tolist() == [1, 2]
    assert tf.linalg.matrix_rank(x[0], tol=0.2).numpy() == 1


def test_lu_is_tensorflows():
    lu, p = tf.linalg.lu([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])
    np.testing.assert_allclose(lu, [[7, 8, 10], [1 / 7, 6 / 7, 11 / 7], [4 / 7, 0.5, -0.5]], rtol=1e-5)
    assert p.numpy().tolist() == [2, 0, 1]


@pytest.mark.parametrize("name", ["cholesky", "eigh", "eigvalsh", "eig", "eigvals", "lu"])
def test_refusals(name):
    f = getattr(tf.linalg, name)
    with pytest.raises(ValueError, match="must be square"):
        f(np.ones((2, 3)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 2 or more"):
        f(np.ones(3))
    with pytest.raises(TypeError, match="i32"):
        f(np.ones((2, 2), np.int32))


def test_other_refusals():
    for f in (tf.linalg.qr, tf.linalg.svd, tf.linalg.pinv, tf.linalg.matrix_rank):
        with pytest.raises(ValueError, match="rank 2 or more"):
            f(np.ones(3))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        tf.linalg.lu(np.ones((2, 2)))
    with pytest.raises(TypeError, match="output_idx_type"):
        tf.linalg.lu(np.eye(2), output_idx_type=tf.float32)
    with pytest.raises(TypeError, match="i32"):
        tf.linalg.pinv(np.ones((2, 2), np.int32))


def test_variables_and_maps():
    v = tf.Variable(REPEATED + 4 * np.eye(4))
    np.testing.assert_allclose(tf.linalg.cholesky(v), np.linalg.cholesky(v.numpy()))
    stack = tf.constant(np.stack([REPEATED + np.diag([0.0, 0.1, 0.2, i]) for i in range(3)]))
    mapped = tf.vectorized_map(lambda x: tf.linalg.qr(x).r, stack)
    np.testing.assert_allclose(mapped, tf.linalg.qr(stack).r)
    with tf.GradientTape() as tape:
        tape.watch(stack)
        e = tf.linalg.eigvalsh(stack)
    assert tape.batch_jacobian(e, stack).shape == (3, 4, 4, 4)
