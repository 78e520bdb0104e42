"""Messages of protocol buffers: their wire format, and the ones that TensorFlow keeps in files.

containers.py    Fields of several values: lists that check what is put into them, and maps of messages
example.py       `tf.train.Example` and the messages that it consists of
fields.py        Fields of messages: what they hold, and how they are written
message.py       Messages: objects with typed fields that behave as those of Google's protobuf library do
scalars.py       Single values of messages: their checks, and how they are written and read
tensor_proto.py  Tensors as bytes: `tf.io.serialize_tensor`, `tf.make_tensor_proto` and their inverses
text_format.py   Messages as text, in the form that protobuf's `str` gives
wire_format.py   The wire format of protocol buffers: fields as tags and values, numbers as varints
"""
