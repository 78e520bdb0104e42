"""Matrix products and convolutions as launches, with the epilogues that fusion gave them."""

from __future__ import annotations

from gradtape.compiler.backends.product import pattern as product
from gradtape.compiler.bodies.epilogue import Epilogue
from gradtape.compiler.bodies.kernel_op import KernelOp, PatternBody
from gradtape.compiler.runtime.kernels import Lowered, Operand
from gradtape.core.patterns.convolution import Convolve
from gradtape.core.patterns.product import Product


def lower(op: KernelOp, body: PatternBody) -> Lowered:
    """The launches of a fused product or convolution."""
    pattern, epilogue, sums_columns = body
    if sums_columns:
        from gradtape.compiler.backends.convolution import lowering as convolution  # loaded with the first convolution

        assert isinstance(pattern, Convolve), "of products, fusion leaves sums of columns as they are"
        both = convolution.filter_gradient(pattern, columns=True)
        assert both is not None, "fusion asks for what can be launched"
        return both
    if epilogue is None:
        assert isinstance(pattern, Product), "fusion leaves a convolution without an epilogue as it is"
        found = product.lower_from(pattern, (op.loads[0].offset, op.loads[1].offset))
        assert found is not None, "a product reads through views only if it can be launched at once"
        return found
    dtypes = [pattern.dtype, pattern.dtype, *[epilogue.operands[i].dtype for i in epilogue.loaded]]
    a, b, *loaded = [
        Operand("input", load.slot, load.offset * dtype.size) for load, dtype in zip(op.loads, dtypes, strict=True)
    ]
    first, *others = [
        Operand("output", store.slot, store.offset * op.specs[store.slot].dtype.size) for store in op.stores
    ]
    table = [a, b, first, *loaded, *others]
    shares = _shares(op, epilogue, body.sizes)
    if isinstance(pattern, Product):
        launch = product.launch(product.problem_of(pattern), table, epilogue)
        return Lowered((launch,), shares=shares) if op.onto is None else Lowered((launch,), views=((0, op.onto),))
    from gradtape.compiler.backends.convolution import lowering as convolution  # loaded with the first convolution

    launched = convolution.launch(pattern, table, epilogue)
    assert launched is not None, "takes_epilogue says what can be launched"
    return Lowered(tuple(launched[0]), launched[1], shares if convolution.writes_once(pattern) else ())


def _shares(op: KernelOp, epilogue: Epilogue, sizes: tuple[int, int, int]) -> tuple[tuple[int, int], ...]:
    """Results that may be written over operands which are read whole, element by element, and in no other way."""
    count, m, n = sizes
    whole = (m * n if count > 1 else 0, n if m > 1 else 0, 1 if n > 1 else 0)
    bound = {op.loads[0].slot, op.loads[1].slot}
    alike: list[tuple[int, int]] = []
    for i, load in zip(epilogue.loaded, op.loads[2:], strict=True):
        dtype, distances, _ = epilogue.operands[i]
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
