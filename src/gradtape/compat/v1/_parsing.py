"""Functions of files and records, which have since moved to `tf.io`."""

import gradtape as tf

FixedLenFeature, VarLenFeature = tf.io.FixedLenFeature, tf.io.VarLenFeature
FixedLenSequenceFeature, SparseFeature = tf.io.FixedLenSequenceFeature, tf.io.SparseFeature
parse_example, parse_single_example = tf.io.parse_example, tf.io.parse_single_example
parse_tensor, serialize_tensor = tf.io.parse_tensor, tf.io.serialize_tensor
decode_raw, decode_csv = tf.io.decode_raw, tf.io.decode_csv
read_file, write_file, matching_files = tf.io.read_file, tf.io.write_file, tf.io.matching_files
