"""`tf.compat.v1.gfile`: functions of files under the names of version 1."""

import gradtape as tf

Copy, DeleteRecursively, Exists = tf.io.gfile.copy, tf.io.gfile.rmtree, tf.io.gfile.exists
GFile = FastGFile = Open = tf.io.gfile.GFile
Glob, IsDirectory, ListDirectory = tf.io.gfile.glob, tf.io.gfile.isdir, tf.io.gfile.listdir
MakeDirs, MkDir, Remove = tf.io.gfile.makedirs, tf.io.gfile.mkdir, tf.io.gfile.remove
Rename, Stat, Walk = tf.io.gfile.rename, tf.io.gfile.stat, tf.io.gfile.walk
