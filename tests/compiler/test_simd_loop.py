"""Kernels over arrays: every length, every alignment, single elements, parts of a range, results in place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from compiler.elementwise import ElementwiseKernel, elementwise_kernel
from compiler.simd_accuracy import run
from gradtape.compiler.codegen.simd.machine import host
from gradtape.core import dtypes


def shifted(cg: Any, x: Any) -> Any:
    return cg.add(cg.mul(x, x), cg.constant(1, x))


@pytest.fixture(scope="module", params=["float32", "float64", "int8", "bfloat16"])
def square(request: pytest.FixtureRequest) -> tuple[ElementwiseKernel, Any]:
    kind = dtypes.as_dtype(request.param)
    return elementwise_kernel("square", [kind], kind, shifted), kind.numpy


def test_every_length_and_alignment(square: tuple[ElementwiseKernel, Any]) -> None:
    kernel, dtype = square
    width = host().lanes(dtype.itemsize)
    source = (np.arange(4 * width + 16) % 11).astype(dtype)
    for offset in range(3):
        for n in range(2 * width + 4):
            x = source[offset : offset + n]
            target = np.full(n + 8, 77, dtype)
            kernel(x.ctypes.data, target[3:].ctypes.data, 0, n)
            np.testing.assert_array_equal(target[3 : 3 + n], x * x + np.ones((), dtype))
            assert (target[:3] == 77).all()
            assert (target[3 + n :] == 77).all()


def test_addresses_that_are_no_multiple_of_the_size() -> None:
    kernel = elementwise_kernel("square", [dtypes.uint8], dtypes.uint8, shifted)
    source, target = np.arange(200, dtype=np.uint8), np.zeros(200, np.uint8)
    for offset in range(17):
        kernel(source.ctypes.data + offset, target.ctypes.data + 1, 0, 99)
        np.testing.assert_array_equal(target[1:100], source[offset : offset + 99] ** 2 + np.uint8(1))


def test_parts_of_a_range(square: tuple[ElementwiseKernel, Any]) -> None:
    kernel, dtype = square
    x, y = (np.arange(100) % 7).astype(dtype), np.zeros(100, dtype)
    kernel(x.ctypes.data, y.ctypes.data, 13, 58)
    np.testing.assert_array_equal(y[13:58], x[13:58] * x[13:58] + np.ones((), dtype))
    assert not y[:13].any()
    assert not y[58:].any()
    kernel(x.ctypes.data, y.ctypes.data, 9, 3)
    assert not y[:13].any()


def test_in_place(square: tuple[ElementwiseKernel, Any]) -> None:
    kernel, dtype = square
    x = (np.arange(101) % 9).astype(dtype)
    want = x * x + np.ones((), dtype)
    kernel(x.ctypes.data, x.ctypes.data, 0, x.size)
    np.testing.assert_array_equal(x, want)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "bool", "float16", "bfloat16"])
def test_single_elements_as_inputs(dtype: str) -> None:
    kind = dtypes.as_dtype(dtype).numpy
    x, one = (np.arange(45) % 5).astype(kind), np.array([3]).astype(kind)
    got = run(lambda cg, a, b: cg.add(a, b), x, one, scalars=(False, True))
    np.testing.assert_array_equal(got, x + one)
    got = run(lambda cg, a, b: cg.mul(b, a), x[:3], x[:3], scalars=(False, False))
    np.testing.assert_array_equal(got, x[:3] * x[:3])


def test_inputs_of_several_dtypes() -> None:
    x, n = np.linspace(0, 1, 77, dtype=np.float32), np.arange(77, dtype=np.int64)
    got = run(lambda cg, a, b: cg.add(cg.cast(a, "float64"), cg.cast(b, "float64")), x, n, out=np.float64)
    np.testing.assert_array_equal(got, x.astype(np.float64) + n)


def test_results_of_several_threads() -> None:
    kernel = elementwise_kernel("sine", [dtypes.float32], dtypes.float32, lambda cg, x: cg.sin(x))
    x = np.random.default_rng(7).standard_normal(40_001).astype(np.float32)
    whole, parts = np.empty_like(x), np.empty_like(x)
    kernel(x.ctypes.data, whole.ctypes.data, 0, x.size)
    edges = [0, 1003, 20_000, 20_001, 33_333, x.size]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda a, b: kernel(x.ctypes.data, parts.ctypes.data, a, b), edges[:-1], edges[1:]))
    np.testing.assert_array_equal(whole.view(np.uint32), parts.view(np.uint32))
