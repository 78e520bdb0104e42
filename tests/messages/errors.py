"""Thirty errors of users, whose tracebacks are counted: how many frames and lines Python, a function, `fit` and a notebook show."""

from __future__ import annotations

# Each is a statement that fails, in a program that has `tf`, `np` and two matrices `a` (8, 3) and `b` (4, 5).
EAGER = [
    "a @ b",
    "tf.matmul(a, b)",
    "a + b",
    "tf.reduce_sum(a, axis=5)",
    "tf.reshape(a, [5, 5])",
    "tf.concat([a, b], 0)",
    "tf.stack([a, b])",
    "tf.constant(1.0) + tf.constant(1)",
    "tf.cast('1', tf.float32)",
    "a[9]",
    "tf.gather(a, [99])",
    "tf.zeros([-1])",
    "tf.constant(None)",
    "tf.linalg.inv(a)",
    "tf.einsum('ij,jk->ik', a, b)",
    "tf.nn.conv2d(a, b, 1, 'SAME')",
    "tf.strings.to_number('x')",
    "tf.strings.ngrams(['a'], 'x')",
    "tf.Variable([1.0]).assign([1.0, 2.0])",
    "tf.random.normal(2)",
]
IN_FUNCTIONS = ["a @ b", "a + b", "tf.reshape(a, [5, 5])", "tf.sqrt(tf.constant(4))", "tf.stack([a, b])"]
IN_DATASETS = ["tf.ones([2]) + tf.ones([3])", "tf.reshape(x, [5])"]
IN_FIT = ["np.ones([8, 2])", "np.ones([7, 1])", "'abc'"]
