"""Special functions: values and gradients far out, at edges and at zeros. Numbers were computed with 60 digits."""

import math

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

SPECIAL = tf.math.special


def gradients(f, *args, dtype=tf.float64):
    """The gradients of the sum of a function's result."""
    xs = [tf.constant(a, dtype) for a in args]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return [None if g is None else g.numpy() for g in tape.gradient(y, xs)]


def derivatives(f, x, count):
    """The first derivatives of a function of one number."""
    x = tf.constant(x, tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
        found = []
        for _ in range(count):
            y = tape.gradient(y, x)
            found.append(float(y))
    return found


class TestTails:
    def test_inverse_of_erfc(self):
        (g,) = gradients(tf.math.erfcinv, [1e-300, 1e-30])
        assert g == pytest.approx([-1.90632186690843e298, -6.09081263875289e28], rel=1e-12)

    @pytest.mark.parametrize("f", [tf.math.erfcinv, tf.math.ndtri])
    def test_inverses_in_the_logarithm(self, f):
        check_grads(lambda t: f(tf.exp(t)), (np.array([-600.0, -40.0, -2.0]),))

    def test_inverse_of_erf_is_infinite_at_the_ends(self):
        (g,) = gradients(tf.math.erfinv, [1.0, -1.0])
        assert np.all(g == np.inf)

    def test_erfc_at_infinity(self):
        assert derivatives(tf.math.erfc, np.inf, 2) == [0.0, 0.0]

    @pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
    @pytest.mark.parametrize(
        ("f", "slope"),
        [
            (tf.math.bessel_i0e, -6.31019896262712e-6),
            (tf.math.bessel_i1e, -6.30073129430151e-6),
            (SPECIAL.bessel_k0e, -1.98092122059934e-5),
            (SPECIAL.bessel_k1e, -1.98389186069668e-5),
            (SPECIAL.dawsn, -5.00000750001875e-7),
        ],
    )
    def test_slowly_falling_functions(self, f, slope, dtype):
        (g,) = gradients(f, 1000.0, dtype=dtype)
        assert g == pytest.approx(slope, rel=1e-6 if dtype is tf.float32 else 1e-12)

    def test_expint_where_exp_overflows(self):
        assert gradients(SPECIAL.expint, 712.0)[0] == pytest.approx(2.31841469829864e306, rel=1e-12)
        assert gradients(SPECIAL.expint, 90.0, dtype=tf.float32)[0] == pytest.approx(math.exp(90) / 90, rel=1e-5)

    def test_fresnel_far_out_in_float32(self):
        x = np.float32(50.1)
        (g,) = gradients(SPECIAL.fresnel_cos, x, dtype=tf.float32)
        exact = math.cos(math.pi / 2 * (float(x) ** 2 % 4))
        assert g == pytest.approx(exact, abs=1e-4)


class TestAtZero:
    def test_sinc(self):
        assert float(tf.math.sinc(0.0)) == 1.0
        found = derivatives(tf.math.sinc, 0.0, 4)
        assert found == pytest.approx([0.0, -(math.pi**2) / 3, 0.0, math.pi**4 / 5], abs=1e-12)

    def test_sinc_close_to_zero(self):
        x = 1e-6
        first, second = derivatives(tf.math.sinc, x, 2)
        assert first == pytest.approx(-(math.pi**2) * x / 3, rel=1e-9)
        assert second == pytest.approx(-(math.pi**2) / 3, rel=1e-9)

    def test_bessel_functions(self):
        assert derivatives(tf.math.bessel_i0, 0.0, 4) == pytest.approx([0.0, 0.5, 0.0, 0.375])
        assert derivatives(tf.math.bessel_i1, 0.0, 3) == pytest.approx([0.5, 0.0, 0.375])
        assert derivatives(SPECIAL.bessel_j0, 0.0, 4) == pytest.approx([0.0, -0.5, 0.0, 0.375])
        assert gradients(tf.math.bessel_i1e, 0.0)[0] == pytest.approx(0.5)
        assert gradients(tf.math.bessel_i0e, 0.0)[0] == 0.0

    def test_spence_at_one(self):
        assert derivatives(SPECIAL.spence, 1.0, 3) == pytest.approx([-1.0, 0.5, -2 / 3])

    def test_incomplete_gamma(self):
        a, x = gradients(tf.math.igamma, [0.5, 1.0, 2.0], [0.0, 0.0, 0.0])
        assert a.tolist() == [0.0, 0.0, 0.0]
        assert x.tolist() == [np.inf, 1.0, 0.0]


class TestGamma:
    def test_values(self):
        assert float(tf.math.digamma(tf.constant(-2.5, tf.float64))) == pytest.approx(1.10315664064524)
        assert float(tf.math.polygamma(tf.constant(3.0, tf.float64), 0.5)) == pytest.approx(97.4090910340024)
        assert float(tf.math.zeta(tf.constant(3.0, tf.float64), 2.5)) == pytest.approx(0.118102025820864)

    @pytest.mark.parametrize(
        ("a", "x", "slope"),
        [
            (0.01, 0.5, -0.565545911715258),
            (1.0, 30.0, -3.75306445051267e-13),
            (50.0, 20.0, -1.16902733816239e-8),
            (1e4, 1.01e4, -0.00241568800317637),
        ],
    )
    def test_incomplete_gamma_by_its_shape(self, a, x, slope):
        assert gradients(tf.math.igamma, a, x)[0] == pytest.approx(slope, rel=1e-11)
        assert gradients(tf.math.igammac, a, x)[0] == pytest.approx(-slope, rel=1e-11)

    def test_float32_has_its_digits_where_the_shape_is_large(self):
        a, x = gradients(tf.math.igamma, 1e6, 1.001e6, dtype=tf.float32)
        # Nearly a normal distribution with deviation 1000, one deviation above the mean.
        density = math.exp(-0.5) / math.sqrt(2 * math.pi) / 1000
        assert a == pytest.approx(-density, rel=2e-3)
        assert x == pytest.approx(density, rel=2e-3)

    def test_the_third_derivative(self):
        check_grads(tf.math.igamma, (np.array([0.75, 2.5]), np.array([1.5, 2.0])), order=3)

    def test_orders_and_exponents_are_constants(self):
        assert gradients(tf.math.polygamma, 1.0, 2.0)[0] is None
        assert gradients(tf.math.zeta, 2.0, 2.0)[0] is None

    def test_lbeta(self):
        x = tf.constant([[2.0, 3.0], [1.0, 5.0]], tf.float64)
        assert tf.math.lbeta(x).numpy() == pytest.approx([math.log(1 / 12), math.log(1 / 5)])
        assert float(tf.math.lbeta(tf.constant([1.0, 1.0, 1.0]))) == pytest.approx(-math.log(2))
        check_grads(tf.math.lbeta, (np.array([[0.5, 2.0, 3.5], [4.0, 0.25, 1.0]]),))

    def test_lbeta_of_nothing(self):
        assert float(tf.math.lbeta(tf.zeros([0]))) == -np.inf


class TestBetainc:
    @pytest.mark.parametrize(
        ("a", "b", "x", "by_a", "by_b"),
        [
            (0.05, 2.0, 0.3, -0.514206621773148, 0.0179870519237418),
            (200.0, 300.0, 0.42, -0.0141299808144037, 0.00981526974421917),
            (3.0, 0.1, 0.9, -0.0272194034123764, 0.974162492683807),
        ],
    )
    def test_gradients(self, a, b, x, by_a, by_b):
        found = gradients(tf.math.betainc, a, b, x)
        assert found[0] == pytest.approx(by_a, rel=1e-9)
        assert found[1] == pytest.approx(by_b, rel=1e-9)
        density = x ** (a - 1) * (1 - x) ** (b - 1) * math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b))
        assert found[2] == pytest.approx(density)

    def test_values_take_the_dtype_of_the_tensor_among_them(self):
        assert tf.math.betainc(2, 3.0, tf.constant(0.5, tf.float64)).dtype is tf.float64

    def test_the_median_of_a_symmetric_distribution(self):
        assert float(tf.math.betainc(7.0, 7.0, 0.5)) == pytest.approx(0.5)


class TestLogProducts:
    def test_zero_wins(self):
        bad = [0.0, -1.0, np.nan, np.inf]
        for f in (tf.math.xlogy, tf.math.xlog1py, tf.math.xdivy):
            assert f([0.0] * 4, bad).numpy().tolist() == [0.0] * 4

    def test_gradients_at_zero(self):
        x, y = gradients(tf.math.xlogy, [0.0, 0.0], [0.0, 0.5])
        assert x.tolist() == [0.0, 0.0]  # as in TensorFlow; the limit is log(y)
        assert y.tolist() == [0.0, 0.0]
        x, y = gradients(tf.math.xlog1py, [0.0, 0.0], [-1.0, 1.0])
        assert x.tolist() == [0.0, 0.0]
        assert y.tolist() == [0.0, 0.0]
        x, y = gradients(tf.math.xdivy, [0.0, 0.0], [0.0, 4.0])
        assert x.tolist() == [0.0, 0.0]
        assert y.tolist() == [0.0, 0.0]

    def test_entropy_at_zero(self):
        p = tf.constant([0.0, 0.5, 1.0])
        with tf.GradientTape() as tape:
            tape.watch(p)
            entropy = -tf.reduce_sum(tf.math.xlogy(p, p))
        assert tape.gradient(entropy, p).numpy() == pytest.approx([0.0, math.log(2) - 1, -1.0])

    def test_mixed_second_derivatives(self):
        check_grads(tf.math.xlogy, (np.array([3.0, 2.0]), np.array([1.5, 0.5])), order=3)

    def test_logaddexp_of_infinities(self):
        inf = np.inf
        a, b = [inf, -inf, inf, -inf], [inf, -inf, -inf, 1.0]
        assert tf.math.logaddexp(a, b).numpy().tolist() == [inf, -inf, inf, 1.0]
        first, second = gradients(tf.math.logaddexp, a, b)
        assert first.tolist() == [0.5, 0.5, 1.0, 0.0]
        assert second.tolist() == [0.5, 0.5, 0.0, 1.0]

    def test_the_hessian_of_logaddexp_keeps_its_digits(self):
        for gap in (0.0, 1.0, 40.0, -40.0, 300.0):
            _, second = derivatives(lambda x, gap=gap: tf.math.logaddexp(x + gap, x * 0.0), 0.0, 2)
            share = 1 / (1 + math.exp(-abs(gap)))
            assert second == pytest.approx(share * share * math.exp(-abs(gap)), rel=1e-12)

    def test_logaddexp_over_the_range_of_floats(self):
        big = 1.7e308
        a, b = gradients(tf.math.logaddexp, [big, -big], [-big, big])
        assert a.tolist() == [1.0, 0.0]
        assert b.tolist() == [0.0, 1.0]
        assert np.logaddexp(tf.constant(1000.0), tf.constant(1000.0)).numpy() == pytest.approx(1000 + math.log(2))


class TestPolyval:
    def test_coefficients_are_numbers_or_tensors(self):
        x = tf.constant([1.0, 2.0])
        assert tf.math.polyval([1, tf.constant([[0.5], [1.0]]), 2.0], x).numpy().tolist() == [[3.5, 7.0], [4.0, 8.0]]
        assert tf.math.polyval([], x).numpy().tolist() == [0.0, 0.0]
        assert float(tf.math.polyval([3.0], x)) == 3.0

    def test_gradients(self):
        check_grads(lambda a, b, x: tf.math.polyval([a, b, 1.0], x), (2.0, -0.5, np.array([0.5, 1.5])))

    def test_coefficients_must_be_a_list(self):
        with pytest.raises(ValueError, match="coeffs must be list"):
            tf.math.polyval(tf.constant([1.0, 2.0]), 1.0)


def test_nextafter():
    assert tf.math.nextafter([0.0, 1.0], [1.0, -np.inf]).numpy().tolist() == [2.0**-149, 1 - 2.0**-24]
    first, second = gradients(tf.math.nextafter, [1.0, 2.0], 3.0)
    assert first.tolist() == [1.0, 1.0]
    assert second == 0.0


@pytest.mark.parametrize("f", [tf.math.lgamma, tf.math.erfc, SPECIAL.bessel_y1, tf.math.sinc, tf.math.lbeta])
def test_integers_are_refused(f):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be floating point"):
        f(tf.constant([1, 2]))


@pytest.mark.parametrize("f", [tf.math.igamma, tf.math.xlogy, tf.math.logaddexp, tf.math.zeta, tf.math.polygamma])
def test_dtypes_must_agree(f):
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtypes differ"):
        f(tf.constant(1.0), tf.constant(2.0, tf.float64))


def test_shapes_must_broadcast():
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not broadcast"):
        tf.math.betainc(tf.ones([2]), tf.ones([3]), 0.5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="lbeta"):
        tf.math.lbeta(1.0)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_narrow_dtypes_stay(dtype):
    x = tf.constant([0.5, 0.25], dtype)
    for f in (tf.math.lgamma, tf.math.ndtri, SPECIAL.spence, tf.math.bessel_i1e, tf.math.sinc):
        assert f(x).dtype is dtype
        (g,) = gradients(f, [0.5, 0.25], dtype=dtype)
        assert g.dtype == dtype.as_numpy_dtype
