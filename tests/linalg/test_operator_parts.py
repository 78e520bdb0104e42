"""Operators as their tensors: gradients, parts of batches, maps, results of functions; operators that users define."""

import numpy as np
import pytest

import gradtape as tf

linalg = tf.linalg
MATRIX = np.array([[4.0, 1.0], [2.0, 3.0]])


class Scaled(linalg.LinearOperator):
    """A matrix times two, with the methods that TensorFlow asks of subclasses."""

    def __init__(self, matrix, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None):
        parameters = {"matrix": matrix, "is_square": is_square}
        self._matrix = tf.convert_to_tensor(matrix)
        super().__init__(
            dtype=self._matrix.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            parameters=parameters,
        )

    def _shape(self):
        return self._matrix.shape

    def _shape_tensor(self):
        return tf.shape(self._matrix)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return 2.0 * tf.matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)


class TestOperatorsOfUsers:
    def test_all_follows_from_shape_and_matmul(self):
        operator = Scaled(MATRIX)
        assert operator.shape == [2, 2]
        assert operator.domain_dimension == 2
        assert operator.domain_dimension.value == 2
        assert operator.is_square
        assert operator.parameters == {"matrix": MATRIX, "is_square": None} or operator.parameters["matrix"] is MATRIX
        np.testing.assert_allclose(operator.to_dense(), 2 * MATRIX)
        np.testing.assert_allclose(operator.matvec(tf.constant([1.0, 0.0], tf.float64), adjoint=True), 2 * MATRIX[0])
        np.testing.assert_allclose(
            operator.solvevec(tf.constant([1.0, 2.0], tf.float64)), np.linalg.solve(2 * MATRIX, [1.0, 2.0])
        )
        np.testing.assert_allclose(operator.determinant(), np.linalg.det(2 * MATRIX))

    def test_in_functions(self):
        @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float64)])
        def shape_and_trace(matrix):
            operator = Scaled(matrix)
            return operator.shape_tensor(), operator.trace()

        shape, trace = shape_and_trace(MATRIX)
        assert shape.numpy().tolist() == [2, 2]
        assert float(trace) == 14.0

    def test_what_is_missing_is_named(self):
        class Empty(linalg.LinearOperator):
            pass

        with pytest.raises(NotImplementedError, match="does not tell its shape"):
            Empty(tf.float32).shape  # noqa: B018 - a property

    def test_hints_are_compared_with_the_shape(self):
        with pytest.raises(ValueError, match="is_square hint to False, but the operator was square"):
            Scaled(MATRIX, is_square=False).is_square  # noqa: B018 - a property
        with pytest.raises(NotImplementedError, match="expected to not be square"):
            Scaled(np.ones([2, 3])).determinant()


def operators():
    """Operators of several classes, with a batch of two."""
    full = linalg.LinearOperatorFullMatrix(np.stack([MATRIX, 2 * MATRIX]))
    return {
        "full": full,
        "diag": linalg.LinearOperatorDiag([[1.0, 2.0], [3.0, 4.0]]),
        "lower": linalg.LinearOperatorLowerTriangular(np.stack([MATRIX, MATRIX + 1])),
        "scaled": linalg.LinearOperatorScaledIdentity(2, [2.0, 3.0]),
        "toeplitz": linalg.LinearOperatorToeplitz([[1.0, 2.0], [1.0, 3.0]], [1.0, 5.0]),
        "circulant": linalg.LinearOperatorCirculant(tf.constant([[1.0, 2.0], [3.0, 4.0]])),
        "update": linalg.LinearOperatorLowRankUpdate(full, np.ones([2, 1])),
        "composition": linalg.LinearOperatorComposition([full, full]),
        "blocks": linalg.LinearOperatorBlockDiag([full, full]),
        "identity": linalg.LinearOperatorIdentity(2, batch_shape=[2]),
        "zeros": linalg.LinearOperatorZeros(2, batch_shape=[2]),
        "permutation": linalg.LinearOperatorPermutation([[1, 0], [0, 1]]),
    }


@pytest.mark.parametrize("kind", list(operators()))
class TestParts:
    def test_a_part_of_the_batch(self, kind):
        operator = operators()[kind]
        for index in (0, slice(1, None), (..., tf.newaxis), (slice(None, None, -1),)):
            part = operator[index]
            assert type(part) is type(operator)
            entries = index if isinstance(index, tuple) else (index,)
            np.testing.assert_allclose(part.to_dense(), operator.to_dense()[(*entries, slice(None), slice(None))])

    def test_returned_by_a_function(self, kind):
        operator = operators()[kind]
        found = tf.function(lambda: operators()[kind])()
        assert type(found) is type(operator)
        np.testing.assert_allclose(found.to_dense(), operator.to_dense())


def test_sizes_in_arrays():
    make = tf.function(lambda: linalg.LinearOperatorIdentity(np.array(2), batch_shape=np.array([3])))
    assert make().to_dense().shape == [3, 2, 2]
    assert make()[1].shape == [2, 2]


def test_gradients_are_operators():
    with tf.GradientTape() as tape:
        operator = linalg.LinearOperatorDiag([1.0, 2.0])
        tape.watch(operator)
        y = operator.matvec([3.0, 5.0])
    gradient = tape.gradient(y, operator)
    assert isinstance(gradient, linalg.LinearOperatorDiag)
    assert gradient.diag.numpy().tolist() == [3.0, 5.0]


def test_gradients_of_operators_of_operators():
    with tf.GradientTape() as tape:
        one, other = linalg.LinearOperatorFullMatrix(MATRIX), linalg.LinearOperatorFullMatrix(MATRIX)
        tape.watch([one, other])
        whole = linalg.LinearOperatorBlockDiag([one, other])
        y = one.matvec(tf.ones([2], tf.float64))
    of_one, of_other, of_whole = tape.gradient(y, [one, other, whole])
    assert of_other is None
    np.testing.assert_allclose(of_whole.operators[0].to_dense(), of_one.to_dense())
    np.testing.assert_allclose(of_whole.operators[1].to_dense(), np.zeros([2, 2]))


def test_maps_give_operators():
    matrices = np.random.default_rng(0).normal(size=(3, 2, 2))
    found = tf.vectorized_map(lambda x: linalg.LinearOperatorFullMatrix(x * 2.0), matrices)
    assert found.batch_shape == [3]
    np.testing.assert_allclose(found.to_dense(), 2 * matrices)


def test_parameters_are_the_arguments():
    operator = linalg.LinearOperatorDiag([1.0, 2.0], is_non_singular=True)
    assert operator.parameters["is_non_singular"] is True
    assert operator.parameters["diag"] == [1.0, 2.0]


def test_inverse_of_blocks_is_one_of_blocks():
    one = linalg.LinearOperatorFullMatrix(MATRIX, is_non_singular=True)
    operator = linalg.LinearOperatorBlockLowerTriangular([[one], [one, one], [one, one, one]], is_non_singular=True)
    inverse = operator.inverse()
    assert [len(row) for row in inverse.operators] == [1, 2, 3]
    np.testing.assert_allclose(inverse.to_dense(), np.linalg.inv(operator.to_dense()), atol=1e-12)


def test_vectors_of_blocks():
    one, two = linalg.LinearOperatorFullMatrix(MATRIX), linalg.LinearOperatorFullMatrix(2 * np.eye(3))
    operator = linalg.LinearOperatorBlockDiag([one, two])
    found = operator.matvec([tf.ones([2], tf.float64), tf.ones([3], tf.float64)])
    np.testing.assert_allclose(found[0], MATRIX.sum(1))
    np.testing.assert_allclose(operator.solvevec(found)[1], np.ones(3))
    with pytest.raises(ValueError, match="not compatible"):
        operator.matmul([tf.ones([3, 1], tf.float64), tf.ones([2, 1], tf.float64)])


def test_hints_must_not_contradict_those_of_the_parts():
    known = {"is_self_adjoint": True, "is_positive_definite": True, "is_non_singular": True}
    part = tf.linalg.LinearOperatorFullMatrix([[1.0, 0.0], [0.0, 1.0]], **known)
    for flag in known:
        for whole in (tf.linalg.LinearOperatorInversion, tf.linalg.LinearOperatorAdjoint):
            with pytest.raises(ValueError, match=r"if and only if|always non-singular"):
                whole(part, **{flag: False})
        for whole in (tf.linalg.LinearOperatorBlockDiag, tf.linalg.LinearOperatorKronecker):
            with pytest.raises(ValueError, match="is always"):
                whole([part, part], **{flag: False})


def test_shapes_of_operators_are_checked():
    for make in (tf.linalg.LinearOperatorIdentity, tf.linalg.LinearOperatorZeros):
        for size in (-2, [2]):
            with pytest.raises(ValueError, match="must be"):
                make(size)
        for batch in (2, np.array(2), tf.constant(2), [[2]], [-2]):
            with pytest.raises(ValueError, match="batch_shape must be"):
                make(2, batch_shape=batch)
        with pytest.raises(TypeError, match="reference type"):
            make(tf.Variable(2))
        assert make(2, batch_shape=tf.TensorShape([3])).shape == [3, 2, 2]
    with pytest.raises(TypeError, match="integer dtype"):
        tf.linalg.LinearOperatorPermutation([0.0, 1.0])


def test_checks_look_at_what_is_known():
    """A matrix may be badly conditioned and have an inverse; known eigenvalues tell."""
    small = linalg.LinearOperatorScaledIdentity(2, 1e-30)
    small.assert_non_singular()
    linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [0.0, 1e-30]]).assert_non_singular()
    whole = linalg.LinearOperatorBlockDiag([small, linalg.LinearOperatorIdentity(2)])
    for operator in (whole, linalg.LinearOperatorKronecker([small, whole]), whole.inverse(), small.adjoint()):
        operator.assert_non_singular()
        operator.assert_self_adjoint()
    linalg.LinearOperatorComposition([small, whole.operators[1]]).assert_non_singular()
    whole.assert_positive_definite()
    zeros = linalg.LinearOperatorZeros(2)
    for bad in (
        linalg.LinearOperatorScaledIdentity(2, 0.0).assert_non_singular,
        linalg.LinearOperatorScaledIdentity(2, -1.0).assert_positive_definite,
        linalg.LinearOperatorScaledIdentity(2, 1.0 + 1j).assert_self_adjoint,
        linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [1.0, 0.0]]).assert_non_singular,
        linalg.LinearOperatorBlockDiag([small, zeros]).assert_non_singular,
        zeros.assert_non_singular,
        zeros.assert_positive_definite,
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            bad()


def test_triangular_factors_are_found_again():
    lower = linalg.LinearOperatorLowerTriangular(
        [[1.0, 0.0], [0.5, 0.2]], is_non_singular=True, is_positive_definite=True
    )
    assert (lower @ lower.H).cholesky() is lower
    other = linalg.LinearOperatorLowerTriangular([[-1.0, 0.0], [0.5, 0.2]], is_non_singular=True)
    found = (other @ other.H).cholesky()
    np.testing.assert_allclose((found @ found.H).to_dense(), (other @ other.H).to_dense(), atol=1e-6)


def test_parameters_of_circulant_operators_have_a_name():
    spectrum = tf.constant([1.0, 2.0])
    parameters = linalg.LinearOperatorCirculant(spectrum).parameters
    assert parameters["name"] == "LinearOperatorCirculant"
    assert parameters["spectrum"] is spectrum


def test_a_negative_batch_shape_is_refused():
    with pytest.raises(ValueError, match="batch_shape must be non-negative"):
        linalg.LinearOperatorIdentity(2, batch_shape=tf.constant([-2]))
