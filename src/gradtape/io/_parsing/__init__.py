"""`tf.io.parse_example` and its relatives.

feature_specs.py     what is wanted of a record: FixedLenFeature and the others
wire_records.py      serialized records taken apart
columns.py           one feature of a batch of records as arrays
sequence_columns.py  one feature of the steps of sequences as arrays
parse_example.py     parse_example, parse_single_example
parse_sequence.py    parse_sequence_example, parse_single_sequence_example
ragged_features.py   RaggedFeature: partitions of values
json_example.py      decode_json_example
serialize_sparse.py  sparse tensors as strings
"""
