"""Every public function, with each argument replaced by each of sixteen wrong things.

A call may succeed. If it is refused, the message has three lines (what is wrong, the user's line, what to do), shows nothing of
gradtape's inside, and the error is of a class that TensorFlow raises for arguments. The calls that work are those of the docstrings.

`GRADTAPE_WRONG_ARGUMENTS=1` runs all functions, otherwise one in 16 by a hash of its name. `tensorflow_refusals.json` has the classes
that TensorFlow 2.21 raises for the same calls, one letter for each; record_refusals.py writes it.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import signal
import warnings
import zlib
from collections import Counter
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import gradtape as tf
from messages import calls

_ROOT = Path(__file__).parents[2]
_RECORDED = json.loads((Path(__file__).parent / "tensorflow_refusals.json").read_text(encoding="utf-8"))
_PARTS = int(os.environ.get("GRADTAPE_WRONG_ARGUMENTS", "16"))
# Functions that change the process, or need another one.
_LEFT_OUT = ("tf.config.", "tf.debugging.enable_", "tf.debugging.disable_", "tf.debugging.set_", "tf.distribute.")
_LEFT_OUT += ("tf.profiler.", "tf.experimental.numpy.experimental_", "tf.keras.", "tf.losses.", "tf.metrics.")
_LEFT_OUT += ("tf.initializers.", "tf.optimizers.", "tf.compat.", "tf.experimental.dtensor.")
# Checks of the user's own: what is wrong, in the user's words, and the place.
_USERS_CHECKS = ("tf.debugging.", "tf.Assert", "tf.assert_")
# The errors of the function that is called, as they are.
_LEFT_OUT += ("tf.numpy_function",)
_CLASSES = {"T": TypeError, "V": ValueError, "I": tf.errors.InvalidArgumentError}
_INSIDE = re.compile(r"object has no attribute|\bgradtape\.\w+\.|'_\w+'|`_\w+|NoneType' object|0x[0-9a-f]{6}")
# Each of these is about the world outside of the program, or about what the wrong thing itself does.
_OTHERS = (tf.errors.OpError, OSError, NotImplementedError, RuntimeError)


def _examples() -> dict[str, str]:
    """The docstrings of the public functions, by name."""
    found = {}
    for line in (_ROOT / "docs" / "tensorflow_names.txt").read_text(encoding="utf-8").splitlines():
        name = line[2:].split()[0]
        if line[0] in "#c" or name.startswith(_LEFT_OUT):
            continue
        function = lookup(name)
        if function is not None and ">>>" in (inspect.getdoc(function) or ""):
            found[name] = str(inspect.getdoc(function))
    return found


def lookup(name: str) -> Any:
    """The object of a name that starts with `tf.`; None if there is none."""
    try:
        return reduce(getattr, name.split(".")[1:], tf)
    except AttributeError:
        return None


EXAMPLES = _examples()
CHOSEN = [name for name in EXAMPLES if zlib.crc32(name.encode()) % _PARTS == 0]


class _LateError(BaseException):
    """A call took too long."""


def _ring(*_: Any) -> None:
    raise _LateError


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    before = signal.signal(signal.SIGALRM, _ring)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    signal.signal(signal.SIGALRM, before)


def _outcomes(name: str) -> list[tuple[str, str, BaseException | None]]:
    """Which argument was replaced by which thing, and the error."""
    function = lookup(name)
    own = [c for c in calls.collect(tf, EXAMPLES[name]) if c.name == name or c.function is function]
    found: list[tuple[str, str, BaseException | None]] = []
    for place, kind, args, kwargs in calls.variants(own[0], calls.WRONG, tf) if own else ():
        signal.setitimer(signal.ITIMER_REAL, 60)
        try:
            own[0].function(*args, **kwargs)
            found.append((place, kind, None))
        except (Exception, _LateError) as problem:
            found.append((place, kind, problem))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return found


def _complaint(name: str, place: str, kind: str, problem: BaseException) -> str:
    """What is bad about an error; empty if nothing is."""
    text = str(problem)
    first, *others = text.split("\n")
    if isinstance(problem, _LateError):
        return "took a minute"
    if _INSIDE.search(text):
        return f"shows the inside: {first}"
    if not any(line.startswith("  at:  ") for line in others):
        return f"does not say where: {first}"
    is_users_check = name.startswith(_USERS_CHECKS) and isinstance(problem, tf.errors.OpError)
    if not is_users_check and not any(line.startswith("  fix: ") for line in others):
        return f"does not say what to do: {first}"
    letter = calls.recorded(_RECORDED, name, place, kind)
    if letter in _CLASSES and not isinstance(problem, (*_CLASSES.values(), *_OTHERS)):
        return f"is {type(problem).__name__}, TensorFlow's {_CLASSES[letter].__name__}: {first}"
    return ""


@pytest.mark.parametrize("name", CHOSEN)
def test_refusals_are_about_the_arguments(name: str) -> None:
    bad = []
    for place, kind, problem in _outcomes(name):
        said = "" if problem is None else _complaint(name, place, kind, problem)
        if said:
            bad.append(f"argument {place} = {kind}: {said}")
    assert not bad, f"{name}:\n" + "\n".join(bad)


def test_classes_are_mostly_tensorflows() -> None:
    """TensorFlow's class depends on how far a call gets, so a few in a hundred may differ; most must not."""
    counted: Counter[bool] = Counter()
    for name in CHOSEN:
        for place, kind, problem in _outcomes(name):
            letter = calls.recorded(_RECORDED, name, place, kind)
            if problem is not None and letter in _CLASSES:
                counted[isinstance(problem, _CLASSES[letter])] += 1
    assert counted[True] > 500
    assert counted[False] < 0.07 * counted[True], counted


def test_most_functions_have_a_call_to_start_from() -> None:
    assert len(EXAMPLES) > 1000
    sample = CHOSEN[:40]
    assert sum(bool(_outcomes(name)) for name in sample) > 0.9 * len(sample)
