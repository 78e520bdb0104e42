"""Every `>>>` example in the package, run with `tf` and `np` in scope."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import gradtape as tf

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules() -> Iterator[ModuleType]:
    """All modules of the package, imported."""
    yield tf
    for info in pkgutil.walk_packages(tf.__path__, "gradtape."):
        if not info.name.endswith("__main__"):
            yield importlib.import_module(info.name)


def documented(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Names and objects of a module that may have examples: itself, functions, classes with their members, and ops.

    doctest's own finder would pass over public functions that are made by other functions, and over ops, which are
    instances.
    """
    yield module.__name__, module
    for name, item in vars(module).items():
        if str(getattr(item, "__module__", "")).startswith("gradtape"):
            yield f"{module.__name__}.{name}", item
            if inspect.isclass(item):
                yield from ((f"{module.__name__}.{name}.{n}", member) for n, member in vars(item).items())


def examples() -> list[Any]:
    """One parameter for each object with examples."""
    parser, seen, found = doctest.DocTestParser(), set(), []
    for module in modules():
        for name, item in documented(module):
            text = inspect.getdoc(item)
            if not text or ">>>" not in text or text in seen:
                continue
            seen.add(text)
            test = parser.get_doctest(text, {"tf": tf, "np": np}, name, module.__file__, None)
            found.append(pytest.param(test, id=name))
    return found


@pytest.mark.parametrize("example", examples())
def test_example(example: doctest.DocTest) -> None:
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)
