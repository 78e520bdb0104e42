"""Matrix products: emitted kernels against `np.matmul`, in GFLOP/s.

    python benchmarks/gemm.py                 on one thread, and on as many as there are cores
    python benchmarks/gemm.py --threads 1     NumPy on one thread too
    python benchmarks/gemm.py --works dense batch --seconds 5

A speed is that of the best of many runs, the ways taken in turns; each run is one call from Python. `peak` is the speed of one core that does nothing but fused multiplications and additions in registers.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Name: m, n, k, whether a and b are transposed, how many products.
WORKS: dict[str, tuple[int, int, int, bool, bool, int]] = {
    "dense": (64, 128, 784, False, False, 1),
    "dense: gradient of weights": (784, 128, 64, True, False, 1),
    "dense: gradient of inputs": (64, 784, 128, False, True, 1),
    "output": (64, 10, 128, False, False, 1),
    "output: gradient of weights": (128, 10, 64, True, False, 1),
    "output: gradient of inputs": (64, 128, 10, False, True, 1),
    "wide": (256, 1024, 1024, False, False, 1),
    "wide: gradient of inputs": (256, 1024, 1024, False, True, 1),
    "wide: gradient of weights": (1024, 1024, 256, True, False, 1),
    "attention: projection": (1024, 256, 256, False, False, 1),
    "attention: gradient of weights": (256, 256, 1024, True, False, 1),
    "attention: up": (1024, 1024, 256, False, False, 1),
    "attention: down": (1024, 256, 1024, False, False, 1),
    "attention: scores": (128, 128, 64, False, True, 32),
    "attention: values": (128, 64, 128, False, False, 32),
    "LSTM, inputs": (32, 256, 96, False, False, 1),
    "LSTM, states": (32, 256, 64, False, False, 1),
    "LSTM": (32, 256, 128, False, False, 1),
    "LSTM: gradient of weights": (128, 256, 32, True, False, 1),
    "convolution": (25088, 64, 288, False, False, 1),
    "convolution: gradient of weights": (288, 64, 25088, True, False, 1),
    "matrix and vector": (1024, 1, 1024, False, False, 1),
    "vector and matrix": (1, 1024, 1024, False, False, 1),
    "large": (1024, 1024, 1024, False, False, 1),
    "larger": (2048, 2048, 2048, False, False, 1),
}
KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)


@dataclass
class Ways:
    """The ways to compute one work, ready to run.

    Attributes:
      operations: multiplications and additions.
      run: each way by its name.
      compile_seconds: what it took to emit and assemble the kernel.
      kept: memory that the ways use by address.
    """

    operations: int
    run: dict[str, Callable[[], Any]]
    compile_seconds: float
    kept: tuple[Any, ...]


def prepare(work: tuple[int, int, int, bool, bool, int], pools: dict[str, Any]) -> Ways:
    """The ways of a work."""
    import numpy as np

    from gradtape.compiler.backends.product import pattern as product
    from gradtape.compiler.runtime import kernels
    from gradtape.core import dtypes
    from gradtape.core.patterns.product import Axis, Product

    m, n, k, transpose_a, transpose_b, count = work
    axes = (Axis(count, m * k, k * n),) if count > 1 else ()
    problem = product.problem_of(Product(m, n, k, dtypes.float32, transpose_a, transpose_b, axes))
    rng = np.random.default_rng(0)
    a = rng.standard_normal((count, k, m) if transpose_a else (count, m, k)).astype(np.float32)
    b = rng.standard_normal((count, n, k) if transpose_b else (count, k, n)).astype(np.float32)
    c, expected = np.zeros((count, m, n), np.float32), np.zeros((count, m, n), np.float32)

    start = time.perf_counter()
    kernel, _ = product.launch(problem, (*kernels.inputs(0, 1), *kernels.outputs(0)))
    compile_seconds = time.perf_counter() - start
    table = np.array([x.ctypes.data for x in (a, b, c)], np.int64)
    job = kernel.address, table.ctypes.data, kernel.chunks

    def on(pool: Any) -> Callable[[], Any]:
        return lambda: pool.parallel_for(*job)

    left, right = (a.swapaxes(1, 2) if transpose_a else a), (b.swapaxes(1, 2) if transpose_b else b)
    # One product as one: NumPy takes another way for batches.
    operands = (left, right, expected) if count > 1 else (left[0], right[0], expected[0])
    run: dict[str, Callable[[], Any]] = {name: on(pool) for name, pool in pools.items()}
    run["NumPy"] = lambda: np.matmul(operands[0], operands[1], out=operands[2])
    run["NumPy"]()
    for way in pools:
        c[...] = 0
        run[way]()
        np.testing.assert_allclose(c, expected, rtol=0, atol=1e-5 * k)
    return Ways(problem.operations, run, compile_seconds, (kernel, table, a, b, c))


def best_times(run: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    """The best time of each way; in turns, so that a busy neighbour disturbs them alike."""
    best = dict.fromkeys(run, float("inf"))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for way, function in run.items():
            function()
            for _ in range(3):
                start = time.perf_counter()
                function()
                best[way] = min(best[way], time.perf_counter() - start)
    return best


def peak(seconds: float) -> float:
    """Operations in a second of a core that does nothing but fused multiplications and additions of float32."""
    from gradtape.compiler.backends.product.code import I64, ProductCode
    from gradtape.compiler.backends.product.memory import Vectors
    from gradtape.compiler.codegen import ir
    from gradtape.compiler.codegen.simd.machine import assemble, host
    from gradtape.core import dtypes

    lanes, turns, sums = host().lanes(4), 20_000, 12
    module = ir.Module()
    vector = ir.VectorType(ir.FloatType(), lanes)
    code = ProductCode(ir.Function(module, ir.FunctionType(ir.VoidType(), [I64, I64]), "peak"))
    vectors = Vectors(code, dtypes.float32, lanes)
    place = code.builder.inttoptr(code.function.args[0], ir.PointerType())
    factor = code.builder.load(place, typ=vector, align=4)
    places = [code.at(place, lanes * k, ir.FloatType()) for k in range(sums)]
    start = [code.builder.load(one, typ=vector, align=4) for one in places]
    state = code.fold(turns, start, lambda _, s: [vectors.fma(factor, factor, x) for x in s])
    for value, one in zip(state, places, strict=True):
        code.builder.store(value, one, align=4)
    code.builder.ret_void()
    library = assemble(module)
    memory = (ctypes.c_float * (lanes * sums))()
    function = KERNEL(library.address("peak"))
    times = best_times({"peak": lambda: function(ctypes.addressof(memory), 0)}, seconds)
    del library
    return 2 * lanes * turns * sums / times["peak"]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parser.add_argument("--threads", type=int, default=cores, help="of the pool and of NumPy")
    parser.add_argument("--works", nargs="*", default=[], help="beginnings of names")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each work")
    options = parser.parse_args()
    # Before NumPy and SciPy load their libraries.
    os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)
    os.environ["GRADTAPE_CACHE"] = "off"  # the time to compile is shown
    from gradtape.compiler.runtime.pool import Pool

    counts = dict.fromkeys((1, options.threads))
    pools = {f"emitted, {count} thread{'s' if count > 1 else ''}": Pool(count) for count in counts}
    core = peak(options.seconds / 4)
    print(f"GFLOP/s, float32; NumPy on {options.threads} threads; peak of one core {core / 1e9:.0f}")
    ways = [*pools, "NumPy"]
    print(f"{'':<33}{'m x n x k':>16}  " + "".join(f"{way:>20}" for way in ways) + f"{'against it':>12}{'compile':>9}")
    for name, work in WORKS.items():
        if options.works and not name.startswith(tuple(options.works)):
            continue
        found = prepare(work, pools)
        times = best_times(found.run, options.seconds)
        speeds = "".join(f"{found.operations / times[way] / 1e9:>20.1f}" for way in ways)
        ratio = times[list(pools)[-1]] / times["NumPy"]
        shape = f"{work[0]}x{work[1]}x{work[2]}"
        print(f"{name:<33}{shape:>16}  {speeds}{ratio:>12.2f}{found.compile_seconds * 1e3:>6.0f} ms", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
