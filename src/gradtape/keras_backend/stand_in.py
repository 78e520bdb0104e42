"""gradtape in the place of TensorFlow, which parts of Keras use whatever the backend is: layers for text and categories,
datasets from folders."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from keras.src import backend
from keras.src.export import tfsm_layer
from keras.src.layers.preprocessing import hashed_crossing, integer_lookup, string_lookup, text_vectorization
from keras.src.legacy.saving import json_utils
from keras.src.trainers import data_adapters
from keras.src.trainers.data_adapters import data_adapter_utils
from keras.src.utils import dataset_utils, module_utils, numerical_utils

import gradtape
from gradtape import keras_backend
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.data import Dataset
from gradtape.keras_backend import composite_rows

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
    # Keras knows sparse and ragged tensors by the name of the module that defines them.
    data_adapter_utils.is_tensorflow_sparse = lambda value: isinstance(value, SparseTensor)
    data_adapter_utils.is_tensorflow_ragged = lambda value: isinstance(value, gradtape.RaggedTensor)
    data_adapter_utils.is_tensorflow_tensor = lambda value: isinstance(value, (SparseTensor, gradtape.RaggedTensor))
    composite_rows.install()
    for layers in (hashed_crossing, integer_lookup, string_lookup, text_vectorization, tfsm_layer):
        layers.backend = _ComposingBackend()
    numerical_utils.encode_categorical_inputs = _refusing_negative(numerical_utils.encode_categorical_inputs)
    # Arrays of strings are data too.
    is_float = backend.is_float_dtype
    backend.is_float_dtype = lambda dtype: not _is_of_strings(dtype) and is_float(dtype)


class _ComposingBackend:
    """Keras's backend for layers that have sparse and ragged outputs, or saved models, with TensorFlow alone: when they are
    made, they ask for its name."""

    def __getattr__(self, name: str) -> Any:
        return getattr(backend, name)

    def backend(self) -> str:
        """The name of a backend that offers the requested functions."""
        name: str = backend.backend()
        return "tensorflow" if sys._getframe(1).f_code.co_name == "__init__" else name


def _refusing_negative(encode: Callable[..., Any]) -> Callable[..., Any]:
    """Keras's encoding of class numbers. Where it counts them with TensorFlow, negative numbers are refused; with other backends they
    count for no class."""

    def encode_categorical_inputs(inputs: Any, output_mode: Any, *args: Any, **kwargs: Any) -> Any:
        if (
            isinstance(inputs, gradtape.Tensor)
            and output_mode in ("multi_hot", "count")
            and inputs.shape.rank in (1, 2)
        ):
            numbers = gradtape.cast(inputs, "int32")
            gradtape.debugging.assert_non_negative(numbers, "the numbers of classes must not be negative")
        return encode(inputs, output_mode, *args, **kwargs)

    return encode_categorical_inputs


def _knowing_ours(is_dataset: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda x: isinstance(x, Dataset) or is_dataset(x)


def _is_of_strings(dtype: object) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "OSU"
