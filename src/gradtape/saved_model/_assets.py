"""Files that belong to a saved object, such as vocabularies."""

from __future__ import annotations

import os
from typing import Any

from gradtape.core import convert, state
from gradtape.core.tensor import Tensor


class Asset:
    """A file that is saved with an object. After loading, `asset_path` is the path of its copy.

    Args:
      path: the file, as a text or a scalar string tensor.

    >>> import tempfile
    >>> with open(tempfile.mkdtemp() + "/words.txt", "w") as file:
    ...     _ = file.write("yes no")
    >>> asset = tf.saved_model.Asset(file.name)
    >>> asset.asset_path.numpy().endswith(b"words.txt")
    True
    """

    def __init__(self, path: Any) -> None:
        text = path if isinstance(path, (Tensor, bytes)) else os.fspath(path)
        self._path: Tensor = convert.convert_to_tensor(text)
        # What functions compute of a tensor with an identity is computed when they run, not once while they are traced.
        self._path._id = state.new_id()

    @property
    def asset_path(self) -> Tensor:
        """The path of the file, as a string tensor. Functions may close over it."""
        return self._path

    @property
    def file(self) -> str:
        """The path as a text."""
        return os.fsdecode(self._path._array.item() if hasattr(self._path._array, "item") else self._path._array)

    def __repr__(self) -> str:
        return f"<Asset {self.file!r}>"


convert.CONVERTERS.append((Asset, lambda asset, dtype: convert.convert_to_tensor(asset.asset_path, dtype)))
