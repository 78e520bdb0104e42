"""Keras's callback for TensorBoard, which writes by `tf.summary`."""

from __future__ import annotations

import warnings
from typing import Any

from keras.src.callbacks import tensorboard

import gradtape as tf

_PLUGIN = "graph_keras_model"


def install() -> None:
    """Let the callback write its files with gradtape: Keras looks for TensorFlow."""
    tensorboard.TensorBoard.summary = property(lambda self: tf.summary, doc="What writes.")
    tensorboard.keras_model_summary = _write_model


def _write_model(name: Any, data: Any, step: Any = None) -> Any:
    """Write the layers of a model, which TensorBoard draws; False if they have no description."""
    from gradtape.summary._event_file import metadata_of

    try:
        text = data.to_json()
    except Exception as problem:
        warnings.warn(f"Model failed to serialize as JSON. Ignoring... {problem}", stacklevel=2)
        return False
    with tf.summary.experimental.summary_scope(name, _PLUGIN) as (tag, _):
        return tf.summary.write(tag, text, step, metadata_of(_PLUGIN, None, b"1"))
