"""The operands of instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradtape.compiler.codegen.ir.module import Block
    from gradtape.compiler.codegen.ir.types import Type


class IRValue:
    """A value.

    Attributes:
      type: its type.
      ref: how instructions name it.
    """

    __slots__ = ("ref", "type")

    def __init__(self, kind: Type, ref: str) -> None:
        self.type: Any = kind
        self.ref = ref

    def __str__(self) -> str:
        return f"{self.type.text} {self.ref}"


class Undefined:
    """What a constant is that may be anything."""


class Constant(IRValue):
    """A known value: a number, numbers for the elements of a vector or array, None for zeros, or Undefined.

    Attributes:
      constant: what it was made from.
    """

    __slots__ = ("constant",)

    def __init__(self, kind: Type, constant: Any) -> None:
        if constant is None:
            ref = "zeroinitializer"
        elif constant is Undefined:
            ref = "undef"
        else:
            ref = kind.written(constant)
        super().__init__(kind, ref)
        self.constant = constant


class FormattedConstant(Constant):
    """A known value that is given as LLVM writes it."""

    __slots__ = ()

    def __init__(self, kind: Type, text: str) -> None:
        IRValue.__init__(self, kind, text)
        self.constant = text


class Phi(IRValue):
    """A value that depends on the block from which its own block was reached."""

    __slots__ = ("incoming",)

    def __init__(self, kind: Type, ref: str) -> None:
        super().__init__(kind, ref)
        self.incoming: list[tuple[IRValue, Block]] = []

    def add_incoming(self, value: IRValue, block: Block) -> None:
        """It is this value for those who come from a block."""
        self.incoming.append((value, block))

    def line(self) -> str:
        """The instruction."""
        ways = ", ".join([f"[ {value.ref}, %{block.name} ]" for value, block in self.incoming])
        return f"{self.ref} = phi {self.type.text} {ways}"
