"""The saved object: its parts, and its replacement after loading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gradtape.core import errors
from gradtape.lookup._table import Table
from gradtape.polymorphic_function.concrete_function import ConcreteFunction
from gradtape.polymorphic_function.function import Function
from gradtape.random._generator import Generator
from gradtape.saved_model._assets import Asset
from gradtape.saved_model._functions import (
    describe_concrete,
    describe_function,
    restored_concrete,
    restored_function,
    traced,
)
from gradtape.saved_model._graph_reader import GraphReader
from gradtape.saved_model._graph_writer import GraphWriter
from gradtape.toplevel.module import Module
from gradtape.toplevel.trackable import AutoTrackable, Trackable
from gradtape.train import _object_graph as object_graph


def functions_of(value: Any, asked: dict[Any, Any] | None = None) -> dict[str, Any]:
    """The functions of an object by name: those in its attributes, and those that its class defines, also as properties.

    Args:
      value: the object.
      asked: what properties have given, which are asked once.
    """
    asked = {} if asked is None else asked
    found = {k: v for k, v in getattr(value, "__dict__", {}).items() if isinstance(v, (Function, ConcreteFunction))}
    for kind in type(value).__mro__:
        for name, attribute in vars(kind).items():
            if name in found:
                continue
            if isinstance(attribute, Function):
                found[name] = getattr(value, name)
            elif isinstance(attribute, property) and not _is_of_library(kind):
                key = id(value), name
                made = asked[key] if key in asked else asked.setdefault(key, _value_of_property(value, name))
                if isinstance(made, (Function, ConcreteFunction)):
                    found[name] = made
    return found


def _is_of_library(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in ("builtins", "gradtape", "keras", "tf_keras")


def _value_of_property(value: Any, name: str) -> Any:
    """What a property of an object gives; None if it fails, which must not keep the rest from being saved."""
    if not isinstance(value, AutoTrackable):
        return None
    try:
        return getattr(value, name)
    except Exception:
        return None


class ObjectWriter:
    """Describes an object and its parts, each part once.

    Attributes:
      assets: the files that were met.
    """

    def __init__(self, writer: GraphWriter, asked: dict[Any, Any]) -> None:
        self._writer, self._asked = writer, asked
        self._numbers: dict[Any, int] = {}
        self._held: list[Any] = []
        self._nodes: list[Any] = []
        self.assets: list[Asset] = []

    def nodes(self, root: Any) -> list[Any]:
        """The descriptions of all parts; that of the object itself is the first."""
        self.number(root)
        return self._nodes

    def number(self, value: Any) -> int:
        """The number of a part."""
        key = object_graph.identity(value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._nodes)
            self._held.append(value)
            self._nodes.append(None)
            self._nodes[number] = self._described(value)
        return number

    def alias(self, function: Any) -> Any:
        """The description of a function's alias: the function's number, or its traces if it is not part of the object."""
        known = self._numbers.get(object_graph.identity(function))
        if known is not None:
            return known
        found = function if isinstance(function, (list, tuple)) else [function]
        return [describe_concrete(self._writer, concrete) for f in found for concrete in traced(f)]

    def _described(self, value: Any) -> Any:
        writer = self._writer
        variable = object_graph.variable_of(value)
        if variable is not None:
            return {"variable": writer.variable(variable)}
        if isinstance(value, Function):
            return {"function": describe_function(writer, value)}
        if isinstance(value, ConcreteFunction):
            return {"concrete": describe_concrete(writer, value)}
        if isinstance(value, Asset):
            self.assets.append(value)
            return {"asset": [len(self.assets) - 1, writer.tensor(value.asset_path)]}
        if isinstance(value, (Generator, Table)):
            described: dict[str, int] = writer.describe(value)
            return described
        if isinstance(value, Mapping):
            kept = [(k, v) for k, v in value.items() if is_part(v)]  # as in TensorFlow, others are left out
            return {"dict": [[writer.describe(k), self._element(v)] for k, v in kept]}
        if isinstance(value, (list, tuple)):
            count = max(
                [i + 1 for i, v in enumerate(value) if is_part(v)], default=0
            )  # the last place is that of a part
            kind = "tuple" if type(value) is tuple else "list"
            return {kind: [self._element(v) for v in value[:count]]}
        parts = {name: self.number(part) for name, part in _parts(value, self._asked)}
        return {"object": [type(value).__name__, parts]}

    def _element(self, value: Any) -> Any:
        """An element of a list or dict: the number of a part, or None for other values, so that positions are kept."""
        return self.number(value) if is_part(value) else {"literal": None}


def _parts(value: Any, asked: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    """The parts of an object by name."""
    attributes = getattr(value, "__dict__", {})
    if isinstance(value, AutoTrackable):
        attributes = value._trackable_children("savedmodel", cache={})
    if isinstance(value, (AutoTrackable, Archive)):
        yield from [(k, v) for k, v in attributes.items() if is_part(v) and not isinstance(v, _FUNCTIONS)]
    else:
        yield from object_graph.parts(value).items()
        yield from [(k, v) for k, v in attributes.items() if isinstance(v, (Asset, Generator, Table))]
    yield from functions_of(value, asked).items()


_FUNCTIONS = (Function, ConcreteFunction)


def is_part(value: Any) -> bool:
    """True if something is saved as a part of an object."""
    return _is_part(value, set())


def _is_part(value: Any, seen: set[int]) -> bool:
    if isinstance(value, (*_FUNCTIONS, Asset, Generator, Table, Archive, Trackable)) or object_graph.is_trackable(
        value
    ):
        return True
    if id(value) in seen or not isinstance(value, (list, tuple, Mapping)):
        return False
    seen.add(id(value))
    return any(_is_part(v, seen) for v in (value.values() if isinstance(value, Mapping) else value))


class Archive:
    """An object made for saving: its attributes are saved."""


class Restored(Module):
    """A loaded object: its variables, functions and other parts, under their names.

    Attributes:
      signatures: functions by name that take tensors by name and return dicts of tensors; of the object itself only.
    """

    def __init__(self) -> None:
        super().__init__("restored")

    # Objects that keep lists of their variables under these names, as Keras's do, have them again.
    variables = property(lambda self: self._collected("variables"), doc="The variables, of all parts.")
    trainable_variables = property(
        lambda self: self._collected("trainable_variables"), doc="The variables that tapes watch by themselves."
    )
    non_trainable_variables = property(
        lambda self: self._collected("non_trainable_variables"), doc="The variables that tapes do not watch."
    )

    def _collected(self, name: str) -> Any:
        kept = vars(self).get(name)
        if kept is not None:
            return kept
        found: Any = getattr(super(), name) if name == "variables" else self.variables
        return found if name == "variables" else tuple([v for v in found if v.trainable == (name[0] == "t")])

    def __getattr__(self, name: str) -> Any:
        shown = [own for own in vars(self) if not own.startswith(("_", "tensorflow_"))]
        text = f"{type(self).__name__!r} object has no attribute {name!r}"
        if not name.startswith("_"):
            own = f"it has {', '.join(shown)}. " if shown else ""
            text = errors.compose(
                f"{text}: the saved model does not hold it.",
                f"{own}Decorate methods with @tf.function and call them, or give them an input_signature, before saving.",
            )
        raise AttributeError(text, name=name, obj=self)

    def __repr__(self) -> str:
        names = [name for name in vars(self) if not name.startswith("_")]
        return f"<object loaded from a saved model: {', '.join(names) or 'empty'}>"


class RestoredCallable(Restored):
    """The same, for an object that could be called."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the object's own `__call__`."""
        return vars(self)["__call__"](*args, **kwargs)


class ObjectReader:
    """Objects from descriptions.

    Args:
      reader: gives traces.
      nodes: what an ObjectWriter wrote.
      asset: a function of an asset's number and of its tensor that gives the asset.
    """

    def __init__(self, reader: GraphReader, nodes: list[Any], asset: Callable[[int, Any], Asset]) -> None:
        self._reader, self._nodes, self._asset = reader, nodes, asset
        self._made: dict[int, Any] = {}

    def part(self, number: int) -> Any:
        """The part with a number."""
        if number not in self._made:
            ((kind, content),) = self._nodes[number].items()
            self._made[number] = self._restored(number, kind, content)
        return self._made[number]

    def alias(self, content: Any) -> Any:
        """A function under another name, or the list of its traces."""
        if isinstance(content, int):
            return self.part(content)
        return [restored_concrete(self._reader, entry) for entry in content]

    def _restored(self, number: int, kind: str, content: Any) -> Any:
        reader = self._reader
        if kind in ("variable", "generator", "table"):
            return reader.value({kind: content})
        if kind == "function":
            return restored_function(reader, content)
        if kind == "concrete":
            return restored_concrete(reader, content)
        if kind == "asset":
            return self._asset(*content)
        if kind == "list":
            self._made[number] = items = []  # it may hold itself
            items.extend([self._element(v) for v in content])
            return items
        if kind == "tuple":
            return tuple([self._element(v) for v in content])
        if kind == "dict":
            self._made[number] = table = {}
            table.update({reader.value(k): self._element(v) for k, v in content})
            return table
        return self._object(number, *content)

    def _object(self, number: int, name: str, parts: dict[str, int]) -> Restored:
        made = RestoredCallable() if "__call__" in parts else Restored()
        made._name = name if name.isidentifier() else "restored"
        self._made[number] = made
        for part, index in parts.items():
            vars(made)[part] = self.part(index)
        return made

    def _element(self, content: Any) -> Any:
        return self.part(content) if isinstance(content, int) else self._reader.value(content["literal"])
