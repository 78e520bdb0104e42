"""Runs one of TensorFlow's test files and writes what each test did.

    python conformance/tensorflow_tests/run_file.py SYSTEM SOURCE FILE RESULT SECONDS [NAMES [TEST]]

SYSTEM is gradtape or tensorflow, SECONDS the limit of a test, NAMES what public_names.py wrote. With TEST, part of a test's name, only such
tests run, and their tracebacks are printed. A result is [outcome, message]: pass, skip, error, failure, timeout, crash (the process died in it),
or not public.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import traceback
import unittest
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_IMPORT_SECONDS = 120
# EAGERLY of framework.py, which cannot be imported on TensorFlow.
_EAGERLY = (
    "run_in_graph_and_eager_modes run_all_in_graph_and_eager_modes run_deprecated_v1 deprecated_graph_mode_only also_run_as_tf_function "
    "assert_no_new_tensors assert_no_new_pyobjects_executing_eagerly assert_no_garbage_created"
)
# Classes of objects that internal names lead to, and attributes of graphs that are made of protocol buffers.
_HIDDEN = "Context|FuncGraph|FunctionGraph"
_OF_PROTOS = (
    "arg_attr|as_graph_def|colocation_groups|create_op|from_func_graph|from_node_def|graph_def_versions|library"
)
# Names of the tests' release that are elsewhere in later ones.
_MOVED = {"tensorflow.python.framework.ops.Tensor": "tensorflow.python.framework.tensor.Tensor"}


class _LateError(BaseException):
    """A test has taken too long; tests catch Exception."""


def _alarm(*_: Any) -> None:
    raise _LateError


class _Helpers(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Files that TensorFlow's tests share and its wheel does not have."""

    def __init__(self, source: Path) -> None:
        self._source = source

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        file = self._source / f"{name.replace('.', '/')}.py"
        if name.endswith("_test_helper"):  # made of C++; tests that call it fail
            return importlib.machinery.ModuleSpec(name, self)
        return (
            importlib.util.spec_from_file_location(name, file)
            if name.startswith("tensorflow.") and file.exists()
            else None
        )

    def create_module(self, spec: Any) -> None:
        pass

    def exec_module(self, module: Any) -> None:
        pass


def confine() -> Path:
    """The folder for temporary files of this process. No test deletes a folder outside it."""
    folder = Path(tempfile.mkdtemp(prefix="tensorflow-tests-")).resolve()
    tempfile.tempdir = os.environ["TMPDIR"] = os.environ["TEST_TMPDIR"] = str(folder)

    def refuse_outside(event: str, arguments: Any) -> None:
        if event == "shutil.rmtree" and not Path(os.fsdecode(arguments[0])).resolve().is_relative_to(folder):
            raise PermissionError(f"A test deletes {arguments[0]!r}, which is outside {folder}.")

    sys.addaudithook(refuse_outside)
    return folder


def prepare(system: str, source: Path, names: str) -> None:
    """Make `import tensorflow` mean the system."""
    if system == "gradtape":
        import internal_modules

        internal_modules.install(source, Path(names))
        return
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    from tensorflow.python.framework import test_util

    for name in _EAGERLY.split():
        setattr(test_util, name, lambda f=None, *a, **k: f if callable(f) and not a and not k else lambda inner: inner)
    for path, place in _MOVED.items():
        module, _, name = path.rpartition(".")
        value = getattr(importlib.import_module(place.rpartition(".")[0]), place.rpartition(".")[2])
        setattr(importlib.import_module(module), name, value)
    sys.meta_path.append(_Helpers(source))


def load(source: Path, file: Path) -> Any:
    """The module of a test file."""
    from absl import flags, logging

    logging.set_verbosity("fatal")
    name = str(file.relative_to(source).with_suffix("")).replace("/", ".")
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    while True:
        try:
            spec.loader.exec_module(module)
            break
        except AttributeError as problem:
            if not stands_for_private(problem, file):
                raise
    if not flags.FLAGS.is_parsed():
        flags.FLAGS([str(file)])
    return module


def stands_for_private(problem: AttributeError, file: Path) -> bool:
    """Whether a test file is parametrised with a private attribute of a class that gradtape does not have, and has a stand-in now."""
    *_, (frame, _) = traceback.walk_tb(problem.__traceback__)
    name, missing = problem.name or "", getattr(sys.modules.get("internal_modules"), "Missing", None)
    if missing is None or not isinstance(problem.obj, type) or not name.startswith("_") or name.endswith("__"):
        return False
    if frame.f_code.co_filename != str(file):
        return False
    setattr(problem.obj, name, missing(f"{problem.obj.__name__}.{name}"))
    return True


def cases(suite: Any) -> Iterator[unittest.TestCase]:
    """The tests of a suite."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from cases(test)
        else:
            yield test


# What says that a test asks for attributes of TensorFlow's inside, or runs something in a session.
_INTERNAL = (
    "Missing",
    "catching classes",
    "eval is not supported",
    "'Context' object has no",
    "attribute '_USE_EQUALITY'",
)


def _is_internal(text: str, message: str) -> bool:
    """Whether a failure is that of a test which asks more than the public API."""
    return "NotPublicError" in text or any(words in message for words in _INTERNAL)


def outcome(test: unittest.TestCase, seconds: int, shows: bool) -> list[str]:
    """What a test did."""
    used = getattr(sys.modules.get("internal_modules"), "used_names", [])
    used.clear()
    result = unittest.TestResult()
    try:
        signal.alarm(seconds)
        try:
            test.run(result)
        finally:
            signal.alarm(0)
    except _LateError:
        return ["timeout", ""]
    if result.skipped:
        return ["skip", result.skipped[0][1][:100]]
    problems = result.errors or result.failures
    if not problems:
        return ["pass", ""]
    text = problems[0][1]
    if shows:
        print(text)
    lines = text.strip().splitlines()
    begin = max([i for i, line in enumerate(lines) if line and not line.startswith(" ") and ":" in line], default=0)
    message = "\n".join(lines[begin:])[:600]
    if "_LateError" in message:
        return ["timeout", ""]
    if used or _is_internal(text, message) or asks_private(text):
        return ["not public", f"{used[:1]} {message}"]
    return ["error" if result.errors else "failure", message]


def asks_private(text: str) -> bool:
    """Whether a test itself asked an object for an attribute that begins with an underscore, called a private constructor, or asked for
    an attribute of an object whose class has no public name; or expected an exception whose class has none."""
    places = [line.strip() for line in text.splitlines() if line.lstrip().startswith("File ")]
    *_, last = [place for place in places if not place.endswith("in __getattr__")] or [""]
    no_attribute = rf"^AttributeError: .*(has no attribute '(_[A-Za-z]|({_OF_PROTOS})')|'({_HIDDEN})' object has no)"
    is_hidden = re.search(no_attribute, text, re.M)
    if re.search(r"constructor is private|keyword argument 'internal'|<bound method \w+\._[a-z]", text):
        return True
    asked = "_test.py" in last or last.endswith("in __get__")
    return (asked and is_hidden is not None) or "arg 1 must be an exception type" in text


def main(system: str, source: str, file: str, result: str, seconds: str, names: str = "", only: str = "") -> None:
    """Run the file; the process ends here, whatever threads the tests have left behind."""
    sys.argv[1:] = []
    results: dict[str, list[str]] = {}
    folder = Path(source).resolve()
    temporary = confine()
    signal.signal(signal.SIGALRM, _alarm)
    try:
        signal.alarm(_IMPORT_SECONDS)
        prepare(system, folder, names)
        warnings.simplefilter("ignore")
        helpers = sys.modules.get("internal_modules")
        if helpers is not None:
            helpers.Missing.is_importing = True
        module = load(folder, Path(file).resolve())
        found = list(cases(unittest.defaultTestLoader.loadTestsFromModule(module)))
        if helpers is not None:
            helpers.Missing.is_importing = False
        signal.alarm(0)
    except BaseException as problem:
        message = f"{type(problem).__name__}: {problem}"[:600]
        results["<import>"] = ["not public" if _is_internal(message, message) else "error", message]
    else:
        for test in found:
            name = f"{type(test).__name__}.{test._testMethodName}"  # the id may show parameters with their addresses
            if only in name and not name.endswith(".test_session"):
                results[name] = ["crash", ""]
                Path(result).write_text(json.dumps(results))
                results[name] = outcome(test, int(seconds), bool(only))
    signal.alarm(0)
    Path(result).write_text(json.dumps(results))
    shutil.rmtree(temporary, ignore_errors=True)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
