"""Messages of protocol buffers: their wire format, and the ones that TensorFlow keeps in files."""
