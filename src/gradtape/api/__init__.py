"""Functions with TensorFlow's names and signatures: arguments become tensors, then ops run.

absent.py            Names of TensorFlow that are left out on purpose: why, and what to use instead
arguments.py         Arguments of public functions in the form that ops take: tensors, axes
array_op.py          Functions of NumPy arrays as ops without a derivative: what computes positions, or texts
effects.py           What public functions do besides computing: at once
families.py          Public functions made of elementwise ops: their arguments become tensors, and the op runs
habits.py            Names that people type from habit: of TensorFlow 1, PyTorch, JAX and NumPy
host_op.py           Functions of NumPy arrays that are one op: files are read, bytes decoded, events written
keras_habits.py      Names that people look for in Keras's modules: of PyTorch, Keras 2 and TensorFlow 1
numerals.py          Numbers in text, as TensorFlow reads them
structure.py         Values taken apart into tensors and what is left without them
window_arguments.py  Arguments of functions with moving windows: data formats, strides and sizes per axis, padding
"""
