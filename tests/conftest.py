"""What all tests share."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

# Keras writes its settings there when it is first imported.
os.environ.setdefault("KERAS_HOME", os.path.join(tempfile.gettempdir(), "gradtape-tests-keras"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--contract-part",
        type=int,
        default=1,
        metavar="N",
        help="run every N-th of the tests that go over all ops, beginning with the first of each file; all others run",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Thin out the tests of the registry, which are many and alike."""
    step = config.getoption("--contract-part")
    if step == 1:
        return
    seen: dict[str, int] = {}
    kept, left = [], []
    for item in items:
        name = item.path.name
        if name not in _OVER_ALL_OPS and not item.name.startswith("test_every_op_"):
            kept.append(item)
            continue
        seen[name] = seen.get(name, -1) + 1
        (left if seen[name] % step else kept).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


_OVER_ALL_OPS = {"test_contract.py", "test_duck.py"}


@pytest.fixture
def random() -> np.random.Generator:
    """A random generator that gives the same numbers in every run."""
    return np.random.default_rng(7)


@pytest.fixture(autouse=True)
def _seed() -> None:
    """NumPy's global generator starts anew in every test, so that no test depends on those before it."""
    np.random.seed(7)


@pytest.fixture
def new_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No kernel is in this process or on disk, and none that a test makes is left there: it may be a wrong one."""
    from gradtape.compiler import kernels, loops, rows

    def forget() -> None:
        for function in (rows.compiled, rows.lowered, loops.compiled):
            function.cache_clear()

    monkeypatch.setenv("GRADTAPE_CACHE", str(tmp_path))
    monkeypatch.setattr(kernels, "_KERNELS", type(kernels._KERNELS)())
    forget()
    yield
    forget()
