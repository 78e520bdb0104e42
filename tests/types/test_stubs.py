"""Stubs are what tools/stubs.py writes: a public name that is added, renamed or made of another op cannot leave them behind."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

import pytest

import gradtape as tf

ROOT = Path(__file__).resolve().parents[2]
_SPEC = importlib.util.spec_from_file_location("stubs", ROOT / "tools" / "stubs.py")
assert _SPEC is not None
assert _SPEC.loader is not None
stubs = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(stubs)


def test_stubs_are_not_stale() -> None:
    assert [str(path.relative_to(ROOT)) for path in stubs.stale()] == [], "run `python tools/stubs.py`."


def test_stale_stubs_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tf.math, "__all__", [*tf.math.__all__, "pi"])
    monkeypatch.setattr(tf.math, "pi", 3.14, raising=False)
    assert [path.parent.name for path in stubs.stale()] == ["math"]


def test_functions_of_families_are_spelled_out() -> None:
    text = (ROOT / "src" / "gradtape" / "math" / "__init__.pyi").read_text(encoding="utf-8")
    assert "def tanh(x: TensorLike, name: str | None = None) -> Tensor:\n" in text
    assert [line.strip() for line in inspect.getdoc(tf.tanh).splitlines() if line.strip() not in text] == []
