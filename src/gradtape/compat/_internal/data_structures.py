"""Lists, tuples and dicts that are attributes of Keras 2's layers: they know the layers in them.

A layer of Keras 2 looks for its parts in what it was given: itself, or a `TrackableDataStructure`, whose `_values` it asks whenever it
lists its weights or losses. So layers that are appended later are found, too.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from gradtape.core.variable import Variable
from gradtape.toplevel.module import Module
from gradtape.toplevel.trackable import Trackable


class TrackableDataStructure(Trackable):
    """Base of lists, tuples and dicts that know the layers and variables in them."""

    @property
    def _values(self) -> list[Any]:
        """The layers, modules and other objects with parts, at any depth."""
        return [leaf for leaf in _leaves(self) if isinstance(leaf, (Module, Trackable)) or hasattr(leaf, "losses")]

    @property
    def layers(self) -> list[Any]:
        """The layers."""
        return [value for value in self._values if hasattr(value, "losses")]

    @property
    def trainable_weights(self) -> list[Any]:
        """The trainable variables, also those of the layers."""
        own = [v for v in _leaves(self) if isinstance(v, Variable) and v.trainable]
        return [*own, *[w for layer in self.layers for w in layer.trainable_weights]]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables, also those of the layers."""
        own = [v for v in _leaves(self) if isinstance(v, Variable) and not v.trainable]
        return [*own, *[w for layer in self.layers for w in layer.non_trainable_weights]]

    @property
    def weights(self) -> list[Any]:
        """All variables."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def losses(self) -> list[Any]:
        """The losses of the layers."""
        return [loss for layer in self.layers for loss in layer.losses]

    @property
    def updates(self) -> list[Any]:
        """What the layers update beside their losses."""
        return [update for layer in self.layers for update in layer.updates]

    @property
    def trainable(self) -> bool:
        """Whether a layer in it is trainable."""
        return any(layer.trainable for layer in self.layers)

    @trainable.setter
    def trainable(self, value: bool) -> None:
        for layer in self.layers:
            layer.trainable = value

    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights
    variables = weights


class ListWrapper(TrackableDataStructure, list[Any]):
    """A list that knows the layers in it."""

    __hash__ = None


class TupleWrapper(TrackableDataStructure, tuple[Any, ...]):
    """A tuple that knows the layers in it."""


class DictWrapper(TrackableDataStructure, dict[Any, Any]):
    """A dict that knows the layers in it."""

    __hash__ = None


class _OrderedDictWrapper(TrackableDataStructure, OrderedDict[Any, Any]):
    """An OrderedDict that knows the layers in it."""

    __hash__ = None  # type: ignore[assignment]


_WRAPPERS: dict[type, type] = {
    list: ListWrapper,
    tuple: TupleWrapper,
    dict: DictWrapper,
    OrderedDict: _OrderedDictWrapper,
}


def wrap(value: Any) -> Any:
    """A list or dict that knows the layers in it, and a tuple that has some; anything else stays as it is."""
    wrapper = _WRAPPERS.get(type(value))
    if wrapper is None or (wrapper is TupleWrapper and not any(_has_parts(leaf) for leaf in _leaves(value))):
        return value
    return wrapper(value)


def _has_parts(leaf: Any) -> bool:
    return isinstance(leaf, (Module, Trackable, Variable))


def _leaves(structure: Any) -> Iterator[Any]:
    for value in structure.values() if isinstance(structure, dict) else structure:
        if isinstance(value, (list, tuple, dict)):
            yield from _leaves(value)
        else:
            yield value
