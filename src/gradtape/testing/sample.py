"""Samples: inputs on which an op's rules are checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Sample:
    """Inputs of an op, and what must come out.

    Attributes:
      op: the op.
      inputs: arrays, floats as float64 at points where the op is smooth; they are cast to each of `dtypes`.
      params: the op's keyword parameters.
      reference: a function of the input arrays and params that gives the result independently (NumPy, SciPy, a loop);
        called with float64 or complex128 inputs. Never the op's own formula.
      dtypes: names of the dtypes in which the sample is run. Only floating inputs are cast among floating dtypes,
        and so on; inputs of another kind (indices, masks) stay as they are.
      smooth: False where the derivative exists but central differences do not see it (kinks, ties).
      tolerance: of the comparison with the reference in float64, relative.
    """

    op: Any
    inputs: tuple[Any, ...]
    params: dict[str, Any] = field(default_factory=dict)
    reference: Callable[..., Any] | None = None
    dtypes: tuple[str, ...] = ("float32", "float64")
    smooth: bool = True
    tolerance: float = 1e-12


@dataclass(frozen=True)
class BadSample:
    """Inputs that an op must refuse.

    Attributes:
      op, inputs, params: as in Sample; the inputs keep their dtypes.
      error: the class of the exception.
      match: words that its text must contain.
    """

    op: Any
    inputs: tuple[Any, ...]
    params: dict[str, Any]
    error: type[Exception]
    match: str


SAMPLES: list[Sample] = []
BAD_SAMPLES: list[BadSample] = []


def sample(
    op: Any,
    *inputs: Any,
    reference: Callable[..., Any] | None = None,
    dtypes: str = "float32 float64",
    smooth: bool = True,
    tolerance: float = 1e-12,
    **params: Any,
) -> None:
    """Add a sample to the contract tests."""
    SAMPLES.append(Sample(op, inputs, params, reference, tuple(dtypes.split()), smooth, tolerance))


def bad(op: Any, *inputs: Any, error: type[Exception], match: str, **params: Any) -> None:
    """Add inputs that must be refused."""
    BAD_SAMPLES.append(BadSample(op, inputs, params, error, match))


def labelled(samples: list[Any]) -> list[tuple[str, Any]]:
    """Samples with labels for test ids: the op's name and the number among its samples."""
    seen: Counter[str] = Counter()
    found = []
    for one in samples:
        seen[one.op.name] += 1
        found.append((f"{one.op.name}-{seen[one.op.name]}", one))
    return found
