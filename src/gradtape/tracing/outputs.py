"""What a traced function returns: tensors in a structure, and nothing else."""

from __future__ import annotations

from typing import Any, cast

from gradtape.core import convert, errors, nest
from gradtape.core.op import REGISTRY
from gradtape.core.shape import TensorShape
from gradtape.core.variable import Variable
from gradtape.core.variable_properties import Handle
from gradtape.tracing.composites import unfold
from gradtape.tracing.symbol import Symbol, symbol
from gradtape.tracing.trace import Trace


def results(trace: Trace, returned: Any, name: str) -> tuple[Any, list[Symbol | None]]:
    """What a function returned: its structure, and its leaves as symbols of the trace; None stays None."""
    returned = unfold(_datasets_taken_apart(returned))
    flat = nest.flatten(returned)
    leaves = [_result(trace, leaf, name) for leaf in flat if not isinstance(leaf, Handle)]
    if not nest.is_nested(returned):
        return (_Kept(returned) if isinstance(returned, Handle) else None), leaves
    places = [_Kept(leaf) if isinstance(leaf, Handle) else None for leaf in flat]
    return nest.pack_sequence_as(returned, places), leaves


class _Kept:
    """Stands in the structure of results for what is the same after each call: the handle of a variable. It has no leaves."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __tf_flatten__(self) -> tuple[Any, tuple[Any, ...]]:
        return (self._value,), ()

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, _: tuple[Any, ...]) -> Any:
        return metadata[0]


def _datasets_taken_apart(returned: Any) -> Any:
    """What a function returned, with nodes that make its datasets."""
    if hasattr(returned, "_pieces"):
        return returned._pieces()
    leaves = nest.flatten(returned) if nest.is_nested(returned) else []
    if not any(hasattr(leaf, "_pieces") for leaf in leaves):
        return returned
    return nest.pack_sequence_as(returned, [leaf._pieces() if hasattr(leaf, "_pieces") else leaf for leaf in leaves])


def _result(trace: Trace, leaf: Any, name: str) -> Symbol | None:
    if leaf is None:
        return None
    if isinstance(leaf, TensorShape):
        leaf = convert.convert_to_tensor(list(leaf))
    try:
        tensor = leaf._read() if isinstance(leaf, Variable) else convert.convert_to_tensor(leaf)
    except (TypeError, ValueError):
        raise TypeError(
            errors.compose(
                "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or "
                f"None values; in compilation of {name}, found return value of type {type(leaf).__name__}, which is not a "
                "Tensor or ExtensionType.",
                "return tensors, and keep other objects outside.",
            )
        ) from None
    if isinstance(tensor, Symbol) and tensor.trace is trace:
        return tensor
    value = trace.value_of(tensor)
    return cast(Symbol, REGISTRY["identity"](symbol(value, trace, tensor._id)))
