"""`tf.strings`: functions of strings.

Strings are bytes in arrays of Python objects; functions in graphs call the same code when they run.

    _arguments.py       What functions of strings have in common: arguments that are strings, and results that are
    _case_and_parts.py  Functions of each string: case, parts, numbers
    _hash_buckets.py    Strings as numbers of buckets: the same numbers as TensorFlow's, on every machine
    _join.py            Strings joined: of several tensors, along axes, by segments, into a template
    _patterns.py        Functions of strings that match regular expressions
    _re2.py             Regular expressions by RE2: in time that grows with the text alone
    _scripts.py         The script in which a character is written: Latin, Greek, Han
    _split.py           Strings split into parts: a ragged tensor, with a row for each string
    _unicode.py         Strings as characters: decoded, encoded, and in other encodings
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.strings._case_and_parts": "length lower strip substr to_number upper",
    "gradtape.strings._hash_buckets": "to_hash_bucket to_hash_bucket_fast to_hash_bucket_strong",
    "gradtape.strings._join": "format join reduce_join unsorted_segment_join",
    "gradtape.strings._patterns": "regex_full_match regex_replace",
    "gradtape.strings._scripts": "unicode_script",
    "gradtape.strings._split": "bytes_split ngrams split",
    "gradtape.strings._unicode": (
        "unicode_decode unicode_decode_with_offsets unicode_encode unicode_split unicode_split_with_offsets "
        "unicode_transcode"
    ),
    "gradtape.arrays.representation": "as_string",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
