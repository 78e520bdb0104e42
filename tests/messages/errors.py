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

# Whole programs, in which the mistake is made in a place that some machinery calls. They also have `keras`.
PLACES = [
    "class L(keras.layers.Layer):\n    def call(self, x):\n        return x @ b\n\nL()(a)",
    "class M(keras.Model):\n    def call(self, x):\n        return x\n    def train_step(self, data):\n        return {'loss': data[0] @ b}\n\n"
    "m = M()\nm.compile('sgd')\nm.fit(np.ones([8, 3]), np.ones([8, 1]), verbose=0)",
    "def loss(y, p):\n    return y @ b\n\nm = keras.Sequential([keras.layers.Dense(1)])\nm.compile('sgd', loss)\n"
    "m.fit(np.ones([8, 3]), np.ones([8, 1]), verbose=0)",
    "class C(keras.callbacks.Callback):\n    def on_epoch_end(self, e, logs=None):\n        a @ b\n\n"
    "m = keras.Sequential([keras.layers.Dense(1)])\nm.compile('sgd', 'mse')\nm.fit(np.ones([8, 3]), np.ones([8, 1]), verbose=0, callbacks=[C()])",
    "def f(x):\n    return tf.reshape(x, [5]), 1.0\n\nd = tf.data.Dataset.from_tensor_slices(np.ones([8, 3])).map(f).batch(2)\n"
    "m = keras.Sequential([keras.layers.Dense(1)])\nm.compile('sgd', 'mse')\nm.fit(d, verbose=0)",
    "@tf.function\ndef inner(x):\n    return x @ b\n\n@tf.function\ndef outer(x):\n    return inner(x)\n\nouter(a)",
    "@tf.function\ndef f(x):\n    if tf.reduce_sum(x) > 0:\n        return x @ b\n    return x\n\nf(a)",
    "@tf.function\ndef f(x):\n    while tf.reduce_sum(x) > 0:\n        x = x @ b\n    return x\n\nf(a)",
    "def body(i):\n    return i @ b\n\ntf.while_loop(lambda i: tf.reduce_sum(i) > 0, body, [a])",
    "def step(r):\n    return tf.reshape(r, [7])\n\ntf.map_fn(step, a)",
    "def step(r):\n    return tf.reshape(r, [7])\n\ntf.vectorized_map(step, a)",
    "@tf.custom_gradient\ndef f(x):\n    def grad(dy):\n        return dy @ b\n    return x * 2.0, grad\n\nv = tf.Variable(a)\n"
    "with tf.GradientTape() as tape:\n    y = f(v)\ntape.gradient(y, v)",
    "v = tf.Variable(a)\nwith tf.GradientTape() as tape:\n    y = v * 2.0\ntape.jacobian(y, 'v')",
    "def f(x):\n    return tf.reshape(x, [5])\n\nlist(tf.data.Dataset.range(3).map(f, num_parallel_calls=2).prefetch(2))",
    "tf.distribute.MirroredStrategy().run(lambda: a @ b)",
    "m = keras.Sequential([keras.layers.Dense(1)])\nm.parameters()",
    "keras.losses.BinaryCrossentropy(from_logit=True)",
]
