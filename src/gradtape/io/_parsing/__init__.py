"""`tf.io.parse_example` and its relatives.

features.py   what is wanted of a record: FixedLenFeature and the others
records.py    serialized records taken apart
columns.py    one feature of a batch of records as arrays
plain.py      parse_example, parse_single_example
sequences.py  parse_sequence_example, parse_single_sequence_example
ragged.py     RaggedFeature: partitions of values
"""
