"""What must agree: the ways to run a program, each against plain Python on NumPy's kernels."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import gradtape as tf
from fuzz import modes
from fuzz.agreement import different_bits, mismatch
from fuzz.instance import Arrays, Instance
from fuzz.noise import epsilon, noise
from fuzz.program import Program
from fuzz.text import script
from gradtape.core import errors

_NOISY = 3  # runs with noise
SURE = (
    72  # of them, before something is called a difference: each of many bits that noise may turn shall be turned once
)
_APART = 60  # of those, in which each element moves by itself
_ENOUGH = 60.0  # seconds of computing after which there are no further ones
_SECONDS = 15.0  # for a check: compiling takes one or two
# What functions refuse in words, which plain Python can do.
_LIMITS = re.compile(
    "a Jacobian needs to know the shape|`shape_invariants` argument of tf.while_loop|to set shape invariants"
    "|unstack: cannot infer argument `num`"
)
_REFUSALS = (errors.OpError, ValueError, NotImplementedError)


@dataclass(frozen=True)
class Difference:
    """Two ways to run a program that do not agree.

    Attributes:
      check: the name of the check.
      text: what differs.
    """

    check: str
    text: str


class Case:
    """A program on the bench, with what several checks need."""

    def __init__(self, program: Program, noisy: int = _NOISY) -> None:
        self.program, self._noisy = program, noisy
        self.instance = Instance(program)

    @functools.cached_property
    def compiled(self) -> Any:
        """The function, compiled."""
        return tf.function(self.instance.function)

    @functools.cached_property
    def inside(self) -> Any:
        """The gradient, compiled together with the function."""
        return tf.function(self.instance.gradient_function(self.twice[: len(self.program.outputs)]))

    @functools.cached_property
    def twice(self) -> Arrays:
        """The results of two calls."""
        with modes.eagerly():
            return self.instance.called(self.instance.function, times=2)

    @functools.cached_property
    def twice_moved(self) -> list[Arrays]:
        """The same with noise."""
        return self._moved(lambda instance: instance.called(instance.function, times=2), self.twice)

    @functools.cached_property
    def gradient(self) -> Arrays:
        """The gradients."""
        with modes.eagerly():
            return self.instance.gradient(self.instance.function)

    @functools.cached_property
    def gradient_moved(self) -> list[Arrays]:
        """The same with noise."""
        return self._moved(lambda instance: instance.gradient(instance.function), self.gradient)

    @functools.cached_property
    def _dtypes(self) -> set[str]:
        return set(re.findall(r"tf\.(b?float\d+|complex\d+)", script(self.program)))

    @functools.cached_property
    def slope(self) -> float:
        """What rounding may leave of a derivative that vanishes, as in 1 - tanh(x)**2, in the coarsest dtype of the program."""
        return 10.0 * max([epsilon(name) for name in self._dtypes], default=0.0)

    @property
    def inner_slope(self) -> float:
        """The same for derivatives that the program takes itself."""
        return self.slope if any(step.form in ("tape", "forward") for step in self.program.every_step()) else 0.0

    def _moved(self, run: Callable[[Instance], Arrays], exact: Arrays) -> list[Arrays]:
        """What runs with noise give, where one without gives exact results. Where an op is at the edge of what it takes, as at a probability of one, noise only
        goes inward; a run that is refused all the same tells nothing. Each has its own time: a check is not to blame for it."""
        found: list[Arrays] = []
        end = time.process_time() + _ENOUGH
        for seed in range(self._noisy):
            if time.process_time() > end:
                break
            for outward in (True, False):
                moved = noise(seed, outward=outward, alike=seed >= _APART)
                try:
                    with modes.limited(_SECONDS), modes.eagerly(), Instance(self.program, moved) as instance:
                        found.append(run(instance))
                        break
                except (*_REFUSALS, modes.TooSlow):
                    continue
        if self._noisy == SURE and self._dtypes & {"float16", "bfloat16"}:
            found += self._wide(run, exact)
        return found

    def _wide(self, run: Callable[[Instance], Arrays], exact: Arrays) -> list[Arrays]:
        """What a run in double precision gives. A kernel holds in between what such a short dtype cannot: numbers that are too large,
        and how far tanh is from one."""
        if any(step.random for step in self.program.every_step()):
            return []  # other dtypes, other numbers
        try:
            with modes.limited(_SECONDS), modes.eagerly(), Instance(self.program, wide=True) as instance:
                wide = run(instance)
        except (*_REFUSALS, modes.TooSlow):
            return []
        return [wide] if [w.shape for w in wide] == [x.shape for x in exact] else []


def compiled(case: Case) -> str:
    """Two calls of the compiled function, on one thread."""
    with modes.threads(1):
        return mismatch(case.instance.called(case.compiled, times=2), case.twice, case.twice_moved, case.inner_slope)


def threads(case: Case) -> str:
    """The compiled function once more, and on two threads: the same bits."""
    with modes.threads(1):
        first = case.instance.called(case.compiled)
        again = case.instance.called(case.compiled)
    with modes.threads(2):
        wide = case.instance.called(case.compiled)
    return different_bits(again, first) or different_bits(wide, first)


def traced(case: Case) -> str:
    """The function as a graph, without passes and machine code."""
    with modes.without_passes():
        return mismatch(
            case.instance.called(tf.function(case.instance.function), times=2),
            case.twice,
            case.twice_moved,
            case.inner_slope,
        )


def unknown_sizes(case: Case) -> str:
    """Two calls of a function that was traced for sizes, and ranks, that are not known."""
    function = tf.function(case.instance.function, input_signature=case.instance.open_specs())
    return mismatch(case.instance.called(function, times=2), case.twice, case.twice_moved, case.inner_slope)


def concurrent(case: Case) -> str:
    """The compiled function called by several threads at once, the first call included: each gets the bits of a call alone."""
    if any(step.changes or step.random for step in case.program.every_step()):
        return ""  # the order of changes and draws is up to the threads
    function = tf.function(case.instance.function)
    found = case.instance.called_by_threads(function, count=4)
    alone = case.instance.called(function)
    return next((text for one in found if (text := different_bits(one, alone))), "")


def gradient_around(case: Case) -> str:
    """A tape around the compiled function."""
    return mismatch(case.instance.gradient(case.compiled), case.gradient, case.gradient_moved, case.slope)


def gradient_again(case: Case) -> str:
    """The tape outside of all functions again and again: its passes are compiled the second time."""
    with modes.repeatedly():
        for _ in range(3):
            found = case.instance.gradient(case.instance.function)
    return mismatch(found, case.gradient, case.gradient_moved, case.slope)


def gradient_inside(case: Case) -> str:
    """A tape inside the compiled function; twice, on one thread and on two, the same bits."""
    with modes.threads(1):
        found = case.instance.called(case.inside)
        again = case.instance.called(case.inside)
    count = len(case.instance.sources)
    wrong = mismatch(found[:count], case.gradient, case.gradient_moved, case.slope) or different_bits(again, found)
    with modes.threads(2):
        return wrong or different_bits(case.instance.called(case.inside), found)


def forward(case: Case) -> str:
    """Forward mode: the change of the outputs is what the gradient says."""
    with modes.eagerly():
        _, change = case.instance.change(case.instance.function)
    return _same_change(case, change)


def forward_compiled(case: Case) -> str:
    """Forward mode around the compiled function."""
    return _same_change(case, case.instance.change(case.compiled)[1])


def _same_change(case: Case, change: float) -> str:
    own = case.instance.along(case.gradient)
    moved = [case.instance.along(g) for g in case.gradient_moved]
    size = sum([float(np.sum(np.abs(g).astype(np.float64))) for g in case.gradient])
    rounding = max([epsilon(x.dtype) for x in case.instance.sources], default=0.0)
    allowed = (
        20.0 * max([abs(m - own) for m in moved], default=0.0)
        + 200.0 * rounding * size
        + case.slope * sum([float(np.size(g)) for g in case.gradient])
    )
    if not (np.isfinite(own) and np.isfinite(allowed)) or abs(change - own) <= allowed:
        return ""
    if np.isnan(change) and not all(step.smooth for step in case.program.every_step()):
        return ""  # where a step has no derivative, which the gradient does not pass
    return (
        f"the outputs change by {change:.8g} in forward mode, by {own:.8g} from the gradient (allowed is {allowed:.2g})"
    )


def central_differences(case: Case) -> str:
    """The gradient in double precision against central differences, where the function is smooth enough to have some."""
    if not all(step.smooth for step in case.program.every_step()):
        return ""
    with modes.eagerly(), Instance(case.program, wide=True) as instance:
        change = instance.along(instance.gradient(instance.function))
        slopes = [_slope(instance, step) for step in (1e-3, 5e-4, 2e-4)]
        size = abs(instance.shifted(0.0))
    spread = max(slopes) - min(slopes)
    allowed = 10.0 * spread + 1e-6 * max(map(abs, slopes)) + 1e-9 * size + 1e-9
    if (
        not np.isfinite(change + allowed)
        or spread > 1e-3 * max(map(abs, slopes))
        or abs(change - slopes[-1]) <= allowed
    ):
        return ""
    return f"the outputs change by {change:.10g} from the gradient, by {slopes[-1]:.10g} in central differences (allowed is {allowed:.2g})"


def _slope(instance: Instance, step: float) -> float:
    near = instance.shifted(step) - instance.shifted(-step)
    far = instance.shifted(2 * step) - instance.shifted(-2 * step)
    return (8 * near - far) / (12 * step)


CHECKS: dict[str, Callable[[Case], str]] = {
    check.__name__: check
    for check in (
        compiled, threads, unknown_sizes, concurrent, gradient_inside, gradient_again, gradient_around, traced, forward, forward_compiled,
        central_differences,
    )
}  # fmt: skip


def differences(program: Program, checks: Iterable[str] = tuple(CHECKS)) -> Iterator[Difference]:
    """What does not agree, check by check.

    >>> from fuzz import differences, draw_program
    >>> list(differences(draw_program(3), ["compiled"]))
    []
    """
    case = Case(program)
    with case.instance:
        for name in checks:
            if outcome(case, name) and (text := outcome(Case(program, SURE), name)):
                yield Difference(name, text)


def outcome(case: Case, name: str) -> str:
    """What a check says; also if a way to run fails where plain Python does not."""
    with np.errstate(all="ignore"):
        # What plain Python does comes first, so that a check is to blame for what fails in it.
        try:
            with modes.limited(_SECONDS):
                case.twice  # noqa: B018
        except (*_REFUSALS, modes.TooSlow):  # the shrinker makes loops without an end
            return ""
        except Exception as problem:
            return f"plain Python fails: {_described(problem)}"
        try:
            with modes.limited(_SECONDS):
                case.gradient  # noqa: B018
        except (LookupError, NotImplementedError, modes.TooSlow):  # an op without a derivative
            return ""
        except Exception as problem:
            return f"the gradient fails in plain Python: {_described(problem)}"
        try:
            with modes.limited(_SECONDS):
                return CHECKS[name](case)
        except (Exception, modes.TooSlow) as problem:
            return "" if _LIMITS.search(str(problem)) else f"it fails: {_described(problem)}"


def _described(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}"
