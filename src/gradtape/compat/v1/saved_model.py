"""`tf.compat.v1.saved_model`: saved models of version 2, and their signatures in a graph."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradtape as tf
from gradtape.compat.v1 import _rooms
from gradtape.core.variable_creation import names

__getattr__, __dir__ = _rooms.from_room("saved_model")


class TensorInfo(NamedTuple):
    """A tensor of a graph: its name, dtype and shape."""

    name: str
    dtype: Any
    tensor_shape: Any


class SignatureDef(NamedTuple):
    """The tensors that a signature takes and gives, by name."""

    inputs: dict[str, TensorInfo]
    outputs: dict[str, TensorInfo]
    method_name: str = "tensorflow/serving/predict"


class LoadedModel(NamedTuple):
    """What `load` has put into a graph: signatures by name."""

    signature_def: dict[str, SignatureDef]


def load(sess: Any, tags: Any, export_dir: Any, import_scope: str | None = None, **saver_kwargs: Any) -> LoadedModel:
    """Put the signatures of a saved model into the graph of a session.

    Args:
      sess: the session.
      tags: those of the model.
      export_dir: its folder.
      import_scope: the scope of the names.
      **saver_kwargs: ignored.

    Returns:
      An object whose `signature_def` has the names of the tensors to feed and to fetch.
    """
    creators, names.creators = names.creators, ()  # the values of the variables are there: they need no session
    try:
        model = tf.saved_model.load(export_dir, tags)
    finally:
        names.creators = creators
    with sess.graph.as_default(), tf.name_scope(import_scope or "load"):
        return LoadedModel({key: _placed(sess.graph, key, f) for key, f in model.signatures.items()})


def _placed(graph: Any, key: str, signature: Any) -> SignatureDef:
    """A signature, called in the graph on new placeholders."""
    specs = signature.structured_input_signature[1]
    given = {name: tf.compat.v1.placeholder(spec.dtype, spec.shape, f"{key}_{name}") for name, spec in specs.items()}
    inputs = {name: TensorInfo(x.name, x.dtype, x.shape) for name, x in given.items()}
    outputs = {}
    for name, x in signature(**given).items():
        found = outputs[name] = TensorInfo(graph.unique_name(f"{key}_{name}") + ":0", x.dtype, x.shape)
        graph.named[found.name] = x
    return SignatureDef(inputs, outputs)
