"""How often a loop runs, where that can be told when it is traced: `i < n` with a counter that each step moves by a fixed number.

Such a loop needs no condition when it runs, and has room for exactly the rows that its derivative reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.compiler.graph import Node, Value
from gradtape.core.tensor import Tensor
from gradtape.tracing.control.block import Block, BlockTrace
from gradtape.tracing.symbol import Symbol

_COMPARISONS = {"less": 1, "less_equal": 1, "greater": -1, "greater_equal": -1}
_MIRRORED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}
_MOST = 1 << 24  # steps; beyond, a loop is not planned ahead


def trips(
    cond: tuple[BlockTrace, Any], body: BlockTrace, results: Sequence[Symbol], start: Sequence[Any]
) -> int | None:
    """The number of steps, None if it is not known.

    Args:
      cond: the trace of the condition, and its result.
      body: the trace of a step.
      results: the new carried values.
      start: the first carried values.
    """
    trace, result = cond
    node = result.value.node if isinstance(result, Symbol) and result.trace is trace else None
    if any(n.effect for n in trace.graph.nodes):
        return None
    return _count(
        node,
        [p.value for p in trace.parameters],
        lambda value: _of_value(trace, value),
        [p.value for p in body.parameters],
        [y.value for y in results],
        lambda value: _of_value(body, value),
        lambda i: _of_tensor(start[i]),
    )


def trips_of_blocks(cond: Block, body: Block, start: Sequence[int | None], fixed: Sequence[int | None]) -> int | None:
    """The number of steps of a loop whose blocks are there; None if it is not known.

    Args:
      cond: the condition, on the first carried values and on what is the same in all steps.
      body: a step.
      start: the first carried values, where they are known integers.
      fixed: the same of what is the same in all steps.
    """
    if cond.effect:
        return None

    def integer(block: Block, value: Value) -> int | None:
        if value in block.constants:
            return _integer(block.constants[value])
        same = block.parameters[len(block.parameters) - len(fixed) :]
        return fixed[same.index(value)] if value in same else None

    return _count(
        cond.outputs[0].node,
        cond.parameters[: len(cond.parameters) - len(fixed)],
        lambda value: integer(cond, value),
        body.parameters,
        body.outputs,
        lambda value: integer(body, value),
        lambda i: start[i],
    )


def bounds_of_index(
    body: Block, index: Value, start: Sequence[int | None], rows: Sequence[Any], length: int
) -> tuple[int, int] | None:
    """The least and the greatest integer that a value is in the steps of a loop: a row of known integers, a counter that each step moves
    by a fixed number, or one of these plus a constant. None if it is anything else.

    Args:
      body: a step.
      index: the value.
      start: the first carried values, where they are known integers.
      rows: the arrays of which steps get rows, where they are known.
      length: the number of steps, which is not 0.
    """

    def integer(value: Value) -> int | None:
        return _integer(body.constants[value]) if value in body.constants else None

    offset, node = 0, index.node
    if node is not None and node.op.name == "add":
        known = [integer(v) for v in node.inputs]
        if (known[0] is None) == (known[1] is None):
            return None
        index = node.inputs[0 if known[0] is None else 1]
        offset = next(n for n in known if n is not None)
    if index not in body.parameters[: len(start) + len(rows)]:
        return None
    k = body.parameters.index(index)
    if k >= len(start):
        given = rows[k - len(start)]
        return None if given is None else (int(given[:length].min()) + offset, int(given[:length].max()) + offset)
    first, step = start[k], _step(body.outputs[k], index, integer)
    if first is None or step is None:
        return None
    ends = first + offset, first + offset + step * (length - 1)
    return min(ends), max(ends)


def _count(
    test: Node | None,
    own: Sequence[Value],
    bound_of: Callable[[Value], int | None],
    before: Sequence[Value],
    after: Sequence[Value],
    step_of: Callable[[Value], int | None],
    first_of: Callable[[int], int | None],
) -> int | None:
    """How often a counter passes the test.

    Args:
      test: the node of the condition.
      own: the values in it that change from step to step.
      bound_of: the integer that another value in it is.
      before: the carried values of a step, and what they are `after` it.
      step_of: the integer that a value in the step always is.
      first_of: the first carried value of a number.
    """
    if test is None or test.op.name not in _COMPARISONS:
        return None
    name, (counter, bound) = test.op.name, test.inputs
    if counter not in own:
        name, counter, bound = _MIRRORED[name], bound, counter
    if counter not in own:
        return None
    i = own.index(counter)
    end, first, step, sign = bound_of(bound), first_of(i), _step(after[i], before[i], step_of), _COMPARISONS[name]
    if end is None or first is None or step is None or step * sign <= 0:
        return None
    distance = (end - first) * sign + (1 if name.endswith("equal") else 0)
    count = max(0, -(-distance // abs(step)))
    return count if count <= _MOST else None


def _step(after: Value, before: Value, integer_of: Callable[[Value], int | None]) -> int | None:
    """By how much a step moves a counter; None if it does something else."""
    node = after.node
    if node is None or node.op.name not in ("add", "subtract"):
        return None
    a, b = node.inputs
    if a is before:
        moved = integer_of(b)
        return moved if moved is None or node.op.name == "add" else -moved
    return integer_of(a) if b is before and node.op.name == "add" else None


def _of_value(trace: BlockTrace, value: Value) -> int | None:
    """The integer that a value of a block always is."""
    if value in trace.graph.constants:
        return _integer(trace.graph.constants[value])
    source = next((source for source, own in trace.graph.captures if own is value), None)
    return None if source is None else _of_tensor(source)


def _of_tensor(x: Any) -> int | None:
    if type(x) is Tensor:
        return _integer(x._array)
    if isinstance(x, Symbol):
        constants = x.trace.graph.constants
        return _integer(constants[x.value]) if x.value in constants else None
    return _integer(x)


def _integer(x: Any) -> int | None:
    array = np.asarray(x)
    return int(array) if array.dtype.kind in "iu" and array.ndim == 0 else None
