"""Random numbers: shuffles, and draws under tapes and maps."""

import numpy as np
import pytest

import gradtape as tf


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
