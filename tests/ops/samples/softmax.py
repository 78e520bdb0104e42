"""Samples of softmax and of cross-entropies. The references work with exact logarithms of sums from SciPy."""

import numpy as np
import scipy.special

from gradtape.core.errors import DTypeError, RangeError, ShapeError
from gradtape.ops.cross_entropy import (
    SigmoidCrossEntropy,
    SigmoidCrossEntropySlope,
    SoftmaxCrossEntropy,
    SparseCotangent,
    SparseSoftmaxCrossEntropy,
)
from gradtape.ops.softmax import LogSoftmax, Softmax, SoftmaxGrad
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(4)
REALS = "float16 bfloat16 float32 float64"


def normal(*shape):
    return random.normal(size=shape)


LARGE = np.array([[1000.0, 1001.0, 998.0], [-2000.0, -2000.5, -1999.0]])

for op, reference in ((Softmax, scipy.special.softmax), (LogSoftmax, scipy.special.log_softmax)):
    sample(op, normal(4), reference=reference, dtypes=REALS, axis=0)
    sample(op, normal(2, 3), reference=reference, dtypes=REALS, axis=1)
    sample(op, normal(2, 3), reference=reference, axis=0)
    sample(op, normal(2, 3, 2), reference=reference, axis=1)
    sample(op, LARGE, reference=reference, axis=1, smooth=False, tolerance=1e-11)
    sample(op, normal(2, 0), axis=1)
    bad(op, np.arange(3), error=DTypeError, match="x is i64[3]", axis=0)
    bad(op, np.float64(1.0), error=RangeError, match="axis is 0, but the input has rank 0", axis=0)
    bad(op, normal(2), error=RangeError, match="axis is 1, but the input has rank 1", axis=1)


def softmax_cotangent(g, p, axis):
    """With the Jacobian of each row in full."""
    g, p = np.moveaxis(g, axis, -1), np.moveaxis(p, axis, -1)
    jacobian = np.eye(p.shape[-1]) * p[..., None] - p[..., None] * p[..., None, :]
    return np.moveaxis(np.einsum("...i,...ij->...j", g, jacobian), -1, axis)


sample(SoftmaxGrad, normal(2, 3), normal(2, 3), reference=softmax_cotangent, dtypes=REALS, axis=1)
sample(SoftmaxGrad, normal(2, 3, 2), normal(2, 3, 2), reference=softmax_cotangent, axis=1)
sample(SoftmaxGrad, normal(3), normal(3), reference=softmax_cotangent, axis=0)
bad(SoftmaxGrad, normal(2, 3), normal(3), error=ShapeError, match="g is f64[2,3], p is f64[3]", axis=0)
bad(SoftmaxGrad, normal(3), normal(3), error=RangeError, match="axis is 1, but the input has rank 1", axis=1)


def entropy(labels, logits):
    return np.sum(labels * (scipy.special.logsumexp(logits, axis=-1, keepdims=True) - logits), axis=-1)


def distribution(*shape):
    weights = random.uniform(0.1, 1.0, size=shape)
    return weights / weights.sum(axis=-1, keepdims=True)


sample(SoftmaxCrossEntropy, distribution(2, 3), normal(2, 3), reference=entropy, dtypes=REALS)
sample(SoftmaxCrossEntropy, distribution(3), normal(3), reference=entropy)
sample(SoftmaxCrossEntropy, distribution(2, 2, 3), normal(2, 2, 3), reference=entropy)
# Not distributions: the gradient is TensorFlow's, which is not the derivative.
sample(SoftmaxCrossEntropy, 2.0 * distribution(2, 3), normal(2, 3), reference=entropy, smooth=False)
sample(SoftmaxCrossEntropy, np.eye(3)[:2], LARGE, reference=entropy, smooth=False, tolerance=1e-11)
bad(SoftmaxCrossEntropy, normal(2, 3), normal(2, 4), error=ShapeError, match="labels is f64[2,3], logits is f64[2,4]")
bad(SoftmaxCrossEntropy, np.float64(1.0), np.float64(1.0), error=ShapeError, match="of rank 1 or more")
bad(SoftmaxCrossEntropy, np.arange(3), normal(3), error=DTypeError, match="labels is i64[3]")


def sparse_entropy(labels, logits):
    return entropy(np.eye(logits.shape[-1])[labels], logits), scipy.special.softmax(logits, axis=-1)


for labels, logits in (
    (np.array([2, 0]), normal(2, 3)),
    (np.array([1, 1], np.int32), normal(2, 3)),
    (np.array([1, 0], np.uint8), normal(2, 3)),
    (np.int32(1), normal(3)),
    (np.array([[2, 0], [1, 1]]), normal(2, 2, 3)),
    (np.zeros(0, int), normal(0, 3)),
):
    sample(SparseSoftmaxCrossEntropy, labels, logits, reference=sparse_entropy, dtypes=REALS)
sample(SparseSoftmaxCrossEntropy, np.array([0, 2]), LARGE, reference=sparse_entropy, smooth=False, tolerance=1e-11)
LABELS = np.array([2, 0])
bad(
    SparseSoftmaxCrossEntropy,
    np.array([0, 3]),
    normal(2, 3),
    error=RangeError,
    match="label value of 3 which is outside the valid range of [0, 3): labels[1]",
)
bad(
    SparseSoftmaxCrossEntropy,
    np.array([0, -1]),
    normal(2, 3),
    error=RangeError,
    match="label value of -1 which is outside the valid range of [0, 3): labels[1]",
)
bad(SparseSoftmaxCrossEntropy, LABELS, normal(3, 3), error=ShapeError, match="labels is i64[2], logits is f64[3,3]")
bad(SparseSoftmaxCrossEntropy, np.int64(0), np.float64(1.0), error=ShapeError, match="logits is f64[]")
bad(
    SparseSoftmaxCrossEntropy, normal(2), normal(2, 3), error=DTypeError, match="labels is f64[2], and must be integers"
)
bad(SparseSoftmaxCrossEntropy, LABELS, np.ones((2, 3), int), error=DTypeError, match="logits is i64[2,3]")


def sparse_cotangent(g, labels, p):
    return g[..., None] * (p - np.eye(p.shape[-1])[labels])


sample(SparseCotangent, normal(2), LABELS, normal(2, 3), reference=sparse_cotangent, dtypes=REALS)
sample(SparseCotangent, np.float64(1.5), np.int32(1), normal(3), reference=sparse_cotangent)
sample(SparseCotangent, normal(2, 2), np.array([[2, 0], [1, 1]]), normal(2, 2, 3), reference=sparse_cotangent)
bad(SparseCotangent, normal(3), LABELS, normal(2, 3), error=ShapeError, match="g is f64[3], labels is i64[2]")
bad(
    SparseCotangent,
    normal(2),
    np.array([0, 3]),
    normal(2, 3),
    error=RangeError,
    match="label value of 3 which is outside the valid range of [0, 3): labels[1]",
)


def sigmoid_entropy(labels, logits):
    """Through the logarithms of the two probabilities."""
    return -labels * scipy.special.log_expit(logits) - (1.0 - labels) * scipy.special.log_expit(-logits)


sample(SigmoidCrossEntropy, random.uniform(size=4), normal(4), reference=sigmoid_entropy, dtypes=REALS)
sample(
    SigmoidCrossEntropy, np.array([1.0, 1.0, 0.0, 0.0]), np.array([30.0, -30.0, 30.0, -30.0]), reference=sigmoid_entropy
)
sample(SigmoidCrossEntropy, np.array([1.0, 0.25]), np.array([0.0, 0.0]), reference=sigmoid_entropy)
sample(SigmoidCrossEntropy, random.uniform(size=(2, 1)), normal(3), reference=sigmoid_entropy)
sample(SigmoidCrossEntropy, np.float64(0.25), np.float64(0.75), reference=sigmoid_entropy)
bad(SigmoidCrossEntropy, np.array([0, 1]), np.array([1, 2]), error=DTypeError, match="labels is i64[2]")
bad(SigmoidCrossEntropy, normal(2), normal(3), error=ShapeError, match="labels is f64[2], logits is f64[3]")


def sigmoid_slope(labels, logits):
    return (1.0 - labels) * scipy.special.expit(logits) - labels * scipy.special.expit(-logits)


FAR = np.array([-800.0, -30.0, 0.5, 30.0, 800.0])
sample(SigmoidCrossEntropySlope, random.uniform(size=4), normal(4), reference=sigmoid_slope, dtypes=REALS)
sample(SigmoidCrossEntropySlope, np.ones(5), FAR, reference=sigmoid_slope, dtypes="float32 float64", smooth=False)
sample(SigmoidCrossEntropySlope, random.uniform(size=(2, 1)), normal(3), reference=sigmoid_slope)
bad(SigmoidCrossEntropySlope, np.array([0, 1]), np.array([1, 2]), error=DTypeError, match="labels is i64[2]")
