"""`gradient`: its targets, sources, cotangents and what is unconnected."""

import collections

import numpy as np
import pytest

import gradtape as tf


def value(t):
    return np.asarray(t).tolist()


class TestTargets:
    @pytest.mark.parametrize(
        ("bad", "error"),
        [
            (None, TypeError), ([None], TypeError), ("text", TypeError), (1.5, AttributeError),
            (np.float32(1.0), AttributeError), (np.ones(2), AttributeError),
        ],
    )  # fmt: skip
    def test_wrong_kinds(self, bad, error):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            x * x
        with pytest.raises(error):
            tape.gradient(bad, x)

    def test_structures_are_summed(self):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            a, b = x * x, x * 3.0
        assert value(tape.gradient({"b": [a], "a": (b,)}, x)) == 7.0
        assert value(tape.gradient([a, a], x)) == 8.0
        assert tape.gradient([], x) is None

    def test_non_scalar_and_empty(self):
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
            e = x[:0] * 2.0
        assert value(tape.gradient(y, x)) == [2.0, 4.0]
        assert value(tape.gradient(e, x)) == [0.0, 0.0]

    def test_target_is_source(self):
        x, i, b = tf.constant([1.0, 2.0]), tf.constant(3), tf.constant(True)
        v = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
        assert value(tape.gradient(x, x)) == [1.0, 1.0]
        assert value(tape.gradient(i, i)) == 1
        assert tape.gradient(i, i).dtype == tf.int32
        assert value(tape.gradient(b, b)) is True
        assert value(tape.gradient(v, v)) == 1.0
        assert tape.gradient(v, x) is None
        assert value(tape.gradient([v, y], v)) == 5.0
        assert tape.gradient(tf.constant("s"), v) is None

    def test_mixed_list_with_integers(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y, n, s = x * x, tf.constant(3), tf.constant("s")
        assert value(tape.gradient([y, n, s], x)) == 4.0

    def test_unrecorded_targets(self):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
            c = tf.cast(y, tf.int32)
        assert tape.gradient(tf.constant(1.0), x) is None
        assert tape.gradient(y * 2.0, x) is None
        assert tape.gradient(c, x) is None


Pair = collections.namedtuple("Pair", "left right")


class TestSources:
    def test_structure_is_kept(self):
        x, w = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * w
        for sources in (
            [x, w],
            (x, w),
            Pair(x, w),
            {"b": x, "a": w},
            collections.OrderedDict(z=x, a=w),
            [],
            {},
            [[x], (w,)],
        ):
            result = tape.gradient(y, sources)
            assert type(result) is type(sources)
            tf.nest.assert_same_structure(sources, result)
        by_key = tape.gradient(y, {"b": x, "a": w})
        assert list(by_key) == ["b", "a"]
        assert value(by_key["b"]) == 3.0
        refs = tape.gradient(y, {x.ref(): x, w.ref(): w})
        assert value(refs[x.ref()]) == 3.0

    def test_repeated_and_ancestors(self):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            h = x * x
            y = h * h
        assert [value(g) for g in tape.gradient(y, [x, x, h, x.handle])] == [32.0, 32.0, 8.0, 32.0]

    @pytest.mark.parametrize(
        ("bad", "error"),
        [
            (None, TypeError),
            ([None], TypeError),
            (1.0, AttributeError),
            (True, AttributeError),
            (np.array([object()]), AttributeError),
        ],
    )
    def test_wrong_kinds(self, bad, error):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
        with pytest.raises(error):
            tape.gradient(y, bad)

    def test_fresh_read_is_none(self):
        v = tf.Variable([2.0, 3.0])
        with tf.GradientTape() as tape:
            y = v[0] * v[0]
        assert tape.gradient(y, v[0]) is None

    def test_dtype_and_shape_of_the_source(self):
        x = tf.Variable(np.ones((3, 1)), dtype=tf.float64)
        with tf.GradientTape() as tape:
            y = x * tf.ones([2, 3, 4], tf.float64)
        g = tape.gradient(y, x)
        assert g.dtype == tf.float64
        assert g.shape == (3, 1)

    def test_only_what_is_asked_for_is_computed(self):
        calls = []

        @tf.custom_gradient
        def spy(x):
            def grad(dy):
                calls.append(1)
                return dy

            return x * 1.0, grad

        a, b = tf.Variable(1.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = spy(a) * b
        assert value(tape.gradient(y, b)) == 1.0
        assert not calls


class TestOutputGradients:
    def test_forms(self):
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            y, z = x * x, x * 3.0
        for seed in ([2.0, 1.0], np.array([2.0, 1.0], "f"), tf.constant([2.0, 1.0]), tf.Variable([2.0, 1.0])):
            assert value(tape.gradient(y, x, output_gradients=tf.convert_to_tensor(seed))) == [4.0, 4.0]
        assert value(tape.gradient([y, z], x, output_gradients=[np.float32([1, 1])])) == [5.0, 7.0]
        assert value(tape.gradient([y], x, output_gradients=[np.float32([1, 1]), np.float32([9, 9])])) == [2.0, 4.0]
        assert value(tape.gradient(y, x, output_gradients=3.0)) == [6.0, 12.0]
        assert value(tape.gradient(y, x, output_gradients=[1.0, 10.0])) == [2.0, 40.0]
        with pytest.raises(ValueError):
            tape.gradient([y, z], x, output_gradients=[None, np.float32([1, 1])])
        with pytest.raises(tf.errors.InvalidArgumentError):
            tape.gradient(y, x, output_gradients=1)


class TestUnconnected:
    def test_enum(self):
        assert tf.UnconnectedGradients.NONE.value == "none"
        assert tf.UnconnectedGradients("zero") is tf.UnconnectedGradients.ZERO

    @pytest.mark.parametrize("source", [tf.constant([1, 2]), tf.constant([1.0], tf.float64), tf.Variable([3.0])])
    def test_zeros(self, source):
        with tf.GradientTape() as tape:
            y = tf.constant(1.0) * 2.0
        zero = tape.gradient(y, source, unconnected_gradients="zero")
        assert zero.dtype == source.dtype
        assert zero.shape == source.shape
        assert not np.any(zero.numpy())

    def test_zero_string(self):
        with tf.GradientTape() as tape:
            y = tf.constant(1.0) * 2.0
        assert tape.gradient(y, tf.constant("ab"), unconnected_gradients="zero").numpy() == b""

    def test_none_and_zeros(self):
        x = tf.Variable([1.5, -2.5])
        none = [
            tf.floor, tf.math.ceil, tf.round, tf.math.rint, tf.argmax, lambda v: v > 0.0, lambda v: tf.cast(v, tf.int32),
            tf.zeros_like, tf.ones_like, tf.stop_gradient, lambda v: tf.numpy_function(np.sin, [v], tf.float32),
        ]  # fmt: skip
        for f in none:
            with tf.GradientTape() as tape:
                y = f(x)
            assert tape.gradient(y, x) is None
        with tf.GradientTape() as tape:
            y = tf.sign(x)
        assert value(tape.gradient(y, x)) == [0.0, 0.0]


class TestComplex:
    def test_convention(self):
        z = tf.Variable(1 + 2j)
        cases = [
            (lambda z: z * z, 2 - 4j), (tf.exp, np.conj(np.exp(1 + 2j))), (tf.abs, (1 + 2j) / abs(1 + 2j)),
            (tf.math.real, 1), (tf.math.imag, 1j), (tf.math.angle, -0.4 + 0.2j), (lambda z: z * tf.math.conj(z), 2 * (1 + 2j)),
        ]  # fmt: skip
        for f, expected in cases:
            with tf.GradientTape() as tape:
                y = f(z)
            np.testing.assert_allclose(tape.gradient(y, z).numpy(), expected, rtol=1e-12)

    def test_real_to_complex_and_back(self):
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            z = tf.cast(x, tf.complex64)
            y = tf.math.real(z * z)
        assert value(tape.gradient(y, x)) == 6.0


class TestNesting:
    def test_any_order(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as t3:
            with tf.GradientTape() as t2:
                with tf.GradientTape() as t1:
                    y = x**5
                d1 = t1.gradient(y, x)
            d2 = t2.gradient(d1, x)
        d3 = t3.gradient(d2, x)
        assert [value(d) for d in (d1, d2, d3)] == [80.0, 160.0, 240.0]

    def test_inner_gradient_after_the_outer_block(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as outer, tf.GradientTape() as inner:
            y = x * x
        assert outer.gradient(inner.gradient(y, x), x) is None

    def test_outer_watches_what_inner_does_not(self):
        x, w = tf.constant(2.0), tf.constant(3.0)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(w)
                y = x * x * w
            dw = inner.gradient(y, w)
        assert value(outer.gradient(dw, x)) == 4.0


@pytest.mark.parametrize("size", [7, 200_000])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
class TestNarrow:
    """Narrow dtypes: the backward pass may carry float32, rules and users see the dtype of the forward pass."""

    def make(self, dtype, size):
        values = np.linspace(-2.0, 2.0, size)
        return tf.Variable(tf.cast(tf.constant(values, tf.float32), dtype)), values

    def test_small_and_large(self, dtype, size):
        x, values = self.make(dtype, size)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.tanh(x) * x) + tf.reduce_mean(x * x)
        g = tape.gradient(y, x)
        assert g.dtype == dtype
        expected = np.tanh(values) + values / np.cosh(values) ** 2 + 2 * values / size
        np.testing.assert_allclose(tf.cast(g, tf.float32).numpy(), expected, atol=0.03)

    def test_custom_gradients_get_the_dtype_of_their_outputs(self, dtype, size):
        @tf.custom_gradient
        def twice(x):
            def grad(dy):
                assert dy.dtype == dtype
                return dy * tf.cast(2.0, dtype)

            return x + x, grad

        x, _ = self.make(dtype, size)
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(twice(x)) * 3.0
        assert tape.gradient(y, x).dtype == dtype

    def test_several_outputs(self, dtype, size):
        x, _ = self.make(dtype, size)
        with tf.GradientTape() as tape:
            first, *rest = tf.split(x, size)[:2] if size < 10 else tf.split(x, 2)
            y = tf.reduce_mean(first * first)
        assert tape.gradient(y, x).dtype == dtype
        assert rest
