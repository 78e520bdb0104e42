"""`gradtape doctor`: a report on this machine, with advice."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gradtape
from gradtape.core import memory


class Line(NamedTuple):
    """A line of the report; advice if something could be better."""

    subject: str
    state: str
    advice: str = ""


def report() -> int:
    """Print the findings and the advice; returns 0 if compiled functions give correct results, 1 if not."""
    lines = list(examine())
    for line in lines:
        print(f"{line.subject:14} {line.state}")
    advice = [line.advice for line in lines if line.advice]
    print("\nAdvice:" if advice else "\nNo problems found.")
    for text in advice:
        print(f"  - {text}")
    return 1 if any(line.subject == "compiled" and line.advice for line in lines) else 0


def examine() -> Iterator[Line]:
    """All lines of the report."""
    yield Line("gradtape", f"{gradtape.__version__} in {Path(gradtape.__file__).parent}")
    yield Line("Python", f"{platform.python_version()} in {sys.executable}")
    yield Line("system", f"{platform.system()} {platform.release()} {platform.machine()}")
    yield _numpy()
    yield from _packages()
    yield _processor()
    yield _threads()
    yield _llvm()
    yield _cache()
    yield _keras()
    yield _tensorflow()
    yield _compiled()


def _found(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _numpy() -> Line:
    config: Any = np.show_config(mode="dicts")
    blas = config.get("Build Dependencies", {}).get("blas", {})
    name = f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()
    advice = ""
    if name.startswith(("unknown", "none", "blas", "netlib")):
        advice = (
            f"NumPy uses {name} for matrix products: install NumPy from PyPI or conda-forge, which bring a fast BLAS."
        )
    return Line("NumPy", f"{np.__version__}, BLAS: {name}", advice)


def _packages() -> Iterator[Line]:
    needed = {
        "scipy": "special functions and linear algebra need SciPy: pip install scipy",
        "ml_dtypes": "bfloat16 and float8 need ml_dtypes: pip install ml_dtypes",
        "google-re2": "tf.strings.regex_replace and regex_full_match need RE2: pip install google-re2",
    }
    for package, reason in needed.items():
        found = _found(package)
        yield Line(package, found or "not installed", "" if found else reason)


def _processor() -> Line:
    from numpy._core import _multiarray_umath as umath  # type: ignore[attr-defined]

    known = ("AVX2", "FMA3", "F16C", "AVX512F", "AVX512_SKX", "NEON", "ASIMD", "SVE", "VSX", "RVV")
    features = [f for f in known if umath.__cpu_features__.get(f)]
    advice = ""
    if platform.machine() in ("x86_64", "AMD64") and "AVX2" not in features:
        advice = (
            "This processor has no AVX2: compiled functions use vectors of 16 bytes and are slower than they could be."
        )
    return Line(
        "processor", f"{platform.processor() or platform.machine()}: {', '.join(features) or 'no vectors'}", advice
    )


def _threads() -> Line:
    cores, used = os.cpu_count() or 1, memory.thread_count()
    limits = [
        f"{n}={os.environ[n]}"
        for n in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        if n in os.environ
    ]
    advice = ""
    if used < memory.cores():
        advice = (
            f"{used} of {memory.cores()} cores are used: see tf.config.threading.set_intra_op_parallelism_threads, "
            "and the variables above."
        )
    return Line("threads", f"{used} used, {cores} cores{', ' + ', '.join(limits) if limits else ''}", advice)


def _llvm() -> Line:
    found = _found("llvmlite")
    if not found:
        reason = "Compiled functions run NumPy's kernels only: pip install llvmlite makes them native."
        return Line("LLVM", "llvmlite is not installed", reason)
    try:
        from gradtape.compiler.codegen.simd.machine import host

        machine = host()
    except Exception as problem:
        return Line(
            "LLVM",
            f"llvmlite {found} fails: {problem}",
            "Reinstall llvmlite: pip install --force-reinstall llvmlite",
        )
    return Line("LLVM", f"llvmlite {found} for {machine.cpu}, {machine.triple}")


def _cache() -> Line:
    wanted = os.environ.get("GRADTAPE_CACHE", "")
    if not _found("llvmlite"):
        return Line("kernel cache", "not used without llvmlite")
    from gradtape.core import disk_cache

    folder = disk_cache.folder()
    if folder is None:
        reason = "Kernels are compiled again in every process: "
        why = (
            "GRADTAPE_CACHE turns the cache off."
            if wanted
            else "set GRADTAPE_CACHE to a folder that only you can write to."
        )
        return Line("kernel cache", "off", reason + why)
    sizes = [found.st_size for _, found in disk_cache.entries(folder)]
    return Line("kernel cache", f"{folder}: {len(sizes)} files, {sum(sizes) / 2**20:.1f} MB")


def _keras() -> Line:
    found = _found("keras")
    if not found:
        return Line("Keras", "not installed", "tf.keras needs Keras 3: pip install 'gradtape[keras]'")
    tested = importlib.import_module("gradtape_keras_hook").TESTED
    if not any(found == t or found.startswith(f"{t}.") for t in tested):
        return Line(
            "Keras", found, f"gradtape was tested with Keras {', '.join(tested)}: pip install 'gradtape[keras]'"
        )
    backend = os.environ.get("KERAS_BACKEND", "")
    note = f", KERAS_BACKEND={backend}" if backend else ""
    return Line("Keras", f"{found}{note}")


def _tensorflow() -> Line:
    if importlib.util.find_spec("tensorflow") is None:
        return Line("TensorFlow", "not installed, not needed")
    return Line(
        "TensorFlow", "installed; gradtape answers for it only under `gradtape run` and `gradtape.compat.install()`"
    )


def _compiled() -> Line:
    """A function that is compiled and compared with NumPy."""
    x = np.linspace(-2.0, 2.0, 1000, dtype=np.float32)
    start = time.perf_counter()
    try:
        y = gradtape.function(lambda x: gradtape.tanh(x) * 2.0)(gradtape.constant(x)).numpy()
    except Exception as problem:
        return Line("compiled", f"a compiled function fails: {problem}", "Report this, with the lines above.")
    seconds = time.perf_counter() - start
    if not np.allclose(y, np.tanh(x) * 2.0, atol=1e-5):
        return Line("compiled", "a compiled function gives a wrong result", "Report this, with the lines above.")
    return Line("compiled", f"a function was compiled, run and compared in {1000 * seconds:.0f} ms")
