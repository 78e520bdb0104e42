"""Decompositions of matrices under TensorFlow's names, and what follows from singular values: rank and pseudo-inverse.

On what their gradients are worth where singular values or eigenvalues are equal, see `gradtape.ops.decomposition`.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

import numpy as np

from gradtape.api.arguments import tensor as as_tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.cast import Cast
from gradtape.ops.cholesky import Cholesky
from gradtape.ops.decomposition import column, columns, diagonal, like, row
from gradtape.ops.diagonal import Diag
from gradtape.ops.division import DivideNoNan
from gradtape.ops.eigen import Eig, Eigh, Eigvalsh
from gradtape.ops.family import conj, dims
from gradtape.ops.lu import Lu as LuOp
from gradtape.ops.matmul import MatMul
from gradtape.ops.pseudo_inverse import PseudoInverse
from gradtape.ops.qr import Qr as QrOp
from gradtape.ops.reduction import CountNonzero, ReduceMax
from gradtape.ops.selection import Keep, number
from gradtape.ops.slicing import StridedSlice
from gradtape.ops.svd import SingularValues, Svd


class Qr(NamedTuple):
    """The factors of a QR decomposition."""

    q: Tensor
    r: Tensor


class Lu(NamedTuple):
    """The factors of an LU decomposition in one matrix, and the order of the rows."""

    lu: Tensor
    p: Tensor


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The Cholesky factors of Hermitian positive definite matrices: lower triangular `l` with `l l^H = input`.

    Only the lower triangles are read. A matrix that is not positive definite gives nan, and a warning in the log. The
    gradient with respect to a Hermitian matrix is Hermitian.

    Args:
      input: matrices `[..., n, n]`.

    Returns:
      A tensor like the input.

    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()
    array([[2., 0.],
           [1., 2.]], dtype=float32)
    """
    return Cholesky(as_tensor(input))


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Matrices with orthonormal columns `q` and upper triangular `r`, with `input = q r`.

    The diagonal of r is real; its signs are LAPACK's. The gradient needs linearly independent columns (of matrices with
    more columns than rows, the first ones).

    Args:
      input: matrices `[..., m, n]`.
      full_matrices: whether q is square, so that its last columns span what those of the input do not.

    Returns:
      The pair `q` `[..., m, p]` and `r` `[..., p, n]`, with p = m or, by default, the smaller of m and n.

    >>> q, r = tf.linalg.qr([[3.0, 1.0], [4.0, 2.0]])
    >>> np.round(q @ r, 4)
    array([[3., 1.],
           [4., 2.]], dtype=float32)
    """
    x = as_tensor(input)
    q, r = QrOp(_wide(x), full_matrices=bool(full_matrices))
    return Qr(_narrow(q, x), _narrow(r, x))


@overload
def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: Literal[True] = True, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any: ...
def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """The singular values of matrices, descending, and the left and right singular vectors: `tensor = u s v^H`.

    The phases of complex vectors are such that the first large element of each column of u is real and positive. A matrix
    with nan or inf gives nan. Where singular values are equal, only functions that treat them alike have a gradient:
    sums over them, projections on the space of their vectors, and `u v^H`.

    Args:
      tensor: matrices `[..., m, n]`.
      full_matrices: whether u and v are square; by default they have as many columns as there are singular values.
      compute_uv: whether to return the vectors.

    Returns:
      `s` `[..., p]`, real, with p the smaller of m and n; or `s`, `u` `[..., m, p]` and `v` `[..., n, p]`.

    >>> tf.linalg.svd([[0.0, 2.0], [3.0, 0.0]], compute_uv=False).numpy()
    array([3., 2.], dtype=float32)
    """
    x = as_tensor(tensor)
    return Svd(x, full_matrices=bool(full_matrices)) if compute_uv else SingularValues(x)


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues of Hermitian matrices, ascending, and their eigenvectors as columns.

    Only the lower triangles are read, so the gradient is a lower triangle. The phases of complex vectors are such that
    the first large element of each is real and positive. Where eigenvalues are equal, only functions that treat them alike
    have a gradient: sums over them, and projections on the space of their vectors.

    Args:
      tensor: matrices `[..., n, n]`.

    Returns:
      `e` `[..., n]` and `v` `[..., n, n]`, in the dtype of the input.

    >>> e, v = tf.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])
    >>> np.round(e, 4), np.round(v @ tf.linalg.diag(e) @ tf.transpose(v), 4)
    (array([1., 3.], dtype=float32), array([[2., 1.],
           [1., 2.]], dtype=float32))
    """
    e, v = Eigh(as_tensor(tensor))
    return like(e, v), v


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of Hermitian matrices, ascending. Only the lower triangles are read.

    Args:
      tensor: matrices `[..., n, n]`.

    Returns:
      A tensor `[..., n]` in the dtype of the input.

    >>> np.round(tf.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]), 4)
    array([1., 3.], dtype=float32)
    """
    x = as_tensor(tensor)
    result: Tensor = like(Eigvalsh(x), x)
    return result


def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues of square matrices, in no particular order, and their eigenvectors as columns of length 1.

    The phases are such that the first large element of each vector is real and positive. There is no gradient for
    matrices without a basis of eigenvectors.

    Args:
      tensor: matrices `[..., n, n]`.

    Returns:
      `e` `[..., n]` and `v` `[..., n, n]`, complex.

    >>> e, v = tf.linalg.eig([[0.0, -1.0], [1.0, 0.0]])
    >>> e.numpy()
    array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    values, vectors = Eig(as_tensor(tensor))
    return values, vectors


def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of square matrices, in no particular order.

    Args:
      tensor: matrices `[..., n, n]`.

    Returns:
      A complex tensor `[..., n]`.

    >>> tf.linalg.eigvals([[0.0, -1.0], [1.0, 0.0]]).numpy()
    array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    # With the vectors: LAPACK does not promise the same order without them, and the gradient needs both.
    return Eig(as_tensor(tensor))[0]


def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """The eigenvalues of Hermitian tridiagonal matrices, ascending, and perhaps their eigenvectors.

    Args:
      alpha: the diagonals `[..., n]`; of complex numbers the real parts count.
      beta: the diagonals above, `[..., n - 1]`; those below are their conjugates.
      eigvals_only: whether to return the eigenvalues alone.
      select: which ones: `"a"` all, `"v"` those in the range `[low, high]`, `"i"` those numbered `low` to `high`.
      select_range: the pair `(low, high)` for `"v"` and `"i"`.
      tol: ignored: eigenvalues are as precise as the dtype allows.

    Returns:
      Real eigenvalues `[..., k]`; or these and the eigenvectors, the columns of `[..., n, k]`.

    >>> np.round(tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]), 4)
    array([1., 3.], dtype=float32)
    """
    a = as_tensor(alpha)
    b = convert.like(beta, a.dtype)
    matrix = _tridiagonal(_wide(a), _wide(b))
    e, v = (Eigvalsh(matrix), None) if eigvals_only else Eigh(matrix)
    start, stop = _chosen(e, select, select_range)
    e = StridedSlice(e, index=(*[(0, n, 1) for n in dims(e)[:-1]], (start, stop, 1)))
    if v is None:
        return _narrow(e, a)
    return _narrow(e, a), _narrow(columns(v, start, stop), a)


def _tridiagonal(a: Any, b: Any) -> Any:
    """The lower triangles of tridiagonal matrices with b above the main diagonal, and so its conjugate below."""
    if not a.ndim or not b.ndim or dims(b) != (*dims(a)[:-1], max(dims(a)[-1] - 1, 0)):
        raise errors.build(
            errors.ShapeError,
            f"eigh_tridiagonal: alpha is {spec_of(a)}, beta is {spec_of(b)}: these do not match.",
            "beta has one element fewer than alpha, and the same leading dimensions.",
        )
    n = dims(a)[-1]
    main = diagonal(a)
    return main if n < 2 else main + Diag(conj(b), k=(-1, -1), shape=(n, n))


def _chosen(e: Any, select: str, limits: Any) -> tuple[int, int]:
    """The requested range of the sorted eigenvalues."""
    n = dims(e)[-1]
    if select == "a":
        return 0, n
    if select not in ("i", "v"):
        raise ValueError(
            errors.compose(
                f"eigh_tridiagonal: select must be one of 'a', 'i', 'v', got {select!r}.",
                "use 'a' for all, 'i' for a range of indices, 'v' for a range of values.",
            )
        )
    if limits is None or len(limits) != 2:
        raise ValueError(
            errors.compose(
                f"eigh_tridiagonal: select is {select!r} and select_range is {limits!r}: these do not match.",
                "give the pair select_range=(low, high).",
            )
        )
    low, high = (np.asarray(limit) for limit in limits)
    if not (low <= high if select == "i" else low < high) or (select == "i" and not (low >= 0 and high < n)):
        raise errors.build(
            errors.InvalidArgumentError,
            f"eigh_tridiagonal: select_range is ({low}, {high}) for {n} eigenvalues: these do not match.",
            f"give numbers from 0 to {n - 1} in ascending order." if select == "i" else "give the lower limit first.",
        )
    if select == "i":
        return int(low), int(high) + 1
    if e.ndim > 1:
        raise errors.build(
            errors.ShapeError,
            f"eigh_tridiagonal: select cannot be 'v' for several matrices, which may have different numbers of eigenvalues: {spec_of(e)}.",
            "use select='i', or one matrix at a time.",
        )
    values = e._array
    return int(np.count_nonzero(values < low)), int(np.count_nonzero(values <= high))


def lu(input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None) -> Lu:
    """The LU decompositions of square matrices with permuted rows: `input[p] = l u`.

    Args:
      input: matrices `[..., n, n]`, not singular.
      output_idx_type: the dtype of p, `tf.int32` or `tf.int64`.

    Returns:
      The pair `lu` `[..., n, n]`, which holds u in its upper triangle and l, whose diagonal is 1, below; and `p`
      `[..., n]`, the numbers of the rows in their new order.

    >>> lu, p = tf.linalg.lu([[1.0, 2.0], [4.0, 6.0]])
    >>> lu.numpy(), p.numpy()
    (array([[4.  , 6.  ],
           [0.25, 0.5 ]], dtype=float32), array([1, 0], dtype=int32))
    """
    wanted = dtypes.as_dtype(output_idx_type)
    if wanted not in (dtypes.int32, dtypes.int64):
        raise errors.build(
            errors.DTypeError,
            f"lu: output_idx_type must be tf.int32 or tf.int64, got {wanted!r}.",
            "use tf.int32 or tf.int64.",
        )
    return Lu(*LuOp(as_tensor(input), index_dtype=wanted))


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The numbers of singular values that are not negligible.

    Args:
      a: matrices `[..., m, n]`.
      tol: what is negligible, broadcast against the singular values; by default `eps * max(m, n)` times the largest.
      validate_args: ignored: arguments are always checked.

    Returns:
      An int32 tensor of shape `[...]`.

    >>> tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy()
    np.int32(1)
    """
    x = as_tensor(a)
    s = SingularValues(Cast(x, dtype=dtypes.float64) if x.dtype.is_integer else _wide(x))
    if tol is None:
        limit = (
            _eps(s if x.dtype.is_integer else x) * max(dims(x)[-2:]) * ReduceMax(s, axis=(s.ndim - 1,), keepdims=True)
        )
    else:
        limit = convert.like(tol, s.dtype)
    above = s > limit
    return CountNonzero(above, axis=(above.ndim - 1,), dtype=dtypes.int32)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The Moore-Penrose pseudo-inverses of matrices.

    The gradient is right for matrices of any rank, as far as their rank stays.

    Args:
      a: matrices `[..., m, n]`.
      rcond: singular values up to `rcond` times the largest count as zero: a number, or one for each matrix; by default
        `10 * eps * max(m, n)`.
      validate_args: ignored: arguments are always checked.

    Returns:
      Matrices `[..., n, m]`.

    >>> tf.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]).numpy()
    array([[0.5, 0. ],
           [0. , 0. ]], dtype=float32)
    """
    x = as_tensor(a)
    if rcond is None:
        size = max(dims(x)[-2:], default=0)
        return PseudoInverse(x, rcond=10.0 * size * _eps(x))
    # The truncated part may be large, so its coupling to the kept part matters: by singular vectors.
    s, u, v = Svd(x)
    limit = convert.like(rcond, s.dtype)
    limit = (column(limit) if limit.ndim else limit) * ReduceMax(s, axis=(s.ndim - 1,), keepdims=True)
    inverse = DivideNoNan(number(1, s), Keep(s, s > limit))
    return MatMul(v * like(row(inverse), v), conj(u), transpose_b=True)


def _eps(x: Any) -> float:
    """The spacing of numbers around 1 in the dtype of x; of dtypes that NumPy does not know, that of bfloat16."""
    return float(np.finfo(x.dtype.numpy).eps) if x.dtype.kind in "fc" else 2.0**-7


def _wide(x: Any) -> Any:
    """float16 as float32, which LAPACK has."""
    return Cast(x, dtype=dtypes.float32) if x.dtype is dtypes.float16 else x


def _narrow(y: Any, x: Any) -> Any:
    """A result in the precision of x."""
    return Cast(y, dtype=dtypes.float16) if x.dtype is dtypes.float16 else y
