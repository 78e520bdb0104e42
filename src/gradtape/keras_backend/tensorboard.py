"""Keras's callback for TensorBoard, which writes by `tf.summary`."""

from __future__ import annotations

import warnings
from typing import Any

from keras.src import backend
from keras.src.callbacks import tensorboard

import gradtape as tf

_PLUGIN = "graph_keras_model"


def install() -> None:
    """Let the callback write its files with gradtape: Keras looks for TensorFlow."""
    tensorboard.TensorBoard.summary = property(lambda self: tf.summary, doc="What writes.")
    tensorboard.keras_model_summary = _write_model
    tensorboard.backend = _ProfilingBackend()


class _Profiler:
    """The profiler of the callback."""

    @staticmethod
    def start_trace(logdir: str) -> None:
        """Start a profile."""
        tf.profiler.experimental.start(logdir)

    @staticmethod
    def stop_trace(save: bool) -> None:
        """End it, and write it unless it was a trial."""
        tf.profiler.experimental.stop(save)

    @staticmethod
    def start_batch_trace(batch: int) -> Any:
        """Mark the begin of a batch."""
        trace = tf.profiler.experimental.Trace("Profiled batch", step_num=batch)
        trace.__enter__()
        return trace

    @staticmethod
    def stop_batch_trace(batch_trace_context: Any) -> None:
        """Mark its end."""
        batch_trace_context.__exit__(None, None, None)


class _ProfilingBackend:
    """Keras's backend for the callback, which asks for one that can profile."""

    tensorboard = _Profiler

    def __getattr__(self, name: str) -> Any:
        return getattr(backend, name)

    def backend(self) -> str:
        """The name of one that can."""
        return "tensorflow"


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
