"""Gradients that are None: the behaviour that the process has chosen."""

from __future__ import annotations

import os

from gradtape.core import errors

MODES = ("log", "none", "zero", "warn", "raise")


class Default:
    """The default behaviour: None is returned, and logged if all gradients of a call are None."""

    mode = "log"


default = Default()


def checked(mode: str, who: str) -> str:
    """A mode that somebody gave."""
    if mode not in MODES:
        raise ValueError(
            errors.compose(
                f"{who}: on_none must be one of {', '.join(map(repr, MODES))}, got {mode!r}.",
                "choose one of these; 'warn' and 'raise' say why a gradient is None.",
                depth=2,
            )
        )
    return mode


def on_none(mode: str) -> None:
    """Choose how tapes handle missing gradients, for the whole process.

    The environment variable `GRADTAPE_ON_NONE` does the same from the start; `tf.GradientTape(on_none=...)` for one tape.

    Args:
      mode: `"log"` (return None, and say so in the log where all gradients of a call are None: the default), `"none"` (return
        None), `"zero"` (return zeros), or `"warn"` and `"raise"` with the explanation of `tape.explain`.

    >>> tf.config.on_none("log")
    """
    default.mode = checked(mode, "tf.config.on_none")


if "GRADTAPE_ON_NONE" in os.environ:
    default.mode = checked(os.environ["GRADTAPE_ON_NONE"], "the environment variable GRADTAPE_ON_NONE")
