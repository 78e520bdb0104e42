"""The classes of functions."""

from gradtape.polymorphic_function.concrete_function import ConcreteFunction
from gradtape.polymorphic_function.function import Function

__all__ = ["ConcreteFunction", "Function"]
