"""Every op with a `scalar` rule, compiled, beside its kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape.ops
from compiler.simd_accuracy import run, special
from gradtape.core import dtypes
from gradtape.core.op import REGISTRY
from gradtape.core.shape import spec_of

gradtape.ops.load_all()

# Parameters of the ops that have some.
PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "cast": [{"dtype": dtypes.float32}, {"dtype": dtypes.float64}],
    "cast_to_discrete": [{"dtype": dtypes.bool_}],
    "leaky_relu": [{"alpha": 0.2}],
    "leaky_relu_grad": [{"alpha": 0.2}],
    "integer_pow": [{"exponent": 5}],
    "silu": [{"beta": 1.0}],
    "gelu": [{"approximate": True}, {"approximate": False}],
}
EMITTED = sorted(name for name, op in REGISTRY.items() if callable(getattr(op, "scalar", None)))
KINDS = {"float32": "f", "float64": "f", "int32": "i", "bool": "b"}

# Rules that add or subtract what may cancel, or that are written otherwise than their kernel: errors are relative to the
# size of the terms. NumPy's float32 functions are off by a few units themselves.
TOLERANCE = {"float32": 4e-6, "float64": 8e-15}
CANCELLING = {
    "gelu_slope",
    "sigmoid_cross_entropy_with_logits",
    "sigmoid_cross_entropy_slope",
    "logaddexp",
    "log_sigmoid",
    "softplus",
}

CASES = [
    (name, parameters, dtype)
    for name in EMITTED
    for parameters in PARAMETERS.get(name, [{}])
    for dtype in KINDS
    if KINDS[dtype] in REGISTRY[name].kinds
]


def arrays(name: str, dtype: str) -> list[Any]:
    """Inputs of an op: moderate numbers, and all combinations of special ones."""
    random = np.random.default_rng(7)
    count = len(REGISTRY[name].inputs)
    if dtype == "bool":
        found = [random.integers(0, 2, 300).astype(bool) for _ in range(count)]
    elif dtype == "int32":
        low = 1 if name in ("floordiv", "floormod", "truncatediv", "truncatemod") else -40
        found = [random.integers(-40, 40, 300).astype(dtype)]
        found += [random.integers(0 if name == "pow" else low, 40, 300).astype(dtype) for _ in range(count - 1)]
    else:
        ends = special(dtype)
        grid = np.meshgrid(*[ends] * min(count, 2))
        found = [
            np.concatenate([random.standard_normal(2000) * 3, grid[i % 2 if count > 1 else 0].ravel()]).astype(dtype)
            for i in range(count)
        ]
    for i, input_name in enumerate(REGISTRY[name].inputs):
        if input_name in ("mask", "condition"):
            found[i] = random.integers(0, 2, found[0].size).astype(bool)
        if input_name == "labels":
            found[i] = random.random(found[0].size).astype(dtype)
    return found


@pytest.mark.parametrize(
    ("name", "parameters", "dtype"), CASES, ids=[f"{n}-{d}-{i}" for i, (n, _, d) in enumerate(CASES)]
)
def test_compiled_equals_eager(name: str, parameters: dict[str, Any], dtype: str) -> None:
    op: Any = REGISTRY[name]
    inputs = arrays(name, dtype)
    with np.errstate(all="ignore"):
        want = op.kernel(*inputs, **parameters)
    assert want.dtype == op.infer(*[spec_of(x) for x in inputs], **parameters).dtype.numpy
    got = run(lambda cg, *xs: op.scalar(cg, *xs, **parameters), *inputs, out=want.dtype)
    if want.dtype.kind != "f":
        np.testing.assert_array_equal(got, want)
        return
    unlike = np.isnan(got) != np.isnan(want)
    assert not unlike.any(), f"NaNs differ at {[x[unlike][:5] for x in inputs]}: {got[unlike][:5]}, {want[unlike][:5]}"
    rtol = TOLERANCE[want.dtype.name]
    np.testing.assert_allclose(got, want, rtol, rtol if name in CANCELLING else np.finfo(want.dtype).tiny)


def test_there_are_ops() -> None:
    assert len(EMITTED) > 80
