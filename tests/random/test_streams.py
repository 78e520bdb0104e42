"""Random numbers: the bits, and the seeds that choose them."""

import gc
import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape.ops import philox


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

    def test_whole_floats_are_integers(self):
        tf.random.set_seed(5.0)
        first = draw(seed=3.0)
        tf.random.set_seed(5)
        assert draw(seed=np.float32(3)) == first

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


def both(call):
    """What a call draws first, eagerly and in a function, after the same global seed."""
    traced = tf.function(call)
    tf.random.set_seed(5)
    first = call()
    tf.random.set_seed(5)
    call()  # eager calls take nothing away from functions
    second = traced()
    return np.array(first), np.array(second)


class TestInFunctions:
    @pytest.mark.parametrize(
        "call",
        [
            lambda: tf.random.normal([4], seed=3),
            lambda: tf.random.truncated_normal([4], seed=3),
            lambda: tf.random.uniform([4], 0, 100, tf.int32, seed=3),
            lambda: tf.random.shuffle(tf.range(20), seed=3),
            lambda: tf.random.gamma([4], [2.0], seed=3),
            lambda: tf.random.poisson([4], [9.0], seed=3),
            lambda: tf.random.categorical(tf.zeros([1, 9]), 20, seed=3),
            lambda: tf.nn.dropout(tf.ones([20]), 0.5, seed=3),
            lambda: tf.image.random_crop(tf.range(99.0)[:, None, None], [5, 1, 1], seed=3),
            lambda: tf.random.log_uniform_candidate_sampler([[1]], 1, 5, True, 99, seed=3)[0],
        ],
    )
    def test_a_seed_gives_the_numbers_of_eager_calls(self, call):
        eager, traced = both(call)
        np.testing.assert_array_equal(eager, traced)

    def test_without_a_global_seed(self):
        tf.random.set_seed(None)
        eager = [float(tf.random.normal([], seed=9)) for _ in range(2)]
        f = tf.function(lambda: tf.random.normal([], seed=9))
        assert [float(f()), float(f())] == eager

    def test_each_call_of_a_function_has_its_own_stream(self):
        @tf.function
        def two():
            return tf.random.uniform([], seed=1), tf.random.uniform([], seed=1)

        (a, b), (c, d) = two(), two()
        assert a == b
        assert c == d
        assert a != c

    def test_open_sizes(self):
        tf.random.set_seed(5)

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def like(x):
            return tf.random.uniform(tf.shape(x), seed=2)

        traced = [like(tf.ones([3])), like(tf.ones([3])), like(tf.ones([2]))]
        tf.random.set_seed(5)
        eager = [tf.random.uniform([n], seed=2) for n in (3, 3, 2)]
        for a, b in zip(traced, eager, strict=True):
            np.testing.assert_array_equal(a, b)

    def test_sizes_that_are_computed(self):
        """The shape is a value, so the call waits for the arrays of a run."""

        @tf.function
        def wide(x):
            n = tf.reduce_sum(tf.shape(x))
            return tf.random.normal([n, n + 1], seed=2)

        tf.random.set_seed(5)
        concrete = wide.get_concrete_function(tf.TensorSpec([None, None]))
        traced = [concrete(tf.ones([1, 2])), concrete(tf.ones([1, 2]))]
        eager = [tf.random.normal([3, 4], seed=2) for _ in range(2)]
        for a, b in zip(traced, eager, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)

    def test_loops(self):
        @tf.function
        def total():
            found = tf.zeros([])
            for _ in tf.range(3):
                found += tf.random.uniform([], seed=4)
            return found

        tf.random.set_seed(5)
        traced = total()
        tf.random.set_seed(5)
        np.testing.assert_allclose(traced, sum(float(tf.random.uniform([], seed=4)) for _ in range(3)), rtol=1e-6)

    def test_set_seed_restarts_functions(self):
        f = tf.function(lambda: tf.random.uniform([2], seed=1))
        tf.random.set_seed(5)
        first = f().numpy()
        f()
        tf.random.set_seed(5)
        np.testing.assert_array_equal(f(), first)

    def test_streams_of_functions_end_with_them(self):
        from gradtape.random._functions import streams

        f = tf.function(lambda: tf.random.uniform([2], seed=1))
        f()
        before = len(streams.states())
        del f
        gc.collect()
        assert len(streams.states()) < before
