"""Event files: records that TensorBoard reads.

Each record is a message `Event`: the time, the step, and one of a version, a graph and a summary. A summary holds values,
each of which is a tag, a tensor, and the metadata from which TensorBoard knows which of its plugins shows it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import struct
import time
from collections.abc import Iterator
from typing import Any

from gradtape.core import errors, locks
from gradtape.core.atomic_file import make_folder
from gradtape.core.os_errors import with_errors
from gradtape.core.weak import Closing
from gradtape.io._paths import local
from gradtape.io._tfrecord import TFRecordWriter
from gradtape.protos import wire_format
from gradtape.protos.tensor_proto import proto_of

_counter = itertools.count()


def event(step: int, *, version: str = "", graph: bytes = b"", summary: bytes = b"") -> bytes:
    """An event that happens now."""
    parts = [wire_format.tag(1, wire_format.EIGHT), struct.pack("<d", time.time())]
    if step:
        parts += [wire_format.tag(2, wire_format.VARINT), wire_format.varint(step)]
    for number, content in ((3, version.encode()), (4, graph), (5, summary)):
        if content:
            parts.append(wire_format.delimited(number, content))
    return b"".join(parts)


def value(tag: str, array: Any, metadata: bytes) -> bytes:
    """A summary of one value."""
    parts = [
        wire_format.delimited(1, tag.encode()),
        wire_format.delimited(8, proto_of(array, array.size < 2).SerializeToString()),
    ]
    if metadata:
        parts.append(wire_format.delimited(9, metadata))
    return wire_format.delimited(1, b"".join(parts))


def metadata_of(plugin: str, description: str | None, content: bytes = b"") -> bytes:
    """The plugin that shows a value, its data, and the description for users."""
    data = wire_format.delimited(1, plugin.encode()) + (wire_format.delimited(2, content) if content else b"")
    found = wire_format.delimited(1, data)
    return found + wire_format.delimited(3, description.encode()) if description else found


class EventFile:
    """A file of events, made when the first of them is written.

    Args:
      folder: where the file is made; the folder too, if it is missing.
      queue: after so many events they are handed to the operating system.
      milliseconds: after such a time as well, when the next one is written.
      suffix: of the file's name.
    """

    def __init__(self, folder: Any, queue: int, milliseconds: int, suffix: str) -> None:
        self._folder = local("create_file_writer", folder)
        self._queue, self._seconds, self._suffix = queue, milliseconds / 1000, suffix
        self._lock = locks.lock("summary")
        self._writer: TFRecordWriter | None = None
        self._waiting, self._flushed = 0, time.monotonic()
        self.closed = False

    @with_errors
    def open(self) -> None:
        """Create the file if it does not exist."""
        with self._lock:
            self._opened()

    def _opened(self) -> TFRecordWriter:
        if self.closed:
            raise errors.build(
                RuntimeError, "this tf.summary.SummaryWriter is already closed.", "make a new one, or close it later."
            )
        if self._writer is None:
            make_folder(self._folder)
            name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_counter)}"
            self._writer = TFRecordWriter(os.path.join(self._folder, name + self._suffix))
            self._closing = Closing(self._writer._file)
            self._writer.write(event(0, version="brain.Event:2"))
            self._writer.flush()
        return self._writer

    @with_errors
    def write(self, record: bytes) -> None:
        """Add an event."""
        with self._lock, self._abandoning():
            self._opened().write(record)
            self._waiting += 1
            if self._waiting >= self._queue or time.monotonic() - self._flushed >= self._seconds:
                self._flush()

    @with_errors
    def flush(self) -> None:
        """Hand all events to the operating system."""
        with self._lock, self._abandoning():
            self._flush()

    @contextlib.contextmanager
    def _abandoning(self) -> Iterator[None]:
        """Close a file that takes no more, for instance since the disk is full: further events go to another one."""
        try:
            yield
        except errors.OpError:
            writer, self._writer = self._writer, None
            with contextlib.suppress(errors.OpError):  # it has just been raised
                if writer is not None:
                    writer.close()
            raise

    def _flush(self) -> None:
        if self._writer is not None:
            self._writer.flush()
        self._waiting, self._flushed = 0, time.monotonic()

    @with_errors
    def close(self) -> None:
        """Complete the file."""
        with self._lock:
            writer, self._writer, self.closed = self._writer, None, True
            if writer is not None:
                writer.close()
