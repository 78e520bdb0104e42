"""Sets along the last axis."""

from behaviour import case


@case(name=["difference", "intersection", "union"])
def of_dense(tf, name):
    return getattr(tf.sets, name)(tf.constant([[1, 2, 2], [3, 4, 5]]), tf.constant([[2, 9], [4, 3]]))


@case(name=["difference", "intersection", "union"])
def of_sparse(tf, name):
    a = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2])
    b = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [1, 3, 4], [2, 2])
    return getattr(tf.sets, name)(a, b)


@case(name=["difference", "intersection", "union"])
def of_dense_and_sparse(tf, name):
    b = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [1, 3, 4], [2, 2])
    return getattr(tf.sets, name)(tf.constant([[1, 2], [3, 4]]), b)


@case(name=["difference", "intersection", "union"])
def of_strings(tf, name):
    return getattr(tf.sets, name)(tf.constant([["a", "b"]]), tf.constant([["b", "c"]]))


@case
def difference_the_other_way(tf):
    return tf.sets.difference(tf.constant([[1, 2]]), tf.constant([[2, 3]]), aminusb=False)


@case
def size(tf):
    return tf.sets.size(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 1, 3], [3, 2]))


@case(dtype=["float32", "bool", "complex64"])
def of_other_dtypes(tf, dtype):
    return tf.sets.union(tf.cast([[1, 0]], dtype), tf.cast([[1, 0]], dtype))


@case
def of_mixed_dtypes(tf):
    return tf.sets.union(tf.constant([[1]]), tf.constant([[1]], tf.int64))


@case
def of_other_rows(tf):
    return tf.sets.union(tf.constant([[1], [2]]), tf.constant([[1]]))


@case
def of_vectors(tf):
    return tf.sets.union(tf.constant([1, 2]), tf.constant([2]))


@case
def of_other_ranks(tf):
    return tf.sets.union(tf.constant([[1]]), tf.constant([[[1]]]))


@case
def of_rank_3(tf):
    return tf.sets.intersection(tf.constant([[[1, 2], [3, 4]]]), tf.constant([[[2, 5], [4, 3]]]))


@case
def of_indices_out_of_range(tf):
    return tf.sets.size(tf.SparseTensor([[0, 0], [5, 0]], [1, 2], [2, 2]))


@case
def of_indices_out_of_order(tf):
    return tf.sets.size(tf.SparseTensor([[1, 0], [0, 0]], [1, 2], [2, 2]))


@case
def size_of_rank_3_out_of_range(tf):
    return tf.sets.size(tf.SparseTensor([[0, 0, 0], [0, 7, 0]], [1, 2], [1, 2, 2]))


@case
def in_a_function(tf):
    return tf.function(lambda a, b: tf.sets.intersection(a, b))(tf.constant([[1, 2]]), tf.constant([[2, 3]]))
