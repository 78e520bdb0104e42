"""The derivative of a branch: a branch of the derivatives of its blocks.

What those read of the blocks becomes further results of the branch: each block gives its own, and empty ones in place of those of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from gradtape.compiler.graph import Value
from gradtape.tracing.control.block import Block, BlockTrace, Reads, blank_of, empty, gradient_trace, pulled, spec
from gradtape.tracing.symbol import symbol


class BranchGradient(NamedTuple):
    """The derivative of a branch.

    Attributes:
      wide: the blocks with what the derivative reads as further results.
      blocks: the derivatives of the blocks.
      operands: the operands from which they are computed, as numbers.
      sources: further operands, from around.
      present: the operands of the branch that get a cotangent.
    """

    wide: tuple[Block, ...]
    blocks: tuple[Block, ...]
    operands: list[int]
    sources: list[Any]
    present: list[int]


def derived(branches: tuple[Block, ...], given: tuple[int, ...], wanted: tuple[int, ...]) -> BranchGradient:
    """The derivative for cotangents of some results, with respect to some operands; made once."""
    key = (branches, given, wanted)
    known = branches[0].derived
    if key not in known:
        known[key] = _derive(branches, given, wanted)
    result: BranchGradient = known[key]
    return result


def _derive(branches: tuple[Block, ...], given: tuple[int, ...], wanted: tuple[int, ...]) -> BranchGradient:
    traces, found = [], []
    for block in branches:
        trace = gradient_trace(block)
        with trace:
            seeds = [trace.parameter(block.outputs[i].spec) for i in given]
            pairs = [(block.results[i], s) for i, s in zip(given, seeds, strict=True) if block.results[i]]
            found.append(pulled(trace, block, pairs, [block.inputs[w] for w in wanted]))
        traces.append(trace)
    present = [w for w in wanted if any(b.inputs[w] in grads for b, grads in zip(branches, found, strict=True))]
    outputs = [
        [_cotangent(t, b, w, grads) for w in present] for t, b, grads in zip(traces, branches, found, strict=True)
    ]
    reads = [Reads(t, b) for t, b in zip(traces, branches, strict=True)]
    operands = sorted({i for r in reads for _, i in r.inputs})
    sources = list({id(s): s for r in reads for _, s in r.others}.values())
    wide = _widened(branches, reads)
    blocks = tuple(
        [
            Block(t, _parameters(t, i, reads, branches, operands, sources), [(y.value, y._id) for y in ys])
            for i, (t, ys) in enumerate(zip(traces, outputs, strict=True))
        ]
    )
    return BranchGradient(wide, blocks, operands, sources, present)


def _cotangent(trace: BlockTrace, block: Block, i: int, grads: Mapping[int, Any]) -> Any:
    """The cotangent of an operand in one block: zeros where another block has one."""
    if block.inputs[i] in grads:
        return grads[block.inputs[i]]
    with trace:
        return blank_of(trace, symbol(block.parameters[i], block.trace))


def _widened(branches: tuple[Block, ...], reads: list[Reads]) -> tuple[Block, ...]:
    wide = []
    for i, block in enumerate(branches):
        more: list[tuple[Value, int]] = []
        for j, r in enumerate(reads):
            for _, value, identity in r.values:
                more.append((value, identity) if i == j else (block.trace.constant(empty(value.spec)).value, 0))
        wide.append(Block(block.trace, block.parameters, [*block.returns(), *more], quiet=True))
    return tuple(wide)


def _parameters(
    trace: BlockTrace, i: int, reads: list[Reads], branches: tuple[Block, ...], operands: list[int], sources: list[Any]
) -> list[Value]:
    """The parameters of the derivative of block i: cotangents, what all blocks save, operands, and the rest."""
    own = {number: value for value, number in reads[i].inputs}
    others = {id(source): value for value, source in reads[i].others}
    saved = [value if i == j else Value(forward.spec) for j, r in enumerate(reads) for value, forward, _ in r.values]
    return [
        *[p.value for p in trace.parameters],
        *saved,
        *[own.get(k) or Value(branches[i].parameters[k].spec) for k in operands],
        *[others.get(id(s)) or Value(spec(s)) for s in sources],
    ]
