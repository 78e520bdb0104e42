"""Hints and arguments that linear operators refuse, their names and hints, and parts of batches."""

from behaviour import case
from cases._expression import names

_FULL = "L.LinearOperatorFullMatrix"
_GOOD = f"{_FULL}([[1.,0],[0,1]], is_non_singular=True)"
_BAD = f"{_FULL}([[1.,0],[2,0]], is_non_singular=False)"

WORDS = [
    ("L.LinearOperatorIdentity(2, is_non_singular=None)", "is always non-singular"),
    ("L.LinearOperatorIdentity(2, is_self_adjoint=False)", "is always self adjoint"),
    ("L.LinearOperatorIdentity(2, is_positive_definite=False)", "is always positive-definite"),
    ("L.LinearOperatorIdentity(2, is_square=False)", "is always square"),
    ("L.LinearOperatorIdentity([2])", "must be a 0-D Tensor"),
    ("L.LinearOperatorIdentity(2.)", "must be integer"),
    ("L.LinearOperatorIdentity(-2)", "must be non-negative"),
    ("L.LinearOperatorZeros(2.)", "must be integer"),
    ("L.LinearOperatorZeros(2, is_non_singular=True)", "always singular"),
    ("L.LinearOperatorHouseholder([1.,2.], is_self_adjoint=False)", "always self adjoint"),
    ("L.LinearOperatorPermutation([1,0], is_non_singular=False)", "always non-singular"),
    ("L.LinearOperatorTridiag(tf.ones([3,3]), diagonals_format='foo')", "must be one of compact"),
    (f"L.LinearOperatorComposition([{_GOOD}, {_GOOD}], is_non_singular=False)", "always non-singular"),
    (f"L.LinearOperatorKronecker([{_GOOD}, {_GOOD}], is_non_singular=False)", "always non-singular"),
    (f"L.LinearOperatorBlockDiag([{_GOOD}, {_GOOD}], is_non_singular=False)", "always non-singular"),
    (
        f"L.LinearOperatorBlockLowerTriangular([[{_GOOD}], [{_GOOD}, {_GOOD}]], is_non_singular=False)",
        "always non-singular",
    ),
    (f"L.LinearOperatorBlockLowerTriangular([[{_GOOD}], [{_GOOD}, {_BAD}]], is_non_singular=True)", "always singular"),
    ("L.LinearOperatorBlockLowerTriangular([])", "must be a list of >=1"),
    (f"L.LinearOperatorBlockLowerTriangular([[{_GOOD}], [{_GOOD}]*3])", "must contain `2` blocks"),
    (
        f"L.LinearOperatorBlockLowerTriangular([[{_GOOD}], [{_FULL}(np.ones([2,3],'f')), {_GOOD}]])",
        "must be the same as",
    ),
    (
        "L.LinearOperatorLowRankUpdate(L.LinearOperatorIdentity(3), u=tf.ones([5,3,2]), v=tf.ones([4,3,2]))",
        "incompatible shapes",
    ),
    (
        "L.LinearOperatorLowRankUpdate(L.LinearOperatorIdentity(3), tf.ones([5,3,2]), tf.ones([4,2]))",
        "incompatible shapes",
    ),
    (f"L.LinearOperatorAdjoint({_GOOD}, is_non_singular=False)", "if and only if its adjoint is non-singular"),
    (f"{_FULL}(np.ones([2,3])).determinant()", "not be square"),
    (f"{_FULL}(np.ones([2,3])).log_abs_determinant()", "not be square"),
    (f"{_FULL}(np.ones([2,3])).solve(np.ones([2,1]))", "not be square"),
    (f"{_FULL}(np.ones([2,3])).inverse()", "cannot take the inverse"),
    (f"{_FULL}(np.eye(2), is_square=False).is_square", "but the operator was square"),
]

VALUES = [
    f"L.LinearOperatorComposition([{_FULL}([[1.]], name='left'), {_FULL}([[1.]], name='right')]).name",
    f"L.LinearOperatorKronecker([{_FULL}([[1.]], name='left'), {_FULL}([[1.]], name='right')]).name",
    f"L.LinearOperatorBlockDiag([{_FULL}([[1.]], name='left'), {_FULL}([[1.]], name='right')]).name",
    f"L.LinearOperatorAdjoint({_FULL}([[1.]], name='m')).name",
    f"L.LinearOperatorInversion({_FULL}([[1.]], name='m', is_non_singular=True)).name",
    f"hints(L.LinearOperatorComposition([{_FULL}(np.ones([2,3])), {_FULL}(np.ones([2,3])).adjoint()]))",
    f"hints((lambda a: a.matmul(a, adjoint_arg=True))({_FULL}(np.ones([2,3]))))",
    f"hints((lambda a: a.matmul(a, adjoint_arg=True))({_GOOD}))",
    f"hints((lambda a: a.matmul(a))({_BAD}))",
    f"hints({_GOOD}.matmul({_BAD}))",
    "hints(L.LinearOperatorHouseholder([1.,2.]))",
    f"(lambda o: [type(o).__name__, [len(r) for r in o.operators]])(L.LinearOperatorBlockLowerTriangular([[{_GOOD}], [{_GOOD}, {_GOOD}]], is_non_singular=True).inverse())",
    f"{_FULL}(ramp(3,2,2))[1:].to_dense()",
    f"{_FULL}(ramp(3,2,2))[0].to_dense()",
    f"{_FULL}(ramp(3,1,2,2))[1:, ..., 0:1].to_dense()",
    "L.LinearOperatorDiag(ramp(3,2))[::-1].to_dense()",
    "L.LinearOperatorToeplitz(ramp(3,2), ramp(3,2))[1].to_dense()",
    f"L.LinearOperatorBlockDiag([{_FULL}(ramp(3,2,2)), {_FULL}(ramp(3,1,1))])[:2].to_dense()",
    "gradient_type(lambda: L.LinearOperatorFullMatrix(ramp(2,2)))",
    "gradient_type(lambda: L.LinearOperatorDiag(ramp(2)))",
    "gradient_type(lambda: L.LinearOperatorLowerTriangular(ramp(2,2)))",
    "gradient_type(lambda: L.LinearOperatorScaledIdentity(2, c(3.)))",
    f"tf.vectorized_map(lambda x: {_FULL}(x), c(ramp(3,2,2))).to_dense()",
    f"tf.function(lambda x: {_FULL}(x))(c(ramp(2,2))).to_dense()",
    f"sorted({_FULL}([[1.]]).parameters)",
]


def _hints(operator):
    return [operator.is_square, operator.is_non_singular, operator.is_self_adjoint, operator.is_positive_definite]


def _evaluate(tf, expression):
    def gradient_type(make):
        with tf.GradientTape() as tape:
            operator = make()
            tape.watch(operator)
            y = operator.matvec(tf.ones([2]))
        gradient = tape.gradient(y, operator)
        return [type(gradient).__name__, gradient.to_dense()]

    known = {**names(tf), "L": tf.linalg, "hints": _hints, "gradient_type": gradient_type}
    return eval(expression, known)


@case(item=WORDS)
def words(tf, item):
    return _evaluate(tf, f"message(lambda: {item[0]}, {item[1]!r})")


@case(expression=VALUES)
def values(tf, expression):
    return _evaluate(tf, expression)
