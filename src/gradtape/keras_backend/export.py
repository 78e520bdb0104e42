"""Models in the format of `tf.saved_model`: `model.export(path)`, `keras.export.ExportArchive`, and models that are given to
`tf.saved_model.save`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras.src import tree
from keras.src.export.export_utils import get_input_signature, make_input_spec
from keras.src.layers import Layer
from keras.src.models import Model
from keras.src.utils import io_utils

import gradtape as tf
from gradtape.core import errors
from gradtape.polymorphic_function.function import Function
from gradtape.saved_model._object_graph import Archive, functions_of
from gradtape.saved_model._save import EXPORTERS

__all__ = ["SavedModelExportArchive"]


def specs_of(structure: Any) -> Any:
    """The specs of a structure of Keras's or our own specs, or of tensors."""
    return tree.map_structure(lambda x: x if isinstance(x, tf.TensorSpec) else _spec(make_input_spec(x)), structure)


def _spec(spec: Any) -> tf.TensorSpec:
    return tf.TensorSpec(spec.shape, tf.as_dtype(spec.dtype), spec.name)


class SavedModelExportArchive:
    """Endpoints and the variables that they use, for writing: the base of `keras.export.ExportArchive`."""

    def __init__(self) -> None:
        archive: Any = Archive()
        archive.variables, archive.trainable_variables, archive.non_trainable_variables = [], [], []
        self._archive = archive
        self._tracked: list[Any] = []
        self._endpoints: dict[str, Function[..., Any]] = {}

    variables = property(lambda self: self._archive.variables, doc="The variables of what is tracked.")
    trainable_variables = property(lambda self: self._archive.trainable_variables, doc="Those that are trainable.")
    non_trainable_variables = property(lambda self: self._archive.non_trainable_variables, doc="Those that are not.")

    def track(self, resource: Any) -> None:
        """Save a layer or model, or another object with variables, along with the endpoints."""
        if not isinstance(resource, Layer):
            self._tracked.append(resource)
            self._archive._tracked = self._tracked
            return
        if not resource.built:
            raise errors.build(
                ValueError,
                f"The layer provided has not yet been built: {resource.name!r}.",
                "call it, or build it, first.",
            )
        self._archive.variables += resource.variables
        self._archive.trainable_variables += resource.trainable_variables
        self._archive.non_trainable_variables += resource.non_trainable_variables

    def add_endpoint(
        self, name: str, fn: Callable[..., Any], input_signature: Any = None, **kwargs: Any
    ) -> Function[..., Any]:
        """Add a function under a name; it is traced for the signature, unless it is a `tf.function` that has been."""
        if name in self._endpoints:
            raise errors.build(ValueError, f"Endpoint name '{name}' is already taken.", "choose another one.")
        if kwargs:
            raise ValueError(f"{', '.join(map(repr, kwargs))} are for other backends than gradtape.")
        if input_signature is not None:
            made: Function[..., Any] = tf.function(fn, input_signature=specs_of(input_signature))
        elif not isinstance(fn, Function) or (fn.input_signature is None and not fn._traces):
            raise errors.build(
                ValueError,
                f"The endpoint {name!r} has no `input_signature`, and {fn!r} is not a tf.function that has been called.",
                "pass input_signature=[keras.InputSpec(shape=(None, 3), dtype='float32')].",
            )
        else:
            made = fn
        self._endpoints[name] = made
        setattr(self._archive, name, made)
        return made

    def track_and_add_endpoint(
        self, name: str, resource: Any, input_signature: Any, **kwargs: Any
    ) -> Function[..., Any]:
        """Track a layer or model, and add its call as an endpoint."""
        self.track(resource)
        return self.add_endpoint(name, _called(resource), input_signature, **kwargs)

    def add_variable_collection(self, name: str, variables: Any) -> None:
        """Save variables as a list under a name."""
        if not isinstance(variables, (list, tuple, set)):
            raise ValueError(f"Expected `variables` to be a list/tuple/set. Received: {type(variables).__name__}.")
        setattr(self._archive, name, list(variables))

    def write_out(self, filepath: Any, options: Any = None, verbose: bool = True) -> None:
        """Write everything to a folder. The first endpoint is the signature "serving_default" as well."""
        if not self._endpoints:
            raise errors.build(ValueError, "No endpoints have been set yet.", "call add_endpoint() first.")
        signatures = {name: _first_trace(function) for name, function in self._endpoints.items()}
        signatures.setdefault("serving_default", next(iter(signatures.values())))
        tf.saved_model.save(self._archive, filepath, signatures, options)
        if verbose:
            described = [f"* {name}: {_first_trace(f)!r}" for name, f in self._endpoints.items()]
            io_utils.print_msg("\n".join([f"Saved artifact at '{filepath}'. Endpoints:", *described]))


def _called(resource: Any) -> Callable[..., Any]:
    def serve(*args: Any) -> Any:
        return resource(*args)

    return serve


def _first_trace(function: Function[..., Any]) -> Any:
    if function.input_signature is not None:
        return function.get_concrete_function()
    return next(iter(function._traces.values()))


def _exported(model: Any) -> Any:
    """The object saved in place of a model: its variables, its functions, and its call for inference and training."""
    if not isinstance(model, Model):
        return None
    functions = functions_of(model)
    archive = SavedModelExportArchive()
    if functions and not (model.built and model._called):
        # A model that only its functions use is saved with these alone.
        vars(archive._archive).update({**functions, "variables": list(model.variables)})
        return archive._archive
    signature = specs_of(get_input_signature(model))
    archive.track(model)
    vars(archive._archive).update(functions)
    archive.add_endpoint("serve", _called(model), signature)

    def call(*args: Any, training: bool = False) -> Any:
        return model(*args, training=training)

    function = tf.function(call)
    for training in (False, True):
        function.get_concrete_function(*signature, training=training)
    made = archive._archive
    vars(made)["__call__"] = function
    vars(made)["_default_save_signature"] = made.serve
    return made


EXPORTERS.append(_exported)
