"""A machine kind that is not known is tried in a child: what ends the child does not end the program."""

import subprocess
import sys

import pytest

from gradtape.compiler import probe

ENDS = "import os; os.abort()"


def test_known_machines_are_not_probed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "_works_in_child", lambda program: pytest.fail("a child was started"))
    monkeypatch.setattr(probe.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(probe.sys, "platform", "linux")
    assert probe.is_safe()


def test_the_program_of_the_child_works_here() -> None:
    assert probe._works_in_child(probe._PROGRAM)


def test_a_child_that_ends_badly_means_numpy_kernels() -> None:
    program = f"""
import warnings
import gradtape as tf
from gradtape.compiler import probe
probe.KNOWN, probe._PROGRAM = set(), {ENDS!r}
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    for c in (1.0, 2.0):
        assert tf.function(lambda x: tf.sin(x) * c)(tf.constant(0.0)).numpy() == 0.0
assert [w.category.__name__ for w in seen] == ["CompilerWarning"], seen
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
