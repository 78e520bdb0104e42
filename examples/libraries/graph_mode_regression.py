"""A regression in TensorFlow 1's way: placeholders, a graph and a session. It needs no library.

gradtape run examples/libraries/graph_mode_regression.py
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
rng = np.random.RandomState(0)
inputs = rng.randn(200, 2).astype("float32")
targets = inputs @ np.array([[1.0], [2.0]], "float32") + 0.5

x = tf.placeholder(tf.float32, [None, 2], name="x")
y = tf.placeholder(tf.float32, [None, 1], name="y")
with tf.variable_scope("linear"):
    w = tf.get_variable("w", [2, 1])
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
(slope,) = tf.gradients(loss, [w])
train = tf.train.AdamOptimizer(0.1).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(200):
        session.run(train, feed_dict={x: inputs, y: targets})
    weights, offset, left = session.run([w, b, slope], feed_dict={x: inputs, y: targets})

assert np.allclose(weights.ravel(), [1.0, 2.0], atol=0.05)
print(f"weights {weights.ravel().round(2)}, offset {offset.round(2)}, gradient {np.abs(left).max():.0e}")
