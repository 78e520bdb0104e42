"""`tf.saved_model.save`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gradtape.core import errors, nest, state
from gradtape.core.composite import CompositeSpec
from gradtape.core.tensor import host
from gradtape.core.variable import Variable
from gradtape.polymorphic_function.concrete_function import ConcreteFunction
from gradtape.random._functions import streams
from gradtape.saved_model import _directory as directory
from gradtape.saved_model._functions import DEFAULT_SIGNATURE, describe_signature, signatures_of, traced
from gradtape.saved_model._graph_writer import GraphWriter
from gradtape.saved_model._object_graph import ObjectWriter, functions_of, is_part
from gradtape.saved_model._options import SaveOptions
from gradtape.tracing.symbol import Symbol

# Functions of an object that give what is saved in its place, None if they do not know it: Keras's backend adds one.
EXPORTERS: list[Callable[[Any], Any]] = []
TAG = "serve"


def save(obj: Any, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None) -> None:
    """Save an object with its variables and traced functions, to be loaded without its Python code.

    Saved are variables, `tf.function`s with their traces, modules, assets, and lists and dicts of these, in the attributes
    of the object; functions with an `input_signature` are traced for it. See docs/saved_model.md for the format.

    Args:
      obj: a `tf.Module`, a model of Keras, or another object with such attributes.
      export_dir: the folder; a model that is in it is replaced in one step.
      signatures: functions to be called with tensors by name, each a `tf.function` with an input signature or a concrete
        function: one, or a dict of several by name. Without it, the only function of the object, if it has one.
      options: a `SaveOptions`.

    >>> import tempfile
    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         self.factor = tf.Variable(3.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([None])])
    ...     def __call__(self, x):
    ...         return x * self.factor
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(Scale(), folder)
    >>> scale = tf.saved_model.load(folder)
    >>> scale(tf.constant([1.0, 2.0])).numpy()
    array([3., 6.], dtype=float32)
    """
    if state.current.trace is not None:
        raise AssertionError(
            errors.compose(
                "saved_model.save cannot be called in a tf.function.", "call it outside, at the end of training."
            )
        )
    options = options or SaveOptions()
    root = next((made for export in EXPORTERS if (made := export(obj)) is not None), obj)
    asked: dict[Any, Any] = {}
    if not is_part(root) and not functions_of(root, asked):
        raise ValueError(
            errors.compose(
                f"saved_model.save: {obj!r} has neither variables nor functions that could be saved.",
                "save a tf.Module, a Keras model, or an object with such attributes.",
            )
        )
    _check_own_signatures(root)
    named = signatures_of(signatures) if signatures is not None else _default_signature(root, asked)
    writer = GraphWriter(options.experimental_custom_gradients, options.save_debug_info)
    objects = ObjectWriter(writer, asked)
    content = {
        "tags": [TAG],
        "objects": objects.nodes(root),
        "signatures": {name: describe_signature(writer, name, concrete) for name, concrete in named.items()},
    }
    content["aliases"] = {alias: objects.alias(f) for alias, f in options.function_aliases.items()}
    content |= writer.tables()
    content |= {
        "variables": [_described(v) for v in writer.variables],
        "identities": writer.identities_of([*writer.variables, *writer.tensors]),
    }
    arrays = dict(writer.arrays)
    arrays |= {f"variable-{i}": np.asarray(host(v._value._array)) for i, v in enumerate(writer.variables)}
    directory.write(Path(os.fspath(export_dir)), content, arrays, [asset.file for asset in objects.assets])


def _check_own_signatures(root: Any) -> None:
    """ValueError if the object uses the name under which loaded objects have their signatures for something else."""
    own = getattr(root, "__dict__", {}).get("signatures")
    if own is not None and type(own).__name__ != "SignatureMap":
        raise ValueError(
            errors.compose(
                "saved_model.save: the attribute `signatures` of the object cannot be saved: it is reserved for the signatures "
                "of loaded objects.",
                "del obj.signatures, or use another name; pass functions in save(obj, folder, signatures=...).",
            )
        )


def _default_signature(root: Any, asked: dict[Any, Any]) -> dict[str, ConcreteFunction]:
    """The only function of an object that can become a signature."""
    functions = functions_of(root, asked)
    named = functions.get("_default_save_signature")
    found = [_callable_by_name(f) for f in ([named] if named is not None else functions.values())]
    possible = [concrete for concrete in found if concrete is not None]
    return {DEFAULT_SIGNATURE: possible[0]} if len(possible) == 1 else {}


def _callable_by_name(function: Any) -> ConcreteFunction | None:
    """The trace of a function that takes tensors and returns some, alone or in a list or dict; None for others."""
    if not isinstance(function, ConcreteFunction) and function.input_signature is None:
        return None
    (concrete, *_) = traced(function)
    outputs = concrete.structured_outputs
    flat = list(outputs.values()) if isinstance(outputs, Mapping) else outputs
    leaves = flat if isinstance(flat, (list, tuple)) else [flat]
    takes_more = any(isinstance(leaf, CompositeSpec) for leaf in nest.flatten(list(concrete._described)))
    returns_tensors = all(isinstance(y, Symbol) for y in leaves)
    return concrete if returns_tensors and not takes_more and not concrete._slots else None


def _described(variable: Variable) -> Any:
    for key, hidden in streams.states():
        if hidden is variable:  # hidden state of tf.random: the program that loads has its own
            return {"stream": None if key is None else [key[0], key[1].name, key[2]]}
    static = variable._shape
    return {
        "name": variable._name,
        "trainable": variable.trainable,
        "shape": None if static is None else [None if static.rank is None else list(static)],
        "synchronization": variable._synchronization.name,
        "aggregation": variable._aggregation.name,
    }
