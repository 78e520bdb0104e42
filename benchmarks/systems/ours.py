"""gradtape, eager."""

from __future__ import annotations

import gradtape as tf
from systems.op_tape import OpPrograms
from systems.tape import TapePrograms


def use_threads(count: int) -> None:
    """BLAS and the kernels for large arrays take the number from the environment."""


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
