"""Branch: one of several blocks, chosen when the program runs.

Its derivative is a branch too, of the derivatives of the blocks. What those read of the blocks becomes further results of
the branch: each block gives its own, and empty ones in place of those of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.compiler.graph import Value
from gradtape.compiler.runtime.program import NO_SLOTS
from gradtape.core import dtypes
from gradtape.core.op import REGISTRY, InstanceOp
from gradtape.core.patterns.control import Choose
from gradtape.core.shape import Spec
from gradtape.core.variable import Variable
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.tracing.control.block import (
    Block,
    BlockTrace,
    Reads,
    again,
    blank_of,
    empty,
    gradient_trace,
    joined,
    operand,
    placed,
    pulled,
    spec,
)
from gradtape.tracing.control.merge import branch_family, branches_together
from gradtape.tracing.control.vectorize_blocks import batched_block, batched_outputs
from gradtape.tracing.symbol import symbol
from gradtape.transform.batched import Shared


class BlockOp(InstanceOp):
    """An op whose parameters are blocks. Tapes keep its operands, and what its results are like."""

    inputs = ("operands",)
    outputs = ()
    variadic = True
    kinds = "fVciubO"
    homogeneous = False
    any_size = True
    differentiable = True
    takes_needs = True
    takes_none = True
    residuals = (("operands", ""), ("results", "like"))
    constant = False  # results on known operands are not computed before the program runs: it might never come here
    lower: Any = NO_LOWERING
    slots: Mapping[int, Variable] = NO_SLOTS

    def bound(self, slots: Mapping[int, Variable]) -> BlockOp:
        """The op in a copy of a function: its blocks use some variables in place of others, by identity."""
        op = type(self)()
        op.slots = self.taking_part(slots)
        return op

    def taking_part(self, slots: Mapping[int, Variable]) -> Mapping[int, Variable]:
        """The variables that take part in a run in place of others, of those that a call names and of this op's own."""
        if not self.slots:
            return slots
        return {**slots, **{i: slots.get(v._id, v) for i, v in self.slots.items()}}

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        """The operands, and the results without their values; in a trace the symbols, which name the trace."""
        return tuple(values), tuple([_likeness(y) for y in result])

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> list[Any]:
        """The cotangents of the operands."""
        raise NotImplementedError


def _likeness(y: Any) -> Any:
    if isinstance(y, (np.ndarray, np.generic)):
        return np.broadcast_to(np.zeros((), y.dtype), y.shape)
    return y


class Gradient(NamedTuple):
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


class Branch(BlockOp):
    """The results of the block with the number `index`; of the last one, if there is no such number."""

    name = "branch"

    def infer(self, index: Spec, *operands: Spec, branches: tuple[Block, ...]) -> tuple[Spec, ...]:
        return tuple([joined(specs) for specs in zip(*[b.specs for b in branches], strict=True)])

    def kernel(self, index: Any, *operands: Any, branches: tuple[Block, ...]) -> tuple[Any, ...]:
        i = int(index)
        block = branches[i if 0 <= i < len(branches) else -1]
        if operands and isinstance(operands[-1], Mapping):  # an effect is told which variables take part
            return block.runner(operands[:-1], self.taking_part(operands[-1]))
        return block.runner(operands)

    def lower(self, index: Spec, *operands: Spec, branches: tuple[Block, ...]) -> Any:
        """The branch as one native launch."""
        specs = (*operands, *[value.spec for branch in branches for value in branch.outputs])
        if any(spec.dtype.kind == "O" for spec in specs):
            return None  # strings are Python's, which counts who holds them
        return Choose(branches)

    def specialize(self, node: Any, operands: Sequence[Any], trace: Any) -> Sequence[Any] | None:
        """The results of a node like another one, with blocks for the sizes of its operands; None if these stay as they are."""
        from gradtape.tracing.control.specialize_blocks import specialize_branch

        params = specialize_branch(node, operands, trace)
        return None if params is None else trace.add(self, tuple(operands), params)

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> list[Any]:
        with placed(residuals[1]):
            return self._pull(dy, residuals, needs, params)

    def _pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> list[Any]:
        (index, *operands), results = residuals
        branches: tuple[Block, ...] = params["branches"]
        given = tuple([i for i, d in enumerate(dy) if d is not None and any(b.results[i] for b in branches)])
        wanted = tuple([i for i, flag in enumerate(needs[1:]) if flag])
        grads: list[Any] = [None] * (1 + len(operands))
        gradient = derived(branches, given, wanted)
        if not gradient.present:
            return grads
        count = len(branches[0].outputs)
        saved: Sequence[Any] = ()
        if len(gradient.wide[0].outputs) > count:
            saved = again(results, BRANCH, (index, *operands), {"branches": gradient.wide})[count:]
        more = [operand(s) for s in gradient.sources]
        given_dy = [dy[i] for i in given]
        found = BRANCH(
            index, *given_dy, *saved, *[operands[i] for i in gradient.operands], *more, branches=gradient.blocks
        )
        for i, d in zip(gradient.present, found, strict=True):
            grads[1 + i] = d
        return grads

    def touches(self, given: Sequence[bool], params: dict[str, Any]) -> list[bool] | None:
        """A result has a tangent if it has one in some block."""
        found = [block.touched(given[1:]) for block in params["branches"]]
        return [any(flags) for flags in zip(*found, strict=True)]

    family = staticmethod(branch_family)
    together = staticmethod(branches_together)

    def batch(self, batched: tuple[bool, ...], index: Any, *operands: Any, branches: tuple[Block, ...]) -> Any:
        size = next(dims(x)[0] for flag, x in zip(batched, (index, *operands), strict=True) if flag)
        flags = batched[1:]
        if not batched[0]:
            differs = tuple(map(any, zip(*[batched_outputs(b, flags, size) for b in branches], strict=True)))
            blocks = [batched_block(b, flags, differs, size) for b in branches]
            found = BRANCH(index, *operands, branches=tuple(blocks))
            return tuple([y if flag else Shared(y) for y, flag in zip(found, differs, strict=True)])
        blocks = [batched_block(b, flags, (True,) * len(b.outputs), size) for b in branches]
        # The examples take different branches: all are computed, and each example chooses.
        every = [BRANCH(np.int32(0), *operands, branches=(block,)) for block in blocks]
        result = every[-1]
        for i in reversed(range(len(every) - 1)):
            here = REGISTRY["equal"](REGISTRY["cast_to_discrete"](index, dtype=_INT32), np.int32(i))
            result = tuple([chosen(here, a, b) for a, b in zip(every[i], result, strict=True)])
        return result


class EffectfulBranch(Branch):
    """A branch whose blocks do more than compute."""

    effect = True


BRANCH, EFFECTFUL_BRANCH = Branch(), EffectfulBranch()
_INT32 = dtypes.int32


def chosen(mask: Any, a: Any, b: Any) -> Any:
    """For each example a where the mask is true, else b."""
    mask = REGISTRY["reshape"](mask, shape=(dims(mask)[0],) + (1,) * (a.ndim - 1))
    return REGISTRY["where"](mask, a, b)


def derived(branches: tuple[Block, ...], given: tuple[int, ...], wanted: tuple[int, ...]) -> Gradient:
    """The derivative for cotangents of some results, with respect to some operands; made once."""
    key = (branches, given, wanted)
    known = branches[0].derived
    if key not in known:
        known[key] = _derive(branches, given, wanted)
    result: Gradient = known[key]
    return result


def _derive(branches: tuple[Block, ...], given: tuple[int, ...], wanted: tuple[int, ...]) -> Gradient:
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
    return Gradient(wide, blocks, operands, sources, present)


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
