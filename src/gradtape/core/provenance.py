"""Where in the user's code something happened: a code object and an instruction offset, formatted only when asked.

Recording a place costs two attribute reads. Turning it into `file:line in function: source` is done by `Site`, which
is built for error messages, `tape.explain` and warnings, never on the hot path.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import linecache
import os
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import numpy as np

# Code that is never the user's: ours, and what may stand between the user's line and ours on the call stack.
_package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_passed_over: tuple[str, ...] = (
    _package + os.sep,
    _package + "_keras_hook.py",
    os.path.dirname(np.__file__) + os.sep,
    contextlib.__file__,
    functools.__file__,
    importlib.__file__,
    "<frozen importlib",
    "<gradtape ",  # programs that are written for functions
)

Place = tuple[CodeType, int]

# Code objects that are known to be the user's, and those to pass over. By `id`, since hashing a code object is slow; held,
# so that no other gets the same.
users: dict[int, CodeType] = {}
own: dict[int, CodeType] = {}


def pass_over(folder: str) -> None:
    """Treat the code in a folder as a library's: the search for the user's line continues with its caller."""
    global _passed_over
    if folder + os.sep not in _passed_over:
        _passed_over += (folder + os.sep,)
        users.clear()


def is_library(filename: str) -> bool:
    """True for code that is never the user's."""
    return filename.startswith(_passed_over)


def is_own(filename: str) -> bool:
    """True for gradtape's own code."""
    return filename.startswith((_passed_over[0], "<gradtape "))


def search(frame: FrameType | None) -> tuple[Any, int]:
    """The place of the innermost user frame from `frame` outward; `(None, -1)` if there is none."""
    while frame is not None:
        code = frame.f_code
        key = id(code)
        if key in own:
            frame = frame.f_back
        elif key in users:
            return code, frame.f_lasti
        else:
            known = own if code.co_filename.startswith(_passed_over) else users
            if len(known) > 10_000:
                known.clear()
            known[key] = code
    return None, -1


def user_place(depth: int = 1) -> Place | None:
    """The code object and instruction offset of the innermost frame of the user."""
    code, offset = search(sys._getframe(depth))
    return None if code is None else (code, offset)


def stacklevel() -> int:
    """The argument of `warnings.warn`, for a function that calls this to name the user's line."""
    frame: FrameType | None = sys._getframe(1)
    code, _ = search(frame)
    level = 1
    while frame is not None and frame.f_code is not code:
        frame, level = frame.f_back, level + 1
    return level


class Site:
    """A line of the user's program.

    Attributes:
      filename: the file's path as Python knows it.
      line: the line's number.
      function: the name of the function around it.
    """

    __slots__ = ("filename", "function", "line")

    def __init__(self, filename: str, line: int, function: str) -> None:
        self.filename, self.line, self.function = filename, line, function

    @classmethod
    def of(cls, place: Place | None) -> Site | None:
        """The site of a recorded place; None if that is in no code of the user."""
        if place is None or place[0].co_filename.startswith(_passed_over):
            return None
        code, offset = place
        return cls(code.co_filename, _line_at(code, offset), code.co_name)

    @property
    def source(self) -> str:
        """The text of the line, stripped; empty if there is no file (a REPL, `exec`)."""
        return linecache.getline(self.filename, self.line).strip()

    @property
    def short(self) -> str:
        """`file:line`, the file as a path from the working directory if it is below that, else by its last name; a notebook's
        cell as IPython names it."""
        cell = _cell(self.filename)
        if cell is not None:
            return f"Cell In[{cell}], line {self.line}"
        path = without_count(self.filename)
        if os.path.isabs(path):
            inside = os.path.relpath(path) if path.startswith(os.getcwd() + os.sep) else os.path.basename(path)
            return f"{inside}:{self.line}"
        return f"{path}:{self.line}"

    def __str__(self) -> str:
        text = f"{self.short} in {self.function}"
        return f"{text}: {self.source}" if self.source else text

    def __repr__(self) -> str:
        return f"Site({self.short!r}, {self.function!r})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Site) and (self.filename, self.line) == (other.filename, other.line)

    def __hash__(self) -> int:
        return hash((self.filename, self.line))


def _cell(filename: str) -> int | None:
    """The number of the notebook's cell that IPython compiled under a name; None for files."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    known = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return known.get(filename)


def without_count(filename: str) -> str:
    """The name of a file, without the number that Python 3.13 counts the inputs of its prompt with."""
    return "<stdin>" if filename.startswith("<stdin>-") else filename


def _line_at(code: CodeType, offset: int) -> int:
    line = code.co_firstlineno
    for start, end, number in _lines(code):
        if start <= offset < end:
            return number
    return line


def _lines(code: CodeType) -> Iterator[tuple[int, int, int]]:
    for start, end, number in code.co_lines():
        if number is not None:
            yield start, end, number


def user_site(depth: int = 1) -> Site | None:
    """The site of the innermost user frame."""
    return Site.of(user_place(depth + 1))
