"""Matrix products and convolutions as launches, with the epilogues that fusion gave them."""

from __future__ import annotations

from gradtape.compiler.backends.convolution import lowering as convolution
from gradtape.compiler.backends.product import pattern as product
from gradtape.compiler.bodies.epilogue import Ending
from gradtape.compiler.bodies.kernel_op import Contraction, KernelOp
from gradtape.compiler.runtime.kernels import Lowered, Operand
from gradtape.core.patterns.product import Product


def lower(op: KernelOp, body: Contraction) -> Lowered:
    """The launches of a fused product or convolution."""
    pattern, ending = body
    if ending is None:
        assert isinstance(pattern, Product), "fusion leaves a convolution without an epilogue as it is"
        found = product.lowered_from(pattern, (op.loads[0].offset, op.loads[1].offset))
        assert found is not None, "a product reads through views only if it can be launched at once"
        return found
    dtypes = [pattern.dtype, pattern.dtype, *[ending.operands[i].dtype for i in ending.loaded]]
    a, b, *loaded = [
        Operand("input", load.slot, load.offset * dtype.size) for load, dtype in zip(op.loads, dtypes, strict=True)
    ]
    first, *others = [
        Operand("output", store.slot, store.offset * op.specs[store.slot].dtype.size) for store in op.stores
    ]
    table = [a, b, first, *loaded, *others]
    shares = _shares(op, ending, body.sizes)
    if isinstance(pattern, Product):
        launch = product.launched(product.problem_of(pattern), table, ending)
        return Lowered((launch,), shares=shares) if op.onto is None else Lowered((launch,), views=((0, op.onto),))
    launched = convolution.launched(pattern, table, ending)
    assert launched is not None, "takes_ending says what can be launched"
    return Lowered(tuple(launched[0]), launched[1], shares)


def _shares(op: KernelOp, ending: Ending, sizes: tuple[int, int, int]) -> tuple[tuple[int, int], ...]:
    """Results that may be written over operands which are read whole, element by element, and in no other way."""
    count, m, n = sizes
    whole = (m * n if count > 1 else 0, n if m > 1 else 0, 1 if n > 1 else 0)
    bound = {op.loads[0].slot, op.loads[1].slot}
    alike: list[tuple[int, int]] = []
    for i, load in zip(ending.loaded, op.loads[2:], strict=True):
        dtype, distances, _ = ending.operands[i]
        if distances == whole and not load.offset:
            alike.append((load.slot, dtype.size))
        else:
            bound.add(load.slot)
    return tuple(
        (store.slot, slot)
        for store in op.stores
        for slot, size in alike
        if not store.is_part and slot not in bound and size == op.specs[store.slot].dtype.size
    )
