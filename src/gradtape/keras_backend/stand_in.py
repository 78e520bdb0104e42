"""gradtape in the place of TensorFlow, which parts of Keras use whatever the backend is: layers for text and categories,
datasets from folders."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace

import numpy as np
from keras.src import backend
from keras.src.legacy.saving import json_utils
from keras.src.trainers import data_adapters
from keras.src.utils import dataset_utils, module_utils

import gradtape
from gradtape import keras_backend
from gradtape.data import Dataset

_NAME = "keras.src.backend.tensorflow"


def install() -> None:
    """Answer Keras when it asks for TensorFlow, installed or not: its tensors would be none of ours."""
    module_utils.tensorflow.module, module_utils.tensorflow._available = gradtape, True
    # This module looks for classes of TensorFlow 1.
    json_utils.tf = SimpleNamespace(available=False)
    # Those layers ask for TensorFlow's backend too, and look at its name.
    module = ModuleType(_NAME, keras_backend.__doc__)
    vars(module).update({name: getattr(keras_backend, name) for name in keras_backend.__all__})
    sys.modules[_NAME], sys.modules[f"{_NAME}.core"] = module, keras_backend.core
    backend.tensorflow = module
    for users in (data_adapters, dataset_utils):
        users.is_tf_dataset = _knowing_ours(users.is_tf_dataset)
    # Arrays of strings are data too.
    is_float = backend.is_float_dtype
    backend.is_float_dtype = lambda dtype: not _is_of_strings(dtype) and is_float(dtype)


def _knowing_ours(is_dataset: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda x: isinstance(x, Dataset) or is_dataset(x)


def _is_of_strings(dtype: object) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "OSU"
