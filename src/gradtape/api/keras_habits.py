"""Names that people look for in Keras from habit (PyTorch, Keras 2, TensorFlow 1), each with the code to write instead.

Keras's modules raise their own AttributeErrors; core/python_errors.py adds these where they are printed.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["lookup"]

_PARTS = (
    "layers",
    "losses",
    "metrics",
    "optimizers",
    "optimizers.schedules",
    "callbacks",
    "models",
    "initializers",
    "regularizers",
    "constraints",
    "activations",
    "applications",
    "datasets",
    "utils",
    "ops",
    "random",
    "mixed_precision",
    "config",
)
_TABLE = {
    "layers.Linear": "keras.layers.Dense(units)",
    "layers.FullyConnected": "keras.layers.Dense(units)",
    "layers.Conv2d": "keras.layers.Conv2D(filters, kernel_size)",
    "layers.MaxPool2d": "keras.layers.MaxPooling2D(pool_size)",
    "layers.BatchNorm": "keras.layers.BatchNormalization()",
    "layers.BatchNorm1d": "keras.layers.BatchNormalization()",
    "layers.BatchNorm2d": "keras.layers.BatchNormalization()",
    "layers.LayerNorm": "keras.layers.LayerNormalization()",
    "layers.Sigmoid": "keras.layers.Activation('sigmoid')",
    "layers.Tanh": "keras.layers.Activation('tanh')",
    "layers.GELU": "keras.layers.Activation('gelu')",
    "layers.RNNCell": "keras.layers.SimpleRNNCell(units)",
    "layers.CuDNNLSTM": "keras.layers.LSTM(units)",
    "layers.CuDNNGRU": "keras.layers.GRU(units)",
    "layers.Merge": "keras.layers.Concatenate(), keras.layers.Add()",
    "layers.MultiheadAttention": "keras.layers.MultiHeadAttention(heads, width)",
    "layers.Sequential": "keras.Sequential(layers)",
    "layers.experimental": "keras.layers: Rescaling, RandomFlip and the other layers have left `experimental`",
    "losses.MSELoss": "keras.losses.MeanSquaredError()",
    "losses.L1Loss": "keras.losses.MeanAbsoluteError()",
    "losses.BCELoss": "keras.losses.BinaryCrossentropy()",
    "losses.BCEWithLogitsLoss": "keras.losses.BinaryCrossentropy(from_logits=True)",
    "losses.NLLLoss": "keras.losses.SparseCategoricalCrossentropy()",
    "losses.CrossEntropyLoss": "keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
    "losses.CrossEntropy": "keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
    "losses.cross_entropy": "keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
    "losses.SmoothL1Loss": "keras.losses.Huber()",
    "metrics.accuracy": "keras.metrics.Accuracy(), or keras.metrics.SparseCategoricalAccuracy() for class numbers",
    "optimizers.GradientDescent": "keras.optimizers.SGD(learning_rate)",
    "optimizers.GradientDescentOptimizer": "keras.optimizers.SGD(learning_rate)",
    "optimizers.AdamOptimizer": "keras.optimizers.Adam(learning_rate)",
    "optimizers.Momentum": "keras.optimizers.SGD(learning_rate, momentum=0.9)",
    "optimizers.schedules.StepLR": "keras.optimizers.schedules.ExponentialDecay(rate, steps, decay, staircase=True)",
    "optimizers.schedules.CosineAnnealingLR": "keras.optimizers.schedules.CosineDecay(rate, steps)",
    "datasets.mnist.load": "keras.datasets.mnist.load_data()",
    "optimizers.lr_scheduler": "keras.optimizers.schedules",
    "initializers.xavier": "keras.initializers.GlorotUniform()",
    "initializers.Xavier": "keras.initializers.GlorotUniform()",
    "initializers.xavier_uniform": "keras.initializers.GlorotUniform()",
    "initializers.xavier_normal": "keras.initializers.GlorotNormal()",
    "initializers.kaiming_uniform": "keras.initializers.HeUniform()",
    "initializers.kaiming_normal": "keras.initializers.HeNormal()",
    "initializers.normal": "keras.initializers.RandomNormal()",
    "initializers.uniform": "keras.initializers.RandomUniform()",
    "regularizers.l1l2": "keras.regularizers.L1L2(l1, l2)",
    "backend.get_session": "leave it out: there are no sessions, call functions on tensors",
    "backend.set_session": "leave it out: there are no sessions, call functions on tensors",
    "backend.placeholder": "keras.Input(shape)",
    "backend.function": "keras.Model(inputs, outputs), called on arrays",
    "backend.gradients": "with tf.GradientTape() as tape: ...; tape.gradient(y, x)",
    "backend.variable": "tf.Variable(initial_value)",
    "backend.learning_phase": "model(x, training=True), or training=False",
    "backend.set_learning_phase": "model(x, training=True), or training=False",
    "models.save": "model.save('model.keras')",
    "models.load": "keras.models.load_model('model.keras')",
    "wrappers.scikit_learn": "keras.wrappers.SKLearnClassifier(model), or SKLearnRegressor",
    "experimental": "keras.layers, keras.callbacks, keras.optimizers: `experimental` has left Keras",
    "estimator": "model.fit(x, y): estimators have left TensorFlow, too",
    "utils.np_utils": "keras.utils",
    "utils.multi_gpu_model": "tf.distribute.MirroredStrategy()",
    "utils.Sequence": "keras.utils.PyDataset",
    "datasets.MNIST": "keras.datasets.mnist.load_data()",
    "preprocessing.text.Tokenizer": "keras.layers.TextVectorization()",
    "data": "tf.data.Dataset",
    "function": "tf.function(f)",
    "GradientTape": "tf.GradientTape()",
    "Module": "keras.Model, or tf.Module",
    "optimizer": "keras.optimizers",
    "layer": "keras.layers",
    "loss": "keras.losses",
}


def lookup(name: str) -> str:
    """What to write for a dotted name below `keras` that Keras does not have; empty if nothing is known.

    >>> from gradtape.api import keras_habits
    >>> keras_habits.lookup("layers.Linear")
    'keras.layers.Dense(units).'
    """
    name = name.removeprefix("keras.")
    found = _TABLE.get(name) or _respelled(name) or _elsewhere(name.rpartition(".")[2])
    return f"{found}." if found else ""


def _respelled(name: str) -> str:
    """The same name in the same module with other capitals: `Relu` is `ReLU`, the optimizer `adam` is `Adam`."""
    part, _, last = name.rpartition(".")
    for own in _names(f"keras.{part}" if part else "keras"):
        if own.lower() == last.lower():
            return f"keras.{part}.{own}" if part else f"keras.{own}"
    return ""


def _elsewhere(name: str) -> str:
    """The same name in another module: `keras.Dense` is `keras.layers.Dense`."""
    return next((f"keras.{part}.{name}" for part in _PARTS if name in _names(f"keras.{part}")), "")


def _names(module: str) -> list[str]:
    found: Any = sys.modules.get(module)
    return [n for n in dir(found) if not n.startswith("_")] if found is not None else []
