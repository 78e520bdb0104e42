"""The backend of Keras 3 on gradtape, in the layout of Keras's plug-ins.

Keras imports it: `import gradtape as tf; tf.keras`, or `KERAS_BACKEND=gradtape` and `import keras`. In Keras 3.15 it takes
the place of the NumPy backend (see `gradtape_keras_hook`).
"""

import importlib
import importlib.util
import os
import sys

if "keras.src.backend" not in sys.modules:
    # Imported by itself: Keras comes first, and imports this package in turn, under this name.
    import gradtape_keras_hook

    gradtape_keras_hook.install()
    del sys.modules[__name__]
    importlib.import_module("keras")

from keras.src.backend.common.keras_tensor import KerasTensor
from keras.src.backend.common.name_scope import name_scope

from gradtape.core import provenance
from gradtape.keras_backend import distribution_lib, ops, random, sparse_operands
from gradtape.keras_backend.convert import cast_keeping_form as cast
from gradtape.keras_backend.convert import convert_keeping_form as convert_to_tensor
from gradtape.keras_backend.convert import convert_to_numpy, is_tensor, shape
from gradtape.keras_backend.ops import core, image, linalg, math, nn, numpy
from gradtape.keras_backend.ops.control_flow import cond, vectorized_map
from gradtape.keras_backend.ops.core import (
    IS_THREAD_SAFE,
    SUPPORTS_COMPLEX_DTYPES,
    SUPPORTS_RAGGED_TENSORS,
    SUPPORTS_SPARSE_TENSORS,
    device_scope,
    random_seed_dtype,
    scatter,
    stop_gradient,
)
from gradtape.keras_backend.rnn import bidirectional_gru, bidirectional_lstm, cudnn_ok, gru, lstm, rnn
from gradtape.keras_backend.symbolic import compute_output_spec
from gradtape.keras_backend.variable import Variable

sparse_operands.install(numpy, nn)

# Keras's lines are not the user's; and the message of a tape for a symbolic tensor.
for _package in ("keras", "optree"):
    _spec = importlib.util.find_spec(_package)
    if _spec is not None and _spec.origin is not None:
        provenance.pass_over(os.path.dirname(_spec.origin))
KerasTensor.__stands_for_values__ = (
    "A tensor of Keras that a layer gave while the model was built is symbolic: it stands for the values of every call.",
    "ask the model for the values: both = keras.Model(model.inputs, [layer.output, model.output]); in the tape, "
    "features, y = both([x]); then tape.gradient(y, features).",
)

__all__ = [
    "IS_THREAD_SAFE", "SUPPORTS_COMPLEX_DTYPES", "SUPPORTS_RAGGED_TENSORS", "SUPPORTS_SPARSE_TENSORS",
    "Variable", "bidirectional_gru", "bidirectional_lstm", "cast", "compute_output_spec", "cond",
    "convert_to_numpy", "convert_to_tensor", "core", "cudnn_ok", "device_scope", "distribution_lib", "gru",
    "image", "is_tensor", "linalg", "lstm", "math", "name_scope", "nn", "numpy", "ops", "random",
    "random_seed_dtype", "rnn", "scatter", "shape", "stop_gradient", "vectorized_map",
]  # fmt: skip
