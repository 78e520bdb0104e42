"""Regular expressions."""

from behaviour import case

TEXTS = ["abc", "", "a\nb", "Äé1", b"a\xffb"]


@case(
    pattern=["a.*", r"\pL+", "[[:alpha:]]*", r"\w+", r"(?i)ABC", r"a\z", "(?s)a.b", r"\C+", "", "^$", r"\x{41}", r"\pN"]
)
def full_match(tf, pattern):
    return tf.strings.regex_full_match(TEXTS, pattern)


@case(pattern=["(", "(?=a)", r"(a)\1", "a**", "[b-a]", r"\Z", "a{1001}", "(?P<n>", "[[:foo:]]", "\\"])
def full_match_refuses(tf, pattern):
    return tf.strings.regex_full_match(TEXTS, pattern)


@case(pattern=["a", "b*", "(a)(b)?", r"\b", ".", "^", "$", "x"], rewrite=["", "-", r"<\0>", r"\1", r"\2", r"\\", r"\q"])
def replace(tf, pattern, rewrite):
    return [tf.strings.regex_replace(TEXTS, pattern, rewrite, replace_global=g) for g in (True, False)]


@case
def replace_with_tensors(tf):
    return tf.strings.regex_replace(tf.constant([["ab"], ["b"]]), tf.constant("b"), tf.constant("c"))


@case
def replace_with_a_vector_of_patterns(tf):
    return tf.strings.regex_replace(["a"], tf.constant(["a"]), "b")


@case
def replace_in_a_function(tf):
    return tf.function(lambda x, p, r: tf.strings.regex_replace(x, p, r))(
        tf.constant(["ab", "b"]), tf.constant("[ab]"), tf.constant(r"\0\0")
    )


@case
def match_in_a_dataset(tf):
    texts = tf.data.Dataset.from_tensor_slices(["ab", "c"])
    return list(texts.map(lambda x: tf.strings.regex_full_match(x, "a.")))


@case
def match_of_ragged(tf):
    return tf.strings.regex_full_match(tf.ragged.constant([["a"], ["b", "aa"]]), "a+")


@case
def match_of_numbers(tf):
    return tf.strings.regex_full_match([1, 2], "a")


@case
def nested_quantifiers_end(tf):
    return tf.strings.regex_full_match(["a" * 60 + "!"], "(a+)+$")
