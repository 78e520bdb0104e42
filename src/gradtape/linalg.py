"""`tf.linalg`: products, norms and transposes of matrices."""

from gradtape.names.clipping import (
    global_norm,
)
from gradtape.names.creating import (
    eye,
)
from gradtape.names.linear import (
    l2_normalize,
    matmul,
    matvec,
    norm,
    normalize,
    tensordot,
)
from gradtape.names.moving import (
    matrix_transpose,
)

__all__ = [
    "eye",
    "global_norm",
    "l2_normalize",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "tensordot",
]
