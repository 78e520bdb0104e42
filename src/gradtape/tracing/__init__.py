"""`tf.function`: tracing, the cache of traces, and functions as ops that tapes see as one."""
