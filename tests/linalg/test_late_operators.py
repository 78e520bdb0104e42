"""Operators in functions of tensors of unknown sizes: every class and method, with its gradient, as with known sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.linalg._operators import late

L = tf.linalg
Make = Callable[..., Any]


def numbers(*shape: int) -> Any:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def definite(size: int) -> Any:
    a = numbers(size, size)
    return a @ a.T + size * np.eye(size, dtype=np.float32)


def full(a: Any) -> Any:
    return L.LinearOperatorFullMatrix(a)


# The arguments, and the operator of them. All operators have three rows and columns.
CASES: dict[str, tuple[Sequence[Any], Make]] = {
    "full": ([definite(3)], full),
    "definite": (
        [definite(3)],
        lambda a: L.LinearOperatorFullMatrix(a, is_self_adjoint=True, is_positive_definite=True),
    ),
    "batch": ([np.stack([definite(3), 2 * definite(3)])], full),
    "diag": ([np.abs(numbers(3)) + 1], lambda a: L.LinearOperatorDiag(a, is_positive_definite=True)),
    "tril": ([definite(3)], lambda a: L.LinearOperatorLowerTriangular(a)),
    "scaled": ([numbers(3)], lambda a: L.LinearOperatorScaledIdentity(tf.shape(a)[0], a[0])),
    "identity": ([numbers(3)], lambda a: L.LinearOperatorIdentity(tf.shape(a)[0])),
    "zeros": ([numbers(3)], lambda a: L.LinearOperatorZeros(tf.shape(a)[0])),
    "toeplitz": ([numbers(3) + 4, numbers(3) + 4], lambda a, b: L.LinearOperatorToeplitz(a, b)),
    "tridiagonal": ([numbers(3, 3) + 3], lambda a: L.LinearOperatorTridiag(a, diagonals_format="compact")),
    "householder": ([numbers(3)], lambda a: L.LinearOperatorHouseholder(a)),
    "permutation": ([numbers(3)], lambda a: L.LinearOperatorPermutation(tf.argsort(a))),
    "circulant": ([numbers(3) + 3], lambda a: L.LinearOperatorCirculant(tf.cast(a, tf.complex64))),
    "circulant 2d": ([numbers(3, 1) + 3], lambda a: L.LinearOperatorCirculant2D(tf.cast(a, tf.complex64))),
    "composition": (
        [definite(3), numbers(3) + 3],
        lambda a, b: L.LinearOperatorComposition([full(a), L.LinearOperatorDiag(b)]),
    ),
    "kronecker": (
        [definite(3), numbers(1) + 3],
        lambda a, b: L.LinearOperatorKronecker([full(a), L.LinearOperatorDiag(b)]),
    ),
    "blocks": (
        [definite(2), numbers(1) + 3],
        lambda a, b: L.LinearOperatorBlockDiag([full(a), L.LinearOperatorDiag(b)]),
    ),
    "triangular blocks": (
        [definite(2), numbers(1, 2), definite(1)],
        lambda a, b, c: L.LinearOperatorBlockLowerTriangular([[full(a)], [full(b), full(c)]]),
    ),
    "low rank": (
        [np.abs(numbers(3)) + 1, numbers(3, 2)],
        lambda a, u: L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(a), u),
    ),
    "adjoint": ([definite(3)], lambda a: L.LinearOperatorAdjoint(full(a))),
    "inversion": ([definite(3)], lambda a: L.LinearOperatorInversion(full(a))),
}


def right(operator: Any) -> Any:
    return tf.cast(numbers(3, 2), operator.dtype)


METHODS: dict[str, Callable[[Any], Any]] = {
    "matmul": lambda o: o.matmul(right(o)),
    "matmul adjoint": lambda o: o.matmul(right(o), adjoint=True),
    "matvec": lambda o: o.matvec(right(o)[:, 0]),
    "to_dense": lambda o: o.to_dense(),
    "determinant": lambda o: o.determinant(),
    "diag_part": lambda o: o.diag_part(),
    "trace": lambda o: o.trace(),
    "add_to_tensor": lambda o: o.add_to_tensor(tf.ones([3, 3], o.dtype)),
    "adjoint": lambda o: o.adjoint().to_dense(),
    "product": lambda o: (o @ o).to_dense(),
    "tf.linalg.matmul": lambda o: L.matmul(o, right(o)),
    "shape_tensor": lambda o: o.shape_tensor(),
    "domain_dimension_tensor": lambda o: o.domain_dimension_tensor(),
}
# Those of operators that have an inverse.
REGULAR: dict[str, Callable[[Any], Any]] = {
    "solve": lambda o: o.solve(right(o)),
    "solvevec": lambda o: o.solvevec(right(o)[:, 0]),
    "log_abs_determinant": lambda o: o.log_abs_determinant(),
    "inverse": lambda o: o.inverse().to_dense(),
    "product with the inverse": lambda o: o.inverse().matmul(right(o)),
    "cholesky": lambda o: o.cholesky().to_dense() if o.is_positive_definite and o.is_self_adjoint else o.to_dense(),
}


def open_function(function: Any, arguments: Sequence[Any]) -> Any:
    """A function of tensors of which the ranks are known, and no sizes."""
    signature = [tf.TensorSpec([None] * np.ndim(a), tf.float32) for a in arguments]
    return tf.function(function, input_signature=signature)


@pytest.mark.parametrize("name", CASES)
def test_methods_and_gradients(name: str) -> None:
    arrays, make = CASES[name]
    methods = METHODS if name == "zeros" else METHODS | REGULAR

    def everything(*given: Any) -> Any:
        results, grads = [], []
        for method in methods.values():
            with tf.GradientTape() as tape:
                tape.watch(given)
                y = method(make(*given))
                loss = tf.reduce_sum(tf.abs(y))
            results.append(y)
            if not y.dtype.is_integer:
                grads.append(tape.gradient(loss, given, unconnected_gradients="zero"))
        return results, grads

    tensors = [tf.constant(a) for a in arrays]
    wanted = everything(*tensors)
    found = open_function(everything, arrays)(*tensors)
    for y, expected in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
        np.testing.assert_allclose(y.numpy(), expected.numpy(), rtol=2e-3, atol=1e-3)


def test_one_trace_serves_all_sizes_and_ranks() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def determinant(a: Any) -> Any:
        return full(a).determinant()

    for a in (definite(2), definite(4), np.stack([definite(3), definite(3)])):
        np.testing.assert_allclose(determinant(a).numpy(), np.linalg.det(a), rtol=1e-4)
    assert determinant.experimental_get_tracing_count() == 1
    with pytest.raises(NotImplementedError, match="expected to not be square"):
        determinant(tf.ones([2, 3]))


def test_what_is_known_before_the_sizes() -> None:
    seen: dict[str, Any] = {}

    @tf.function(input_signature=[tf.TensorSpec([None, 3, 3]), tf.TensorSpec([None])])
    def look(a: Any, d: Any) -> Any:
        matrix, diagonal = full(a), L.LinearOperatorDiag(d, name="mine")
        seen["shapes"] = [matrix.shape.as_list(), matrix.batch_shape.as_list(), diagonal.shape.as_list()]
        seen["flags"] = [diagonal.is_self_adjoint, diagonal.is_square, matrix.is_self_adjoint, matrix.is_non_singular]
        seen["dtypes"] = [matrix.dtype, diagonal.inverse().dtype]
        seen["parts"] = [
            matrix.matrix is a,
            diagonal.diag is d,
            diagonal.name,
            isinstance(diagonal, L.LinearOperatorDiag),
        ]
        return matrix.trace()

    look(tf.ones([2, 3, 3]), tf.ones([4]))
    assert seen["shapes"] == [[None, 3, 3], [None], [None, None]]
    assert seen["flags"] == [True, True, None, None]
    assert seen["dtypes"] == [tf.float32, tf.float32]
    assert seen["parts"] == [True, True, "mine", True]


def test_variables_and_operators_from_outside() -> None:
    scale, outer = tf.Variable([1.0, 2.0]), L.LinearOperatorDiag([3.0, 4.0])

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def scaled(a: Any) -> Any:
        with tf.GradientTape() as tape:
            y = L.LinearOperatorComposition([L.LinearOperatorDiag(scale), full(a), outer]).to_dense()
        return y, tape.gradient(y, scale), outer.matmul(a)

    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for _ in range(2):
        y, gradient, product = scaled(a)
        np.testing.assert_allclose(y.numpy(), np.diag(scale.numpy()) @ a.numpy() @ np.diag([3.0, 4.0]))
        np.testing.assert_allclose(gradient.numpy(), [11.0, 25.0])
        np.testing.assert_allclose(product.numpy(), [[3.0, 6.0], [12.0, 16.0]])
        scale.assign([5.0, -1.0])


def test_inside_of_loops_branches_and_functions() -> None:
    @tf.function
    def applied(operator: Any, y: Any) -> Any:
        return operator.matmul(y)

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def run(a: Any) -> Any:
        operator = full(a)
        y = tf.ones_like(a)
        for _ in tf.range(2):
            y = operator.matmul(y)
        return tf.cond(a[0, 0] > 0, lambda: applied(operator, y), lambda: operator.solve(y))

    a = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    np.testing.assert_allclose(run(a).numpy(), a @ a @ a @ np.ones([2, 2]), rtol=1e-5)
    np.testing.assert_allclose(run(-a).numpy(), -a @ np.ones([2, 2]), rtol=1e-4)


def test_second_derivatives() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def second(a: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(a)
            with tf.GradientTape() as inner:
                inner.watch(a)
                y = full(a).log_abs_determinant()
            gradient = inner.gradient(y, a)
        return outer.gradient(gradient, a)

    a = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
    inverse = np.linalg.inv(a)
    np.testing.assert_allclose(second(a).numpy(), -(inverse @ np.ones([2, 2]) @ inverse).T, rtol=1e-4)


def test_in_saved_models(tmp_path: Path) -> None:
    def solved(a: Any) -> Any:
        operator = L.LinearOperatorComposition([full(a), L.LinearOperatorIdentity(tf.shape(a)[0])])
        return operator.inverse().matmul(tf.ones([2, 1], operator.dtype))

    module = tf.Module()
    module.solved = open_function(solved, [definite(2)])
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    a = tf.constant(definite(2))
    with tf.GradientTape() as tape, tf.GradientTape() as other:
        tape.watch(a)
        other.watch(a)
        y, expected = loaded.solved(a), solved(a)
    np.testing.assert_allclose(y.numpy(), expected.numpy(), rtol=1e-4)
    np.testing.assert_allclose(tape.gradient(y, a).numpy(), other.gradient(expected, a).numpy(), rtol=1e-3, atol=1e-5)


def test_a_file_cannot_call_anything_else() -> None:
    with pytest.raises(ValueError, match="not a method"):
        late.call("__reduce__", late.Recipe("LinearOperatorIdentity", (2,), {}), (), {})
    with pytest.raises(ValueError, match="not a linear operator"):
        late.call("to_dense", late.Recipe("matmul", (2,), {}), (), {})
