"""Functions of square matrices: `tf.linalg.expm`, `logm`, `sqrtm`, and `matrix_power`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.api.families import family
from gradtape.core import convert, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.family import dims
from gradtape.ops.matmul import MatMul
from gradtape.ops.matrix_functions import Expm, Logm, Sqrtm
from gradtape.ops.movement import BroadcastTo
from gradtape.ops.solve import MatrixInverse


@family("A tensor of the same shape.", input="matrices `[..., n, n]`.")
def _of_matrices(who: str, op: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(input: Any, name: str | None = None) -> Tensor:
        return op(tensor(input))

    return function


expm = _of_matrices(
    "expm",
    "The exponentials of square matrices: the sum of `a^n / n!`.",
    "tf.linalg.expm([[0.0, 2.0], [0.0, 0.0]]).numpy() -> array([[1., 2.],\n       [0., 1.]], dtype=float32)",
    Expm,
)
logm = _of_matrices(
    "logm",
    "The principal logarithms of square matrices: the inverse of `expm`.",
    "tf.linalg.logm([[1.0, 2.0], [0.0, 1.0]]).numpy() -> array([[0., 2.],\n       [0., 0.]], dtype=float32)",
    Logm,
    input=(
        "matrices `[..., n, n]`. Real ones must not have negative eigenvalues, unless they are cast to a complex\n"
        "    dtype first. Singular ones give NaN."
    ),
)
sqrtm = _of_matrices(
    "sqrtm",
    "The principal square roots of square matrices: those whose eigenvalues have no negative real parts.",
    "tf.linalg.sqrtm([[1.0, 2.0], [0.0, 1.0]]).numpy() -> array([[1., 1.],\n       [0., 1.]], dtype=float32)",
    Sqrtm,
    input=(
        "matrices `[..., n, n]`. Real ones must not have negative eigenvalues, unless they are cast to a complex\n"
        "    dtype first."
    ),
)


def matrix_power(a: Any, n: Any, name: str | None = None) -> Tensor:
    """Square matrices multiplied by themselves. TensorFlow has no such function.

    Args:
      a: matrices `[..., m, m]`.
      n: an int; 0 gives identity matrices, a negative one powers of the inverses.

    Returns:
      A tensor of the same shape.

    >>> tf.linalg.matrix_power([[1.0, 1.0], [0.0, 1.0]], 5).numpy()
    array([[1., 5.],
           [0., 1.]], dtype=float32)
    """
    x = tensor(a)
    shape = dims(x)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise errors.build(
            errors.ShapeError,
            f"matrix_power: a is {spec_of(x)}, and the last two dimensions must be those of square matrices.",
            "give matrices [..., m, m].",
        )
    exponent = integer(n, "matrix_power", "n")
    if exponent < 0:
        x, exponent = MatrixInverse(x, adjoint=False), -exponent
    if not exponent:
        one = convert.convert_to_tensor(np.eye(shape[-1]).astype(x.dtype.numpy))
        return BroadcastTo(one, shape=shape)
    result = None
    while exponent:
        if exponent % 2:
            result = x if result is None else MatMul(result, x)
        exponent //= 2
        if exponent:
            x = MatMul(x, x)
    return result  # type: ignore[return-value]
