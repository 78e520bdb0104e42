"""The clauses about `tf.function`: a traced op gives what the eager one gives, with a tape inside and outside."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import convert
from gradtape.core.shape import TensorSpec, spec_of
from gradtape.core.tensor import wrap
from gradtape.polymorphic_function.function import function
from gradtape.testing import finite_differences
from gradtape.testing.contract.case import Case, rounding, tolerance, trains
from gradtape.testing.contract.unknown_sizes import count_varies
from gradtape.transform.tape import GradientTape


def traced(case: Case) -> None:
    """The op in a function computes what it computes eagerly."""
    xs = case.tensors(*case.main)
    found = finite_differences.leaves(function(lambda *xs: case.op(*xs, **case.params))(*xs))
    _same([y._array for y in found], case.run(*case.main), "the result")


def traced_gradient(case: Case) -> None:
    """The gradient of a function by a tape around it, and by a tape in it, is the eager one."""
    arrays = case.main
    xs = case.tensors(*arrays)
    moving = [x for x, moves in zip(xs, case.moving(arrays), strict=True) if moves]
    seeds = [wrap(w) for w in case.seeds(case.run(*arrays))]

    def forward(*xs: Any) -> list[Any]:
        return list(finite_differences.leaves(case.op(*xs, **case.params)))

    def gradient(run: Any, *xs: Any) -> list[Any]:
        sources = [x for x, moves in zip(xs, case.moving(arrays), strict=True) if moves]
        with GradientTape() as tape:
            tape.watch(sources)
            results = run(*xs)
        pairs = [(y, w) for y, w in zip(results, seeds, strict=True) if trains(w._array)]
        found = tape.gradient([y for y, _ in pairs], sources, output_gradients=[w for _, w in pairs])
        return [convert.convert_to_tensor(d) for d in found]

    want = [d._array for d in gradient(forward, *xs)]
    assert len(want) == len(moving)
    _same([d._array for d in gradient(function(forward), *xs)], want, "the gradient by a tape around the function")
    inside = function(lambda *xs: gradient(forward, *xs))(*xs)
    _same([d._array for d in inside], want, "the gradient by a tape in the function")


def traced_for_any_size(case: Case) -> None:
    """The op in a function that was traced without ranks computes what it computes eagerly."""
    specs = [TensorSpec(None if np.ndim(x) else (), spec_of(x).dtype) for x in case.main]
    concrete = function(lambda *xs: case.op(*xs, **case.params), autograph=False).get_concrete_function(*specs)
    found = finite_differences.leaves(concrete(*case.tensors(*case.main)))
    _same([y._array for y in found], case.run(*case.main), "the result without ranks")


def gradient_for_any_size(case: Case) -> None:
    """The gradient in a function that was traced for unknown sizes is the eager one."""
    arrays = case.main
    specs = [TensorSpec((None,) * np.ndim(x), spec_of(x).dtype) for x in arrays]
    seeds = [wrap(w) for w in case.seeds(case.run(*arrays))]

    def gradient(*xs: Any) -> list[Any]:
        sources = [x for x, moves in zip(xs, case.moving(arrays), strict=True) if moves]
        with GradientTape() as tape:
            tape.watch(sources)
            results = list(finite_differences.leaves(case.op(*xs, **case.params)))
        pairs = [(y, w) for y, w in zip(results, seeds, strict=True) if trains(w._array)]
        found = tape.gradient([y for y, _ in pairs], sources, output_gradients=[w for _, w in pairs])
        return [convert.convert_to_tensor(d) for d in found]

    want = [d._array for d in gradient(*case.tensors(*arrays))]
    found = function(gradient, autograph=False).get_concrete_function(*specs)(*case.tensors(*arrays))
    _same([d._array for d in found], want, "the gradient for unknown sizes")


def counts_its_results(case: Case) -> bool:
    """True if the number of results does not depend on sizes: an op in a function must have a number of results."""
    return not count_varies(case, [spec_of(x) for x in case.main])


def _same(found: Any, wanted: Any, what: str) -> None:
    assert len(found) == len(wanted), f"{what} has {len(found)} parts instead of {len(wanted)}."
    for got, want in zip(found, wanted, strict=True):
        problem = finite_differences.mismatch(
            got, want, tolerance(want.dtype), atol=rounding(want.dtype) if trains(want) else 0.0
        )
        assert not problem, f"traced, {what}: {problem}."
