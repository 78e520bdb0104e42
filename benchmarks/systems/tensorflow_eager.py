"""TensorFlow, eager: no tf.function."""

from __future__ import annotations

import tensorflow as tf

from systems.op_tape import OpPrograms
from systems.tape import TapePrograms


def use_threads(count: int) -> None:
    """Size the pools, before the first op starts them; and no warning about the functions that `jacobian` traces."""
    tf.get_logger().setLevel("ERROR")
    tf.config.threading.set_intra_op_parallelism_threads(count)
    tf.config.threading.set_inter_op_parallelism_threads(count)


programs = TapePrograms(tf)
to_numpy = programs.to_numpy
square = programs.square
multiplies = programs.multiplies
training_step = programs.training_step
elementwise = programs.elementwise
jacobian = programs.jacobian

ops = OpPrograms(tf)
convolution = ops.convolution
batched_matmul = ops.batched_matmul
softmax = ops.softmax
layer_normalization = ops.layer_normalization
embedding = ops.embedding
sort = ops.sort
top_k = ops.top_k
