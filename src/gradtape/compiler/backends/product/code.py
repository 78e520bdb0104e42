"""A function under construction: numbers that are folded when they are known, addresses, loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape.compiler.codegen import ir

I8, I16, I32, I64 = ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(64)
POINTER = ir.PointerType()
VOID = ir.VoidType()

# An index: an int that is known when the code is emitted, or an LLVM value of 64 bits.
Index = Any

KERNEL = ir.FunctionType(VOID, [I64, I64])


class ProductCode:
    """Instructions of one function, with the builder where the next one goes.

    Attributes:
      function: the LLVM function.
      module: its module.
      builder: the llvmlite builder.
      start: the block for what lives as long as the call: stack memory.
    """

    def __init__(self, function: ir.Function) -> None:
        self.function, self.module = function, function.module
        self.start = function.append_basic_block("start")
        self.builder = ir.IRBuilder(function.append_basic_block("body"))
        ir.IRBuilder(self.start).branch(self.builder.block)
        self._slots: dict[int, Any] = {}

    def value(self, index: Index) -> Any:
        """An index as an LLVM value."""
        return I64(index) if isinstance(index, int) else index

    def add(self, a: Index, b: Index) -> Index:
        """a + b"""
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if isinstance(b, int) and b == 0:
            return a
        if isinstance(a, int) and a == 0:
            return b
        return self.builder.add(self.value(a), self.value(b), flags=["nsw"])

    def sub(self, a: Index, b: Index) -> Index:
        """a - b"""
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        return self.builder.sub(self.value(a), self.value(b), flags=["nsw"])

    def mul(self, a: Index, b: Index) -> Index:
        """a * b"""
        if isinstance(a, int):
            a, b = b, a
        if isinstance(b, int):
            if isinstance(a, int):
                return a * b
            if b in (0, 1):
                return a if b else 0
        return self.builder.mul(self.value(a), self.value(b), flags=["nsw"])

    def div(self, a: Index, b: Index) -> Index:
        """a // b of numbers that are not negative."""
        if isinstance(a, int) and isinstance(b, int):
            return a // b
        return a if isinstance(b, int) and b == 1 else self.builder.udiv(self.value(a), self.value(b))

    def rem(self, a: Index, b: Index) -> Index:
        """a % b of numbers that are not negative."""
        if isinstance(a, int) and isinstance(b, int):
            return a % b
        return 0 if isinstance(b, int) and b == 1 else self.builder.urem(self.value(a), self.value(b))

    def least(self, a: Index, b: Index) -> Index:
        """The smaller of a and b."""
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        a, b = self.value(a), self.value(b)
        return self.builder.select(self.builder.icmp_signed("<", a, b), a, b)

    def equal(self, a: Index, b: Index) -> Any:
        """Whether a is b: a bool if both are known, else an LLVM i1."""
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        return self.builder.icmp_signed("==", self.value(a), self.value(b))

    def at(self, pointer: Any, offset: Index, element: ir.Type) -> Any:
        """The address of an element after a pointer."""
        if isinstance(offset, int) and offset == 0:
            return pointer
        return self.builder.gep(pointer, [self.value(offset)], source_etype=element)

    def stack(self, element: ir.Type, count: int) -> Any:
        """The address of memory for this call, at the beginning of a cache line."""
        return self._at_start().alloca(ir.ArrayType(element, count), 64)

    def slot(self, slot: int) -> Any:
        """The pointer in a slot of the table whose address is the function's first argument. It is loaded once."""
        if slot not in self._slots:
            builder = self._at_start()
            table = builder.inttoptr(self.function.args[0], POINTER)
            self._slots[slot] = builder.load(builder.gep(table, [I64(slot)], source_etype=I64), typ=POINTER)
        return self._slots[slot]

    def _at_start(self) -> ir.IRBuilder:
        return ir.IRBuilder(self.start)

    def repeat(self, count: Index, body: Callable[[Index], None]) -> None:
        """Emit a loop that runs the body for 0, 1, ... below the count."""

        def step(index: Index, _: Sequence[Any]) -> Sequence[Any]:
            body(index)
            return ()

        self.fold(count, (), step)

    def fold(
        self, count: Index, state: Sequence[Any], step: Callable[[Index, Sequence[Any]], Sequence[Any]]
    ) -> Sequence[Any]:
        """The state after `state = step(index, state)` for 0, 1, ... below the count."""
        if isinstance(count, int) and count <= 1:
            return step(0, state) if count == 1 else state
        builder = self.builder
        head, body, done = (builder.append_basic_block(name) for name in ("head", "loop", "done"))
        builder.branch(head)
        builder.position_at_end(head)
        # A loop with its test at the end, entered unless the count is zero.
        builder.cbranch(builder.icmp_signed(">", self.value(count), I64(0)), body, done)
        builder.position_at_end(body)
        phis = [builder.phi(I64), *[builder.phi(value.type) for value in state]]
        after = list(step(phis[0], phis[1:]))
        index = builder.add(phis[0], I64(1), flags=["nuw", "nsw"])
        for phi, first, later in zip(phis, [I64(0), *state], [index, *after], strict=True):
            phi.add_incoming(first, head)
            phi.add_incoming(later, builder.block)
        last = builder.block
        builder.cbranch(builder.icmp_signed("<", index, self.value(count)), body, done)
        builder.position_at_end(done)
        results = []
        for first, later in zip(state, after, strict=True):
            phi = builder.phi(first.type)
            phi.add_incoming(first, head)
            phi.add_incoming(later, last)
            results.append(phi)
        return results
