"""Control flow as functions: `tf.cond`, `tf.while_loop`, `tf.map_fn`, `tf.TensorArray`."""
