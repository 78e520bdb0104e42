"""The math library: within 2 units in the last place over whole formats, and NumPy's results at the ends."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import scipy.special

from compiler.simd_accuracy import LIMIT, WIDER, error_functions, run, special, sweep, units

MANTISSAS = {"float32": 1000, "float64": 16}
DTYPES = ["float32", "float64"]

UNARY = {
    "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "exp": np.exp, "expm1": np.expm1, "log": np.log,
    "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh,
}  # fmt: skip
BINARY = {"pow": np.power, "atan2": np.arctan2}


@functools.lru_cache(maxsize=2)
def inputs(name: str) -> Any:
    return sweep(np.dtype(name).type, MANTISSAS[name], np.random.default_rng(7))


@functools.lru_cache(maxsize=2)
def pairs(name: str) -> tuple[Any, Any]:
    """Two inputs each: moderate powers, bases close to 1, integers, the whole format, and all pairs of special values."""
    random, dtype, n = np.random.default_rng(7), np.dtype(name).type, 20_000
    a = [np.exp(random.uniform(-90, 90, n)), 1 + random.uniform(-0.3, 0.3, n), random.integers(-20, 20, n)]
    b = [random.uniform(-8, 8, n), random.uniform(-2000, 2000, n), random.integers(-30, 30, n)]
    every, ends = sweep(dtype, MANTISSAS[name] // 8, random), special(dtype)
    first, second = np.meshgrid(ends, ends)
    with np.errstate(all="ignore"):
        return (
            np.concatenate([*a, every, first.ravel()]).astype(dtype),
            np.concatenate([*b, random.permutation(every), second.ravel()]).astype(dtype),
        )


def check(name: str, arguments: tuple[Any, ...], got: Any, exact: Any) -> None:
    """Fails if an error is above the limit, or a zero has another sign than NumPy's."""
    error = units(got, exact)
    i = error.argmax()
    where = ", ".join(repr(x[i]) for x in arguments)
    assert error[i] <= LIMIT[got.dtype.name], f"{name}({where}) is {got[i]!r}, {error[i]:.2f} units from {exact[i]!r}"
    with np.errstate(all="ignore"):
        zeros = (got == 0) & (exact.astype(got.dtype) == 0)
    turned = zeros & (np.signbit(got) != np.signbit(exact))
    assert not turned.any(), f"{name} gives zeros of the wrong sign at {[x[turned][:3] for x in arguments]}"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number(name: str, dtype: str) -> None:
    x = inputs(dtype)
    with np.errstate(all="ignore"):
        exact = UNARY[name](x.astype(WIDER[dtype]))
    check(name, (x,), run(lambda cg, v: getattr(cg, name)(v), x), exact)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_numbers(name: str, dtype: str) -> None:
    a, b = pairs(dtype)
    with np.errstate(all="ignore"):
        exact = BINARY[name](a.astype(WIDER[dtype]), b.astype(WIDER[dtype]))
    check(name, (a, b), run(lambda cg, p, q: getattr(cg, name)(p, q), a, b), exact)


@pytest.mark.parametrize("dtype", DTYPES)
def test_error_functions(dtype: str) -> None:
    random = np.random.default_rng(7)
    x = np.concatenate([inputs(dtype)[:: 100 if dtype == "float32" else 4], random.uniform(-10, 28, 4000)])
    x = np.concatenate([x, special(dtype)]).astype(dtype)
    for name, exact in zip(("erf", "erfc"), error_functions(x), strict=True):
        check(name, (x,), run(lambda cg, v, name=name: getattr(cg, name)(v), x), exact)


@pytest.mark.parametrize("dtype", DTYPES)
def test_normal_distribution_function(dtype: str) -> None:
    x = np.concatenate([np.linspace(-9, 9, 40001), [-40.0, 40.0, -np.inf, np.inf, np.nan, 0.0]]).astype(dtype)
    exact = scipy.special.ndtr(x.astype(float))
    got = run(lambda cg, v: cg.normal_cdf(v), x)
    np.testing.assert_allclose(got, exact, rtol={"float32": 2e-6, "float64": 5e-14}[dtype], atol=1e-38)
    np.testing.assert_array_equal(got[-6:], np.array([0, 1, 0, 1, np.nan, 0.5], dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_normal_density(dtype: str) -> None:
    x = np.concatenate([np.linspace(-9, 9, 40001), [-60.0, 60.0, -np.inf, np.inf, np.nan, 0.0]]).astype(dtype)
    exact = np.exp(-0.5 * x.astype(np.longdouble) ** 2) / np.sqrt(2 * np.longdouble(np.pi))
    got = run(lambda cg, v: cg.normal_density(v), x)
    np.testing.assert_allclose(got, exact.astype(float), rtol={"float32": 1e-6, "float64": 2e-15}[dtype], atol=1e-38)
    np.testing.assert_array_equal(got[-6:-1], np.array([0, 0, 0, 0, np.nan], dtype))


def test_the_reference_of_the_error_functions() -> None:
    erf, erfc = error_functions(np.array([0.25, 2.0, 5.0]))
    np.testing.assert_allclose(erf.astype(float), [0.27632639016823696, 0.9953222650189527, 0.9999999999984626], 1e-15)
    np.testing.assert_allclose(
        erfc.astype(float), [0.723673609831763, 0.004677734981047266, 1.5374597944280347e-12], 1e-15
    )


def test_angles_closest_to_quarter_turns() -> None:
    # The float64 that is closest to a multiple of pi/2, and others; values by arithmetic with 400 digits.
    x = np.array([6381956970095103 * 2.0**797, 6411027962775774 * 2.0**-48, 1e22, 2.0**1023])
    sine = [1.0, -0.7071067811865475, -0.8522008497671888, 0.5631277798508840]
    cosine = [-4.6871659242546277e-19, -0.7071067811865475, 0.5232147853951389, -0.8263698346141480]
    np.testing.assert_allclose(run(lambda cg, v: cg.sin(v), x), sine, rtol=3e-16)
    np.testing.assert_allclose(run(lambda cg, v: cg.cos(v), x), cosine, rtol=3e-16)
    np.testing.assert_allclose(run(lambda cg, v: cg.tan(v), x), np.divide(sine, cosine), rtol=6e-16)


def test_one_large_angle_among_small_ones() -> None:
    x = np.full(64, 0.5, np.float32)
    x[19] = 3e30
    np.testing.assert_array_almost_equal_nulp(run(lambda cg, v: cg.sin(v), x), np.sin(x.astype(float)).astype("f"), 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_one_angle_share_its_reduction(dtype: str) -> None:
    x = inputs(dtype)[::5]
    x = x[np.isfinite(x)]
    together = run(lambda cg, v: cg.add(cg.mul(cg.sin(v), cg.sin(v)), cg.mul(cg.cos(v), cg.cos(v))), x)
    np.testing.assert_allclose(together, 1, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_compositions_keep_their_digits(dtype: str) -> None:
    """A sigmoid as rules write it."""
    x = inputs(dtype)

    def sigmoid(cg: Any, v: Any) -> Any:
        one = cg.constant(1, v)
        return cg.div(one, cg.add(one, cg.exp(cg.neg(v))))

    # Where exp overflows the formula gives 0, as NumPy's.
    x = x[~(x < {"float32": -88.7, "float64": -709.7}[dtype])]
    with np.errstate(all="ignore"):
        exact = 1 / (1 + np.exp(-x.astype(WIDER[dtype])))
    check("sigmoid", (x,), run(sigmoid, x), exact)
