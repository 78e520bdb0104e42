"""`tf.io`: files, records, and bytes that stand for tensors and images."""

from gradtape.core import lazy

_LATER = {
    "gradtape.io.gfile": "*",
    "gradtape.names.files.csv_records": "decode_csv",
    "gradtape.names.files.encodings": "decode_base64 decode_compressed decode_raw encode_base64",
    "gradtape.names.files.records": "TFRecordOptions TFRecordWriter",
    "gradtape.names.images.decoding": "decode_bmp decode_gif decode_image decode_png decode_webp",
    "gradtape.names.images.jpegs": "decode_and_crop_jpeg decode_jpeg extract_jpeg_shape is_jpeg",
    "gradtape.names.images.encoding": "encode_jpeg encode_png",
    "gradtape.names.protos.tensors": "parse_tensor serialize_tensor",
    "gradtape.names.parsing.features": (
        "FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature VarLenFeature"
    ),
    "gradtape.names.parsing.json_records": "decode_json_example",
    "gradtape.names.parsing.sparse_strings": "deserialize_many_sparse serialize_many_sparse serialize_sparse",
    "gradtape.names.parsing.plain": "parse_example parse_single_example",
    "gradtape.names.parsing.sequences": "parse_sequence_example parse_single_sequence_example",
    "gradtape.names.files.whole": "match_filenames_once matching_files read_file write_file",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
