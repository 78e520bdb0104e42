"""tf.function: input signatures, and sizes that are not known."""

from collections import OrderedDict

import numpy as np
import pytest

import gradtape as tf
from tracing.counting import counted


class TestInputSignature:
    def test_values_are_converted(self):
        f, traces = counted(lambda x: x * 2)
        g = tf.function(f.python_function, input_signature=[tf.TensorSpec([2], tf.float32)])
        assert g([1, 2]).numpy().tolist() == [2.0, 4.0]
        assert g(np.array([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]
        assert len(traces) == 1

    def test_what_does_not_fit_is_refused(self):
        g = tf.function(lambda x: x, input_signature=[tf.TensorSpec([2], tf.float32)])
        with pytest.raises(TypeError, match="Can not cast"):
            g(tf.constant([1.0, 2.0, 3.0]))
        with pytest.raises(TypeError, match="Can not cast"):
            g(tf.constant([1, 2]))

    def test_bad_signatures(self):
        spec = tf.TensorSpec([], tf.float32)
        with pytest.raises(TypeError, match="must be either a tuple or a list"):
            tf.function(lambda x: x, input_signature=spec)
        with pytest.raises(TypeError, match="nested sequence of TensorSpec"):
            tf.function(lambda x: x, input_signature=[1])
        with pytest.raises(TypeError, match="missing type constraint for y"):
            tf.function(lambda x, y: x, input_signature=[spec])
        with pytest.raises(TypeError, match="contains 1 extra type constraints"):
            tf.function(lambda x: x, input_signature=[spec, spec])

    def test_nested_signature(self):
        """Below a spec, lists are numbers; the structure around it must be the same."""
        spec = (tf.TensorSpec([None]), {"a": tf.TensorSpec([]), "b": [tf.TensorSpec([2])]})
        f = tf.function(lambda p: p[0] + p[1]["a"] * p[1]["b"][0], input_signature=[spec], autograph=False)
        assert f(([1, 2], {"a": 2, "b": [[3, 4]]})).numpy().tolist() == [7.0, 10.0]
        assert f((tf.ones([2]), {"b": [np.ones(2)], "a": tf.constant(1.0)})).numpy().tolist() == [2.0, 2.0]
        assert f.experimental_get_tracing_count() == 1
        one, two = tf.constant(1.0), tf.ones([2])
        for bad in (
            [two, {"a": one, "b": [two]}], (two,), (two, {"a": one}), (two, {"a": one, "b": (two,)}), (two, one), two,
            (two, {"a": one, "b": [two, two]}), (two, {"a": one, "b": [tf.ones([3])]}),
        ):  # fmt: skip
            with pytest.raises(TypeError, match="Can not cast"):
                f(bad)

    def test_signature_of_a_method_leaves_the_instance_out(self):
        class Scale(tf.Module):
            def __init__(self):
                super().__init__()
                self.factor = tf.Variable(2.0)

            @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
            def __call__(self, x):
                return self.factor * x

        scale = Scale()
        assert scale([1, 2]).numpy().tolist() == [2.0, 4.0]
        assert Scale.__call__(scale, [1, 2, 3]).numpy().tolist() == [2.0, 4.0, 6.0]
        with pytest.raises(TypeError, match="Can not cast"):
            scale(tf.ones([2, 2]))


class TestSizes:
    def test_input_signature_with_open_sizes_is_traced_once(self):
        f, traces = counted(lambda x: tf.reduce_sum(x, axis=0))
        g = tf.function(f.python_function, input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        assert g(tf.ones([3, 2])).numpy().tolist() == [3.0, 3.0]
        assert g([[1, 2]]).numpy().tolist() == [1.0, 2.0]
        assert g(np.ones([5, 2])).numpy().tolist() == [5.0, 5.0]
        assert [t[0].shape.as_list() for t in traces] == [[None, 2]]
        with pytest.raises(TypeError, match="Can not cast"):
            g(tf.ones([2, 3]))

    def test_more_general_trace_is_used(self):
        f, traces = counted(lambda x: x * 2.0)
        concrete = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
        assert f(tf.ones([3])).shape == [3]
        assert f(tf.ones([4])).shape == [4]
        assert len(traces) == 1
        f(tf.ones([2, 2]))
        assert len(traces) == 2
        assert concrete.structured_outputs.shape.as_list() == [None]

    def test_of_several_general_traces_the_narrowest_is_used(self):
        f, traces = counted(lambda x: tf.cast(x.shape.rank is None or None in x.shape.as_list()[1:], tf.int32))
        f.get_concrete_function(tf.TensorSpec([None, 3], tf.float32))
        f.get_concrete_function(tf.TensorSpec([None, None], tf.float32))
        f.get_concrete_function(tf.TensorSpec(None, tf.float32))
        assert [int(f(tf.ones(shape))) for shape in ([2, 3], [2, 4], [2], [2, 3, 4])] == [0, 1, 1, 1]
        assert len(traces) == 3

    def test_reduce_retracing(self):
        f, traces = counted(lambda x, n=1: tf.reduce_sum(x) * n)
        g = tf.function(f.python_function, reduce_retracing=True)
        assert [float(g(tf.ones([k]))) for k in (2, 3, 4, 2, 9)] == [2.0, 3.0, 4.0, 2.0, 9.0]
        assert [t[0].shape for t in traces] == [tf.TensorShape([2]), tf.TensorShape([None])]
        assert float(g(tf.ones([2, 2]))) == 4.0
        assert traces[-1][0].shape.rank is None
        g(tf.ones([2]), 2), g(tf.ones([2]), 3)
        assert len(traces) == 5

    def test_former_name_of_reduce_retracing(self):
        f, traces = counted(lambda x: x)
        g = tf.function(f.python_function, experimental_relax_shapes=True)
        g(tf.ones([1])), g(tf.ones([2])), g(tf.ones([3]))
        assert len(traces) == 2

    def test_reason_of_a_relaxed_trace(self):
        g = tf.function(lambda x: x, reduce_retracing=True)
        g(tf.ones([1])), g(tf.ones([2]))
        assert g.explain().traces[1].because == "x is a tensor f32[?], not a tensor f32[1]"

    def test_shape_as_a_tensor(self):
        @tf.function(autograph=False)
        def f(x):
            known, unknown = tf.ones([2, 3]), x
            return tf.shape(known), tf.shape(unknown), tf.size(x), tf.rank(x)

        concrete = f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
        found = [y.numpy().tolist() for y in concrete(tf.ones([5, 2]))]
        assert found == [[2, 3], [5, 2], 10, 2]

    def test_variable_whose_size_changes(self):
        v = tf.Variable([1.0], shape=[None])
        f = tf.function(lambda: tf.reduce_sum(v) / tf.cast(tf.size(v), tf.float32), autograph=False)
        assert float(f()) == 1.0
        v.assign([2.0, 4.0])
        assert float(f()) == 3.0
        assert f.experimental_get_tracing_count() == 1

    def test_index_that_is_a_tensor(self):
        f = tf.function(lambda x, i: (x[i], x[i, 0], x[:, i]), autograph=False)
        x = tf.reshape(tf.range(9), [3, 3])
        for i in (-1, 0, 2):
            for found, wanted in zip(f(x, tf.constant(i)), (x[i], x[i, 0], x[:, i]), strict=True):
                np.testing.assert_array_equal(found, wanted)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Graph execution error"):
            f(x, tf.constant(3))

    def test_set_shape(self):
        @tf.function(autograph=False)
        def f(x):
            x.set_shape([None, 3])
            assert x.shape.as_list() == [None, 3]
            with pytest.raises(ValueError, match="not compatible"):
                x.set_shape([2])
            return x * tf.ones([3])

        concrete = f.get_concrete_function(tf.TensorSpec(None, tf.float32))
        assert concrete(tf.ones([2, 3])).shape == [2, 3]
        with pytest.raises(tf.errors.InvalidArgumentError, match="ensure_shape: x must have shape"):
            concrete(tf.ones([2, 4]))

    def test_general_function_in_a_function(self):
        inner = tf.function(
            lambda x: tf.reshape(x, [-1]) * 2.0, input_signature=[tf.TensorSpec([None, None], tf.float32)]
        )
        outer = tf.function(lambda x: inner(x) + inner(tf.transpose(x)), autograph=False)
        x = tf.constant([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = outer(x)
        assert y.numpy().tolist() == [4.0, 8.0]
        assert tape.gradient(y, x).numpy().tolist() == [[4.0, 4.0]]
        assert inner.experimental_get_tracing_count() == 1

    def test_wrong_sizes_are_found_when_traced_or_run(self):
        f = tf.function(lambda x: tf.matmul(x, tf.ones([3, 2])), autograph=False)
        with pytest.raises(ValueError, match="inner dimensions differ"):
            f.get_concrete_function(tf.TensorSpec([None, 4], tf.float32))
        concrete = f.get_concrete_function(tf.TensorSpec([None, None], tf.float32))
        with pytest.raises(tf.errors.InvalidArgumentError, match="inner dimensions differ"):
            concrete(tf.ones([2, 4]))


def test_a_program_that_another_thread_drops_is_used():
    """Between the look into the cache and the note that a program was used, another thread may have dropped it."""

    class Hasty(OrderedDict):
        """Drops what it finds."""

        def get(self, key, default=None):
            found = super().get(key, default)
            self.pop(key, None)
            return found

    f = tf.function(lambda x: tf.reduce_sum(x * x), input_signature=[tf.TensorSpec([None])])
    sizes = [1, 2, 3, 4]
    for n in sizes:
        f(tf.ones([n]))
    program = f.get_concrete_function()._staged.program
    program._programs = Hasty(program._programs)
    for n in sizes * 3:
        assert float(f(tf.ones([n]))) == n


class TestFunctionsThatAskForNumbers:
    @pytest.mark.parametrize("shape", [[None, None], None])
    def test_of_bits(self, shape):
        """The keys of a permutation have as many bits as the size needs."""
        f = tf.function(lambda x: tf.random.experimental.stateless_shuffle(x, seed=[1, 2]))
        x = tf.reshape(tf.range(12.0), [6, 2])
        found = f.get_concrete_function(tf.TensorSpec(shape))(x)
        np.testing.assert_array_equal(found, tf.random.experimental.stateless_shuffle(x, seed=[1, 2]))

    def test_two_values_that_are_asked_for_are_not_taken_for_equal(self):
        f = tf.function(lambda a, b: tf.range(a, b))
        concrete = f.get_concrete_function(tf.TensorSpec(None, tf.int32), tf.TensorSpec(None, tf.int64))
        assert concrete.structured_outputs.shape.is_compatible_with([3])
        assert concrete(tf.constant(0), tf.constant(3, tf.int64)).numpy().tolist() == [0, 1, 2]

    def test_ranks_that_must_fit_each_other(self):
        """Seven arguments of unknown rank: made-up ranks for all of them at once would hardly ever fit."""

        def loss(weights, biases, labels, inputs, *sampled):
            return tf.nn.nce_loss(weights, biases, labels, inputs, 2, 5, sampled_values=sampled)

        args = [tf.ones([5, 2]), tf.zeros([5]), tf.constant([[1]], tf.int64), tf.constant([[0.5, 0.25]])]
        args += [tf.constant([0, 3], tf.int64), tf.constant([[0.5]]), tf.constant([0.4, 0.3])]
        found = tf.function(loss).get_concrete_function(*[tf.TensorSpec(None, x.dtype) for x in args])(*args)
        np.testing.assert_allclose(found, loss(*args), rtol=1e-5)
