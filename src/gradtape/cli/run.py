"""`gradtape run`: run a TensorFlow program on gradtape."""

from __future__ import annotations

import ast
import os
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from gradtape import compat
from gradtape.cli import notebook
from gradtape.core import tracebacks


def run_file(path: str, arguments: Sequence[str]) -> int:
    """Run a script or a notebook as `python path arguments…` would; returns the exit status."""
    if not os.path.exists(path):
        print(f"gradtape run: there is no file {path!r}", file=sys.stderr)
        return 2
    sys.argv[:] = [path, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    if path.endswith(".ipynb"):
        return _guarded(lambda: notebook.run(path))
    return _guarded(lambda: runpy.run_path(path, run_name="__main__"))


def run_module(name: str, arguments: Sequence[str]) -> int:
    """Run a module as `python -m name arguments…` would; returns the exit status."""
    sys.argv[:] = [name, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd()
    return _guarded(lambda: runpy.run_module(name, run_name="__main__", alter_sys=True))


def _guarded(program: Callable[[], Any]) -> int:
    """Run a program with gradtape for TensorFlow. Errors are shown as Python shows them, from the program's own line on."""
    compat.install()
    try:
        program()
    except Exception as problem:
        own = problem.with_traceback(_own(problem.__traceback__))
        if tracebacks.is_default_hook():  # which knows files only, and no cells of notebooks
            with tracebacks.shortened(own):
                traceback.print_exception(own)
        else:
            sys.excepthook(type(own), own, own.__traceback__)
        return 1
    return 0


def _own(whole: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames that lead to the program: None if it did not even begin."""
    while whole is not None and _leads(whole):
        whole = whole.tb_next
    return whole


def _leads(step: TracebackType) -> bool:
    file = step.tb_frame.f_code.co_filename
    return file.startswith(os.path.dirname(__file__)) or file in (runpy.__file__, "<frozen runpy>", ast.__file__)
