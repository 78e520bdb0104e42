"""AutoGraph's log of its work, on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Verbosity:
    level = 0
    prints = False


verbosity = _Verbosity()


def report(function: Any, text: Callable[[], str]) -> None:
    """Log that a function was rewritten, if the verbosity asks for it."""
    import logging

    lines = [f"AutoGraph: rewrote {function}"] + ([text()] if verbosity.level >= 3 else [])
    for line in lines:
        logging.getLogger("gradtape").warning(line)
        if verbosity.prints:
            print(line)
