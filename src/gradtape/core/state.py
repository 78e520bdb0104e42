"""Per-thread state of the engine: who records what runs on this thread."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gradtape.core import threads

if TYPE_CHECKING:
    from gradtape.core.interpreter import Interpreter

# Identities of tensors on tapes. 0 means: on no tape. They count up, so that they serve `tape.explain` as a clock too.
new_id = itertools.count(1).__next__


class Sites(dict[Any, Any]):
    """The generators that a postponed call draws from, by function, dtype and seed. New ones are added while it `is_open`."""

    is_open = True


class ThreadState(threading.local):
    """The active recorders, trace and scopes of this thread.

    Attributes:
      recorders: tapes and accumulators that see every op, in the order of entering.
      depth: the level of the innermost vectorising transformation that runs around the current code, 0 if none.
      device: the device that `tf.device` chose, or None.
      trace: the innermost function that is being traced, or None: it answers for variables, see `core/interpreter.py`.
      in_pipeline: whether a function of a dataset runs, which TensorFlow would have traced.
      streams: where the random numbers in a function of a dataset come from, or None: from those of the program.
      sites: the generators of random numbers of the call that is being postponed, or run again, or None; see `Sites`.
      undo: (trace, variable, old value) of each assignment since an attempt began that may be given up, or None.
      path: the path on which sizes that are not known are being compared, or None; see `core/paths.py`.
      presence: counts this thread among those that use the library.
    """

    recorders: tuple[Any, ...] = ()
    depth: float = 0
    device: str | None = None
    trace: Interpreter | None = None
    in_pipeline: bool = False
    streams: Any = None
    sites: Sites | None = None
    undo: list[tuple[Any, Any, Any]] | None = None
    path: Any = None

    def __init__(self) -> None:
        # Called when a thread first asks for its state.
        self.presence = threads.Presence()


current = ThreadState()
threads.at_fork(in_child=lambda: current.presence.remain())


def tracing() -> Interpreter:
    """The innermost function that is being traced, for code that runs only while one is."""
    trace = current.trace
    assert trace is not None
    return trace


class Settings:
    """Switches for the whole process.

    Attributes:
      functions_run_eagerly: whether a `tf.function` calls its Python function instead of tracing it.
    """

    functions_run_eagerly: bool = False


settings = Settings()


@contextmanager
def outside() -> Iterator[None]:
    """Run a block outside of all traces and transformations, unseen by recorders."""
    before = current.recorders, current.depth, current.trace
    current.recorders, current.depth, current.trace = (), 0, None
    try:
        yield
    finally:
        current.recorders, current.depth, current.trace = before


# What happened to tensors that some tape knew, while no tape recorded it: (op, input ids, output ids, code, offset,
# whether a tape saw it and did not know the inputs). In place of an op there may be a text, which tells how a value went
# to Python or NumPy. Bounded; it lets `tape.explain` name the line of a reduction that came after the `with` block.
unrecorded: deque[tuple[Any, tuple[int, ...], tuple[int, ...], Any, int, bool]] = deque(maxlen=4096)

# Calls of `gradient` on tapes that are persistent or inside others: (time of entering the tape, ids of targets, sources
# and results, code, offset, time). Here `tape.explain` finds second derivatives that went wrong.
passes: deque[tuple[int, list[int], list[int], list[int], Any, int, int]] = deque(maxlen=64)
