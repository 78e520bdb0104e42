"""What all tests share."""

import gc
import os
import signal
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import numpy as np
import pytest

import switches

# How long an example takes says nothing on a machine that is busy.
hypothesis.settings.register_profile(
    "any speed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any speed")

# A shell that starts `make test` in the background has Ctrl-C ignored: the tests that press it, here and in child processes, would
# wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Failures of the library's own tests are looked for in the library.
os.environ.setdefault("GRADTAPE_TRACEBACK", "full")
# Keras writes its settings there when it is first imported.
os.environ.setdefault("KERAS_HOME", os.path.join(tempfile.gettempdir(), "gradtape-tests-keras"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--contract-part",
        type=int,
        default=1,
        metavar="N",
        help="run one in N of the tests that go over all ops, chosen by a hash of their names; all others run",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Thin out the tests of the registry, which are many and alike."""
    parts = config.getoption("--contract-part")
    if parts == 1:
        return
    kept, left = [], []
    for item in items:
        is_thinned = item.path.name in _OVER_ALL_OPS or item.name.startswith("test_every_op_")
        # A hash, not a count: adding a sample does not change which of the others run.
        (left if is_thinned and zlib.crc32(item.name.encode()) % parts else kept).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


def pytest_collection_finish() -> None:
    """Take the collected tests out of the garbage collector's sight: walking over them took longer than many tests."""
    gc.collect()
    gc.freeze()


_OVER_ALL_OPS = {"test_contract.py", "test_duck.py"}


@pytest.fixture
def random() -> np.random.Generator:
    """A random generator that gives the same numbers in every run."""
    return np.random.default_rng(7)


@pytest.fixture(autouse=True)
def _seed() -> None:
    """NumPy's global generator starts anew in every test, so that no test depends on those before it."""
    np.random.seed(7)


@pytest.fixture(autouse=True)
def _switches() -> Iterator[None]:
    """What a test switches on or off is as before for the next one."""
    before = switches.positions()
    yield
    switches.restore(before)


@pytest.fixture
def new_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No kernel is in this process or on disk, and none that a test makes is left there: it may be a wrong one."""
    from gradtape.compiler.backends.rows import lower as rows
    from gradtape.compiler.runtime import kernels

    monkeypatch.setenv("GRADTAPE_CACHE", str(tmp_path))
    monkeypatch.setattr(kernels, "_KERNELS", type(kernels._KERNELS)())
    rows.lower.cache_clear()
    yield
    rows.lower.cache_clear()
