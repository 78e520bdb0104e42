"""The ways to run an op, in each of which it must refuse the values that it refuses eagerly.

Generated code does not look at values unless it is told to, and a program may leave out what nothing reads: so a refusal
that holds eagerly may be lost in a function, a loop, a branch or a map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradtape.control_flow.functions import cond, while_loop
from gradtape.control_flow.mapping import map_fn
from gradtape.core.shape import Spec, TensorSpec, spec_of
from gradtape.core.tensor import wrap
from gradtape.polymorphic_function.function import function
from gradtape.testing import finite_differences
from gradtape.testing.contract.case import trains
from gradtape.testing.sample import BadSample
from gradtape.transform.tape import GradientTape
from gradtape.transform.vectorized_map import vectorized_map

Ways = Iterator[tuple[str, Callable[[], Any]]]


def ways(sample: BadSample, arrays: list[Any]) -> Ways:
    """Names of the ways to run a sample whose values must be refused, and functions that run it."""
    xs = [wrap(x) for x in arrays]
    yield from _in_functions(sample, xs)
    specs = sample.op.infer(*[spec_of(x) for x in arrays], **sample.params)
    result: Spec = specs if isinstance(specs, Spec) else specs[0]
    yield from _in_control_flow(sample, xs, result)
    if xs and result.dtype.kind != "O":
        yield from _in_maps(sample, xs, result)


def _first(sample: BadSample, *xs: Any) -> Any:
    """The op's first result."""
    return finite_differences.leaves(sample.op(*xs, **sample.params))[0]


def _with_gradient(sample: BadSample, *xs: Any) -> Any:
    """The result and the gradients with respect to all inputs that can have one."""
    sources = [x for x in xs if trains(x)]
    with GradientTape() as tape:
        tape.watch(sources)
        y = _first(sample, *xs)
    return (y, *tape.gradient(y, sources)) if sources and trains(y) else (y,)


def _in_functions(sample: BadSample, xs: list[Any]) -> Ways:
    def run(*xs: Any) -> Any:
        return _first(sample, *xs)

    yield "in a function", lambda: function(run)(*xs)
    yield "in a function with jit_compile", lambda: function(run, jit_compile=True)(*xs)
    unknown = [TensorSpec([None, *x.shape[1:]] if x.ndim else [], x.dtype) for x in xs]
    yield "with an unknown first dimension", lambda: function(run, input_signature=unknown)(*xs)
    yield "under a tape", lambda: _with_gradient(sample, *xs)
    yield "under a tape in a function", lambda: function(lambda *xs: _with_gradient(sample, *xs))(*xs)


def _in_control_flow(sample: BadSample, xs: list[Any], result: Spec) -> Ways:
    from gradtape.arrays.creation import zeros

    def loop(steps: Any, *xs: Any) -> Any:
        start = zeros(result.shape, result.dtype)
        return while_loop(lambda i, _: i < steps, lambda i, _: (i + 1, _first(sample, *xs)), (0, start))

    def branch(chosen: Any, *xs: Any) -> Any:
        return cond(chosen, lambda: _first(sample, *xs), lambda: zeros(result.shape, result.dtype))

    yield "in a loop", lambda: function(loop)(wrap(np.int32(1)), *xs)
    yield "in a branch", lambda: function(branch)(wrap(np.bool_(True)), *xs)


def _in_maps(sample: BadSample, xs: list[Any], result: Spec) -> Ways:
    from gradtape.arrays.joining import stack
    from gradtape.data import Dataset

    rows = tuple([stack([x, x]) for x in xs])
    out = TensorSpec(result.shape, result.dtype)

    def each(*rows: Any) -> Any:
        return map_fn(lambda row: _first(sample, *row), rows, fn_output_signature=out)

    def together(*rows: Any) -> Any:
        return vectorized_map(lambda row: _first(sample, *row), rows)

    yield "in map_fn", lambda: each(*rows)
    yield "in map_fn in a function", lambda: function(each)(*rows)
    yield "in vectorized_map", lambda: together(*rows)
    yield "in vectorized_map in a function", lambda: function(together)(*rows)
    yield "in a dataset", lambda: list(Dataset.from_tensors(tuple(xs)).map(lambda *xs: _first(sample, *xs)))
