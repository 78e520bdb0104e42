"""Sparse tensors in functions, loops, maps and Python functions; random ones, against dense arrays."""

import numpy as np
import pytest

import gradtape as tf

SEEDS = range(8)


def random_sparse(seed):
    random = np.random.default_rng(seed)
    shape = random.integers(1, 5, 2)
    dense = random.integers(-3, 4, shape) * (random.random(shape) < 0.5)
    return dense.astype(np.float64), tf.sparse.from_dense(dense.astype(np.float64))


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_mapped(seed):
    dense, sparse = random_sparse(seed)

    def program(x):
        sums = tf.map_fn(tf.sparse.reduce_sum, x, fn_output_signature=tf.float64)
        return sums, tf.map_fn(lambda row: row.with_values(row.values * 2.0), x)

    for run in (program, tf.function(program)):
        sums, doubled = run(sparse)
        np.testing.assert_allclose(sums.numpy(), dense.sum(1))
        np.testing.assert_allclose(tf.sparse.to_dense(doubled).numpy(), 2 * dense)


@pytest.mark.parametrize("seed", SEEDS)
def test_loops_that_add_rows(seed):
    dense, sparse = random_sparse(seed)

    @tf.function
    def repeated(x, n):
        shapes = [tf.TensorShape([]), tf.TensorShape([None, dense.shape[1]])]
        start = [tf.constant(0), x]
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.sparse.concat(0, [y, x])), start, shapes)[1]

    for n in (0, 1, 3):
        np.testing.assert_allclose(
            tf.sparse.to_dense(repeated(sparse, tf.constant(n))).numpy(), np.concatenate([dense] * (n + 1))
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_python_functions_take_and_return_sparse_tensors(seed):
    dense, sparse = random_sparse(seed)

    def program(x):
        return tf.py_function(lambda y: tf.sparse.add(y, y), [x], tf.SparseTensorSpec([None, None], tf.float64))

    for run in (program, tf.function(program)):
        np.testing.assert_allclose(tf.sparse.to_dense(run(sparse)).numpy(), 2 * dense)
    with pytest.raises(tf.errors.InvalidArgumentError, match="did not match Tout"):
        tf.py_function(lambda y: y, [sparse], tf.float64)


def test_a_function_knows_what_its_signature_tells_of_the_shape():
    seen = []

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)])
    def f(x):
        seen.append((x.shape.as_list(), tf.sparse.reorder(x).shape.as_list(), (x * 2.0).shape.as_list()))
        x.set_shape([2, None])
        seen.append(x.shape.as_list())
        return x

    f(tf.SparseTensor([[0, 0]], [1.0], [2, 3]))
    assert seen == [([None, 3], [None, 3], [None, 3]), [2, 3]]


def test_other_shapes_have_traces_of_their_own_unless_one_serves_them():
    seen = []
    f = tf.function(lambda x: seen.append(x.shape.as_list()) or tf.sparse.to_dense(x))
    for shape in ([None, 3], [2, 3]):
        f.get_concrete_function(tf.SparseTensorSpec(shape, tf.float32))
    for size in ([2, 3], [2, 4], [5, 4], [2, 4]):
        f(tf.SparseTensor([[0, 0]], [1.0], size))
    assert seen == [[None, 3], [2, 4], [5, 4]]


def test_reduced_retracing_leaves_sizes_open():
    seen = []
    f = tf.function(lambda x: seen.append(x.shape.as_list()) or tf.sparse.to_dense(x), reduce_retracing=True)
    for size in ([2, 4], [5, 4], [6, 4]):
        np.testing.assert_array_equal(f(tf.SparseTensor([[0, 0]], [1.0], size)).shape, size)
    assert len(seen) == 2
