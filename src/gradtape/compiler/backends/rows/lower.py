"""Loops over rows as launches of kernels."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from gradtape.compiler.backends.rows.plan import ColumnEpilogue, RowPlan
from gradtape.compiler.bodies.epilogue import Epilogue
from gradtape.compiler.bodies.rows import COLUMN, ColumnResult, RowLoop
from gradtape.compiler.codegen import ir
from gradtape.compiler.runtime import kernels
from gradtape.compiler.runtime.kernels import Kernel, Launch, Lowered, Operand
from gradtape.core.dtypes import DType

GROUPS_ROWS = False


def takes_epilogue(pattern: ColumnResult, epilogue: Epilogue) -> bool:
    """True for columns."""
    return pattern.loop.outputs[pattern.output][1] == COLUMN


def launch(
    pattern: ColumnResult,
    operands: Sequence[Operand],
    epilogue: Epilogue | None = None,
    shares: tuple[tuple[int, int], ...] = (),
) -> Lowered:
    """The launches of a loop over rows with an epilogue on columns, for a `PatternBackend`."""
    assert epilogue is not None, "a loop over rows without an epilogue is a body of its own"
    lowered = lower(pattern.loop, ColumnEpilogue(pattern.output, epilogue))
    return lowered._replace(shares=(*lowered.shares, *shares))


def _epilogue_operands(end: ColumnEpilogue, loop: RowLoop) -> list[Operand]:
    """What an epilogue reads, and its results but the first."""
    first, results = len(loop.inputs), end.epilogue.results
    loaded = range(first, first + len(end.epilogue.loaded))
    return [*kernels.inputs(*loaded), *kernels.outputs(*range(1, len(results)))]


@functools.lru_cache(maxsize=512)
def planned(loop: RowLoop) -> RowPlan:
    """The plan of a loop over rows."""
    return RowPlan(loop)


@functools.lru_cache(maxsize=512)
def lower(loop: RowLoop, end: ColumnEpilogue | None = None) -> Lowered:
    """The launches of a loop over rows, perhaps with an epilogue on one of the columns that it sums up."""
    plan = planned(loop)
    part, columns = plan.partition, plan.columns
    own = end if part.parts == 1 else None  # else it belongs to the kernel that joins the accumulators

    def emit(module: ir.Module) -> tuple[ir.Function, int]:
        from gradtape.compiler.backends.rows.emit import RowCode  # not for code that is on disk

        return RowCode(module, loop, plan, own).emit(), plan.partition.chunks

    slots = list(range(len(loop.outputs))) if end is None else end.slots(loop)
    operands = [
        *kernels.inputs(*range(len(loop.inputs))),
        *kernels.outputs(*slots),
        *[Operand("scratch", i) for i in range(len(columns))],
        *([] if own is None else _epilogue_operands(own, loop)),
        *([Operand("status", 0)] if loop.checks else []),
    ]
    work = math.prod(loop.shape) * len(loop.calls)
    key = ("rows", loop) if own is None else ("rows", loop, own)
    launches = [Launch(kernels.get_kernel(key, emit, work), tuple(operands))]
    scratch = []
    for i, k in enumerate(columns):
        number = loop.outputs[k][0]
        dtype = plan.accumulator(number)
        blocks = part.blocks if part.parts > 1 else part.chunks
        scratch.append(blocks * plan.padded * dtype.size)
        if part.parts > 1:
            sizes = part.blocks // part.parts, part.parts, loop.shape[-1], plan.padded
            ending = end if end is not None and k == end.output else None
            kernel = _columns(loop.calls[number].join, dtype, loop.types[number], sizes, plan.lanes, ending)
            more = [] if ending is None else _epilogue_operands(ending, loop)
            launches.append(Launch(kernel, (Operand("scratch", i), Operand("output", slots[k]), *more)))
    return Lowered(tuple(launches), tuple(scratch), tuple([(slots[k], i) for k, i in plan.shares()]))


def _columns(
    join: str,
    own: DType,
    dtype: DType,
    sizes: tuple[int, int, int, int],
    lanes: int,
    end: ColumnEpilogue | None,
) -> Kernel:
    """The kernel that joins the accumulators of blocks."""

    def emit(module: ir.Module) -> tuple[ir.Function, int]:
        from gradtape.compiler.backends.rows.emit import emit_columns  # not for code that is on disk

        return emit_columns(module, join, own, dtype, sizes, lanes, end)

    key = ("columns", join, own, dtype, sizes, lanes)
    return kernels.get_kernel(key if end is None else (*key, end.epilogue), emit)
