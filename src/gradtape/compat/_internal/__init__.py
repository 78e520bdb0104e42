"""TensorFlow's internal names, as far as libraries use them: tables of names, and objects without a public name.

`python_table` and `exported_table` are `tensorflow.python.*`, `double_underscore_table` is `tf.__internal__` and `tf.__operators__`, `raw_ops_table` is
`tf.raw_ops`, `messages_table` is `tensorflow.core`, `compiler` and `tools`. The other files have the functions and classes.
"""
