"""Tracebacks that end at the user's line: frames of gradtape, and of Keras on it, are left out.

Where an error leaves gradtape (operators, the doors of public functions, calls of functions, methods of tapes, steps of iterators), `cut` drops the
frames inside, so what a program prints or logs of an error that it caught is short too. Calls that succeed cost nothing. The few frames
that remain are left out of a copy of the traceback when Python, a thread or IPython prints an error that nobody caught. With filtering
switched off, debuggers see the whole stack.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, ParamSpec, TypeVar

from gradtape.core import attribute_hints, provenance
from gradtape.core.deferral import Unknown
from gradtape.core.dims import Undecided


class _Switch:
    enabled = os.environ.get("GRADTAPE_TRACEBACK", "") != "full"


def enable(on: bool) -> None:
    """Filter tracebacks, or print whole ones."""
    _Switch.enabled = on


def is_enabled() -> bool:
    """Whether tracebacks are filtered."""
    return _Switch.enabled


_MOST_FRAMES = 50


def filtered(whole: TracebackType | None) -> TracebackType | None:
    """A traceback with the user's frames only; the whole one if no frame of gradtape, or none of the user's, is in it."""
    frames = list(_frames(whole))
    kept = _of_users(frames)
    is_ours = any(_is_ours(tb.tb_frame.f_code.co_filename) for tb in frames)
    if not _Switch.enabled or not is_ours or not kept:
        return whole
    if len(kept) > _MOST_FRAMES:  # a function that calls itself: each line once
        kept = list({(tb.tb_frame.f_code, tb.tb_lineno): tb for tb in reversed(kept)}.values())[::-1]
    return _linked(kept)


def cut(problem: Exception) -> Exception:
    """An error without the frames of gradtape inside the place where it leaves: the frames of the user's functions stay.

    Errors that say nothing yet of the user's arguments keep their frames, since what describes them later looks there.
    """
    whole = problem.__traceback__
    if whole is None or not _Switch.enabled or isinstance(problem, (Unknown, Undecided)):
        return problem  # questions about unknown sizes are asked and answered inside
    frames = list(_frames(whole))
    if provenance.is_library(frames[-1].tb_frame.f_code.co_filename) and "\n  fix: " not in str(problem):
        return problem
    return problem.with_traceback(_linked(_of_users(frames)))


P = ParamSpec("P")
R = TypeVar("R")


def border(method: Callable[P, R]) -> Callable[P, R]:
    """A method that users call: errors leave it without the frames inside."""

    @functools.wraps(method)
    def public(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except Exception as problem:
            raise cut(problem)  # noqa: B904 - it is the error itself

    return public


def _linked(frames: list[TracebackType]) -> TracebackType | None:
    """A traceback of these frames."""
    short: TracebackType | None = None
    for tb in reversed(frames):
        short = TracebackType(short, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
    return short


def _of_users(frames: list[TracebackType]) -> list[TracebackType]:
    """The frames outside of gradtape and Keras, and of what these call, such as pandas."""
    refusals = importlib.import_module("gradtape.core.refusals")
    kept: list[TracebackType] = []
    inside = False  # of a call by a library
    for tb in frames:
        filename = tb.tb_frame.f_code.co_filename
        is_called = inside and not filename.startswith("<") and refusals.is_called_by_us(filename)
        inside = is_called or provenance.is_library(filename)
        if not inside:
            kept.append(tb)
    return kept


def _is_ours(filename: str) -> bool:
    """Whether a file is of gradtape, or of Keras while it runs on gradtape."""
    return provenance.is_own(filename) or ("/keras/src/" in filename and "gradtape.keras_backend" in sys.modules)


def hidden_frames(whole: TracebackType | None) -> list[FrameType]:
    """The frames that a filtered traceback does not have."""
    short = {id(tb.tb_frame) for tb in _frames(filtered(whole))}
    return [tb.tb_frame for tb in _frames(whole) if id(tb.tb_frame) not in short]


def is_hidden(found: Any) -> bool:
    """The value of `__tracebackhide__` in marked frames; pytest calls it with the error."""
    return _Switch.enabled


@contextmanager
def shortened(problem: BaseException) -> Iterator[TracebackType | None]:
    """The filtered traceback of an error; meanwhile the errors that it comes from have filtered ones too."""
    chain = list(_chain(problem))
    before = [one.__traceback__ for one in chain]
    try:
        for one in chain:
            one.__traceback__ = filtered(one.__traceback__)
            if one is not problem and _Switch.enabled and not _of_users(list(_frames(one.__traceback__))):
                one.__traceback__ = None  # a library's own error, which led to this one
        yield problem.__traceback__
    finally:
        for one, whole in zip(chain, before, strict=True):
            one.__traceback__ = whole


def install() -> None:
    """Filter the tracebacks of uncaught errors that the interpreter, its threads and IPython print."""
    if sys.excepthook is not _Hooks.excepthook:
        _Hooks.is_over_default = sys.excepthook is sys.__excepthook__
        _Hooks.excepthook = _around(sys.excepthook)
        sys.excepthook = _Hooks.excepthook
    if threading.excepthook is not _Hooks.thread:
        _Hooks.thread = _around_thread(threading.excepthook)
        threading.excepthook = _Hooks.thread
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception, KeyboardInterrupt), _show_in_notebook)


def is_default_hook() -> bool:
    """Whether Python's own function prints uncaught errors, filtered or not."""
    return sys.excepthook is sys.__excepthook__ or (sys.excepthook is _Hooks.excepthook and _Hooks.is_over_default)


class _Hooks:
    is_over_default = False
    excepthook: Any = None
    thread: Any = None


def _around(hook: Callable[..., Any]) -> Callable[..., Any]:
    def show(kind: type[BaseException], problem: BaseException, whole: TracebackType | None) -> Any:
        add_fix(problem)
        if problem is None or problem.__traceback__ is not whole:  # somebody prints a traceback of their own
            return hook(kind, problem, filtered(whole))
        with shortened(problem) as short:
            return hook(kind, problem, short)

    return show


def _around_thread(hook: Callable[..., Any]) -> Callable[..., Any]:
    def show(given: Any) -> Any:
        if given.exc_value is None:
            return hook(given)
        add_fix(given.exc_value)
        with shortened(given.exc_value) as short:
            values = (given.exc_type, given.exc_value, short, given.thread)
            return hook(threading.ExceptHookArgs(values))

    return show


def _show_in_notebook(
    shell: Any, kind: type[BaseException], problem: BaseException, whole: TracebackType, tb_offset: int | None = None
) -> None:
    add_fix(problem)
    _add_suggestion(problem)
    # IPython drops its own frame at the top, which the filter keeps: it is no frame of gradtape.
    with shortened(problem) as short:
        shell.showtraceback((kind, problem, short or whole), tb_offset=tb_offset)


def add_fix(problem: BaseException | None) -> None:
    """Add what to write to an error that Python raised about one of our objects: no code of ours has seen it."""
    if problem is None or not _Switch.enabled or type(problem).__module__ != "builtins":
        return
    fix = importlib.import_module("gradtape.core.python_errors").fix(problem)
    if fix and fix not in getattr(problem, "__notes__", ()):
        problem.add_note(fix)
        if isinstance(problem, AttributeError):
            problem.name = None  # else Python adds a name that is only spelled alike


def _add_suggestion(problem: BaseException) -> None:
    """Add "Did you mean" to an AttributeError, as Python's own printer does and IPython's does not."""
    owner, name = getattr(problem, "obj", None), getattr(problem, "name", None)
    if (
        isinstance(problem, AttributeError)
        and name
        and "\n" not in str(problem)
        and not attribute_hints.gives_advice(str(problem))
    ):
        import difflib

        close = difflib.get_close_matches(name, [n for n in dir(owner) if not n.startswith("_")], 1)
        if close and not hasattr(problem, "__notes__"):
            problem.add_note(f"Did you mean: {close[0]!r}?")


def _frames(tb: TracebackType | None) -> Iterator[TracebackType]:
    while tb is not None:
        yield tb
        tb = tb.tb_next


def _chain(problem: BaseException | None) -> Iterator[BaseException]:
    """An error and those that it comes from, as Python prints them."""
    seen: set[int] = set()
    waiting = [problem]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [one.__cause__, None if one.__suppress_context__ else one.__context__]
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions
