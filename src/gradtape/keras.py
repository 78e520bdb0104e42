"""Keras on gradtape: this module is Keras itself.

>>> tf.keras.config.backend()
'gradtape'
"""

import sys

import gradtape_keras_hook

sys.modules[__name__] = gradtape_keras_hook.keras()
