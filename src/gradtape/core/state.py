"""Per-thread state of the engine: who records what runs on this thread."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from typing import Any

# Identities of tensors on tapes. 0 means: on no tape.
new_id = itertools.count(1).__next__


class ThreadState(threading.local):
    """What is active on this thread.

    Attributes:
      recorders: tapes and accumulators that see every op, in the order of entering.
      depth: how many vectorising transformations are running around the current code.
      device: the device that `tf.device` chose, or None.
    """

    recorders: tuple[Any, ...] = ()
    depth: int = 0
    device: str | None = None


current = ThreadState()

# Ops on tensors that some tape knew, run while no tape was recording: (op, input ids, output id, code, offset).
# Bounded; it lets `tape.explain` name the line of a slice or reduction that came after the `with` block.
unrecorded: deque[tuple[Any, tuple[int, ...], int, Any, int]] = deque(maxlen=4096)
