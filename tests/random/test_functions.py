"""Random numbers: distributions and arguments."""

import numpy as np
import pytest
from scipy import stats

import gradtape as tf

FLOATS = [tf.float16, tf.bfloat16, tf.float32, tf.float64]


class TestDistributions:
    """Kolmogorov-Smirnov tests on fixed streams."""

    @staticmethod
    def fits(values, distribution):
        return stats.kstest(np.asarray(values, np.float64).ravel(), distribution.cdf).pvalue > 1e-3

    @pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
    def test_normal(self, dtype):
        x = tf.random.stateless_normal([200, 500], [1, 2], mean=3.0, stddev=2.0, dtype=dtype).numpy()
        assert self.fits(x, stats.norm(3.0, 2.0))
        assert abs(np.corrcoef(x[:, ::2].ravel(), x[:, 1::2].ravel())[0, 1]) < 0.02

    @pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
    def test_uniform(self, dtype):
        x = tf.random.stateless_uniform([100_000], [1, 2], -1.0, 5.0, dtype=dtype).numpy()
        assert self.fits(x, stats.uniform(-1.0, 6.0))

    @pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
    def test_truncated_normal(self, dtype):
        x = tf.random.stateless_truncated_normal([100_000], [1, 2], 1.0, 0.5, dtype=dtype).numpy()
        assert self.fits(x, stats.truncnorm(-2, 2, loc=1.0, scale=0.5))
        assert x.min() >= 0.0
        assert x.max() <= 2.0

    @pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
    def test_narrow_types(self, dtype):
        for drawn, mean, deviation in (
            (tf.random.stateless_normal([100_000], [1, 2], dtype=dtype), 0.0, 1.0),
            (tf.random.stateless_uniform([100_000], [1, 2], dtype=dtype), 0.5, 12**-0.5),
            (tf.random.stateless_truncated_normal([100_000], [1, 2], dtype=dtype), 0.0, 0.88),
        ):
            assert drawn.dtype is dtype
            x = drawn.numpy().astype(np.float64)
            assert abs(x.mean() - mean) < 0.01
            assert abs(x.std() - deviation) < 0.01

    @pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
    def test_integers(self, dtype):
        x = tf.random.stateless_uniform([60_000], [1, 2], -2, 4, dtype=dtype).numpy()
        assert x.dtype == dtype.as_numpy_dtype
        values, counts = np.unique(x, return_counts=True)
        assert values.tolist() == [-2, -1, 0, 1, 2, 3]
        assert stats.chisquare(counts).pvalue > 1e-3

    def test_integers_of_a_range_that_is_no_power_of_two(self):
        # Taking a remainder would make the lower third twice as probable.
        top = 3 * 2**61
        x = tf.random.stateless_uniform([30_000], [1, 2], 0, top, dtype=tf.int64).numpy()
        counts = np.histogram(x // 2**61, bins=[0, 1, 2, 3])[0]
        assert stats.chisquare(counts).pvalue > 1e-3

    @pytest.mark.parametrize("dtype", [tf.int32, tf.uint32, tf.int64, tf.uint64])
    def test_whole_range(self, dtype):
        x = tf.random.Generator.from_seed(1).uniform_full_int([20_000], dtype).numpy()
        info = np.iinfo(x.dtype)
        scaled = (x.astype(np.float64) - float(info.min)) / (float(info.max) - float(info.min))
        assert self.fits(scaled, stats.uniform())

    @pytest.mark.parametrize(("dtype", "digits"), list(zip(FLOATS, [10, 7, 24, 53], strict=True)))
    def test_uniform_has_all_bits_and_stays_below_one(self, dtype, digits):
        x = tf.random.stateless_uniform([20_000], [3, 4], dtype=dtype).numpy().astype(np.float64)
        assert x.min() >= 0.0
        assert x.max() < 1.0
        units = x * 2.0**digits
        np.testing.assert_array_equal(units, np.floor(units))
        assert abs((units % 2).mean() - 0.5) < 0.02

    def test_shuffles_are_equally_probable(self):
        seeds = tf.random.split([1, 2], 6000)
        rows = tf.vectorized_map(lambda s: tf.random.experimental.stateless_shuffle(tf.range(3), s), seeds).numpy()
        _, counts = np.unique(rows @ [100, 10, 1], return_counts=True)
        assert len(counts) == 6
        assert stats.chisquare(counts).pvalue > 1e-3

    def test_neighbouring_seeds_are_unrelated(self):
        rows = [tf.random.Generator.from_seed(s).normal([1000]).numpy() for s in range(8)]
        related = np.corrcoef(rows) - np.eye(8)
        assert np.abs(related).max() < 0.15
        assert len(np.unique(rows)) == 8000


class TestArguments:
    @pytest.mark.parametrize(
        "shape", [[2, 3], (2, 3), tf.constant([2, 3]), np.array([2, 3]), tf.TensorShape([2, 3]), [tf.constant(2), 3]]
    )
    def test_shapes(self, shape):
        for f in (tf.random.normal, tf.random.uniform, tf.random.truncated_normal):
            assert f(shape).shape == (2, 3)

    @pytest.mark.parametrize("shape", [[], [0], [2, 0]])
    def test_scalars_and_empty_tensors(self, shape):
        assert tf.random.normal(shape).shape == shape
        assert tf.random.uniform(shape, 0, 5, tf.int32).shape == shape

    @pytest.mark.parametrize(
        ("shape", "error"),
        [
            ([2.5], tf.errors.InvalidArgumentError),
            ("a", tf.errors.InvalidArgumentError),
            (3, tf.errors.InvalidArgumentError),
            ([-1], tf.errors.InvalidArgumentError),
            ([[2]], tf.errors.InvalidArgumentError),
            ([None], ValueError),
        ],
    )
    def test_wrong_shapes(self, shape, error):
        with pytest.raises(error):
            tf.random.uniform(shape)

    @pytest.mark.parametrize("dtype", FLOATS)
    def test_dtypes(self, dtype):
        for f in (tf.random.normal, tf.random.uniform, tf.random.truncated_normal):
            assert f([3], dtype=dtype).dtype is dtype
        assert tf.random.normal([3], mean=1.0, stddev=2.0, dtype=dtype).dtype is dtype

    def test_wrong_dtypes(self):
        with pytest.raises(TypeError, match="dtype is int32"):
            tf.random.normal([2], dtype=tf.int32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="dtype is complex64"):
            tf.random.truncated_normal([2], dtype=tf.complex64)
        for dtype in (tf.bool, tf.int8, tf.uint32):
            with pytest.raises(ValueError, match="Accepted dtypes"):
                tf.random.uniform([2], 0, 5, dtype=dtype)
        with pytest.raises(ValueError, match="Accepted dtypes"):
            tf.random.Generator.from_seed(1).uniform_full_int([2], tf.int8)

    @pytest.mark.parametrize(("low", "high"), [(5, 5), (5, 4), (0, -(2**31))])
    def test_empty_ranges(self, low, high):
        with pytest.raises(tf.errors.InvalidArgumentError, match="minval < maxval"):
            tf.random.uniform([2], low, high, dtype=tf.int32)

    def test_float_bounds_may_be_equal(self):
        assert tf.random.uniform([2], 5.0, 5.0).numpy().tolist() == [5.0, 5.0]

    def test_bounds_of_integers(self):
        with pytest.raises(ValueError, match="must be given for integers"):
            tf.random.uniform([2], dtype=tf.int32)
        with pytest.raises(ValueError, match="or None for both"):
            tf.random.stateless_uniform([2], [1, 2], dtype=tf.int32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be scalars"):
            tf.random.uniform([2], [0, 5], [1, 6], dtype=tf.int32)
        with pytest.raises(ValueError, match="Accepted dtypes"):
            tf.random.stateless_uniform([2], [1, 2], 0, 4, dtype=tf.uint32)

    def test_parameters_broadcast(self):
        x = tf.random.normal([2], mean=[[1000.0], [2000.0]], stddev=0.1)
        assert np.round(x.numpy() / 1000.0).tolist() == [[1.0, 1.0], [2.0, 2.0]]
        assert tf.random.uniform([3], [0.0, 10.0, 20.0], [1.0, 11.0, 21.0]).numpy().astype(int).tolist() == [0, 10, 20]

    @pytest.mark.parametrize("seed", [[1, 2, 3], [1], 1])
    def test_seeds_of_stateless_functions(self, seed):
        with pytest.raises(tf.errors.InvalidArgumentError, match="seed is"):
            tf.random.stateless_normal([2], seed)
        with pytest.raises(tf.errors.InvalidArgumentError, match="seed is f32"):
            tf.random.stateless_normal([2], [1.0, 2.0])

    @pytest.mark.parametrize("alg", ["philox", "auto_select", tf.random.Algorithm.PHILOX, 1])
    def test_algorithms(self, alg):
        wanted = tf.random.stateless_normal([2], [1, 2]).numpy()
        np.testing.assert_array_equal(tf.random.stateless_normal([2], [1, 2], alg=alg).numpy(), wanted)

    @pytest.mark.parametrize("alg", ["threefry", "foo", 7, tf.random.Algorithm.THREEFRY])
    def test_unknown_algorithms(self, alg):
        with pytest.raises(ValueError, match="unsupported value"):
            tf.random.stateless_normal([2], [1, 2], alg=alg)
        with pytest.raises(ValueError, match="unsupported value"):
            tf.random.Generator.from_seed(1, alg=alg)
