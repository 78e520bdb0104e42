"""Branches and loops in a graph that is specialised for sizes: their blocks are written again for the sizes of the operands.

A block that was traced for unknown sizes holds late nodes, which call Python in every step. Once the sizes of its operands are known it
mostly holds plain nodes, and the loop runs as one launch, or its steps run at once. What a loop carries may change its size from
step to step: those sizes stay unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from gradtape.compiler.graph import Node, Value
from gradtape.core.errors import OpError
from gradtape.core.shape import ANY, Spec
from gradtape.core.tensor import Tensor
from gradtape.tracing.control.block import Block, BlockTrace, joined, spec
from gradtape.tracing.control.tensor_array import WRITE_ROW, with_rows
from gradtape.tracing.control.trip_count import bounds_of_index, trips_of_blocks
from gradtape.tracing.specialize import Rewriting, walk
from gradtape.tracing.symbol import Symbol

_TRIES = 4  # for sizes that change from step to step
# What a block may raise for sizes with which it never runs: the branch that is not taken, the body of a loop without steps.
_REFUSALS = (OpError, ValueError, TypeError, IndexError, NotImplementedError, ArithmeticError)


class RewritingBlock(Rewriting, BlockTrace):
    """The trace of a block that is written from another one.

    Attributes:
      roomy: carried arrays that have all the rows that a loop will write, so that they need not grow.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.roomy: frozenset[Value] = frozenset()


class BlockCache:
    """Blocks by trace and sizes. Those that come from one trace share theirs afterwards too, so that loops which differ only in
    what they return can still become one."""

    def __init__(self) -> None:
        self._walked: dict[Any, tuple[RewritingBlock, dict[Value, Any]]] = {}
        self._made: dict[Any, Block] = {}
        self._limits: dict[int, Any] = {}

    def specialized(self, block: Block, specs: Sequence[Spec], roomy: frozenset[int] = frozenset()) -> Block:
        """A block for parameters of some sizes; those of some numbers are arrays with room for all rows that are written."""
        key = (id(block), tuple(specs), roomy)
        if key not in self._made:
            self._made[key] = self._written(block, specs, roomy)
        return self._made[key]

    def limit(self, trace: Rewriting, count: int) -> Any:
        """A number of steps as a constant, the same for all loops."""
        if count not in self._limits:
            self._limits[count] = trace.constant(np.int32(count))
        return self._limits[count]

    def _written(self, block: Block, specs: Sequence[Spec], roomy: frozenset[int]) -> Block:
        key = (block.trace, tuple(block.parameters), tuple(specs), roomy, len(block.nodes), len(block.constants))
        if key not in self._walked:
            trace = RewritingBlock(block.name)
            with trace:
                known: dict[Value, Any] = {
                    value: trace.parameter(own) for value, own in zip(block.parameters, specs, strict=True)
                }
                trace.roomy = frozenset([known[block.parameters[j]].value for j in roomy])
                walk(block, trace, known)
            _own_constants(trace)
            self._walked[key] = trace, known
        trace, known = self._walked[key]
        outputs = [(trace.value_of(known[value]), 0) for value in block.outputs]
        return Block(trace, [known[value].value for value in block.parameters], outputs, quiet=block.quiet)


def _own_constants(trace: RewritingBlock) -> None:
    """Make constants of the tensors that late nodes have brought along: a block captures nothing."""
    for source, value in trace.graph.captures:
        if type(source) is not Tensor:
            raise TypeError(f"{source!r} is not known to the block.")
        trace.graph.constants[value] = source._array
    trace.graph.captures.clear()


def specialize_branch(node: Node, operands: Sequence[Any], trace: Rewriting) -> dict[str, Any] | None:
    """The parameters of a branch for its operands; None if nothing is to be gained."""
    branches: tuple[Block, ...] = node.params["branches"]
    specs = [spec(x) for x in operands[1:]]
    if any(block.effect for block in branches) or all(_is_plain(block) for block in branches):
        return None
    try:
        made = tuple([_cache(trace).specialized(block, _known(specs, block, 0)) for block in branches])
    except _REFUSALS:
        return None
    return {"branches": made}


def specialize_loop(
    node: Node, operands: Sequence[Any], trace: Rewriting
) -> tuple[Sequence[Any], dict[str, Any]] | None:
    """The operands and parameters of a loop for sizes and numbers that are known now; None if nothing is to be gained."""
    params = node.params
    body, cond, carried, sliced, length = (params[k] for k in ("body", "cond", "carried", "sliced", "length"))
    if body.effect or (cond is not None and cond.effect):
        return None  # it may be run again for its derivative, and must be known as the same loop
    if cond is None and length is not None and _is_plain(body):
        return None
    first, rows, fixed = operands[1 : 1 + carried], operands[1 + carried :][:sliced], operands[1 + carried + sliced :]
    try:
        found = _blocks(body, cond, [spec(x) for x in first], [_row(spec(x)) for x in rows], fixed, _cache(trace))
        if found is None:
            return None
        body, cond = found
    except _REFUSALS:
        return None
    limit = _integer(operands[0], trace)
    if cond is not None and limit is not None:
        trips = trips_of_blocks(cond, body, [_integer(x, trace) for x in first], [_integer(x, trace) for x in fixed])
        if trips is not None:
            cond, limit = None, trips if limit < 0 else min(limit, trips)
    if cond is None and length is None and limit is not None:
        length = limit if limit >= 0 else _number_of_rows(rows)
    if length is None:
        return operands, {**params, "body": body, "cond": cond}
    sizes = {} if cond is not None or not length else _final_sizes(body, first, rows, length, trace)
    if sizes:
        body = _cache(trace).specialized(body, _with_rows(body, sizes), frozenset(sizes))
        operands = [
            operands[0],
            *[with_rows(x, sizes[j]) if j in sizes else x for j, x in enumerate(first)],
            *operands[1 + carried :],
        ]
    lengths = (length,) * len(params["lengths"])
    return (
        [_cache(trace).limit(trace, length), *operands[1:]],
        {**params, "body": body, "cond": cond, "length": length, "lengths": lengths},
    )


def _blocks(
    body: Block, cond: Block | None, state: list[Spec], rows: list[Spec], fixed: Sequence[Any], cache: BlockCache
) -> tuple[Block, Block | None] | None:
    """The body and the condition for the sizes of operands; None if the sizes of what is carried do not settle."""
    carried, same = len(state), [spec(x) for x in fixed]
    state = [_sized(s, value.spec) for s, value in zip(state, body.parameters, strict=False)]
    for _ in range(_TRIES):
        made = cache.specialized(body, [*state, *_known([*rows, *same], body, carried)])
        after = [joined([s, y]) for s, y in zip(state, made.specs[:carried], strict=True)]
        if after == state:
            break
        state = after
    else:
        return None
    if cond is not None:
        tested = len(cond.parameters) - len(same)
        cond = cache.specialized(cond, [*state[:tested], *_known(same, cond, tested)])
    return made, cond


def _final_sizes(
    body: Block, first: Sequence[Any], rows: Sequence[Any], length: int, trace: Rewriting
) -> dict[int, int]:
    """The numbers of rows that growing arrays have after all steps, if a step only writes to them, to a row that is known for each step:
    what a `TensorArray` with dynamic_size is in most loops. By the numbers of the carried values."""
    arrays = [_array(x, trace) for x in rows]
    uses = Counter([*[v for node in body.nodes for v in node.inputs], *body.outputs])
    found: dict[int, int] = {}
    for j, x in enumerate(first):
        before, after, count = body.parameters[j], body.outputs[j], _number_of_rows([x])
        node = after.node
        if node is None or node.op is not WRITE_ROW or not node.params["grow"] or node.inputs[0] is not before:
            continue
        if count is None or uses[before] != 1 or uses[after] != 1 or None in before.spec.shape[1:]:
            continue
        bounds = bounds_of_index(body, node.inputs[1], [_integer(y, trace) for y in first], arrays, length)
        if bounds is not None and bounds[0] >= 0:
            found[j] = max(count, bounds[1] + 1)
    return found


def _with_rows(body: Block, sizes: dict[int, int]) -> list[Spec]:
    """The specs of a block's parameters, of which some have so many rows."""
    specs = [value.spec for value in body.parameters]
    return [Spec((sizes[j], *s.shape[1:]), s.dtype) if j in sizes else s for j, s in enumerate(specs)]


def _cache(trace: Rewriting) -> BlockCache:
    if trace.blocks is None:
        trace.blocks = BlockCache()
    return cast(BlockCache, trace.blocks)


def _is_plain(block: Block) -> bool:
    """True if all sizes in a block are known."""
    return all(v.spec.is_known for v in (*block.parameters, *[y for n in block.nodes for y in n.outputs]))


def _known(given: list[Spec], block: Block, start: int) -> list[Spec]:
    """Specs of the parameters behind the carried ones."""
    return [_sized(s, value.spec) for s, value in zip(given, block.parameters[start:], strict=True)]


def _sized(operand: Spec, parameter: Spec) -> Spec:
    """The spec of an operand, or what the block knew of it."""
    return parameter if operand.shape is ANY else Spec(tuple(operand.shape), operand.dtype)


def _row(rows: Spec) -> Spec:
    """The spec of one row."""
    return rows if rows.shape is ANY else Spec(tuple(rows.shape[1:]), rows.dtype)


def _number_of_rows(rows: Sequence[Any]) -> int | None:
    """How many rows sliced operands have, if that is known."""
    shapes = [spec(x).shape for x in rows]
    return next((s[0] for s in shapes if s is not ANY and s and s[0] is not None), None)


def _integer(x: Any, trace: Rewriting) -> int | None:
    """The integer that an operand is, if that is known."""
    array = _array(x, trace)
    return None if array is None or array.ndim else int(array)


def _array(x: Any, trace: Rewriting) -> Any:
    """The integers that an operand holds; None if they are not known."""
    found = trace.peek(trace.value_of(x)) if isinstance(x, Symbol) else getattr(x, "_array", x)
    array = None if found is None else np.asarray(found)
    return array if array is not None and array.dtype.kind in "iu" else None
