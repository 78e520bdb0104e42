"""Matrix products, convolutions, pooling and gathers as launches, with the epilogues that fusion gave them."""

from __future__ import annotations

from gradtape.compiler.backends.product import pattern as product
from gradtape.compiler.backends.rows import lower as rows
from gradtape.compiler.backends.rows.plan import ColumnEpilogue
from gradtape.compiler.bodies.epilogue import Epilogue
from gradtape.compiler.bodies.kernel_op import KernelOp, PatternBody
from gradtape.compiler.bodies.rows import RowLoop
from gradtape.compiler.runtime.kernels import Lowered, Operand
from gradtape.core.patterns.convolution import Convolve
from gradtape.core.patterns.indexing import Take
from gradtape.core.patterns.pooling import Pool
from gradtape.core.patterns.product import Product


def lower(op: KernelOp, body: PatternBody) -> Lowered:
    """The launches of a fused pattern."""
    pattern, epilogue = body.pattern, body.epilogue
    if body.sums_columns:
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
    shares = _shares(op, body, epilogue)
    if isinstance(pattern, RowLoop):
        lowered = rows.lower(pattern, ColumnEpilogue(body.output, epilogue))
        return lowered._replace(shares=(*lowered.shares, *shares))
    table = _table(op, body, epilogue)
    if isinstance(pattern, Product):
        launch = product.launch(product.problem_of(pattern), table, epilogue)
        return Lowered((launch,), shares=shares) if op.onto is None else Lowered((launch,), views=((0, op.onto),))
    if not isinstance(pattern, Convolve):
        found = _lower_other(pattern, table, epilogue)
        assert found is not None, "takes_epilogue says what can be launched"
        return found._replace(shares=shares)
    from gradtape.compiler.backends.convolution import lowering as convolution  # loaded with the first of them

    launched = convolution.launch(pattern, table, epilogue)
    assert launched is not None, "takes_epilogue says what can be launched"
    return launched._replace(shares=shares if convolution.writes_once(pattern) else ())


def _lower_other(pattern: Pool | Take, table: list[Operand], epilogue: Epilogue) -> Lowered | None:
    if isinstance(pattern, Pool):
        from gradtape.compiler.backends.window import pattern as window  # loaded with the first of them

        return window.lower(pattern, table, epilogue)
    from gradtape.compiler.backends import indexing  # loaded with the first of them

    return indexing.lower_take(pattern, table, epilogue)


def _table(op: KernelOp, body: PatternBody, epilogue: Epilogue) -> list[Operand]:
    """What the pattern reads, the first result, what the epilogue reads, and the other results."""
    pattern, size = body.pattern, 0  # of what is read from an offset
    if isinstance(pattern, Product):
        size = pattern.size
    elif not isinstance(pattern, (Take, RowLoop)):
        size = pattern.dtype.size
    sizes = [size] * body.reads + [epilogue.operands[i].dtype.size for i in epilogue.loaded]
    loads = [Operand("input", load.slot, load.offset * size) for load, size in zip(op.loads, sizes, strict=True)]
    first, *others = [
        Operand("output", store.slot, store.offset * op.specs[store.slot].dtype.size) for store in op.stores
    ]
    return [*loads[: body.reads], first, *loads[body.reads :], *others]


def _shares(op: KernelOp, body: PatternBody, epilogue: Epilogue) -> tuple[tuple[int, int], ...]:
    """Results that may be written over operands which are read whole, element by element, and in no other way."""
    count, m, n = body.sizes
    whole = (m * n if count > 1 else 0, n if m > 1 else 0, 1 if n > 1 else 0)
    bound = {load.slot for load in op.loads[: body.reads]}
    alike: list[tuple[int, int]] = []
    for i, load in zip(epilogue.loaded, op.loads[body.reads :], strict=True):
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
