"""Profiles: Python's own, and the times of the parts that a program names.

`stop` writes two files into the folder: `profile.pstats`, which `python -m pstats` and its viewers read, and `trace.json`, which
chrome://tracing and Perfetto show.
"""

from __future__ import annotations

import cProfile
import json
import os
import threading
import time
from typing import Any, NamedTuple

from gradtape.core import errors


class ProfilerOptions(NamedTuple):
    """Options of `start`, accepted and without effect."""

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Session:
    """A profile that is being taken."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.python = cProfile.Profile()
        self.events: list[dict[str, Any]] = []
        self.start = time.perf_counter()


_running: list[_Session] = []


def start(logdir: str, options: Any = None) -> None:
    """Begin a profile.

    Args:
      logdir: the folder for the files that `stop` writes.
      options: accepted and ignored.
    """
    if _running:
        raise errors.build(errors.AlreadyExistsError, "Another profiler is already running.", "call stop() first.")
    session = _Session(os.fspath(logdir))
    _running.append(session)
    session.python.enable()


def stop(save: bool = True) -> None:
    """End the profile, and write its files unless `save` is false."""
    if not _running:
        raise errors.build(
            errors.UnavailableError,
            "Cannot export profiling results. No profiler is running.",
            "call start(logdir) first.",
        )
    session = _running.pop()
    session.python.disable()
    if not save:
        return
    os.makedirs(session.folder, exist_ok=True)
    session.python.dump_stats(os.path.join(session.folder, "profile.pstats"))
    with open(os.path.join(session.folder, "trace.json"), "w", encoding="utf-8") as file:
        json.dump({"traceEvents": session.events}, file)


class Profile:
    """A block that is profiled.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.profiler.experimental.Profile(folder):
    ...         with tf.profiler.experimental.Trace("train", step_num=1):
    ...             y = tf.ones([3]) + 1.0
    ...     sorted(os.listdir(folder))
    ['profile.pstats', 'trace.json']
    """

    def __init__(self, logdir: str, options: Any = None) -> None:
        self._folder = logdir

    def __enter__(self) -> None:
        start(self._folder)

    def __exit__(self, *problem: Any) -> None:
        stop()


class Trace:
    """A named part of a program, whose time a profile shows; free when no profile is taken.

    Args:
      name: the name.
      kwargs: further facts to show, for instance `step_num`.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name, self._facts = name, kwargs
        self._start = 0.0

    def set_metadata(self, **kwargs: Any) -> None:
        """Add facts."""
        self._facts |= kwargs

    def __enter__(self) -> Trace:
        self._start = time.perf_counter()
        return self

    def __exit__(self, *problem: Any) -> None:
        end = time.perf_counter()
        for session in _running:
            session.events.append(
                {
                    "name": self._name,
                    "ph": "X",
                    "ts": (self._start - session.start) * 1e6,
                    "dur": (end - self._start) * 1e6,
                    "pid": os.getpid(),
                    "tid": threading.get_ident(),
                    "args": {key: str(value) for key, value in self._facts.items()},
                }
            )
