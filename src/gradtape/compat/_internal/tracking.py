"""Objects that TensorFlow tracks for its checkpoints: here each is found by its attributes; and the containers of Keras 2's layers."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gradtape.core.variable import Variable
from gradtape.toplevel.module import Module
from gradtape.toplevel.trackable import Trackable


class TrackableResource(Trackable):
    """Base of objects that hold something outside of tensors, and make it themselves."""

    def __init__(self, device: str = "") -> None:
        self._resource_device = device

    def _create_resource(self) -> Any:
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> Any:
        return None

    @property
    def resource_handle(self) -> Any:
        """The result of `_create_resource`, which is called on first use."""
        if "_resource_handle" not in vars(self):
            self._resource_handle = self._create_resource()
        return self._resource_handle


class RestoredResource(TrackableResource):
    """A resource that was read from a saved model."""


class NoDependency:
    """A value that checkpoints leave alone."""

    def __init__(self, value: Any) -> None:
        self.value = value


class DelegatingTrackableMixin:
    """An object that is saved as another one is."""

    def __init__(self, trackable_obj: Any) -> None:
        self._trackable = trackable_obj

    def __getattribute__(self, name: str) -> Any:
        if name in _DELEGATED:
            return getattr(super().__getattribute__("_trackable"), name)
        return super().__getattribute__(name)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = self._trackable._trackable_children(save_type, **kwargs)
        return found


_DELEGATED = frozenset(
    [
        "_track_trackable",
        "_lookup_dependency",
        "_handle_deferred_dependencies",
        "_serialize_to_tensors",
        "_restore_from_tensors",
        "_gather_saveables_for_checkpoint",
        "_unconditional_checkpoint_dependencies",
        "_checkpoint_dependencies",
        "_add_variable_with_custom_getter",
        "_preload_simple_restoration",
        "_object_identifier",
        "_deserialization_dependencies",
    ]
)


class CheckpointInitialValue:
    """A value of a checkpoint for a variable that is being made. Variables take theirs by themselves, so none is made."""


class CheckpointInitialValueCallable:
    """A function that returns the tracked value."""


class ObjectGraphView:
    """The objects below one, as checkpoints see them."""

    def __init__(self, root: Any, attached_dependencies: Any = None) -> None:
        self.root = root

    def children(self, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The attributes of an object that hold something to save."""
        return {name: value for name, value in vars(obj).items() if isinstance(value, (Trackable, Module))}


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method in which attributes are set without being tracked."""

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return untracked


@contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """A block in which attributes of an object are set without being tracked: classes such as Keras 2's layers ask for it."""
    before = getattr(obj, "_self_setattr_tracking", True)
    obj._self_setattr_tracking = False
    try:
        yield
    finally:
        obj._self_setattr_tracking = before


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """The value that an attribute is to have: lists, tuples and dicts know the layers in them."""
    return value.value if isinstance(value, NoDependency) else wrap(value)


def wrap_or_unwrap(value: Any) -> Any:
    """The value of an attribute, without wrapper."""
    return sticky_attribute_assignment(None, "", value)


def register_session_provider(session_provider: Any) -> None:
    """Nothing: sessions are not needed to restore variables."""


def saveable_objects_from_trackable(trackable: Any, tf1_saver: bool = False) -> dict[str, Any]:
    """The state saved in addition to an object's variables: nothing."""
    return {}


def streaming_restore(status: Any, session: Any = None) -> None:
    """No effect: values are restored as soon as their variable exists."""


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
        """The updates of the layers."""
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
