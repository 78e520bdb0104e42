"""Clauses about `batch`: one more leading axis is a stack of examples."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradtape.core.tensor import Tensor, wrap
from gradtape.testing import finite_differences, gradient_check
from gradtape.testing.contract.case import Case, locked, tolerance, trains

EXAMPLES = 3


def batch(case: Case) -> None:
    """The batch rule equals a stack of the op on each example, for every choice of batched inputs."""
    examples = [vary(case, i) for i in range(EXAMPLES)]
    for batched in choices(len(case.main)):
        rows = [pick(batched, examples, i) for i in range(EXAMPLES)]
        wanted = [np.stack(column) for column in zip(*[case.run(*row) for row in rows], strict=True)]
        found = finite_differences.leaves(case.op.batch(batched, *stacked(batched, examples), **case.params))
        assert len(found) == len(wanted), f"{len(found)} results for {len(wanted)} outputs, batched={batched}."
        for got, want in zip(found, wanted, strict=True):
            problem = finite_differences.mismatch(got, want, tolerance(want.dtype), case.elementwise)
            assert not problem, f"with batched={batched}, {problem}."
            assert got.dtype == want.dtype, (
                f"with batched={batched}, the result is {got.dtype} instead of {want.dtype}."
            )


def batched_gradient(case: Case) -> None:
    """Cotangents of a batch equal those of each example, also where the cotangent alone is batched, as in a Jacobian."""
    from gradtape.transform.vectorized_map import vectorized_map

    examples = [vary(case, i) for i in range(EXAMPLES)]
    seeds = [w for w in case.seeds(case.run(*case.main)) if trains(w)]
    seeds_of = [[w * w.dtype.type(1 + i / 8) for w in seeds] for i in range(EXAMPLES)]
    for batched in [*choices(len(case.main)), (False,) * len(case.main)]:
        loop = [_gradients(case, pick(batched, examples, i), seeds_of[i]) for i in range(EXAMPLES)]
        shared = pick((False,) * len(case.main), examples, 0)

        def one(values: Any, batched: tuple[bool, ...] = batched, shared: tuple[Any, ...] = shared) -> list[Any]:
            mine, cotangents = iter(values[0]), values[1]
            inputs = [next(mine) if flag else x for flag, x in zip(batched, shared, strict=True)]
            return _gradients(case, inputs, cotangents)

        rows = [wrap(x) for flag, x in zip(batched, stacked(batched, examples), strict=True) if flag]
        elems = (rows, [wrap(np.stack(column)) for column in zip(*seeds_of, strict=True)])
        found = vectorized_map(one, elems, fallback_to_while_loop=False)
        for k, got in enumerate(found):
            want = np.stack([row[k]._array for row in loop])
            problem = finite_differences.mismatch(got._array, want, 4 * tolerance(want.dtype), case.elementwise)
            assert not problem, f"with batched={batched}, the gradient of trainable input {k}: {problem}."
            assert got._array.dtype == want.dtype, f"with batched={batched}, the gradient is {got.dtype.name}."


def _gradients(case: Case, inputs: Sequence[Any], seeds: Sequence[Any]) -> list[Any]:
    """Gradients of the inputs that can have one, arrays or tensors, for cotangents of the trainable results."""
    xs = [x if isinstance(x, Tensor) else wrap(x) for x in inputs]
    moves = case.moving(case.main)
    moving = [x for x, flag in zip(xs, moves, strict=True) if flag]
    return gradient_check.gradient(
        lambda *ys: gradient_check.trainable(case.op(*_merge(xs, moves, ys), **case.params)), moving, list(seeds)
    )


def _merge(xs: list[Any], moves: list[bool], moving: tuple[Any, ...]) -> list[Any]:
    """The inputs with those that can have a gradient replaced."""
    rest = iter(moving)
    return [next(rest) if flag else x for x, flag in zip(xs, moves, strict=True)]


def choices(count: int) -> Iterator[tuple[bool, ...]]:
    """Which inputs have the leading axis: every choice of up to three inputs, else all and each alone."""
    if count <= 3:
        yield from (flags for flags in itertools.product((True, False), repeat=count) if any(flags))
        return
    yield (True,) * count
    yield from (tuple([i == k for i in range(count)]) for k in range(count))


def vary(case: Case, i: int) -> tuple[Any, ...]:
    """The inputs of example `i`: floats a little larger, integers and masks in another order if the op takes that."""
    floats = tuple([(x * x.dtype.type(1 + i / 64)) if x.dtype.kind in "fc" else x for x in case.main])
    rolled = tuple([x if x.dtype.kind in "fc" else _rolled(x, i) for x in floats])
    try:
        same = all(a.shape == b.shape for a, b in zip(case.run(*rolled), case.run(*case.main), strict=True))
    except Exception:
        same = False  # an order of indices that the op refuses
    return locked(rolled if same else floats)


def _rolled(x: Any, i: int) -> Any:
    return np.roll(x, i) if np.ndim(x) else x


def pick(batched: tuple[bool, ...], examples: list[tuple[Any, ...]], i: int) -> tuple[Any, ...]:
    """The inputs of example `i`, where inputs that are not batched are those of the first."""
    return tuple([examples[i if flag else 0][k] for k, flag in enumerate(batched)])


def stacked(batched: tuple[bool, ...], examples: list[tuple[Any, ...]]) -> list[Any]:
    """The inputs of all examples at once."""
    columns = zip(*examples, strict=True)
    return list(locked(tuple([np.stack(c) if flag else c[0] for flag, c in zip(batched, columns, strict=True)])))
