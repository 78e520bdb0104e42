"""Random numbers: streams, seeds, generators, distributions."""

import copy
import threading

import numpy as np
import pytest
from scipy import stats

import gradtape as tf
from gradtape.ops import philox

FLOATS = [tf.float16, tf.bfloat16, tf.float32, tf.float64]


class TestPhilox:
    # From tests/kat_vectors of Random123: counter words, key words, result.
    KNOWN = (
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    )

    @staticmethod
    def number(words):
        return sum(int(w, 16) << 32 * i for i, w in enumerate(words.split()))

    @pytest.mark.parametrize(("counter", "key", "wanted"), KNOWN)
    @pytest.mark.parametrize("count", [1, 40])
    def test_known_answers(self, counter, key, wanted, count):
        counter, key = self.number(counter), self.number(key)
        parts = [counter & (2**64 - 1), counter >> 64, key]
        state = np.array(parts, np.uint64).astype(np.int64)
        drawn = philox.bits(state, (4 * count,), np.dtype(np.uint32))
        assert [f"{w:08x}" for w in drawn[:4]] == wanted.split()
        assert [f"{w:08x}" for w in philox.block(counter, key)] == wanted.split()

    def test_any_size_gives_the_same_stream(self):
        state = np.array([-3, -1, 99])
        everything = philox.bits(state, (300_000,), np.dtype(np.uint32))
        for n in (1, 31, 33, 70_000):
            np.testing.assert_array_equal(philox.bits(state, (n,), np.dtype(np.uint32)), everything[:n])

    def test_states_in_a_batch_are_drawn_as_alone(self):
        states = np.array([[1, 2, 3], [-1, -1, 5], [7, 0, 0]])
        together = philox.normal(states, (1000,), np.dtype(np.float32))
        for state, row in zip(states, together, strict=True):
            np.testing.assert_array_equal(philox.normal(state, (1000,), np.dtype(np.float32)), row)


class TestSameBitsInEveryRun:
    def test_generator(self):
        g = tf.random.Generator.from_seed(1234)
        words = [546353992, 3665621163, 1140953199, 3419031310, 2666454581, 482218876]
        assert g.uniform_full_int([6], tf.uint32).numpy().tolist() == words
        np.testing.assert_array_equal(
            g.uniform([4]).numpy(), np.array([0.9232466, 0.53442925, 0.9048188, 0.25499773], np.float32)
        )
        # Logarithm and sine may differ in the last bit from one processor to another.
        np.testing.assert_allclose(g.normal([4]).numpy(), [0.48344177, -2.6167603, 0.24536799, -0.23974825], rtol=1e-6)
        assert g.uniform([4], 0, 1000, tf.int32).numpy().tolist() == [807, 276, 42, 294]
        np.testing.assert_allclose(
            g.normal([3], dtype=tf.float64).numpy(), [-0.30643882, -0.95119711, -0.79241362], rtol=1e-7
        )
        assert g.state.numpy().tolist() == [5376, 0, 1234]

    def test_global_seed(self):
        tf.random.set_seed(7)
        np.testing.assert_array_equal(
            tf.random.uniform([3]).numpy(), np.array([0.8681105, 0.69914055, 0.01333046], np.float32)
        )
        np.testing.assert_array_equal(
            tf.random.uniform([3], seed=1).numpy(), np.array([0.3963911, 0.6734544, 0.3764282], np.float32)
        )
        assert tf.random.shuffle(tf.range(8)).numpy().tolist() == [1, 7, 3, 6, 4, 5, 2, 0]

    def test_stateless(self):
        np.testing.assert_array_equal(
            tf.random.stateless_uniform([3], [1, 2]).numpy(), np.array([0.65795636, 0.44162816, 0.4136914], np.float32)
        )
        assert tf.random.split([1, 2]).numpy().tolist() == [[-1469065996, 1896778670], [1776791141, 373426640]]


def draw(seed=None, **options):
    return tf.random.uniform([], seed=seed, **options).numpy().item()


class TestSeeds:
    def teardown_method(self):
        tf.random.set_seed(None)

    def test_global_only(self):
        tf.random.set_seed(5)
        first = [draw() for _ in range(3)]
        tf.random.set_seed(5)
        assert [draw() for _ in range(3)] == first
        assert len(set(first)) == 3
        tf.random.set_seed(6)
        assert draw() not in first

    def test_both(self):
        tf.random.set_seed(5)
        first = [draw(seed=1), draw(seed=1), draw(seed=2)]
        assert len(set(first)) == 3
        tf.random.set_seed(5)
        # Streams of other seeds, and without one, do not matter.
        draw()
        assert [draw(seed=1), draw(seed=1), draw(seed=2)] == first
        tf.random.set_seed(6)
        assert draw(seed=1) not in first

    def test_own_seed_only(self):
        tf.random.set_seed(None)
        first = [draw(seed=1), draw(seed=1)]
        tf.random.set_seed(None)
        assert [draw(seed=1), draw(seed=1)] == first
        assert first[0] != first[1]

    def test_neither(self):
        tf.random.set_seed(None)
        first = [draw() for _ in range(3)]
        tf.random.set_seed(None)
        assert set(first).isdisjoint([draw() for _ in range(3)])

    def test_functions_and_dtypes_have_streams_of_their_own(self):
        tf.random.set_seed(5)
        first = draw(seed=1)
        assert abs(draw(seed=1, dtype=tf.float64) - first) > 1e-6
        tf.random.set_seed(5)
        tf.random.normal([3], seed=1)
        assert draw(seed=1) == first

    @pytest.mark.parametrize("seed", [-3, 0, 2**64 - 1, 2**80, np.int32(4), np.uint64(2**63), True])
    def test_any_integer(self, seed):
        tf.random.set_seed(seed)
        first = [draw(), draw(seed=seed)]
        tf.random.set_seed(seed)
        assert [draw(), draw(seed=seed)] == first

    @pytest.mark.parametrize("seed", ["a", 1.5, (1, 2)])
    def test_anything_else(self, seed):
        with pytest.raises(TypeError, match="seed must be an integer"):
            tf.random.set_seed(seed)
        with pytest.raises(TypeError, match="seed must be an integer"):
            tf.random.normal([2], seed=seed)

    def test_threads_never_draw_the_same(self):
        tf.random.set_seed(5)
        found = []

        def work():
            for _ in range(200):
                found.append(draw(dtype=tf.float64))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert len(set(found)) == 800


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

    @pytest.mark.parametrize(("dtype", "digits"), list(zip(FLOATS, [11, 8, 24, 53], strict=True)))
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
        with pytest.raises(ValueError, match="give both bounds"):
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


class TestStateless:
    def test_depends_on_the_seed_alone(self):
        def drawn(seed):
            return tf.random.stateless_uniform([4], seed).numpy().tolist()

        first = drawn([1, 2])
        tf.random.normal([5])
        assert drawn([1, 2]) == first == drawn(tf.constant([1, 2], tf.int64))
        assert drawn([2, 1]) != first

    def test_split(self):
        seeds = tf.random.split([1, 2], 100)
        assert (seeds.shape, seeds.dtype) == ((100, 2), tf.int32)
        assert len({tuple(s) for s in seeds.numpy()}) == 100
        assert tf.random.split(tf.constant([1, 2], tf.int64)).dtype is tf.int64

    def test_fold_in(self):
        seeds = [tuple(tf.random.fold_in([1, 2], i).numpy()) for i in range(10)]
        assert len(set(seeds)) == 10
        found = tf.random.fold_in(tf.constant([1, 2], tf.int64), tf.constant(3))
        assert (found.dtype, found.shape) == (tf.int64, (2,))

    def test_shuffle(self):
        value = tf.reshape(tf.range(20), [10, 2])
        first, second = (tf.random.experimental.stateless_shuffle(value, [1, 2]).numpy() for _ in range(2))
        np.testing.assert_array_equal(first, second)
        np.testing.assert_array_equal(np.sort(first, axis=0), value.numpy())
        assert first.tolist() != value.numpy().tolist()


class TestGenerator:
    def test_state_is_a_variable_that_draws_move_on(self):
        g = tf.random.Generator.from_seed(1)
        assert isinstance(g.state, tf.Variable)
        assert not g.state.trainable
        before = g.state.numpy()
        first = g.normal([3])
        assert (g.state.numpy() != before).any()
        g.state.assign(before)
        np.testing.assert_array_equal(g.normal([3]).numpy(), first.numpy())
        assert (g.normal([3]).numpy() != first.numpy()).all()

    @pytest.mark.parametrize(
        ("seed", "state"),
        [
            (1234, [0, 0, 1234]), (-1, [-1, -1, -1]), (2**70 + 5, [0, 64, 5]), ([1, 2, 3], [3, 2, 1]), ([7], [0, 0, 7]),
            (tf.constant(9), [0, 0, 9]),
        ],
    )  # fmt: skip
    def test_create_rng_state(self, seed, state):
        assert tf.random.create_rng_state(seed, "philox").numpy().tolist() == state
        assert tf.random.Generator.from_seed(seed).state.numpy().tolist() == state

    @pytest.mark.parametrize("seed", [[1, 2, 3, 4], [[1, 2]], 1.5])
    def test_wrong_seeds(self, seed):
        with pytest.raises(tf.errors.InvalidArgumentError, match="seed is"):
            tf.random.create_rng_state(seed, "philox")

    def test_constructors(self):
        g = tf.random.Generator.from_state([1, 2, 3], "philox")
        assert g.state.numpy().tolist() == [1, 2, 3]
        assert (g.key.numpy(), g.algorithm) == (3, 1)
        h = tf.random.Generator.from_key_counter(3, [1, 2], "philox")
        np.testing.assert_array_equal(g.normal([4]).numpy(), h.normal([4]).numpy())
        twin = tf.random.Generator(copy_from=g)
        np.testing.assert_array_equal(g.normal([4]).numpy(), twin.normal([4]).numpy())
        other = copy.deepcopy(g)
        np.testing.assert_array_equal(g.normal([4]).numpy(), other.normal([4]).numpy())
        one, two = (tf.random.Generator.from_non_deterministic_state() for _ in range(2))
        assert one.state.numpy().tolist() != two.state.numpy().tolist()

    def test_wrong_constructions(self):
        with pytest.raises(ValueError, match="either copy_from, or state"):
            tf.random.Generator()
        with pytest.raises(ValueError, match="three int64"):
            tf.random.Generator.from_state([1, 2], "philox")
        with pytest.raises(ValueError, match="three int64"):
            tf.random.Generator.from_seed(1).reset([1.0, 2.0, 3.0])

    def test_reset(self):
        g = tf.random.Generator.from_seed(1)
        first = g.normal([3]).numpy()
        g.reset_from_seed(1)
        np.testing.assert_array_equal(g.normal([3]).numpy(), first)
        g.reset([5, 6, 7])
        assert g.state.numpy().tolist() == [5, 6, 7]
        g.reset_from_key_counter(7, [5, 6])
        assert g.state.numpy().tolist() == [5, 6, 7]

    def test_skip_is_as_a_draw(self):
        states = []
        for move in (
            lambda g: g.skip(6),
            lambda g: g.normal([2, 3]),
            lambda g: g.uniform([6], 0, 9, tf.int64),
            lambda g: g.truncated_normal([6], dtype=tf.float64),
            lambda g: g.uniform_full_int([3, 2]),
        ):
            g = tf.random.Generator.from_seed(1)
            move(g)
            states.append(g.state.numpy().tolist())
        assert states == [states[0]] * 5

    def test_skip_carries(self):
        g = tf.random.Generator.from_state([-1, 0, 5], "philox")
        before = g.skip(1)
        assert before.numpy().tolist() == [-1, 0, 5]
        assert g.state.numpy().tolist() == [255, 1, 5]

    def test_seeds_and_split(self):
        g = tf.random.Generator.from_seed(1)
        assert g.make_seeds(3).shape == (2, 3)
        assert g.make_seeds().dtype is tf.int64
        children = g.split(3)
        drawn = [c.normal([]).numpy() for c in (*children, g)]
        assert len(set(drawn)) == 4
        again = tf.random.Generator.from_seed(1)
        again.make_seeds(3)
        again.make_seeds()
        assert [c.normal([]).numpy() for c in again.split(3)] == drawn[:3]

    def test_distributions(self):
        g = tf.random.Generator.from_seed(1)
        assert abs(g.normal([1000], mean=5.0, stddev=0.1).numpy().mean() - 5.0) < 0.1
        assert abs(g.truncated_normal([1000]).numpy()).max() <= 2.0
        assert set(g.uniform([100], 3, 5, tf.int32).numpy()) == {3, 4}
        assert g.uniform([2], None, None, tf.uint64).dtype is tf.uint64
        assert g.uniform_full_int([2]).dtype is tf.uint64

    def test_global_generator(self):
        before = tf.random.get_global_generator()
        assert tf.random.get_global_generator() is before
        g = tf.random.Generator.from_seed(1)
        try:
            tf.random.set_global_generator(g)
            assert tf.random.get_global_generator() is g
            tf.random.set_seed(1)
            assert tf.random.get_global_generator() is g
        finally:
            tf.random.set_global_generator(before)


class TestShuffle:
    def test_rows(self):
        value = tf.reshape(tf.range(60.0), [20, 3])
        found = tf.random.shuffle(value, seed=1).numpy()
        np.testing.assert_array_equal(np.sort(found, axis=0), value.numpy())

    def test_small(self):
        assert float(tf.random.shuffle(1.5)) == 1.5
        assert tf.random.shuffle(tf.zeros([0, 2])).shape == (0, 2)
        assert sorted(tf.random.shuffle(["a", "b"]).numpy().tolist()) == [b"a", b"b"]

    def test_gradient_goes_back_to_each_row(self):
        x, weights = tf.constant([10.0, 20.0, 30.0, 40.0]), tf.constant([1.0, 2.0, 3.0, 4.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.random.shuffle(x, seed=3)
            loss = tf.reduce_sum(y * weights)
        found = tape.gradient(loss, x)
        assert isinstance(found, tf.Tensor)
        placed = dict(zip(y.numpy().tolist(), weights.numpy().tolist(), strict=True))
        assert found.numpy().tolist() == [placed[v] for v in x.numpy().tolist()]


class TestGradients:
    def test_mean_and_stddev(self):
        mean, stddev = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
        for f in (tf.random.stateless_normal, tf.random.stateless_truncated_normal):
            noise = f([2], [1, 2]).numpy()
            with tf.GradientTape() as tape:
                y = f([2], [1, 2], mean, stddev)
            dm, ds = tape.gradient(y, [mean, stddev])
            assert dm.numpy().tolist() == [1.0, 1.0]
            np.testing.assert_allclose(float(ds), noise.sum(), rtol=1e-6)

    def test_bounds(self):
        low, high = tf.Variable(1.0), tf.Variable(3.0)
        u = tf.random.stateless_uniform([5], [1, 2]).numpy()
        with tf.GradientTape() as tape:
            y = tf.random.stateless_uniform([5], [1, 2], low, high)
        dl, dh = tape.gradient(y, [low, high])
        np.testing.assert_allclose([float(dl), float(dh)], [(1.0 - u).sum(), u.sum()], rtol=1e-5)

    def test_draws_are_constants(self):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            noise = tf.random.normal([])
            y = x * noise
        assert tape.gradient(y, x).numpy() == noise.numpy()
        assert tape.watched_variables() == ()


class TestMaps:
    """Inside vectorized_map every example has numbers of its own, as in a loop."""

    xs = tf.zeros([50])

    @pytest.mark.parametrize(
        "f",
        [
            lambda x: tf.random.normal([]),
            lambda x: tf.random.normal([], seed=1),
            lambda x: tf.random.uniform([], 0, 2**31 - 1, tf.int32),
            lambda x: tf.random.truncated_normal([]) + x,
        ],
    )
    def test_differ(self, f):
        assert len(set(tf.vectorized_map(f, self.xs).numpy().tolist())) == 50

    def test_reproducible(self):
        def run():
            tf.random.set_seed(5)
            return tf.vectorized_map(lambda x: tf.random.normal([3]), self.xs).numpy()

        np.testing.assert_array_equal(run(), run())

    def test_nested_maps(self):
        found = tf.vectorized_map(
            lambda x: tf.vectorized_map(lambda y: tf.random.normal([]) + x + y, tf.zeros([3])), tf.zeros([4])
        )
        assert found.shape == (4, 3)
        assert len(np.unique(found.numpy())) == 12

    def test_shuffle_and_bounds(self):
        rows = tf.vectorized_map(lambda x: tf.random.shuffle(tf.range(20)) + tf.cast(x, tf.int32), self.xs).numpy()
        assert (np.sort(rows, axis=1) == np.arange(20)).all()
        assert len({tuple(r) for r in rows}) == 50
        tops = tf.constant([1, 10, 1000])
        found = tf.vectorized_map(lambda top: tf.random.uniform([100], 0, top, tf.int32), tops).numpy()
        assert (found.max(axis=1) < tops.numpy()).all()
        assert found[2].max() > 500

    def test_later_draws_are_others(self):
        tf.random.set_seed(5)
        first = tf.vectorized_map(lambda x: tf.random.normal([]), self.xs).numpy()
        second = tf.vectorized_map(lambda x: tf.random.normal([]), self.xs).numpy()
        assert set(first).isdisjoint(second)

    def test_stateless_draws_are_the_same(self):
        found = tf.vectorized_map(lambda x: tf.random.stateless_normal([], [1, 2]) + x, self.xs).numpy()
        assert len(set(found)) == 1
        seeds = tf.random.split([1, 2], 3)
        found = tf.vectorized_map(lambda s: tf.random.stateless_normal([2], s), seeds).numpy()
        wanted = [tf.random.stateless_normal([2], s).numpy() for s in seeds]
        np.testing.assert_array_equal(found, wanted)
