"""Arguments that functions refuse or convert: initializers, casts, segments, callbacks, devices."""

import numpy as np
from behaviour import case

VALUES = {"list": [1, 2], "tuple": (1, 2), "floats": [1.5, 2.5], "array": np.ones([2]), "number": 7, "text": "a"}
WRONG = {"dict": {}, "callable": len, "set": {1}, "object": object()}


@case(value=list(VALUES), dtype=[None, "float32"])
def constant_initializer(tf, value, dtype):
    options = {} if dtype is None else {"dtype": tf.as_dtype(dtype)}
    return tf.constant_initializer(VALUES[value])([2], **options)


@case(value=list(WRONG))
def constant_initializer_of_something_else(tf, value):
    return tf.constant_initializer(WRONG[value])


@case(initializer=["zeros_initializer", "ones_initializer"], dtype=["string", "bool", "complex64", "bfloat16", "uint8"])
def initializer_of_a_dtype(tf, initializer, dtype):
    return getattr(tf, initializer)()([2], dtype=tf.as_dtype(dtype))


@case(dtype=["int64", "float32", "bool", "complex64"])
def cast_to_text(tf, dtype):
    return tf.cast(tf.cast([1], dtype), tf.string)


@case(dtype=["complex64", "complex128", "float32", "int8", "uint8", "bool"])
def saturated_complex_numbers(tf, dtype):
    return tf.saturate_cast(tf.constant([1e39 - 1e39j, -300 + 1j, 2j], tf.complex128), tf.as_dtype(dtype))


@case(dtype=["float64", "int32", "uint8"])
def saturated_to_bool(tf, dtype):
    return tf.saturate_cast(tf.cast([1, 0], dtype), tf.bool)


@case(value=[555, 1.5, True, 0])
def diagonal_of_bools_padded(tf, value):
    return tf.linalg.diag(tf.constant([True, False]), padding_value=value)


@case(kind=["list", "tuple", "dict", "number"])
def polynomial_coefficients(tf, kind):
    return tf.math.polyval({"list": [1.0, 2.0], "tuple": (1.0, 2.0), "dict": {}, "number": 3.0}[kind], 2.0)


@case(
    reduction=["segment_sum", "segment_mean", "segment_sqrt_n"],
    ids=["-1 0", "-2 -1", "1 0", "0 0", "0 1"],
    count=[None, 2],
)
def sparse_segment_ids(tf, reduction, ids, count):
    numbers = tf.constant([int(n) for n in ids.split()])
    return getattr(tf.sparse, reduction)(tf.constant([1.0, 2.0]), tf.constant([0, 1]), numbers, count)


@case
def numpy_function_without_dtype(tf):
    return tf.numpy_function(lambda x: x, [1])


@case
def py_function_without_dtype(tf):
    return tf.py_function(lambda x: x, [1])


@case(name=["/gpu:0", "/GPU:1", "/device:GPU:0", "gpu", "/CPU:5"])
def function_on_a_device_that_is_not_there(tf, name):
    @tf.function
    def add():
        with tf.device(name):
            return tf.constant([1.0]) + 1.0

    return add()


@case
def soft_placement_is_on(tf):
    return tf.config.get_soft_device_placement()
