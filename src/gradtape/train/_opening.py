"""Opening a checkpoint by its path: a file of its own, or the variables of a saved model.

A saved model keeps its variables in a file of its own. To `tf.train` they are the checkpoint `variables/variables` in its folder,
as in TensorFlow, and for `restore` the folder itself is enough.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

from gradtape.train import _file_format as file_format
from gradtape.train import _state_file as state_file

# Its `is_model(folder)` and `open_variables(folder)` know the folders of saved models. It is above this layer, and loaded when first asked.
_MODELS = "gradtape.saved_model._as_checkpoint"
_PREFIX = Path("variables", "variables")


def open_checkpoint(path: str) -> file_format.Reader:
    """The reader of a checkpoint; NotFoundError if there is none."""
    file = state_file.file_of(path)
    if not file.exists() and Path(*file.with_suffix("").parts[-2:]) == _PREFIX:
        folder, models = file.parent.parent, _models()
        if models.is_model(folder):
            reader: file_format.Reader = models.open_variables(folder)
            return reader
    return file_format.Reader(file)


def path_in(folder: str) -> str:
    """The path of the checkpoint that a folder stands for: its latest, or that of the saved model in it."""
    latest = state_file.latest_checkpoint(folder)
    if latest is not None:
        return latest
    return os.path.join(folder, _PREFIX) if _models().is_model(Path(folder)) else folder


def _models() -> Any:
    return importlib.import_module(_MODELS)
