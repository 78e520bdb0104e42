"""`tf.saved_model.load` and `contains_saved_model`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gradtape.core import errors, state
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.core.variable_copies import VariableAggregation, VariableSynchronization
from gradtape.core.variable_creation import names
from gradtape.random._functions import streams
from gradtape.saved_model import _directory as directory
from gradtape.saved_model._assets import Asset
from gradtape.saved_model._functions import restored_signature
from gradtape.saved_model._graph_reader import GraphReader
from gradtape.saved_model._json_values import Reader
from gradtape.saved_model._object_graph import ObjectReader, Restored
from gradtape.saved_model._options import LoadOptions
from gradtape.version import GIT_VERSION, VERSION


def contains_saved_model(export_dir: Any) -> bool:
    """Whether a folder contains a model that `load` can read.

    >>> tf.saved_model.contains_saved_model("/no/such/folder")
    False
    """
    return directory.exists(Path(os.fspath(export_dir)))


def load(export_dir: Any, tags: Any = None, options: LoadOptions | None = None) -> Any:
    """A loaded object: its variables, functions and other parts, under their names.

    Functions are called with arguments that fit one of the traces that were saved. They are compiled, differentiated and
    used in other functions as when they were traced, and the variables can be trained further.

    Args:
      export_dir: the folder that `save` was given.
      tags: "serve", the only tag that models of ours have, or a list of it.
      options: a `LoadOptions`.

    Returns:
      An object with the attributes of the one that was saved, and `signatures`: functions of tensors by name.

    >>> import tempfile
    >>> module = tf.Module()
    >>> module.square = tf.function(lambda x: x * x, input_signature=[tf.TensorSpec([])])
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(module, folder)
    >>> loaded = tf.saved_model.load(folder)
    >>> loaded.square(tf.constant(3.0)), loaded.signatures["serving_default"](x=2.0)["output_0"]
    (<tf.Tensor: shape=(), dtype=float32, numpy=9.0>, <tf.Tensor: shape=(), dtype=float32, numpy=4.0>)
    """
    folder = Path(os.fspath(export_dir))
    content, arrays = directory.read(folder)
    _check_tags(folder, tags, content.get("tags"))
    options = options or LoadOptions()
    with state.outside():
        try:
            assets = [
                Asset(folder / directory.ASSETS / directory.plain_name(folder, name)) for name in content["assets"]
            ]
            array = arrays.array
            tensors = _captured(content, assets, array)
            variables = [
                _variable(entry, array(f"variable-{i}"), options.experimental_skip_checkpoint)
                for i, entry in enumerate(content["variables"])
            ]
            reader = GraphReader(content, array, variables, tensors, content["identities"])
            objects = ObjectReader(reader, content["objects"], lambda number, tensor: assets[number])
            root = objects.part(0)
            signatures = {name: restored_signature(reader, entry) for name, entry in content["signatures"].items()}
            wanted = content["aliases"].items() if options.experimental_load_function_aliases else ()
            # Earlier versions only wrote the name of the function.
            aliases = {name: objects.alias(entry) for name, entry in wanted if not isinstance(entry, str)}
        except errors.OpError:
            raise
        except Exception as problem:  # any error that a damaged file may cause
            raise directory.damaged(folder, f"{type(problem).__name__}: {problem}.") from problem
    reader.rules.clear()  # they refer to the reader, which would keep the variables until the next garbage collection
    if options.experimental_load_function_aliases:
        _take_aliases(root, aliases)
    if isinstance(root, Restored):
        vars(root)["signatures"] = SignatureMap(signatures)
        vars(root)["tensorflow_version"], vars(root)["tensorflow_git_version"] = VERSION, GIT_VERSION
    return root


def _take_aliases(root: Any, aliases: dict[str, Any]) -> None:
    """Add the aliases of functions to the loaded object; ValueError if a name is taken."""
    if "function_aliases" in vars(root):
        raise ValueError(
            errors.compose(
                "Could not load with experimental_load_function_aliases option: the saved object has an attribute "
                "`function_aliases`.",
                "save it under another name, or load without the option.",
            )
        )
    vars(root)["function_aliases"] = aliases


def _check_tags(folder: Path, given: Any, own: Any) -> None:
    if not isinstance(own, list) or not all(isinstance(tag, str) for tag in own):
        raise directory.damaged(folder, "it has no tags.")
    wanted = [given] if isinstance(given, str) else list(given or own)
    if set(wanted) != set(own):
        raise ValueError(
            errors.compose(
                f"saved_model.load: {str(folder)!r} has the tags {own}, but was asked for {wanted}.",
                "leave `tags` out.",
            )
        )


def _captured(content: Any, assets: list[Asset], array: Any) -> list[Tensor]:
    """The tensors that functions close over; paths of assets are new."""
    read = Reader(array).value
    tensors = [_wrapped(read(entry)) for entry in content["captures"]]
    for node in content["objects"]:
        if "asset" in node:
            number, tensor = node["asset"]
            tensors[tensor] = assets[number].asset_path
    return tensors


def _wrapped(array: Any) -> Tensor:
    """A tensor of an array; that of one number is a NumPy scalar, that of one string an array."""
    return wrap(array if array.dtype.hasobject else array[()])


def _variable(entry: Any, array: Any, blank: bool) -> Variable:
    if "stream" in entry:
        return streams.find(*(entry["stream"] or ("", None, None))).state
    shape = entry["shape"]
    variable = Variable(
        _wrapped(np.zeros_like(array) if blank else array),
        trainable=entry["trainable"],
        shape=None if shape is None else TensorShape(shape[0]),
        synchronization=VariableSynchronization[entry["synchronization"]],
        aggregation=VariableAggregation[entry["aggregation"]],
    )
    variable._name = "/".join((*names.scopes, entry["name"]))
    return variable


class SignatureMap(Mapping[str, Any]):
    """The signatures of a loaded object by name."""

    def __init__(self, signatures: dict[str, Any]) -> None:
        self._signatures = signatures

    def __getitem__(self, name: str) -> Any:
        if name not in self._signatures:
            raise errors.UnknownSignatureError(
                errors.compose(
                    f"there is no signature {name!r}; there are {', '.join(map(repr, self._signatures)) or 'none'}.",
                    "name it in `signatures` of tf.saved_model.save.",
                )
            )
        return self._signatures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"SignatureMap({self._signatures!r})"
