"""The derivative of a loop: a loop in the other direction.

A step back needs values of the step forth. The loop is therefore given more results: what differs from step to step is
stacked, what does not is kept once. Rows of sliced operands and invariants are there already. Where both loops are parts
of one program the one forth runs once, with all results (`control_merge.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.compiler.graph import Value
from gradtape.core.shape import Steps
from gradtape.core.tensor import Tensor
from gradtape.tracing.control.block import (
    Block,
    Reads,
    again,
    blank,
    blank_of,
    empty,
    gradient_trace,
    operand,
    pulled,
    spec,
)
from gradtape.tracing.control.fit_rows import FIT_ROWS
from gradtape.tracing.control.stacking import KEPT, Apart
from gradtape.tracing.symbol import symbol


class Shape(NamedTuple):
    """How the parameters of a body are divided."""

    carried: int
    sliced: int
    states: tuple[int, ...]

    def parts(self, items: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """Carried, sliced and invariant ones of operands or parameters."""
        c, k = self.carried, self.carried + self.sliced
        return items[:c], items[c:k], items[k:]


class LoopGradient(NamedTuple):
    """The derivative of a loop.

    Attributes:
      wide: the body with what the derivative reads as further results: first those that are the same in all steps, as
        carried values, then those that are stacked.
      kept, stacked: how many of them there are.
      body: one step back.
      cotangents: the carried values whose cotangents are carried, by number.
      sums: the operands whose cotangents are summed over the steps, by number.
      rows: the sliced operands that get a cotangent, by number.
      operands: the sliced operands and the invariants that are read, by number.
      sources: further invariants, from around.
    """

    wide: Block
    kept: int
    stacked: int
    body: Block
    cotangents: list[int]
    sums: list[int]
    rows: list[int]
    operands: tuple[list[int], list[int]]
    sources: list[Any]


def pull(op: Any, dy: Any, residuals: Any, needs: Any, params: Any) -> list[Any]:
    """The cotangents of a loop's operands."""
    (limit, *operands), results = residuals
    body: Block = params["body"]
    shape = Shape(params["carried"], params["sliced"], params["states"])
    grads: list[Any] = [None] * (1 + len(operands))
    # Without a step, a carried value is its operand, whatever a step would make of it.
    stays = 0 if params["length"] else shape.carried
    given = tuple(
        [
            i
            for i, d in enumerate(dy[1:])
            if d is not None and (body.results[i] or (i < stays and body.inputs[i])) and i not in shape.states
        ]
    )
    wanted = tuple([i for i, flag in enumerate(needs[1:]) if flag and body.inputs[i]])
    if not given or not wanted:
        return grads
    gradient = derived(body, shape, given, wanted)
    count, kept, stacked = _forward(op, gradient, limit, operands, results, shape, params)
    last = results[1:]
    start = [dy[1 + j] if j in given and dy[1 + j] is not None else blank(last[j]) for j in gradient.cotangents]
    seeds = [dy[1 + i] for i in given if i >= shape.carried]
    found = op.run(
        count,
        [*start, *[blank(operands[i]) for i in gradient.sums]],
        [*seeds, *stacked, *[operands[i] for i in gradient.operands[0]]],
        [*kept, *[operands[i] for i in gradient.operands[1]], *[operand(s) for s in gradient.sources]],
        cond=None, body=gradient.body, reverse=not params["reverse"], length=params["length"],
        lengths=tuple([_rows_of(operands[i]) for i in gradient.rows]),
    )[1:]  # fmt: skip
    for j, d in zip((*gradient.cotangents, *gradient.sums), found, strict=False):
        if needs[1 + j]:
            grads[1 + j] = d
    for i, d in zip(gradient.rows, found[len(gradient.cotangents) + len(gradient.sums) :], strict=True):
        grads[1 + i] = d if params["cond"] is None else FIT_ROWS(d, operands[i])
    return grads


def _rows_of(x: Any) -> int | None:
    """The number of rows of an operand."""
    shape: Any = spec(x).shape if not isinstance(x, Apart) else x.shape
    return KEPT if type(shape) is Steps and shape[0] is None else shape[0]


def _forward(
    op: Any, gradient: LoopGradient, limit: Any, operands: Any, results: Any, shape: Shape, params: Any
) -> Any:
    """The number of steps, the values that are the same in all of them, and the stacked ones."""
    state, rows, fixed = shape.parts(operands)
    if not gradient.kept and not gradient.stacked:
        if params["length"] is not None:
            return np.int32(params["length"]), [], []
        if isinstance(results[0], Tensor):  # a symbol, or of all examples; of arrays only the likeness is kept
            return results[0], [], []
    more = [empty(v.spec) for v in gradient.wide.parameters[shape.carried : shape.carried + gradient.kept]]
    found = again(
        results,
        op.quiet,
        (limit, *state, *more, *rows, *fixed),
        {
            **params,
            "body": gradient.wide,
            "carried": shape.carried + gradient.kept,
            "lengths": params["lengths"] + (KEPT if params["length"] is None else params["length"],) * gradient.stacked,
        },
    )
    kept = found[1 + shape.carried :][: gradient.kept]
    return found[0], kept, found[len(found) - gradient.stacked :] if gradient.stacked else []


def derived(body: Block, shape: Shape, given: tuple[int, ...], wanted: tuple[int, ...]) -> LoopGradient:
    """The derivative for cotangents of some results, with respect to some operands; made once."""
    key = (shape, given, wanted)
    if key not in body.derived:
        body.derived[key] = _derive(body, shape, given, wanted)
    result: LoopGradient = body.derived[key]
    return result


def _derive(body: Block, shape: Shape, given: tuple[int, ...], wanted: tuple[int, ...]) -> LoopGradient:
    trace, cotangents, sums, seeds, grads = _step_back(body, shape, given, wanted)
    rows = [i for i in wanted if shape.carried <= i < shape.carried + shape.sliced and body.inputs[i] in grads]
    with trace:
        totals = []
        for i in sums:
            total = trace.parameter(body.parameters[i].spec)
            totals.append((total, total + grads[body.inputs[i]]))
        back = [
            grads[body.inputs[j]] if body.inputs[j] in grads else blank_of(trace, _before_step(body, j))
            for j in cotangents
        ]
    reads = Reads(trace, body)
    fixed = _fixed_values(body, shape)
    kept = [r for r in reads.values if r[1] in fixed]
    stacked = [r for r in reads.values if r[1] not in fixed]
    first, last = shape.carried, shape.carried + shape.sliced
    states = [(value, body.parameters[i], body.inputs[i]) for value, i in reads.inputs if i < first]
    stacked += states
    sliced = [(value, i) for value, i in reads.inputs if first <= i < last]
    invariant = [(value, i) for value, i in reads.inputs if i >= last]
    outputs = [*back, *[y for _, y in totals], *[grads[body.inputs[i]] for i in rows]]
    block = Block(
        trace,
        [
            *[s.value for j, s in seeds.items() if j < first],
            *[p.value for p, _ in totals],
            *[s.value for j, s in seeds.items() if j >= first],
            *[value for value, _, _ in stacked],
            *[value for value, _ in sliced],
            *[value for value, _, _ in kept],
            *[value for value, _ in invariant],
            *[value for value, _ in reads.others],
        ],
        [(trace.own(y).value, y._id) for y in outputs],
    )
    return LoopGradient(
        _widened(body, shape, kept, stacked), len(kept), len(stacked), block, cotangents, sums, rows,
        ([i for _, i in sliced], [i for _, i in invariant]), [source for _, source in reads.others],
    )  # fmt: skip


def _before_step(body: Block, j: int) -> Any:
    """A symbol in the likeness of carried value j before a step. One that is only kept is the same after each; before the first
    there is none."""
    before = body.parameters[j]
    return symbol(before if before in body.own() else body.outputs[j], body.trace)


def _step_back(body: Block, shape: Shape, given: tuple[int, ...], wanted: tuple[int, ...]) -> Any:
    """A trace of the derivative of one step. A cotangent that reaches a carried value is carried itself, which may let
    others be reached: traced until no more are."""
    flowing = [j for j in range(shape.carried) if j not in shape.states and body.inputs[j]]
    carried = {j for j in given if j < shape.carried}
    while True:
        trace = gradient_trace(body)
        with trace:
            of_results = [*sorted(carried), *[i for i in given if i >= shape.carried]]
            seeds = {i: trace.parameter(body.outputs[i].spec) for i in of_results}
            pairs = [(body.results[i], s) for i, s in seeds.items() if body.results[i]]
            grads = pulled(trace, body, pairs, [*[body.inputs[j] for j in flowing], *[body.inputs[i] for i in wanted]])
        reached = {j for j in flowing if body.inputs[j] in grads}
        if reached <= carried:
            break
        carried |= reached
    is_summed = [i in shape.states or i >= shape.carried + shape.sliced for i in wanted]
    sums = [i for i, flag in zip(wanted, is_summed, strict=True) if flag and body.inputs[i] in grads]
    return trace, sorted(carried), sums, seeds, grads


def _fixed_values(body: Block, shape: Shape) -> set[Value]:
    """The values of a body that are the same in all steps, and those that it cannot compute otherwise."""
    fixed = {*body.constants, *body.parameters[shape.carried + shape.sliced :]}
    for node in body.nodes:
        if not node.effect and all(v in fixed for v in node.inputs):
            fixed.update(node.outputs)
    return fixed


def _widened(body: Block, shape: Shape, kept: list[Any], stacked: list[Any]) -> Block:
    """The body with more results."""
    returns, c = body.returns(), shape.carried
    parameters = [*body.parameters[:c], *[Value(own.spec) for _, own, _ in kept], *body.parameters[c:]]
    more = [(own, identity) for _, own, identity in kept], [(own, identity) for _, own, identity in stacked]
    return Block(body.trace, parameters, [*returns[:c], *more[0], *returns[c:], *more[1]], quiet=True)
