"""Clauses about `scalar`: what a compiler would emit."""

from __future__ import annotations

from typing import Any

from gradtape.testing import finite_differences
from gradtape.testing.contract.case import Case, tolerance
from gradtape.testing.numpy_emitter import NumpyEmitter


def scalar(case: Case) -> None:
    """The scalar rule, evaluated by NumpyEmitter, gives the kernel's result."""
    rule: Any = case.op.scalar  # type: ignore[attr-defined]
    for name, arrays in case.runs.items():
        if any(x.dtype.kind == "V" or x.dtype.name == "float16" for x in arrays):
            continue  # a compiler computes narrow floats in float32
        (want,) = case.results(name)
        got = rule(NumpyEmitter(), *arrays, **case.params)
        assert got.dtype == want.dtype, f"in {name} the rule gives {got.dtype}, the kernel {want.dtype}."
        problem = finite_differences.mismatch(got, want, tolerance(want.dtype), case.elementwise)
        assert not problem, f"in {name}, {problem}."
