"""Convolutions in machine code against NumPy's kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradtape.compiler.backends.convolution import lowering
from gradtape.compiler.runtime import kernels, pool
from gradtape.core import dtypes, hot_kernels
from gradtape.core.patterns.convolution import Convolve
from gradtape.core.patterns.product import Product
from gradtape.core.shape import Spec
from gradtape.ops import convolution
from gradtape.ops.windows import same_padding, scan

# Shapes of the input and the filter, strides, padding ("SAME" or pairs), dilations, groups.
_CASES = {
    "small": ((2, 5, 7, 3), (3, 3, 3, 4), (1, 1), "SAME", (1, 1), 1),
    "strided": ((2, 5, 7, 3), (3, 2, 3, 5), (2, 2), "SAME", (1, 1), 1),
    "unpadded": ((2, 9, 7, 3), (3, 3, 3, 5), (2, 3), ((0, 0), (0, 0)), (1, 1), 1),
    "dilated": ((2, 9, 7, 3), (3, 3, 3, 20), (1, 1), "SAME", (2, 2), 1),
    "dilated with strides": ((2, 9, 8, 3), (3, 2, 3, 20), (2, 3), "SAME", (2, 2), 1),
    "point with strides": ((2, 9, 7, 3), (1, 1, 3, 20), (3, 3), "SAME", (1, 1), 1),
    "uneven padding": ((2, 9, 7, 3), (3, 3, 3, 17), (3, 2), ((2, 1), (0, 3)), (1, 2), 1),
    "window beyond the input": ((1, 2, 3, 4), (5, 5, 4, 9), (1, 1), "SAME", (1, 1), 1),
    "one axis": ((3, 11, 4), (3, 4, 17), (2,), "SAME", (1,), 1),
    "three axes": ((2, 5, 4, 6, 4), (2, 3, 2, 4, 17), (2, 1, 1), "SAME", (1, 1, 1), 1),
    "groups": ((2, 9, 7, 6), (3, 3, 3, 20), (1, 1), "SAME", (1, 1), 2),
    "groups with strides": ((2, 9, 7, 6), (3, 3, 2, 9), (2, 1), "SAME", (1, 1), 3),
    "groups with one filter each": ((2, 4, 3, 4), (2, 2, 2, 2), (1, 1), ((1, 0), (0, 1)), (1, 1), 2),
    "blocks of channels": ((2, 9, 7, 301), (3, 3, 301, 33), (1, 1), "SAME", (1, 1), 1),
    "one place": ((1, 1, 1, 5), (1, 1, 5, 7), (1, 1), "SAME", (1, 1), 1),
    "long rows": ((1, 3, 3000, 5), (3, 3, 5, 24), (1, 1), "SAME", (1, 1), 1),
    "large images": ((2, 200, 280, 1), (3, 3, 1, 2), (1, 1), "SAME", (1, 1), 1),
    "many images": ((40, 6, 6, 16), (3, 3, 16, 33), (1, 1), "SAME", (1, 1), 1),
    "three channels": ((4, 17, 17, 3), (7, 7, 3, 16), (2, 2), "SAME", (1, 1), 1),
    "minimal filtering": ((3, 7, 9, 20), (3, 3, 20, 40), (1, 1), "SAME", (1, 1), 1),
    "minimal filtering, unpadded": ((9, 8, 10, 16), (3, 3, 16, 24), (1, 1), ((0, 0), (0, 0)), (1, 1), 1),
    "minimal filtering, blocks of channels": ((6, 9, 7, 200), (3, 3, 200, 48), (1, 1), "SAME", (1, 1), 1),
    "minimal filtering, many channels": ((3, 8, 8, 515), (3, 3, 515, 32), (1, 1), "SAME", (1, 1), 1),
    "few filters": ((2, 9, 7, 20), (3, 3, 20, 3), (1, 1), "SAME", (1, 1), 1),
    "one filter": ((2, 9, 8, 8), (3, 2, 8, 1), (2, 1), "SAME", (1, 2), 1),
    "grey images": ((3, 9, 8, 1), (5, 5, 1, 16), (2, 2), "SAME", (1, 1), 1),
    "depthwise": ((2, 9, 7, 19), (3, 3, 1, 19), (1, 1), "SAME", (1, 1), 19),
    "depthwise with strides": ((2, 9, 8, 8), (3, 2, 1, 8), (2, 1), ((1, 2), (0, 1)), (1, 1), 8),
    "depthwise of many channels": ((2, 12, 9, 300), (3, 3, 1, 300), (1, 1), "SAME", (2, 1), 300),
    "depthwise with a multiplier": ((2, 9, 7, 5), (3, 3, 1, 15), (2, 2), "SAME", (1, 1), 5),
    "depthwise in one axis": ((3, 50, 12), (3, 1, 12), (1,), "SAME", (2,), 12),
}  # fmt: skip


def _problem(case: str, dtype: str) -> tuple[dict[str, Any], Any, Any, Any]:
    shape, window, strides, padding, dilations, groups = _CASES[case]
    if padding == "SAME":
        padding = same_padding(shape[1:-1], window[:-2], strides, dilations)
    params = {"strides": strides, "padding": padding, "dilations": dilations, "groups": groups}
    out = scan(shape[1:-1], window[:-2], strides, padding, dilations).out
    rng = np.random.default_rng(7)
    x, w, g = (rng.normal(size=s).astype(dtype) for s in (shape, window, (shape[0], *out, window[-1])))
    return params, x, w, g


def _calls(case: str, dtype: str) -> list[tuple[Any, tuple[Any, Any], dict[str, Any]]]:
    """The three ops with their inputs and parameters."""
    params, x, w, g = _problem(case, dtype)
    return [
        (convolution.Convolution, (x, w), params),
        (convolution.ConvolutionInputGradient, (g, w), {**params, "size": x.shape[1:-1]}),
        (convolution.ConvolutionFilterGradient, (x, g), {**params, "window": w.shape[:-2]}),
    ]


def _native(op: Any, arrays: Any, params: dict[str, Any]) -> Any:
    """The op's result by machine code."""
    specs = [Spec(a.shape, dtypes.from_numpy(a.dtype)) for a in arrays]
    pattern = op.lower(*specs, **params)
    assert isinstance(pattern, Convolve | Product)
    if isinstance(pattern, Product):
        pattern = _convolve(op, specs, params)
    lowered = lowering.lower(pattern)
    assert lowered is not None
    return kernels.execute(lowered, arrays, [op.infer(*specs, **params)])[0]


def _convolve(op: Any, specs: list[Spec], params: dict[str, Any]) -> Convolve:
    """The pattern of a convolution that would be a product of matrices, too."""
    x, w = (specs[0].shape, specs[1].shape)
    size, channels = (params["size"], w[-2]) if op.computes == "input" else (x[1:-1], x[-1])
    way = scan(size, w[:-2], params["strides"], params["padding"], params["dilations"])
    return Convolve(op.computes, specs[0].dtype, x[0], channels, w[-1], 1, size, *way)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", _CASES)
def test_results_are_those_of_the_kernels(case: str, dtype: str) -> None:
    for op, arrays, params in _calls(case, dtype):
        expected = op.kernel(*arrays, **params)
        found = _native(op, arrays, params)
        bound = np.abs(expected).max() * np.finfo(dtype).eps * 64
        np.testing.assert_allclose(found, expected, rtol=0, atol=bound, err_msg=op.name)


@pytest.mark.parametrize(
    "case",
    [
        "minimal filtering",
        "minimal filtering, blocks of channels",
        "many images",
        "blocks of channels",
        "depthwise of many channels",
        "three channels",
    ],
)
def test_bits_do_not_depend_on_threads(case: str) -> None:
    try:
        for op, arrays, params in _calls(case, "float32"):
            found = []
            for threads in (1, 2):
                pool.set_threads(threads)
                found.append(_native(op, arrays, params))
            np.testing.assert_array_equal(found[0], found[1], err_msg=op.name)
    finally:
        pool.set_threads(0)


def test_zeros_meet_what_is_not_finite_as_in_numpy() -> None:
    params, x, w, _ = _problem("small", "float32")
    w[0, 0, 0, 0] = np.inf
    with np.errstate(invalid="ignore"):
        expected = convolution.Convolution.kernel(x, w, **params)
    np.testing.assert_array_equal(np.isnan(_native(convolution.Convolution, (x, w), params)), np.isnan(expected))


def test_what_a_window_sees_does_not_fill_the_stack() -> None:
    shape, window = (1, 400, 400, 2), (400, 400, 2, 2)
    pattern = Convolve("forward", dtypes.float64, 1, 2, 2, 1, shape[1:-1], (1, 1), window[:-2], (0, 0), (1, 1), (1, 1))
    assert lowering.lower(pattern) is None


def test_other_dtypes_and_empty_arrays_have_no_pattern() -> None:
    params = {"strides": (1,), "padding": ((0, 0),), "dilations": (1,), "groups": 1}
    for shape, dtype in (((2, 5, 3), dtypes.int32), ((0, 5, 3), dtypes.float32), ((2, 5, 3), dtypes.complex64)):
        assert convolution.Convolution.lower(Spec(shape, dtype), Spec((2, 3, 4), dtype), **params) is None


def test_eager_convolutions_get_code_after_some_calls() -> None:
    for op, arrays, params in _calls("large images", "float32"):
        first = op.kernel(*arrays, **params)
        for _ in range(12):
            last = op.kernel(*arrays, **params)
        assert hot_kernels.kernel(op, arrays, params) is not None
        np.testing.assert_allclose(last, first, rtol=0, atol=np.abs(first).max() * 1e-5, err_msg=op.name)
