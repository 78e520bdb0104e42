"""Strings split: by separators, into bytes, characters and n-grams."""

from behaviour import case


@case(sep=[None, "", " ", ",", "ab", "  "], maxsplit=[-1, 0, 1, 2, -5])
def split(tf, sep, maxsplit):
    return tf.strings.split([" a b  c ", "", "a,b,,c", "xabyabz", "\ta\n b"], sep=sep, maxsplit=maxsplit)


@case(sep=[None, ","])
def split_scalar(tf, sep):
    return tf.strings.split("a,b c", sep)


@case
def split_matrix(tf):
    return tf.strings.split([["a b", "c"], ["", "d e f"]])


@case
def split_ragged(tf):
    return tf.strings.split(tf.ragged.constant([["a b"], [], ["c", "d e"]]))


@case
def split_with_a_tensor_as_separator(tf):
    return tf.strings.split(["a-b"], sep=tf.constant("-"))


@case
def split_with_a_vector_as_separator(tf):
    return tf.strings.split(["a-b"], sep=["-", "b"])


@case
def split_nothing(tf):
    return tf.strings.split(tf.constant([], tf.string))


@case
def split_numbers(tf):
    return tf.strings.split([1, 2])


@case
def split_in_a_function(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def f(x):
        return tf.strings.split(x)

    return f(["a b", "c"])


@case
def split_unknown_rank_is_refused(tf):
    @tf.function(input_signature=[tf.TensorSpec(None, tf.string)])
    def f(x):
        return tf.strings.split(x)

    return f(["a b", "c"])


@case
def split_of_invalid_bytes(tf):
    return tf.strings.split([b"a\xff b\xc2\xa0c", "x\xa0y\u3000z\x1cw\x85v"])


@case
def bytes_split(tf):
    return [tf.strings.bytes_split(x) for x in ("é", ["ab", ""], [["a"], ["bc"]])]


@case
def bytes_split_ragged(tf):
    return tf.strings.bytes_split(tf.ragged.constant([["ab"], []]))


@case(width=[1, 2, 3, [1, 2], [3, 1], 5])
def ngrams(tf, width):
    return tf.strings.ngrams(tf.ragged.constant([["a", "b", "c"], [], ["d"]]), width, separator="|")


@case(pad=["x", ("<", ">"), None], padding=[None, 1, 2], short=[False, True])
def ngrams_padded(tf, pad, padding, short):
    return tf.strings.ngrams(tf.ragged.constant([["a", "b", "c"], [], ["d"]]), 3, "|", pad, padding, short)


@case(width=[0, -1, [], "2", 1.5])
def ngrams_of_a_bad_width(tf, width):
    return tf.strings.ngrams(["a", "b"], width)


@case(pad=[1, ("a",), ("a", 1), "", ["<", ">"]])
def ngrams_with_bad_pads(tf, pad):
    return tf.strings.ngrams(["a", "b"], 2, pad_values=pad)


@case(padding=[0, -1])
def ngrams_with_bad_padding_width(tf, padding):
    return tf.strings.ngrams(["a", "b"], 2, pad_values="x", padding_width=padding)


@case
def ngrams_of_dense(tf):
    return [tf.strings.ngrams(["a", "b", "c"], 2), tf.strings.ngrams([["a", "b"], ["c", "d"]], 2)]


@case
def ngrams_of_a_scalar(tf):
    return tf.strings.ngrams("a", 2)


@case
def ngrams_of_numbers(tf):
    return tf.strings.ngrams([1, 2], 2)


@case
def ngrams_of_deeper_ragged(tf):
    return tf.strings.ngrams(tf.ragged.constant([[["a", "b"], ["c"]], [["d", "e", "f"]]]), 2)
