"""The pytest plugin that runs Keras's own tests, as the wheel ships them, on gradtape.

Loaded as `conftest` (several of Keras's test files import that name): it imports Keras on gradtape before anything else does,
puts gradtape in place of TensorFlow, and placeholders in place of packages that are not installed, skips what is excluded, and
writes down the results.
"""

from __future__ import annotations

import builtins
import json
import sys
import types
import unittest
from pathlib import Path
from typing import Any

import pytest

import gradtape_keras_hook

gradtape_keras_hook.keras()

import gradtape  # noqa: E402 - Keras comes first
from gradtape import compat  # noqa: E402
from gradtape.core.errors import LeftOutError  # noqa: E402

HERE = Path(__file__).parent
# Packages that tests may import without really needing them.
FOREIGN = ("google", "grain", "jax", "onnxruntime", "orbax", "sklearn", "tensorflow", "tensorflow_datasets", "torch")
# Files that choose a class by the names of Keras's own backends when they are imported.
ASKS_FOR_NAME = ("trainer_test.py",)


# Files that are nothing without a package: what they test imports it.
NEEDS = {"torch_test.py": "torch", "torch_utils_test.py": "torch"}


class _Phase:
    in_test = False


class Placeholder(types.ModuleType):
    """Stands for a package that is not installed: harmless in the head of a file, a reason to skip in a test."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if _Phase.in_test:
            raise unittest.SkipTest(f"needs {self.__name__.partition('.')[0]}")
        return Placeholder(f"{self.__name__}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _Phase.in_test:
            raise unittest.SkipTest(f"needs {self.__name__.partition('.')[0]}")
        return args[0] if len(args) == 1 and callable(args[0]) else self

    def __mro_entries__(self, bases: Any) -> Any:
        return ()


def _is_missing(name: str) -> bool:
    import importlib.util

    try:
        return importlib.util.find_spec(name) is None
    except (ImportError, ValueError):
        return True


# Tests that need TensorFlow get gradtape; what it has not, such as TensorFlow's own modules, is a placeholder.
_MISSING = {name for name in FOREIGN if name == "tensorflow" or _is_missing(name)}
_import = builtins.__import__


def _import_for_tests(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    if (
        not level
        and name.partition(".")[0] in _MISSING
        and str((globals or {}).get("__file__", "")).endswith(("_test.py", "test_case.py"))
    ):
        if name.partition(".")[0] == "tensorflow":
            found = compat.resolve(name.split(".")[1:])
            if found is not None:
                return found if fromlist else gradtape
        if _Phase.in_test:
            raise unittest.SkipTest(f"needs {name.partition('.')[0]}")
        return Placeholder(name if fromlist else name.partition(".")[0])
    return _import(name, globals, locals, fromlist, level)


builtins.__import__ = _import_for_tests


def _name_for_tests() -> str:
    """The backend's name. Helpers for sparse and ragged tensors know how to make TensorFlow's, which are gradtape's here."""
    code = sys._getframe(1).f_code
    if code.co_filename.endswith(("_test.py", "test_case.py")) and any(w in code.co_name.lower() for w in COMPOSITES):
        return "tensorflow"
    return str(sys.modules["keras.src.backend.config"]._BACKEND)  # type: ignore[attr-defined]


def _answer_tests_by_name() -> None:
    from keras.src import backend

    backend.backend = _name_for_tests


COMPOSITES = ("sparse", "ragged", "indexed_slices", "create_eager_tensors")


def skip_if_backend(given_backend: str, reason: str) -> Any:
    """Keras's decorator for tests that fail on a backend; never ours."""
    return pytest.mark.skipif(False, reason=reason)


def _batch(self: Any, index: int) -> Any:
    """What a dataset of trainer_test.py gives, which looks for its device by the names of Keras's own backends."""
    from keras import ops

    return ops.ones((5, 4)), ops.zeros((5, 3))


def _exclusions() -> list[tuple[str, str]]:
    found = []
    for line in (HERE / "excluded.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            test, _, reason = line.partition("  ")
            found.append((test.strip(), reason.strip()))
    return found


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out files that test how Keras works with a package which is not installed."""
    return True if NEEDS.get(collection_path.name) in _MISSING else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--results", help="a file for the outcomes, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    config._outcomes = {}  # type: ignore[attr-defined]
    _forget_types()
    _answer_tests_by_name()


def _forget_types() -> None:
    """Take the types from the signatures of our functions: Keras's have none, and a test compares them."""
    from keras.src import backend

    for name in ("core", "image", "linalg", "math", "nn", "numpy"):
        for function in vars(getattr(backend, name)).values():
            if isinstance(function, types.FunctionType):
                function.__annotations__ = {}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what is excluded, by the end of a test's name."""
    exclusions = _exclusions()
    for item in items:
        dataset = getattr(getattr(item, "module", None), "TestPyDataset", None)
        if dataset is not None:
            dataset.__getitem__ = _batch
        name = item.nodeid.replace("::", ".").replace(".py.", ".")
        for test, reason in exclusions:
            if test in name or test in item.nodeid:
                item.add_marker(pytest.mark.skip(reason=f"excluded: {reason}"))
                break
        if item.get_closest_marker("multi_device"):
            item.add_marker(pytest.mark.skip(reason="needs several devices"))


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: Any) -> Any:
    """Lend the name of the slot to files that know no other."""
    config: Any = sys.modules["keras.src.backend.config"]
    lend = getattr(getattr(collector, "path", None), "name", "") in ASKS_FOR_NAME
    if lend:
        config._BACKEND = "numpy"
    yield
    if lend:
        config._BACKEND = gradtape_keras_hook.NAME


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    _Phase.in_test = True
    yield
    _Phase.in_test = False


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Any:
    """A test that ends for want of a package, wherever it was imported, is skipped."""
    outcome = yield
    report = outcome.get_result()
    problem = call.excinfo and call.excinfo.value
    wanted = None
    if report.failed and isinstance(problem, ImportError):
        wanted = next((name for name in sorted(_MISSING) if name in str(problem).lower()), None)
    if report.failed and isinstance(problem, LeftOutError):
        wanted = "what gradtape leaves out of TensorFlow"
    if wanted:
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"Skipped: needs {wanted}")


class Recorder:
    """Notes the outcome of each test, in the process that reports."""

    def __init__(self, path: str) -> None:
        self.path, self.outcomes = path, {}  # type: ignore[var-annotated]

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.outcome != "passed":
            reason = str(report.longrepr)[-2000:] if report.outcome != "passed" else ""
            self.outcomes[report.nodeid] = (report.outcome, reason)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.outcomes[report.nodeid] = ("error", str(report.longrepr)[-2000:])

    def pytest_sessionfinish(self) -> None:
        Path(self.path).write_text(json.dumps(self.outcomes))


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    path = session.config.getoption("--results")
    if path and not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Recorder(path))
