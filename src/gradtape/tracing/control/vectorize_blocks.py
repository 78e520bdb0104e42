"""Blocks on many examples at once: what `vectorized_map` and the rows of a Jacobian make of branches and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.compiler.graph import Node
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec, stacked
from gradtape.ops.family import dims
from gradtape.tracing.control.block import Block, BlockTrace
from gradtape.tracing.control.stacking import REPEAT
from gradtape.tracing.staged import Call
from gradtape.transform.batched import Batched, batched

_STEP = 0.0625  # above the level of the trace in which the examples are, below that of blocks in it


def replayed(block: Block, tensors: Sequence[Any], trace: BlockTrace) -> list[Any]:
    """The outputs of a block, op by op, in a trace that is entered."""
    known: dict[Any, Any] = dict(zip(block.parameters, tensors, strict=True))
    for value, array in block.constants.items():
        known[value] = trace.constant(array)
    for node in _needed(block):
        result = node.op(*[known[v] for v in node.inputs], **node.params)
        known.update(zip(node.outputs, result if node.several else (result,), strict=True))
    return [known[v] for v in block.outputs]


def _needed(block: Block) -> list[Node]:
    """The nodes that the outputs need; others may have been added for more outputs."""
    wanted, kept = set(block.outputs), []
    for node in reversed(block.nodes):
        if node.effect or any(v in wanted for v in node.outputs):
            wanted.update(node.inputs)
            kept.append(node)
    return kept[::-1]


def has_own_gradients(block: Block) -> bool:
    """True if something in the block has another derivative than the ops that it is made of."""
    return any(_is_rule(record[0], record[3]) for record in block.trace.recording.records)


def _is_rule(op: Any, params: Any) -> bool:
    if op.wants_tensors or (isinstance(op, Call) and op.staged.has_own_gradients):
        return True
    if op.name == "branch_of_examples":
        return True
    inner = (*params.get("branches", ()), *([params["body"]] if "body" in params else ()))
    return any(isinstance(block, Block) and has_own_gradients(block) for block in inner)


def op_by_op(
    block: Block, tensors: Sequence[Any], flags: Sequence[bool], trace: BlockTrace
) -> tuple[list[Any], list[bool]]:
    """The outputs of a block on tensors of which some hold all examples, by the rules of its ops, and which of the outputs do."""
    level = trace.level + _STEP
    results = replayed(block, [batched(x, level) if f else x for x, f in zip(tensors, flags, strict=True)], trace)
    found = [isinstance(y, Batched) and y.level == level for y in results]
    return [y.full().value if f else y for y, f in zip(results, found, strict=True)], found


def core_block(block: Block, flags: tuple[bool, ...], size: int) -> Block:
    """A block on all examples, op by op, whose outputs all have an axis for them."""
    return made_for(op_by_op, "core", block, flags, (True,) * len(block.outputs), size)[0]


def core_outputs(block: Block, flags: tuple[bool, ...], size: int) -> tuple[bool, ...]:
    """Which outputs differ between the examples if a block runs op by op."""
    return made_for(op_by_op, "core", block, flags, None, size)[1]


def made_for(
    run: Any, kind: str, block: Block, flags: tuple[bool, ...], wanted: tuple[bool, ...] | None, size: int
) -> tuple[Block, tuple[bool, ...]]:
    """The block that `run` makes of another one for all examples, and which of its outputs differ between them."""
    key = (kind, flags, wanted, size)
    if key not in block.derived:
        trace = BlockTrace(block.name)
        with trace:
            specs = [batched_spec(v.spec, size) if f else v.spec for v, f in zip(block.parameters, flags, strict=True)]
            tensors = [trace.parameter(spec) for spec in specs]
            results, found = run(block, tensors, flags, trace)
            if wanted is not None:
                results = [
                    spread(y, size) if w and not f else y for y, f, w in zip(results, found, wanted, strict=True)
                ]
            outputs = [trace.own(y) for y in results]
        made = Block(trace, [p.value for p in trace.parameters], [(y.value, y._id) for y in outputs])
        block.derived[key] = made, tuple(found)
    result: tuple[Block, tuple[bool, ...]] = block.derived[key]
    return result


def batched_spec(spec: Spec, size: int) -> Spec:
    """The spec of all examples."""
    return Spec(stacked(size, spec.shape), spec.dtype)


def spread(x: Any, size: int) -> Any:
    """A value that all examples share, once for each."""
    return REPEAT(x, size=size)


def chosen(mask: Any, a: Any, b: Any) -> Any:
    """For each example a where the mask is true, else b."""
    mask = REGISTRY["reshape"](mask, shape=(dims(mask)[0],) + (1,) * (a.ndim - 1))
    return REGISTRY["where"](mask, a, b)
