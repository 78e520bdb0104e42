"""IRBuilder: writes instructions to the end of a block."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from gradtape.compiler.codegen.ir.module import Block, Function, Module
from gradtape.compiler.codegen.ir.values import Constant, IRValue, Phi, PointerType, Type, VectorType

_POINTER = PointerType()
_SIGNED = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
_UNSIGNED = {"==": "eq", "!=": "ne", "<": "ult", "<=": "ule", ">": "ugt", ">=": "uge"}
_ORDERED = {"==": "oeq", "!=": "one", "<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "ord": "ord"}
_UNORDERED = {"==": "ueq", "!=": "une", "<": "ult", "<=": "ule", ">": "ugt", ">=": "uge", "uno": "uno"}


def _binary(name: str) -> Callable[..., Any]:
    """A method for an instruction with two operands of one type, which is the result's."""

    def method(self: IRBuilder, a: IRValue, b: IRValue, flags: Sequence[str] = ()) -> Any:
        operation = " ".join([name, *flags]) if flags else name
        return self._compute(a.type, f"{operation} {a.type.text} {a.ref}, {b.ref}")

    return method


def _cast(name: str) -> Callable[..., Any]:
    """A method for an instruction that makes a value of another type; the value itself if it has that type."""

    def method(self: IRBuilder, value: IRValue, kind: Type) -> Any:
        if value.type is kind:
            return value
        return self._compute(kind, f"{name} {value.type.text} {value.ref} to {kind.text}")

    return method


def _comparison(name: str, words: dict[str, str]) -> Callable[..., Any]:
    def method(self: IRBuilder, operator: str, a: IRValue, b: IRValue) -> Any:
        return self._compute(a.type.truth(), f"{name} {words[operator]} {a.type.text} {a.ref}, {b.ref}")

    return method


class IRBuilder:
    """Writes instructions to the end of a block, and is told to which one.

    What only computes is written once in a block: asked for again, it is the same value.

    Attributes:
      block: the block.
    """

    def __init__(self, block: Block) -> None:
        self.block = block

    @property
    def function(self) -> Function:
        """The function of the block."""
        return self.block.function

    @property
    def module(self) -> Module:
        """The module of the function."""
        return self.block.function.module

    def append_basic_block(self, name: str = "") -> Block:
        """A new block of the function; instructions go where they went before."""
        return self.block.function.append_basic_block(name)

    def position_at_end(self, block: Block) -> None:
        """Write to another block: before its last instruction if it has that already."""
        self.block = block

    def _compute(self, kind: Type, text: str) -> Any:
        """The value of an instruction that does nothing but compute."""
        block = self.block
        found = block.known.get(text)
        if found is None:
            found = block.known[text] = self._write(kind, text)
        return found

    def _write(self, kind: Type, text: str) -> Any:
        """The value of an instruction."""
        block = self.block
        name = block.function.new_name()
        block.instructions.append(f"{name} = {text}")
        return IRValue(kind, name)

    add, sub, mul = _binary("add"), _binary("sub"), _binary("mul")
    sdiv, udiv, srem, urem = _binary("sdiv"), _binary("udiv"), _binary("srem"), _binary("urem")
    shl, lshr, ashr = _binary("shl"), _binary("lshr"), _binary("ashr")
    and_, or_, xor = _binary("and"), _binary("or"), _binary("xor")
    fadd, fsub, fmul, fdiv = _binary("fadd"), _binary("fsub"), _binary("fmul"), _binary("fdiv")

    trunc, zext, sext = _cast("trunc"), _cast("zext"), _cast("sext")
    fptrunc, fpext, bitcast = _cast("fptrunc"), _cast("fpext"), _cast("bitcast")
    sitofp, uitofp, fptosi, fptoui = _cast("sitofp"), _cast("uitofp"), _cast("fptosi"), _cast("fptoui")
    inttoptr, ptrtoint = _cast("inttoptr"), _cast("ptrtoint")

    icmp_signed, icmp_unsigned = _comparison("icmp", _SIGNED), _comparison("icmp", _UNSIGNED)
    fcmp_ordered, fcmp_unordered = _comparison("fcmp", _ORDERED), _comparison("fcmp", _UNORDERED)

    def neg(self, value: IRValue) -> Any:
        """An integer with the other sign."""
        return self.sub(Constant(value.type, None), value)

    def not_(self, value: IRValue) -> Any:
        """A single truth value turned around."""
        return self.xor(value, Constant(value.type, 1))

    def fneg(self, value: IRValue) -> Any:
        """A float with the other sign."""
        return self._compute(value.type, f"fneg {value.type.text} {value.ref}")

    def select(self, condition: IRValue, a: IRValue, b: IRValue) -> Any:
        """The one where a condition holds, the other where not."""
        kind = a.type
        return self._compute(
            kind, f"select {condition.type.text} {condition.ref}, {kind.text} {a.ref}, {kind.text} {b.ref}"
        )

    def extract_element(self, vector: IRValue, index: IRValue) -> Any:
        """An element of a vector."""
        return self._compute(vector.type.element, f"extractelement {vector}, {index}")

    def insert_element(self, vector: IRValue, value: IRValue, index: IRValue) -> Any:
        """A vector with another element."""
        return self._compute(vector.type, f"insertelement {vector}, {value}, {index}")

    def shuffle_vector(self, a: IRValue, b: IRValue, order: IRValue) -> Any:
        """Elements of two vectors in a known order."""
        kind = VectorType(a.type.element, order.type.count)
        return self._compute(kind, f"shufflevector {a}, {b}, {order}")

    def extract_value(self, struct: IRValue, index: int) -> Any:
        """A part of several values."""
        return self._compute(struct.type.elements[index], f"extractvalue {struct}, {index}")

    def insert_value(self, struct: IRValue, value: IRValue, index: int) -> Any:
        """Several values with another part."""
        return self._compute(struct.type, f"insertvalue {struct}, {value}, {index}")

    def gep(self, pointer: IRValue, indices: Sequence[IRValue], source_etype: Type) -> Any:
        """A pointer some elements behind another one."""
        places = ", ".join(map(str, indices))
        return self._compute(_POINTER, f"getelementptr {source_etype.text}, ptr {pointer.ref}, {places}")

    def alloca(self, kind: Type, align: int | None = None) -> Any:
        """Memory for a value until the function returns."""
        text = f"alloca {kind.text}"
        return self._write(_POINTER, text if align is None else f"{text}, align {align}")

    def load(self, pointer: IRValue, typ: Type, align: int | None = None) -> Any:
        """What lies at a pointer."""
        text = f"load {typ.text}, ptr {pointer.ref}"
        return self._write(typ, text if align is None else f"{text}, align {align}")

    def store(self, value: IRValue, pointer: IRValue, align: int | None = None) -> None:
        """Put a value to a pointer."""
        text = f"store {value.type.text} {value.ref}, ptr {pointer.ref}"
        self.block.instructions.append(text if align is None else f"{text}, align {align}")

    def call(self, function: IRValue, arguments: Sequence[IRValue]) -> Any:
        """Call a function, or a pointer to one."""
        kind = function.function_type if isinstance(function, Function) else function.type.pointee
        text = (
            f"call {kind.return_type.text} {function.ref}({', '.join([f'{a.type.text} {a.ref}' for a in arguments])})"
        )
        if kind.return_type.text == "void":
            self.block.instructions.append(text)
            return None
        return self._write(kind.return_type, text)

    def phi(self, kind: Type) -> Phi:
        """A value that depends on the way to the block; its values are told later."""
        phi = Phi(kind, self.block.function.new_name())
        self.block.phis.append(phi)
        return phi

    def branch(self, block: Block) -> None:
        """Go on with a block."""
        self.block.end(f"br label %{block.name}")

    def cbranch(self, condition: IRValue, then: Block, otherwise: Block, likely: bool | None = None) -> None:
        """Go on with one of two blocks; `likely` says whether it is the first nearly always, or hardly ever."""
        text = f"br i1 {condition.ref}, label %{then.name}, label %{otherwise.name}"
        if likely is not None:
            weights = "i32 99, i32 1" if likely else "i32 1, i32 99"
            number = self.module.note('!{!"branch_weights", ' + weights + "}")
            text += f", !prof !{number}"
        self.block.end(text)

    def ret(self, value: IRValue) -> None:
        """Return a value."""
        self.block.end(f"ret {value}")

    def ret_void(self) -> None:
        """Return nothing."""
        self.block.end("ret void")

    @contextlib.contextmanager
    def if_then(self, condition: IRValue, likely: bool | None = None) -> Iterator[None]:
        """What is written inside runs if a condition holds."""
        then, after = self.append_basic_block("then"), self.append_basic_block("endif")
        self.cbranch(condition, then, after, likely)
        with self._branch(then, after):
            yield
        self.position_at_end(after)

    @contextlib.contextmanager
    def if_else(
        self, condition: IRValue, likely: bool | None = None
    ) -> Iterator[tuple[AbstractContextManager[None], AbstractContextManager[None]]]:
        """Two blocks: what is written inside of the first runs if a condition holds, that of the second if not."""
        then, otherwise, after = (self.append_basic_block(name) for name in ("then", "else", "endif"))
        self.cbranch(condition, then, otherwise, likely)
        yield self._branch(then, after), self._branch(otherwise, after)
        self.position_at_end(after)

    @contextlib.contextmanager
    def _branch(self, block: Block, after: Block) -> Iterator[None]:
        self.position_at_end(block)
        yield
        if not self.block.is_terminated:
            self.branch(after)
