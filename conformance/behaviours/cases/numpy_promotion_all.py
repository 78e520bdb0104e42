"""Promotion in the mode "all": TensorFlow's lattice of dtypes, with weak numbers of Python."""

from behaviour import case

SETUP = "tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode='all')"
DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bfloat16",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@case(dtype=DTYPES, other=DTYPES)
def tensors(tf, dtype, other):
    return tf.experimental.numpy.result_type(tf.zeros([2], dtype), tf.zeros([2], other))


@case(dtype=DTYPES[1:], number=[2, 2.5, 2j, True])
def numbers(tf, dtype, number):
    return (tf.ones([2], dtype) * number).dtype


@case(dtype=["int32", "int64", "float16", "float32"], other=["int8", "int32", "float32", "float64"])
def operators(tf, dtype, other):
    return tf.ones([2], dtype) + tf.ones([2], other)
