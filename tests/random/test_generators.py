"""Random numbers without a state, and generators that are one."""

import copy

import numpy as np
import pytest

import gradtape as tf


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
    def test_repr_shows_key_and_counter(self):
        g = tf.random.Generator.from_seed(7)
        assert repr(g) == "<tf.random.Generator philox, key 7, counter 0>"
        g.normal([2])
        assert repr(g) == "<tf.random.Generator philox, key 7, counter 512>"
        texts = []
        tf.function(lambda: texts.append(repr(g)))()
        assert texts == ["<tf.random.Generator philox>"]

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
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="seed must be an integer, or a vector of up to three, got"
        ):
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


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_narrow_floats_stay_below_the_upper_bound(dtype):
    drawn = tf.random.Generator.from_seed(1).uniform([50000], 1, 3, dtype)
    assert float(tf.reduce_max(drawn)) < 3.0


def test_a_variable_becomes_the_state():
    state = tf.Variable([1, 2, 3], dtype=tf.int64)
    generator = tf.random.Generator.from_state(state, alg="philox")
    generator.uniform([2])
    assert generator.state is state
    assert state.numpy().tolist() != [1, 2, 3]
    assert np.array_equal(generator.state, state)
