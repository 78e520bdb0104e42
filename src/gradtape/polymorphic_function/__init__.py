"""`tf.function`: signatures, the cache of traces, concrete functions."""
