"""Casts between all dtypes, at the values where they are defined; saturating casts at infinities and nan."""

from behaviour import case

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
ALL = [*INTEGERS, *FLOATS, "bool", "complex64", "complex128"]


@case(source=ALL, target=ALL)
def cast_of_small_numbers(tf, source, target):
    x = tf.cast(tf.constant([0, 1, 2, 100]), source)
    return tf.cast(x, target), tf.function(lambda x: tf.cast(x, target))(x)


@case(source=INTEGERS, target=INTEGERS)
def cast_of_extreme_integers(tf, source, target):
    x = tf.constant([tf.as_dtype(source).min, tf.as_dtype(source).max], source)
    return tf.cast(x, target), tf.function(lambda x: tf.cast(x, target))(x)


@case(source=FLOATS, target=["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def cast_of_fractions(tf, source, target):
    x = tf.cast(tf.constant([0.5, 1.5, 2.75, 99.5]), source)
    return tf.cast(x, target), tf.function(lambda x: tf.cast(x, target))(x)


@case(source=FLOATS, target=["int8", "int16", "int32", "int64"])
def cast_of_negative_fractions(tf, source, target):
    x = tf.cast(tf.constant([-0.5, -1.5, -2.75, -99.5]), source)
    return tf.cast(x, target), tf.function(lambda x: tf.cast(x, target))(x)


@case(source=FLOATS, target=[*FLOATS, "bool", "complex64"])
def cast_of_infinities(tf, source, target):
    x = tf.cast(tf.constant([float("inf"), -float("inf"), float("nan"), 1e38, -0.0]), source)
    return tf.cast(x, target), tf.function(lambda x: tf.cast(x, target))(x)


@case(source=FLOATS, target=INTEGERS)
def saturating_cast_of_infinities(tf, source, target):
    x = tf.cast(tf.constant([float("inf"), -float("inf"), 1e38, -1e38, 300.0, -300.0]), source)
    return tf.saturate_cast(x, target), tf.function(lambda x: tf.saturate_cast(x, target))(x)


@case(source=["int8", "uint8", "int16", "uint16", "int32", "int64"], target=[*INTEGERS, "float16", "float32"])
def saturating_cast_of_extreme_integers(tf, source, target):
    x = tf.constant([tf.as_dtype(source).min, tf.as_dtype(source).max], source)
    return tf.saturate_cast(x, target), tf.function(lambda x: tf.saturate_cast(x, target))(x)


@case(source=["float32", "float64"], target=["float16", "float32"])
def saturating_cast_of_floats(tf, source, target):
    return tf.saturate_cast(tf.constant([1e38, -1e38, 7e4, 1.0, float("inf")], source), target)


@case(target=["float16", "bfloat16"])
def rounding_of_casts(tf, target):
    x = tf.constant([1.0009765625, 1.00048828125, 1.001, 65504.0, 65519.0, 65520.0, 1e-8, 3.0e-8, 6e-5])
    return tf.cast(x, target), tf.function(lambda x: tf.cast(x, target))(x)


@case(value=["16777217", "9007199254740993", "9223372036854775807"], target=["float32", "float64"])
def cast_of_integers_that_floats_do_not_hold(tf, value, target):
    return tf.cast(tf.constant(int(value), tf.int64), target)


@case(dtype=["float32", "complex64"])
def gradient_of_a_cast(tf, dtype):
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.real(tf.reduce_sum(tf.cast(x, dtype) ** 2))
    return tape.gradient(y, x)


@case
def cast_to_an_integer_has_no_gradient(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.cast(x, tf.int32), tf.float32)
    return tape.gradient(y, x)
