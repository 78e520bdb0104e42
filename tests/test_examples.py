"""The programs in examples/, run as a user runs them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def printed_by(name: str) -> str:
    """What a program prints, without complaints and in lines that fit a terminal."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py")]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert max(len(line) for line in done.stdout.splitlines()) <= 100
    return done.stdout


def number(pattern: str, text: str) -> float:
    """The number that a pattern finds."""
    found = re.search(pattern, text)
    assert found is not None, f"{pattern!r} is not in:\n{text}"
    return float(found[1])


def test_quickstart() -> None:
    printed = printed_by("quickstart")
    for expected in (
        "tf.Tensor(6.0, shape=(), dtype=float32)",
        "{'w': [[-3.0, -5.0], [3.0, 5.0]], 'b': [-3.0, -5.0]}",
        "dz/dx = 108.0",
        "dy/dx = 2.0   d2y/dx2 = 2.0",
        "m = np.mean(h.numpy())   <-- here",
        "fix:",
        "Epoch 5/5",
        "and loaded; equal predictions: True",
    ):
        assert expected in printed
    assert number(r"([\d.]+)% on unseen points", printed) > 97
    assert number(r"([\d.]+)% on unseen digits", printed) > 95


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("gan", {r"from the ring: ([\d.]+)": (0.0, 0.2)}),
        ("vae", {r"epoch, ([\d.]+) in the last": (5.0, 35.0)}),
        ("grad_cam", {r"on the shape in ([\d.]+)%": (90.0, 100.0)}),
        ("masked_lstm", {r"([\d.]+)% on unseen sequences": (85.0, 100.0), r"at most ([\d.e+-]+)": (0.0, 1e-6)}),
        ("actor_critic", {r"([\d.]+) in the last": (120.0, 200.0)}),
        ("fine_tuning", {r"([\d.]+)% on unseen ones\n.*as it was: True": (90.0, 100.0)}),
    ],
)
def test_keras(name: str, bounds: dict[str, tuple[float, float]]) -> None:
    printed = printed_by(name)
    for pattern, (least, most) in bounds.items():
        assert least <= number(pattern, printed) <= most
