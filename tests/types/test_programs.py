"""Type checkers accept and understand programs that use gradtape, as their authors would run them.

The programs are the examples, the code of README.md and of the documents, and those in `programs/`: lines of `assert_type`, and
mistakes that must be found.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("mypy")

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MISTAKES = Path(__file__).parent / "programs" / "mistakes.py"
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def documents_as_programs(folder: Path) -> list[Path]:
    """The Python code of each document in a file, on the lines that it has there; blocks of `>>>` are left out."""
    found = []
    for path in DOCUMENTS:
        # Type checkers bring types of TensorFlow; here that name stands for gradtape.
        text = path.read_text(encoding="utf-8").replace("import tensorflow as tf", "import gradtape as tf")
        lines = [""] * text.count("\n")
        for block in _BLOCK.finditer(text):
            if not block[1].startswith(">>>"):
                first = text.count("\n", 0, block.start(1))
                own = block[1].splitlines()
                lines[first : first + len(own)] = own
        if any(lines):
            found.append(folder / f"{path.stem.lower()}.py")
            found[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return found


def mypy(folder: Path, files: list[Path], *options: str) -> list[str]:
    """The errors that mypy finds in programs, as `file:line: error: message`."""
    config = folder / "mypy.ini"
    lines = [
        "[mypy]",
        f"mypy_path = {ROOT / 'src'}",
        "follow_imports = silent",
        "ignore_missing_imports = true",
        *options,
    ]
    config.write_text("\n".join(lines), encoding="utf-8")
    cache = ROOT / ".mypy_cache" / "programs"
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        config,
        "--cache-dir",
        cache,
        "--no-error-summary",
        *files,
    ]
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, cwd=folder)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return [line for line in run.stdout.splitlines() if ": error: " in line]


def test_mypy_understands_programs(tmp_path: Path) -> None:
    files = [*EXAMPLES, *documents_as_programs(tmp_path)]
    assert len(files) + len(PROGRAMS) >= 30
    options = ["check_untyped_defs = true", "allow_redefinition_new = true", "local_partial_types = true"]
    assert mypy(tmp_path, files, *options) == []


def test_mypy_is_exact_where_it_is_strict(tmp_path: Path) -> None:
    errors = mypy(tmp_path, PROGRAMS, "strict = true")
    others = [line for line in errors if MISTAKES.name not in line]
    assert others == []
    assert {int(line.split(":")[1]) for line in errors} == mistakes()


def mistakes() -> set[int]:
    """The lines that are wrong."""
    lines = MISTAKES.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# mistake")}


def test_pyright_understands_programs(tmp_path: Path) -> None:
    pytest.importorskip("basedpyright")
    config = {
        "include": [str(p) for p in [*PROGRAMS, *EXAMPLES, *documents_as_programs(tmp_path)]],
        "extraPaths": [str(ROOT / "src")],
        "typeCheckingMode": "standard",
        "pythonPath": sys.executable,
        "reportMissingImports": False,
        # Scripts use what a loop has left behind.
        "reportPossiblyUnbound": False,
        "reportPossiblyUnboundVariable": False,
        "reportUnusedExpression": False,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "-p", str(tmp_path), "--outputjson"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [d for d in json.loads(run.stdout)["generalDiagnostics"] if d["severity"] == "error"]
    assert [f"{d['file']}: {d['message']}" for d in found if Path(d["file"]) != MISTAKES] == []
    assert {d["range"]["start"]["line"] + 1 for d in found} == mistakes()


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "src" / "gradtape" / "py.typed").exists()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "Typing :: Typed" in project["classifiers"]
