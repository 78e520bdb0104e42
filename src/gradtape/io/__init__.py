"""`tf.io`: files, records, and bytes that stand for tensors and images.

_compressed.py    Files of bytes that may be compressed, to read from
_csv.py           Lines of comma separated values (RFC 4180) as one tensor for each column
_decode_raw.py    Strings of bytes that stand for something else: numbers, base64, compressed data
_gfile.py         Files and directories of this computer
_gfile_object.py  An open file
_paths.py         Paths of local files: text, bytes, `pathlib`, or string tensors
_read_write.py    Whole files: `tf.io.read_file`, `write_file`, `matching_files`
_tfrecord.py      TFRecord files: records of bytes with checksums
gfile.py          Files and directories of this computer
_parsing/         `tf.io.parse_example` and its relatives
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.io.gfile": "*",
    "gradtape.io._csv": "decode_csv",
    "gradtape.io._decode_raw": "decode_base64 decode_compressed decode_raw encode_base64",
    "gradtape.io._tfrecord": "TFRecordOptions TFRecordWriter",
    "gradtape.image._decode": "decode_bmp decode_gif decode_image decode_png decode_webp",
    "gradtape.image._decode_jpeg": "decode_and_crop_jpeg decode_jpeg extract_jpeg_shape is_jpeg",
    "gradtape.image._encode": "encode_jpeg encode_png",
    "gradtape.protos.tensor_proto": "parse_tensor serialize_tensor",
    "gradtape.io._parsing.feature_specs": (
        "FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature VarLenFeature"
    ),
    "gradtape.io._parsing.json_example": "decode_json_example",
    "gradtape.io._parsing.serialize_sparse": "deserialize_many_sparse serialize_many_sparse serialize_sparse",
    "gradtape.io._parsing.parse_example": "parse_example parse_single_example",
    "gradtape.io._parsing.parse_sequence": "parse_sequence_example parse_single_sequence_example",
    "gradtape.io._read_write": "match_filenames_once matching_files read_file write_file",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
