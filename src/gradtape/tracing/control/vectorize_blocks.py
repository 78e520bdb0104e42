"""Blocks on many examples at once: what `vectorized_map` and the rows of a Jacobian make of branches and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.compiler.graph import Node
from gradtape.core.shape import Spec, stacked
from gradtape.tracing.control.block import Block, BlockTrace
from gradtape.tracing.control.stacking import REPEAT
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


def replayed_batched(
    block: Block, tensors: Sequence[Any], flags: Sequence[bool], trace: BlockTrace
) -> tuple[list[Any], list[bool]]:
    """The outputs of a block on tensors of which some hold all examples, and which of the outputs do."""
    level = trace.level + _STEP
    results = replayed(block, [batched(x, level) if f else x for x, f in zip(tensors, flags, strict=True)], trace)
    found = [isinstance(y, Batched) and y.level == level for y in results]
    return [y.full().value if f else y for y, f in zip(results, found, strict=True)], found


def batched_block(block: Block, flags: tuple[bool, ...], wanted: tuple[bool, ...] | None, size: int) -> Block:
    """A block on all examples.

    Args:
      flags: which parameters have a leading axis for the examples.
      wanted: which outputs shall have one; those that come with one by themselves if it is None.
      size: the number of examples.
    """
    key = ("batched", flags, wanted, size)
    if key not in block.derived:
        trace = BlockTrace(block.name)
        with trace:
            specs = [batched_spec(v.spec, size) if f else v.spec for v, f in zip(block.parameters, flags, strict=True)]
            tensors = [trace.parameter(spec) for spec in specs]
            results, found = replayed_batched(block, tensors, flags, trace)
            if wanted is not None:
                results = [
                    spread(y, size) if w and not f else y for y, f, w in zip(results, found, wanted, strict=True)
                ]
            outputs = [trace.own(y) for y in results]
        made = Block(trace, [p.value for p in trace.parameters], [(y.value, y._id) for y in outputs])
        block.derived[key] = made, tuple(found)
    result: Block = block.derived[key][0]
    return result


def batched_outputs(block: Block, flags: tuple[bool, ...], size: int) -> tuple[bool, ...]:
    """Which outputs differ between the examples if some parameters do."""
    batched_block(block, flags, None, size)
    result: tuple[bool, ...] = block.derived["batched", flags, None, size][1]
    return result


def batched_spec(spec: Spec, size: int) -> Spec:
    """The spec of all examples."""
    return Spec(stacked(size, spec.shape), spec.dtype)


def spread(x: Any, size: int) -> Any:
    """A value that all examples share, once for each."""
    return REPEAT(x, size=size)
