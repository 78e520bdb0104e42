"""A tf.data pipeline."""

from __future__ import annotations

import numpy as np

import gradtape as tf

features = np.random.rand(100, 3).astype("float32")
labels = np.random.randint(0, 2, 100)


def augment(x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return x + tf.random.normal(tf.shape(x), stddev=0.01), tf.cast(y, tf.float32)


ds = (
    tf.data.Dataset.from_tensor_slices((features, labels))
    .shuffle(100, seed=1)
    .map(augment, num_parallel_calls=tf.data.AUTOTUNE)
    .filter(lambda x, y: tf.reduce_sum(x) > 0.5)
    .batch(16, drop_remainder=True)
    .prefetch(tf.data.AUTOTUNE)
)
for x, y in ds.take(2):
    print(x.shape, y.dtype)
n = tf.data.Dataset.range(10).reduce(tf.constant(0, tf.int64), lambda s, v: s + v)
print(int(n))
print(int(ds.cardinality()), ds.element_spec)
zipped = tf.data.Dataset.zip(tf.data.Dataset.range(3), tf.data.Dataset.range(3))
for a, b in zipped.as_numpy_iterator():
    print(a, b)
named = tf.data.Dataset.from_tensor_slices({"a": features, "b": labels}).batch(4)
for batch in named:
    print(batch["a"].shape)
    break
it = iter(ds)
first = next(it)


def gen() -> list[tuple[int, str]]:
    return [(1, "a"), (2, "b")]


from_gen = tf.data.Dataset.from_generator(
    gen, output_signature=(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.string))
)
lines = from_gen.map(lambda i, s: tf.strings.join([s, tf.strings.as_string(i)], "-"))
print([v.decode() for v in lines.as_numpy_iterator()])
windows = tf.data.Dataset.range(6).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))
print([w.tolist() for w in windows.as_numpy_iterator()])
