"""`tf.linalg`'s functions on operators: `tf.linalg.matmul(operator, x)`, `inv(operator)` and the like are their methods."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gradtape.api import dispatching
from gradtape.core import errors

# By function, the method that does the same.
_METHODS = {
    "adjoint": "adjoint",
    "cholesky": "cholesky",
    "det": "determinant",
    "diag_part": "diag_part",
    "eigvalsh": "eigvals",
    "inv": "inverse",
    "logdet": "log_abs_determinant",
    "trace": "trace",
}


@functools.cache
def take_operators(kind: type) -> None:
    """Let the functions of `tf.linalg`, and `tf.matmul`, take operators; once, when the first is made."""
    dispatching.replace(kind, {"linalg": " ".join(_METHODS)}, _method)
    products = functools.partial(_product, kind)
    dispatching.replace(kind, {"": "matmul", "linalg": "matmul"}, lambda function: products)
    dispatching.replace(kind, {"linalg": "matvec"}, lambda function: _matvec)
    dispatching.replace(kind, {"linalg": "solve"}, lambda function: _solve)


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    name = _METHODS[function.__name__]
    return lambda operator, **options: getattr(operator, name)()


def _product(
    kind: Any,
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    **options: Any,
) -> Any:
    """The product of an operator with a matrix, of a matrix with an operator, or of two operators."""
    if transpose_a or transpose_b:
        raise ValueError(errors.compose("matmul: operators cannot be transposed.", "use adjoint_a and adjoint_b."))
    if isinstance(a, kind):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    # (a b)^H = b^H a^H
    from gradtape.linalg._diagonals import adjoint

    return adjoint(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))


def _matvec(a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, **options: Any) -> Any:
    if transpose_a:
        raise ValueError(errors.compose("matvec: operators cannot be transposed.", "use adjoint_a."))
    return a.matvec(b, adjoint=adjoint_a)


def _solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    return matrix.solve(rhs, adjoint=adjoint)
