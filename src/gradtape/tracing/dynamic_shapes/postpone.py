"""From a call that needs what is not known yet to a late node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from gradtape.core import dtypes, errors
from gradtape.core.deferral import Unknown
from gradtape.core.shape import ANY, Spec, spec_of
from gradtape.core.variable import Variable
from gradtape.tracing.dynamic_shapes import sample_shapes as examples
from gradtape.tracing.dynamic_shapes.late_node import Calling, Form, Late, Opened

if TYPE_CHECKING:
    from gradtape.tracing.dynamic_shapes.probe import Scratch
    from gradtape.tracing.trace import Trace


class Run:
    """A call on symbols of known sizes, to see what comes out.

    Attributes:
      form: the structure of what was returned.
      specs: of the tensors in it.
      variables: that were read, and those that were `assigned`.
      guessed: True if values were asked for that are not known, so that sizes may depend on them.
      shapes, world, guess: what it was run with.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        opened: Opened,
        scratch: Scratch,
        shapes: Sequence[Any],
        dense: bool,
        world: int,
        guess: int | None,
    ) -> None:
        with scratch:
            given = [scratch.stand_in(x, Spec(shape, x.dtype)) for x, shape in zip(opened.tensors, shapes, strict=True)]
            args, kwargs = opened.filled(given)
            self.form = Form(function(*args, **kwargs), dense)
        self.specs = [spec_of(t) for t in self.form.tensors]
        self.variables = [s for s, _ in scratch.graph.captures if isinstance(s, Variable)]
        self.assigned = list(scratch.assigned.values())
        self.guessed = scratch.guessed
        self.shapes, self.world, self.guess = list(shapes), world, guess


def later(
    trace: Trace,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    missing: Exception | None,
    name: str,
    like: Sequence[Any] | None,
    fit: examples.Fit | None,
) -> Any:
    """What a function returns, from a late node of the trace.

    Args:
      missing: the error to raise if nothing can be said of what the function returns.
      name: of the node.
      like: tensors of whose shapes the results will be, if that is known.
      fit: shapes for which the function can run, if they are known.
    """
    opened = Opened(args, kwargs)
    runs, dense = _tried(trace, function, opened, missing, like, fit)
    alive = [r for r in runs if r is not None]
    first = alive[0]
    inputs = [*opened.tensors, *[trace.read(v) for v in first.variables]]
    outputs = [*first.specs, *[spec_of(v) for v in first.assigned]]
    shapes = [*first.shapes, *[spec_of(v).shape for v in first.variables]]
    made_for = examples.Fit(shapes, [_whole(s) for s in outputs], first.world, first.guess)
    op = Late(name, Calling(function, opened, dense), made_for, first.variables, first.assigned)
    specs, shown = _described(trace, opened, runs, like)
    made = trace.append(op, inputs, {}, (*specs, *outputs[len(specs) :]), shown)
    for variable, value in zip(first.assigned, made[len(specs) :], strict=True):
        trace.assign(variable, value)
    return first.form.packed(made[: len(specs)])


def _whole(spec: Spec) -> Any:
    return examples.filled(spec.shape, examples.size(0))


def _tried(
    trace: Trace, function: Callable[..., Any], opened: Opened, missing: Exception | None, like: Any, fit: Any
) -> tuple[list[Run | None], bool]:
    """The call in each world, as far as it can run there; with `like`, one is enough. Also whether rows of tensors were
    made whole: they stay rows only if the size of the tensor is known."""
    from gradtape.tracing.dynamic_shapes.probe import Scratch

    problems: list[Exception] = []

    def attempt(shapes: Sequence[Any], world: int, guess: int | None = None, dense: bool = False) -> Run | None:
        if None in shapes:
            return None
        try:
            return Run(function, opened, Scratch(trace, world, guess), shapes, dense, world, guess)
        except (errors.OpError, ValueError, TypeError, IndexError, NotImplementedError) as problem:
            problems.append(problem)
            return None

    known = [trace.examples_of(x) for x in opened.tensors]
    dense = like is not None and not all(spec_of(x).is_known for x in like)
    runs: list[Run | None] = []
    if fit is not None:
        runs.append(attempt(fit.inputs, fit.world, fit.guess, dense))
    for world in range(examples.WORLDS):
        if like is not None and any(r is not None for r in runs):
            return runs, dense
        runs.append(attempt([e[world] for e in known], world, None, dense))
    if runs[0] is None or runs[1] is None:
        specs = [spec_of(x) for x in opened.tensors]
        hints = [Spec(shape, dtypes.int32) for shape in opened.hints]
        for guess in (None, 0):
            found = examples.explored([*specs, *hints], partial(_beside, attempt, len(specs), guess, dense), 160)
            runs += [run for _, run in found]
            runs += [attempt(shapes[: len(specs)], world, guess, dense) for shapes, _ in found[:1] for world in (0, 1)]
            if like is not None and found:
                break
    alive = [r for r in runs if r is not None]
    if not alive:
        raise _clearest(problems, missing)
    if any(not r.form.agrees_with(alive[0].form) for r in alive):
        raise missing or Unknown(
            errors.compose("what the function returns depends on sizes that are not known.", "use tf.ensure_shape.")
        )
    return runs, dense


def _beside(attempt: Any, count: int, guess: int | None, dense: bool, shapes: Sequence[Any]) -> Run | None:
    """An attempt with the shapes of the tensors; those that follow are of arguments that are no tensors."""
    found: Run | None = attempt(shapes[:count], examples.WORLDS - 1, guess, dense)
    return found


def _clearest(problems: list[Exception], missing: Exception | None) -> Exception:
    """The error that tells most: of the function itself, if it is not about what is not known."""
    real = [p for p in problems if not isinstance(p, Unknown)]
    if real and (missing is None or isinstance(real[0], (errors.OpError, ValueError, TypeError))):
        return real[0]
    return missing or problems[0]


def _described(
    trace: Trace, opened: Opened, runs: list[Run | None], like: Any
) -> tuple[list[Spec], list[examples.Examples]]:
    """The specs and examples of the results."""
    alive = [r for r in runs if r is not None]
    given = [spec_of(x) for x in opened.tensors]
    certain, ranks = examples.certain(given, opened.others), examples.ranks(given, [r.shapes for r in alive])
    specs, shown = [], []
    alike = None if like is None else alive[0].form.tensors_of(like)
    if alike is not None:
        return [spec_of(x) for x in alike], [trace.examples_of(x) for x in alike]
    for k, spec in enumerate(alive[0].specs):
        shapes = [r.specs[k].shape for r in alive]
        shape = examples.merged(shapes, () if alive[0].guessed else certain, ranks)
        if shape is not ANY and any(r.guessed for r in alive):
            shape = tuple([d or None for d in shape])
        specs.append(Spec(shape, spec.dtype))
        own: list[Any] = [None if r is None else r.specs[k].shape for r in runs[: examples.WORLDS]]
        if not any(s is not None for s in own):
            own = shapes[: examples.WORLDS]
        own += [None] * (examples.WORLDS - len(own))
        number = trace.number()
        filled = [None if s is None else examples.filled(s, examples.size(w, number)) for w, s in enumerate(own)]
        shown.append(examples.apart(shape, tuple(filled), number))
    return specs, shown
