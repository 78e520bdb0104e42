"""Writes the public name of every internal one that TensorFlow's test files use; runs where TensorFlow is installed.

    python conformance/tensorflow_tests/public_names.py SOURCE FILE

The test files import `tensorflow.python.ops.array_ops` and the like. What these names mean is what this TensorFlow says: `names` has the
public name, or the value of a constant; `modules` says which modules there are.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import re
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

# The modules of both versions show each other, and themselves.
_NESTED = re.compile(r"tf\.(compat\.v[12]\.)*compat\.")
# They import Keras, or a package that is not there.
_NOT_WALKED = {"estimator", "initializers", "keras", "layers", "losses", "metrics", "optimizers"}


def public_names() -> dict[int, str]:
    """The public name of each object, by identity. Names of TensorFlow 2 come before those of `tf.compat.v1`, short ones before long ones."""
    found: dict[int, str] = {}
    seen: set[int] = set()

    def walk(module: ModuleType, path: str) -> None:
        if id(module) in seen:
            return
        seen.add(id(module))
        for name in dir(module):
            if name.startswith("_") or name in _NOT_WALKED:
                continue
            try:
                value = getattr(module, name)
                is_module = inspect.ismodule(value) and value.__name__.startswith("tensorflow._api")
            except Exception:  # modules that are loaded later raise what they like
                continue
            if is_module:
                walk(value, f"{path}.{name}")
            elif not inspect.ismodule(value) and not isinstance(value, (int, float, str, bool, tuple, type(None))):
                old, new = found.get(id(value)), f"{path}.{name}"
                if old is None or _rank(new) < _rank(old):
                    found[id(value)] = new

    walk(tf, "tf")
    walk(tf.compat.v1, "tf.compat.v1")
    return {key: _NESTED.sub("tf.compat.", path) for key, path in found.items()}


def _rank(path: str) -> tuple[bool, int]:
    return "compat.v1" in path, len(path)


def uses(source: Path) -> dict[str, set[str]]:
    """The names that the test files take from each internal module."""
    found: dict[str, set[str]] = defaultdict(set)
    ends = ("_test", "test_base", "test_util", "_test_ops")
    for file in [file for end in ends for file in source.rglob(f"*{end}.py")]:
        tree = ast.parse(file.read_text("utf-8"))
        imported = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tensorflow"):
                for alias in node.names:
                    imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                    found[node.module].add(alias.name)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported:
                found[imported[node.value.id]].add(node.attr)
    return found


def table(source: Path) -> dict[str, Any]:
    """`names` and `modules`, as the docstring of this file says."""
    public = public_names()
    raw = {name.lower(): name for name in dir(tf.raw_ops) if not name.startswith("_")}
    names: dict[str, Any] = {}
    modules: dict[str, bool] = {}
    for path, asked in sorted(uses(source).items()):
        try:
            module = importlib.import_module(path)
        except Exception:  # it is a class, is gone, or needs what is not installed
            modules[path] = False
            continue
        modules[path] = True
        for name in asked:
            try:
                value = getattr(module, name)
            except Exception:
                continue
            # Modules also show names of their generated modules as their own.
            is_generated = ".gen_" in path or ".gen_" in (getattr(value, "__module__", None) or "")
            own = raw.get(name.lower().replace("_", "")) if is_generated else None
            if id(value) in public and not inspect.ismodule(value):
                names[f"{path}.{name}"] = public[id(value)]
            elif own is not None and callable(value):
                names[f"{path}.{name}"] = f"tf.raw_ops.{own}"
            elif isinstance(value, (int, float, str, bool)):
                names[f"{path}.{name}"] = {"value": value}
    return {"names": names, "modules": modules}


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(table(Path(sys.argv[1])), indent=0))
