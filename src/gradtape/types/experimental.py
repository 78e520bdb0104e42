"""`tf.types.experimental`: classes for annotations and `isinstance`."""

from inspect import Signature as FunctionType

from gradtape.core import lazy
from gradtape.types._experimental import Callable, SupportsTracingProtocol, TensorLike, TraceType

_LATER = {
    "gradtape.polymorphic_function.concrete_function": "ConcreteFunction",
    "gradtape.polymorphic_function.function": "GenericFunction=Function PolymorphicFunction=Function",
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = ["Callable", "FunctionType", "SupportsTracingProtocol", "TensorLike", "TraceType", *_later]
