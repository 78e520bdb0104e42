"""Everything that the installed Keras asks of a backend is there."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from typing import Any

import pytest

MODULES = ("core", "image", "linalg", "math", "nn", "numpy", "random")
# `backend.math.histogram` is a slip of Keras: no backend has it, and `backend.numpy.histogram` is what is meant.
SLIPS = {("math", "histogram")}


def asked_for(source: Path) -> set[tuple[str, str]]:
    """Pairs of module and name that occur as `backend.<module>.<name>` in Keras's library code."""
    found = set()
    for path in source.rglob("*.py"):
        parts = path.relative_to(source).parts
        if path.name.endswith("_test.py") or (parts[0] == "backend" and parts[1] not in ("common", "__init__.py")):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Attribute)
                and isinstance(node.value.value, ast.Name)
                and node.value.value.id == "backend"
                and node.value.attr in MODULES
            ):
                found.add((node.value.attr, node.attr))
    return found


def test_every_function_is_there(keras: Any) -> None:
    backend = importlib.import_module("gradtape.keras_backend")
    wanted = asked_for(Path(inspect.getfile(keras.Model)).parents[1]) - SLIPS
    assert len(wanted) > 300
    missing = sorted(f"{m}.{n}" for m, n in wanted if not hasattr(getattr(backend, m), n))
    assert missing == []


@pytest.mark.parametrize("module", ["core", "image", "linalg", "math", "nn", "numpy"])
def test_signatures_are_those_of_keras(keras: Any, module: str) -> None:
    """Arguments have the names and the order of the functions of `keras.ops`, which call them by name."""
    backend = importlib.import_module(f"gradtape.keras_backend.ops.{module}")
    own_file = Path(inspect.getfile(keras.Model)).parents[1] / "backend" / "numpy" / f"{module}.py"
    for node in ast.parse(own_file.read_text()).body:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") or not hasattr(backend, node.name):
            continue
        expected = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
        own = [
            p.name
            for p in inspect.signature(getattr(backend, node.name)).parameters.values()
            if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        if not (node.args.vararg or node.args.kwarg):
            assert own[: len(expected)] == expected, node.name
