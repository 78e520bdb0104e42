"""Modules become machine code, in this process or kept for another."""

from __future__ import annotations

import ctypes
import gc
import pickle
import platform
import subprocess
import sys
import time

import numpy as np
import pytest

from compiler.elementwise import elementwise_kernel, emit_elementwise
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import assemble, host, load, translate
from gradtape.core import dtypes


def module(name: str = "f") -> ir.Module:
    """A module with one function that doubles a vector."""
    result = ir.Module()
    emit_elementwise(result, name, [dtypes.float32], dtypes.float32, lambda cg, x: cg.add(x, x))
    return result


def doubled(address: int) -> np.ndarray:
    """What the function at an address makes of 0 to 10."""
    x, y = np.arange(11, dtype=np.float32), np.empty(11, np.float32)
    signature = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    signature(address)(x.ctypes.data, y.ctypes.data, 0, 11)
    return y


def test_the_host() -> None:
    machine = host()
    assert machine.register_bytes in (16, 32, 64)
    assert machine.lanes(4) == machine.register_bytes // 4
    assert machine.cpu


def test_functions_have_addresses() -> None:
    library = assemble(module())
    np.testing.assert_array_equal(doubled(library.address("f")), np.arange(11) * 2)
    with pytest.raises(KeyError):
        library.address("f.vectors")


def test_text_is_as_good_as_a_module() -> None:
    library = assemble("define i64 @seven() { ret i64 7 }")
    assert ctypes.CFUNCTYPE(ctypes.c_int64)(library.address("seven"))() == 7


def test_libraries_of_equal_names_live_side_by_side() -> None:
    first = assemble("define i64 @f() { ret i64 1 }")
    second = assemble("define i64 @f() { ret i64 2 }")
    call = ctypes.CFUNCTYPE(ctypes.c_int64)
    assert (call(first.address("f"))(), call(second.address("f"))()) == (1, 2)
    del first
    gc.collect()
    assert call(second.address("f"))() == 2


def test_functions_of_the_process_can_be_called() -> None:
    library = assemble("declare i32 @abs(i32)\ndefine i32 @f(i32 %x) { %y = call i32 @abs(i32 %x)\nret i32 %y }")
    assert ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)(library.address("f"))(-5) == 5


def test_code_can_be_kept() -> None:
    kept = pickle.dumps(translate(module()))
    library = load(pickle.loads(kept))
    np.testing.assert_array_equal(doubled(library.address("f")), np.arange(11) * 2)


def test_small_kernels_compile_quickly() -> None:
    """Ten milliseconds when nothing else runs; the limit is for machines that are slow or busy."""
    assemble(module())
    begin = time.thread_time()
    elementwise_kernel("f", [dtypes.float32], dtypes.float32, lambda cg, x: cg.exp(x))
    assert time.thread_time() - begin < 0.25


@pytest.mark.parametrize("features", ["", "+sse4.1", "+avx"])
def test_machines_without_fused_instructions(features: str) -> None:
    """Fused operations that results depend on are then calls of the C library, so that results stay right."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return
    machine = host()._replace(cpu="x86-64", features=features, register_bytes=16)
    result = ir.Module()
    emit_elementwise(result, "f", [dtypes.float32], dtypes.float32, lambda cg, x: cg.add(cg.exp(x), cg.sin(x)), width=4)
    library = assemble(result, machine)
    x = np.linspace(-20, 20, 1001, dtype=np.float32)
    y = np.empty_like(x)
    signature = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    signature(library.address("f"))(x.ctypes.data, y.ctypes.data, 0, x.size)
    np.testing.assert_allclose(y, np.exp(x.astype(float)) + np.sin(x.astype(float)), rtol=1e-6, atol=2e-7)


def test_importing_the_package_does_not_import_llvm() -> None:
    code = "import sys, gradtape, gradtape.compiler; sys.exit('llvmlite' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
