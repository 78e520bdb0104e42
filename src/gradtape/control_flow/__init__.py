"""Control flow as functions: `tf.cond`, `tf.while_loop`, `tf.map_fn`, `tf.TensorArray`.

dependencies.py  tf.control_dependencies: an order that the text of the program gives already
functions.py     Control flow as functions
mapping.py       Functions over the rows of tensors, one row after the other: `tf.map_fn`, `tf.scan`, `tf.foldl`
tensor_array.py  TensorArray: tensors by number, written one by one and read together
"""
