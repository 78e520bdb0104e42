"""`while` and `for` statements over tensors, and those of Python that a tensor may end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape.autograph._builtins import Rows
from gradtape.autograph._if import if_over_tensor
from gradtape.autograph._ranges import Bounds, bounds_of, start_of
from gradtape.autograph._undefined import (
    as_tensor,
    called,
    holds_tensors,
    in_loop,
    is_missing,
    is_symbolic,
    refuse,
    traces,
)
from gradtape.core import convert, dtypes, errors, nest
from gradtape.core.composite import Composite
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec, TensorShape, TensorSpec, spec_of
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.tensor import Tensor
from gradtape.tracing.control.block import BlockTrace, empty, spec
from gradtape.tracing.control.build import Leaves, as_bool, fits, relaxed, run_steps, traced
from gradtape.tracing.control.checks import required
from gradtape.tracing.control.loop import too_few_text
from gradtape.tracing.control.tensor_array import COUNT_ROWS

State = tuple[Any, ...]


def while_loop(
    test: Callable[[], Any],
    body: Callable[[], Any],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: Sequence[str],
    opts: dict[str, Any],
    start: Any = None,
) -> None:
    """A `while` statement. Steps whose condition is a value of Python run at once, also before steps over tensors: the
    condition of `while True` is a tensor after the first step if that has a `break` under one. `start` is the first value of the
    target, where it stands for a `for` statement over a range."""
    has_stepped = False
    with in_loop():
        while True:
            goes_on = _tested(test)
            if is_symbolic(goes_on):
                break
            if isinstance(goes_on, Tensor) and traces():
                if has_stepped:
                    raise _changed_to_tensor()
                break
            if not goes_on:
                return
            body()
            has_stepped = True
        _Loop(get_state, set_state, symbol_names, opts, lambda row: body(), test, None, start).run()


def _changed_to_tensor() -> Exception:
    """The error of a condition that a step made a constant: a loop of the graph that has it would never end."""
    return refuse(
        NotImplementedError,
        "The condition of while loop started as non-Tensor, then changed to Tensor, and does not depend on what the steps compute.",
        "begin with a tensor, or keep the condition a value of Python.",
    )


def _tested(test: Callable[[], Any]) -> Any:
    """The condition. If it is a tensor it is evaluated again, as a part of the loop."""
    if not traces():
        return as_tensor(test())
    with BlockTrace("condition"):
        return as_tensor(test())


def for_loop(
    iter_: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: Sequence[str],
    opts: dict[str, Any],
) -> None:
    """A `for` statement; see `statements.for_stmt`."""
    if hasattr(iter_, "_staged_steps") and traces():
        # As in a reduction over the dataset, the shapes of variables may vary; in other loops they may not.
        varies = getattr(iter_, "_shapes_vary_in_loops", False)
        steps, given = iter_._staged_steps(), {**opts, "shapes_vary": varies}
        _for_dataset(steps, extra_test, body, get_state, set_state, symbol_names, given)
        return
    bounds = bounds_of(iter_) if traces() else None
    if bounds is not None:
        _for_range(bounds, extra_test, body, get_state, set_state, symbol_names, opts)
        return
    with in_loop():
        if isinstance(iter_, Rows) and traces():
            rows = Leaves(iter_.structure)
        elif isinstance(iter_, Tensor) and (traces() or is_symbolic(iter_)):
            if not spec(iter_).rank:
                raise refuse(ValueError, "Cannot iterate over a scalar tensor.", "iterate over tf.range(n).")
            rows = Leaves(iter_)
        else:
            _python_for(iter_, extra_test, body, get_state, set_state, symbol_names)
            return
        _Loop(get_state, set_state, symbol_names, opts, body, extra_test, rows, start_of(iter_)).run()


def _for_range(
    bounds: Bounds,
    extra_test: Any,
    body: Any,
    get_state: Any,
    set_state: Any,
    names: Sequence[str],
    opts: dict[str, Any],
) -> None:
    """A loop over a range of which the end is known when the function runs: a `while` with a counter."""
    counter = [bounds.start]

    def test() -> Any:
        there = REGISTRY["less" if bounds.delta > 0 else "greater"](counter[0], bounds.limit)
        return there if extra_test is None else REGISTRY["logical_and"](as_bool(extra_test()), there)

    def step() -> None:
        number = counter[0]
        counter[0] = number + bounds.delta
        body(number)

    def set_both(values: State) -> None:
        counter[0] = values[0]
        set_state(values[1:])

    state = lambda: (counter[0], *get_state())  # noqa: E731
    while_loop(test, step, state, set_both, ("the counter", *names), opts, bounds.start)


def _for_dataset(
    steps: Any, extra_test: Any, body: Any, get_state: Any, set_state: Any, names: Sequence[str], opts: dict[str, Any]
) -> None:
    """A loop over a dataset: nodes begin an iteration when the function runs, ask for elements, and end it."""

    def test() -> Any:
        there = steps.more()
        return there if extra_test is None else REGISTRY["logical_and"](as_bool(extra_test()), there)

    steps.start()
    while_loop(test, lambda: body(steps.take()), get_state, set_state, names, opts)
    steps.stop()


def _python_for(iter_: Any, extra_test: Any, body: Any, get_state: Any, set_state: Any, names: Sequence[str]) -> None:
    """A loop over values of Python. After a `break` under a tensor, the remaining steps run under the condition that
    there was none."""
    if extra_test is None:
        for target in iter_:
            body(target)
        return
    goes_on = as_tensor(extra_test())
    if not is_symbolic(goes_on) and not goes_on:
        return
    for target in iter_:
        if is_symbolic(goes_on):
            if_over_tensor(goes_on, _bound(body, target), lambda: None, get_state, set_state, names, len(names))
        else:
            body(target)
        goes_on = as_tensor(extra_test())
        if not is_symbolic(goes_on) and not goes_on:  # the iterator keeps what comes after a `break`
            return


def _bound(body: Callable[[Any], Any], target: Any) -> Callable[[], Any]:
    return lambda: body(target)


class _Loop:
    """A loop over tensors, in the graph.

    Variables that hold tensors, or what can become tensors, are carried. Others must stay as they are. Those that are first
    set in the loop begin as zeros, and are an error afterwards if there was no step.
    """

    def __init__(
        self,
        get_state: Any,
        set_state: Any,
        names: Sequence[str],
        opts: dict[str, Any],
        step: Any,
        test: Any,
        rows: Any,
        start: Any = None,
    ) -> None:
        """A loop over rows, or while a test is true. `start` is what the target of a `for` statement is before the first step."""
        self._get: Callable[[], State] = get_state
        self._set: Callable[[State], None] = set_state
        self._names, self._options = names, opts
        self._step, self._test, self._rows = step, test, rows
        self._before: State = get_state()
        self._begin = list(self._before)
        self._first_set: set[int] = set()
        self._made_specs: dict[int, list[Spec]] = {}
        for i, name in enumerate(names):
            if start is not None and name == opts.get("iterate_names") and is_missing(self._begin[i]):
                self._begin[i] = start

    def run(self) -> None:
        """Trace the loop, and set the variables to their values after it."""
        trace, after, leaves, specs = self._settled()
        with trace:
            results = [t for i in self._carried() for t in self._checked(i, after[i], specs[i])]
        flat = [s for i in self._carried() for s in specs[i]]
        test = self._traced_test(leaves, flat)
        limit = self._options.get("maximum_iterations", -1)
        rows = [] if self._rows is None else self._rows.tensors
        start = leaves.tensors
        if test is not None and (test[0].assigned or any(n.effect for n in test[0].graph.nodes)):
            start, results, test = self._tested_in_body(trace, start, results, flat)
        count, last, _ = run_steps(_limit(limit, rows), start, rows, test, (trace, results))
        state = list(self._before)
        values = leaves.packed(last[: len(leaves.tensors)])
        for i, value in zip(self._carried(), values, strict=True):
            state[i] = self._guarded(i, value, count) if i in self._first_set else value
        self._set(tuple(state))

    def _carried(self) -> list[int]:
        return [i for i, value in enumerate(self._begin) if not is_missing(value) and holds_tensors(value)]

    def _settled(self) -> Any:
        """The trace of a step, after as many trials as it takes to know the variables that are first set in it."""
        while True:
            leaves = Leaves([self._begin[i] for i in self._carried()])
            specs = self._specs(leaves)
            try:
                trace, after = self._traced_step(leaves, [s for own in specs.values() for s in own])
            except UnboundLocalError as problem:
                raise self._undefined(problem) from None
            except (TypeError, ValueError, AttributeError) as problem:
                self._check_before()
                self._advise_floats(problem)
                raise
            changed = False
            for i, (old, new) in enumerate(zip(self._begin, after, strict=True)):
                has_value = not is_missing(new) and new is not None and holds_tensors(new)
                if (is_missing(old) or self._is_none(i)) and has_value:
                    self._begin[i], changed = _blank(new), True
                    self._first_set.add(i)
                    if not hasattr(new, "_components"):
                        self._made_specs[i] = [spec(t) for t in Leaves(new).tensors]
                elif getattr(old, "_is_open", False) and hasattr(new, "_completed"):
                    self._begin[i] = old._completed(new)
                    changed = changed or self._begin[i] is not old
            if not changed and not self._loosened(specs, after):
                self._check_before()
                return trace, after, leaves, specs

    def _loosened(self, specs: dict[int, list[Spec]], after: State) -> bool:
        """Whether another trial is needed because the shape of a variable varies, in a loop that allows it."""
        if not self._options.get("shapes_vary"):
            return False
        changed = False
        for i in self._carried():
            new = [] if is_missing(after[i]) else [spec(t) for t in Leaves(after[i]).tensors]
            if len(new) == len(specs[i]) and not all(fits(a, b) for a, b in zip(new, specs[i], strict=True)):
                self._made_specs[i] = [_common(a, b) for a, b in zip(new, specs[i], strict=True)]
                changed = changed or self._made_specs[i] != specs[i]
        return changed

    def _advise_floats(self, problem: Exception) -> None:
        """Add to the error of a step that computes with a float that a Python int, which begins a variable, is an int32."""
        begin = [name for name, value in zip(self._names, self._begin, strict=True) if type(value) is int]
        what, _, fix = str(problem).partition("\n  fix: ")
        if begin and fix and isinstance(problem, errors.DTypeError) and "i32[]" in what and "f32[" in what:
            name = begin[0]
            problem._message = f"{what}\n  fix: {name} = {self._begin[self._names.index(name)]}.0 before the loop, if it is a float. Otherwise, {fix}"

    def _undefined(self, problem: UnboundLocalError) -> Exception:
        """The error of a step that reads a variable which has no value before the loop."""
        pairs = zip(self._names, self._begin, strict=True)
        names = [n for n, value in pairs if is_missing(value) and f"'{n}'" in str(problem)]
        if not names:
            return problem
        return refuse(ValueError, f"'{names[0]}' must be defined before the loop.", "give it a value before the loop.")

    def _is_none(self, i: int) -> bool:
        """Whether a variable is None before the loop; one that a step gives a value is as if it were first set there."""
        return self._begin[i] is None and not self._names[i].startswith("retval_")

    def _check_before(self) -> None:
        for i, name in enumerate(self._names):
            if self._is_none(i):
                raise refuse(ValueError, f"{called(name)} may not be None before the loop.", "give it a tensor.")

    def _specs(self, leaves: Leaves) -> dict[int, list[Spec]]:
        """The specs of each carried variable, with those dimensions unknown that the user says vary."""
        given = self._invariants()
        found: dict[int, list[Spec]] = {}
        flat = iter(zip(leaves.tensors, leaves.specs, strict=True))
        for i, value in zip(self._carried(), leaves.structure, strict=True):
            own = []
            for _ in Leaves(value).tensors:
                tensor, kept = next(flat)
                own.append(relaxed(tensor, given[id(tensor)]) if id(tensor) in given else kept)
            if isinstance(value, Composite):
                own = _open_specs(value, given.get(id(value)))
            found[i] = self._made_specs.get(i, own)
        return found

    def _invariants(self) -> dict[int, Any]:
        """The shapes that the user gives for variables, by the identity of their values before the loop."""
        if self._options.get("shapes_vary"):
            return {}
        return {id(as_tensor(t)): shape for t, shape in self._options.get("shape_invariants", ())}

    def _enter(self, leaves: Leaves, tensors: Sequence[Any]) -> None:
        state = list(self._begin)
        for i, value in zip(self._carried(), leaves.packed(tensors), strict=True):
            state[i] = value
        self._set(tuple(state))

    def _traced_step(self, leaves: Leaves, specs: list[Spec]) -> tuple[BlockTrace, State]:
        count = len(specs)

        def step(*tensors: Any) -> State:
            self._enter(leaves, tensors[:count])
            self._step(None if self._rows is None else self._rows.packed(tensors[count:]))
            return self._get()

        rows = [] if self._rows is None else [Spec(spec(t).shape[1:], t.dtype) for t in self._rows.tensors]
        labels = [self._names[i] for i in self._carried() for _ in Leaves(self._begin[i]).tensors]
        try:
            found: tuple[BlockTrace, State] = traced("loop body", step, [*specs, *rows], [*labels, *[""] * len(rows)])
            return found
        finally:
            self._set(self._before)

    def _traced_test(self, leaves: Leaves, specs: list[Spec]) -> Any:
        if self._test is None:
            return None

        def test(*tensors: Any) -> Any:
            self._enter(leaves, tensors)
            return as_bool(self._test())

        try:
            return traced("loop condition", test, specs)
        finally:
            self._set(self._before)

    def _tested_in_body(self, trace: BlockTrace, start: Any, results: Any, specs: list[Spec]) -> Any:
        """A condition that draws random numbers or assigns variables is evaluated at the end of each step."""
        self._set(tuple(self._begin))
        first = as_bool(self._test())
        with trace:
            leaves = Leaves([self._begin[i] for i in self._carried()])
            self._enter(leaves, results)
            results = [*results, trace.own(as_bool(self._test()))]
            trace.parameter(spec(first))
        # Parameters of rows come after those of carried values.
        position = len(specs)
        both: tuple[list[Any], ...] = (trace.parameters, trace.graph.parameters)
        for items in both:
            items.insert(position, items.pop())
        self._set(self._before)
        return [*start, first], results, traced("loop condition", lambda *v: v[-1], [*specs, spec(first)])

    def _checked(self, i: int, value: Any, specs: list[Spec]) -> list[Any]:
        """The tensors of a variable after a step, which must be like those before it."""
        name, old = self._names[i], self._begin[i]
        if value is None or is_missing(value):
            raise refuse(ValueError, f"{called(name)} is None at the end of the iteration.", "give it a tensor.")
        try:
            nest.assert_same_structure(old, value)
            new = Leaves(value)
        except (TypeError, ValueError) as problem:
            raise refuse(
                TypeError,
                f"{called(name)} does not have the same nested structure after one iteration. {problem}",
                "keep its structure in the loop.",
            ) from None
        if len(new.tensors) != len(specs):
            raise refuse(
                TypeError, f"{called(name)} does not have the same parts after one iteration.", "keep its parts."
            )
        given = self._invariants()
        told = id(old) in given or any(id(t) in given for t in Leaves(old).tensors)
        for tensor, kept in zip(new.tensors, specs, strict=True):
            _check_like(name, spec(tensor), kept, told)
        return new.tensors

    def _guarded(self, i: int, value: Any, count: Any) -> Any:
        """A variable that is first set in the loop: an error where it is read after no step."""
        if self._names[i].startswith("retval_"):
            return value
        leaves = Leaves(value)
        what, fix = too_few_text(self._names[i])
        return leaves.packed([required(t, count > 0, what, fix) for t in leaves.tensors])


def _open_specs(value: Composite, invariant: Any) -> list[Spec]:
    """The specs of the tensors of a composite value, which may have another number of elements after each step."""
    kind = value._spec()
    if invariant is not None:
        shape = TensorShape(invariant)
        keeps_rank = shape.rank is None and not isinstance(value, SparseTensor)
        kind = kind._with_shape(TensorShape([None] * (kind.shape.rank or 0)) if keeps_rank else shape)
    return [spec_of(s) for s in kind._component_specs()]


def _limit(maximum: Any, rows: Sequence[Any]) -> Any:
    """How many steps there are at most; -1 for as many as there are rows."""
    maximum = as_tensor(maximum)
    most = int(maximum) if not is_symbolic(maximum) else maximum
    if not rows or (isinstance(most, int) and most < 0):
        return most
    count = spec(rows[0]).shape[0]
    if isinstance(most, int) and count is not None:
        return min(most, count)
    there = COUNT_ROWS(rows[0]) if count is None else convert.convert_to_tensor(count)
    return REGISTRY["minimum"](REGISTRY["cast_to_discrete"](convert.convert_to_tensor(most), dtype=dtypes.int32), there)


def _blank(value: Any) -> Any:
    """A value like another one, with zeros as its tensors."""
    from gradtape.core.tensor import wrap

    if hasattr(value, "_components"):
        return value
    leaves = Leaves(value)
    return leaves.packed([wrap(empty(spec(t))) for t in leaves.tensors])


def _common(a: Spec, b: Spec) -> Spec:
    """The spec of tensors that are as one or the other."""
    return spec_of(TensorSpec(TensorShape(a.shape).most_specific_compatible_shape(TensorShape(b.shape)), b.dtype))


def _check_like(name: str, new: Spec, kept: Spec, told: bool) -> None:
    """Raise unless a variable after a step is as it was before it, or as the user told."""
    if new.dtype is not kept.dtype:
        raise refuse(
            TypeError,
            f"{called(name)} has dtype {kept.dtype.name} before the loop, but dtype {new.dtype.name} after one iteration",
            "cast it.",
        )
    if not fits(new, kept) and told:
        raise refuse(
            ValueError,
            f"{called(name)} has shape {TensorShape(new.shape)} after one iteration, which does not conform with the shape "
            f"invariant {TensorShape(kept.shape)}.",
            "give None for the dimensions that vary, or keep the shape.",
        )
    if not fits(new, kept):
        raise refuse(
            ValueError,
            f"{called(name)} has shape {TensorShape(kept.shape)} before the loop, but shape {TensorShape(new.shape)} after one "
            "iteration. Use tf.autograph.experimental.set_loop_options to set shape invariants.",
            "give (variable, shape) with None for dimensions that vary, or keep the shape.",
        )
