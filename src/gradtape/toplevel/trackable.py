"""Bases of objects that checkpoints save. What an object consists of is found by its attributes, so these have little to do."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradtape.core import errors


class TrackableReference(NamedTuple):
    """An object below another one, with its name there."""

    name: str
    ref: Any


class Trackable:
    """Base of objects that checkpoints save. Their parts are found through their attributes."""

    _setattr_tracking = True
    _self_setattr_tracking = True

    def _maybe_initialize_trackable(self) -> None:
        """Nothing: there is no state to make."""

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """The object, which is a part under this name from now on."""
        tracked = self.__dict__.setdefault("_self_tracked_parts", {})
        if tracked.get(name, trackable) is not trackable and not overwrite:
            raise ValueError(
                errors.compose(
                    f"Called Trackable._track_trackable() with name={name!r}, but a Trackable with this name is already declared as "
                    "a dependency.",
                    "names must be unique; overwrite=True replaces it.",
                )
            )
        tracked[name] = trackable
        return trackable

    def _no_dependency(self, value: Any) -> Any:
        """The value itself."""
        return value

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        return self.__dict__.get("_self_tracked_parts", {}).get(name, getattr(self, name, None))

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Nothing: values that wait for a variable find it when it is made."""

    def _add_variable_with_custom_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        getter: Any = None,
        overwrite: bool = False,
        **kwargs_for_getter: Any,
    ) -> Any:
        """The variable that a function makes."""
        return getter(name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs_for_getter)

    def _preload_simple_restoration(self, name: str) -> None:
        return None

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """What was tracked, by name."""
        return dict(self.__dict__.get("_self_tracked_parts", {}))

    def _deserialization_dependencies(self, children: Any) -> dict[str, Any]:
        return {}

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {}

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {}

    def _restore_from_tensors(self, restored_tensors: Any) -> None:
        return None

    @property
    def _object_identifier(self) -> str:
        return "_generic_user_object"

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(k, v) for k, v in self._trackable_children().items()]

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return self._unconditional_checkpoint_dependencies


class AutoTrackable(Trackable):
    """Base of objects whose attributes checkpoints save."""

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The attributes by name; those that cannot be saved are left out later."""
        return {k: v for k, v in vars(self).items() if k != "_self_tracked_parts"} | super()._trackable_children()

    def _list_functions_for_serialization(self, serialization_cache: Any = None) -> dict[str, Any]:
        return {}
