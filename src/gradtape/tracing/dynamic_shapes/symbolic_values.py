"""Small integer tensors that depend on sizes alone: `tf.shape(x)[0] * 2`, as arrays of ints and symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradtape.core.paths import Contradiction
from gradtape.core.shape import ANY
from gradtape.core.symbolic_arrays import as_array, has_symbols

if TYPE_CHECKING:
    from gradtape.compiler.graph import Value
    from gradtape.tracing.trace import Trace

_SMALL = 64  # elements of a value that may be a shape, an axis or another parameter


def is_small(value: Value) -> bool:
    """True if the value of a node may be a shape, an axis or another parameter, and can be computed now."""
    node = value.node
    if node is None or node.effect or node.op.any_size:
        return False
    size = 1
    for d in value.spec.shape:
        size *= d if type(d) is int and d else 1
    return size <= _SMALL


class SymbolicValues:
    """The values of a trace that depend on nothing but sizes."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._found: dict[Value, Any] = {}

    def of(self, value: Value) -> Any:
        """The array of a value, of objects if there is a symbol in it; None if it depends on more than sizes."""
        if value not in self._found:
            self._found[value] = self._evaluate(value)
        return self._found[value]

    def _evaluate(self, value: Value) -> Any:
        node = value.node
        if node is None:
            return self._trace.source_of(value)
        if not is_small(value):
            return None
        if node.op.name == "shape_of":
            shape = self._trace.shape_of(node.inputs[0])
            return None if shape is ANY or None in shape else as_array(tuple(shape), node.params["dtype"].numpy)
        arrays = [self.of(v) for v in node.inputs]
        if not arrays or any(a is None for a in arrays):
            return None
        if node.op.name in _KEEPING and has_symbols(arrays[0]):
            return arrays[0]
        try:
            found = node.op.kernel(*arrays, **node.params)
            found = found[node.outputs.index(value)] if node.several else found
            # NumPy gives the elements of arrays of objects as they are.
            return as_array(found, value.spec.dtype.numpy) if isinstance(found, int) else found
        except Contradiction:
            raise
        except Exception:
            return None


_KEEPING = ("cast", "cast_to_discrete", "identity", "stop_gradient")  # ops that do not change an integer
