"""From traced branches and bodies to the ops that run them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape.core import convert, dtypes, errors, nest, state
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.op import REGISTRY
from gradtape.core.shape import ANY, Spec, TensorShape
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.tracing.control.block import Block, BlockTrace, operand, run_op, settle, sources_of, spec, value_for
from gradtape.tracing.control.branch import BRANCH, EFFECTFUL_BRANCH
from gradtape.tracing.control.loop import run_loop
from gradtape.tracing.control.trip_count import trips
from gradtape.tracing.symbol import Symbol
from gradtape.transform.opaque_op import recorded_by

_current = state.current


class Leaves:
    """A structure as the tensors in it: what branches return and loops carry.

    Leaves are tensors, numbers and variables; rows (`IndexedSlices`); None; and objects that consist of tensors, such as
    `TensorArray`, with the methods `_components` and `_from_components`.

    Attributes:
      structure: the structure.
      leaves: its leaves.
      tensors: the tensors, in order.
      specs: their specs; those that they keep in all steps of a loop.
    """

    def __init__(self, structure: Any) -> None:
        self.structure = structure
        self.leaves = nest.flatten(structure)
        parts = [_parts(leaf) for leaf in self.leaves]
        self._counts = [len(p) for p in parts]
        self.tensors = [t for p in parts for t in p]
        self.specs = [s for leaf, p in zip(self.leaves, parts, strict=True) for s in _specs(leaf, p)]

    def packed(self, tensors: Sequence[Any]) -> Any:
        """The structure with other tensors."""
        rest, made = iter(tensors), []
        for leaf, count in zip(self.leaves, self._counts, strict=True):
            own = [next(rest) for _ in range(count)]
            if hasattr(leaf, "_from_components"):
                made.append(leaf._from_components(own))
            elif isinstance(leaf, IndexedSlices):
                made.append(IndexedSlices(own[0], own[1], leaf.dense_shape))
            else:
                made.append(own[0] if own else leaf)
        return nest.pack_sequence_as(self.structure, made)

    def position(self, number: int) -> int:
        """The leaf that a tensor belongs to."""
        for i, count in enumerate(self._counts):
            number -= count
            if number < 0:
                return i
        raise IndexError(number)


def _parts(leaf: Any) -> list[Any]:
    if leaf is None:
        return []
    if hasattr(leaf, "_components"):
        return list(leaf._components())
    if isinstance(leaf, IndexedSlices):
        return [leaf.values, leaf.indices]
    return [operand(leaf) if isinstance(leaf, (Tensor, Variable)) else convert.convert_to_tensor(leaf)]


def _specs(leaf: Any, parts: list[Any]) -> list[Spec]:
    return leaf._specs() if hasattr(leaf, "_specs") else [spec(p) for p in parts]


def traced(name: str, fn: Callable[..., Any], specs: Sequence[Spec], labels: Sequence[str] = ()) -> Any:
    """The trace of a function of tensors with these specs, and what the function returned."""
    trace = BlockTrace(name)
    with trace:
        arguments = [
            trace.parameter(spec, label) for spec, label in zip(specs, labels or [""] * len(specs), strict=True)
        ]
        returned = fn(*arguments)
    return trace, returned


def run_branches(index: Any, traces: Sequence[BlockTrace], results: Sequence[Sequence[Any]]) -> list[Any]:
    """The results of the chosen branch; variables that some branch assigns are assigned.

    Args:
      index: a scalar bool or int: the branch.
      traces: one for each branch.
      results: for each branch what it returns, as tensors; of equal dtypes.
    """
    variables = list({i: v for trace in traces for i, v in trace.assigned.items()}.values())
    outputs = []
    for trace, tensors in zip(traces, results, strict=True):
        with trace:
            outputs.append([trace.own(x) for x in (*tensors, *[trace.read(v) for v in variables])])
    is_assigned = settle(traces)
    sources = sources_of(traces)
    blocks = [
        Block(trace, [value_for(trace, s) for s in sources], [(y.value, y._id) for y in ys])
        for trace, ys in zip(traces, outputs, strict=True)
    ]
    op = EFFECTFUL_BRANCH if any(b.effect for b in blocks) else BRANCH
    if op is BRANCH and not outputs[0]:
        return []
    found = list(run_op(op, (index, *[operand(s) for s in sources]), {"branches": tuple(blocks)}))
    count = len(found) - len(variables)
    if not is_assigned:
        _assign(variables, found[count:])
    return found[:count]


def _assign(variables: Sequence[Variable], values: Sequence[Any]) -> None:
    """Assign the variables that blocks assign."""
    with recorded_by():  # no gradient flows through an assignment
        for variable, value in zip(variables, values, strict=True):
            if _current.trace is None:
                variable.assign(value)
            else:
                _current.trace.assign(variable, value)


def run_steps(
    limit: Any,
    start: Sequence[Any],
    rows: Sequence[Any],
    cond: tuple[BlockTrace, Any] | None,
    body: tuple[BlockTrace, Sequence[Any]],
    reverse: bool = False,
) -> tuple[Any, list[Any], list[Any]]:
    """The number of steps, the last carried values and the stacked results of a loop; variables that the body assigns are
    assigned.

    Args:
      limit: how many steps at most; -1 if there is no limit but the number of rows.
      start: the first carried values.
      rows: tensors whose rows the steps get.
      cond: the trace of the condition, on the carried values, and its result.
      body: the trace of a step, on the carried values and the rows, and its results: new carried values, and rows.
      reverse: from the last row to the first.
    """
    trace, results = body
    variables = list(trace.assigned.values())
    with trace:
        outputs = [trace.own(y) for y in results]
        states = [trace.own(trace.read(v)) for v in variables]
    if cond is not None:
        with cond[0]:  # a condition that comes from outside becomes a capture, before captures are listed
            cond = cond[0], cond[0].own(cond[1])
    is_assigned = settle([trace] if cond is None else [trace, cond[0]])
    count = len(start)
    parameters = [p.value for p in trace.parameters]
    moving = [j for j in range(count) if outputs[j].value is not parameters[j]]
    resting = [j for j in range(count) if outputs[j].value is parameters[j]]
    if cond is not None and isinstance(limit, int) and (known := trips(cond, trace, outputs, start)) is not None:
        cond, limit = None, known if limit < 0 else min(known, limit)
    traces = [trace] if cond is None else [trace, cond[0]]
    sources = [s for s in sources_of(traces) if not any(s is v for v in variables)]
    block = Block(
        trace,
        [
            *[parameters[j] for j in moving],
            *[value_for(trace, v) for v in variables],
            *parameters[count:],
            *[parameters[j] for j in resting],
            *[value_for(trace, s) for s in sources],
        ],
        [(y.value, y._id) for y in (*[outputs[j] for j in moving], *states, *outputs[count:])],
    )
    test = None if cond is None else _test(cond, moving, resting, variables, sources)
    length = _length(limit, rows) if cond is None else None
    found: Any = run_loop(
        limit,
        [*[start[j] for j in moving], *[operand(v) for v in variables]],
        rows,
        [*[start[j] for j in resting], *[operand(s) for s in sources]],
        cond=test,
        body=block,
        states=tuple(range(len(moving), len(moving) + len(variables))),
        reverse=reverse,
        length=length,
        lengths=(length,) * (len(outputs) - count),
    )
    steps, *found = found
    if not is_assigned:
        _assign(variables, found[len(moving) : len(moving) + len(variables)])
    last = {j: start[j] for j in resting} | dict(zip(moving, found, strict=False))
    return steps, [last[j] for j in range(count)], list(found[len(moving) + len(variables) :])


def _test(cond: tuple[BlockTrace, Any], moving: Any, resting: Any, variables: Any, sources: Any) -> Block:
    trace, result = cond
    own = [p.value for p in trace.parameters]
    parameters = [
        *[own[j] for j in moving],
        *[value_for(trace, v) for v in variables],
        *[own[j] for j in resting],
        *[value_for(trace, s) for s in sources],
    ]
    return Block(trace, parameters, [(result.value, 0)])


def _length(limit: Any, rows: Sequence[Any]) -> int | None:
    """The number of steps, if it is known."""
    known = [spec(x).shape[0] for x in rows if spec(x).shape[0] is not None]
    if not known:
        return limit if isinstance(limit, int) and limit >= 0 else None
    if isinstance(limit, int):
        return min(limit, *known) if limit >= 0 else known[0]
    return None


def relaxed(value: Any, invariant: Any) -> Spec:
    """The spec that a carried value keeps in all steps: its own, or a looser one that was given."""
    own = spec(value)
    if invariant is None:
        return own
    shape = TensorShape(invariant)
    entering = TensorShape(None if own.shape is ANY else own.shape)
    if not shape.is_compatible_with(entering):
        raise ValueError(
            errors.compose(
                f"The shape invariant specified for {value!r} is not compatible with the initial shape of the loop "
                f"variable. It enters the loop with shape {entering}, but the specified shape invariant "
                f"is {shape}.",
                "give a looser shape.",
            )
        )
    return Spec(ANY if shape.rank is None else tuple(shape), own.dtype)  # type: ignore[arg-type]


def fits(result: Spec, kept: Spec) -> bool:
    """True if every value of one spec is a value of the other."""
    if kept.shape is ANY or result.shape is ANY:
        return kept.shape is ANY
    return result.rank == kept.rank and all(k is None or k == r for r, k in zip(result.shape, kept.shape, strict=True))


def as_bool(x: Any) -> Any:
    """A condition as a scalar bool tensor."""
    if isinstance(x, Variable):
        x = x._read()
    tensor = convert.convert_to_tensor(x)
    if isinstance(tensor, Symbol) and tensor.value.spec.shape is ANY:
        tensor = REGISTRY["ensure_shape"](tensor, shape=())  # when it runs, any other rank is an error
    if tensor.ndim:
        raise errors.build(
            errors.ShapeError,
            f"a condition must be a scalar, got {spec(tensor)}.",
            "use tf.reduce_all or tf.reduce_any.",
        )
    if tensor.dtype is dtypes.bool_:
        return tensor
    return REGISTRY["not_equal"](tensor, convert.convert_to_tensor(0, tensor.dtype))


def symbolic(x: Any) -> bool:
    """True for a tensor of a function that is being traced."""
    return isinstance(x, Symbol)
