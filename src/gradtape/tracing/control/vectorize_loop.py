"""Loops on many examples at once.

Where all examples take the same number of steps, the loop carries those values for all examples that differ between them.
Otherwise it goes on until the last example is done, and the values of those that are done stay as they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape.compiler.graph import Value
from gradtape.core import dtypes
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec
from gradtape.ops.family import dims
from gradtape.tracing.control.block import Block, BlockTrace
from gradtape.tracing.control.branch import batched_block, batched_outputs, replayed_batched
from gradtape.tracing.control.loop_gradient import Shape
from gradtape.tracing.control.stacking import TURN
from gradtape.tracing.control.vectorize_blocks import batched_spec, chosen, spread
from gradtape.transform.batched import Shared

_COUNT = Spec((), dtypes.int32)


class Flags(NamedTuple):
    """Which carried values, sliced operands and invariants differ between the examples."""

    carried: tuple[bool, ...]
    sliced: tuple[bool, ...]
    fixed: tuple[bool, ...]

    @property
    def body(self) -> tuple[bool, ...]:
        """Those of the parameters of the body."""
        return (*self.carried, *self.sliced, *self.fixed)


def run(op: Any, batched: tuple[bool, ...], limit: Any, operands: Any, **params: Any) -> tuple[Any, ...]:
    """The results of a loop with a leading axis for the examples."""
    shape = Shape(params["carried"], params["sliced"], params["states"])
    size = next(dims(x)[0] for flag, x in zip(batched, (limit, *operands), strict=True) if flag)
    flags = Flags(*[tuple(part) for part in shape.parts(batched[1:])])
    flags, differs = _settled(flags, params["cond"], params["body"], size)
    state, rows, fixed = shape.parts(operands)
    given, given_rows, _ = shape.parts(batched[1:])
    rows = [swapped(x) if flag else x for x, flag in zip(rows, given_rows, strict=True)]
    if differs or batched[0]:
        state = [x if flag else spread(x, size) for x, flag in zip(state, given, strict=True)]
        return _masked(op, limit, state, rows, fixed, flags, batched[0], size, params)
    state = [spread(x, size) if f and not g else x for x, f, g in zip(state, flags.carried, given, strict=True)]
    found = batched_outputs(params["body"], flags.body, size)[shape.carried :]
    body = batched_block(params["body"], flags.body, (*flags.carried, *found), size)
    cond = params["cond"]
    if cond is not None:
        tested = len(cond.parameters) - len(fixed)
        cond = batched_block(cond, (*flags.carried[:tested], *flags.fixed), None, size)
    count, *results = op.run(
        limit, state, rows, fixed, cond=cond, body=body, states=shape.states, reverse=params["reverse"],
        length=params["length"], lengths=params["lengths"],
    )  # fmt: skip
    last = [
        y if f else Shared(y) if j in shape.states else spread(y, size)  # of a variable, which then is assigned once
        for j, (y, f) in enumerate(zip(results, flags.carried, strict=False))
    ]
    stacked = [swapped(y) if f else spread(y, size) for y, f in zip(results[shape.carried :], found, strict=True)]
    return (spread(count, size), *last, *stacked)


def _settled(flags: Flags, cond: Block | None, body: Block, size: int) -> tuple[Flags, bool]:
    """The flags, with those of carried values that come to differ after some steps; and whether the condition does."""
    while True:
        found = batched_outputs(body, flags.body, size)[: len(flags.carried)]
        carried = tuple([a or b for a, b in zip(flags.carried, found, strict=True)])
        if carried == flags.carried:
            break
        flags = flags._replace(carried=carried)
    if cond is None:
        return flags, False
    tested = len(cond.parameters) - len(flags.fixed)
    differs = batched_outputs(cond, (*flags.carried[:tested], *flags.fixed), size)[0]
    return (flags._replace(carried=(True,) * len(flags.carried)) if differs else flags), differs


def swapped(x: Any) -> Any:
    """Rows of all examples as examples of all rows, and back."""
    return TURN(x, axis=0)


def _masked(
    op: Any, limit: Any, state: Any, rows: Any, fixed: Any, flags: Flags, limits: bool, size: int, params: Any
) -> tuple[Any, ...]:
    """The loop in which each example has its own number of steps: `limit` and the condition decide who is active."""
    body, cond, count = params["body"], params["cond"], params["carried"]
    flags = flags._replace(carried=(True,) * count)
    most = REGISTRY["reduce_max"](limit, axis=(0,), keepdims=False) if limits else limit
    step = _Step(flags, limits, size, cond, body, params["reverse"])
    zero, zeros = np.int32(0), np.zeros(size, np.int32)
    found = op.run(
        most,
        [*state, zeros, zero],
        rows,
        [*fixed, limit, most],
        cond=None if cond is None else step.test(),
        body=step.body(),
        states=params["states"],
        reverse=params["reverse"],
        length=params["length"],
        lengths=params["lengths"],
    )[1:]
    stacked = [swapped(y) for y in found[count + 2 :]]
    return (found[count], *found[:count], *stacked)


class _Step:
    """Writes the blocks of a loop with masks. Carried are the values, the number of steps of each example, and of all;
    invariants are those of the loop, its limits, and the greatest of them."""

    def __init__(self, flags: Flags, limits: bool, size: int, cond: Block | None, body: Block, reverse: bool) -> None:
        self._flags, self._limits, self._size, self._reverse = flags, limits, size, reverse
        self._cond, self._body = cond, body

    def _specs(self) -> tuple[list[Spec], list[Spec], list[Spec]]:
        shape = Shape(len(self._flags.carried), len(self._flags.sliced), ())
        parts = shape.parts([v.spec for v in self._body.parameters])
        own = [
            [batched_spec(s, self._size) if f else s for s, f in zip(part, flags, strict=True)]
            for part, flags in zip(parts, self._flags, strict=True)
        ]
        counts = batched_spec(_COUNT, self._size)
        return [*own[0], counts, _COUNT], own[1], [*own[2], counts if self._limits else _COUNT, _COUNT]

    def _active(self, trace: BlockTrace, state: Any, step: Any, fixed: Any, limit: Any, most: Any) -> Any:
        """Which examples go on: bool[size]."""
        t = most - 1 - step if self._reverse else step
        active = (limit < 0) | (t < limit)
        if self._cond is not None:
            tested = len(self._cond.parameters) - len(fixed)
            flags = (*self._flags.carried[:tested], *self._flags.fixed)
            (own,), (differs,) = replayed_batched(self._cond, [*state[:tested], *fixed], flags, trace)
            active = active & own if differs else active & spread(own, self._size)
        return active if active.ndim else spread(active, self._size)

    def test(self) -> Block:
        """True while some example is still running."""
        carried, _, fixed = self._specs()
        trace = BlockTrace("some example goes on")
        with trace:
            parameters = [trace.parameter(s) for s in (*carried, *fixed)]
            state, (_, step), rest = self._split(parameters, 0)
            active = self._active(trace, state, step, rest[:-2], *rest[-2:])
            result = trace.own(REGISTRY["reduce_any"](active, axis=(0,), keepdims=False))
        return Block(trace, [p.value for p in parameters], [(result.value, 0)])

    def _split(self, parameters: list[Any], sliced: int) -> tuple[Any, Any, Any]:
        c = len(self._flags.carried)
        return parameters[:c], parameters[c : c + 2], parameters[c + 2 + sliced :]

    def body(self) -> Block:
        """One step of the examples that are still running."""
        carried, sliced, fixed = self._specs()
        trace = BlockTrace(f"{self._body.name} of many examples")
        with trace:
            parameters = [trace.parameter(s) for s in (*carried, *sliced, *fixed)]
            state, (counts, step), rest = self._split(parameters, len(sliced))
            active = self._active(trace, state, step, rest[:-2], *rest[-2:])
            rows = parameters[len(carried) : len(carried) + len(sliced)]
            results, found = replayed_batched(self._body, [*state, *rows, *rest[:-2]], self._flags.body, trace)
            results = [y if f else spread(y, self._size) for y, f in zip(results, found, strict=True)]
            new = [chosen(active, y, x) for y, x in zip(results, state, strict=False)]
            made = [_quenched(active, y) for y in results[len(state) :]]
            one = REGISTRY["cast_to_discrete"](active, dtype=dtypes.int32)
            outputs = [trace.own(y) for y in (*new, counts + one, step + 1, *made)]
        values: list[Value] = [p.value for p in parameters]
        return Block(trace, values, [(y.value, y._id) for y in outputs])


def _quenched(active: Any, y: Any) -> Any:
    """Zeros for examples that are done; what only derivatives read stays, since they do not read those."""
    return y if None in y.value.spec.shape else chosen(active, y, y.zeros_like())
