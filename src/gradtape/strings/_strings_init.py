"""The functions of `tf.strings`: texts are bytes in arrays of Python objects, and are changed by Python."""
