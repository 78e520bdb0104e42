"""`tf.linalg`'s functions on operators: `tf.linalg.matmul(operator, x)`, `inv(operator)` and the like are their methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import doors, errors

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


def answer(kind: type, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a function of `tf.linalg` with operators, of the class `kind`, among its arguments; NotImplemented if it
    takes none."""
    room, name = doors.key_of(function)
    if room != "linalg":
        return NotImplemented
    if name == "matmul":
        return _product(kind, *args, **kwargs)
    if not isinstance(args[0], kind):
        return NotImplemented
    if name in _METHODS:
        return getattr(args[0], _METHODS[name])()
    ours: Any = {"matvec": _matvec, "solve": _solve}.get(name)
    return NotImplemented if ours is None else ours(*args, **kwargs)
