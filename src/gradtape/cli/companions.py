"""Libraries that are imported beside TensorFlow: which of them run on gradtape, and which cannot.

Those that run are tested by `make conformance-libraries`; the others here bring kernels or file formats for TensorFlow's own runtime.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Companion", "lookup"]


class Companion(NamedTuple):
    """A library beside TensorFlow.

    Attributes:
      runs: whether it runs on gradtape; None if nobody has tried.
      reason: why it does not run, and what to use instead.
    """

    runs: bool | None
    reason: str = ""


_RUNS = ("deepxde", "gpflow", "sonnet", "spektral", "tensorboard", "tensorflow_probability", "tf2rl", "tf_keras")
_KERNELS = "cannot work: it has kernels for TensorFlow's own runtime"
_CANNOT = {
    "tensorflow_addons": f"{_KERNELS}, and is no longer developed; instead: keras.layers, keras.losses and keras.optimizers",
    "tensorflow_compression": f"{_KERNELS}; there is no replacement",
    "tensorflow_data_validation": f"{_KERNELS}; check the arrays with NumPy or pandas",
    "tensorflow_decision_forests": f"{_KERNELS}; instead: ydf, which needs no TensorFlow",
    "tensorflow_federated": "cannot work: it runs TensorFlow's graphs; there is no replacement",
    "tensorflow_hub": "cannot work: it loads TensorFlow's own SavedModel format; instead: keras.saving.load_model of a .keras file",
    "tensorflow_io": f"{_KERNELS}; read the files with Python and tf.data.Dataset.from_generator",
    "tensorflow_quantum": f"{_KERNELS}; there is no replacement",
    "tensorflow_serving": "cannot work: its server runs TensorFlow's own SavedModel format; instead: tf.saved_model.load in a server of Python",
    "tensorflow_text": f"{_KERNELS}; instead: tf.strings, or keras.layers.TextVectorization",
    "tensorflow_transform": "cannot work: it runs TensorFlow's graphs on Beam; instead: keras.layers.Normalization and the like",
    "tensorflowjs": "cannot work: it converts TensorFlow's own SavedModel format; there is no replacement",
    "tf2onnx": "cannot work: it reads TensorFlow's graphs; instead: keras.Model.export to ONNX with another backend",
    "tflite_runtime": "cannot work: models are not converted to TensorFlow Lite; instead: tf.saved_model.save",
}  # fmt: skip


def lookup(module: str) -> Companion | None:
    """The entry of the library that a module belongs to; None if it has nothing to do with TensorFlow.

    >>> from gradtape.cli import companions
    >>> companions.lookup("tensorflow_probability.python.bijectors").runs
    True
    >>> companions.lookup("numpy") is None
    True
    """
    root = module.partition(".")[0]
    if root in _RUNS or root == "horovod":
        return Companion(True)
    if root in _CANNOT:
        return Companion(False, _CANNOT[root])
    if root.startswith(("tensorflow_", "tf_")):
        return Companion(None, "has not been tried on gradtape; `gradtape run` says what it lacks")
    return None
