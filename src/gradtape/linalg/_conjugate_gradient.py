"""Iterative solvers: `tf.linalg.experimental.conjugate_gradient`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import broadcast, spec_of
from gradtape.core.tensor import Tensor, host
from gradtape.ops.division import DivideNoNan
from gradtape.ops.family import conj, dims
from gradtape.ops.movement import BroadcastTo, Reshape
from gradtape.ops.reduction import ReduceSum


class CGState(NamedTuple):
    """The final state of the conjugate gradient method.

    Attributes:
      i: the number of steps.
      x: the solution.
      r: the residual, `rhs - A x`.
      p: the next direction.
      gamma: the squared norm of the residual, in the norm of the preconditioner.
    """

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def conjugate_gradient(
    operator: Any,
    rhs: Any,
    preconditioner: Any = None,
    x: Any = None,
    tol: float = 1e-5,
    max_iter: Any = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """The solution of `A x = rhs` for a self-adjoint positive definite A, using only products with vectors.

    Args:
      operator: A, an object with a method `matvec(x)` and a `shape`.
      rhs: the right-hand side, or several, `[..., n]`.
      preconditioner: an approximation of the inverse of A, such an object too.
      x: where to start; zeros by default.
      tol: stop when the norm of each residual is at most this part of the norm of its right-hand side.
      max_iter: stop after as many steps.

    Returns:
      A named tuple `(i, x, r, p, gamma)`: the number of steps, the solution, the residual, the next direction, and the
      squared norm of the residual.

    >>> class Twice:
    ...     shape = (2, 2)
    ...     def matvec(self, x):
    ...         return 2.0 * x
    >>> tf.linalg.experimental.conjugate_gradient(Twice(), tf.constant([2.0, 4.0])).x.numpy()
    array([1., 2.], dtype=float32)
    """
    for flag in ("is_self_adjoint", "is_positive_definite"):
        if not getattr(operator, flag, True):
            raise errors.build(
                errors.ConversionError,
                f"conjugate_gradient: Expected a self-adjoint, positive definite operator: operator.{flag} must be True, got "
                f"{getattr(operator, flag)}.",
                f"pass {flag}=True when you make the operator, if that holds.",
            )
    b = tensor(rhs)
    shape = _common_shape(operator, preconditioner, b)
    b = BroadcastTo(b, shape=shape)
    if x is None:
        start: Any = convert.convert_to_tensor(np.zeros(shape, b.dtype.numpy))
        residual = b
    else:
        start = BroadcastTo(convert.like(x, b.dtype), shape=shape)
        residual = b - operator.matvec(start)
    state = _begin(start, residual, preconditioner)
    steps = integer(max_iter, "conjugate_gradient", "max_iter")
    count = 0
    while count < steps and _unfinished(state.r, b, tol):
        state = _step(operator, preconditioner, state)
        count += 1
    gamma = Reshape(state.gamma, shape=shape[:-1])
    return state._replace(i=convert.convert_to_tensor(count, dtypes.int32), gamma=gamma)


def _begin(x: Any, r: Any, preconditioner: Any) -> CGState:
    p = r if preconditioner is None else preconditioner.matvec(r)
    return CGState(0, x, r, p, _dot(r, p))


def _step(operator: Any, preconditioner: Any, state: CGState) -> CGState:
    z = operator.matvec(state.p)
    alpha = DivideNoNan(state.gamma, _dot(state.p, z))
    x = state.x + alpha * state.p
    r = state.r - alpha * z
    q = r if preconditioner is None else preconditioner.matvec(r)
    gamma = _dot(r, q)
    return CGState(0, x, r, q + DivideNoNan(gamma, state.gamma) * state.p, gamma)


def _unfinished(r: Any, b: Any, tol: float) -> bool:
    """True if a residual is still too large.

    The examples of a vectorised map have no values here: they take all steps, which change nothing after convergence.
    """
    if type(r) is not Tensor or type(b) is not Tensor:
        return True
    norms = [np.linalg.norm(host(v), axis=-1) for v in (r, b)]
    return bool(np.any(norms[0] > tol * norms[1]))


def _dot(a: Any, b: Any) -> Any:
    """The inner products of vectors, with an axis of length 1."""
    return ReduceSum(conj(a) * b, axis=(b.ndim - 1,), keepdims=True)


def _common_shape(operator: Any, preconditioner: Any, b: Any) -> tuple[int, ...]:
    """The shape of all vectors."""
    shape: tuple[int, ...] | None = dims(b)
    for factor in (operator, preconditioner):
        own = None if factor is None else tuple(factor.shape)
        if own is not None and shape is not None:
            shape = None if not shape or own[-1] != shape[-1] else broadcast(shape, (*own[:-2], own[-1]))
    if shape is None:
        raise errors.build(
            errors.ShapeError,
            f"conjugate_gradient: operator has shape {list(operator.shape)}, rhs is {spec_of(b)}: these do not match.",
            "give vectors [..., n] for operators [..., n, n].",
        )
    return shape
