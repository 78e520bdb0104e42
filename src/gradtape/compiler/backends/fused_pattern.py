"""Patterns with the epilogues that fusion gave them, as launches."""

from __future__ import annotations

from gradtape.compiler.backends import backend_of
from gradtape.compiler.bodies.epilogue import Epilogue
from gradtape.compiler.bodies.kernel_op import KernelOp, PatternBody
from gradtape.compiler.runtime.kernels import Lowered, Operand
from gradtape.core.patterns.product import Product


def lower(op: KernelOp, body: PatternBody) -> Lowered:
    """The launches of a fused pattern."""
    if body.sums_columns:
        from gradtape.compiler.backends.convolution import lowering  # loaded with the first convolution

        found = lowering.filter_gradient(body.pattern, columns=True)  # type: ignore[arg-type]
    else:
        shares = () if body.epilogue is None or op.onto is not None else _shares(op, body, body.epilogue)
        found = backend_of(body.pattern).launch(body.pattern, _table(op, body), body.epilogue, shares)
    assert found is not None, "fusion asks for what can be launched"
    return found if op.onto is None else found._replace(views=((0, op.onto),))


def _table(op: KernelOp, body: PatternBody) -> list[Operand]:
    """What the pattern reads, the first result, what the epilogue reads, and the other results."""
    pattern, epilogue = body.pattern, body.epilogue
    size = pattern.size if isinstance(pattern, Product) else 0  # no other pattern reads from an offset
    sizes = [size] * pattern.inputs
    if epilogue is not None:
        sizes += [epilogue.operands[i].dtype.size for i in epilogue.loaded]
    loads = [Operand("input", load.slot, load.offset * size) for load, size in zip(op.loads, sizes, strict=True)]
    first, *others = [
        Operand("output", store.slot, store.offset * op.specs[store.slot].dtype.size) for store in op.stores
    ]
    return [*loads[: pattern.inputs], first, *loads[pattern.inputs :], *others]


def _shares(op: KernelOp, body: PatternBody, epilogue: Epilogue) -> tuple[tuple[int, int], ...]:
    """Results that may be written over operands which are read whole, element by element, and in no other way."""
    reads, (count, m, n) = body.pattern.inputs, body.pattern.matrices
    whole = (m * n if count > 1 else 0, n if m > 1 else 0, 1 if n > 1 else 0)
    bound = {load.slot for load in op.loads[:reads]}
    alike: list[tuple[int, int]] = []
    for i, load in zip(epilogue.loaded, op.loads[reads:], strict=True):
        dtype, distances, _ = epilogue.operands[i]
        if distances == whole and not load.offset:
            alike.append((load.slot, dtype.size))
        else:
            bound.add(load.slot)
    return tuple(
        (store.slot, slot)
        for store in op.stores[: len(epilogue.results)]
        for slot, size in alike
        if not store.is_part and slot not in bound and size == op.specs[store.slot].dtype.size
    )
