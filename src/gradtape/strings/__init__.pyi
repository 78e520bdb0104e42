# Written by tools/stubs.py.
# ruff: noqa
from gradtape.arrays.representation import as_string
from gradtape.strings._case_and_parts import length
from gradtape.strings._case_and_parts import lower
from gradtape.strings._case_and_parts import strip
from gradtape.strings._case_and_parts import substr
from gradtape.strings._case_and_parts import to_number
from gradtape.strings._case_and_parts import upper
from gradtape.strings._hash_buckets import to_hash_bucket
from gradtape.strings._hash_buckets import to_hash_bucket_fast
from gradtape.strings._hash_buckets import to_hash_bucket_strong
from gradtape.strings._join import format
from gradtape.strings._join import join
from gradtape.strings._join import reduce_join
from gradtape.strings._join import unsorted_segment_join
from gradtape.strings._patterns import regex_full_match
from gradtape.strings._patterns import regex_replace
from gradtape.strings._scripts import unicode_script
from gradtape.strings._split import bytes_split
from gradtape.strings._split import ngrams
from gradtape.strings._split import split
from gradtape.strings._unicode import unicode_decode
from gradtape.strings._unicode import unicode_decode_with_offsets
from gradtape.strings._unicode import unicode_encode
from gradtape.strings._unicode import unicode_split
from gradtape.strings._unicode import unicode_split_with_offsets
from gradtape.strings._unicode import unicode_transcode

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "to_number",
    "unicode_decode",
    "unicode_decode_with_offsets",
    "unicode_encode",
    "unicode_script",
    "unicode_split",
    "unicode_split_with_offsets",
    "unicode_transcode",
    "unsorted_segment_join",
    "upper",
]
