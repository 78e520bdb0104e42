"""An allocation that fails, each one in turn, in every compiled program of the benchmarks: an error that programs catch, after which
variables are as before and the program goes on as if nothing had been."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.core import memory

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NAMES = ("elementwise", "mlp", "mlp_adam", "convnet", "lstm", "transformer", "pinn", "jacobian", "hessian", "scalar")
MOST = 40  # allocations of a call


class Allocator:
    """`np.empty` and `memory.empty`, of which one call fails."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left: int | None = None
        monkeypatch.setattr(np, "empty", self._counting(np.empty))
        monkeypatch.setattr(memory, "empty", self._counting(memory.empty))

    def _counting(self, plain: Any) -> Any:
        def allocate(*args: Any, **kwargs: Any) -> Any:
            if self.left is not None:
                self.left -= 1
                if self.left < 0:
                    self.left = None
                    raise MemoryError("Unable to allocate.")
            return plain(*args, **kwargs)

        return allocate


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = set(sys.modules)
    import compiled_works  # type: ignore[import-not-found]
    from systems import compiled_ours  # type: ignore[import-not-found]

    yield compiled_works, compiled_ours
    for name in set(sys.modules) - before:
        if str(BENCHMARKS) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def results(run: Any) -> list[Any]:
    return [np.array(y) for y in run()]


@pytest.mark.parametrize("name", NAMES)
def test_programs_of_the_benchmarks(name: str, programs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    works, ours = programs
    work = next(w for w in works.WORKS if w.name == name)
    inputs = work.inputs(0.05)
    run, plain = getattr(ours, name)(inputs), getattr(ours, name)(inputs)
    for _ in range(2):
        results(run)
        results(plain)
    allocator, said = Allocator(monkeypatch), []
    for k in range(MOST):
        allocator.left = k
        try:
            found = results(run)
            allocator.left = None
        except tf.errors.ResourceExhaustedError as problem:
            said.append(str(problem))
            found = results(run)
        for y, wanted in zip(found, results(plain), strict=True):
            np.testing.assert_array_equal(y, wanted)
        if allocator.left is not None and allocator.left >= 0:
            break
    assert said or name == "scalar"
    assert all("out of memory" in text for text in said)
