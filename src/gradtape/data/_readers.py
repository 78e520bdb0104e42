"""Datasets of files: `TFRecordDataset`, `TextLineDataset`, `FixedLengthRecordDataset`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradtape.core import dtypes
from gradtape.core.shape import TensorSpec
from gradtape.data import _file_stages as file_stages
from gradtape.data._dataset import Dataset
from gradtape.data._deferred import Awaited, is_awaited
from gradtape.data._stage import Stage, positive
from gradtape.io._tfrecord import compression


def _files(filenames: Any, read: Callable[[str], Iterator[bytes]], parallel: Any) -> Stage:
    """The stage that reads files. In a function, their names may be known only when it runs."""
    if is_awaited(filenames):
        spec = TensorSpec([], dtypes.string)
        return Awaited(filenames, lambda names: file_stages.Files(names, read, parallel), spec)
    return file_stages.Files(getattr(filenames, "_stage", filenames), read, parallel)


class TFRecordDataset(Dataset):
    """The records of TFRecord files, as string tensors.

    Args:
      filenames: a path, a list of paths, a string tensor, or a dataset of them.
      compression_type: "", "GZIP" or "ZLIB".
      buffer_size: ignored.
      num_parallel_reads: how many files are read at the same time, by threads; their records come in turn.
      name: ignored.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        read = file_stages.tf_records(compression("TFRecordDataset", compression_type))
        super().__init__(_files(filenames, read, num_parallel_reads))


class TextLineDataset(Dataset):
    """The lines of text files, as string tensors without the ends of lines.

    >>> import os, pathlib, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = pathlib.Path(path).write_text("one\\ntwo\\n")
    >>> list(tf.data.TextLineDataset(path).as_numpy_iterator())
    [b'one', b'two']

    Args:
      filenames: a path, a list of paths, a string tensor, or a dataset of them.
      compression_type: "", "GZIP" or "ZLIB".
      buffer_size: ignored.
      num_parallel_reads: how many files are read at the same time, by threads; their lines come in turn.
      name: ignored.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        read = file_stages.lines(compression("TextLineDataset", compression_type))
        super().__init__(_files(filenames, read, num_parallel_reads))


class FixedLengthRecordDataset(Dataset):
    """Records of one length in binary files, as string tensors.

    Args:
      filenames: a path, a list of paths, a string tensor, or a dataset of them.
      record_bytes: the length of a record.
      header_bytes, footer_bytes: what is left out at the beginning and end of each file.
      buffer_size: ignored.
      compression_type: "", "GZIP" or "ZLIB".
      num_parallel_reads: how many files are read at the same time, by threads; their records come in turn.
      name: ignored.
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        size = positive("FixedLengthRecordDataset", "record_bytes", record_bytes)
        kind = compression("FixedLengthRecordDataset", compression_type)
        read = file_stages.fixed(size, int(header_bytes or 0), int(footer_bytes or 0), kind)
        super().__init__(_files(filenames, read, num_parallel_reads))
