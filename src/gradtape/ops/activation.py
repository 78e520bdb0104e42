"""Activation functions of neural networks, elementwise, and the error function."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.ops.accumulation_dtype import is_narrow
from gradtape.ops.arithmetic import Abs, Square
from gradtape.ops.exponential import Exp
from gradtape.ops.family import Binary, Unary, conj, unbroadcast, unbroadcast_to
from gradtape.ops.selection import ClipByValue, Minimum, Where, number, zeros

# Self-normalizing networks (Klambauer et al., 2017): the fixed point of mean 0 and variance 1.
_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805

# The tanh approximation of gelu (Hendrycks and Gimpel, 2016), as a sigmoid of twice its argument.
_GELU_SCALE = 2 * math.sqrt(2 / math.pi)
_GELU_CUBIC = 0.044715


def in_float32(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that computes float16, bfloat16 and float8 in float32, and rounds once."""

    @functools.wraps(kernel)
    def run(self: Any, x: Any, **params: Any) -> Any:
        if is_narrow(x):
            return kernel(self, x.astype(np.float32), **params).astype(x.dtype)
        return kernel(self, x, **params)

    return run


@declare("sigmoid")
class Sigmoid(Unary):
    """1 / (1 + exp(-x)), elementwise."""

    @in_float32
    def kernel(self, x: Any) -> Any:
        # Where exp overflows, the quotient is 0, as it should be.
        return 1 / (1 + np.exp(-x))

    def vjp(self, dy: Any, y: Any) -> Any:
        y = conj(y)
        return (dy * (y * (1 - y)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        one = cg.constant(1, x)
        return cg.div(one, cg.add(one, cg.exp(cg.neg(x))))


@declare("log_sigmoid")
class LogSigmoid(Unary):
    """The logarithm of the sigmoid, elementwise."""

    kinds = "fV"

    @in_float32
    def kernel(self, x: Any) -> Any:
        return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * SoftplusSlope(-x),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.sub(cg.minimum(x, cg.constant(0, x)), cg.log1p(cg.exp(cg.neg(cg.abs(x)))))


@declare("softplus")
class Softplus(Unary):
    """log(1 + exp(x)), elementwise."""

    kinds = "fV"

    @in_float32
    def kernel(self, x: Any) -> Any:
        return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * SoftplusSlope(x),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.add(cg.maximum(x, cg.constant(0, x)), cg.log1p(cg.exp(cg.neg(cg.abs(x)))))


@declare("softplus_slope")
class SoftplusSlope(Unary):
    """The derivative of softplus, elementwise: a sigmoid whose own derivative keeps its digits where x is large.

    `sigmoid` forms its derivative from its result, which is quicker, and 0 in float32 where x is above 17.
    """

    kinds = "fV"

    @in_float32
    def kernel(self, x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * (SoftplusSlope(x) * SoftplusSlope(-x)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        one = cg.constant(1, x)
        return cg.div(one, cg.add(one, cg.exp(cg.neg(x))))


@declare("softsign")
class Softsign(Unary):
    """x / (1 + |x|), elementwise."""

    kinds = "fV"

    @in_float32
    def kernel(self, x: Any) -> Any:
        return x / (1 + np.abs(x))

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy / Square(1 + Abs(x)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.div(x, cg.add(cg.constant(1, x), cg.abs(x)))


@declare("relu")
class Relu(Unary):
    """The positive part of x, elementwise. Its derivative at 0 is 0."""

    kinds = "fViu"

    def kernel(self, x: Any) -> Any:
        return np.maximum(x, number(0, x))

    def vjp(self, dy: Any, y: Any) -> Any:
        return (ReluGrad(dy, y),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.maximum(x, cg.constant(0, x))


@declare("relu_grad")
class ReluGrad(Binary):
    """a where b is positive, a times zero elsewhere, elementwise. Its derivative in b is zero, and not absent."""

    kinds = "fV"
    inputs = ("a", "b")

    def kernel(self, a: Any, b: Any) -> Any:
        return a * (b > 0)

    def vjp(self, dy: Any, a_shape: Any, b: Any) -> Any:
        return unbroadcast_to(ReluGrad(dy, b), a_shape), unbroadcast(zeros(dy), b)

    def scalar(self, cg: Any, a: Any, b: Any) -> Any:
        return cg.mul(a, cg.select(cg.gt(b, cg.constant(0, b)), cg.constant(1, a), cg.constant(0, a)))


@declare("relu6")
class Relu6(Unary):
    """x limited to the range from 0 to 6, elementwise. Its derivative at 0 and 6 is 0."""

    kinds = "fViu"

    def kernel(self, x: Any) -> Any:
        return np.minimum(np.maximum(x, number(0, x)), number(6, x))

    def vjp(self, dy: Any, y: Any) -> Any:
        return (ReluGrad(dy, y * (6 - y)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.minimum(cg.maximum(x, cg.constant(0, x)), cg.constant(6, x))


@declare("leaky_relu")
class LeakyRelu(Unary):
    """x where it is positive, alpha * x elsewhere, elementwise. Its derivative at 0 is alpha."""

    kinds = "fV"

    @in_float32
    def kernel(self, x: Any, *, alpha: float) -> Any:
        if alpha == 0:  # 0 * inf is nan
            return np.where(x > 0, x, 0 * x)
        return (np.maximum if alpha <= 1 else np.minimum)(x, alpha * x)

    def vjp(self, dy: Any, x: Any, *, alpha: float) -> Any:
        return (LeakyReluGrad(dy, x, alpha=alpha),)

    def scalar(self, cg: Any, x: Any, *, alpha: float) -> Any:
        return cg.select(cg.gt(x, cg.constant(0, x)), x, cg.mul(cg.constant(alpha, x), x))


@declare("leaky_relu_grad")
class LeakyReluGrad(Binary):
    """a where b is positive, alpha * a elsewhere, elementwise. Its derivative in b is zero, and not absent."""

    kinds = "fV"

    def kernel(self, a: Any, b: Any, *, alpha: float) -> Any:
        return a * np.where(b > 0, number(1, a), number(alpha, a))

    def vjp(self, dy: Any, a_shape: Any, b: Any, *, alpha: float) -> Any:
        return unbroadcast_to(LeakyReluGrad(dy, b, alpha=alpha), a_shape), unbroadcast(zeros(dy), b)

    def scalar(self, cg: Any, a: Any, b: Any, *, alpha: float) -> Any:
        return cg.mul(a, cg.select(cg.gt(b, cg.constant(0, b)), cg.constant(1, a), cg.constant(alpha, a)))


@declare("elu")
class Elu(Unary):
    """x where it is positive, exp(x) - 1 elsewhere, elementwise."""

    kinds = "fV"

    @in_float32
    def kernel(self, x: Any) -> Any:
        return np.maximum(x, 0) + np.expm1(np.minimum(x, 0))

    def vjp(self, dy: Any, y: Any) -> Any:
        return (dy * (1 + Minimum(y, number(0, y))),)

    def scalar(self, cg: Any, x: Any) -> Any:
        zero = cg.constant(0, x)
        return cg.add(cg.maximum(x, zero), cg.expm1(cg.minimum(x, zero)))


@declare("selu")
class Selu(Unary):
    """A scaled elu that keeps the mean and variance of its inputs through many layers, elementwise."""

    kinds = "fV"

    @in_float32
    def kernel(self, x: Any) -> Any:
        return _SELU_SCALE * (np.maximum(x, 0) + _SELU_ALPHA * np.expm1(np.minimum(x, 0)))

    def vjp(self, dy: Any, y: Any) -> Any:
        return (dy * Where(y < 0, y + _SELU_SCALE * _SELU_ALPHA, number(_SELU_SCALE, y)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        zero = cg.constant(0, x)
        low = cg.mul(cg.constant(_SELU_ALPHA, x), cg.expm1(cg.minimum(x, zero)))
        return cg.mul(cg.constant(_SELU_SCALE, x), cg.add(cg.maximum(x, zero), low))


@declare("silu")
class Silu(Unary):
    """x * sigmoid(beta * x), elementwise."""

    @in_float32
    def kernel(self, x: Any, *, beta: float) -> Any:
        return x / (1 + np.exp(-beta * x))

    def vjp(self, dy: Any, x: Any, *, beta: float) -> Any:
        x = conj(x)
        s = Sigmoid(beta * x)
        return (dy * (s * (1 + (beta * x) * (1 - s))),)

    def scalar(self, cg: Any, x: Any, *, beta: float) -> Any:
        return cg.div(x, cg.add(cg.constant(1, x), cg.exp(cg.mul(cg.constant(-beta, x), x))))


@declare("gelu")
class Gelu(Unary):
    """x times the normal distribution function of x, elementwise.

    `approximate` takes 0.5 * (1 + tanh(c * (x + 0.044715 * x**3))) for that function. It is computed as the sigmoid of
    twice the argument, which is the same and keeps its digits where x is far below 0.
    """

    kinds = "fV"

    @in_float32
    def kernel(self, x: Any, *, approximate: bool) -> Any:
        if approximate:
            return x / (1 + np.exp(-_GELU_SCALE * (x + _GELU_CUBIC * (x * x * x))))
        from scipy import special

        return x * special.ndtr(x) if x.dtype.itemsize < 8 else 0.5 * x * special.erfc(-math.sqrt(0.5) * x)

    def vjp(self, dy: Any, x: Any, *, approximate: bool) -> Any:
        if approximate:
            # Beyond 10 the sigmoid is constant in every dtype; the limit keeps the cubic from overflowing.
            z = ClipByValue(x, number(-10, x), number(10, x))
            s = Sigmoid(_GELU_SCALE * (z + _GELU_CUBIC * (z * z * z)))
            slope = _GELU_SCALE * (1 + (3 * _GELU_CUBIC) * (z * z))
            return (dy * (s * (1 + z * ((1 - s) * slope))),)
        return (dy * GeluSlope(x),)

    def scalar(self, cg: Any, x: Any, *, approximate: bool) -> Any:
        if not approximate:
            if cg.dtype(x).size < 8:
                return cg.mul(x, cg.normal_cdf(x))
            tail = cg.erfc(cg.mul(cg.constant(-math.sqrt(0.5), x), x))
            return cg.mul(cg.mul(cg.constant(0.5, x), x), tail)
        cubic = cg.mul(cg.constant(_GELU_CUBIC, x), cg.mul(cg.mul(x, x), x))
        argument = cg.mul(cg.constant(-_GELU_SCALE, x), cg.add(x, cubic))
        return cg.div(x, cg.add(cg.constant(1, x), cg.exp(argument)))


@declare("gelu_slope")
class GeluSlope(Unary):
    """The derivative of x times the normal distribution function of x, elementwise.

    It is an op because programs can compute it where gelu is, of which it needs the same functions, and keep it in place of x.
    """

    kinds = "fV"
    is_early = True

    @in_float32
    def kernel(self, x: Any) -> Any:
        from scipy import special

        density = np.exp(-0.5 * (x * x)) * (1 / math.sqrt(2 * math.pi))
        return special.ndtr(x) + x * density

    def vjp(self, dy: Any, x: Any) -> Any:
        z = ClipByValue(x, number(-40, x), number(40, x))  # its square overflows in no dtype; there the density is 0
        square = z * z
        density = Exp(-0.5 * square) * (1 / math.sqrt(2 * math.pi))
        return (dy * (density * (2 - square)),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.add(cg.normal_cdf(x), cg.mul(x, cg.normal_density(x)))


@declare("erf")
class Erf(Unary):
    """The error function, elementwise."""

    kinds = "fV"

    @in_float32
    def kernel(self, x: Any) -> Any:
        from scipy import special

        return special.erf(x)

    def vjp(self, dy: Any, x: Any) -> Any:
        return (dy * ((2 / math.sqrt(math.pi)) * Exp(-(x * x))),)

    def scalar(self, cg: Any, x: Any) -> Any:
        return cg.erf(x)
