"""Values of a checkpoint by name, without the objects that they belong to."""

from __future__ import annotations

import os
from typing import Any

from gradtape.core import dtypes, errors
from gradtape.train import _state_file as state_file
from gradtape.train._opening import open_checkpoint

_WORDS = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}


class CheckpointReader:
    """The result of `load_checkpoint`: the values of a checkpoint by name."""

    def __init__(self, path: str) -> None:
        self._reader = open_checkpoint(path)

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes by name."""
        return {name: self._reader.shape(name) for name in self._reader.names()}

    def get_variable_to_dtype_map(self) -> dict[str, dtypes.DType]:
        """The dtypes by name."""
        return {name: self._reader.dtype(name) for name in self._reader.names()}

    def has_tensor(self, tensor_str: str) -> bool:
        """True if there is a value of this name."""
        return tensor_str in self._reader

    def debug_string(self) -> bytes:
        """The names, dtypes and shapes, a line for each."""
        lines = [
            f"{name} (DT_{_WORDS.get(self._reader.dtype(name).name, self._reader.dtype(name).name.upper())}) "
            f"{str(self._reader.shape(name)).replace(' ', '')}"
            for name in self._reader.names()
        ]
        return "\n".join(lines).encode()

    def get_tensor(self, tensor_str: str) -> Any:
        """A value, as a NumPy array or scalar."""
        if tensor_str not in self._reader:
            names = self._reader.names()
            near = [n for n in names if n.startswith(tensor_str + "/")] or names
            raise errors.build(
                errors.NotFoundError,
                f"Key {tensor_str} not found in checkpoint.",
                f"there are: {', '.join(near[:8])}{' …' if len(near) > 8 else ''}",
            )
        array = self._reader.array(tensor_str)
        return array if array.ndim else array[()]


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of a checkpoint.

    Args:
      ckpt_dir_or_file: its path, or a folder, whose latest checkpoint is read.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/values")
    >>> tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    array([1., 2.], dtype=float32)
    """
    path = os.fspath(ckpt_dir_or_file)
    if os.path.isdir(path):
        latest = state_file.latest_checkpoint(path)
        if latest is None:
            raise errors.build(
                ValueError,
                f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}.",
                "give the path that save or write returned.",
            )
        path = latest
    return CheckpointReader(path)


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Names and shapes of the values in a checkpoint, sorted by name.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/values")
    >>> tf.train.list_variables(path)
    [('v/.ATTRIBUTES/VARIABLE_VALUE', [2])]
    """
    return list(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """A value of a checkpoint, as a NumPy array or scalar.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable(3.0)).write(tempfile.mkdtemp() + "/values")
    >>> tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")
    np.float32(3.0)
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))
