"""Results of TensorFlow Probability on TensorFlow, stored beside this file, and comparisons with them.

The wheel of TensorFlow Probability carries no tests, so these are our own: pytest runs them under `gradtape run`. With TensorFlow
itself, `RECORD=1 python -m pytest conformance/libraries/probability` stores what it gives.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

STORED = Path(__file__).with_name("recorded.json")
RECORDS = os.environ.get("RECORD") == "1"
_known: dict[str, Any] = json.loads(STORED.read_text()) if STORED.exists() else {}
NOT_THERE = "not there"


def plain(value: Any) -> Any:
    """A result as lists of numbers."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    array = np.asarray(value)
    if array.dtype.kind == "c":
        return [plain(array.real), plain(array.imag)]
    return np.vectorize(lambda x: float(f"{float(x):.9g}"), otypes=[float])(array).tolist() if array.size else []


def asked(function: Callable[[], Any]) -> Any:
    """What a function returns, or that it raises: the library does not have everything for every object."""
    try:
        return plain(function())
    except Exception as problem:
        return NOT_THERE if RECORDS else f"raises {type(problem).__name__}: {problem}"[:600]


def check(name: str, results: dict[str, Callable[[], Any]], tolerance: float = 1e-6) -> None:
    """Compare results with those of TensorFlow, or store them."""
    found = {what: asked(function) for what, function in results.items()}
    if RECORDS:
        _known[name] = found
        STORED.write_text(json.dumps(_known, sort_keys=True, separators=(",", ":")).replace('},"', '},\n"') + "\n")
        return
    expected = _known[name]
    assert set(found) == set(expected)
    known = [what for what in found if expected[what] != NOT_THERE]
    wrong = [what for what in known if not same(found[what], expected[what], tolerance)]
    assert not wrong, "\n".join(f"{name}, {what}: {found[what]}, TensorFlow {expected[what]}" for what in wrong)


def same(a: Any, b: Any, tolerance: float) -> bool:
    """Whether two results agree, up to rounding."""
    if isinstance(a, dict) and isinstance(b, dict):
        return set(a) == set(b) and all(same(a[k], b[k], tolerance) for k in a)
    if a is None or b is None or isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    if (
        isinstance(a, list)
        and isinstance(b, list)
        and (any(x is None or isinstance(x, (str, list, dict)) for x in a + b))
    ):
        return len(a) == len(b) and all(same(x, y, tolerance) for x, y in zip(a, b, strict=True))
    x, y = np.asarray(a, float), np.asarray(b, float)
    return x.shape == y.shape and bool(np.allclose(x, y, rtol=tolerance, atol=tolerance, equal_nan=True))


def recorded(name: str, what: str) -> Any:
    """A result of TensorFlow's that another test stores."""
    return _known[name][what]


def gradients(function: Callable[..., Any], values: dict[str, Any]) -> dict[str, Any]:
    """The gradients of the sum of a function's result with respect to all values of it that are floating point numbers."""
    variables = {name: tf.constant(value, tf.float64) for name, value in values.items()}
    with tf.GradientTape() as tape:
        tape.watch(variables)
        total = tf.reduce_sum(function(**variables))
    return tape.gradient(total, variables)  # type: ignore[no-any-return]
