"""Writers of summaries, and the current one: `tf.summary.create_file_writer` and the like."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradtape.api.effects import perform
from gradtape.core import convert, dtypes, errors
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.summary._event_file import EventFile


class Current(threading.local):
    """The state of summaries on this thread.

    Attributes:
      writer: where they go, None if nowhere.
      step: their step where none is given.
      condition: whether they are written: a bool, a tensor, or a function that gives one.
    """

    writer: SummaryWriter | None = None
    step: Any = None
    condition: Any = True


current = Current()


class SummaryWriter:
    """A destination of summaries. `tf.summary.create_file_writer` makes one."""

    def set_as_default(self, step: Any = None) -> None:
        """Make this the default writer of the thread.

        Args:
          step: the step of those that are given none; see `tf.summary.experimental.set_step`.
        """
        current.writer = self
        if step is not None:
            current.step = step

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """Make this the default writer in a block.

        Args:
          step: the step of those in the block that are given none.
        """
        before = current.writer, current.step
        self.set_as_default(step)
        try:
            yield self
            self.flush()
        finally:
            current.writer = before[0]
            if step is not None:
                current.step = before[1]

    def init(self) -> None:
        """Create the file now instead of with the first summary."""

    def flush(self) -> None:
        """Write buffered events."""

    def close(self) -> None:
        """Write buffered events and close the writer."""

    def put(self, event: bytes) -> None:
        """Write an event."""


class FileWriter(SummaryWriter):
    """Writes summaries to a file of events."""

    def __init__(self, file: EventFile) -> None:
        self._file = file

    def set_as_default(self, step: Any = None) -> None:
        if self._file.closed:
            raise errors.build(
                RuntimeError, f"SummaryWriter {self!r} is already closed", "make a new one with create_file_writer."
            )
        super().set_as_default(step)

    def init(self) -> None:
        perform("init", self._file.open, [])

    def flush(self) -> None:
        perform("flush", self._file.flush, [])

    def close(self) -> None:
        perform("close", self._file.close, [])

    def put(self, event: bytes) -> None:
        self._file.write(event)


def create_file_writer(
    logdir: Any,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """A writer of summaries to a file that TensorBoard reads.

    Args:
      logdir: the folder in which the file is made.
      max_queue: how many summaries may wait in memory; 10 by default.
      flush_millis: how long they may wait, if others follow; two minutes by default.
      filename_suffix: the end of the file's name; ".v2" by default.
      name, experimental_trackable, experimental_mesh: ignored.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> writer = tf.summary.create_file_writer(folder)
    >>> with writer.as_default():
    ...     for step in range(3):
    ...         written = tf.summary.scalar("loss", 1.0 / (step + 1), step=step)
    >>> writer.close()
    >>> len(tf.io.gfile.listdir(folder))
    1
    """
    if logdir is None:
        raise errors.build(ValueError, "Argument `logdir` cannot be None", "use tf.summary.create_noop_writer().")
    queue = 10 if max_queue is None else int(max_queue)
    milliseconds = 120_000 if flush_millis is None else int(flush_millis)
    file = EventFile(logdir, queue, milliseconds, ".v2" if filename_suffix is None else _text(filename_suffix))
    writer = FileWriter(file)
    writer.init()
    return writer


def _text(value: Any) -> str:
    found = value.numpy() if isinstance(value, Tensor) else value
    return found.decode() if isinstance(found, bytes) else str(found)


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing.

    >>> with tf.summary.create_noop_writer().as_default():
    ...     written = tf.summary.scalar("loss", 1.0, step=0)
    >>> bool(written)
    False
    """
    return NoopWriter()


class NoopWriter(SummaryWriter):
    """Writes nothing, and changes nothing: in its block, another writer is in use as before it."""

    def set_as_default(self, step: Any = None) -> None:
        """Nothing: the default writer and step stay."""

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """Nothing: the default writer and step stay."""
        yield self


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Write the buffered data of a writer to its file.

    Args:
      writer: the writer; the one in use by default.

    >>> tf.summary.flush()
    """
    chosen = current.writer if writer is None else writer
    if not isinstance(chosen, (SummaryWriter, type(None))):
        what = f"Invalid argument to flush(): {chosen!r}."
        raise ValueError(errors.compose(what, "give a writer of tf.summary.create_file_writer, or leave it out."))
    if chosen is not None:
        chosen.flush()


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Write summaries in a block only under a condition.

    Args:
      condition: a bool, a bool tensor, or a function that gives one and is called for each summary.

    >>> with tf.summary.record_if(False):
    ...     bool(tf.summary.should_record_summaries())
    False
    """
    before = current.condition
    current.condition = condition
    try:
        yield
    finally:
        current.condition = before


def should_record_summaries() -> Tensor:
    """A bool tensor: whether a summary would be written here.

    >>> bool(tf.summary.should_record_summaries())
    False
    """
    if current.writer is None:
        return convert.convert_to_tensor(False)
    return told()


def told() -> Tensor:
    """The condition of `record_if`, as a bool tensor."""
    condition = current.condition() if callable(current.condition) else current.condition
    condition = condition._read() if isinstance(condition, Variable) else condition
    return convert.convert_to_tensor(condition, dtypes.bool_)


def set_step(step: Any) -> None:
    """Set the step of summaries on this thread that are given none.

    Args:
      step: an integer, a tensor or a variable; None for no step. In a `tf.function`, only a variable that changes makes the
        step change from call to call.

    >>> tf.summary.experimental.set_step(3)
    >>> tf.summary.experimental.get_step()
    3
    >>> tf.summary.experimental.set_step(None)
    """
    current.step = step


def get_step() -> Any:
    """The step of summaries on this thread that are given none: what `set_step` was given, None if there is none.

    >>> tf.summary.experimental.get_step() is None
    True
    """
    return current.step
