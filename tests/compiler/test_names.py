"""Names of classes: within a layer, no two classes have the same, so that a name in a message or a search means one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import gradtape


@pytest.mark.parametrize("layer", ["compiler", "transform"])
def test_no_class_name_occurs_twice_in_a_layer(layer: str) -> None:
    root = Path(gradtape.__file__).parent / layer
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(root)}:{node.lineno}")
    assert len(places) > 10
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
