"""A small slice of the benchmarks: they run, compute what NumPy computes, and README.md says what they measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


def run(script: str, *options: str) -> str:
    """The output of a benchmark."""
    command = [sys.executable, str(BENCHMARKS / script), *options]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def benchmarks_on_path() -> Any:
    sys.path.insert(0, str(BENCHMARKS))
    yield
    sys.path.remove(str(BENCHMARKS))


def expected_training_step(inputs: dict[str, Any]) -> list[Any]:
    """One step of the benchmark's training, in float64 by hand."""
    x, w1, b1, w2, b2 = (inputs[n].astype(np.float64) for n in ("x", "w1", "b1", "w2", "b2"))
    before = x @ w1 + b1
    h = np.maximum(before, 0)
    logits = h @ w2 + b2
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    d_logits = (p - np.eye(10)[inputs["labels"]]) / len(x)
    dh = d_logits @ w2.T * (before > 0)
    gradients = [x.T @ dh, dh.sum(axis=0), h.T @ d_logits, d_logits.sum(axis=0)]
    return [v - 0.01 * g for v, g in zip((w1, b1, w2, b2), gradients, strict=True)]


def expected_elementwise(inputs: dict[str, Any]) -> list[Any]:
    """The gradient of the benchmark's expression, in float64 by hand."""
    x = inputs["x"].astype(np.float64)
    e = np.exp(-x * x)
    return [(1 - np.tanh(np.sin(x) * e) ** 2) * e * (np.cos(x) - 2 * x * np.sin(x))]


def expected_jacobian(inputs: dict[str, Any]) -> list[Any]:
    """The Jacobian of the benchmark's network, in float64 by hand."""
    x, w1, b1, w2 = (inputs[n].astype(np.float64) for n in ("x", "w1", "b1", "w2"))
    slope = 1 - np.tanh(x @ w1 + b1)[0] ** 2
    return [(w1 * slope @ w2).T[None, :, None, :]]


EXPECTED = {
    "square": lambda inputs: [6.0],
    "multiplies": lambda inputs: [101 * inputs["w"].astype(np.float64) ** 100],
    "training_step": expected_training_step,
    "elementwise": expected_elementwise,
    "jacobian": expected_jacobian,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_work_computes_what_numpy_computes(name: str, benchmarks_on_path: None) -> None:
    import works
    from systems import ours

    inputs = getattr(works, name)(0.001)
    found = [ours.to_numpy(r) for r in getattr(ours, name)(inputs)()]
    for one, other in zip(found, EXPECTED[name](inputs), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-6)


def test_eager_measures_and_writes(tmp_path: Path) -> None:
    options = ["--systems", "gradtape", "--rounds", "1", "--seconds", "0.01", "--scale", "0.001"]
    run("eager.py", *options, "--works", "square", "training_step", "--output", str(tmp_path))
    rows = json.loads((tmp_path / "eager.json").read_text())["works"]
    assert [row["name"] for row in rows] == ["square", "training_step"]
    assert all(0 < row["systems"]["gradtape"]["best"] < 1 for row in rows)
    assert "x**2" in (tmp_path / "eager.md").read_text()


def test_ops_are_measured_and_written(tmp_path: Path) -> None:
    options = ("--systems", "gradtape", "--rounds", "1", "--seconds", "0.001", "--scale", "0.01")
    run("ops.py", *options, "--output", str(tmp_path))
    works = json.loads((tmp_path / "ops.json").read_text())["works"]
    assert len(works) == 7
    assert all(row["systems"]["gradtape"]["best"] > 0 for row in works)


def test_provenance_is_measured(tmp_path: Path) -> None:
    text = run("provenance.py", "--rounds", "1", "--seconds", "0.0001", "--no-limits", "--output", str(tmp_path))
    assert text.count("%") == len(json.loads((tmp_path / "provenance.json").read_text())["works"])


def test_memory_stays(tmp_path: Path) -> None:
    run("memory.py", "--steps", "1000", "--output", str(tmp_path))
    content = json.loads((tmp_path / "memory.json").read_text())
    objects = list(content["objects"].values())
    # Objects are counted exactly, unlike pages; a leak of one object in each step would show.
    assert max(objects[50:]) - objects[50] < 500


def test_backward_is_linear_and_does_not_recurse(tmp_path: Path) -> None:
    run("scaling.py", "--largest", "100000", "--output", str(tmp_path))
    # The benchmark allows less; a test shares its machine. Quadratic cost would be a factor of a thousand.
    assert json.loads((tmp_path / "scaling.json").read_text())["growth"] < 5


def test_readme_says_what_was_measured() -> None:
    run("report.py", "--check")
