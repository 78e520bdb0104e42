"""The contract that every op keeps, as a list of clauses.

A clause is a function of a `Case` that raises AssertionError. Whoever adds a clause adds it to the list, and it holds
for every op in the registry from then on; there is no list of exceptions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.core.op import NotDifferentiable, Unsupported
from gradtape.testing.contract import batching, derivatives, emission, foreign, staging, unknown_sizes, values
from gradtape.testing.contract.case import Case, trains
from gradtape.testing.contract.refusals import check_bad
from gradtape.testing.sample import Sample

__all__ = ["CLAUSES", "Case", "Clause", "check_bad", "check_op", "check_sample", "failures", "run_clause"]


class Clause(NamedTuple):
    """A part of the contract: a check, and on which cases it says something."""

    check: Callable[[Case], None]
    applies: Callable[[Case], bool]

    @property
    def name(self) -> str:
        """The name in messages and test ids."""
        return self.check.__name__


def _always(case: Case) -> bool:
    return True


def _differentiable(case: Case) -> bool:
    return case.differentiable


def _smooth(case: Case) -> bool:
    return case.differentiable and case.sample.smooth


def _cuts(case: Case) -> bool:
    return isinstance(case.op.vjp, NotDifferentiable) and any(trains(x) for x in case.main)


def _sized(case: Case) -> bool:
    return any(np.ndim(x) for x in case.main)


def _batches(case: Case) -> bool:
    return not isinstance(case.op.batch, Unsupported) and len(case.main) > 0


CLAUSES: tuple[Clause, ...] = (
    Clause(values.infer, _always),
    Clause(values.dtype, _always),
    Clause(values.parameters, lambda case: bool(case.params)),
    Clause(values.reference, lambda case: case.sample.reference is not None),
    Clause(values.refusal, _always),
    Clause(values.pure, _always),
    Clause(values.deterministic, _always),
    Clause(values.layout, lambda case: any(np.ndim(x) for x in case.main)),
    Clause(values.sizes, lambda case: case.elementwise),
    Clause(values.parts, lambda case: case.op.elementwise),
    Clause(derivatives.cotangents, _differentiable),
    Clause(derivatives.first_derivative, _smooth),
    Clause(derivatives.second_derivative, _smooth),
    Clause(derivatives.forward_mode, _smooth),
    Clause(derivatives.modes, _differentiable),
    Clause(derivatives.saved, _differentiable),
    Clause(derivatives.needs, _differentiable),
    Clause(derivatives.precision, _differentiable),
    Clause(derivatives.constant, _cuts),
    Clause(batching.batch, _batches),
    Clause(batching.batched_gradient, _differentiable),
    Clause(staging.traced, lambda case: len(case.main) > 0),
    Clause(staging.traced_gradient, _differentiable),
    Clause(staging.traced_for_any_size, lambda case: _sized(case) and staging.counts_its_results(case)),
    Clause(
        staging.gradient_for_any_size,
        lambda case: _differentiable(case) and _sized(case) and staging.counts_its_results(case),
    ),
    Clause(unknown_sizes.unknown_sizes, _sized),
    Clause(unknown_sizes.other_sizes, _sized),
    Clause(emission.scalar, lambda case: case.emits),
    Clause(foreign.duck, _always),
)


def run_clause(clause: Clause, case: Case) -> None:
    """Raises AssertionError, with the clause's name and the case, unless the case keeps the clause."""
    try:
        with np.errstate(all="ignore"):
            clause.check(case)
    except AssertionError as problem:
        raise AssertionError(f"contract/{clause.name}: {case!r}: {problem}") from problem
    except Exception as problem:
        text = f"contract/{clause.name}: {case!r}: raised {type(problem).__name__}: {problem}"
        raise AssertionError(text) from problem


def failures(sample: Sample) -> Iterator[str]:
    """The messages of all clauses that a sample breaks."""
    case = Case(sample)
    for clause in CLAUSES:
        try:
            if clause.applies(case):
                run_clause(clause, case)
        except AssertionError as problem:
            yield str(problem)


def check_sample(sample: Sample) -> None:
    """Raises AssertionError, with a line per broken clause, unless the op keeps its contract on a sample."""
    broken = list(failures(sample))
    if broken:
        raise AssertionError("\n".join(broken))


def check_op(
    op: Any,
    *inputs: Any,
    reference: Callable[..., Any] | None = None,
    dtypes: Sequence[str] | str = ("float32", "float64"),
    smooth: bool = True,
    tolerance: float = Sample.tolerance,
    **params: Any,
) -> None:
    """Raises AssertionError unless an op keeps the whole contract on some inputs.

    Args:
      op: the op, as `declare` returned it.
      *inputs: arrays, floats as float64, at points where the op is smooth.
      reference: a function of the input arrays and params that gives the result independently.
      dtypes: names of the dtypes to run in.
      smooth: False where central differences do not see the derivative.
      tolerance: of the comparison with the reference in float64, relative.
      **params: the op's keyword parameters.

    >>> from gradtape.testing import check_op
    >>> from gradtape.ops.arithmetic import Multiply
    >>> check_op(Multiply, np.array([1.0, 2.0]), 3.0, reference=np.multiply)
    """
    names = tuple(dtypes.split()) if isinstance(dtypes, str) else tuple(dtypes)
    check_sample(Sample(op, inputs, params, reference, names, smooth, tolerance))
