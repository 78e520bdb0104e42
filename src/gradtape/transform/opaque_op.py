"""Functions that tapes see as one op: custom gradients, recomputed functions, `py_function`.

Such a function runs with a Witness on the list of recorders, which notes the variables it used. Its results are then
shown to the recorders as the outputs of one op, whose vjp is a Python function.

Inside `vectorized_map` the values stand for many examples. A tape in there gets the op on examples; a tape around the
map gets the op on whole batches, and its pullback goes back in: cotangents are given their levels again, and what comes
out is summed for inputs that all examples share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradtape.core import errors, state
from gradtape.core.indexed_slices import IndexedSlices, densify
from gradtape.core.op import Op
from gradtape.core.recorder import Recorder
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.ops.movement import Identity
from gradtape.ops.reduction import ReduceSum
from gradtape.transform.batched import Batched, NeedsValueError, batched, repeated

# A function of the cotangents of the outputs, and of which inputs want one, that gives the cotangents of the inputs.
Pullback = Callable[[tuple[Any, ...], Sequence[bool]], Sequence[Any]]

_current = state.current


class Witness(Recorder):
    """A recorder that notes which variables are used, and what they held before.

    Attributes:
      before: by identity, a variable and its value when it was first read or assigned.
      captured: tensors that ops have read and that one of the given tapes tracks, or might in a trace.
    """

    __slots__ = ("_tapes", "before", "captured")

    def __init__(self, tapes: tuple[Any, ...] = ()) -> None:
        self.before: dict[int, tuple[Variable, Tensor]] = {}
        self.captured: dict[Any, Tensor] = {}
        self.depth = _current.depth
        self.closed = False
        self._tapes = tapes

    def see(self, op: Op, ids: tuple[int, ...], values: Any, params: Any, outputs: Any, result: Any) -> None:
        """An op has run."""
        for tape in self._tapes:
            for identity, value in zip(ids, values, strict=True):
                seen = view(value, tape.depth)._id if isinstance(value, Batched) else identity
                # A trace does not track yet what comes from outside of it; a tape there may know it.
                is_outer = identity and _current.trace is not None and not isinstance(value, Tensor)
                if seen in tape.tracked or is_outer:
                    tensor = value if isinstance(value, Tensor) else wrap(value, identity)
                    self.captured[identity or id(tensor)] = tensor

    def access(self, variable: Variable) -> None:
        """A variable is being read or assigned."""
        if variable._id not in self.before:
            trace = _current.trace
            self.before[variable._id] = variable, variable._value if trace is None else trace.read(variable)

    @property
    def variables(self) -> list[Variable]:
        """All variables that were used, in the order of their first use."""
        return [variable for variable, _ in self.before.values()]

    @contextmanager
    def rewound(self) -> Iterator[None]:
        """Run a block with all noted variables as they were; afterwards they are as they are now."""
        if _current.trace is not None:
            with _current.trace.holding(self.variables, [value for _, value in self.before.values()]):
                yield
            return
        now = [(variable, variable._value) for variable, _ in self.before.values()]
        for variable, value in self.before.values():
            variable._value = value
        try:
            yield
        finally:
            for variable, value in now:
                variable._value = value


def witnesses() -> tuple[Witness, ...]:
    """The witnesses on this thread: whoever hides something from tapes must not hide it from them."""
    return tuple([r for r in _current.recorders if isinstance(r, Witness)])


@contextmanager
def recorded_by(*recorders: Any) -> Iterator[None]:
    """Run a block with these recorders only."""
    before = _current.recorders
    _current.recorders = recorders
    try:
        yield
    finally:
        _current.recorders = before


class Opaque(Op):
    """One call of a Python function with its own pullback. Tapes save the pullback, and nothing else."""

    wants_tensors = True
    differentiable = True
    takes_needs = True
    residuals = (("pullback", "function"),)

    def __init__(self, name: str, pullback: Pullback, takes_none: bool = False) -> None:
        self.name, self.takes_none = name, takes_none  # type: ignore[misc]
        self.pullback: Pullback | None = pullback

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        """The pullback."""
        return (self.pullback,)

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        """The cotangents of the inputs."""
        return residuals[0](dy, needs)


def show(
    name: str, pullback: Pullback, inputs: Sequence[Any], results: Sequence[Tensor], transparent: tuple[Any, ...] = ()
) -> list[Tensor]:
    """New tensors of `results`, which every recorder sees as computed from `inputs` by one op.

    Args:
      name: the op's name.
      pullback: the op's vjp.
      inputs: tensors and variables.
      results: what was computed.
      transparent: recorders that have seen how the results were computed, and shall stay with that.
    """
    outputs = [fresh(r) for r in results]
    recorders = _current.recorders if outputs else ()
    for i, recorder in enumerate(recorders):
        # What a recorder runs itself is seen only by those that were entered before it.
        with recorded_by(*recorders[:i]):
            _show_to(recorder, name, pullback, inputs, results, outputs, recorder in transparent)
    return outputs


def _show_to(
    recorder: Any, name: str, pullback: Pullback, inputs: Any, results: Any, outputs: Any, transparent: bool
) -> None:
    depth = recorder.depth
    seen = [view(x, depth) for x in inputs]
    ids = tuple([x._id for x in seen])
    ys = tuple([view(y, depth) for y in outputs])
    tracked = getattr(recorder, "tracked", None)
    concerned = not transparent and (tracked is None or any(i in tracked for i in ids))
    if tracked is None or not concerned:
        # Accumulators prefer what they have seen inside the function; tapes whose tensors it only closes over as well.
        for r, y in zip(results, ys, strict=True):
            r = view(r, depth)
            recorder.see(Identity, (r._id,), (_content(r),), {}, y, _content(y))
    if concerned:
        lifted = _lifted(pullback, inputs, outputs, depth)
        if len(outputs) > 1 and not all(_has_size(y) for y in outputs):
            op = Opaque(name, WithZeros(lifted, outputs), takes_none=True)
        else:
            op = Opaque(name, lifted)
        recorder.see(op, ids, [_content(x) for x in seen], {}, ys, [_content(y) for y in ys])
        # The record of the op outlives the backward pass; what the pullback holds must not.
        op.pullback = None


def view(value: Any, depth: float) -> Any:
    """A tensor or variable as a recorder sees it that was entered at a depth."""
    while isinstance(value, Batched) and value.level > depth:
        value = value.value
    return value


def _content(value: Any) -> Any:
    """What dispatch shows of an input or output: the array, or the tensor of a transformation."""
    value = value._value if isinstance(value, Variable) else value
    return value._array if type(value) is Tensor else value


def _has_size(value: Any) -> bool:
    """Whether zeros in the shape of a value can be made without it."""
    return type(value) is Tensor or isinstance(value, Batched) or value.value.spec.is_known


class WithZeros:
    """A pullback that is given None for outputs that nothing used: their zeros need a size that only the output has."""

    def __init__(self, pullback: Pullback, outputs: Sequence[Any]) -> None:
        self._pullback, self.outputs = pullback, outputs

    def __call__(self, dys: tuple[Any, ...], needs: Sequence[bool]) -> Sequence[Any]:
        whole = [_zeros_like(y) if d is None else d for d, y in zip(dys, self.outputs, strict=True)]
        found: Sequence[Any] = self._pullback(tuple(whole), needs)
        return found


def _zeros_like(y: Any) -> Any:
    return wrap(np.zeros_like(y._array)[()]) if type(y) is Tensor else y.zeros_like()


def fresh(value: Any) -> Any:
    """The same value in a new tensor, which no tape tracks."""
    if isinstance(value, Batched):
        return batched(fresh(value.value), value.level)
    return wrap(value._array) if type(value) is Tensor else value.fresh()


def _lifted(pullback: Pullback, inputs: Sequence[Any], outputs: Sequence[Any], depth: float) -> Pullback:
    """A pullback on the values that a recorder at that depth sees, from one on values of inner transformations."""
    found = {level: rows for x in (*inputs, *outputs) for level, rows in _levels(x, depth)}
    levels = dict(sorted(found.items()))
    if not levels:
        return pullback

    def whole(dys: tuple[Any, ...], needs: Sequence[bool]) -> Sequence[Any]:
        for d in dys:
            if isinstance(d, Batched) and d.level in levels:
                raise NeedsValueError(
                    errors.compose(
                        "a vectorised pass cannot go through a custom gradient inside another one.", "", depth=1
                    ),
                    d.level,
                )
        before = _current.depth
        _current.depth = max(before, *levels)
        try:
            raised = [_raise(y, d, depth) for y, d in zip(outputs, dys, strict=True)]
            grads = pullback(tuple(raised), needs)
            return [None if g is None else _lower(x, g, levels) for x, g in zip(inputs, grads, strict=True)]
        finally:
            _current.depth = before

    return whole


def _levels(value: Any, depth: float) -> Iterator[tuple[float, Any]]:
    """The transformations above a depth that a value belongs to, with tensors that have a row for each of their examples."""
    while isinstance(value, Batched) and value.level > depth:
        yield value.level, value.value
        value = value.value


def _raise(like: Any, d: Any, depth: float) -> Any:
    """A cotangent of whole batches as one of examples, of the same levels as another value."""
    if isinstance(like, Batched) and like.level > depth:
        return batched(_raise(like.value, d, depth), like.level)
    return d


def _lower(like: Any, g: Any, levels: dict[float, Any]) -> Any:
    """A cotangent of examples as one of whole batches, summed over those that share the input."""
    g = densify(g) if isinstance(g, IndexedSlices) else g
    for level, rows in reversed(levels.items()):
        each = isinstance(g, Batched) and g.level == level
        if isinstance(like, Batched) and like.level == level:
            g = g.value if each else repeated(g, rows)
            like = like.value
        elif each or rows.shape[0] is None:
            g = ReduceSum(g.value if each else repeated(g, rows), axis=(0,), keepdims=False)
        else:
            g = g * float(rows.shape[0])
    return g
