"""TensorFlow's inside as far as libraries ask for it: tables of names, and what has no public name.

`python_table` and `exported_table` are `tensorflow.python.*`, `double_underscore_table` is `tf.__internal__` and `tf.__operators__`, `raw_ops_table` is
`tf.raw_ops`, `messages_table` is `tensorflow.core`, `compiler` and `tools`. The other files have the functions and classes.
"""
