"""Functions of square matrices: `tf.linalg.expm`, `logm`, `sqrtm`, and `matrix_power`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.core import convert, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.family import dims
from gradtape.ops.matmul import MatMul
from gradtape.ops.matrix_functions import Expm, Logm, Sqrtm
from gradtape.ops.movement import BroadcastTo
from gradtape.ops.solve import MatrixInverse


def expm(input: Any, name: str | None = None) -> Tensor:
    """The exponentials of square matrices: the sum of `a^n / n!`.

    Args:
      input: matrices `[..., n, n]`.

    Returns:
      A tensor of the same shape.

    >>> tf.linalg.expm([[0.0, 2.0], [0.0, 0.0]]).numpy()
    array([[1., 2.],
           [0., 1.]], dtype=float32)
    """
    return Expm(tensor(input))


def logm(input: Any, name: str | None = None) -> Tensor:
    """The principal logarithms of square matrices: the inverse of `expm`.

    Args:
      input: matrices `[..., n, n]`. Real ones must not have negative eigenvalues, unless they are cast to a complex
        dtype first. Singular ones give NaN.

    Returns:
      A tensor of the same shape.

    >>> tf.linalg.logm([[1.0, 2.0], [0.0, 1.0]]).numpy()
    array([[0., 2.],
           [0., 0.]], dtype=float32)
    """
    return Logm(tensor(input))


def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """The principal square roots of square matrices: those whose eigenvalues have no negative real parts.

    Args:
      input: matrices `[..., n, n]`. Real ones must not have negative eigenvalues, unless they are cast to a complex
        dtype first.

    Returns:
      A tensor of the same shape.

    >>> tf.linalg.sqrtm([[1.0, 2.0], [0.0, 1.0]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    return Sqrtm(tensor(input))


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
