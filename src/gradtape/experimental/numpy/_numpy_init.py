"""The functions of `tf.experimental.numpy`: NumPy's names and signatures, with dtypes promoted as NumPy does."""
