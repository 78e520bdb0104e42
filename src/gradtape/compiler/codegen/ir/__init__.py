"""Programs for LLVM, written as text while they are built: types, constants, functions and a builder of instructions.

The names and the ways to call them are those of `llvmlite.ir`, as far as the compiler needs them. That package makes an object of each
instruction and its text later; here an instruction is a line of text from the beginning, which takes a fifth of the time, and a
value that was computed before in the same block is used again. It matters, since the first call of a function waits for it.
"""

from gradtape.compiler.codegen.ir.builder import IRBuilder
from gradtape.compiler.codegen.ir.module import Block, Function, GlobalVariable, Module
from gradtape.compiler.codegen.ir.values import (
    ArrayType,
    BFloatType,
    Constant,
    DoubleType,
    FloatType,
    FormattedConstant,
    FunctionType,
    HalfType,
    IntType,
    IRValue,
    LiteralStructType,
    Phi,
    PointerType,
    Type,
    Undefined,
    VectorType,
    VoidType,
)  # fmt: skip

__all__ = [
    "ArrayType",
    "BFloatType",
    "Block",
    "Constant",
    "DoubleType",
    "FloatType",
    "FormattedConstant",
    "Function",
    "FunctionType",
    "GlobalVariable",
    "HalfType",
    "IRBuilder",
    "IRValue",
    "IntType",
    "LiteralStructType",
    "Module",
    "Phi",
    "PointerType",
    "Type",
    "Undefined",
    "VectorType",
    "VoidType",
]
