"""`tf.summary`: events in files that TensorBoard shows."""
