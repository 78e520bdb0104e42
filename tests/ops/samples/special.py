"""Samples of special functions. References are integrals, series and Python's own math, never SciPy's functions."""

import cmath
import math
import statistics

import numpy as np

from gradtape.core import errors
from gradtape.ops.bessel import BesselI, BesselIe, BesselIMoment, BesselJ, BesselK, BesselKe, BesselKMoment, BesselY
from gradtape.ops.beta import BetaDensity, Betainc, BetaincDerivative
from gradtape.ops.error_functions import Erfc, Erfcinv, Erfinv, Ndtri
from gradtape.ops.gamma import (
    Digamma,
    GammaDensity,
    Igamma,
    Igammac,
    IgammaDerivative,
    Lgamma,
    Polygamma,
    RandomGammaSlope,
    Zeta,
)
from gradtape.ops.named_integrals import Dawsn, Expint, FresnelCos, FresnelSin, Spence, SpenceSlope
from gradtape.ops.nextafter import Nextafter
from gradtape.ops.no_nan_products import Logaddexp, LogaddexpShare, Xdivy, Xlog1py, Xlogy
from gradtape.ops.sinc import Sinc
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
COMPLEX = "complex64 complex128"
WHOLE = np.array([3, 1, 2])


def each(function, kind=np.float64):
    """A function of Python numbers as a function of arrays; keyword arguments are parameters."""

    def of_arrays(*arrays, **params):
        return np.vectorize(lambda *xs: function(*map(kind, xs), **params), otypes=[kind])(*arrays)

    return of_arrays


NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


def integral(f, low, high, panels=16):
    """The rule of Gauss and Legendre on equal parts of an interval, for a function of arrays."""
    half = (high - low) / panels / 2
    middles = low + (2 * np.arange(panels) + 1) * half
    return half * math.fsum(np.ravel(WEIGHTS * f(middles[:, np.newaxis] + half * NODES)))


# Error functions

NORMAL = statistics.NormalDist()
MATRIX = np.array([[1.5, -0.75, 0.25], [3.0, 0.5, -2.0]])
PARTS = np.array([[0.5, 0.125, 0.875], [0.25, 0.75, 0.9375]])
TAILS = np.array([1e-30, 1e-5, 0.03])

sample(Erfc, MATRIX, reference=each(math.erfc), dtypes=REAL)
sample(Erfc, 0.5, reference=each(math.erfc))
sample(Erfc, np.array([20.0, np.inf, -np.inf]), reference=each(math.erfc), dtypes="float64", smooth=False)
sample(Erfinv, 2 * PARTS - 1, reference=each(lambda x: NORMAL.inv_cdf((x + 1) / 2) / math.sqrt(2)), dtypes=REAL)
sample(Erfinv, -0.3, reference=each(lambda x: NORMAL.inv_cdf((x + 1) / 2) / math.sqrt(2)))
sample(Erfinv, np.array([1.0, -1.0]), reference=lambda x: np.array([np.inf, -np.inf]), smooth=False)
for op, reference, scale in (
    (Erfcinv, each(lambda x: -NORMAL.inv_cdf(x / 2) / math.sqrt(2)), 2), (Ndtri, each(NORMAL.inv_cdf), 1),
):  # fmt: skip
    sample(op, scale * PARTS, reference=reference, tolerance=1e-10, dtypes=REAL)
    sample(op, 0.3, reference=reference, tolerance=1e-10)
    sample(op, scale * TAILS, reference=reference, tolerance=1e-10, dtypes="float64", smooth=False)
sample(Ndtri, np.array([0.0, 1.0]), reference=lambda x: np.array([-np.inf, np.inf]), smooth=False)

# Gamma functions


def hurwitz(s, q):
    """The zeta function: a sum, and the formula of Euler and Maclaurin for the rest."""
    total = math.fsum((q + n) ** -s for n in range(20))
    a = q + 20
    total += a ** (1 - s) / (s - 1) + 0.5 * a**-s
    rising, power = s, a ** (-s - 1)
    for n, b in enumerate((1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160)):
        total += b * rising * power
        rising *= (s + 2 * n + 1) * (s + 2 * n + 2)
        power /= a * a
    return total


def digamma(x):
    shifted = x + 20
    series = math.log(shifted) - 0.5 / shifted
    for n, b in enumerate((1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132), 1):
        series -= b / shifted ** (2 * n)
    return series - math.fsum(1 / (x + n) for n in range(20))


def polygamma(a, x):
    return digamma(x) if a == 0 else -((-1) ** a) * math.factorial(int(a)) * hurwitz(a + 1, x)


GAMMAS = np.array([[0.5, 2.5, 7.0], [1.25, 30.0, 0.125]])
sample(Lgamma, GAMMAS, reference=each(math.lgamma), dtypes=REAL)
sample(Lgamma, np.array([-0.5, -2.75, 0.01]), reference=each(math.lgamma))
sample(Lgamma, np.array([0.0, -1.0, np.inf]), reference=lambda x: np.full(3, np.inf), smooth=False)
sample(Digamma, GAMMAS, reference=each(digamma), dtypes=REAL)
sample(Digamma, np.array([-0.5, -2.75]), reference=each(digamma))
sample(Polygamma, np.array([[1.0], [3.0]]), np.array([0.5, 2.5, 7.0]), reference=each(polygamma), dtypes=REAL)
sample(Polygamma, np.array([0.0, 1.0, 2.0]), np.array([1.5, -0.5, -1.25]), reference=each(polygamma))
sample(Polygamma, np.array([1.5, -1.0]), np.array([1.0, 2.0]), reference=lambda a, x: np.full(2, np.nan), smooth=False)
# The factorial alone is infinite here.
sample(Polygamma, 180.0, 20.0, reference=lambda a, x: -math.exp(math.lgamma(181) + math.log(hurwitz(181, 20.0))),
       dtypes="float64", tolerance=1e-11, smooth=False)  # fmt: skip
sample(Zeta, np.array([[1.5], [3.0]]), np.array([0.5, 2.0, 10.0]), reference=each(hurwitz), dtypes=REAL)
sample(Zeta, 2.0, 1.0, reference=lambda x, q: math.pi**2 / 6)


def lower_gamma(a, x):
    """The power series of P(a, x)."""
    if x == 0 or np.isinf(x):
        return float(x > 0)
    term = math.exp(a * math.log(x) - x - math.lgamma(a + 1))
    terms = [term]
    for n in range(1, 400):
        term *= x / (a + n)
        terms.append(term)
    return math.fsum(terms)


def upper_gamma(a, x):
    """By integration over the logarithm."""
    return integral(lambda u: np.exp(a * u - np.exp(u)), math.log(x), math.log(400)) / math.gamma(a)


def gamma_density(a, x):
    return math.exp((a - 1) * math.log(x) - x - math.lgamma(a))


def gamma_slope(a, x, order):
    """The density's derivative by a, integrated over u = log(t)."""
    trigamma = hurwitz(2, a)

    def slope(u):
        score = u - digamma(a)
        factor = score if order == 1 else score * score - trigamma
        return np.exp(a * u - np.exp(u) - math.lgamma(a)) * factor

    return integral(slope, -80 / a, math.log(x), 40)


A, X = np.array([[0.5], [3.0]]), np.array([0.25, 2.0, 5.0])
sample(Igamma, A, X, reference=each(lower_gamma), dtypes=REAL)
sample(
    Igamma, np.array([12.0, 40.0, 1000.0]), np.array([9.0, 45.0, 1020.0]), reference=each(lower_gamma), tolerance=1e-11
)
sample(Igamma, 2.0, np.array([0.0, np.inf]), reference=lambda a, x: np.array([0.0, 1.0]), smooth=False)
sample(Igammac, A, X, reference=each(upper_gamma), dtypes=REAL, tolerance=1e-11)
sample(Igammac, np.array([12.0, 40.0]), np.array([30.0, 45.0]), reference=each(upper_gamma), tolerance=1e-11)
sample(GammaDensity, A, X, reference=each(gamma_density), dtypes=REAL)
sample(GammaDensity, np.array([20.0, 300.0]), np.array([15.0, 310.0]), reference=each(gamma_density), tolerance=1e-11)
sample(GammaDensity, np.array([0.5, 1.0, 2.0, 3.0]), np.array([0.0, 0.0, 0.0, np.inf]),
       reference=lambda a, x: np.array([np.inf, 1.0, 0.0, 0.0]), smooth=False)  # fmt: skip
for order in (1, 2):
    sample(IgammaDerivative, A, X, order=order, reference=each(gamma_slope), tolerance=1e-9)
    sample(IgammaDerivative, np.array([12.0, 40.0]), np.array([9.0, 45.0]), order=order, reference=each(gamma_slope),
           tolerance=1e-9)  # fmt: skip
    sample(RandomGammaSlope, A, X, order=order, tolerance=1e-9,
           reference=each(lambda a, x, order: gamma_slope(a, x, order) / gamma_density(a, x)))  # fmt: skip
sample(IgammaDerivative, 3.0, 2.0, order=1, reference=each(gamma_slope), dtypes=REAL, tolerance=1e-9)
sample(IgammaDerivative, 2.0, np.array([0.0, np.inf, -1.0]), order=1,
       reference=lambda a, x, order: np.array([0.0, 0.0, np.nan]), smooth=False)  # fmt: skip
sample(RandomGammaSlope, 2.0, np.array([0.0, -1.0]), order=1, reference=lambda a, x, order: np.array([0.0, np.nan]),
       smooth=False)  # fmt: skip

# The beta function


def beta_density(a, b, x):
    norm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp((a - 1) * math.log(x) + (b - 1) * math.log1p(-x) + norm)


def lower_beta(a, b, x, order=(0, 0)):
    """The density, or its derivative by a or b, integrated over the log-odds."""
    norm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)

    def weight(u):
        t, rest = -np.logaddexp(0, -u), -np.logaddexp(0, u)
        slope = {(0, 0): 1, (1, 0): t - digamma(a) + digamma(a + b), (0, 1): rest - digamma(b) + digamma(a + b)}[order]
        return np.exp(a * t + b * rest + norm) * slope

    return integral(weight, -80 / a, math.log(x / (1 - x)), 40)


BETA = (np.array([[0.5], [3.0]]), np.array([2.0, 0.75, 5.0]), np.array([0.25, 0.5, 0.8125]))
sample(Betainc, *BETA, reference=each(lower_beta), dtypes=REAL, tolerance=1e-11)
sample(Betainc, 20.0, 30.0, np.array([0.35, 0.5]), reference=each(lower_beta), tolerance=1e-11)
sample(Betainc, 2.0, 3.0, np.array([0.0, 1.0]), reference=lambda a, b, x: x, smooth=False)
sample(BetaDensity, *BETA, reference=each(beta_density), dtypes=REAL)
sample(
    BetaDensity, 20.0, 300.0, np.array([0.05, 0.0625]), reference=each(beta_density), dtypes="float64", tolerance=1e-11
)
sample(BetaDensity, np.array([1.0, 2.0, 0.5]), np.array([3.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0]),
       reference=lambda a, b, x: np.array([3.0, 2.0, np.inf]), smooth=False)  # fmt: skip
for order in ((1, 0), (0, 1)):
    sample(BetaincDerivative, *BETA, order=order, reference=each(lower_beta), tolerance=1e-9)
    sample(BetaincDerivative, 20.0, 30.0, 0.35, order=order, reference=each(lower_beta), dtypes=REAL, tolerance=1e-9)
sample(BetaincDerivative, 2.0, 3.0, np.array([0.0, 1.0, 1.5]), order=(1, 0),
       reference=lambda a, b, x, order: np.array([0.0, 0.0, np.nan]), smooth=False)  # fmt: skip

# Bessel functions


def bessel_i(x, order):
    return integral(lambda t: np.exp(x * np.cos(t)) * np.cos(order * t), 0, math.pi) / math.pi


def bessel_j(x, order):
    return integral(lambda t: np.cos(order * t - x * np.sin(t)), 0, math.pi) / math.pi


def bessel_k(x, order):
    return integral(lambda t: np.exp(-x * np.cosh(t)) * np.cosh(order * t), 0, 12)


def bessel_y(x, order):
    wave = integral(lambda t: np.sin(x * np.sin(t) - order * t), 0, math.pi)
    decay = integral(lambda t: (np.exp(order * t) + (-1) ** order * np.exp(-order * t)) * np.exp(-x * np.sinh(t)), 0, 8)
    return (wave - decay) / math.pi


def moment_i(x, order):
    return integral(lambda t: np.exp(-abs(x) * (1 - np.cos(t))) * (1 - np.cos(t)) ** order, 0, math.pi) / math.pi


def moment_k(x, order):
    return integral(lambda t: np.exp(-x * (np.cosh(t) - 1)) * (np.cosh(t) - 1) ** order, 0, 8)


SIGNED, AHEAD = np.array([[0.5, -2.0, 6.0], [-0.125, 1.5, 3.0]]), np.array([[0.5, 2.5, 6.0], [0.25, 1.5, 3.0]])
for order in (0, 1, 3):
    for op, reference, points in (
        (BesselI, bessel_i, SIGNED), (BesselJ, bessel_j, SIGNED), (BesselK, bessel_k, AHEAD), (BesselY, bessel_y, AHEAD),
    ):  # fmt: skip
        dtypes = REAL if order == 0 else "float32 float64"
        sample(op, points, order=order, reference=each(reference), dtypes=dtypes, tolerance=1e-11)
sample(BesselI, 0.0, order=1, reference=lambda x, order: 0.0)
sample(BesselJ, 0.0, order=1, reference=lambda x, order: 0.0)
for order in (0, 1):
    sample(BesselIe, SIGNED, order=order, dtypes=REAL, tolerance=1e-11,
           reference=each(lambda x, order: bessel_i(x, order) * math.exp(-abs(x))))  # fmt: skip
    sample(BesselKe, AHEAD, order=order, dtypes=REAL, tolerance=1e-11,
           reference=each(lambda x, order: bessel_k(x, order) * math.exp(x)))  # fmt: skip
for order in (0, 2):
    sample(BesselIMoment, SIGNED, order=order, dtypes=REAL, reference=each(moment_i), tolerance=1e-11)
    sample(BesselKMoment, AHEAD, order=order, dtypes=REAL, reference=each(moment_k), tolerance=1e-11)
sample(BesselIMoment, np.array([29.0, 31.0]), order=1, reference=each(moment_i), tolerance=1e-11)
sample(BesselIe, 0.0, order=0, reference=lambda x, order: 1.0, smooth=False)

# Integrals


def dawson(x, order):
    """A Fourier integral: differentiated under the integral sign."""
    return integral(lambda t: (2 * t) ** order * np.exp(-t * t) * np.sin(2 * x * t + order * math.pi / 2), 0, 7)


def exponential_integral(x):
    terms, term = [np.euler_gamma, math.log(abs(x))], 1.0
    for n in range(1, 80):
        term *= x / n
        terms.append(term / n)
    return math.fsum(terms)


for order in (0, 1, 2):
    sample(
        Dawsn, SIGNED / 2, order=order, reference=each(dawson), dtypes=REAL if order < 2 else "float64", tolerance=1e-11
    )
sample(Dawsn, np.array([6.0, 7.0, -12.0]), order=1, reference=each(dawson), tolerance=1e-10)
sample(Expint, SIGNED, reference=each(exponential_integral), dtypes=REAL)
sample(Expint, np.array([0.0, -np.inf]), reference=lambda x: np.array([-np.inf, 0.0]), smooth=False)
sample(FresnelSin, SIGNED / 2, dtypes=REAL,
       reference=each(lambda x: integral(lambda t: np.sin(math.pi * t * t / 2), 0, x)))  # fmt: skip
sample(FresnelCos, SIGNED / 2, dtypes=REAL,
       reference=each(lambda x: integral(lambda t: np.cos(math.pi * t * t / 2), 0, x)))  # fmt: skip
sample(Spence, np.array([[0.5, 2.0, 1.5], [0.0625, 5.0, 0.75]]), dtypes=REAL, tolerance=1e-11,
       reference=each(lambda x: integral(lambda t: np.log(t) / (1 - t), 1, x)))  # fmt: skip
sample(Spence, np.array([1.0, 1.0 + 1e-9]), reference=lambda x: (1 - x) + (1 - x) ** 2 / 4)
sample(
    SpenceSlope,
    np.array([0.5, 3.0, 0.875]),
    order=0,
    dtypes=REAL,
    reference=each(lambda x, order: math.log(x) / (1 - x)),
)
sample(SpenceSlope, np.array([0.5, 3.0, 0.875]), order=1,
       reference=each(lambda x, order: (1 / x - 1 + math.log(x)) / (1 - x) ** 2))  # fmt: skip
sample(SpenceSlope, 1.0, order=1, reference=lambda x, order: 0.5)

# sinc, logarithms, neighbours


def sinc(x, order):
    """An integral of a cosine: differentiated under the integral sign."""
    return integral(lambda t: (math.pi * t) ** order * np.cos(math.pi * x * t + order * math.pi / 2), 0, 1)


for order in (0, 1, 2):
    sample(Sinc, SIGNED / 2, order=order, dtypes=REAL if order < 2 else "float32 float64", reference=each(sinc),
           tolerance=1e-10)  # fmt: skip
    sample(Sinc, np.array([0.0, 1e-9, 1e-4]), order=order, reference=each(sinc), tolerance=1e-10)
sample(Sinc, np.array([-1.5, 2.25]), reference=np.sinc)

FIRST, SECOND = np.array([[0.5, -2.0, 3.0], [1.5, 0.25, -1.0]]), np.array([[0.5], [2.0]])
Z = np.array([1.0 + 2.0j, -0.5 + 0.25j, 0.75 - 1.0j])
ZERO = np.array([0.0, 0.0, 0.0, 2.0])
for op, function, edge in (
    (Xlogy, lambda x, y: x * cmath.log(y), np.array([0.0, -1.0, 2.0, 0.0])),
    (Xlog1py, lambda x, y: x * cmath.log(1 + y), np.array([-1.0, -2.0, 2.0, -1.0])),
    (Xdivy, lambda x, y: x / y, np.array([0.0, np.nan, 2.0, 0.0])),
):
    reference = each(lambda x, y, f=function: complex(f(x, y)).real)
    sample(op, FIRST, SECOND, reference=reference, dtypes=REAL)
    # At a first factor of 0, the derivative is 0, as in TensorFlow, and not the other factor.
    sample(op, np.array([0.0, 1.0]), 2.0, reference=reference, smooth=False)
    sample(op, Z, Z[:1] / 2, reference=each(function, complex), dtypes=COMPLEX)
    sample(
        op,
        ZERO,
        edge,
        smooth=False,
        reference=lambda x, y, op=op: np.array([0, 0, 0, np.inf if op is Xdivy else -np.inf]),
    )


def softplus(a, b):
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


WIDE = np.array([1e4, -1e4, np.inf, -np.inf, np.inf])
FAR = np.array([-1e4, -1e4, np.inf, -np.inf, -np.inf])
sample(Logaddexp, FIRST, SECOND, reference=each(softplus), dtypes=REAL)
sample(Logaddexp, np.array([30.0, 2.0, -300.0]), np.array([-10.0, 2.0, 300.0]), reference=each(softplus))
sample(
    Logaddexp,
    WIDE,
    FAR,
    smooth=False,
    reference=lambda a, b: np.array([1e4, math.log(2) - 1e4, np.inf, -np.inf, np.inf]),
)
sample(LogaddexpShare, FIRST, SECOND, reference=each(lambda a, b: 1 / (1 + math.exp(b - a))), dtypes=REAL)
sample(LogaddexpShare, WIDE, FAR, smooth=False, reference=lambda a, b: np.array([1.0, 0.5, 0.5, 0.5, 1.0]))

sample(Nextafter, FIRST, SECOND, reference=each(math.nextafter), dtypes="float64")
sample(Nextafter, np.float16(1.0), np.float16(2.0), reference=lambda a, b: 1 + 2.0**-10, dtypes="float16")

ORDERED = (BesselI, BesselJ, BesselK, BesselY, BesselIe, BesselKe, BesselIMoment, BesselKMoment, SpenceSlope)
for op in (
    Erfc,
    Erfinv,
    Erfcinv,
    Ndtri,
    Lgamma,
    Digamma,
    Dawsn,
    Expint,
    FresnelSin,
    FresnelCos,
    Spence,
    Sinc,
    *ORDERED,
):
    bad(op, WHOLE, error=errors.DTypeError, match="must be floating point", **({"order": 1} if op in ORDERED else {}))
for op in (Polygamma, Zeta, Igamma, Igammac, GammaDensity, IgammaDerivative, RandomGammaSlope, Logaddexp, Nextafter,
           LogaddexpShare, Xlogy, Xlog1py, Xdivy):  # fmt: skip
    params = {"order": 1} if op in (IgammaDerivative, RandomGammaSlope) else {}
    bad(op, np.ones([2]), np.ones([3]), error=errors.ShapeError, match="do not broadcast", **params)
    bad(op, WHOLE, WHOLE, error=errors.DTypeError, match="must be floating point", **params)
for op, params in ((Betainc, {}), (BetaDensity, {}), (BetaincDerivative, {"order": (1, 0)})):
    bad(op, np.ones([2]), np.ones([3]), 0.5, error=errors.ShapeError, match="do not broadcast", **params)
    bad(op, np.ones([2]), 1.0, np.float32(0.5), error=errors.DTypeError, match="dtypes differ", **params)
