"""`tf.compat.v1.gfile`: functions of files under the names of version 1."""

from collections.abc import Iterator
from typing import Any

import gradtape as tf

Copy, DeleteRecursively, Exists = tf.io.gfile.copy, tf.io.gfile.rmtree, tf.io.gfile.exists
GFile = FastGFile = Open = tf.io.gfile.GFile
Glob, IsDirectory, ListDirectory = tf.io.gfile.glob, tf.io.gfile.isdir, tf.io.gfile.listdir
MakeDirs, MkDir, Remove = tf.io.gfile.makedirs, tf.io.gfile.mkdir, tf.io.gfile.remove
Rename, Stat = tf.io.gfile.rename, tf.io.gfile.stat


def Walk(top: Any, in_order: bool = True) -> Iterator[Any]:  # noqa: N802
    """The folders under a folder, each with the names of what it holds; parents first, or last."""
    return tf.io.gfile.walk(top, in_order)
