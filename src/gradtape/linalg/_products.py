"""Linear algebra that is made of products: `tf.matmul`, `tf.tensordot`, norms."""

from __future__ import annotations

import math
from typing import Any

from gradtape.api.arguments import axes as normalized_axes
from gradtape.api.arguments import integer, integers
from gradtape.api.arguments import tensor as as_tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops.cast import Cast, CastToDiscrete
from gradtape.ops.complex import Complex, Imag, Real
from gradtape.ops.exponential import Rsqrt
from gradtape.ops.family import conj, dims
from gradtape.ops.matmul import MatMul
from gradtape.ops.movement import Reshape, Transpose
from gradtape.ops.reduction import ReduceEuclideanNorm, ReduceMax, ReduceSum
from gradtape.ops.selection import Maximum

_OURS = (Tensor, Variable)


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrix product over the last two axes; axes before them broadcast.

    Args:
      a: a tensor of rank 2 or more.
      b: a tensor of the same dtype.
      transpose_a: transpose each matrix of a first.
      transpose_b: transpose each matrix of b first.
      adjoint_a: transpose and conjugate each matrix of a first.
      adjoint_b: transpose and conjugate each matrix of b first.
      a_is_sparse: ignored.
      b_is_sparse: ignored.
      output_type: the dtype to compute in, for instance int32 for int8 matrices; that of the matrices by default.
      grad_a: ignored.
      grad_b: ignored.

    Returns:
      The product, of shape `[..., rows of a, columns of b]`.

    >>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()
    array([[11.]], dtype=float32)
    """
    if not (isinstance(a, _OURS) or isinstance(b, _OURS)):
        a = convert.convert_to_tensor(a)
    if a_is_sparse or b_is_sparse:  # float32 beside bfloat16 is allowed there, and arrays keep their dtype
        a, b = (x if isinstance(x, _OURS) else convert.convert_to_tensor(x) for x in (a, b))
    if not (transpose_a or transpose_b or adjoint_a or adjoint_b or output_type):
        try:
            result: Tensor = a @ b
            return result
        except TypeError as problem:
            if isinstance(problem, errors.OperandError) or str(problem).startswith("unsupported operand"):
                raise convert.unconvertible(b if isinstance(a, _OURS) else a) from None
            if not isinstance(problem, errors.DTypeError) or not _are_mixed(a, b):
                raise
    for flag, adjoint, which in ((transpose_a, adjoint_a, "a"), (transpose_b, adjoint_b, "b")):
        if flag and adjoint:
            raise ValueError(
                errors.compose(
                    f"matmul: Only one of transpose_{which} and adjoint_{which} can be True.", "choose one of them."
                )
            )
    a, b = _pair(a, b)
    if _are_mixed(a, b):
        output_type = dtypes.float32
    if output_type is not None:
        wanted = dtypes.as_dtype(output_type)
        a, b = (x if x.dtype is wanted else _cast(x, wanted) for x in (a, b))
    a, b = conj(a) if adjoint_a else a, conj(b) if adjoint_b else b
    flags = {"transpose_a": bool(transpose_a or adjoint_a), "transpose_b": bool(transpose_b or adjoint_b)}
    return MatMul(a, b, **flags)


def _are_mixed(a: Any, b: Any) -> bool:
    """True for bfloat16 beside float32, whose product is float32."""
    found = {getattr(x, "dtype", None) for x in (a, b)}
    return found == {dtypes.bfloat16, dtypes.float32}


def _pair(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands as tensors; another value takes the dtype of the tensor."""
    a, b = (x._read() if isinstance(x, Variable) else x for x in (a, b))
    if isinstance(b, Tensor):
        return convert.like(a, b.dtype), b
    a = convert.convert_to_tensor(a)
    return a, convert.like(b, a.dtype)


def _cast(x: Any, dtype: dtypes.DType) -> Any:
    return Cast(x, dtype=dtype) if dtype.is_trainable else CastToDiscrete(x, dtype=dtype)


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of matrices and vectors; leading axes broadcast.

    Args:
      a: matrices `[..., m, n]`.
      b: vectors `[..., n]`.
      transpose_a: transpose each matrix first.
      adjoint_a: transpose and conjugate each matrix first.
      a_is_sparse: ignored.
      b_is_sparse: ignored.

    Returns:
      Vectors `[..., m]`.

    >>> tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).numpy()
    array([3., 7.], dtype=float32)
    """
    a, b = _pair(a, b)
    _check_vectors(a, b, transpose_a or adjoint_a)
    column = Reshape(b, shape=(*dims(b), 1))
    y = matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a)
    return Reshape(y, shape=dims(y)[:-1])


def _check_vectors(a: Any, b: Any, is_transposed: bool) -> None:
    """Raise if matrices and vectors do not fit; sizes that are not known are left to the product."""
    of_a, of_b = a.get_shape(), b.get_shape()
    if of_a.rank is None or of_b.rank is None:
        return
    if of_a.rank < 2 or of_b.rank < 1:
        raise errors.build(
            errors.ShapeError,
            f"matvec: a must have rank 2 or more and b rank 1 or more, got shapes {of_a} and {of_b}.",
            "use tf.tensordot(a, b, 1) for two vectors.",
        )
    n, m = of_a[-2 if is_transposed else -1], of_b[-1]
    if n is not None and m is not None and n != m:
        raise errors.build(
            errors.ShapeError,
            f"matvec: a has {n} columns but b has {m} elements (shapes {of_a} and {of_b}).",
            "use transpose_a=True, or check which of them is the matrix.",
        )


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """The sum of products over pairs of axes.

    Args:
      a: a tensor.
      b: a tensor of the same dtype.
      axes: how many axes to sum, the last of a against the first of b; or two lists, the axes of a and those of b.

    Returns:
      A tensor with the axes of a that are left, then those of b.

    >>> tf.tensordot([1.0, 2.0], [3.0, 4.0], axes=1).numpy()
    np.float32(11.0)
    """
    a, b = _pair(a, b)
    of_a, of_b = _contracted(axes, a.ndim, b.ndim)
    if [dims(a)[i] for i in of_a] != [dims(b)[i] for i in of_b]:
        raise errors.build(
            errors.ShapeError,
            f"tensordot: a has shape {list(dims(a))}, b has shape {list(dims(b))}, and axes {list(of_a)} of a do not have "
            f"the lengths of axes {list(of_b)} of b.",
            "sum over axes of equal length.",
        )
    left, turned_a, free_a = _matrix(a, of_a)
    right, turned_b, free_b = _matrix(b, of_b)
    y = MatMul(left, right, transpose_a=turned_a, transpose_b=not turned_b)
    return Reshape(y, shape=free_a + free_b)


def _contracted(axes: Any, rank_a: int, rank_b: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of a and of b that are summed, in pairs."""
    pair = isinstance(axes, (list, tuple)) or getattr(axes, "ndim", 0) > 0
    if not pair:
        n = integer(axes, "tensordot", "axes")
        if not 0 <= n <= min(rank_a, rank_b):
            raise ValueError(
                errors.compose(
                    f"tensordot: axes is {n}, but a has rank {rank_a}, b has rank {rank_b}.",
                    "sum over at most as many axes as both have.",
                )
            )
        return tuple(range(rank_a - n, rank_a)), tuple(range(n))
    if len(axes) != 2:
        raise ValueError(
            errors.compose(
                f"tensordot: axes must be an int or two lists, got {axes!r}.",
                "give an int, or two lists: axes of a and axes of b.",
            )
        )
    given = [integers([x] if _is_single(x) else x, "tensordot", "axes") for x in axes]
    if len(given[0]) != len(given[1]):
        raise ValueError(
            errors.compose(
                f"tensordot: axes of a and b differ in number: {len(given[0])} vs {len(given[1])}.",
                "name as many axes of b as of a.",
            )
        )
    of_a, of_b = (
        tuple([normalize_axis(i, rank, "tensordot", "axes") for i in own])
        for own, rank in zip(given, (rank_a, rank_b), strict=True)
    )
    return of_a, of_b


def _is_single(x: Any) -> bool:
    return not isinstance(x, (list, tuple, range)) and not getattr(x, "ndim", 0)


def _matrix(x: Any, summed: tuple[int, ...]) -> tuple[Any, bool, tuple[int, ...]]:
    """A matrix with the summed axes as columns; or as rows, and True, if that saves moving data; and the free shape."""
    shape, free = dims(x), tuple([i for i in range(x.ndim) if i not in summed])
    turned = summed + free == tuple(range(x.ndim)) and bool(free)
    if not turned and free + summed != tuple(range(x.ndim)):
        x = Transpose(x, perm=free + summed)
    free_shape = tuple([shape[i] for i in free])
    rows, columns = math.prod(free_shape), math.prod([shape[i] for i in summed])
    return Reshape(x, shape=(columns, rows) if turned else (rows, columns)), turned, free_shape


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: Any = None, name: str | None = None
) -> Tensor:
    """The norm of vectors or matrices.

    Args:
      tensor: floating or complex numbers; signed integers if `ord` is 1 or `np.inf`.
      ord: `"euclidean"`, 1, 2, `np.inf` or another positive number for vectors; `"euclidean"`, `"fro"`, 1, 2 or `np.inf`
        for matrices.
      axis: None: the whole tensor is one vector; an int: vectors along an axis; a pair of ints: matrices.
      keepdims: keep the reduced axes, with length 1.

    Returns:
      The norms. The gradient of the Euclidean norm at 0 is nan, unless its cotangent is 0.

    >>> tf.norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    """
    x = as_tensor(tensor)
    if not (x.dtype.is_floating or x.dtype.is_complex or (x.dtype.kind == "i" and ord in (1, math.inf))):
        raise errors.build(
            errors.DTypeError,
            f"norm: the norm of {x.dtype.name} with ord {ord!r} is not an integer.",
            "use tf.cast(x, tf.float32).",
        )
    keep = bool(keepdims)
    if isinstance(axis, (list, tuple)) and len(axis) != 1:
        return _matrix_norm(x, ord, axis, keep)
    axes = normalized_axes(axis, x.ndim, "norm")
    if ord in ("euclidean", 2):
        return ReduceEuclideanNorm(x, axis=axes, keepdims=keep)
    if isinstance(ord, str) or not ord > 0:
        raise ValueError(
            errors.compose(
                f"norm: ord is {ord!r}, and must be a supported vector norm.",
                "use 'euclidean' or a positive number; 'fro' needs a pair of axes.",
            )
        )
    if ord == math.inf:
        return ReduceMax(abs(x), axis=axes, keepdims=keep)
    if ord == 1:
        return ReduceSum(abs(x), axis=axes, keepdims=keep)
    return ReduceSum(abs(x) ** float(ord), axis=axes, keepdims=keep) ** (1.0 / float(ord))


def _matrix_norm(x: Any, ord: Any, axis: Any, keep: bool) -> Tensor:
    pair = [normalize_axis(a, x.ndim, "norm") for a in axis]
    if len(pair) != 2 or pair[0] == pair[1]:
        raise ValueError(
            errors.compose(
                f"norm: axis must be None, an int, or a pair of different ints, got {axis!r}.",
                "use None, an int, or a pair of different ints.",
            )
        )
    rows, columns = pair
    both = (min(pair), max(pair))
    if ord in ("euclidean", "fro"):
        return ReduceEuclideanNorm(x, axis=both, keepdims=keep)
    if ord in (1, math.inf):
        summed, largest = (rows, columns) if ord == 1 else (columns, rows)
        y = ReduceMax(ReduceSum(abs(x), axis=(summed,), keepdims=True), axis=(largest,), keepdims=True)
        return y if keep else Reshape(y, shape=tuple([n for i, n in enumerate(dims(y)) if i not in both]))
    if ord == 2:
        return _spectral_norm(x, rows, columns, keep)
    raise ValueError(
        errors.compose(
            f"norm: ord is {ord!r}, and must be a supported matrix norm.", "use 'euclidean', 'fro', 1, 2 or np.inf."
        )
    )


def _spectral_norm(x: Any, rows: int, columns: int, keep: bool) -> Tensor:
    """The largest singular value of matrices in two axes."""
    from gradtape.ops.svd import SingularValues

    rest = tuple([i for i in range(x.ndim) if i not in (rows, columns)])
    s = SingularValues(Transpose(x, perm=(*rest, rows, columns)))
    y = ReduceMax(s, axis=(s.ndim - 1,), keepdims=False)
    return Reshape(y, shape=tuple([n if i in rest else 1 for i, n in enumerate(dims(x))])) if keep else y


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """A tensor divided by its norm, and the norm.

    Args:
      tensor: floating or complex numbers.
      ord: which norm, as in `tf.norm`.
      axis: over which axes, as in `tf.norm`.

    Returns:
      The pair of the normalised tensor and the norm, whose reduced axes have length 1.

    >>> unit, length = tf.linalg.normalize([3.0, 4.0])
    >>> unit.numpy(), length.numpy()
    (array([0.6, 0.8], dtype=float32), array([5.], dtype=float32))
    """
    x = as_tensor(tensor)
    length = norm(x, ord, axis, keepdims=True)
    by = Cast(length, dtype=x.dtype) if length.dtype is not x.dtype else length
    return x / by, by


def l2_normalize(x: Any, axis: Any = None, epsilon: Any = 1e-12, name: str | None = None, dim: Any = None) -> Tensor:
    """A tensor divided by its Euclidean norm, which is taken to be at least `sqrt(epsilon)`.

    Args:
      x: floating or complex numbers.
      axis: over which axes; None (the default) means all.
      epsilon: the least sum of squares.
      dim: an old name of `axis`.

    Returns:
      A tensor like x.

    >>> tf.math.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    x = as_tensor(x)
    axes = normalized_axes(axis if dim is None else dim, x.ndim, "l2_normalize")
    if x.dtype.is_complex:
        parts = Real(x), Imag(x)
        real, imaginary = [ReduceSum(part * part, axis=axes, keepdims=True) for part in parts]
        squares = real + imaginary
        scale = Rsqrt(Maximum(squares, convert.like(epsilon, squares.dtype)))
        return Complex(*[part * scale for part in parts])
    squares = ReduceSum(x * x, axis=axes, keepdims=True)
    result: Tensor = x * Rsqrt(Maximum(squares, convert.like(epsilon, x.dtype)))
    return result
