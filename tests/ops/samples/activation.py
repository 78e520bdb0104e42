"""Samples of activation functions."""

import cmath
import math

import numpy as np
from scipy import special, stats

from gradtape.core import errors
from gradtape.ops.activation import (
    Elu,
    Erf,
    Gelu,
    GeluSlope,
    LeakyRelu,
    LeakyReluGrad,
    LogSigmoid,
    Relu,
    Relu6,
    ReluGrad,
    Selu,
    Sigmoid,
    Silu,
    Softplus,
    SoftplusSlope,
    Softsign,
)
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"

X = np.array([[1.5, -0.75, 0.25], [3.0, 0.5, -2.0]])
FAR = np.array([-1000.0, -80.0, -20.0, 0.75, 20.0, 80.0, 1000.0])
EDGES = np.array([0.0, -0.0, 6.0, np.inf, np.nan])
Z = np.array([1.0 + 0.5j, -0.5 + 0.25j])
WHOLE = np.array([[3, -5, 7], [1, 4, -2]])


def exact(function):
    """A function of a float as a function of arrays."""
    return np.vectorize(function, otypes=[np.float64])


SMOOTH = {
    Sigmoid: special.expit,
    LogSigmoid: special.log_expit,
    Softplus: lambda x: np.logaddexp(0.0, x),
    SoftplusSlope: special.expit,
    Softsign: exact(lambda x: x / (1.0 + abs(x))),
}
for op, reference in SMOOTH.items():
    sample(op, X, reference=reference, dtypes=REAL)
    sample(op, FAR, reference=reference, dtypes=REAL, smooth=False)
    sample(op, -0.5, reference=reference)
    bad(op, WHOLE, error=errors.DTypeError, match="must be floating point")
sample(Sigmoid, Z, reference=np.vectorize(lambda z: 0.5 + 0.5 * cmath.tanh(0.5 * z)), dtypes="complex64 complex128")

positive = exact(lambda x: x if x > 0.0 or math.isnan(x) else 0.0)
sample(Relu, X, reference=positive, dtypes=REAL)
sample(Relu, EDGES, reference=positive, dtypes=REAL, smooth=False)
sample(Relu, -0.5, reference=positive)
sample(Relu, WHOLE, reference=np.vectorize(lambda x: max(x, 0)), dtypes="int8 int32")
limited = exact(lambda x: x if math.isnan(x) else min(max(x, 0.0), 6.0))
sample(Relu6, 2.5 * X, reference=limited, dtypes=REAL)
sample(Relu6, EDGES, reference=limited, dtypes=REAL, smooth=False)
sample(Relu6, WHOLE, reference=np.vectorize(lambda x: min(max(x, 0), 6)), dtypes="int8 int32")
for op in (Relu, Relu6):
    bad(op, np.array([True]), error=errors.DTypeError, match="bool")

sample(ReluGrad, X, X[::-1].copy(), reference=exact(lambda a, b: a if b > 0.0 else 0.0), dtypes=REAL)
sample(ReluGrad, X, np.array([[1.0], [-1.0]]), reference=exact(lambda a, b: a if b > 0.0 else 0.0))
bad(ReluGrad, X, X.T.copy(), error=errors.ShapeError, match="do not broadcast")
bad(ReluGrad, WHOLE, WHOLE, error=errors.DTypeError, match="must be floating point")

leaky = np.vectorize(lambda x, alpha: x if x > 0.0 else alpha * x, otypes=[np.float64])
for alpha in (0.2, 0.0, -0.5, 1.75):
    sample(LeakyRelu, X, reference=leaky, dtypes=REAL, alpha=alpha)
sample(LeakyRelu, np.array([0.0, -1e30]), reference=leaky, smooth=False, alpha=0.2)
for alpha in (0.2, 1.5):
    sample(
        LeakyReluGrad, X, X[::-1].copy(), reference=exact(lambda a, b, alpha: a if b > 0.0 else alpha * a), alpha=alpha
    )
bad(LeakyReluGrad, X, X.T.copy(), error=errors.ShapeError, match="do not broadcast", alpha=0.2)
bad(LeakyReluGrad, WHOLE, WHOLE, error=errors.DTypeError, match="must be floating point", alpha=0.2)
bad(LeakyRelu, WHOLE, error=errors.DTypeError, match="must be floating point", alpha=0.2)

sample(Elu, X, reference=exact(lambda x: x if x > 0.0 else math.expm1(x)), dtypes=REAL)
sample(Elu, np.array([0.0, 1e4, -1e4, -1e-6]), reference=exact(lambda x: x if x > 0.0 else math.expm1(x)), smooth=False)
bad(Elu, WHOLE, error=errors.DTypeError, match="must be floating point")


def selu(x):
    # The published constants, to the digits of a double.
    scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    return scale * x if x > 0.0 else scale * alpha * math.expm1(x)


sample(Selu, X, reference=exact(selu), dtypes=REAL)
sample(Selu, np.array([0.0, 1e4, -1e4]), reference=exact(selu), dtypes=REAL, smooth=False)
bad(Selu, WHOLE, error=errors.DTypeError, match="must be floating point")


def silu(x, beta):
    return x * special.expit(beta * x)


for beta in (1.0, 2.5, -0.5):
    sample(Silu, X, reference=silu, dtypes=REAL, beta=beta)
sample(Silu, FAR, reference=silu, dtypes=REAL, smooth=False, beta=1.0)
sample(Silu, Z, reference=lambda z, beta: z / (1.0 + np.exp(-beta * z)), dtypes="complex64 complex128", beta=1.5)
bad(Silu, WHOLE, error=errors.DTypeError, match="must be floating point", beta=1.0)


def gelu(x, approximate):
    if not approximate:
        return x * stats.norm.cdf(x)
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


for approximate in (False, True):
    sample(Gelu, X - 0.5, reference=gelu, dtypes=REAL, approximate=approximate)
    sample(Gelu, np.array([-20.0, 20.0, 1000.0]), reference=gelu, dtypes=REAL, smooth=False, approximate=approximate)


def gelu_slope(x):
    return stats.norm.cdf(x) + x * stats.norm.pdf(x)


sample(GeluSlope, X - 0.5, reference=gelu_slope, dtypes=REAL)
sample(GeluSlope, np.array([-20.0, 20.0, 1000.0]), reference=gelu_slope, dtypes=REAL, smooth=False)
bad(GeluSlope, WHOLE, error=errors.DTypeError, match="must be floating point")
bad(Gelu, WHOLE, error=errors.DTypeError, match="must be floating point", approximate=False)

sample(Erf, X, reference=exact(math.erf), dtypes=REAL)
sample(Erf, np.array([0.0, 1e-20, 30.0, -30.0]), reference=exact(math.erf), smooth=False)
bad(Erf, WHOLE, error=errors.DTypeError, match="must be floating point")
