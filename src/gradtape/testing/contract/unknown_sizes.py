"""The clauses about sizes that are not known: an `infer` rule, written for known ones, says of symbols only what is true."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.core.deferral import Unknown
from gradtape.core.dims import Atom, Dim, alone
from gradtape.core.shape import ANY, Spec, spec_of
from gradtape.testing.contract.case import Case
from gradtape.tracing.dynamic_shapes.symbolic_shapes import REFUSALS, Inferred, infer, with_symbols

_FEW = 4  # sizes of which every subset is tried; of more, each alone and all together


def unknown_sizes(case: Case) -> None:
    """With any sizes unknown, and with any ranks, the rule does not refuse, and its result fits the one for known sizes."""
    specs = [spec_of(x) for x in case.main]
    wanted = case.infer(*case.main)
    for shapes in _partly_known(specs):
        given = [Spec(shape, spec.dtype) for shape, spec in zip(shapes, specs, strict=True)]
        try:
            found = _specs(infer(case.op, given, [with_symbols(s) for s in shapes], case.params))
        except Unknown:
            assert count_varies(case, specs), f"refuses {', '.join(map(str, given))}."
            continue
        assert len(found) == len(wanted), f"{len(found)} results instead of {len(wanted)}."
        for got, want in zip(found, wanted, strict=True):
            assert got.dtype is want.dtype, f"the dtype is {got.dtype!r} instead of {want.dtype!r}."
            assert _fits(got.shape, want.shape), f"{', '.join(map(str, given))} give {got}, which {want} contradicts."


def other_sizes(case: Case) -> None:
    """What is said of symbols is true of other sizes too, drawn at random."""
    specs = [spec_of(x) for x in case.main]
    shapes = [with_symbols((None,) * spec.rank) for spec in specs]
    try:
        found = infer(
            case.op, [Spec(s, spec.dtype) for s, spec in zip(shapes, specs, strict=True)], shapes, case.params
        )
    except Unknown:
        return
    random = np.random.default_rng(len(specs) + sum(spec.rank for spec in specs))
    sizes = sorted({d for spec in specs for d in spec.shape})
    for _ in range(6):
        other = {d: int(random.integers(0, 7)) for d in sizes}
        drawn = [Spec(tuple([other[d] for d in spec.shape]), spec.dtype) for spec in specs]
        try:
            wanted = case.op.infer(*drawn, **case.params)
        except REFUSALS:
            continue
        known = {
            alone(symbol): size
            for shape, spec in zip(shapes, drawn, strict=True)
            for symbol, size in zip(shape, spec.shape, strict=True)
        }
        for got, want in zip(found.shapes, (wanted,) if isinstance(wanted, Spec) else wanted, strict=True):
            values = got if got is ANY else tuple([evaluate(d, known) for d in got])
            assert _fits(values, want.shape), f"for {', '.join(map(str, drawn))} it is {want}, not {list(values)}."


def evaluate(x: Any, known: dict[Any, int]) -> int | None:
    """The number of an int or Dim for numbers of symbols; None if it depends on others."""
    if type(x) is not Dim:
        return int(x)
    total = 0
    for monomial, factor in x.terms.items():
        values = [_number(a, known) for a in monomial]
        if None in values:
            return None
        total += math.prod([factor, *[v for v in values if v is not None]])
    return total


def _number(atom: Atom, known: dict[Any, int]) -> int | None:
    if atom.quotient is None:
        return known.get(atom)
    parts = [evaluate(part, known) for part in atom.quotient]
    return None if None in parts or not parts[1] else parts[0] // parts[1]  # type: ignore[operator]


def _partly_known(specs: list[Spec]) -> Iterator[list[Any]]:
    places = [(k, i) for k, spec in enumerate(specs) for i in range(spec.rank)]
    if len(places) <= _FEW:
        chosen = [c for n in range(1, len(places) + 1) for c in itertools.combinations(places, n)]
    else:
        chosen = [*[(place,) for place in places], tuple(places)]
    for unknown in chosen:
        yield [tuple([None if (k, i) in unknown else d for i, d in enumerate(s.shape)]) for k, s in enumerate(specs)]
    ranked = [k for k, spec in enumerate(specs) if spec.rank]
    for open_ in ([k] for k in ranked) if len(ranked) > 1 else ():
        yield [ANY if k in open_ else spec.shape for k, spec in enumerate(specs)]
    if ranked:
        yield [ANY if spec.rank else () for spec in specs]


def _specs(found: Inferred) -> tuple[Spec, ...]:
    return (found.specs,) if isinstance(found.specs, Spec) else tuple(found.specs)


def _fits(shape: Any, real: Any) -> bool:
    if shape is ANY or real is ANY:
        return True
    return len(shape) == len(real) and all(None in (m, n) or m == n for m, n in zip(shape, real, strict=True))


def count_varies(case: Case, specs: list[Spec]) -> bool:
    """True if the number of results depends on a size."""
    counts = {len(case.infer(*case.main))}
    for k, spec in enumerate(specs):
        for i, d in enumerate(spec.shape):
            longer = Spec((*spec.shape[:i], d + 1, *spec.shape[i + 1 :]), spec.dtype)
            try:
                found = case.op.infer(*specs[:k], longer, *specs[k + 1 :], **case.params)
                counts.add(1 if isinstance(found, Spec) else len(found))
            except REFUSALS:
                continue
    return len(counts) > 1
