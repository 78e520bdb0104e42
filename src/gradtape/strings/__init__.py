"""`tf.strings`: functions of strings."""

from gradtape.core import lazy

_NAMES = "gradtape.names.strings."
_LATER = {
    _NAMES + "changing": "length lower regex_full_match regex_replace strip substr to_number upper",
    _NAMES + "hashing": "to_hash_bucket to_hash_bucket_fast to_hash_bucket_strong",
    _NAMES + "joining": "format join reduce_join unsorted_segment_join",
    _NAMES + "splitting": "bytes_split ngrams split",
    _NAMES + "unicode": (
        "unicode_decode unicode_decode_with_offsets unicode_encode unicode_split unicode_split_with_offsets "
        "unicode_transcode"
    ),
    "gradtape.arrays.representation": "as_string",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
