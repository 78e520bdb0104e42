"""The programs in examples/, run as a user runs them: as they are, and as programs of TensorFlow under `gradtape run`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def printed_by(*command: str | Path) -> str:
    """What a program prints, without complaints and in lines that fit a terminal."""
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True, text=True, encoding="utf-8", check=False, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert max(len(line) for line in done.stdout.splitlines()) <= 100
    return done.stdout


def number(pattern: str, text: str) -> float:
    """The number that a pattern finds."""
    found = re.search(pattern, text)
    assert found is not None, f"{pattern!r} is not in:\n{text}"
    return float(found[1])


@pytest.fixture(scope="module")
def of_tensorflow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all programs, which import TensorFlow there."""
    folder = tmp_path_factory.mktemp("programs")
    for path in EXAMPLES.glob("*.py"):
        text = path.read_text(encoding="utf-8").replace("import gradtape as tf\n", "import tensorflow as tf\n")
        assert "gradtape as" not in text
        (folder / path.name).write_text(text, encoding="utf-8")
    return folder


def test_quickstart() -> None:
    printed = printed_by(EXAMPLES / "quickstart.py")
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


# What each program reaches: patterns of numbers that it prints, with the least and the greatest that will do.
REACHED: dict[str, dict[str, tuple[float, float]]] = {
    "actor_critic": {r"([\d.]+) steps in the last": (100.0, 200.0)},
    "autodiff_patterns": {
        r"step 6: height ([\d.e+-]+)": (0.0, 1e-9),
        r"by height: \[0\. +([\d.]+)\]": (0.8414, 0.8415),
    },
    "custom_gradients": {r"plain: nan   own: ([\d.]+)": (1.0, 1.0), r"by e ([\d.]+)": (1.048, 1.0481)},
    "cvae": {r"([-\d.]+) before": (-60.0, -40.0), r"([-\d.]+) after training": (-21.0, -10.0)},
    "cyclegan": {r"error: ([\d.]+) to night": (0.0, 0.5), r"([\d.]+) to day": (0.0, 0.4)},
    "dcgan": {r"([\d.]+) times that of real": (0.0, 1.8), r"(\d) of 4 kinds": (3, 4)},
    "deep_dream": {r"([\d.]+) before": (0.0, 1.0), r"([\d.]+) after; 1 trace": (2.0, 100.0)},
    "fgsm": {
        r"network, noise +[\d.]+% +[\d.]+% +([\d.]+)%": (90.0, 100.0),
        r"plain network, attacked +[\d.]+% +[\d.]+% +([\d.]+)%": (0.0, 45.0),
        r"hardened network, attacked +[\d.]+% +[\d.]+% +([\d.]+)%": (65.0, 100.0),
    },
    "fine_tuning": {r"([\d.]+)% on unseen ones\n.*as it was: True": (90.0, 100.0)},
    "gan": {r"from the ring: ([\d.]+)": (0.0, 0.2)},
    "grad_cam": {r"on the shape in ([\d.]+)%": (90.0, 100.0)},
    "integrated_gradients": {
        r"differ by at most ([\d.]+)": (0.0, 0.03),
        r"([\d.]+) the most important": (0.0, 0.2),
        r"([\d.]+) any ten": (0.5, 1.0),
    },
    "linear_regression": {r"largest difference: ([\d.]+)": (0.0, 0.02)},
    "logistic_regression": {r"([\d.]+)% on unseen cells": (94.0, 100.0)},
    "maml": {r"([\d.]+) from learned": (0.0, 0.6), r"([\d.]+) from pooled": (1.5, 10.0)},
    "masked_lstm": {r"([\d.]+)% on unseen sequences": (85.0, 100.0), r"at most ([\d.e+-]+)": (0.0, 1e-6)},
    "mlp_from_scratch": {r"([\d.]+)% on unseen digits; equal weights: True": (95.0, 100.0)},
    "pinn": {r"mean error at t = 1: ([\d.]+)": (0.0, 0.03)},
    "pix2pix": {r"unseen outlines: ([\d.]+)": (0.0, 0.1), r"themselves: ([\d.]+)": (0.3, 0.4)},
    "style_transfer": {r"([\d.]+) after": (0.0, 0.05), r"from the content: ([\d.]+)": (0.0, 0.6)},
    "vae": {r"epoch, ([\d.]+) in the last": (5.0, 35.0)},
}


@pytest.mark.parametrize("name", REACHED)
def test_example(name: str, of_tensorflow: Path) -> None:
    printed = printed_by(EXAMPLES / f"{name}.py")
    for pattern, (least, most) in REACHED[name].items():
        assert least <= number(pattern, printed) <= most
    assert printed_by("-m", "gradtape", "run", of_tensorflow / f"{name}.py") == printed


def test_actor_critic_without_gymnasium() -> None:
    code = f"import sys; sys.path.insert(0, {str(EXAMPLES)!r}); sys.modules['gymnasium'] = None\n"
    code += "import actor_critic; print(type(actor_critic.environment()).__name__); actor_critic.run(3)"
    assert re.match(r"CartPole\n\n  [\d.]+ steps in the last twenty of 3 episodes\n", printed_by("-c", code))


def test_every_program_is_here() -> None:
    """Modules that print nothing by themselves are used by the others."""
    programs = {p.stem for p in EXAMPLES.glob("*.py") if '__name__ == "__main__"' in p.read_text(encoding="utf-8")}
    assert programs - {"quickstart", "digits"} == set(REACHED)
