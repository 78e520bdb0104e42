"""`tf.compat.v1.logging`: Python's logging, under the logger of the library."""

from __future__ import annotations

import logging as _logging
import sys as _sys
from collections import Counter as _Counter
from typing import Any

DEBUG, INFO, WARN, ERROR, FATAL = _logging.DEBUG, _logging.INFO, _logging.WARNING, _logging.ERROR, _logging.FATAL
_logger = _logging.getLogger("gradtape")
_counts: _Counter[Any] = _Counter()


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message of a level."""
    _logger.log(level, msg, *args, **kwargs)


def debug(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message for debugging."""
    _logger.debug(msg, *args, **kwargs)


def info(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message of information."""
    _logger.info(msg, *args, **kwargs)


def warning(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a warning."""
    _logger.warning(msg, *args, **kwargs)


warn = warning


def error(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write an error."""
    _logger.error(msg, *args, **kwargs)


def fatal(msg: str, *args: Any, **kwargs: Any) -> None:
    """Log a fatal error."""
    _logger.fatal(msg, *args, **kwargs)


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message for debugging, of a level of detail."""
    _logger.debug(msg, *args, **kwargs)


def log_if(level: int, msg: str, condition: Any, *args: Any) -> None:
    """Write a message if a condition holds."""
    if condition:
        _logger.log(level, msg, *args)


def _calls() -> int:
    frame = _sys._getframe(2)
    place = (frame.f_code.co_filename, frame.f_lineno)
    _counts[place] += 1
    return _counts[place]


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Write a message the first `n` times that the line runs."""
    log_if(level, msg, _calls() <= n, *args)


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Write a message every `n` times that the line runs."""
    log_if(level, msg, (_calls() - 1) % n == 0, *args)


def set_verbosity(v: Any) -> None:
    """Set the level from which messages are written."""
    _logger.setLevel(v)


def get_verbosity() -> int:
    """The level from which on messages are written."""
    return _logger.getEffectiveLevel()


def flush() -> None:
    """Flush the handlers."""
    for handler in _logger.handlers:
        handler.flush()


def TaskLevelStatusMessage(msg: str) -> None:  # noqa: N802
    """Write an error, as TensorFlow does for its servers."""
    _logger.error(msg)
