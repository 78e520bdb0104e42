"""Pooling in machine code against NumPy's kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradtape.compiler.backends.window import pattern as emitter
from gradtape.compiler.runtime import kernels, pool
from gradtape.core import dtypes
from gradtape.core.patterns.pooling import Pool
from gradtape.core.shape import Spec
from gradtape.ops import pooling as ops
from gradtape.ops.windows import same_padding, scan

# Shape of the input, window, strides, padding ("SAME" or "VALID"), dilations.
_CASES = {
    "disjoint": ((2, 4, 6, 8), (1, 2, 2, 1), (1, 2, 2, 1), "VALID", (1, 1, 1, 1)),
    "padded": ((2, 5, 7, 35), (1, 2, 2, 1), (1, 2, 2, 1), "SAME", (1, 1, 1, 1)),
    "overlapping": ((2, 5, 7, 3), (1, 3, 3, 1), (1, 2, 2, 1), "SAME", (1, 1, 1, 1)),
    "steps of one": ((2, 5, 7, 4), (1, 3, 2, 1), (1, 1, 1, 1), "SAME", (1, 1, 1, 1)),
    "gaps": ((2, 8, 7, 9), (1, 2, 1, 1), (1, 3, 2, 1), "VALID", (1, 1, 1, 1)),
    "dilated": ((2, 9, 8, 3), (1, 3, 2, 1), (1, 1, 1, 1), "SAME", (1, 2, 3, 1)),
    "one axis": ((2, 9, 3), (1, 3, 1), (1, 2, 1), "SAME", (1, 1, 1)),
    "three axes": ((2, 4, 5, 6, 3), (1, 2, 2, 3, 1), (1, 2, 2, 2, 1), "SAME", (1, 1, 1, 1, 1)),
    "channels first": ((2, 3, 8, 8), (1, 1, 2, 2), (1, 1, 2, 2), "VALID", (1, 1, 1, 1)),
    "one vector": ((7,), (3,), (2,), "SAME", (1,)),
    "large window": ((2, 50, 7, 4), (1, 20, 20, 1), (1, 2, 2, 1), "SAME", (1, 1, 1, 1)),
    "whole image": ((3, 5, 6, 10), (1, 5, 6, 1), (1, 5, 6, 1), "VALID", (1, 1, 1, 1)),
}  # fmt: skip


def _values(rng: Any, shape: Any, dtype: dtypes.DType) -> Any:
    """Small numbers, so that there are ties and exact sums."""
    numbers = rng.integers(0 if dtype.is_unsigned else -40, 40, size=shape)
    return (numbers if dtype.is_integer else numbers / 4).astype(dtype.numpy)


def _calls(case: str, dtype: dtypes.DType) -> list[tuple[Any, Any, dict[str, Any]]]:
    size, window, strides, padding, dilations = _CASES[case]
    pairs = same_padding(size, window, strides, dilations) if padding == "SAME" else ((0, 0),) * len(size)
    params = {"window": window, "strides": strides, "padding": pairs, "dilations": dilations}
    out = scan(size, window, strides, pairs, dilations).out
    rng = np.random.default_rng(3)
    x, g = _values(rng, size, dtype), _values(rng, out, dtype)
    winner = ops.PoolWinner.kernel(x, **params)
    calls: list[Any] = [
        (ops.MaxPool, (x,), params),
        (ops.PoolWinner, (x,), params),
        (ops.PoolPick, (x, winner), params),
        (ops.PoolPlace, (g, winner), {**params, "size": size}),
        (ops.PoolPositions, (winner,), {**params, "size": size, "first": 0, "output_type": dtypes.int64}),
    ]
    if dtype.is_floating:
        calls += [(ops.AvgPool, (x,), params), (ops.AvgPoolGradient, (g,), {**params, "size": size})]
    return calls


def _native(op: Any, arrays: Any, params: dict[str, Any]) -> Any:
    specs = [Spec(a.shape, dtypes.from_numpy(a.dtype)) for a in arrays]
    pattern = op.lower(*specs, **params)
    lowered = (emitter.pool if isinstance(pattern, Pool) else emitter.positions)(pattern, specs, ())
    assert lowered is not None
    return kernels.execute(lowered, arrays, [op.infer(*specs, **params)])[0]


def _check(case: str, dtype: dtypes.DType) -> None:
    for op, arrays, params in _calls(case, dtype):
        expected, found = op.kernel(*arrays, **params), _native(op, arrays, params)
        assert found.dtype == expected.dtype, op.name
        bound = {"float16": 1e-2, "bfloat16": 1e-1, "float32": 1e-5}.get(dtype.name, 1e-12)
        found, expected = found.astype(np.float64), expected.astype(np.float64)
        np.testing.assert_allclose(found, expected, rtol=bound, atol=bound, err_msg=op.name)


@pytest.mark.parametrize("case", _CASES)
def test_results_are_those_of_the_kernels(case: str) -> None:
    _check(case, dtypes.float32)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int8", "uint8", "int32", "int64"])
def test_dtypes(dtype: str) -> None:
    _check("padded", dtypes.as_dtype(dtype))


def test_nan_is_a_maximum_and_never_wins() -> None:
    for op, (x, *_), params in _calls("overlapping", dtypes.float32)[:2]:
        x[:, ::2, ::3] = np.nan
        x[1, 1] = -np.inf
        np.testing.assert_array_equal(_native(op, (x,), params), op.kernel(x, **params))


def test_positions_without_the_examples() -> None:
    op, arrays, params = _calls("padded", dtypes.float32)[4]
    params = {**params, "first": 1, "output_type": dtypes.int32}
    np.testing.assert_array_equal(_native(op, arrays, params), op.kernel(*arrays, **params))


def test_bits_do_not_depend_on_threads() -> None:
    size, window = (16, 20, 20, 24), (1, 3, 3, 1)
    params = {
        "window": window,
        "strides": (1, 2, 2, 1),
        "padding": ((0, 0), (0, 1), (0, 1), (0, 0)),
        "dilations": (1, 1, 1, 1),
    }
    x = np.random.default_rng(0).normal(size=size).astype(np.float32)
    try:
        for op in (ops.MaxPool, ops.AvgPool, ops.PoolWinner):
            found = []
            for threads in (1, 2):
                pool.set_threads(threads)
                found.append(_native(op, (x,), params))
            np.testing.assert_array_equal(found[0], found[1])
    finally:
        pool.set_threads(0)


def test_a_window_that_does_not_move_has_no_kernel() -> None:
    x = Spec((2, 3), dtypes.float32)
    pattern = ops.MaxPool.lower(x, window=(1, 1), strides=(1, 1), padding=((0, 0), (0, 0)), dilations=(1, 1))
    assert emitter.pool(pattern, [x], [x]) is None
