"""What computes a symbolic tensor, as programs see it that look at graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradtape.tracing.operation_types import operation_type

if TYPE_CHECKING:
    from gradtape.tracing.symbol import Symbol


class Operation:
    """An op of the function that is being traced, by one of its results.

    Attributes:
      name: in the style of TensorFlow's graphs.
      type: TensorFlow's name of the op; "Placeholder" for arguments and what the function closes over.
      inputs: symbolic tensors.
      outputs: symbolic tensors.
      graph: the graph of the function.

    >>> @tf.function
    ... def f(x):
    ...     y = tf.sin(x)
    ...     print(x.op.type, y.op.type, [i.name for i in y.op.inputs])
    ...     return y
    >>> _ = f(tf.constant(1.0))
    Placeholder Sin ['x:0']
    """

    def __init__(self, tensor: Symbol, name: str | None = None, kind: str | None = None) -> None:
        node = tensor.value.node
        self._node = node
        self.name = tensor.name.partition(":")[0] if name is None else name
        self.type = kind or ("Placeholder" if node is None else operation_type(node.op.name))
        self.graph = tensor.graph
        self.inputs = () if node is None else tuple([tensor.beside(v) for v in node.inputs])
        self.outputs = [tensor] if node is None else [tensor.beside(v) for v in node.outputs]

    def get_attr(self, name: str) -> Any:
        """A parameter of the op."""
        if name == "_user_specified_name" and self._node is None:
            return self.name.encode()
        if self._node is None or name not in self._node.params:
            raise ValueError(f"Operation {self.name!r} has no attr named {name!r}.")
        return self._node.params[name]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operation) and [y.value for y in self.outputs] == [y.value for y in other.outputs]

    def __hash__(self) -> int:
        return hash(self.outputs[0].value)

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"
