"""Keras on gradtape: this module is Keras, as Keras presents itself in `tf.keras`.

That is the same library, with short names that TensorFlow's users know, such as `losses.MSE` and `losses.Reduction`.

>>> tf.keras.config.backend()
'gradtape'
>>> tf.keras.losses.Reduction.NONE
'none'
"""

import importlib
import sys
from types import ModuleType

import gradtape_keras_hook


def _presented(keras: ModuleType) -> ModuleType:
    """Keras's modules for `tf.keras`, which lack some names that its others have: they get them."""
    try:
        shown = importlib.import_module("keras._tf_keras.keras")
    except ModuleNotFoundError:
        return keras
    for name, module in vars(keras).items():
        if isinstance(module, ModuleType) and not name.startswith("_"):
            own = getattr(shown, name, None)
            if own is None:
                setattr(shown, name, module)
            elif own is not module:
                for public in [n for n in vars(module) if not n.startswith("_") and not hasattr(own, n)]:
                    setattr(own, public, getattr(module, public))
    return shown


sys.modules[__name__] = _presented(gradtape_keras_hook.keras())
