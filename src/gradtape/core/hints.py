"""Hints in the log about programs that run and do something else than was meant: once for each line, with the fix."""

from __future__ import annotations

import os
from typing import Any

from gradtape.core import log, provenance

__all__ = ["has_said", "hints", "is_on", "say"]

_MOST = 1000


class _Hints:
    is_on = os.environ.get("GRADTAPE_HINTS", "").lower() not in ("0", "off", "false")


# Places that have been named: a training loop says it once.
_said: set[Any] = set()


def hints(enabled: bool) -> None:
    """Choose whether gradtape logs hints about code that probably does not do what was intended.

    There is one line for each place: a gradient that is None for all sources, an integer as a source, a target and a source that are
    swapped, a difference of shapes `(n, 1)` and `(n,)`, a `tf.Variable` as an attribute of a Keras layer. `GRADTAPE_HINTS=off` does
    the same from the start.

    Args:
      enabled: False for silence.

    >>> tf.config.hints(True)
    """
    _Hints.is_on = bool(enabled)


def is_on() -> bool:
    """Whether hints are given."""
    return _Hints.is_on


def has_said(words: str) -> bool:
    """Whether a hint with these words has been given in this process."""
    return any(words in what for _, what in _said)


def say(place: provenance.Place | None, what: str, fix: str) -> None:
    """Log a problem and its fix, once per place in the user's code."""
    key = (place, what)
    if not _Hints.is_on or key in _said or len(_said) > _MOST:
        return
    _said.add(key)
    log.warning("%s\n  at:  %s\n  fix: %s", what, provenance.Site.of(place) or "unknown", fix)
