"""Modules, functions and blocks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from gradtape.compiler.codegen.ir.values import (
    Constant,
    FunctionType,
    IntType,
    IRValue,
    Phi,
    PointerType,
    Type,
    VoidType,
)

_POINTER = PointerType()
_MEMORY = {
    "llvm.memcpy": (_POINTER, _POINTER, IntType(64), IntType(1)),
    "llvm.memset": (_POINTER, IntType(8), IntType(64), IntType(1)),
}


class Module:
    """Functions and tables that become machine code together.

    Attributes:
      globals: they by their names.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.globals: dict[str, Any] = {}
        self._notes: dict[str, int] = {}

    def get_unique_name(self, name: str) -> str:
        """A name that nothing has, which begins with another one."""
        if name not in self.globals:
            return name
        return next(n for i in itertools.count(1) if (n := f"{name}.{i}") not in self.globals)

    def declare_intrinsic(
        self, name: str, kinds: Sequence[Type], function_type: FunctionType | None = None
    ) -> Function:
        """A function that LLVM knows, for arguments of some types."""
        full = ".".join([name, *["p0" if kind.text == "ptr" else kind.text for kind in kinds]])
        found: Function | None = self.globals.get(full)
        if found is not None:
            return found
        return Function(self, function_type or FunctionType(VoidType(), _MEMORY[name]), full)

    def note(self, text: str) -> int:
        """The number of a note that instructions refer to."""
        return self._notes.setdefault(text, len(self._notes))

    def __str__(self) -> str:
        notes = [f"!{number} = {text}" for text, number in self._notes.items()]
        return "\n".join(
            [f'source_filename = "{self.name}"', *[str(g.text()) for g in self.globals.values()], *notes, ""]
        )


class GlobalVariable(IRValue):
    """A place in memory that a module brings along."""

    __slots__ = ("global_constant", "initializer", "kind", "linkage", "name")

    def __init__(self, module: Module, kind: Type, name: str) -> None:
        super().__init__(_POINTER, f'@"{name}"')
        self.kind, self.name = kind, name
        self.linkage, self.global_constant = "", False
        self.initializer: Constant | None = None
        _enter(module, self)

    def text(self) -> str:
        """The line that defines it."""
        assert self.initializer is not None
        word = "constant" if self.global_constant else "global"
        return f"{self.ref} = {self.linkage} {word} {self.initializer}"


class Function(IRValue):
    """A function; without blocks, one that is somewhere else.

    Attributes:
      args: the values that it is called with.
      linkage: "internal" for one that only its module calls.
      attributes: what LLVM should know of it.
    """

    __slots__ = ("_numbers", "args", "attributes", "blocks", "function_type", "linkage", "module", "name")

    def __init__(self, module: Module, function_type: FunctionType, name: str) -> None:
        super().__init__(_POINTER, f'@"{name}"')
        self.module, self.function_type, self.name = module, function_type, name
        self.args = tuple([IRValue(kind, f"%a{i}") for i, kind in enumerate(function_type.args)])
        self.blocks: list[Block] = []
        self.linkage, self.attributes = "", set[str]()
        self._numbers = itertools.count()
        _enter(module, self)

    def append_basic_block(self, name: str = "") -> Block:
        """A new block behind the others."""
        block = Block(self, f"{name}.{len(self.blocks)}" if name else f"b.{len(self.blocks)}")
        self.blocks.append(block)
        return block

    def new_name(self) -> str:
        """A name for a value."""
        return f"%v{next(self._numbers)}"

    def text(self) -> str:
        """The lines that define or declare it."""
        result, arguments = self.function_type.return_type.text, ", ".join(map(str, self.args))
        if not self.blocks:
            return f"declare {result} {self.ref}({', '.join([a.type.text for a in self.args])})"
        head = f"define {self.linkage} {result} {self.ref}({arguments}) {' '.join(sorted(self.attributes))} {{"
        return "\n".join([head, *[line for block in self.blocks for line in block.text()], "}"])


class Block:
    """Instructions that run one after the other.

    Attributes:
      name: its own within the function.
      instructions: their text, without that of phis and of the last one.
      terminator: the last one, which says where to go on.
      known: instructions that do nothing but compute, and their values.
    """

    __slots__ = ("_end", "function", "instructions", "known", "name", "phis")

    def __init__(self, function: Function, name: str) -> None:
        self.function, self.name = function, name
        self.phis: list[Phi] = []
        self.instructions: list[str] = []
        self.known: dict[str, IRValue] = {}
        self._end: str | None = None

    @property
    def is_terminated(self) -> bool:
        """True if it has its last instruction."""
        return self._end is not None

    def end(self, text: str) -> None:
        """Write the last instruction."""
        if self._end is not None:
            raise ValueError(f"block {self.name} has an end already: {self._end}")
        self._end = text

    def text(self) -> list[str]:
        """Its lines."""
        if self._end is None:
            raise ValueError(f"block {self.name} has no end.")
        return [f"{self.name}:", *[phi.line() for phi in self.phis], *self.instructions, self._end]


def _enter(module: Module, value: Any) -> None:
    if value.name in module.globals:
        raise ValueError(f"the module has a {value.name!r} already.")
    module.globals[value.name] = value
