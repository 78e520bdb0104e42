"""`tf.metrics`: Keras's metrics, under TensorFlow's shorter names too, such as `MSE`."""

import importlib
from typing import Any

import gradtape

_own: Any = gradtape.keras.metrics
_more: Any = importlib.import_module("keras._tf_keras.keras.metrics")

__all__ = sorted({name for module in (_own, _more) for name in dir(module) if not name.startswith("_")})


def __getattr__(name: str) -> Any:
    return getattr(_own, name) if hasattr(_own, name) else getattr(_more, name)


def __dir__() -> list[str]:
    return __all__
