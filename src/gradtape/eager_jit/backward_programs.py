"""Programs for recurring backward passes; see `transform/repeated.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.core import dtypes, state
from gradtape.core.indexed_slices import RowCotangent
from gradtape.core.shape import Spec
from gradtape.tracing.runner import Runner
from gradtape.tracing.symbol import Symbol
from gradtape.tracing.trace import Trace
from gradtape.transform.backward import backward
from gradtape.transform.record import Recording
from gradtape.transform.repeated import PassPattern, Program, Unfit, flat, nested


def program(pattern: PassPattern, recording: Recording, cotangents: dict[int, Any], sources: Sequence[int]) -> Program:
    """The pass from targets to sources over a recording, as a program of the arrays that the pattern lists."""
    try:
        with state.outside(), Trace("backward pass") as trace:
            results = _traced(trace, pattern, recording, cotangents, sources)
    except Unfit:
        raise
    except Exception as problem:  # a rule that looks at values, for instance
        raise Unfit(f"{type(problem).__name__}: {problem}") from problem
    parts = [part for d in results for part in _parts(d)]
    run = Runner(trace.graph, [part.value for part in parts]).run
    shapes = [d.dense_shape if isinstance(d, RowCotangent) else None for d in results]
    return run if all(shape is None for shape in shapes) else lambda arrays: _with_rows(run(arrays), shapes)


def _parts(d: Any) -> tuple[Symbol, ...]:
    """The symbols of a cotangent: that of an array, or those of rows and their numbers."""
    return (d.values, d.indices) if isinstance(d, RowCotangent) else (d,)


def _with_rows(arrays: Sequence[Any], shapes: Sequence[Any]) -> list[Any]:
    """The cotangents of a program's results: rows of a tensor where a shape is given, else arrays."""
    rest = iter(arrays)
    return [next(rest) if shape is None else RowCotangent(next(rest), next(rest), shape) for shape in shapes]


def _traced(
    trace: Trace, pattern: PassPattern, recording: Recording, cotangents: dict[int, Any], sources: Sequence[int]
) -> list[Any]:
    """The cotangents of the sources, as symbols (or rows of symbols) of a trace whose parameters are the arrays of the pattern."""
    saved = [list(s) for s in (*recording.saved, cotangents.values())]
    for k, layout in pattern.layouts.items():
        saved[k] = list(flat(saved[k], layout))
    parameters = []
    for k, j, shape, dtype in pattern.inputs:
        saved[k][j] = trace.parameter(Spec(shape, dtypes.from_numpy(dtype)))
        parameters.append(saved[k][j])
    for k, j, number in pattern.same:
        saved[k][j] = parameters[number]
    for k, j, value in pattern.numbers:
        saved[k][j] = trace.constant(value)
    like = Recording(watch_accessed=False)
    like.records, like.tracked, like.roots = recording.records, recording.tracked, recording.roots
    like.saved = [nested(s, pattern.layouts[k]) if k in pattern.layouts else tuple(s) for k, s in enumerate(saved[:-1])]
    found = dict(zip(cotangents, saved[-1], strict=True))
    backward(like, found, set(sources), consume=False, arrays=False)
    results: list[Any] = [found.get(i) for i in sources]
    if like.cuts is not None or any(type(part) is not Symbol for d in results for part in _parts(d)):
        raise Unfit("A source has no gradient.")
    return results
