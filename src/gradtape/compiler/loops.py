"""Fused loops as ops: of graphs, where they are launches of kernels, and of eager execution, where they take arrays.

Sums are made of one partial sum per chunk, so the bits of a result do not depend on the threads.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.compiler import ir, kernels
from gradtape.compiler.emission import DOUBLE, I64, POINTER, VOID, Compiled, close, counted, plain
from gradtape.compiler.kernels import NOTHING, Kernel, Launch, Lowered, Operand
from gradtape.compiler.loop import Loop
from gradtape.compiler.loop_plan import plan
from gradtape.core import dtypes, memory
from gradtape.core.dtypes import DType
from gradtape.core.patterns.movement import contiguous, fill
from gradtape.core.shape import Spec


class Place(NamedTuple):
    """Where a loop finds one of its inputs.

    Attributes:
      number: of the op's input.
      offset: elements from its beginning.
      is_view: whether the input is read through a view (`compiler/views.py`).
    """

    number: int
    offset: int = 0
    is_view: bool = False


class Home(NamedTuple):
    """Where a loop, or the ending of a product, writes one of its results.

    Attributes:
      number: of the op's output.
      offset: elements from its beginning.
      is_part: whether it is only a part of that output (`compiler/destinations.py`).
    """

    number: int
    offset: int = 0
    is_part: bool = False


class Fused:
    """A fused loop as an op. Nothing is compiled before it is lowered or its kernel runs.

    Attributes:
      loop: what it computes.
      specs: of its outputs, then of its sums.
      parts: names of the ops in it, for people.
      places: where the loop's inputs are.
      homes: where its results go.
    """

    elementwise = False
    effect = False

    def __init__(
        self,
        loop: Loop,
        specs: Sequence[Spec],
        parts: str,
        places: Sequence[Place] | None = None,
        homes: Sequence[Home] | None = None,
    ) -> None:
        self.loop, self.specs, self.parts = loop, tuple(specs), parts
        self.places = tuple(places or [Place(i) for i in range(len(loop.inputs))])
        self.homes = tuple(homes or [Home(k) for k in range(len(loop.outputs))])
        self.name = f"fused[{parts}]"
        self._live = [i for i, known in enumerate(loop.constants) if known is None]

    @property
    def code(self) -> Compiled:
        """Machine code that takes arrays: the inputs that are not known, the outputs, and room for partial sums."""
        return compiled(self.loop, repr(self.loop.constants))

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The outputs, in new arrays."""
        if any(home.is_part for home in self.homes):
            return kernels.execute(self.lowered(), arrays, self.specs)
        count, code = len(self.loop.outputs), self.code
        given = [self._given(i, arrays) for i in self._live]
        made = [
            (memory.empty if math.prod(s.shape) >= memory.THRESHOLD else np.empty)(s.shape, s.dtype.numpy)
            for s in self.specs[:count]
        ]
        partials = [np.empty(code.chunks, np.float64) for _ in self.loop.sums]
        if code.chunks:
            code.call(*given, *made, *partials)
        sums = [np.add.reduce(p).astype(s.dtype.numpy) for p, s in zip(partials, self.specs[count:], strict=True)]
        return (*made, *sums)

    def _given(self, i: int, arrays: Sequence[Any]) -> Any:
        """An array that begins where the loop begins to read."""
        place = self.places[i]
        array = plain(arrays[place.number])
        return array.reshape(-1).view(self.loop.inputs[i][0].numpy)[place.offset :] if place.is_view else array

    def lowered(self) -> Lowered:
        """The launch of the loop, and one for each sum."""
        loop = self.loop
        planned, total = plan(loop)
        chunks = -(-total // planned.per_chunk) if math.prod(loop.shape) else 0

        def emit(module: ir.Module) -> tuple[ir.Function, int]:
            from gradtape.compiler.loop_code import LoopEmitter

            return LoopEmitter(module, planned).emit(), 1

        types = loop.types()
        sizes = [types[i].size for i in loop.outputs]
        operands = [
            *[
                Operand("input", self.places[i].number, self.places[i].offset * loop.inputs[i][0].size)
                for i in self._live
            ],
            *[Operand("output", home.number, home.offset * size) for home, size in zip(self.homes, sizes, strict=True)],
            *[Operand("scratch", i) for i in range(len(loop.sums))],
            Operand("number", total),
        ]
        work = math.prod(loop.shape) * len(loop.steps)
        kernel = kernels.emitted(("loop", planned), emit, work)._replace(chunks=chunks) if chunks else NOTHING
        launches = [Launch(kernel, tuple(operands))]
        count = len(self.specs) - len(loop.sums)
        for i, spec in enumerate(self.specs[count:]):
            result = Operand("output", count + i)
            if chunks:
                summed = Operand("scratch", i), result, Operand("number", chunks)
                launches.append(Launch(_addition(spec.dtype), summed))
            else:
                from gradtape.compiler.emitters import movement

                zero = fill(contiguous(()), 0, spec.dtype)._replace(output=result.number)
                launches.append(movement.launch(zero, spec.dtype.size))
        return Lowered(tuple(launches), (8 * chunks,) * len(loop.sums), self._shares())

    def _shares(self) -> tuple[tuple[int, int], ...]:
        """Outputs that may be written over inputs which are read whole, element by element, and in no other way."""
        bound = {p.number for i, p in enumerate(self.places) if p.is_view or not self.loop.is_whole(i)}
        return tuple(
            (home.number, self.places[i].number)
            for home in self.homes
            for i in self._live
            if not home.is_part
            and self.places[i].number not in bound
            and self.loop.inputs[i][0].size == self.specs[home.number].dtype.size
        )


@functools.lru_cache(maxsize=512)
def compiled(loop: Loop, signs: str = "") -> Compiled:
    """Machine code that takes arrays; equal loops share it, if their known numbers read the same: 0.0 and -0.0 are
    equal."""
    from gradtape.compiler.loop_code import LoopEmitter

    planned, total = plan(loop)
    module = ir.Module(name="loop")
    emitter = LoopEmitter(module, planned)
    task = emitter.emit()
    chunks = -(-total // planned.per_chunk) if math.prod(loop.shape) else 0
    return Compiled(module, task, emitter.pointers, chunks, (total,))


def _addition(dtype: DType) -> Kernel:
    """A kernel that adds up partial sums, at least one: their number stands in the table behind them and the result."""

    def emit(module: ir.Module) -> tuple[ir.Function, int]:
        from gradtape.compiler.simd import conversion
        from gradtape.compiler.simd.emitter import VectorEmitter
        from gradtape.compiler.simd.value import Value

        function = ir.Function(module, ir.FunctionType(VOID, [I64, I64]), "task")
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        table = builder.inttoptr(function.args[0], POINTER)
        partials, result, count = (
            builder.load(builder.gep(table, [I64(i)], source_etype=I64), typ=kind)
            for i, kind in enumerate((POINTER, POINTER, I64))
        )
        one = ir.VectorType(DOUBLE, 1)
        before = builder.block
        loop = counted(builder, I64(0), "partials")
        running = builder.phi(one)
        partial = builder.load(builder.gep(partials, [loop[0]], source_etype=DOUBLE), typ=one, align=8)
        joined = builder.fadd(running, partial)
        running.add_incoming(ir.Constant(one, None), before)
        running.add_incoming(joined, builder.block)
        close(builder, loop, count, 1)
        cg = VectorEmitter(module, builder, 1)
        conversion.store(cg, cg.cast(Value(cg, joined, dtypes.float64), dtype), result)
        builder.ret_void()
        return function, 1

    return kernels.emitted(("addition", dtype), emit)
