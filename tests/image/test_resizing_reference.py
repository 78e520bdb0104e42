"""`tf.image.resize` against what TensorFlow gives for the same images; see `data/make_resized.py`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf

DATA = Path(__file__).parent / "data"


def load(path: Path) -> Any:
    """The module in a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKER = load(DATA / "make_resized.py")
STORED = np.load(DATA / "resized.npz")
ENDS = np.cumsum(STORED["shapes"].prod(1))
EXPECTED = [rows.reshape(s) for rows, s in zip(np.split(STORED["values"], ENDS[:-1]), STORED["shapes"], strict=True)]


def cases() -> list[Any]:
    """A parameter for each case, with its number."""
    return [pytest.param(i, case, id="-".join(map(str, case.values()))) for i, case in enumerate(MAKER.cases())]


def tolerance(case: dict[str, Any]) -> float:
    """How far values from 0 to 255 may be apart. TensorFlow reads plain bicubic weights from a table of 1024 entries."""
    return 255 * 1e-3 if case["method"] == "bicubic" and not case.get("antialias") else 255 * 1e-5


@pytest.mark.parametrize(("number", "case"), cases())
def test_equals_tensorflow(number: int, case: dict[str, Any]) -> None:
    result = tf.image.resize(MAKER.picture(), **case)
    np.testing.assert_allclose(result, EXPECTED[number], rtol=1e-5, atol=tolerance(case))


@pytest.mark.parametrize(("number", "case"), cases())
def test_equals_tensorflow_on_bytes(number: int, case: dict[str, Any]) -> None:
    result = tf.image.resize(MAKER.picture(np.uint8), **case)
    assert result.dtype == (tf.uint8 if case["method"] == "nearest" else tf.float32)
    np.testing.assert_allclose(result, EXPECTED[number], rtol=1e-5, atol=tolerance(case))


@pytest.mark.parametrize("method", MAKER.METHODS)
def test_compiled_equals_eager(method: str) -> None:
    resize = tf.function(lambda x: tf.image.resize(x, (7, 13), method, antialias=True))
    expected = tf.image.resize(MAKER.picture(), (7, 13), method, antialias=True)
    np.testing.assert_allclose(resize(tf.constant(MAKER.picture())), expected, rtol=1e-5, atol=1e-4)
