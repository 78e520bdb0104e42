"""Functions of each string: case, length, parts, numbers, hashes."""

from behaviour import case

WORDS = ["Hello", "", "ÀÉß σς", "ǅ ŉ ﬁ İ", "tab\there"]


@case(encoding=["", "utf-8"])
def lower(tf, encoding):
    return tf.strings.lower(WORDS, encoding=encoding)


@case(encoding=["", "utf-8"])
def upper(tf, encoding):
    return tf.strings.upper(WORDS, encoding=encoding)


@case(name=["lower", "upper"], encoding=["UTF-8", "utf-16", "latin-1", "x"])
def case_in_an_encoding(tf, name, encoding):
    return getattr(tf.strings, name)(["aÀ"], encoding=encoding)


@case(name=["lower", "upper"])
def case_of_invalid_bytes(tf, name):
    return getattr(tf.strings, name)([b"a\xffZ", b"\xc3(", b"\xe2\x82"], encoding="utf-8")


@case(name=["lower", "upper", "strip", "length"])
def each_of_ragged(tf, name):
    return getattr(tf.strings, name)(tf.ragged.constant([["Ab ", ""], [], [" cD"]]))


@case(name=["lower", "upper", "strip", "length", "bytes_split", "to_number"])
def each_of_numbers(tf, name):
    return getattr(tf.strings, name)(tf.constant([1, 2]))


@case(name=["lower", "strip", "length"])
def each_of_python_numbers(tf, name):
    return getattr(tf.strings, name)([1, 2])


@case
def strip(tf):
    return tf.strings.strip(["  a b ", "\t\n x\r\v\f", "", " ", "\xa0a\xa0", b"\0 a"])


@case(unit=["BYTE", "UTF8_CHAR", "CHAR"])
def length(tf, unit):
    return tf.strings.length([["hello", ""], ["\U0001f642é", "\0a"]], unit=unit)


@case
def length_of_invalid_bytes(tf):
    return tf.strings.length([b"\xff\xfe", b"a\xe2\x82", b"\x80\x80", b"\xc3(", b"\xf0\x9f"], unit="UTF8_CHAR")


@case(pos=[0, 1, 5, -1, -5, 6, -6], len=[0, 2, 100, -1])
def substr(tf, pos, len):
    return tf.strings.substr(["hello", "world"], pos, len)


@case(pos=[0, 1, 2, -1, -2, 3, -4], len=[0, 1, 9])
def substr_of_characters(tf, pos, len):
    return tf.strings.substr("é中a", pos, len, unit="UTF8_CHAR")


@case
def substr_positions_by_element(tf):
    return tf.strings.substr(["hello", "worlds", "x"], [1, -3, 0], [3, 2, 1])


@case
def substr_positions_broadcast(tf):
    return tf.strings.substr([["hello", "world"], ["abcde", "fghij"]], [1, 2], [1, 2])


@case
def substr_one_string_many_positions(tf):
    return tf.strings.substr("hello", [0, 1, 2], [1, 2, 3])


@case
def substr_positions_of_other_shape(tf):
    return tf.strings.substr(["a", "b", "c"], [0, 0], [1, 1])


@case
def substr_pos_and_len_of_other_shapes(tf):
    return tf.strings.substr("abc", [0, 1], [[1]])


@case
def substr_pos_and_len_of_other_dtypes(tf):
    return tf.strings.substr("abc", tf.constant(0), tf.constant(1, tf.int64))


@case
def substr_with_float_position(tf):
    return tf.strings.substr("abc", 0.0, 1)


@case
def substr_with_unknown_unit(tf):
    return tf.strings.substr("abc", 0, 1, unit="WORD")


@case
def substr_in_a_function(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string), tf.TensorSpec([], tf.int32)])
    def f(x, n):
        return tf.strings.substr(x, -n, n)

    return f(["hello", "abc"], 2)


@case
def substr_of_invalid_bytes(tf):
    return tf.strings.substr([b"\xffab", b"\xe2\x82a"], 1, 1, unit="UTF8_CHAR")


NUMBERS = [
    "1",
    "-1",
    "+7",
    " 3 ",
    "0x1F",
    "1e3",
    "1.5",
    "",
    " ",
    "abc",
    "1_000",
    "nan",
    "NaN",
    "inf",
    "-Infinity",
    "1,5",
    ".5",
    "5.",
]
MORE = [
    "0X1p3",
    "1e400",
    "1e-400",
    "9223372036854775808",
    "4294967296",
    "-0",
    "1 2",
    "\u0661",
    "0b1",
    "1f",
    "infinit",
    "1e",
    "--1",
    "2147483648",
]


@case(text=NUMBERS + MORE, dtype=["float32", "int32"])
def to_number(tf, text, dtype):
    return tf.strings.to_number(text, out_type=dtype)


@case(text=["9223372036854775807", "9223372036854775808", "-9223372036854775808", "1.0", "18446744073709551615"])
def to_number_int64(tf, text):
    return tf.strings.to_number(text, out_type=tf.int64)


@case(text=["3.141592653589793", "1e400", "0x1.8p1", "-1e-320"])
def to_number_float64(tf, text):
    return tf.strings.to_number(text, tf.float64)


@case(dtype=["float16", "bool", "string", "int8", "uint32", "uint64"])
def to_number_other_dtypes(tf, dtype):
    return tf.strings.to_number(["1"], out_type=dtype)


@case
def to_number_of_ragged(tf):
    return tf.strings.to_number(tf.ragged.constant([["1"], ["2", "3"]]), tf.int64)


@case
def to_number_in_a_function_refuses_when_run(tf):
    return tf.function(lambda x: tf.strings.to_number(x))(tf.constant(["1", "x"]))


BYTES = [b"", b"a", b"Hello", b"TensorFlow", b"2.x", bytes(range(256)), b"x" * 1000, "é中".encode()]


@case(buckets=[1, 3, 1000003, 2**62])
def hash_buckets(tf, buckets):
    return [tf.strings.to_hash_bucket_fast(BYTES, buckets), tf.strings.to_hash_bucket(BYTES, buckets)]


@case(key=[[0, 0], [1, 2], [2**62, -1], [98765, 132]])
def hash_bucket_strong(tf, key):
    return tf.strings.to_hash_bucket_strong(BYTES, 1000, key)


@case(name=["to_hash_bucket", "to_hash_bucket_fast"], buckets=[0, -1])
def hash_without_buckets(tf, name, buckets):
    return getattr(tf.strings, name)(["a"], buckets)


@case(key=[[1], [1, 2, 3], []])
def hash_bucket_strong_with_a_bad_key(tf, key):
    return tf.strings.to_hash_bucket_strong(["a"], 10, key)


@case
def hash_buckets_of_ragged(tf):
    return tf.strings.to_hash_bucket_fast(tf.ragged.constant([["a"], ["b", "c"]]), 100)


@case
def hash_buckets_of_numbers(tf):
    return tf.strings.to_hash_bucket_fast([1, 2], 10)


@case(method=["farmhash64"])
def fingerprint(tf, method):
    return tf.fingerprint(tf.constant([[1, 2], [3, 4]]), method=method)


@case
def fingerprint_of_strings(tf):
    return tf.fingerprint(tf.constant(["a", "bc"]))


@case(
    options=[
        "{}",
        "{'precision': 2}",
        "{'precision': 3, 'scientific': True}",
        "{'shortest': True}",
        "{'width': 8}",
        "{'width': 8, 'fill': '0'}",
        "{'width': 8, 'fill': '-'}",
        "{'width': 6, 'fill': ' ', 'precision': 1}",
    ]
)
def as_string_of_floats(tf, options):
    return tf.strings.as_string([1.0, -2.5, 0.0001, 123456.789, float("nan"), float("inf"), -0.0], **eval(options))


@case(
    options=[
        "{}",
        "{'width': 5}",
        "{'width': 5, 'fill': '0'}",
        "{'width': 5, 'fill': '-'}",
        "{'width': 5, 'fill': '+'}",
        "{'width': 4, 'fill': ' '}",
    ]
)
def as_string_of_integers(tf, options):
    return tf.strings.as_string(tf.constant([0, -7, 123456]), **eval(options))


@case(
    options=[
        "{'scientific': True}",
        "{'shortest': True}",
        "{'precision': 2}",
        "{'fill': 'x'}",
        "{'fill': '00'}",
        "{'width': -3}",
    ]
)
def as_string_of_integers_refuses(tf, options):
    return tf.strings.as_string(tf.constant([0, -7]), **eval(options))


@case
def as_string_scientific_and_shortest(tf):
    return tf.strings.as_string([1.5], scientific=True, shortest=True)


@case(
    dtype=[
        "bool",
        "int8",
        "uint8",
        "int64",
        "uint64",
        "float16",
        "bfloat16",
        "float64",
        "complex64",
        "complex128",
        "uint16",
    ]
)
def as_string_dtypes(tf, dtype):
    return tf.strings.as_string(tf.cast([0, 1, 2], dtype))


@case
def as_string_of_strings(tf):
    return tf.strings.as_string(["a", "bb"])


@case
def as_string_of_strings_with_width(tf):
    return tf.strings.as_string(["a", "bb"], width=4)


@case
def as_string_of_ragged(tf):
    return tf.strings.as_string(tf.ragged.constant([[1], [2, 3]]))
