"""`tf.compat.v1.python_io`: files of records."""

from collections.abc import Iterator
from typing import Any

import gradtape as tf

TFRecordWriter, TFRecordOptions = tf.io.TFRecordWriter, tf.io.TFRecordOptions


def tf_record_iterator(path: str, options: Any = None) -> Iterator[bytes]:
    """The records of a file."""
    for record in tf.data.TFRecordDataset(path):
        yield record.numpy()
