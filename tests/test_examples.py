"""The programs in examples/, run as a user runs them: as they are, and as programs of TensorFlow under `gradtape run`."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def printed_by(folder: Path, *command: str | Path) -> str:
    """The output of a program in a folder, which may get a picture; without warnings, in lines that fit a terminal."""
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True, text=True, encoding="utf-8", check=False, timeout=240, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert max(len(line) for line in done.stdout.splitlines()) <= 100
    return done.stdout


def without_times(text: str) -> str:
    """Text without the times of Keras's steps."""
    return re.sub(r"\d+(s|ms|us)\b", "", text)


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


def test_quickstart(tmp_path: Path) -> None:
    printed = printed_by(tmp_path, EXAMPLES / "quickstart.py")
    for expected in (
        "tf.Tensor(6.0, shape=(), dtype=float32)",
        "{'w': [[-3.0, -5.0], [3.0, 5.0]], 'b': [-3.0, -5.0]}",
        "dz/dx = 108.0",
        "dy/dx = 2.0   d2y/dx2 = 2.0",
        "m = np.mean(h.numpy())   <-- here",
        "fix:",
        "Epoch 5/5",
        "saved and loaded; equal predictions: True",
    ):
        assert expected in printed
    assert number(r"([\d.]+)% on unseen points", printed) > 97
    assert number(r"([\d.]+)% on unseen digits", printed) > 95


# What each program reaches: patterns of numbers that it prints, with the least and the greatest that will do.
REACHED: dict[str, dict[str, tuple[float, float]]] = {
    "actor_critic": {r"([\d.]+) steps in the last": (100.0, 200.0)},
    "autodiff_patterns": {
        r"step 6: height ([\d.e+-]+)": (0.0, 1e-9),
        r"d height: \[0\. +([\d.]+)\]": (0.8414, 0.8415),
    },
    "custom_gradients": {r"plain: nan   custom: ([\d.]+)": (1.0, 1.0), r"dE/de = ([\d.]+)": (1.048, 1.0481)},
    "cvae": {r"([-\d.]+) before": (-60.0, -40.0), r"([-\d.]+) after training": (-21.0, -10.0)},
    "cyclegan": {r"error: ([\d.]+) to night": (0.0, 0.5), r"([\d.]+) to day": (0.0, 0.4)},
    "dcgan": {r"([\d.]+) times that of real": (0.0, 1.8), r"(\d) of 4 kinds": (3, 4)},
    "deep_dream": {r"([\d.]+) before": (0.0, 1.0), r"([\d.]+) after; 1 trace": (2.0, 100.0)},
    "digits": {r"([\d.]+)% on unseen digits": (95.0, 100.0)},
    "fgsm": {
        r"network, noise +[\d.]+% +[\d.]+% +([\d.]+)%": (90.0, 100.0),
        r"plain network, attacked +[\d.]+% +[\d.]+% +([\d.]+)%": (0.0, 45.0),
        r"hardened network, attacked +[\d.]+% +[\d.]+% +([\d.]+)%": (65.0, 100.0),
    },
    "fine_tuning": {r"([\d.]+)% on unseen ones\n.*body unchanged: True": (90.0, 100.0)},
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
def test_example(name: str, of_tensorflow: Path, tmp_path: Path) -> None:
    printed = printed_by(tmp_path, EXAMPLES / f"{name}.py")
    for pattern, (least, most) in REACHED[name].items():
        assert least <= number(pattern, printed) <= most
    again = printed_by(tmp_path, "-m", "gradtape", "run", of_tensorflow / f"{name}.py")
    assert without_times(again) == without_times(printed)


def test_actor_critic_without_gymnasium(tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(EXAMPLES)!r}); sys.modules['gymnasium'] = None\n"
    code += "import actor_critic; print(type(actor_critic.environment()).__name__); actor_critic.run(3)"
    assert re.match(
        r"CartPole\n\n(?:  picture: \S+\n\n)?  [\d.]+ steps in the last twenty of 3 episodes\n",
        printed_by(tmp_path, "-c", code),
    )


def functions(path: Path) -> dict[str, str]:
    """The functions of a program, by name, as text."""
    text = path.read_text(encoding="utf-8")
    found = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.get_source_segment(text, node) or "" for node in found}


PROGRAMS = sorted(EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_program_can_be_copied_alone(path: Path) -> None:
    imported = re.findall(r"^\s*(?:import|from) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert not {p.stem for p in PROGRAMS} & set(imported)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_docstring_says_what_one_learns_and_how_to_run(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(text)) or ""
    assert "\n\nYou learn " in docstring
    assert f"\n\n    python examples/{path.name}" in docstring
    assert re.findall(r"saves (\S+\.png)", docstring) == sorted(set(re.findall(r'"(\w+\.png)"', text)))


def test_copies_of_a_function_are_equal() -> None:
    """Every program carries the data and the display that it needs; a change to one copy is a change to all."""
    copies: dict[str, set[str]] = {}
    for path in PROGRAMS:
        for name, text in functions(path).items():
            copies.setdefault(name, set()).add(text)
    shared = ("draw_digits", "draw_textures", "heading", "show", "show_images", "train_network")
    assert {name: len(copies[name]) for name in shared} == dict.fromkeys(shared, 1)


def test_every_program_is_here() -> None:
    assert {p.stem for p in PROGRAMS} - {"quickstart"} == set(REACHED)


def test_notebooks_are_in_step_with_the_programs() -> None:
    command = [sys.executable, str(EXAMPLES.parent / "tools" / "notebooks.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr} Run `make notebooks`."


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_notebook_has_all_code(path: Path) -> None:
    """The cells together are the program, without its docstring and with the main block unfolded."""
    content = json.loads((EXAMPLES / "notebooks" / f"{path.stem}.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]
    *program, main = ast.parse(path.read_text(encoding="utf-8")).body[1:]
    assert isinstance(main, ast.If)
    assert ast.dump(ast.parse("\n".join(cells))) == ast.dump(ast.Module([*program, *main.body], []))


def test_notebook_runs(tmp_path: Path) -> None:
    path = EXAMPLES / "notebooks" / "linear_regression.ipynb"
    printed = printed_by(tmp_path, "-m", "gradtape", "run", path)
    assert number(r"largest difference: ([\d.]+)", printed) < 0.02
