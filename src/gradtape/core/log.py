"""Warnings and notes in the log, under the name `gradtape`. `logging` is imported when there is something to say."""

from __future__ import annotations

from typing import Any


def warning(text: str, *values: Any) -> None:
    """Log a warning; `values` are put into the text as `logging` does."""
    import logging

    logging.getLogger("gradtape").warning(text, *values)


def info(text: str, *values: Any) -> None:
    """Log a note, which programs see that ask for the level INFO."""
    import logging

    logging.getLogger("gradtape").info(text, *values)
