"""Branch: one of several blocks, chosen when the program runs.

Where examples of a map take a branch, the block runs on all of them at once (`vectorize_blocks.py`). Where something in it has a rule of
its own, as a custom gradient, tapes see one op instead, BRANCH_OF_EXAMPLES. Its derivative is that of the block for one example, which
uses the rule, run on all examples in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import REGISTRY
from gradtape.core.patterns.control import Choose
from gradtape.core.shape import ANY, Spec
from gradtape.ops.family import dims
from gradtape.tracing.control.block import Block, BlockTrace, again, joined, operand, placed
from gradtape.tracing.control.block_op import BlockOp
from gradtape.tracing.control.branch_gradient import derived
from gradtape.tracing.control.merge import branch_family, branches_together
from gradtape.tracing.control.vectorize_blocks import (
    chosen,
    core_block,
    core_outputs,
    has_own_gradients,
    made_for,
    op_by_op,
    spread,
)
from gradtape.transform.batched import Shared

_INT32, _ZERO = dtypes.int32, np.int32(0)


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
        _check_shapes(branches)
        blocks = [batched_block(b, flags, (True,) * len(b.outputs), size) for b in branches]
        # The examples take different branches: all are computed, and each example chooses.
        every = [BRANCH(np.int32(0), *operands, branches=(block,)) for block in blocks]
        result = every[-1]
        for i in reversed(range(len(every) - 1)):
            here = REGISTRY["equal"](REGISTRY["cast_to_discrete"](index, dtype=_INT32), np.int32(i))
            result = tuple([chosen(here, a, b) for a, b in zip(every[i], result, strict=True)])
        return result


def _check_shapes(branches: Sequence[Block]) -> None:
    """Results of examples that take different branches are rows of one tensor: they must not broadcast against each other."""
    for specs in zip(*[b.specs for b in branches], strict=True):
        shapes = [s.shape for s in specs if s.shape is not ANY]
        same_rank = len({len(shape) for shape in shapes}) <= 1
        if not same_rank or any(len(set(dims) - {None}) > 1 for dims in zip(*shapes, strict=True)):
            raise errors.build(
                errors.ShapeError,
                f"vectorized_map: the branches return different shapes: {', '.join(str(s) for s in specs)}.",
                "examples may take different branches, and their results are stacked: return equal shapes.",
            )


class EffectfulBranch(Branch):
    """A branch whose blocks do more than compute."""

    effect = True


BRANCH, EFFECTFUL_BRANCH = Branch(), EffectfulBranch()


class BranchOfExamples(Branch):
    """The outputs of a block that differ between the examples.

    Parameters: `branches`, the block on all examples; `block`, the one for an example; `flags`, which of its parameters have an axis
    for the examples; `size`, the number of them.
    """

    name = "branch_of_examples"

    def infer(self, index: Spec, *operands: Spec, branches: tuple[Block, ...], **params: Any) -> tuple[Spec, ...]:
        return super().infer(index, *operands, branches=branches)

    def kernel(self, index: Any, *operands: Any, branches: tuple[Block, ...], **params: Any) -> tuple[Any, ...]:
        return super().kernel(index, *operands, branches=branches)

    def lower(self, index: Spec, *operands: Spec, branches: tuple[Block, ...], **params: Any) -> Any:
        return super().lower(index, *operands, branches=branches)

    def batch(self, batched: tuple[bool, ...], index: Any, *operands: Any, **params: Any) -> Any:
        return super().batch(batched, index, *operands, branches=params["branches"])

    def _pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> list[Any]:
        (_, *operands), results = residuals
        block, flags, size = params["block"], params["flags"], params["size"]
        given = tuple([i for i, d in enumerate(dy) if d is not None and block.results[i]])
        wanted = tuple([i for i, flag in enumerate(needs[1:]) if flag])
        grads: list[Any] = [None] * (1 + len(operands))
        gradient = derived((block,), given, wanted)
        if not gradient.present:
            return grads
        (wide,) = gradient.wide
        saved = [(x, True) for x in self._saved(block, wide, operands, results, flags, size)]
        parts = [
            *[(dy[i], True) for i in given],
            *saved,
            *[(operands[i], flags[i]) for i in gradient.operands],
            *[(operand(s), False) for s in gradient.sources],
        ]
        found, differs = _by_rule(gradient.blocks[0], [x for x, _ in parts], [flag for _, flag in parts], size)
        for i, d, each in zip(gradient.present, found, differs, strict=True):
            grads[1 + i] = _fitted(d, each, flags[i], size)
        return grads

    def _saved(
        self, block: Block, wide: Block, operands: Sequence[Any], results: Any, flags: tuple[bool, ...], size: int
    ) -> Sequence[Any]:
        """What the derivative reads of the block, for all examples."""
        count = len(block.outputs)
        if len(wide.outputs) == count:
            return ()
        core = core_block(wide, flags, size)
        params = {"branches": (core,), "block": wide, "flags": flags, "size": size}
        return cast("Sequence[Any]", again(results, self, (_ZERO, *operands), params)[count:])


def _fitted(d: Any, each: bool, wanted: bool, size: int) -> Any:
    """A cotangent of the examples, or of what they share, for an operand that is one of these."""
    if each and not wanted:
        return REGISTRY["reduce_sum"](d, axis=(0,), keepdims=False)
    if each or not wanted:
        return d if each else d * size
    return spread(d, size)


BRANCH_OF_EXAMPLES = BranchOfExamples()


def _by_rule(block: Block, tensors: Sequence[Any], flags: Sequence[bool], size: int) -> tuple[list[Any], list[bool]]:
    """The outputs of a block on tensors of which some hold all examples, and which of the outputs do."""
    flags = tuple(flags)
    found = core_outputs(block, flags, size)
    results: list[Any] = [None] * len(found)
    shared = [i for i, flag in enumerate(found) if not flag]
    if shared:
        kept = [i for i, flag in enumerate(flags) if not flag]
        part = _part(block, kept, shared)
        _put(results, shared, BRANCH(_ZERO, *[tensors[i] for i in kept], branches=(part,)))
    own = [i for i, flag in enumerate(found) if flag]
    if own:
        part = _part(block, list(range(len(flags))), own)
        params = {"branches": (core_block(part, flags, size),), "block": part, "flags": flags, "size": size}
        _put(results, own, BRANCH_OF_EXAMPLES(_ZERO, *tensors, **params))
    return results, list(found)


def _put(results: list[Any], places: Sequence[int], values: Sequence[Any]) -> None:
    for i, y in zip(places, values, strict=True):
        results[i] = y


def _part(block: Block, parameters: Sequence[int], outputs: Sequence[int]) -> Block:
    """The block with some of its parameters and outputs; made once."""
    key = ("part", tuple(parameters), tuple(outputs))
    if key not in block.derived:
        returns = block.returns()
        block.derived[key] = Block(
            block.trace, [block.parameters[i] for i in parameters], [returns[i] for i in outputs], block.quiet
        )
    return cast(Block, block.derived[key])


def replayed_batched(
    block: Block, tensors: Sequence[Any], flags: Sequence[bool], trace: BlockTrace
) -> tuple[list[Any], list[bool]]:
    """The outputs of a block on tensors of which some hold all examples, and which of the outputs do."""
    if not has_own_gradients(block) or block.effect or not any(flags):
        return op_by_op(block, tensors, flags, trace)
    return _by_rule(block, tensors, flags, next(dims(x)[0] for x, flag in zip(tensors, flags, strict=True) if flag))


def batched_block(block: Block, flags: tuple[bool, ...], wanted: tuple[bool, ...] | None, size: int) -> Block:
    """A block on all examples.

    Args:
      flags: which parameters have a leading axis for the examples.
      wanted: which outputs shall have one; those that come with one by themselves if it is None.
      size: the number of examples.
    """
    return made_for(replayed_batched, "batched", block, flags, wanted, size)[0]


def batched_outputs(block: Block, flags: tuple[bool, ...], size: int) -> tuple[bool, ...]:
    """Which outputs differ between the examples if some parameters do."""
    return made_for(replayed_batched, "batched", block, flags, None, size)[1]
