"""Values of Python and NumPy become tensors: lists of numbers of all kinds, mixed, nested, too large, asked for in a dtype."""

import numpy as np
from behaviour import case

SCALARS = {
    "int8": np.int8(1), "uint8": np.uint8(200), "int16": np.int16(-3), "uint16": np.uint16(5), "int32": np.int32(7),
    "uint32": np.uint32(9), "int64": np.int64(3), "uint64": np.uint64(4), "wide int64": np.int64(2**40),
    "wide uint32": np.uint32(2**31), "float16": np.float16(1.5), "float32": np.float32(1.5), "float64": np.float64(0.1),
    "numpy bool": np.bool_(True), "complex64": np.complex64(1j), "complex128": np.complex128(2j), "int": 1, "wide int": 2**40,
    "huge int": 2**63, "float": 0.1, "bool": True, "complex": 1j, "str": "a", "bytes": b"b", "array 0-d": np.array(3),
    "float array 0-d": np.array(0.1),
}  # fmt: skip
SEVERAL = [
    "uint8",
    "int64",
    "wide int64",
    "float16",
    "float32",
    "float64",
    "numpy bool",
    "int",
    "float",
    "bool",
    "complex",
]
DTYPES = ["float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool", "complex64", "string"]


@case(scalar=list(SCALARS))
def list_of_one(tf, scalar):
    return tf.constant([SCALARS[scalar]])


@case(scalar=list(SCALARS))
def nested_list_of_one(tf, scalar):
    return tf.convert_to_tensor([[SCALARS[scalar]], (SCALARS[scalar],)])


@case(first=SEVERAL, second=SEVERAL)
def list_of_two(tf, first, second):
    return tf.constant([SCALARS[first], SCALARS[second]])


@case(scalar=SEVERAL, dtype=DTYPES)
def list_in_a_dtype(tf, scalar, dtype):
    return tf.constant([SCALARS[scalar]], dtype)


@case(
    scalar=["int", "wide int", "huge int", "float", "bool", "complex", "float32", "int64", "numpy bool"], dtype=DTYPES
)
def scalar_in_a_dtype(tf, scalar, dtype):
    return tf.convert_to_tensor(SCALARS[scalar], dtype)


@case(scalar=[s for s in SCALARS if s not in ("str", "bytes", "complex64", "complex128")])
def list_beside_a_float_tensor(tf, scalar):
    return tf.constant([1.0]) + [SCALARS[scalar]]


@case(scalar=["int8", "uint8", "int64", "uint64", "wide int64", "int", "wide int", "bool", "array 0-d"])
def list_beside_an_integer_tensor(tf, scalar):
    return tf.constant([1]) + [SCALARS[scalar]]


@case(
    scalar=["int", "float", "bool", "int64", "uint8", "float16", "float64", "numpy bool"],
    dtype=["float32", "int32", "uint8"],
)
def number_beside_a_tensor(tf, scalar, dtype):
    return tf.constant([1], dtype) + SCALARS[scalar]


@case(scalar=["uint8", "int64", "float16", "float64", "int", "float"])
def stack_of_numbers(tf, scalar):
    return tf.stack([SCALARS[scalar], SCALARS[scalar]]), tf.stack([[SCALARS[scalar]], [SCALARS[scalar]]], 0)


@case(scalar=["uint8", "int64", "wide int64", "float64", "numpy bool"])
def variable_of_a_list(tf, scalar):
    return tf.Variable([SCALARS[scalar]]).read_value()


@case(scalar=["uint8", "int64", "wide int64", "float16", "float64"])
def reductions_of_lists(tf, scalar):
    return tf.reduce_max([SCALARS[scalar], SCALARS[scalar]]), tf.reduce_min([[SCALARS[scalar]]], 0)


@case
def bytes_in_a_list_beside_a_number(tf):
    return tf.constant([np.uint8(200)]) + 100


@case
def lists_and_arrays_beside_each_other(tf):
    return tf.constant([np.array([1, 2]), [3, 4]]), tf.constant([[1.5, 2.5], np.array([3, 4])])


@case
def arrays_of_several_dtypes(tf):
    return tf.constant([np.array([1, 2]), np.array([3, 4], np.int8)]), tf.constant([np.array([1.0]), np.array([2])])


@case(
    text=[
        "[[1, 2], [3]]",
        "[[1, 2], 3]",
        "[1, [2]]",
        "[1, None]",
        "[None]",
        "[[], [1]]",
        "[1, 'a']",
        "['a', 1]",
        "[1.5, 'a']",
    ]
)
def refused_lists(tf, text):
    return tf.constant(eval(text))


@case(
    text=[
        "2**31 - 1",
        "2**31",
        "-2**31",
        "-2**31 - 1",
        "2**63 - 1",
        "2**63",
        "-2**63",
        "[2**31, 1]",
        "[1, 2**31]",
        "[2**63]",
    ]
)
def large_integers(tf, text):
    return tf.constant(eval(text))


@case(
    value=[300, -1, 123456789, 2**31, 2**40 + 5, -(2**31) - 1],
    dtype=["int8", "uint8", "int16", "uint16", "int32", "uint32"],
)
def integers_that_do_not_fit(tf, value, dtype):
    return tf.constant(value, dtype), tf.constant([value], dtype)


@case(text=["range(3)", "range(0)", "bytearray(b'abc')", "memoryview(b'abc')", "()", "[[]]", "[[], []]"])
def other_sequences(tf, text):
    return tf.constant(eval(text))


@case(dtype=["float32", "int8", "float64", "int64"])
def tensor_in_a_list_is_cast(tf, dtype):
    return tf.convert_to_tensor([1, tf.constant(2)], dtype), tf.convert_to_tensor([[1, tf.constant(2)], [3, 4]], dtype)


@case
def tensors_of_several_dtypes_in_a_list(tf):
    return tf.convert_to_tensor([tf.constant(1), tf.constant(2.5)])


@case
def tensor_beside_numbers_in_a_list(tf):
    return tf.convert_to_tensor([1.5, tf.constant(2.0)]), tf.convert_to_tensor([2, tf.constant(2.0), np.float64(3)])


@case(hint=["int32", "float64", "bool", "string", "float16"], text=["[1, 1.5]", "[1, 2]", "1.5", "[True]", "['a']"])
def hinted(tf, hint, text):
    return tf.convert_to_tensor(eval(text), dtype_hint=hint)


@case(
    dtype=["float32", "int32", "uint8", "bool", "float16", "int64"],
    source=["float64", "float32", "int64", "uint8", "bool"],
)
def array_in_a_dtype(tf, dtype, source):
    return tf.constant(np.array([0, 1, 3], source), dtype)


@case(text=["'{}'", "'{:}'", "'{!s}'"])
def format_of_a_scalar(tf, text):
    return (
        eval(text).format(tf.constant(1.5)),
        eval(text).format(tf.constant(3)),
        eval(text).format(tf.constant([1, 2])),
    )


@case(spec=[".2f", "5.1f", "d", "05d", ">8", "e"])
def format_of_a_scalar_with_a_spec(tf, spec):
    return format(tf.constant(3 if spec in ("d", "05d") else 1.25), spec)


@case
def format_of_rounded_numbers(tf):
    values = tf.constant(1.1), tf.constant([1.1, 2]), tf.constant(1.1, tf.float64), tf.constant(1.1, tf.float16)
    return [f"{v}" for v in values]


@case
def format_of_a_variable(tf):
    return f"{tf.Variable(1.5)}"[:13], "%s" % tf.constant(1.5)  # noqa: UP031


@case
def format_of_strings_and_bools(tf):
    return f"{tf.constant('a')}", f"{tf.constant(True)}", f"{tf.constant(['a', 'b'])}", str(tf.constant(2.5))


@case(text=["1", "1.5", "[1]", "True", "[1, 2]", "'a'", "1j"])
def as_an_index(tf, text):
    return [10, 20, 30][tf.constant(eval(text))]


@case(text=["1", "1.5", "[1]", "[1, 2]", "True", "'1'", "1j"], to=["int", "float", "bool", "complex"])
def as_a_python_number(tf, text, to):
    return str({"int": int, "float": float, "bool": bool, "complex": complex}[to](tf.constant(eval(text))))


@case
def length_of_a_scalar(tf):
    return len(tf.constant(1))


@case
def lengths(tf):
    return len(tf.constant([1, 2])), len(tf.zeros([0, 3]))


@case(text=["2**31, 2**31", "-1", "2, -3"])
def impossible_sizes(tf, text):
    return tf.zeros(eval(f"[{text}]"))
