"""Loop: a block that runs repeatedly, on values that it carries from step to step.

    carried    values that a step gets from the one before and gives to the next; results of the loop are the last ones
    sliced     tensors of which step t gets row t
    stacked    further results of the block; row t of the loop's results is what step t gave
    invariant  operands that are the same in all steps

A loop ends when `cond` says so, after `limit` steps, or, if limit is negative, after the last row of the sliced operands. The
first result is the number of steps. With `reverse`, the rows are taken and filled from the last to the first.

Carried values that are `states` are the values of variables. No gradient flows through an assignment: what reaches a
variable in any step reaches the variable.

The derivative of a loop is a loop in the other direction (control_gradient.py), so that there are derivatives of any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.core import dtypes
from gradtape.core.patterns.control import Repeat
from gradtape.core.shape import Spec, Steps, stacked
from gradtape.ops.family import boxed
from gradtape.tracing.control.block import Block, placed, run_op
from gradtape.tracing.control.block_op import BlockOp
from gradtape.tracing.control.in_place import prepared
from gradtape.tracing.control.merge import loop_family, loops_together
from gradtape.tracing.control.stacking import KEPT, Apart

_SCALAR = Spec((), dtypes.int32)


def run_loop(
    limit: Any,
    state: Any,
    rows: Any,
    fixed: Any,
    *,
    cond: Block | None,
    body: Block,
    states: tuple[int, ...] = (),
    reverse: bool = False,
    length: int | None = None,
    lengths: tuple[int | None, ...] = (),
) -> tuple[Any, ...]:
    """The results of a loop, from operands by their kinds."""
    effect = body.effect or (cond is not None and cond.effect)
    op = EFFECTFUL_LOOP if effect else LOOP
    params = {
        "cond": cond, "body": body, "carried": len(state), "sliced": len(rows), "states": states, "reverse": reverse,
        "length": length, "lengths": lengths,
    }  # fmt: skip
    result: tuple[Any, ...] = run_op(
        op, (np.int32(limit) if isinstance(limit, int) else limit, *state, *rows, *fixed), params
    )
    return result


class Loop(BlockOp):
    """The number of steps, the last carried values, and the stacked results. See the module's text."""

    name = "loop"

    def infer(
        self, limit: Spec, *operands: Spec, body: Block, carried: int, lengths: tuple[int | None, ...], **params: Any
    ) -> tuple[Spec, ...]:
        """The specs of the results; `lengths` are the numbers of rows of stacked ones: None where they are not known,
        KEPT for what only the derivative reads."""
        last = [value.spec for value in body.parameters[:carried]]
        rows = [Spec(_stacked(n, s.shape), s.dtype) for n, s in zip(lengths, body.specs[carried:], strict=True)]
        return (_SCALAR, *last, *rows)

    def kernel(
        self,
        limit: Any,
        *operands: Any,
        cond: Block | None,
        body: Block,
        carried: int,
        sliced: int,
        states: tuple[int, ...],
        reverse: bool,
        length: int | None,
        lengths: tuple[int | None, ...],
    ) -> tuple[Any, ...]:
        slots: tuple[Any, ...] = ()
        if operands and isinstance(operands[-1], Mapping):  # an effect is told which variables take part
            operands, slots = operands[:-1], (self.taking_part(operands[-1]),)
        state, rows, fixed = operands[:carried], operands[carried : carried + sliced], operands[carried + sliced :]
        most = int(limit) if limit >= 0 or not rows else len(rows[0])
        run, own = prepared(body, carried)
        state = tuple([np.array(x) if i in own else x for i, x in enumerate(state)])
        test = None if cond is None else cond.runner
        tested = 0 if cond is None else len(cond.parameters) - len(fixed)
        stacks = [Rows(most if test is None else 0, value.spec) for value in body.outputs[carried:]]
        step = 0
        try:
            while (most < 0 or step < most) and (test is None or test((*state[:tested], *fixed), *slots)[0]):
                t = most - 1 - step if reverse else step
                made = run((*state, *[boxed(x[t]) for x in rows], *fixed), *slots)
                state = made[:carried]
                for stack, y in zip(stacks, made[carried:], strict=True):
                    stack.put(t, y)
                step += 1
        except Exception as problem:
            problem.progress = _progress(problem, state, states)  # type: ignore[attr-defined]
            raise
        return (np.int32(step), *state, *[stack.done(step) for stack in stacks])

    def lower(
        self,
        limit: Spec,
        *operands: Spec,
        cond: Block | None,
        body: Block,
        carried: int,
        sliced: int,
        reverse: bool,
        lengths: tuple[int | None, ...],
        **params: Any,
    ) -> Any:
        """The loop as one native launch, if the number of rows is known."""
        rows = {x.shape[0] for x in operands[carried : carried + sliced]} | set(lengths)
        if len(rows) > 1 or not rows.isdisjoint({None, KEPT}):
            return None
        if any(spec.dtype.kind == "O" for spec in (*operands, *[value.spec for value in body.outputs])):
            return None  # strings are Python's, which counts who holds them
        return Repeat(body, cond, carried, sliced, next(iter(rows), None), reverse)

    def touches(self, given: Sequence[bool], params: dict[str, Any]) -> list[bool] | None:
        """A loop is connected as a whole: every carried value and every stacked one has a tangent."""
        return [False, *[True] * params["carried"], *[n != KEPT for n in params["lengths"]]]

    family = staticmethod(loop_family)
    together = staticmethod(loops_together)
    run = staticmethod(run_loop)

    @property
    def quiet(self) -> Loop:
        """The op for another run of the same blocks, whose effects have taken place."""
        return LOOP

    def divided(self, node: Any) -> Any:
        """The nodes that do the same, with what the steps can do at once outside of the loop; None if there is no such."""
        from gradtape.tracing.control.loop_fission import divided

        return divided(node)

    def specialize(self, node: Any, operands: Sequence[Any], trace: Any) -> Sequence[Any] | None:
        """The results of a node like another one, with blocks for the sizes of its operands; None if these stay as they are."""
        from gradtape.tracing.control.specialize_blocks import specialize_loop

        found = specialize_loop(node, operands, trace)
        if found is None:
            return None
        inputs, params = found
        count, *results = trace.add(self, tuple(inputs), params)
        return [count if params["length"] is None else inputs[0], *results]

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> list[Any]:
        """The cotangents of the operands."""
        from gradtape.tracing.control.loop_gradient import pull

        with placed(residuals[1]):
            return pull(self, dy, residuals, needs, params)

    def batch(self, batched: tuple[bool, ...], limit: Any, *operands: Any, **params: Any) -> Any:
        """The loop on all examples."""
        from gradtape.tracing.control.vectorize_loop import run

        return run(self, batched, limit, operands, **params)


def _progress(problem: Exception, state: Sequence[Any], states: Sequence[int]) -> list[Any]:
    """What the results of a loop that failed are so far: the values of variables, which keep what was assigned before the error."""
    begun = getattr(problem, "progress", ())  # of the step that failed
    values = [x if i >= len(begun) or begun[i] is None else begun[i] for i, x in enumerate(state)]
    return [None, *[x if i in states else None for i, x in enumerate(values)]]


def _stacked(length: int | None, shape: tuple[Any, ...]) -> Any:
    if length == KEPT or type(shape) is Steps:
        return Steps((None if length == KEPT else length, *shape))
    return stacked(length, shape)


class EffectfulLoop(Loop):
    """A loop whose blocks do more than compute."""

    effect = True


LOOP, EFFECTFUL_LOOP = Loop(), EffectfulLoop()


class Rows:
    """Rows that become one array. Where their shape is not known they may differ, and stay apart."""

    __slots__ = ("_apart", "_array", "_spec")

    def __init__(self, most: int, spec: Spec) -> None:
        self._spec = spec
        self._apart: dict[int, Any] | None = {} if None in spec.shape else None
        self._array = None if self._apart is not None else np.empty((max(most, 0), *spec.shape), spec.dtype.numpy)

    def put(self, t: int, y: Any) -> None:
        """Row t is y."""
        if self._apart is not None:
            self._apart[t] = y
            return
        if t >= len(self._array):  # type: ignore[arg-type]
            larger = np.empty((max(8, 2 * t), *self._spec.shape), self._spec.dtype.numpy)
            larger[:t] = self._array[:t]  # type: ignore[index]
            self._array = larger
        self._array[t, ...] = y  # type: ignore[index]

    def done(self, count: int) -> Any:
        """All rows."""
        if self._apart is None:
            return self._array[:count]  # type: ignore[index]
        rows = [self._apart[t] for t in range(count)]
        if len({y.shape for y in rows}) == 1 and not isinstance(rows[0], Apart):
            return np.stack(rows)
        if not rows:
            return np.zeros((0, *[d or 0 for d in self._spec.shape]), self._spec.dtype.numpy)
        return Apart(rows)


def too_few_text(name: str) -> tuple[str, str]:
    """What to say, and to do, about a value that only the steps of a loop define, where there was none."""
    return f"loop must iterate at least once to initialize {name}", f"give {name} a value before the loop."
