# Written by tools/stubs.py.
# ruff: noqa
from gradtape.polymorphic_function.concrete_function import ConcreteFunction
from gradtape.polymorphic_function.function import Function as GenericFunction
from gradtape.polymorphic_function.function import Function as PolymorphicFunction
from gradtape.types._experimental import Callable
from gradtape.types._experimental import SupportsTracingProtocol
from gradtape.types._experimental import TensorLike
from gradtape.types._experimental import TraceType
from inspect import Signature as FunctionType

__all__ = [
    "Callable",
    "ConcreteFunction",
    "FunctionType",
    "GenericFunction",
    "PolymorphicFunction",
    "SupportsTracingProtocol",
    "TensorLike",
    "TraceType",
]
