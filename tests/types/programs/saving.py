"""Checkpoints, saved models, summaries."""

from __future__ import annotations

import pathlib
import tempfile

import gradtape as tf


class Model(tf.Module):
    def __init__(self) -> None:
        self.v = tf.Variable([1.0, 2.0])

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def serve(self, x: tf.Tensor) -> tf.Tensor:
        return x * self.v


folder = pathlib.Path(tempfile.mkdtemp())
m = Model()
ckpt = tf.train.Checkpoint(model=m, step=tf.Variable(0, dtype=tf.int64))
manager = tf.train.CheckpointManager(ckpt, str(folder / "ckpt"), max_to_keep=2)
path = manager.save()
status = ckpt.restore(manager.latest_checkpoint)
status.assert_consumed()
print(path, tf.train.latest_checkpoint(str(folder / "ckpt")))
tf.saved_model.save(m, str(folder / "saved"), signatures={"serving_default": m.serve})
again = tf.saved_model.load(str(folder / "saved"))
print(again.serve(tf.ones([2])), again.signatures["serving_default"](x=tf.ones([2])))
writer = tf.summary.create_file_writer(str(folder / "logs"))
with writer.as_default():
    tf.summary.scalar("loss", 0.5, step=1)
with tf.io.TFRecordWriter(str(folder / "r")) as w:
    ex = tf.train.Example(
        features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})
    )
    w.write(ex.SerializeToString())
spec = {"a": tf.io.FixedLenFeature([2], tf.int64)}
for rec in tf.data.TFRecordDataset(str(folder / "r")):
    parsed = tf.io.parse_single_example(rec, spec)
    print(parsed["a"])
