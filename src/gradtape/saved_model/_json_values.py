"""Values as JSON: numbers, strings and lists unchanged, everything else as an object whose only key is a tag.

    (1, 2)              {"tuple": [1, 2]}
    tf.float32          {"dtype": "float32"}
    np.zeros([2])       {"data": ["float32", [2], "AAAAAAAAAAA="]}, larger ones {"array": name}

Nothing of it is executed when it is read.
"""

from __future__ import annotations

import base64
import collections
import dataclasses
import enum
import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.composite import CompositeSpec, Pieces, pieces_class
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import ANY, Spec, Steps, TensorShape, TensorSpec
from gradtape.polymorphic_function.function_type import VariableSpec
from gradtape.saved_model import _references as references
from gradtape.saved_model._references import UnsaveableError
from gradtape.toplevel.extension_types import ExtensionForm, ExtensionType
from gradtape.tracing.composites import Bounds, Parts

_INLINE = 16  # elements of an array that stands in the description itself
# Our structures in arguments and results, by name; the user's are rebuilt from their fields.
_OWN = {"IndexedSlices": Parts, "slice": Bounds}

# The module of named tuples that are made when reading: the user's, whose module need not be there.
DATASETS = "gradtape.saved_model._datasets"  # it describes functions, and is loaded for datasets only
_ELSEWHERE = "<saved model>"

_CALLED = frozenset(["function", "op", "call"])  # callables that may be partially applied


class Writer:
    """Describes values.

    Attributes:
      arrays: those that are too large for the description, by name.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {}
        self._known: dict[int, tuple[Any, str]] = {}

    def describe(self, value: Any) -> Any:
        """A value as JSON; UnsaveableError if it cannot be described."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is list:
            return [self.describe(v) for v in value]
        rule = _RULES.get(type(value))
        if rule is not None:
            return rule(self, value)
        return self._other(value)

    def _other(self, value: Any) -> Any:
        if isinstance(value, np.ndarray | np.generic):
            return self._array(value)
        if isinstance(value, np.dtype):
            return {"numpy dtype": dtypes.as_dtype(value).name}
        if isinstance(value, enum.Enum):
            return {"enum": [references.name_of(type(value)), value.name]}
        if isinstance(value, Pieces):
            return {"pieces": [self.describe(value.form), [self.describe(v) for v in value]]}
        if isinstance(value, CompositeSpec):
            return {"composite": [self.describe(value._form()), [self.describe(v) for v in value._component_specs()]]}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._named(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = [[f.name, self.describe(getattr(value, f.name))] for f in dataclasses.fields(value)]
            return {"data class": [references.name_of(type(value)), fields]}
        if isinstance(value, Mapping):
            return {"dict": [[self.describe(k), self.describe(v)] for k, v in value.items()]}
        if isinstance(value, type) and issubclass(value, ExtensionType):
            return {"extension type": references.extension_type_name(value)}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"numpy type": dtypes.as_dtype(value).name}
        if callable(value):
            return {"function": references.name_of(value)}
        raise UnsaveableError(f"{value!r} of type {type(value).__name__}")

    def _named(self, value: Any) -> Any:
        parts = [self.describe(v) for v in value]
        kind = type(value)
        own = next((name for name, known in _OWN.items() if known is kind), None)
        if own is not None:
            return {"structure": [own, parts]}
        if kind.__module__.startswith("gradtape."):
            return {"record": [references.name_of(kind), parts]}
        return {"named tuple": [kind.__name__, list(value._fields), parts]}

    def _array(self, array: Any) -> Any:
        dtype = dtypes.as_dtype(array.dtype).name
        shape = list(array.shape)
        if dtype != "string":
            if array.size and not any(array.strides) and array.ndim:  # one number in all places
                return {"filled": [dtype, shape, _text(array[(0,) * array.ndim])]}
            if array.size <= _INLINE:
                return {"data": [dtype, None if isinstance(array, np.generic) else shape, _text(array)]}
        known = self._known.get(id(array))
        if known is None:
            known = self._known[id(array)] = (array, f"constant-{len(self.arrays)}")
            self.arrays[known[1]] = np.asarray(array)
        return {"array": known[1]}


def _text(array: Any) -> str:
    array = np.asarray(array)
    return base64.b64encode(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()).decode()


def _number(writer: Writer, value: float) -> Any:
    return value if math.isfinite(value) else {"float": repr(value)}


def _shape(shape: Any) -> Any:
    if shape is ANY:
        return None
    return {"steps": list(shape)} if type(shape) is Steps else list(shape)


def _dims(shape: TensorShape) -> Any:
    return None if shape.rank is None else list(shape)


def _partial(writer: Writer, value: Any) -> Any:
    return {"call": [writer.describe(value.func), writer.describe(list(value.args)), writer.describe(value.keywords)]}


_RULES: dict[type, Callable[[Any, Any], Any]] = {
    float: _number,
    complex: lambda w, v: {"complex": [_number(w, v.real), _number(w, v.imag)]},
    bytes: lambda w, v: {"bytes": base64.b64encode(v).decode()},
    tuple: lambda w, v: {"tuple": [w.describe(x) for x in v]},
    dict: lambda w, v: {"dict": [[w.describe(k), w.describe(x)] for k, x in v.items()]},
    collections.OrderedDict: lambda w, v: {"ordered": [[w.describe(k), w.describe(x)] for k, x in v.items()]},
    slice: lambda w, v: {"slice": [w.describe(x) for x in (v.start, v.stop, v.step)]},
    range: lambda w, v: {"range": [v.start, v.stop, v.step]},
    type(Ellipsis): lambda w, v: {"ellipsis": True},
    type(NotImplemented): lambda w, v: {"not implemented": True},
    dtypes.DType: lambda w, v: {"dtype": v.name},
    type(ANY): lambda w, v: {"any shape": True},
    Steps: lambda w, v: {"steps": list(v)},
    Spec: lambda w, v: {"spec": [_shape(v.shape), v.dtype.name]},
    TensorShape: lambda w, v: {"shape": _dims(v)},
    TensorSpec: lambda w, v: {"tensor": [_dims(v.shape), v.dtype.name, v.name]},
    VariableSpec: lambda w, v: {"variable spec": [_dims(v.shape), v.dtype.name, v.trainable]},
    IndexedSlices: lambda w, v: {"slices": [w.describe(x) for x in (v.values, v.indices, v.dense_shape)]},
    functools.partial: _partial,
}


class Reader:
    """Values from descriptions.

    Args:
      array: a function of a name that gives an array.
    """

    def __init__(self, array: Callable[[str], Any]) -> None:
        self._array = array
        self._tuples: dict[Any, Any] = {}
        self.rules: dict[str, Callable[[Any], Any]] = {
            "float": float,
            "complex": lambda v: complex(self.value(v[0]), self.value(v[1])),
            "bytes": base64.b64decode,
            "tuple": lambda v: tuple([self.value(x) for x in v]),
            "dict": lambda v: {self.value(k): self.value(x) for k, x in v},
            "ordered": lambda v: collections.OrderedDict([(self.value(k), self.value(x)) for k, x in v]),
            "slice": lambda v: slice(*[self.value(x) for x in v]),
            "range": lambda v: range(*v),
            "ellipsis": lambda v: Ellipsis,
            "not implemented": lambda v: NotImplemented,
            "dtype": dtypes.as_dtype,
            "numpy dtype": lambda v: dtypes.as_dtype(v).numpy,
            "numpy type": lambda v: dtypes.as_dtype(v).numpy.type,
            "any shape": lambda v: ANY,
            "steps": lambda v: Steps(v),
            "spec": lambda v: spec(v[0], v[1]),
            "shape": TensorShape,
            "tensor": lambda v: TensorSpec(v[0], dtypes.as_dtype(v[1]), v[2]),
            "variable spec": lambda v: VariableSpec(TensorShape(v[0]), dtypes.as_dtype(v[1]), v[2]),
            "slices": lambda v: IndexedSlices(*[self.value(x) for x in v]),
            "array": self._array,
            "data": _data,
            "filled": lambda v: np.broadcast_to(_data([v[0], [], v[2]]), v[1]),
            "enum": lambda v: references.class_of(v[0], enum.Enum)[v[1]],
            "structure": lambda v: _OWN[v[0]](*[self.value(x) for x in v[1]]),
            "record": lambda v: references.class_of(v[0], tuple)(*[self.value(x) for x in v[1]]),
            "named tuple": self._named,
            "extension type": references.extension_type,
            "data class": self._data_class,
            "pieces": lambda v: pieces_class(self.value(v[0]))(*[self.value(x) for x in v[1]]),
            "composite": lambda v: self.value(v[0]).build([self.value(x) for x in v[1]]),
            "function": references.function_of,
            "call": self._partial,
        }

    def value(self, description: Any) -> Any:
        """The value that a description means."""
        if type(description) is list:
            return [self.value(v) for v in description]
        if type(description) is not dict:
            return description
        ((tag, content),) = description.items()
        return self.rules[tag](content)

    def _partial(self, content: Any) -> Any:
        function, args, kwargs = content
        if not isinstance(function, dict) or not _CALLED.issuperset(function):
            raise TypeError(f"{function!r} is called")
        return functools.partial(self.value(function), *self.value(args), **self.value(kwargs))

    def _data_class(self, content: Any) -> Any:
        name, fields = content
        made = references.data_class_of(name)(**{k: self.value(v) for k, v in fields})
        if isinstance(made, ExtensionForm) and not made.fits():
            raise errors.build(
                errors.InvalidArgumentError,
                f"saved_model.load: the class {made.kind.__qualname__} must have the fields of the saved one: "
                f"{', '.join(field for field, _ in made.structure)}.",
                "load it with the class that was saved, or save it again.",
            )
        return made

    def _named(self, content: Any) -> Any:
        name, fields, parts = content
        kind = self._tuples.get((name, *fields))
        if kind is None:
            kind = self._tuples[(name, *fields)] = collections.namedtuple(name, fields, module=_ELSEWHERE)
        return kind(*[self.value(v) for v in parts])


def spec(shape: Any, dtype: str) -> Spec:
    """A spec from its parts."""
    dims = ANY if shape is None else Steps(shape["steps"]) if isinstance(shape, dict) else tuple(shape)
    return Spec(dims, dtypes.as_dtype(dtype))


def _data(content: Any) -> Any:
    dtype, shape, text = content
    kind = dtypes.as_dtype(dtype).numpy
    array = np.frombuffer(base64.b64decode(text), kind.newbyteorder("<")).astype(kind)
    return array[0] if shape is None else array.reshape(shape)
