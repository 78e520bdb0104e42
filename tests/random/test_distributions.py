"""Distributions: what is drawn follows its distribution, follows its seed, and follows its parameters smoothly."""

import math

import numpy as np
import pytest
from scipy import special, stats

import gradtape as tf
from gradtape.random._index_shuffle import index_shuffle
from gradtape.testing import check_grads

COUNT = 20_000
LEAST = 1e-3  # of a p-value: with fixed seeds a test that passes always passes


def kolmogorov(numbers, distribution):
    assert stats.kstest(np.asarray(numbers).astype(np.float64).ravel(), distribution.cdf).pvalue > LEAST


def chi_square(numbers, distribution):
    """Counts of whole numbers against their probabilities; rare ones are put together."""
    numbers = np.asarray(numbers).astype(np.float64).ravel()
    low, high = distribution.ppf(0.001), distribution.ppf(0.999)
    edges = np.unique(np.floor(np.linspace(low, high, min(40, int(high - low) + 1))))
    expected = np.diff(np.concatenate([[0.0], distribution.cdf(edges), [1.0]])) * numbers.size
    places = np.searchsorted(edges, numbers, side="left")
    agree(np.bincount(places, minlength=edges.size + 1), expected)


def agree(observed, expected):
    """Frequencies are those that were expected: what has no chance does not happen, what is rare counts as one."""
    assert not np.any(observed[expected == 0])
    group = np.where(expected < 5, 0, np.arange(expected.size) + 1)
    observed, expected = (np.bincount(group, weights=v) for v in (observed, expected))
    observed, expected = observed[expected > 0], expected[expected > 0]
    assert len(expected) == 1 or stats.chisquare(observed, expected).pvalue > LEAST


class TestGamma:
    @pytest.mark.parametrize("alpha", [0.05, 0.5, 1.0, 3.75, 100.0, 1e6])
    def test_distribution(self, alpha):
        x = tf.random.stateless_gamma([COUNT], [1, 2], tf.constant(alpha, tf.float64), dtype=tf.float64)
        kolmogorov(x, stats.gamma(alpha))

    @pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32])
    def test_narrow_dtypes_are_rounded(self, dtype):
        alpha = [0.5, 2.0]
        x = tf.random.stateless_gamma([100, 2], [1, 2], alpha, dtype=dtype)
        exact = tf.random.stateless_gamma([100, 2], [1, 2], tf.constant(alpha, tf.float64), dtype=tf.float64)
        assert x.dtype is dtype
        rounded = exact.numpy().astype(dtype.as_numpy_dtype)
        assert np.array_equal(
            x.numpy(), np.maximum(rounded, dtype.as_numpy_dtype(2.0**-14 if dtype is tf.float16 else 0))
        )

    def test_numbers_below_the_least_normal_one(self):
        x = tf.random.stateless_gamma([COUNT], [1, 2], tf.constant(1e-3, tf.float64), dtype=tf.float64).numpy()
        tiny = np.finfo(np.float64).tiny
        assert x.min() == tiny
        assert np.mean(x == tiny) == pytest.approx(stats.gamma(1e-3).cdf(tiny), abs=0.02)
        kept = x[x > tiny]
        share = (stats.gamma(1e-3).cdf(kept) - stats.gamma(1e-3).cdf(tiny)) / stats.gamma(1e-3).sf(tiny)
        kolmogorov(share, stats.uniform())

    def test_beta_is_an_inverse_scale(self):
        x = tf.random.stateless_gamma([COUNT], [3, 4], 2.5, beta=4.0)
        kolmogorov(x, stats.gamma(2.5, scale=0.25))

    def test_shapes(self):
        assert tf.random.gamma([3], [[1.0], [2.0]], [1.0, 2.0]).shape == (3, 2, 2)
        assert tf.random.gamma([], 1.0).shape == ()
        assert tf.random.gamma([0], [1.0, 2.0]).shape == (0, 2)
        assert tf.random.stateless_gamma([4, 2], [1, 2], [1.0, 2.0]).shape == (4, 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not broadcast to the shape"):
            tf.random.stateless_gamma([3, 2], [1, 2], tf.ones([3]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="alpha is f32"):
            tf.random.gamma([3], tf.ones([2]), tf.ones([3]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="dtype is int32"):
            tf.random.gamma([3], 1, dtype=tf.int32)

    def test_a_number_depends_on_its_own_parameter_alone(self):
        a = tf.random.stateless_gamma([50, 2], [1, 2], [0.5, 3.0]).numpy()
        b = tf.random.stateless_gamma([50, 2], [1, 2], [7.0, 3.0]).numpy()
        assert np.array_equal(a[:, 1], b[:, 1])
        assert not np.any(a[:, 0] == b[:, 0])

    def test_large_draws_do_not_depend_on_how_they_are_divided(self):
        whole = tf.random.stateless_gamma([40_000], [1, 2], 1.5).numpy()
        few = tf.random.stateless_gamma([40_000], [1, 2], tf.fill([40_000], 1.5)).numpy()
        assert np.array_equal(whole, few)

    @pytest.mark.parametrize("alpha", [0.02, 0.5, 1.0, 4.0, 60.0, 1e4])
    def test_the_gradient_is_that_of_the_quantile(self, alpha):
        a = tf.fill([200], tf.constant(alpha, tf.float64))
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(a)
            with tf.GradientTape() as tape:
                tape.watch(a)
                x = tf.random.stateless_gamma([200], [5, 6], a, dtype=tf.float64)
            slope = tape.gradient(x, a)
        z, h = x.numpy(), 1e-4 * alpha
        keep = (z > 1e-290) & (stats.gamma(alpha).cdf(z) < 0.999)
        u = special.gammainc(alpha, z)
        steps = [special.gammaincinv(alpha + k * h, u) for k in (-2, -1, 0, 1, 2)]
        first = (8 * (steps[3] - steps[1]) - (steps[4] - steps[0])) / (12 * h)
        second = (steps[3] - 2 * steps[2] + steps[1]) / h**2
        assert slope.numpy()[keep] == pytest.approx(first[keep], rel=1e-5)
        size = np.abs(z[keep]) / alpha**2
        assert np.all(
            np.abs(outer.gradient(slope, a).numpy()[keep] - second[keep]) < 1e-3 * np.abs(second[keep]) + 1e-5 * size
        )

    def test_gradients_of_expectations(self):
        alpha, beta = tf.constant(2.5), tf.constant(1.5)
        with tf.GradientTape() as tape:
            tape.watch([alpha, beta])
            x = tf.random.stateless_gamma([200_000], [7, 8], alpha, beta)
            square = tf.reduce_mean(x * x)  # alpha * (alpha + 1) / beta**2
        by_alpha, by_beta = tape.gradient(square, [alpha, beta])
        assert float(by_alpha) == pytest.approx((2 * 2.5 + 1) / 1.5**2, rel=0.02)
        assert float(by_beta) == pytest.approx(-2 * 2.5 * 3.5 / 1.5**3, rel=0.02)

    def test_a_number_that_vanished_has_no_slope(self):
        alpha = tf.constant(1e-4)
        with tf.GradientTape() as tape:
            tape.watch(alpha)
            x = tf.random.stateless_gamma([100], [1, 2], alpha)
        assert float(tape.gradient(x, alpha)) >= 0.0

    def test_beta_distribution_from_two(self):
        x = tf.random.stateless_gamma([COUNT], [1, 2], 2.0)
        y = tf.random.stateless_gamma([COUNT], [3, 4], 3.0)
        kolmogorov(x / (x + y), stats.beta(2.0, 3.0))

    def test_improper_parameters_give_nan(self):
        assert np.isnan(tf.random.gamma([], -1.0).numpy())


class TestStreams:
    def test_a_seed_gives_the_same_stream(self):
        def draw():
            tf.random.set_seed(3)
            return [
                tf.random.gamma([4], 2.0).numpy(),
                tf.random.gamma([4], 2.0, seed=1).numpy(),
                tf.random.gamma([4], 2.0, seed=1).numpy(),
                tf.random.poisson([4], 20.0).numpy(),
                tf.random.categorical([[0.0, 1.0, 2.0]], 8).numpy(),
            ]

        first, second = draw(), draw()
        assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
        assert not np.array_equal(first[1], first[2])

    def test_examples_of_a_map_differ(self):
        x = tf.vectorized_map(lambda a: tf.random.gamma([2], a), tf.fill([5], 2.0)).numpy()
        assert len(np.unique(x)) == 10
        n = tf.vectorized_map(lambda p: tf.random.poisson([3], p * 1000.0), tf.ones([4])).numpy()
        assert n.shape == (4, 3)
        assert len(np.unique(n)) > 4

    def test_a_stateless_draw_is_shared_by_the_examples_of_a_map(self):
        x = tf.vectorized_map(lambda a: tf.random.stateless_gamma([2], [1, 2], a), tf.constant([2.0, 2.0, 3.0])).numpy()
        assert np.array_equal(x[0], x[1])
        assert np.array_equal(x[2], tf.random.stateless_gamma([2], [1, 2], 3.0).numpy())

    def test_generators_move_on(self):
        g = tf.random.Generator.from_seed(1)
        first, second = g.binomial([50], counts=100, probs=0.5), g.binomial([50], counts=100, probs=0.5)
        assert first.dtype is tf.int32
        assert not np.array_equal(first.numpy(), second.numpy())
        g.reset_from_seed(1)
        assert np.array_equal(first.numpy(), g.binomial([50], counts=100, probs=0.5).numpy())


class TestCounts:
    @pytest.mark.parametrize("rate", [0.01, 1.0, 9.5, 10.0, 60.0, 1e4, 1e9])
    def test_poisson(self, rate):
        chi_square(
            tf.random.stateless_poisson([COUNT], [1, 3], tf.constant(rate, tf.float64), tf.int64), stats.poisson(rate)
        )

    @pytest.mark.parametrize(
        ("n", "p"), [(1, 0.3), (7, 0.5), (15, 0.9), (1000, 0.003), (40, 0.3), (100, 0.97), (10**6, 0.3)]
    )
    def test_binomial(self, n, p):
        x = tf.random.stateless_binomial([COUNT], [1, 4], float(n), tf.constant(p, tf.float64))
        assert x.dtype is tf.int32
        chi_square(x, stats.binom(n, p))

    def test_certain_outcomes(self):
        x = tf.random.stateless_binomial([2, 4], [1, 2], counts=[0, 5, 5, 9], probs=[0.5, 0.0, 1.0, 1.0]).numpy()
        assert x.tolist() == [[0, 0, 5, 9]] * 2
        assert tf.random.poisson([3], 0.0).numpy().tolist() == [0.0, 0.0, 0.0]

    def test_shapes_and_dtypes(self):
        assert tf.random.poisson([3], [1.0, 2.0]).shape == (3, 2)
        assert tf.random.poisson([3], [1.0, 2.0], dtype=tf.int64).dtype is tf.int64
        assert tf.random.stateless_poisson([3, 2], [1, 2], [1.0, 2.0]).dtype is tf.int32
        for bad in (
            lambda: tf.random.stateless_poisson([2], [1, 2], [3.0, 4.0, 5.0]),
            lambda: tf.random.stateless_binomial([3], [1, 2], [10, 3], [0.5]),
            lambda: tf.random.poisson([2], 1.0, dtype=tf.uint8),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError):
                bad()

    def test_improper_parameters(self):
        assert np.isnan(tf.random.poisson([], -1.0).numpy())
        with pytest.raises(tf.errors.InvalidArgumentError, match="rates must not be negative"):
            tf.random.poisson([2], -1.0, dtype=tf.int32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="between 0 and 1"):
            tf.random.stateless_binomial([3], [1, 2], [10.0], [np.nan])
        counts, probs = [5.0, 5.0, 5.0, 0.0, 0.0, 0.0, -1.0, 5.0], [0.0, 1.0, np.nan, -10.0, 10.0, np.nan, 0.5, 1.5]
        found = tf.random.Generator.from_seed(1).binomial([8], counts, probs, dtype=tf.float32)
        np.testing.assert_array_equal(found.numpy(), [0.0, 5.0, np.nan, 0.0, 0.0, 0.0, 0.0, 5.0])  # TensorFlow's

    def test_no_integers_of_an_empty_range(self):
        assert tf.random.uniform([2, 0], 0, 0, dtype=tf.int32).shape == (2, 0)
        assert tf.random.stateless_uniform([0], [1, 2], 0, 0, dtype=tf.int64).dtype is tf.int64

    def test_no_gradient(self):
        rate = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(rate)
            x = tf.random.poisson([5], rate)
        assert tape.gradient(x, rate) is None


class TestCategorical:
    def test_distribution(self):
        p = np.array([[0.1, 0.2, 0.0, 0.7], [0.25, 0.25, 0.25, 0.25], [0.0, 0.0, 1.0, 0.0]])
        with np.errstate(divide="ignore"):
            x = tf.random.stateless_categorical(np.log(p) + 5.0, COUNT, [1, 2]).numpy()
        assert x.shape == (3, COUNT)
        for row, chances in zip(x, p, strict=True):
            agree(np.bincount(row, minlength=4), chances * COUNT)

    def test_many_classes(self):
        logits = np.log(np.arange(1.0, 1001.0))[np.newaxis]
        x = tf.random.categorical(logits, COUNT, seed=5).numpy()
        chi_square(x, stats.rv_discrete(values=(np.arange(1000), np.arange(1, 1001) / 500500)))

    def test_rows_are_independent(self):
        x = tf.random.stateless_categorical(np.zeros([2, 2]), COUNT, [3, 4]).numpy()
        assert abs(np.corrcoef(x)[0, 1]) < 0.03

    def test_one_class_and_huge_odds(self):
        assert tf.random.categorical([[3.0]], 4).numpy().tolist() == [[0] * 4]
        assert tf.random.categorical([[-1e30, 1e30]], 4, dtype=tf.int32).numpy().tolist() == [[1] * 4]
        assert tf.random.categorical([[0.0, 1.0]], 0).shape == (1, 0)

    @pytest.mark.parametrize(
        "bad",
        [
            lambda: tf.random.categorical([0.0, 1.0], 3),
            lambda: tf.random.categorical([[0.0, 1.0]], -1),
            lambda: tf.random.categorical(tf.zeros([2, 0]), 3),
            lambda: tf.random.categorical([[1, 2]], 3),
            lambda: tf.random.categorical([[0.0, 1.0]], 3, dtype=tf.float32),
        ],
    )
    def test_refusals(self, bad):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"categorical"):
            bad()


class TestTruncatedNormal:
    @pytest.mark.parametrize(
        ("low", "high"), [(-2.0, 2.0), (1.0, 1.5), (-np.inf, -3.0), (20.0, 21.0), (-0.5, np.inf), (-np.inf, np.inf)]
    )
    def test_distribution(self, low, high):
        x = tf.random.stateless_parameterized_truncated_normal(
            [COUNT], [1, 2], tf.constant(0.0, tf.float64), 1.0, low, high
        )
        kolmogorov(x, stats.truncnorm(low, high))

    def test_parameters(self):
        x = tf.random.stateless_parameterized_truncated_normal([COUNT, 2], [1, 2], [0.0, 10.0], 2.0, -1.0, [3.0, 11.0])
        kolmogorov(x[:, 0], stats.truncnorm(-0.5, 1.5, 0.0, 2.0))
        kolmogorov(x[:, 1], stats.truncnorm(-5.5, 0.5, 10.0, 2.0))

    def test_gradients(self):
        def draw(mean, deviation, low, high):
            return tf.random.stateless_parameterized_truncated_normal([4, 2], [1, 2], mean, deviation, low, high)

        # TensorFlow's slopes: along a bound the true one; along the others that of mean + deviation * x with x given.
        mean, deviation = np.array([0.5, 1.0]), 1.5
        check_grads(lambda low, high: draw(mean, deviation, low, high), (np.array([-1.0, 0.75]), 2.0))
        with tf.GradientTape() as tape:
            parameters = [tf.Variable(mean), tf.Variable(deviation, dtype=tf.float64)]
            x = draw(*parameters, np.array([-1.0, 0.75]), 2.0)
        slopes = tape.gradient(x, parameters)
        np.testing.assert_allclose(slopes[0], [4.0, 4.0])
        np.testing.assert_allclose(slopes[1], ((x - mean) / deviation).numpy().sum())

    def test_infinite_bounds_have_no_slope(self):
        low = tf.constant(-np.inf)
        with tf.GradientTape() as outer:
            outer.watch(low)
            with tf.GradientTape() as tape:
                tape.watch(low)
                x = tf.random.stateless_parameterized_truncated_normal([5], [1, 2], 0.0, 1.0, low, 1.0)
            g = tape.gradient(x, low)
        assert float(g) == 0.0
        assert float(outer.gradient(g, low)) == 0.0

    @pytest.mark.parametrize(("deviation", "low", "high"), [(1.0, 2.0, 1.0), (-1.0, 1.0, 2.0)])
    def test_refusals(self, deviation, low, high):
        with pytest.raises(tf.errors.InvalidArgumentError, match="minvals must not be above"):
            tf.random.stateless_parameterized_truncated_normal([3], [1, 2], 0.0, deviation, low, high)


class TestIndexShuffle:
    @pytest.mark.parametrize("size", [1, 2, 3, 5, 64, 1000])
    def test_a_permutation(self, size):
        x = tf.random_index_shuffle(tf.range(size), [1, 2, 3], size - 1)
        assert x.dtype is tf.int32
        assert sorted(x.numpy()) == list(range(size))

    def test_every_place_is_as_likely(self):
        seeds = np.stack([np.arange(6000), np.full(6000, 7), np.full(6000, 9)], axis=1)
        x = tf.random_index_shuffle(tf.zeros([6000], tf.int64), seeds, tf.constant(5, tf.int64)).numpy()
        assert stats.chisquare(np.bincount(x, minlength=6)).pvalue > LEAST

    def test_rows_of_seeds(self):
        x = tf.random_index_shuffle(tf.range(4), [[1, 2, 3]] * 4, [9, 3, 4, 5]).numpy()
        alone = [int(tf.random_index_shuffle(i, [1, 2, 3], m)) for i, m in enumerate([9, 3, 4, 5])]
        assert x.tolist() == alone

    def test_two_integers_as_a_seed(self):
        assert sorted(index_shuffle(tf.range(10), [1, 2], 9).numpy()) == list(range(10))
        assert sorted(tf.random.experimental.index_shuffle(tf.range(5), (5, 9), 4).numpy()) == list(range(5))

    def test_refusals(self):
        with pytest.raises(tf.errors.InvalidArgumentError, match="seed is"):
            tf.random_index_shuffle(3, [1, 2], 5)
        for seed in ([1, 2, 3], [1], 1):
            with pytest.raises(tf.errors.InvalidArgumentError, match="index_shuffle: seed must have two integers"):
                tf.random.experimental.index_shuffle(3, seed, 5)
        with pytest.raises(tf.errors.InvalidArgumentError, match="rounds must be even and at least 4, got 5"):
            tf.random_index_shuffle(3, [1, 2, 3], 5, rounds=5)
        with pytest.raises(tf.errors.InvalidArgumentError, match="outside"):
            tf.random_index_shuffle(6, [1, 2, 3], 5)


class TestSobol:
    def test_the_sequence_of_joe_and_kuo(self):
        points = [[0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75], [0.375, 0.375, 0.625], [0.875, 0.875, 0.125]]
        assert tf.math.sobol_sample(3, 5).numpy().tolist() == points
        assert tf.math.sobol_sample(3, 3, skip=5).numpy().tolist() == [
            [0.625, 0.125, 0.875], [0.125, 0.625, 0.375], [0.1875, 0.3125, 0.9375],
        ]  # fmt: skip

    def test_dtypes_and_dimensions(self):
        assert tf.math.sobol_sample(2, 5, dtype=tf.float64).dtype is tf.float64
        assert tf.math.sobol_sample(tf.constant(1000), 2).shape == (2, 1000)

    def test_points_are_even(self):
        x = tf.math.sobol_sample(2, 1023, dtype=tf.float64).numpy()
        assert np.abs(x.mean(axis=0) - 0.5).max() < 1e-3
        assert math.isclose(np.mean(x[:, 0] * x[:, 1]), 0.25, abs_tol=1e-3)

    @pytest.mark.parametrize("arguments", [(0, 5), (3, 0), (3, 3, -1), (3, 3, 0, tf.int32), (10**5, 1)])
    def test_refusals(self, arguments):
        with pytest.raises(tf.errors.InvalidArgumentError, match="sobol_sample"):
            tf.math.sobol_sample(*arguments)
