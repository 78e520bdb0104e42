"""Files of models: they appear when they are complete, and those of other backends are understood.

Whoever is interrupted while saving keeps the old file.
"""

from __future__ import annotations

import functools
import math
import os
import re
import shutil
from typing import Any

from keras.src.legacy.saving import legacy_h5_format
from keras.src.saving import saving_lib, serialization_lib
from keras.src.utils import file_utils

import gradtape as tf
from gradtape.core import atomic_file, errors, os_errors

# The modules of Keras's own optimizer classes for PyTorch, which appear in its files.
_ELSEWHERE = "keras.src.backend.torch.optimizers."
_ITEM, _OVERHEAD = 4, 4096  # bytes of a number, and of HDF5's header of an array
_SUFFIXES = (".keras", ".weights.h5", ".h5", ".hdf5")


def install() -> None:
    """Let Keras's functions that write one file write elsewhere first."""
    for module, name in (
        (saving_lib, "save_model"),
        (saving_lib, "save_weights_only"),
        (legacy_h5_format, "save_model_to_hdf5"),
    ):
        setattr(module, name, _when_complete(getattr(module, name)))
    for module, name in ((saving_lib, "load_model"), (legacy_h5_format, "load_model_from_hdf5")):
        setattr(module, name, _without_recursion(getattr(module, name)))
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


def _without_recursion(load: Any) -> Any:
    @functools.wraps(load)
    def loaded(filepath: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return load(filepath, *args, **kwargs)
        except RecursionError:
            what = f"load_model: cannot read {str(filepath)!r}: its configuration is nested too deeply."
            raise errors.build(
                _both(tf.errors.DataLossError, ValueError),
                what,
                "save the model again, or get the file again from its source.",
            ) from None

    return loaded


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
        try:
            with atomic_file.beside(filepath, suffix=suffix) as part:
                if suffix != ".keras":
                    _check_room(part, model)
                try:
                    save(model, part, *args, **kwargs)
                except Exception as problem:
                    # Keras leaves what a layer that fails has let it write, for who wants to look; but in no other file's place.
                    if _of_the_system(problem) is None and not os.path.exists(filepath):
                        shutil.copyfile(part, filepath)
                    raise
        except Exception as problem:
            reason = _of_the_system(problem)
            if reason is None or isinstance(problem, tf.errors.OpError):
                raise
            # In the words of the user's path, not of the part beside it, and of the class that Keras's programs catch.
            named = OSError(reason.errno, os.strerror(reason.errno or 0), os.fspath(filepath))
            kind: Any = os_errors.class_of(named)
            caught: Any = type(named)
            raise _both(kind, caught)(str(os_errors.translated(named))) from problem

    return saved


def _check_room(part: str, model: Any) -> None:
    """OSError if the disk has no room for a model: HDF5 may end the process when it cannot write."""
    variables = [*getattr(model, "variables", ()), *getattr(getattr(model, "optimizer", None), "variables", ())]
    size = sum([math.prod(v.shape) * _ITEM + _OVERHEAD for v in variables]) + 16 * _OVERHEAD
    if hasattr(os, "posix_fallocate"):
        with open(part, "r+b") as file:
            os.posix_fallocate(file.fileno(), 0, size)
            file.truncate(0)


def _of_the_system(problem: BaseException) -> OSError | None:
    """The error of the operating system that is the reason of an exception; HDF5 tells its number in words only."""
    for found in (problem, problem.__cause__, problem.__context__):
        if isinstance(found, OSError) and found.errno:
            return found
        if (number := re.search(r"errno = (\d+)", str(found))) is not None:
            return OSError(int(number[1]), os.strerror(int(number[1])))
    return None


@functools.cache
def _both(kind: Any, caught: type[Exception]) -> type[Exception]:
    """A class of errors that is also one which Keras's programs catch."""
    return type(kind.__name__, (kind, caught), {"__doc__": kind.__doc__})
