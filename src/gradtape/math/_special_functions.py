"""Special functions of `tf.math` and `tf.math.special`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import axes, tensor
from gradtape.api.families import binary, family, pair, unary
from gradtape.core import convert, errors
from gradtape.core.annotations import TensorLike
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops import bessel, error_functions, gamma, named_integrals, no_nan_products
from gradtape.ops.beta import Betainc
from gradtape.ops.creation import ZerosLike
from gradtape.ops.nextafter import Nextafter
from gradtape.ops.reduction import ReduceSum
from gradtape.ops.sinc import Sinc

erfc = unary(error_functions.Erfc, "tf.math.erfc([0.0, np.inf]).numpy() -> array([1., 0.], dtype=float32)")
erfinv = unary(error_functions.Erfinv, "tf.math.erfinv([0.0, 1.0]).numpy() -> array([ 0., inf], dtype=float32)")
erfcinv = unary(error_functions.Erfcinv, "tf.math.erfcinv([2.0, 0.0]).numpy() -> array([-inf,  inf], dtype=float32)")
ndtri = unary(error_functions.Ndtri, "tf.math.ndtri([0.5, 1.0]).numpy() -> array([ 0., inf], dtype=float32)")

lgamma = unary(gamma.Lgamma, "tf.math.lgamma([1.0, 0.0]).numpy() -> array([ 0., inf], dtype=float32)")
digamma = unary(gamma.Digamma, "tf.math.digamma([1.0]).numpy().round(4) -> array([-0.5772], dtype=float32)")
dawsn = unary(named_integrals.Dawsn, "tf.math.special.dawsn([0.0]).numpy() -> array([0.], dtype=float32)")
expint = unary(
    named_integrals.Expint, "tf.math.special.expint([1.0]).numpy().round(4) -> array([1.8951], dtype=float32)"
)
fresnel_cos = unary(
    named_integrals.FresnelCos, "tf.math.special.fresnel_cos([0.0, np.inf]).numpy() -> array([0. , 0.5], dtype=float32)"
)
fresnel_sin = unary(
    named_integrals.FresnelSin, "tf.math.special.fresnel_sin([0.0, np.inf]).numpy() -> array([0. , 0.5], dtype=float32)"
)
spence = unary(named_integrals.Spence, "tf.math.special.spence([1.0]).numpy() -> array([0.], dtype=float32)")
sinc = unary(Sinc, "tf.math.sinc([0.0, 0.5]).numpy().round(4) -> array([1.    , 0.6366], dtype=float32)")

xlogy = binary(no_nan_products.Xlogy, "tf.math.xlogy([0.0, 2.0], [0.0, 1.0]).numpy() -> array([0., 0.], dtype=float32)")
xlog1py = binary(
    no_nan_products.Xlog1py, "tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0]).numpy() -> array([0., 0.], dtype=float32)"
)
xdivy = binary(
    no_nan_products.Xdivy, "tf.math.xdivy([0.0, 3.0], [0.0, 2.0]).numpy() -> array([0. , 1.5], dtype=float32)"
)


def _of_order(op: Any, order: int, name: str, what: str, example: str) -> Callable[..., Tensor]:
    """The public function of a Bessel function of one order. The example reads `call -> result`."""

    def function(x: Any, name: str | None = None) -> Tensor:
        result: Tensor = op(tensor(x), order=order)
        return result

    call, result = example.split(" -> ")
    lines = [
        f"{what}, of order {order}, elementwise.", "", "Args:", "  x: a tensor of floats, or a value that becomes one.",
        "  name: ignored.", "", f">>> {call}", result, "",
    ]  # fmt: skip
    function.__doc__ = "\n".join(lines)
    function.__name__ = function.__qualname__ = name
    return function


_FIRST, _SECOND = "The Bessel function of the first kind", "The Bessel function of the second kind"
_MODIFIED, _MODIFIED_SECOND = (text.replace("Bessel", "modified Bessel") for text in (_FIRST, _SECOND))
_SPECIAL = "tf.math.special.bessel_"

bessel_i0 = _of_order(bessel.BesselI, 0, "bessel_i0", _MODIFIED, "float(tf.math.bessel_i0(0.0)) -> 1.0")
bessel_i1 = _of_order(bessel.BesselI, 1, "bessel_i1", _MODIFIED, "float(tf.math.bessel_i1(0.0)) -> 0.0")
bessel_i0e = _of_order(
    bessel.BesselIe, 0, "bessel_i0e", f"{_MODIFIED} times exp(-|x|)", "float(tf.math.bessel_i0e(0.0)) -> 1.0"
)
bessel_i1e = _of_order(
    bessel.BesselIe, 1, "bessel_i1e", f"{_MODIFIED} times exp(-|x|)", "float(tf.math.bessel_i1e(0.0)) -> 0.0"
)
bessel_j0 = _of_order(bessel.BesselJ, 0, "bessel_j0", _FIRST, f"float({_SPECIAL}j0(0.0)) -> 1.0")
bessel_j1 = _of_order(bessel.BesselJ, 1, "bessel_j1", _FIRST, f"float({_SPECIAL}j1(0.0)) -> 0.0")
bessel_k0 = _of_order(bessel.BesselK, 0, "bessel_k0", _MODIFIED_SECOND, f"float({_SPECIAL}k0(0.0)) -> inf")
bessel_k1 = _of_order(bessel.BesselK, 1, "bessel_k1", _MODIFIED_SECOND, f"float({_SPECIAL}k1(0.0)) -> inf")
bessel_k0e = _of_order(
    bessel.BesselKe, 0, "bessel_k0e", f"{_MODIFIED_SECOND} times exp(x)", f"float({_SPECIAL}k0e(0.0)) -> inf"
)
bessel_k1e = _of_order(
    bessel.BesselKe, 1, "bessel_k1e", f"{_MODIFIED_SECOND} times exp(x)", f"float({_SPECIAL}k1e(0.0)) -> inf"
)
bessel_y0 = _of_order(bessel.BesselY, 0, "bessel_y0", _SECOND, f"float({_SPECIAL}y0(0.0)) -> -inf")
bessel_y1 = _of_order(bessel.BesselY, 1, "bessel_y1", _SECOND, f"float({_SPECIAL}y1(0.0)) -> -inf")


@family(a="the shape of the gamma distribution.", x="where; of the same dtype, and a shape that broadcasts.")
def _of_a_and_x(who: str, op: Any) -> Callable[..., Tensor]:
    def function(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
        result: Tensor = op(*pair(a, x))
        return result

    return function


igamma = _of_a_and_x(
    "igamma",
    "The lower regularised incomplete gamma function P(a, x), elementwise. Gradients flow to both arguments.",
    "tf.math.igamma(1.0, [0.0, np.inf]).numpy() -> array([0., 1.], dtype=float32)",
    gamma.Igamma,
)
igammac = _of_a_and_x(
    "igammac",
    "The upper regularised incomplete gamma function 1 - P(a, x), elementwise. Gradients flow to both arguments.",
    "tf.math.igammac(1.0, [0.0, np.inf]).numpy() -> array([1., 0.], dtype=float32)",
    gamma.Igammac,
)
polygamma = _of_a_and_x(
    "polygamma",
    "The derivative of order a of the digamma function at x, elementwise. Gradients flow to x.",
    "tf.math.polygamma(1.0, [1.0]).numpy().round(4) -> array([1.6449], dtype=float32)",
    gamma.Polygamma,
    a="whole numbers >= 0, as floats; the result is NaN elsewhere.",
)


def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """The Hurwitz zeta function, elementwise: the sum of (q + n)**-x over n = 0, 1, 2, ... Gradients flow to q.

    Args:
      x: the exponent, above 1.
      q: of the same dtype, and a shape that broadcasts; with 1, this is Riemann's zeta function.

    >>> tf.math.zeta([2.0], 1.0).numpy().round(4)
    array([1.6449], dtype=float32)
    """
    return gamma.Zeta(*pair(x, q))


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function I(a, b; x), elementwise. Gradients flow to all three arguments.

    Args:
      a: the first parameter of the beta distribution whose distribution function this is.
      b: the second parameter.
      x: where, from 0 to 1. All three have one dtype, and shapes that broadcast.

    >>> tf.math.betainc(1.0, 1.0, [0.0, 0.25, 1.0]).numpy()
    array([0.  , 0.25, 1.  ], dtype=float32)
    """
    values = (a, b, x)
    first = next((v for v in values if isinstance(v, (Tensor, Variable))), None)
    dtype = (tensor(a) if first is None else first).dtype
    return Betainc(*[convert.like(v, dtype) for v in values])


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the beta function, reduced along the last axis.

    That is the sum of `lgamma(x)` minus `lgamma` of the sum of x.

    Args:
      x: a tensor of floats, of rank 1 or more.

    >>> tf.math.lbeta([[1.0, 1.0], [1.0, 2.0]]).numpy().round(4)
    array([ 0.    , -0.6931], dtype=float32)
    """
    x = tensor(x)
    last = axes(-1, x.ndim, "lbeta")
    logs = ReduceSum(gamma.Lgamma(x), axis=last, keepdims=False)
    return logs - gamma.Lgamma(ReduceSum(x, axis=last, keepdims=False))


def logaddexp(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """log(exp(x1) + exp(x2)), elementwise, without overflow in values and derivatives.

    Args:
      x1: a tensor of floats, or a value that becomes one.
      x2: of the same dtype, and a shape that broadcasts.

    >>> tf.math.logaddexp([1000.0, -np.inf], [-1000.0, -np.inf]).numpy()
    array([1000., -inf], dtype=float32)
    """
    return no_nan_products.Logaddexp(*pair(x1, x2))


def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The number next to x1 in the direction of x2, elementwise. The gradient goes to x1.

    Args:
      x1: a tensor of float16, float32 or float64.
      x2: of the same dtype, and a shape that broadcasts.

    >>> float(tf.math.nextafter(1.0, 2.0) - 1.0) == 2.0**-23
    True
    """
    return Nextafter(*pair(x1, x2))


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The value of a polynomial at x, elementwise, by Horner's method.

    Args:
      coeffs: a list of coefficients, that of the highest power first: numbers, or tensors that broadcast with x.
      x: a tensor, or a value that becomes one.

    >>> tf.math.polyval([3.0, 2.0, 1.0], [0.0, 10.0]).numpy()
    array([  1., 321.], dtype=float32)
    """
    if not isinstance(coeffs, list):
        raise ValueError(
            errors.compose(
                f"polyval: Argument coeffs must be list type, got {type(coeffs).__name__}.",
                "give one coefficient per power.",
            )
        )
    x = tensor(x)
    if not coeffs:
        return ZerosLike(x, dtype=None)
    total = convert.like(coeffs[0], x.dtype)
    for c in coeffs[1:]:
        total = total * x + convert.like(c, x.dtype)
    return total
