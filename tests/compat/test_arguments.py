"""tf.compat.v1: functions whose arguments, or whose results, differ from those of version 2."""

import inspect

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
ONES = tf.ones([4, 1, 1, 1])


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (lambda: v1.reverse_sequence(X, [1, 2], seq_dim=1, batch_dim=0), [[1, 2], [4, 3]]),
        (lambda: v1.batch_to_space(ONES, [[0, 0], [0, 0]], 2), np.ones([1, 2, 2, 1])),
        (lambda: v1.space_to_batch(tf.ones([1, 2, 2, 1]), [[0, 0], [0, 0]], block_size=2), ONES),
        (lambda: v1.shape(X, None, tf.int64), [2, 2]),
        (lambda: v1.size(X, "size", tf.int64), 4),
        (lambda: v1.pad([1], [[1, 1]], "CONSTANT", None, 7), [7, 1, 7]),
        (lambda: v1.string_to_number(string_tensor="3"), 3.0),
        (lambda: v1.convert_to_tensor(3, preferred_dtype=tf.float32), 3.0),
        (lambda: v1.constant([1, 2], shape=[2], verify_shape=True), [1, 2]),
        (lambda: v1.confusion_matrix([1], [1], 2, tf.float32), [[0, 0], [0, 1]]),
        (lambda: v1.decode_raw(bytes=tf.constant(b"ab"), out_type=tf.uint8), [97, 98]),
        (lambda: v1.math.reduce_sum(X, reduction_indices=1, keep_dims=True), [[3], [7]]),
        (lambda: v1.math.softmax(X, dim=0)[0], [0.119203, 0.119203]),
        (lambda: v1.math.in_top_k([[0.1, 0.9]], [1], 1), [True]),
        (lambda: v1.linalg.norm(X, axis=1, keep_dims=True), [[2.236068], [5]]),
        (lambda: v1.io.decode_raw(tf.constant(b"ab"), tf.uint8), [97, 98]),
        (lambda: v1.debugging.assert_all_finite(t=X, msg="finite"), X),
        (lambda: v1.verify_tensor_all_finite(X, "finite"), X),
        (lambda: v1.sparse.reduce_sum(tf.sparse.from_dense(X), reduction_axes=1, keep_dims=True), [[3], [7]]),
        (lambda: v1.sparse_reduce_sum(tf.sparse.from_dense(X), 1), [3, 7]),
    ],
)
def test_arguments_of_version_1(found, wanted):
    np.testing.assert_allclose(found().numpy(), np.asarray(wanted), rtol=1e-5)


def test_refusals():
    with pytest.raises(TypeError, match=r"Expected Tensor's shape: \(2,\), got \(1,\)"):
        v1.constant([1], shape=[2], verify_shape=True)
    with pytest.raises(ValueError, match="Cannot specify both 'axis' and 'dim'"):
        v1.math.softmax(X, 0, dim=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        v1.shape(X, colour=1)
    with pytest.raises(TypeError, match="multiple values for argument 'name'"):
        v1.shape(X, None, name="shape")
    with pytest.raises(TypeError, match="takes at most 3 arguments, got 4"):
        v1.shape(X, None, tf.int32, 1)
    with pytest.raises(TypeError, match="'true_fn' and 'fn1' may not be set"):
        v1.cond(True, lambda: X, lambda: X, fn1=lambda: X)


def test_modules_and_signatures():
    assert v1.math.sqrt is tf.math.sqrt
    assert "sqrt" in dir(v1.math)
    assert list(inspect.signature(v1.shape).parameters) == ["input", "name", "out_type"]
    v1.debugging.assert_equal(X, X, ["data"], 3, "message")
    with v1.device(None):
        assert v1.debugging.assert_rank(X, 2, ["data"], summarize=3) is None


def test_a_list_of_one_from_conditions():
    assert isinstance(v1.cond(True, lambda: [X], lambda: [X]), tf.Tensor)
    assert isinstance(v1.cond(True, lambda: [X], lambda: [X], strict=True), list)
    assert isinstance(v1.cond(True, fn1=lambda: X, fn2=lambda: X), tf.Tensor)
    assert isinstance(tf.cond(True, lambda: [X], lambda: [X]), list)
    assert isinstance(tf.function(lambda p: v1.cond(p, lambda: [X], lambda: [X]))(tf.constant(True)), list)
    assert isinstance(tf.case([(True, lambda: [X])], lambda: [X]), tf.Tensor)
    assert isinstance(tf.case([(False, lambda: [X])], lambda: (X,)), tf.Tensor)
    assert isinstance(v1.case([(True, lambda: [X])], lambda: [X], strict=True), list)
    assert isinstance(v1.case([(True, lambda: [X])], lambda: [X]), tf.Tensor)


def test_what_loops_return():
    def loop(body, variables, **options):
        return v1.while_loop(lambda *i: i[0] < 3, body, variables, **options)

    assert isinstance(loop(lambda i: i + 1, [tf.constant(0)]), tf.Tensor)
    assert isinstance(loop(lambda i: [i + 1], [tf.constant(0)]), list)
    assert isinstance(loop(lambda i: (i + 1,), [tf.constant(0)]), tuple)
    assert isinstance(loop(lambda i: [i + 1], [tf.constant(0)], return_same_structure=True), list)
    assert isinstance(tf.function(lambda: loop(lambda i: [i + 1], [tf.constant(0)]))(), tf.Tensor)
    assert isinstance(tf.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j), [0, 1]), tuple)
    assert isinstance(tf.while_loop(lambda i, j: i < 3, lambda i, j: [i + 1, j], (0, 1)), list)
    assert isinstance(tf.while_loop(lambda i: i < 0, lambda i: (i + 1,), [0]), list)
