"""How often a loop runs, where that can be told when it is traced: `i < n` with a counter that each step moves by a fixed number.

Such a loop needs no condition when it runs, and has room for exactly the rows that its derivative reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.compiler.graph import Value
from gradtape.core.tensor import Tensor
from gradtape.tracing.control.block import BlockTrace
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
    if node is None or node.op.name not in _COMPARISONS or any(n.effect for n in trace.graph.nodes):
        return None
    own = [p.value for p in trace.parameters]
    name, (counter, bound) = node.op.name, node.inputs
    if counter not in own:
        name, counter, bound = _MIRRORED[name], bound, counter
    if counter not in own:
        return None
    i = own.index(counter)
    end, first = _of_value(trace, bound), _of_tensor(start[i])
    step, sign = _step(body, results[i], body.parameters[i].value), _COMPARISONS[name]
    if end is None or first is None or step is None or step * sign <= 0:
        return None
    distance = (end - first) * sign + (1 if name.endswith("equal") else 0)
    count = max(0, -(-distance // abs(step)))
    return count if count <= _MOST else None


def _step(body: BlockTrace, result: Symbol, before: Value) -> int | None:
    """By how much a step moves a counter; None if it does something else."""
    node = result.value.node
    if node is None or node.op.name not in ("add", "subtract"):
        return None
    a, b = node.inputs
    if a is before:
        moved = _of_value(body, b)
        return moved if moved is None or node.op.name == "add" else -moved
    return _of_value(body, a) if b is before and node.op.name == "add" else None


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
