"""`tf.io`: files, bytes and what they hold."""
