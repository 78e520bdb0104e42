"""LLVM's types, of which equal ones are the same object, and what instructions work on."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from gradtape.compiler.codegen.ir.module import Block


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


class _Interned(type):
    """The class of classes whose equal objects are the same one."""

    _made: ClassVar[dict[Any, Any]] = {}

    def __call__(cls, *arguments: Any) -> Any:
        key = (cls, *[tuple(a) if isinstance(a, list) else a for a in arguments])
        found = _Interned._made.get(key)
        return _Interned._made.setdefault(key, super().__call__(*key[1:])) if found is None else found


class Type(metaclass=_Interned):
    """A type.

    Attributes:
      text: how LLVM writes it.
    """

    text: str

    def __call__(self, value: Any) -> Constant:
        """A constant of this type."""
        return Constant(self, value)

    def __str__(self) -> str:
        return self.text

    def truth(self) -> Type:
        """The type of a comparison of two values of this type."""
        return _BIT

    def as_pointer(self) -> PointerType:
        """The type of pointers to such values, which LLVM writes like all pointers; functions can be called by it."""
        return PointerType(self)

    def written(self, value: Any) -> str:
        """A constant's number, as LLVM writes it."""
        raise TypeError(f"there are no numbers of type {self.text}.")


class VoidType(Type):
    """No value."""

    text = "void"


class IntType(Type):
    """Integers of some bits, with or without a sign."""

    width: int

    def __init__(self, width: int) -> None:
        self.width, self.text = width, f"i{width}"

    def written(self, value: Any) -> str:
        return str(int(value))


class BFloatType(Type):
    """bfloat16: the upper half of a float32."""

    text = "bfloat"


class HalfType(Type):
    """float16."""

    text = "half"

    def written(self, value: Any) -> str:
        return f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"


class DoubleType(Type):
    """float64."""

    text = "double"

    def written(self, value: Any) -> str:
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class FloatType(Type):
    """float32. LLVM writes its numbers like those of float64."""

    text = "float"

    def written(self, value: Any) -> str:
        return DoubleType().written(struct.unpack("<f", struct.pack("<f", value))[0])


class PointerType(Type):
    """Pointers.

    Attributes:
      pointee: what they point to, if it was said.
    """

    text = "ptr"
    pointee: Type | None

    def __init__(self, pointee: Type | None = None) -> None:
        self.pointee = pointee


class _Repeated(Type):
    element: Type
    count: int
    _brackets: ClassVar[str]

    def __init__(self, element: Type, count: int) -> None:
        self.element, self.count = element, count
        self.text = self._brackets.format(f"{count} x {element.text}")

    def written(self, value: Any) -> str:
        kind, one = self.element.text, self.element.written
        elements = [v.ref if isinstance(v, Constant) else one(v) for v in value]
        if len(elements) > 1 and elements.count(elements[0]) == len(elements) and self._brackets == "<{}>":
            return f"splat ({kind} {elements[0]})"
        return self._brackets.format(", ".join([f"{kind} {e}" for e in elements]))


class VectorType(_Repeated):
    """Vectors of some elements."""

    _brackets = "<{}>"

    def truth(self) -> Type:
        return VectorType(_BIT, self.count)


class ArrayType(_Repeated):
    """Arrays of some elements."""

    _brackets = "[{}]"


class LiteralStructType(Type):
    """Several values of different types."""

    elements: tuple[Type, ...]

    def __init__(self, elements: Sequence[Type]) -> None:
        self.elements = tuple(elements)
        self.text = "{ " + ", ".join([e.text for e in elements]) + " }"


class FunctionType(Type):
    """Functions."""

    return_type: Type
    args: tuple[Type, ...]

    def __init__(self, return_type: Type, args: Sequence[Type]) -> None:
        self.return_type, self.args = return_type, tuple(args)
        self.text = f"{return_type.text} ({', '.join([a.text for a in args])})"


_BIT = IntType(1)
