"""Settings: `tf.config` with TensorFlow's names for devices, and gradtape's own switches."""

from gradtape.names.numpy_protocol import record_numpy_functions as record_numpy_functions
