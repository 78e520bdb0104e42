"""Functions that are copied or pickled, methods of values, and slices as arguments."""

import copy
import pickle

import numpy as np

import gradtape as tf


def double(x):
    return x * 2.0


doubled = tf.function(double)


@tf.function
def tripled(x):
    return x * 3.0


def test_copies():
    x = tf.constant(1.0)
    for function, expected in ((doubled, 2.0), (tripled, 3.0), (tf.function(lambda x: x * 4.0), 4.0)):
        function(x)
        other = copy.deepcopy(function)
        assert float(other(x)) == expected
        assert other.experimental_get_tracing_count() == 1
        assert other is not function


def test_pickles():
    assert float(pickle.loads(pickle.dumps(doubled))(tf.constant(1.0))) == 2.0
    assert pickle.loads(pickle.dumps(tripled)) is tripled


def test_slices_as_arguments():
    slices = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 2]), tf.constant([3, 2]))
    found = tf.function(lambda s: {"x": s})({"x": slices}["x"])["x"]
    np.testing.assert_array_equal(found.indices, [0, 2])


class Pair(tf.experimental.ExtensionType):
    a: tf.Tensor
    b: tf.Tensor

    @tf.function
    def scaled(self, k):
        return Pair(self.a * k, self.b * k)


def test_methods_of_values():
    for a in (1.0, 5.0):
        found = Pair(a, 2.0).scaled(tf.constant(3.0))
        assert (float(found.a), float(found.b)) == (3.0 * a, 6.0)
    assert Pair.scaled.experimental_get_tracing_count() == 1
