"""A block on many examples whose derivative is not that of the ops in it, but of the block: custom gradients stay in force.

`vectorize_blocks.py` runs a block on all examples op by op. Where something in the block has a rule of its own, tapes see one op
instead. Its derivative is that of the block for one example, which uses the rule, run on all examples in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec
from gradtape.tracing.control.block import Block, again, operand
from gradtape.tracing.control.branch import BRANCH, Branch, derived
from gradtape.tracing.control.vectorize_blocks import core_block, core_outputs, spread

_ZERO = np.int32(0)


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
        found, differs = run(gradient.blocks[0], [x for x, _ in parts], [flag for _, flag in parts], size)
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
        return again(results, self, (_ZERO, *operands), params)[count:]  # type: ignore[no-any-return]


def _fitted(d: Any, each: bool, wanted: bool, size: int) -> Any:
    """A cotangent of the examples, or of what they share, for an operand that is one of these."""
    if each and not wanted:
        return REGISTRY["reduce_sum"](d, axis=(0,), keepdims=False)
    if each or not wanted:
        return d if each else d * size
    return spread(d, size)


BRANCH_OF_EXAMPLES = BranchOfExamples()


def run(block: Block, tensors: Sequence[Any], flags: Sequence[bool], size: int) -> tuple[list[Any], list[bool]]:
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
    return block.derived[key]  # type: ignore[no-any-return]
