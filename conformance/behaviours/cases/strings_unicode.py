"""Strings as characters."""

from behaviour import case

TEXTS = ["aé中\U0001f600", "", "\0\x01\x7f\x80"]
BROKEN = [b"a\xffb", b"\xe2\x82", b"\xf0\x9f\x98a", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\x80"]


@case(encoding=["UTF-8", "UTF-16-BE", "UTF-32-BE"])
def decode(tf, encoding):
    texts = [t.encode(encoding) for t in TEXTS]
    return tf.strings.unicode_decode(texts, encoding)


@case(errors=["replace", "ignore", "strict"])
def decode_broken(tf, errors):
    return tf.strings.unicode_decode(BROKEN, "UTF-8", errors=errors)


@case(errors=["replace", "ignore"])
def decode_broken_with_offsets(tf, errors):
    return tf.strings.unicode_decode_with_offsets(BROKEN, "UTF-8", errors=errors)


@case(errors=["replace", "ignore"])
def split_broken(tf, errors):
    return tf.strings.unicode_split(BROKEN, "UTF-8", errors=errors)


@case(replacement=[ord("?"), 0x4E2D, 0])
def decode_with_a_replacement(tf, replacement):
    return tf.strings.unicode_decode(BROKEN, "UTF-8", replacement_char=replacement)


@case(replacement=[-1, 0x110000, 0xD800])
def decode_with_a_bad_replacement(tf, replacement):
    return tf.strings.unicode_decode(BROKEN, "UTF-8", replacement_char=replacement)


@case(errors=["replace", "ignore"])
def decode_control_characters(tf, errors):
    return tf.strings.unicode_decode(TEXTS, "UTF-8", errors=errors, replace_control_characters=True)


@case(name=["unicode_decode", "unicode_split"])
def characters_of_any_rank(tf, name):
    f = getattr(tf.strings, name)
    return [f("aé", "UTF-8"), f([["aé"], ["b"]], "UTF-8"), f(tf.ragged.constant([["aé"], []]), "UTF-8")]


@case(name=["unicode_decode_with_offsets", "unicode_split_with_offsets"])
def offsets_of_any_rank(tf, name):
    f = getattr(tf.strings, name)
    return [f("aé中", "UTF-8"), f([["aé"], ["b"]], "UTF-8")]


@case(encoding=["", "foo", "utf8", "utf-8", "latin1", "US-ASCII", "Shift_JIS"])
def decode_from_another_encoding(tf, encoding):
    return tf.strings.unicode_decode(["abc"], encoding)


@case
def decode_utf16_broken(tf):
    return tf.strings.unicode_decode([b"\x00a\xd8\x00\x00b", b"\x00", b"\x00a\xdc\x00"], "UTF-16-BE")


@case
def decode_with_bad_errors(tf):
    return tf.strings.unicode_decode(["a"], "UTF-8", errors="oops")


@case(encoding=["UTF-8", "UTF-16-BE", "UTF-32-BE"])
def encode(tf, encoding):
    return tf.strings.unicode_encode(tf.ragged.constant([[97, 233], [], [0x1F600]]), encoding)


@case(errors=["replace", "ignore", "strict"])
def encode_what_is_no_character(tf, errors):
    return tf.strings.unicode_encode([[97, 0xD800, 0x110000, -1, 98]], "UTF-8", errors=errors)


@case
def encode_any_rank(tf):
    f = tf.strings.unicode_encode
    return [f([97, 98], "UTF-8"), f([[97], [98]], "UTF-8"), f(tf.ragged.constant([[[97], [98, 99]], [[]]]), "UTF-8")]


@case
def encode_a_scalar(tf):
    return tf.strings.unicode_encode(97, "UTF-8")


@case
def encode_to_another_encoding(tf):
    return tf.strings.unicode_encode([97], "latin-1")


@case
def encode_strings(tf):
    return tf.strings.unicode_encode(["a"], "UTF-8")


@case(
    source=["UTF-8", "US-ASCII", "ISO-8859-1", "windows-1252", "latin-1", "cp437"],
    target=["UTF-8", "UTF-16-BE", "UTF-32-BE"],
)
def transcode(tf, source, target):
    return tf.strings.unicode_transcode([b"abc", b"\xe9\x80x", b""], source, target)


@case(errors=["replace", "ignore", "strict"])
def transcode_broken(tf, errors):
    return tf.strings.unicode_transcode(BROKEN, "UTF-8", "UTF-8", errors=errors, replacement_char=ord("?"))


@case(target=["latin-1", "UTF-16-LE", "utf-8"])
def transcode_to_another_encoding(tf, target):
    return tf.strings.unicode_transcode(["a"], "UTF-8", target)


@case(policy=["replace", "ignore", "strict"])
def transcode_control_characters(tf, policy):
    return tf.strings.unicode_transcode(["a\x01\tb\n"], "UTF-8", "UTF-8", policy, 63, True)


@case
def transcode_ragged(tf):
    return tf.strings.unicode_transcode(tf.ragged.constant([["a"], []]), "UTF-8", "UTF-16-BE")


@case
def script(tf):
    return tf.strings.unicode_script([97, 0x3B1, 0x4E2D, 0x30A2, 32, -1, 0x10FFFF, 0x11FFFF])


@case
def script_of_ragged(tf):
    return tf.strings.unicode_script(tf.ragged.constant([[97], [0x3B1, 49]]))
