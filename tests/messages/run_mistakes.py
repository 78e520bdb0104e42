"""What a wrong program says: its error, else its last warning, else what it logged."""

from __future__ import annotations

import io
import linecache
import logging
import re
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import numpy as np


def message(tf: Any, code: str, number: int = 0) -> tuple[str, str]:
    """The name of the class of an error or warning, and its text; `("", "")` if nothing was said."""
    filename = f"program{number}.py"
    linecache.cache[filename] = (len(code), None, [line + "\n" for line in code.splitlines()], filename)
    logged = io.StringIO()
    handler = logging.StreamHandler(logged)
    logging.getLogger("gradtape").addHandler(handler)
    try:
        with (
            warnings.catch_warnings(record=True) as seen,
            redirect_stdout(io.StringIO()),
            redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("always")
            try:
                exec(compile(code, filename, "exec"), {"tf": tf, "np": np, "__name__": "__main__"})
            except Exception as problem:
                return type(problem).__name__, _shown(problem)
        if logged.getvalue():
            return "log", logged.getvalue().strip()
        return ("warning", str(seen[-1].message)) if seen else ("", "")
    finally:
        logging.getLogger("gradtape").removeHandler(handler)


def _shown(problem: Exception) -> str:
    """The text of an error as Python prints it, with the name that it suggests."""
    text = str(problem)
    if "gradtape" in sys.modules:
        from gradtape.core import python_errors

        note = python_errors.fix(problem)
        if note:
            return f"{text}\n{note}"
    owner, name = getattr(problem, "obj", None), getattr(problem, "name", None)
    if (
        isinstance(problem, AttributeError)
        and owner is not None
        and name
        and not re.search("Use |Leave it out", text)
        and "\n" not in text
    ):
        import difflib

        close = difflib.get_close_matches(name, dir(owner), 1)
        text += f". Did you mean: {close[0]!r}?" if close else ""
    return text


def parts(text: str) -> tuple[str, str]:
    """The first line of a message, and what it says to do: the line of the fix, or a sentence of a message of one line."""
    lines = text.split("\n")
    fixes = [line.removeprefix("  fix: ") for line in lines if line.startswith("  fix: ")]
    if fixes:
        return lines[0], fixes[0]
    said = re.search(r"([Uu]se .*|Leave it out.*|Did you mean: .*|print\(tape\.explain.*)", lines[0])
    return lines[0], said[1] if said else ""
