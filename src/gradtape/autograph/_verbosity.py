"""What AutoGraph tells of its work to those who ask for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Verbosity:
    level = 0
    prints = False


verbosity = _Verbosity()


def report(function: Any, text: Callable[[], str]) -> None:
    """Tell that a function was rewritten, if someone wants to know."""
    import logging

    lines = [f"AutoGraph: rewrote {function}"] + ([text()] if verbosity.level >= 3 else [])
    for line in lines:
        logging.getLogger("gradtape").warning(line)
        if verbosity.prints:
            print(line)
