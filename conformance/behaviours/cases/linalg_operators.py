"""`tf.linalg.LinearOperator`: every kind, its algebra, its solvers, and what it refuses."""

from behaviour import case
from cases._expression import evaluate

OPERATORS = {
    "full": "tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [2.0, 3.0]])",
    "diag": "tf.linalg.LinearOperatorDiag([2.0, 3.0])",
    "identity": "tf.linalg.LinearOperatorIdentity(2)",
    "scaled": "tf.linalg.LinearOperatorScaledIdentity(2, 3.0)",
    "zeros": "tf.linalg.LinearOperatorZeros(2)",
    "triangular": "tf.linalg.LinearOperatorLowerTriangular([[4.0, 9.0], [2.0, 3.0]])",
    "low rank": "tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorDiag([2.0, 3.0], is_positive_definite=True), [[1.0], [0.5]])",
    "kronecker": "tf.linalg.LinearOperatorKronecker([tf.linalg.LinearOperatorDiag([2.0, 3.0]), tf.linalg.LinearOperatorIdentity(2)])",
    "block": "tf.linalg.LinearOperatorBlockDiag([tf.linalg.LinearOperatorDiag([2.0]), tf.linalg.LinearOperatorIdentity(1)])",
    "block triangular": "tf.linalg.LinearOperatorBlockLowerTriangular([[tf.linalg.LinearOperatorDiag([2.0])], [tf.linalg.LinearOperatorFullMatrix([[1.0]]), tf.linalg.LinearOperatorDiag([3.0])]])",
    "composition": "tf.linalg.LinearOperatorComposition([tf.linalg.LinearOperatorDiag([2.0, 3.0]), tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [2.0, 3.0]])])",
    "adjoint": "tf.linalg.LinearOperatorAdjoint(tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [2.0, 3.0]]))",
    "inversion": "tf.linalg.LinearOperatorInversion(tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [2.0, 3.0]]))",
    "householder": "tf.linalg.LinearOperatorHouseholder([0.6, 0.8])",
    "permutation": "tf.linalg.LinearOperatorPermutation([1, 0])",
    "toeplitz": "tf.linalg.LinearOperatorToeplitz([4.0, 1.0], [4.0, 2.0])",
    "tridiagonal": "tf.linalg.LinearOperatorTridiag([[1.0, 0.0], [4.0, 3.0], [0.0, 2.0]])",
    "circulant": "tf.linalg.LinearOperatorCirculant([4.0, 2.0], input_output_dtype=tf.float32)",
}


@case(
    kind=list(OPERATORS),
    expression=[
        "o.to_dense()",
        "o.shape",
        "o.matmul(x)",
        "o.matmul(x, adjoint=True)",
        "o.matvec(x[:, 0])",
        "o.solve(x)",
        "o.solvevec(x[:, 0], adjoint=True)",
        "o.determinant()",
        "o.log_abs_determinant()",
        "o.trace()",
        "o.diag_part()",
        "o.add_to_tensor(o.to_dense())",
        "o.adjoint().to_dense()",
        "o.inverse().to_dense()",
        "o.cholesky().to_dense()",
        "o.cond()",
        "o.tensor_rank",
        "[o.is_square, o.is_self_adjoint, o.is_positive_definite, o.is_non_singular]",
        "(o @ o).to_dense()",
        "o.matmul(ramp(3, 1))",
        "o.dtype",
        "o.batch_shape",
        "[int(o.domain_dimension), int(o.range_dimension)]",
    ],
    tolerance=1e-4,
)
def operator(tf, kind, expression):
    body = expression.replace("x[", "ramp(int(o.shape[-1]), 2)[").replace("(x", "(ramp(int(o.shape[-1]), 2)")
    return evaluate(tf, f"(lambda o:{body})({OPERATORS[kind]})")


@case(
    expression=[
        "tf.linalg.LinearOperatorDiag([[1.0, 2.0], [3.0, 4.0]]).to_dense()",
        "tf.linalg.LinearOperatorDiag([1.0, 0.0]).assert_non_singular()",
        "tf.linalg.LinearOperatorDiag([1.0, -1.0]).assert_positive_definite()",
        "tf.linalg.LinearOperatorDiag([1j, 1.0]).assert_self_adjoint()",
        "tf.linalg.LinearOperatorDiag(3.0)",
        "tf.linalg.LinearOperatorDiag([1, 2]).to_dense()",
        "tf.linalg.LinearOperatorFullMatrix([1.0])",
        "tf.linalg.LinearOperatorFullMatrix(ramp(2, 3)).determinant()",
        "tf.linalg.LinearOperatorFullMatrix(ramp(2, 3)).solve(ramp(2, 1))",
        "tf.linalg.LinearOperatorFullMatrix([[1.0]], is_non_singular=False).solve([[1.0]])",
        "tf.linalg.LinearOperatorFullMatrix([[1.0]], is_positive_definite=True, is_self_adjoint=False).is_non_singular",
        "tf.linalg.LinearOperatorIdentity(-1)",
        "tf.linalg.LinearOperatorIdentity(2, batch_shape=[2]).to_dense().shape",
        "tf.linalg.LinearOperatorIdentity(2, is_self_adjoint=False)",
        "tf.linalg.LinearOperatorIdentity(2.0)",
        "tf.linalg.LinearOperatorZeros(2).solve(ramp(2, 1))",
        "tf.linalg.LinearOperatorKronecker([])",
        "tf.linalg.LinearOperatorComposition([])",
        "tf.linalg.LinearOperatorBlockDiag([])",
        "tf.linalg.LinearOperatorBlockDiag([tf.linalg.LinearOperatorDiag([2.0]), tf.linalg.LinearOperatorDiag(c([2.0], tf.float64))])",
        "tf.linalg.LinearOperatorBlockDiag([tf.linalg.LinearOperatorDiag([2.0]), tf.linalg.LinearOperatorIdentity(1)]).matmul([ramp(1, 2), ramp(1, 2)])",
        "tf.linalg.LinearOperatorCirculant2D(np.ones((2, 2), np.complex64)).to_dense()",
        "tf.linalg.LinearOperatorCirculant3D(np.ones((2, 1, 2), np.complex64)).shape",
        "tf.linalg.LinearOperatorCirculant([1.0, 2.0, 3.0]).to_dense()",
        "tf.linalg.LinearOperatorCirculant([1.0, 2.0, 3.0]).convolution_kernel()",
        "tf.linalg.LinearOperatorToeplitz([1.0, 2.0], [5.0, 2.0]).to_dense()",
        "tf.linalg.LinearOperatorLowerTriangular([1.0])",
        "(tf.linalg.LinearOperatorDiag([1.0, 2.0]) @ tf.linalg.LinearOperatorDiag([3.0, 4.0])).__class__.__name__",
        "(tf.linalg.LinearOperatorDiag([1.0, 2.0]).inverse()).__class__.__name__",
        "(tf.linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True, is_self_adjoint=True).cholesky()).__class__.__name__",
        "(tf.linalg.LinearOperatorIdentity(2) @ tf.linalg.LinearOperatorDiag([3.0, 4.0])).__class__.__name__",
        "(tf.linalg.LinearOperatorFullMatrix([[1.0]]) @ tf.linalg.LinearOperatorFullMatrix([[2.0]])).__class__.__name__",
        "tf.linalg.LinearOperatorDiag([1.0, 2.0]) @ ramp(2, 1)",
        "tf.linalg.LinearOperatorDiag([1.0, 2.0]).matmul(tf.linalg.LinearOperatorIdentity(3))",
        "tf.linalg.LinearOperatorDiag([1.0, 2.0]).eigvals()",
        "tf.linalg.matmul(tf.linalg.LinearOperatorDiag([1.0, 2.0]), ramp(2, 1))",
        "tf.linalg.inv(tf.linalg.LinearOperatorDiag([1.0, 2.0])).to_dense()",
        "tf.linalg.adjoint(tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])).to_dense()",
        "tf.linalg.trace(tf.linalg.LinearOperatorDiag([1.0, 2.0]))",
        "tf.linalg.det(tf.linalg.LinearOperatorDiag([1.0, 2.0]))",
        "tf.convert_to_tensor(tf.linalg.LinearOperatorDiag([1.0, 2.0]))",
        "traced(lambda o:o.matvec([1.0, 1.0]), tf.linalg.LinearOperatorDiag([1.0, 2.0]))",
        "grad(lambda d:tf.linalg.LinearOperatorDiag(d).solvevec([1.0, 2.0]), [2.0, 4.0])",
        "tf.linalg.LinearOperatorDiag([1.0, 2.0]).H.to_dense()",
        "tf.linalg.LinearOperatorDiag(tf.Variable([1.0, 2.0])).variables[0].shape",
        "tf.linalg.LinearOperatorDiag([[1.0, 2.0], [3.0, 4.0]])[0].to_dense()",
    ],
    tolerance=1e-4,
)
def algebra(tf, expression):
    return evaluate(tf, expression)
