"""`tf.image`, one module per subject; images are `[height, width, channels]` or a batch of these."""
