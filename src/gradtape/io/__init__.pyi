# Written by tools/stubs.py.
# ruff: noqa
from gradtape.image._decode import decode_bmp
from gradtape.image._decode import decode_gif
from gradtape.image._decode import decode_image
from gradtape.image._decode import decode_png
from gradtape.image._decode import decode_webp
from gradtape.image._decode_jpeg import decode_and_crop_jpeg
from gradtape.image._decode_jpeg import decode_jpeg
from gradtape.image._decode_jpeg import extract_jpeg_shape
from gradtape.image._decode_jpeg import is_jpeg
from gradtape.image._encode import encode_jpeg
from gradtape.image._encode import encode_png
from gradtape.io import gfile
from gradtape.io._csv import decode_csv
from gradtape.io._decode_raw import decode_base64
from gradtape.io._decode_raw import decode_compressed
from gradtape.io._decode_raw import decode_raw
from gradtape.io._decode_raw import encode_base64
from gradtape.io._parsing.feature_specs import FixedLenFeature
from gradtape.io._parsing.feature_specs import FixedLenSequenceFeature
from gradtape.io._parsing.feature_specs import RaggedFeature
from gradtape.io._parsing.feature_specs import SparseFeature
from gradtape.io._parsing.feature_specs import VarLenFeature
from gradtape.io._parsing.json_example import decode_json_example
from gradtape.io._parsing.parse_example import parse_example
from gradtape.io._parsing.parse_example import parse_single_example
from gradtape.io._parsing.parse_sequence import parse_sequence_example
from gradtape.io._parsing.parse_sequence import parse_single_sequence_example
from gradtape.io._parsing.serialize_sparse import deserialize_many_sparse
from gradtape.io._parsing.serialize_sparse import serialize_many_sparse
from gradtape.io._parsing.serialize_sparse import serialize_sparse
from gradtape.io._read_write import match_filenames_once
from gradtape.io._read_write import matching_files
from gradtape.io._read_write import read_file
from gradtape.io._read_write import write_file
from gradtape.io._tfrecord import TFRecordOptions
from gradtape.io._tfrecord import TFRecordWriter
from gradtape.protos.tensor_proto import parse_tensor
from gradtape.protos.tensor_proto import serialize_tensor

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_and_crop_jpeg",
    "decode_base64",
    "decode_bmp",
    "decode_compressed",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_json_example",
    "decode_png",
    "decode_raw",
    "decode_webp",
    "deserialize_many_sparse",
    "encode_base64",
    "encode_jpeg",
    "encode_png",
    "extract_jpeg_shape",
    "gfile",
    "is_jpeg",
    "match_filenames_once",
    "matching_files",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_many_sparse",
    "serialize_sparse",
    "serialize_tensor",
    "write_file",
]
