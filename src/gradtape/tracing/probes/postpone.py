"""Turning a call that needs an unknown size or value into a late node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

from gradtape.core import errors, state
from gradtape.core.deferral import Unknown
from gradtape.core.dims import Undecided, new_size
from gradtape.core.paths import RANKS, Contradiction, Path, explore
from gradtape.core.shape import ANY, Spec, spec_of
from gradtape.core.variable import Variable
from gradtape.tracing.dynamic_shapes.late_node import Calling, Form, Late, Opened
from gradtape.tracing.dynamic_shapes.symbolic_shapes import REFUSALS, Shape, merge, without_symbols
from gradtape.tracing.probes.probe import Drawn, Numbered, Scratch
from gradtape.tracing.trace import Trace

_PATHS = 64
# A function of ours may also have no rule for some sizes (Unknown is one of these errors), or stumble over what it did not expect of one.
_REFUSALS = (*REFUSALS, NotImplementedError, TypeError)


class _Example(NamedTuple):
    """Numbers with which a function is run of whose results nothing is known otherwise."""

    size: int
    rank: int
    rank_of_integers: int
    value: int


_EXAMPLES = tuple(
    _Example(size, rank, rank, size)
    for size, rank in ((2, 2), (3, 3), (1, 1), (4, 4), (6, 2), (1, 2), (24, 2), (97, 3), (2, 0), (0, 2))
)
# Integers as axes and positions: scalars and vectors, small whatever the sizes.
_AXES = tuple(
    _Example(size, rank, rank_of_integers, value)
    for rank_of_integers in (0, 1)
    for size, rank, value in ((3, 2, 0), (2, 3, 1), (5, 2, 1), (4, 1, 0), (1, 4, 2))
)
_SURE = 3  # runs that must agree on a size
_DRAWS, _LARGE, _USUAL_RANKS = 240, 256, 5  # how often sizes are drawn, the largest of them, and ranks from 0 to 4
_current = state.current


class Run:
    """A call in a scratch, to see what comes out.

    Attributes:
      form: the structure of what was returned.
      specs: of the tensors in it.
      variables: that were read, and those that were `assigned`.
      asked: True if values of tensors were asked for that are no integers.
      numbers: that were drawn for sizes.
    """

    asked = False
    numbers: frozenset[int] = frozenset()

    def __init__(self, form: Form, variables: Sequence[Variable] = (), assigned: Sequence[Variable] = ()) -> None:
        self.form, self.variables, self.assigned = form, list(variables), list(assigned)
        self.specs = [spec_of(t) for t in form.tensors]

    @classmethod
    def of(
        cls, function: Callable[..., Any], opened: Opened, scratch: Scratch, shapes: Sequence[Shape], dense: bool
    ) -> Run:
        """The call of a function on tensors of some shapes."""
        with scratch:
            given = [scratch.stand_in(x, shape) for x, shape in zip(opened.tensors, shapes, strict=True)]
            args, kwargs = opened.filled(given)
            form = Form(function(*args, **kwargs), dense)
        read = [s for s, _ in scratch.graph.captures if isinstance(s, Variable)]
        found = cls(form, read, list(scratch.assigned.values()))
        found.asked = scratch.asked
        return found


class Outcome:
    """The known facts about the results of a call.

    Attributes:
      first: a run that tells the structure.
      shapes: the symbolic shapes of the results.
      dense: True if rows of tensors were made whole: they stay rows only if the size of the tensor is known.
    """

    def __init__(self, first: Run, shapes: list[Shape], dense: bool) -> None:
        self.first, self.shapes, self.dense = first, shapes, dense


def later(
    trace: Trace,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    missing: Exception | None,
    name: str,
    like: Sequence[Any] | None,
) -> Any:
    """What a function returns, from a late node of the trace.

    Args:
      missing: the error to raise if nothing can be said of what the function returns.
      name: of the node.
      like: tensors of whose shapes the results will be, if that is known.
    """
    opened = Opened(args, kwargs)
    around = _current.sites
    sites = _current.sites = state.Sites() if around is None else around
    try:
        found = _explore(trace, function, opened, missing, like)
    finally:
        _current.sites = around
    first = found.first
    inputs = [*opened.tensors, *[trace.read(v) for v in first.variables]]
    results = [Spec(without_symbols(shape), y.dtype) for shape, y in zip(found.shapes, first.specs, strict=True)]
    assigned = [spec_of(v) for v in first.assigned]
    op = Late(name, Calling(function, opened, found.dense), len(inputs), len(results) + len(assigned))
    op.variables, op.assigned, op.sites = first.variables, first.assigned, sites
    made = trace.append(op, inputs, {}, (*results, *assigned), found.shapes)
    for variable, value in zip(first.assigned, made[len(results) :], strict=True):
        trace.assign(variable, value)
    return first.form.packed(made[: len(results)])


def _explore(
    trace: Trace, function: Callable[..., Any], opened: Opened, missing: Exception | None, like: Any
) -> Outcome:
    """The call on all paths; with `like`, one that ends well is enough."""
    dense = like is not None and not all(spec_of(x).is_known for x in like)
    known = [trace.symbolic_shape(x) for x in opened.tensors]
    sizes = [[new_size() for _ in range(RANKS - 1)] if shape is ANY else [] for shape in known]
    undecided: list[Exception] = []

    def run(path: Path) -> Run:
        shapes = [
            tuple(own[: path.choose_rank()]) if shape is ANY else shape for shape, own in zip(known, sizes, strict=True)
        ]
        try:
            return Run.of(function, opened, Scratch(trace), shapes, dense)
        except (Undecided, Unknown) as problem:
            undecided.append(problem)
            raise

    def is_enough(run: Run) -> bool:
        """True if every gradient is there: of certain sizes some vanish, as of the product of one element."""
        alike = None if like is None else run.form.tensors_of(like)
        return alike is not None and len(alike) == len(like)

    found, problems, is_complete = explore(run, _REFUSALS, _PATHS, is_enough)
    is_complete = is_complete and not undecided
    if not found and problems and is_complete:
        raise problems[0]
    runs = [run for run, _ in found] or _numbered_runs(trace, function, opened, dense)
    if not runs and like is None:
        is_ranked = not any(shape is ANY for shape in known)
        guided = [] if is_ranked else _guided_runs(trace, function, opened, dense)
        if made_up := guided or _drawn_runs(trace, function, opened, dense):
            every = range(len(made_up[0].specs))  # other ranks than those may fit, too
            return Outcome(made_up[0], [_agreed(made_up, k) if is_ranked else ANY for k in every], dense)
    if not runs and like is not None:
        return _gradients(trace, like)
    if not runs:
        real = [p for p in problems if not isinstance(p, Undecided)]
        raise missing or (real[0] if real else _needs_numbers(function))
    if like is not None:
        runs.sort(key=lambda run: -len(run.specs))
    elif any(not run.form.agrees_with(runs[0].form) for run in runs):
        raise missing or Unknown(
            errors.compose("what the function returns depends on sizes that are not known.", "use tf.ensure_shape.")
        )
    alike = None if like is None else runs[0].form.tensors_of(like)
    if alike is not None:
        return Outcome(runs[0], [trace.symbolic_shape(x) for x in alike], dense)
    if not found:
        apart = _drawn_runs(trace, function, opened, dense)
        return Outcome(runs[0], [_agreed(runs, k, apart) for k in range(len(runs[0].specs))], dense)
    count = len(runs[0].specs)
    alive = [(run, path) for run, path in found if len(run.specs) == count]
    shapes = [merge([(run.specs[k].shape, path) for run, path in alive], is_complete) for k in range(count)]
    if undecided and ANY in shapes:
        # Some paths asked for numbers: on those, numbers tell what does not depend on them.
        numbered = [run for run in _numbered_runs(trace, function, opened, dense) if len(run.specs) == count]
        apart = [run for run in _drawn_runs(trace, function, opened, dense) if len(run.specs) == count]
        shapes = [_agreed(numbered, k, apart) if shape is ANY else shape for k, shape in enumerate(shapes)]
    return Outcome(runs[0], shapes, dense)


def _numbered_runs(trace: Trace, function: Callable[..., Any], opened: Opened, dense: bool) -> list[Run]:
    """Runs on numbers, for a function that asks symbols for theirs: they tell how many results there are, their dtypes, and what
    does not depend on the numbers. Nothing is computed."""
    around, found = _current.path, list[Run]()
    known = [(trace.symbolic_shape(x), x.dtype.is_integer) for x in opened.tensors]
    for example in (*_EXAMPLES, *_AXES):
        if example is _AXES[0] and found:
            break
        scratch = Numbered(trace, example.size, example.value)
        shapes = [
            (example.size,) * (example.rank_of_integers if is_integer else example.rank)
            if shape is ANY
            else scratch.sized_shape(shape)
            for shape, is_integer in known
        ]
        _current.path = Path()
        try:
            run = Run.of(function, opened, scratch, shapes, dense)
        except (*_REFUSALS, Contradiction):
            continue
        finally:
            _current.path = around
        if not found or run.form.agrees_with(found[0].form):
            found.append(run)
    return found


def _drawn_runs(trace: Trace, function: Callable[..., Any], opened: Opened, dense: bool) -> list[Run]:
    """Runs on numbers that are drawn for every size, among those of the sizes that are known: they may have to fit each other. The draws are
    the same in every process."""
    around, found, random = _current.path, list[Run](), Random(0)
    known = [trace.symbolic_shape(x) for x in opened.tensors]
    sizes = [d for shape in known if shape is not ANY for d in shape if type(d) is int]
    sizes += [n for n in opened.parts[1] if type(n) is int and 0 < n < _LARGE]
    pool = [*dict.fromkeys(sizes), 1, 2, 3, 4, 16, _LARGE]
    for attempt in range(8 * _DRAWS if any(shape is ANY for shape in known) else _DRAWS):
        common, by_axis = random.choice(pool), [random.choice(pool) for _ in range(RANKS)]
        draw = (lambda axis, n=common: n, lambda axis, ns=by_axis: ns[axis % RANKS], lambda axis: random.choice(pool))[
            attempt % 3
        ]
        scratch = Drawn(trace, draw, random.choice((0, 1, 2)), random.choice((0, 1)))
        rank = random.randrange(_USUAL_RANKS)
        ranks = [rank if attempt % 2 else random.randrange(_USUAL_RANKS) for _ in known]
        _current.path = Path()
        try:
            shapes = [scratch.sized_shape((None,) * n if s is ANY else s) for s, n in zip(known, ranks, strict=True)]
            run = Run.of(function, opened, scratch, shapes, dense)
        except (*_REFUSALS, Contradiction):
            continue
        finally:
            _current.path = around
        if found and not run.form.agrees_with(found[0].form):
            return []
        run.numbers = frozenset(scratch.numbers)
        found.append(run)
        if len(found) == _SURE:
            break
    return found


def _guided_runs(trace: Trace, function: Callable[..., Any], opened: Opened, dense: bool) -> list[Run]:
    """Runs on ranks and sizes that fit what the function asks of them: they tell how many results there are, and their dtypes."""
    from gradtape.tracing.probes.guided_runs import Guided, guided_runs

    known = [trace.symbolic_shape(x) for x in opened.tensors]
    found = guided_runs(lambda: Run.of(function, opened, Guided(trace), known, dense), _REFUSALS, _SURE)
    return found if all(run.form.agrees_with(found[0].form) for run in found) else []


def _agreed(runs: Sequence[Run], k: int, apart: Sequence[Run] = ()) -> Shape:
    """What runs on several numbers agree on: the rank of a result, and sizes that stay the same where every size has another number. No
    size is believed if values were asked for: those that were made up may lead to it by chance."""
    shapes = [run.specs[k].shape for run in (*runs, *apart)]
    if len(shapes) < _SURE or any(shape is ANY for shape in shapes) or len({len(shape) for shape in shapes}) > 1:
        return ANY
    is_sure = len(apart) >= _SURE and not any(run.asked for run in (*runs, *apart))
    # A size that was drawn in every run may be one of the arguments', which nothing else fitted.
    doubtful = frozenset.intersection(*[run.numbers for run in apart]) if apart else frozenset()
    return tuple(
        [
            s[0] if is_sure and len(set(s)) == 1 and s[0] not in doubtful else new_size()
            for s in zip(*shapes, strict=True)
        ]
    )


def _gradients(trace: Trace, like: Sequence[Any]) -> Outcome:
    """The outcome of a gradient of which nothing else can be said: one for each tensor, of its shape, with no rows left apart."""
    return Outcome(Run(Form(list(like))), [trace.symbolic_shape(x) for x in like], dense=True)


def _needs_numbers(function: Callable[..., Any]) -> Unknown:
    name = getattr(function, "__name__", type(function).__name__)
    return Unknown(
        errors.compose(
            f"{name}: cannot determine the results before sizes are known.",
            "give the shapes of its arguments with tf.ensure_shape(x, shape).",
        )
    )
