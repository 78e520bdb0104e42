"""`import gradtape`: NumPy and the standard library only, quick, silent, no threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys

LIMIT_SECONDS = 0.150
LIMIT_SHARE = 1.6

_PROBE = """
import json, sys, threading, time
start = time.thread_time()
import numpy
numpy_seconds = time.thread_time() - start
import gradtape
seconds = time.thread_time() - start
modules = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps({"seconds": seconds, "numpy": numpy_seconds, "modules": modules, "threads": threading.active_count()}))
"""


def probe(code: str = _PROBE) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter that reads no start-up files, with the paths of this one."""
    paths = json.dumps([p for p in sys.path if p])
    program = f"import sys; sys.path[:] = {paths}\n{code}"
    # Keras, once imported by another test, says in the environment which backend it has.
    settings = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"}
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True, env=settings
    )


def test_loads_numpy_and_the_standard_library_only() -> None:
    found = json.loads(probe().stdout)["modules"]
    bare = json.loads(probe(_PROBE.replace("import gradtape\n", "")).stdout)["modules"]
    extra = set(found) - set(bare) - set(sys.stdlib_module_names)
    assert extra == {"gradtape"}


def test_is_quick() -> None:
    # The time of the thread itself, and the best of several: what else runs on the machine must not decide. Where NumPy
    # alone takes longer than usual, the machine is slow, and the limit grows with it. benchmarks/footprint.py measures by
    # the clock on the wall.
    measured = []
    for _ in range(15):
        found = json.loads(probe().stdout)
        measured.append((found["seconds"], found["numpy"]))
        if found["seconds"] < max(LIMIT_SECONDS, LIMIT_SHARE * found["numpy"]):
            return
    raise AssertionError(f"(with NumPy, NumPy alone) in seconds: {measured}")


def test_is_silent_and_starts_no_threads() -> None:
    done = probe("import gradtape, threading; assert threading.active_count() == 1")
    assert done.stdout == ""
    assert done.stderr == ""


def test_is_silent_when_warnings_are_errors() -> None:
    command = [sys.executable, "-W", "error", "-c", "import gradtape"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_has_a_version() -> None:
    done = probe("import gradtape; print(gradtape.__version__)")
    assert done.stdout.strip().count(".") == 2


_RULES = """
import pathlib, re
import gradtape
from gradtape.core.op import REGISTRY
for path in pathlib.Path(gradtape.__file__).parent.rglob("*.py"):
    for name in re.findall(r'(?:REGISTRY\\[|build\\()"(\\w+)"', path.read_text(encoding="utf-8")):
        if name not in REGISTRY:
            print(path.name, name)
"""


def test_ops_that_are_looked_up_by_name_are_loaded() -> None:
    # A rule that looks up an op of a family that is loaded later fails in programs that use nothing else of it.
    assert probe(_RULES).stdout == ""
