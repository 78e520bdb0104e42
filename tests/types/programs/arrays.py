"""Everyday array code."""

from __future__ import annotations

from typing import assert_type

import numpy as np

import gradtape as tf

x = tf.range(12, dtype=tf.float32)
m = tf.reshape(x, (3, 4))
assert_type(m[1:, ::2], tf.Tensor)
assert_type(m[..., tf.newaxis], tf.Tensor)
assert_type(tf.transpose(m), tf.Tensor)
assert_type(-m + 1 - m * 2 / 3 // 4 % 5, tf.Tensor)
assert_type(2**m, tf.Tensor)
assert_type(m > 3, tf.Tensor)
assert_type((m > 3) & (m < 7), tf.Tensor)
a, b = tf.split(m, 2, axis=1)
assert_type(a, tf.Tensor)
s, u, v = tf.linalg.svd(m)
q, r = tf.linalg.qr(m)
vals, idx = tf.math.top_k(m, k=2)
assert_type(vals, tf.Tensor)
mean, var = tf.nn.moments(m, axes=[0])
assert_type(mean, tf.Tensor)
un, i = tf.unique(tf.constant([1, 1, 2]))
assert_type(un, tf.Tensor)
parts = tf.unstack(m)
assert_type(parts, list[tf.Tensor])
g1, g2 = tf.meshgrid(tf.range(3), tf.range(4))
assert_type(tf.einsum("ij,kj->ik", m, m), tf.Tensor)
assert_type(tf.concat([m, m], 0), tf.Tensor)
assert_type(tf.stack([m, m]), tf.Tensor)
assert_type(tf.where(m > 3, m, 0.0), tf.Tensor)
assert_type(tf.gather(m, [0, 1]), tf.Tensor)
assert_type(tf.one_hot([1, 2], 3), tf.Tensor)
assert_type(tf.cast(m, "int32"), tf.Tensor)
assert_type(tf.random.uniform([2], 0, 5, dtype=tf.int32), tf.Tensor)
n: int = int(m.shape[0] or 0)
shape: list[int | None] = m.shape.as_list()
fn = tf.vectorized_map(lambda r: tf.reduce_sum(r), m)
rt = tf.ragged.constant([[1, 2], [3]])
print(rt.row_lengths(), rt.to_tensor(), rt[0])
sp = tf.sparse.from_dense(m)
print(sp.values, tf.sparse.to_dense(sp))
table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
print(table.lookup(tf.constant(["a", "b"])))
print(tf.strings.split(["a b"]).row_lengths())
ta = tf.TensorArray(tf.float32, size=2)
ta = ta.write(0, 1.0).write(1, 2.0)
print(ta.stack().shape)
for row in m:
    assert_type(row, tf.Tensor)
if tf.reduce_any(m > 3):
    print(float(m[0, 0]), len(m), m.dtype == tf.float32)
f32: tf.DType = tf.float32
print(np.sin(m), np.asarray(m).sum())
lin = tf.linalg.LinearOperatorFullMatrix(tf.eye(2))
print(lin.matvec(tf.ones([2])), lin.solve(tf.ones([2, 1])))
tf.debugging.assert_equal(tf.shape(m), [3, 4])
z = tf.complex(1.0, 2.0)
print(tf.math.real(z), tf.signal.fft(tf.cast(m, tf.complex64)))
img = tf.image.resize(tf.zeros([1, 4, 4, 3]), (2, 2))
assert_type(img, tf.Tensor)
