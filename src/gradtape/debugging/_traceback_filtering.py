"""`tf.debugging`: whether tracebacks end at the user's line."""

from __future__ import annotations

from gradtape.core import tracebacks


def enable_traceback_filtering() -> None:
    """Leave out frames of gradtape and Keras in tracebacks, whether Python, IPython or pytest prints them or a program logs an error it
    caught. This is the default.

    >>> tf.debugging.enable_traceback_filtering()
    """
    tracebacks.enable(True)


def disable_traceback_filtering() -> None:
    """Print whole tracebacks. The environment variable `GRADTAPE_TRACEBACK=full` does the same from the start.

    >>> tf.debugging.disable_traceback_filtering()
    >>> tf.debugging.enable_traceback_filtering()
    """
    tracebacks.enable(False)


def is_traceback_filtering_enabled() -> bool:
    """Whether tracebacks end at the user's line.

    >>> tf.debugging.enable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return tracebacks.is_enabled()
