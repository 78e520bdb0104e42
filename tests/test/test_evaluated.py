"""What TestCase.evaluate gives for composite tensors, and tests that have methods of common names."""

import gradtape as tf


class _Case(tf.test.TestCase):
    __test__ = False

    def _compare(self, x):
        self.assertAllEqual(tf.square(x), x * x)

    def test_own_helper(self):
        self._compare(3)


def test_methods_of_common_names_do_not_collide():
    assert _Case("test_own_helper").run().wasSuccessful()


def test_composite_tensors_become_their_arrays():
    case = _Case("test_own_helper")
    assert case.evaluate(tf.ragged.constant([[1], [2, 3]])).to_list() == [[1], [2, 3]]
    assert case.evaluate(tf.sparse.from_dense([0, 5])).values.tolist() == [5]
    assert case.evaluate(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))).indices.tolist() == [0]
    assert case.evaluate([None, tf.constant("a")]) == [None, b"a"]
    case.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), tf.compat.v1.ragged.constant_value([[1], [2, 3]]))
