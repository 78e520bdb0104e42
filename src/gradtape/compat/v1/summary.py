"""`tf.compat.v1.summary`: event files; summaries of graphs are not computed."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.compat.v1 import _rooms

__getattr__, __dir__ = _rooms.from_room("summary")


class FileWriter:
    """Writes event files."""

    def __init__(self, logdir: str, graph: Any = None, **_: Any) -> None:
        self._writer, self._logdir = tf.summary.create_file_writer(str(logdir)), str(logdir)

    def get_logdir(self) -> str:
        """The folder."""
        return self._logdir

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Write the numbers in a summary."""
        with self._writer.as_default():
            for value in getattr(summary, "value", ()):
                tf.summary.scalar(value.tag, float(value.simple_value), step=int(global_step or 0))

    def add_graph(self, graph: Any, global_step: Any = None) -> None:
        """Nothing: graphs are not written."""

    def add_event(self, event: Any) -> None:
        """Nothing: records are not written."""

    def flush(self) -> None:
        """Write out what waits."""
        self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()


def merge_all(key: Any = None, scope: Any = None, name: str | None = None) -> None:
    """None: there are no summaries in graphs."""


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> None:
    """None: there are no summaries in graphs."""
