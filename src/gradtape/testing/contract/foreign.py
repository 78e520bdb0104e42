"""The clause about arrays of other libraries: nothing becomes a NumPy array on the way."""

from __future__ import annotations

from typing import Any

from gradtape.testing import finite_differences
from gradtape.testing.contract.case import Case, tolerance
from gradtape.testing.duck_array import DuckArray, hide, reveal


def duck(case: Case) -> None:
    """Kernel and vjp run on arrays that refuse conversion, and give such arrays."""
    ducks = hide(case.main)
    result = case.op.kernel(*ducks, **case.params)
    _same(case, finite_differences.leaves(result), case.run(*case.main), "the kernel's result")
    if case.differentiable:
        seeds = hide(case.seeds(reveal(finite_differences.leaves(result))))
        found = case.pull_with(seeds if isinstance(result, tuple) else seeds[0], ducks, result)
        _same(case, found, case.pull(case.main), "the vjp's result")


def _same(case: Case, found: tuple[Any, ...], wanted: tuple[Any, ...], what: str) -> None:
    assert len(found) == len(wanted), f"{what} has {len(found)} parts instead of {len(wanted)}."
    for got, want in zip(found, wanted, strict=True):
        if got is None and want is None:
            continue
        assert isinstance(got, DuckArray), f"{what} is of type {type(got).__name__} for DuckArrays."
        problem = finite_differences.mismatch(got.hidden, want, tolerance(want.dtype), case.elementwise)
        assert not problem, f"{what} on DuckArrays: {problem}."
