"""What traces leave to modules above them: late nodes and loops over rows. `core/interpreter.py` declares it.

Few functions need either, so each is loaded when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def later(*call: Any) -> Any:
    """What a function returns that needs sizes or values which are not known yet, from a late node of a trace."""
    from gradtape.tracing.probes import postpone

    return postpone.later(*call)


def map_rows(fn: Callable[[Any], Any], rows: Any) -> Any:
    """What a function gives for each row of tensors, stacked, by a loop."""
    from gradtape.tracing.control.staged_functions import over_rows

    return over_rows("vectorized_map", lambda _, row: ([], fn(row)), [], rows)[1]
