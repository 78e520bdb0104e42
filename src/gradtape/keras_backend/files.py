"""Files of models: they appear when they are complete, and those of other backends are understood.

Whoever is interrupted while saving keeps the old file.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
from typing import Any

from keras.src.legacy.saving import legacy_h5_format
from keras.src.saving import saving_lib, serialization_lib
from keras.src.utils import file_utils

import gradtape as tf

# Where Keras on PyTorch has its own classes of the optimizers, which it names in files.
_ELSEWHERE = "keras.src.backend.torch.optimizers."
_SUFFIXES = (".keras", ".weights.h5", ".h5", ".hdf5")


def install() -> None:
    """Let Keras's functions that write one file write elsewhere first."""
    for module, name in (
        (saving_lib, "save_model"),
        (saving_lib, "save_weights_only"),
        (legacy_h5_format, "save_model_to_hdf5"),
    ):
        setattr(module, name, _when_complete(getattr(module, name)))
    serialization_lib._retrieve_class_or_fn = _found_here(serialization_lib._retrieve_class_or_fn)
    serialization_lib.serialize_keras_object = _with_shapes(serialization_lib.serialize_keras_object)


def _with_shapes(serialize: Any) -> Any:
    @functools.wraps(serialize)
    def serialized(obj: Any) -> Any:
        if isinstance(obj, tf.TensorShape):
            return None if obj.rank is None else obj.as_list()
        return serialize(obj)

    return serialized


def _found_here(retrieve: Any) -> Any:
    @functools.wraps(retrieve)
    def retrieved(name: Any, registered_name: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(module, str) and module.startswith(_ELSEWHERE):
            module = "keras.optimizers"
        return retrieve(name, registered_name, module, *args, **kwargs)

    return retrieved


def _when_complete(save: Any) -> Any:
    @functools.wraps(save)
    def saved(model: Any, filepath: Any, *args: Any, **kwargs: Any) -> None:
        suffix = next((s for s in _SUFFIXES if str(filepath).endswith(s)), None)
        is_path = isinstance(filepath, (str, os.PathLike)) and not file_utils.is_remote_path(str(filepath))
        shards = args[0] if args else kwargs.get("max_shard_size")
        is_sharded = save.__name__ == "save_weights_only" and shards is not None
        if suffix is None or not is_path or is_sharded:
            save(model, filepath, *args, **kwargs)
            return
        final = os.path.realpath(filepath)
        folder, name = os.path.split(final)
        beside = os.path.join(folder, f".{name.removesuffix(suffix)}-{os.getpid()}{suffix}")
        try:
            save(model, beside, *args, **kwargs)
            if os.path.exists(final):
                shutil.copymode(final, beside)
            os.replace(beside, final)
        except Exception:
            # Keras leaves what a layer that fails has let it write, for who wants to look; but in no other file's place.
            if os.path.exists(beside) and not os.path.exists(final):
                os.replace(beside, final)
            raise
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(beside)

    return saved
