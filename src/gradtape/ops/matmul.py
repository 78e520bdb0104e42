"""Matrix products."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, hot_kernels, memory
from gradtape.core.op import Op, declare
from gradtape.core.patterns.product import Product, product
from gradtape.core.shape import Spec, broadcast
from gradtape.ops import blas
from gradtape.ops.family import align, conj, dims, unbroadcast
from gradtape.ops.interruptible import apart
from gradtape.ops.movement import Reshape, Transpose
from gradtape.ops.reduction import computed_in_float32, wide

# Between these numbers of multiplications, about, a product that is computed often is worth machine code of its own.
_MIDDLE, _HUGE = 1 << 19, 1 << 27
_LONG_WITHOUT_BLAS = 1 << 28  # multiplications, one by one, that take some tenths of a second
# A matrix of so few columns uses a fraction of a tile; sums and columns must be this long for a transposition of the result to pay.
_FEW_COLUMNS, _LONG_SUMS, _MANY_ROWS = 12, 24, 64
_BLAS = "fdFD"  # NumPy's letters of the dtypes that BLAS multiplies


@declare("matmul")
class MatMul(Op):
    """The matrix product of the last two axes, each operand perhaps transposed; leading axes broadcast."""

    numpy = (np.matmul,)
    kinds = "fVciu"

    def infer(self, a: Spec, b: Spec, *, transpose_a: bool = False, transpose_b: bool = False) -> Spec:
        dtype = self.check_dtypes(a, b)
        if a.rank < 2 or b.rank < 2:
            raise self.error(
                errors.ShapeError,
                f"a is {a}, b is {b}, and both need rank 2 or more: In[{0 if a.rank < 2 else 1}] ndims must be >= 2.",
                "use tf.linalg.matvec for a matrix and a vector, tf.tensordot(x, y, 1) for two vectors.",
            )
        m, k = a.shape[-2:] if not transpose_a else a.shape[:-3:-1]
        l, n = b.shape[-2:] if not transpose_b else b.shape[:-3:-1]
        if k != l:
            names = [f"{x} transposed" if flag else str(x) for x, flag in ((a, transpose_a), (b, transpose_b))]
            raise self.error(
                errors.ShapeError,
                f"inner dimensions differ: a is {names[0]}, b is {names[1]} ({k} vs {l}). Dimensions must be equal.",
                "transpose one operand, or check which axis holds the features.",
            )
        batch = broadcast(a.shape[:-2], b.shape[:-2])
        if batch is None:
            raise self.error(
                errors.ShapeError,
                f"leading dimensions do not broadcast: a is {a}, b is {b}.",
                "aligned from the right, each pair before the last two must be equal or contain a 1.",
            )
        return Spec((*batch, m, n), dtype)

    def kernel(self, a: Any, b: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
        is_threaded = a.size * b.shape[-2 if transpose_b else -1] >= blas.THREADED
        if is_threaded and type(a) is type(b) is np.ndarray and a.dtype.char in "fd" and a.size * b.shape[-1] > _MIDDLE:
            native = self._generated(a, b, transpose_a, transpose_b) if b.size else None
            if native is not None:
                return native(a, b)
        if a.ndim == 2 and b.ndim == 2 and type(a) is type(b) is np.ndarray and a.dtype.char in _BLAS:
            # `dot` costs half of what `matmul` does around the BLAS call, and packs what BLAS cannot read in place.
            a, b = a.T if transpose_a else a, b.T if transpose_b else b
            shape = a.shape[0], b.shape[1]
            if shape[0] * shape[1] >= memory.THRESHOLD and a.dtype == b.dtype:
                return blas.dot(a, b, memory.empty(shape, a.dtype))
            return blas.dot(a, b) if is_threaded else a.dot(b)
        return _product(a, b, transpose_a, transpose_b)

    def vjp(self, dy: Any, a: Any, b: Any, *, transpose_a: bool = False, transpose_b: bool = False, needs: Any) -> Any:
        if dy.dtype.kind == "c":
            a, b = conj(a), conj(b)
        da = db = None
        if needs[0]:
            if transpose_a:
                da = MatMul(b, dy, transpose_a=transpose_b, transpose_b=True)
            else:
                da = MatMul(dy, b, transpose_b=not transpose_b)
            da = da if a.ndim == b.ndim == 2 else unbroadcast(da, a)
        if needs[1]:
            left, right, is_matrix = a, dy, b.ndim == 2
            if is_matrix and a.ndim > 2 and not transpose_a:
                # One product over all rows, instead of one per batch entry and a sum.
                left, right = _rows(a), _rows(dy)
            if transpose_b:
                db = MatMul(right, left, transpose_a=True, transpose_b=transpose_a)
            else:
                db = MatMul(left, right, transpose_a=not transpose_a)
            db = db if is_matrix and left.ndim == 2 else unbroadcast(db, b)
        return da, db

    def _generated(self, a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Any:
        if a.dtype != b.dtype or not (a.flags.c_contiguous and b.flags.c_contiguous) or a.size * b.shape[-1] > _HUGE:
            return None
        return hot_kernels.kernel(self, (a, b), {"transpose_a": transpose_a, "transpose_b": transpose_b})

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        if batched == (False, True) and _is_narrow(*inputs, **params):
            return _side_by_side(*inputs, **params)
        # A batched `a` and a matrix `b`, as in the backward pass of a dense layer, become one product in the kernel.
        return self(*align(batched, inputs), **params)

    def expand(self, build: Any, a: Any, b: Any, **params: Any) -> Any:
        """Half precision for functions: the casts fuse with the kernels around the product."""
        return computed_in_float32(build, "matmul", a, b, **params)

    def lower(self, a: Spec, b: Spec, *, transpose_a: bool = False, transpose_b: bool = False) -> Product | None:
        if a.dtype is not b.dtype or a.dtype not in (dtypes.float32, dtypes.float64):
            return None
        return product(a, b, transpose_a, transpose_b)


def _is_narrow(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> bool:
    """True if a matrix meets a stack of matrices of a few columns, and sums are long, so that one product is worth a transposition."""
    if a.ndim != 2 or b.ndim != 3 or any(type(size) is not int for size in (*dims(a), *dims(b))):
        return False
    rows, k = reversed(dims(a)) if transpose_a else dims(a)
    return bool(dims(b)[1 if transpose_b else 2] <= _FEW_COLUMNS and k >= _LONG_SUMS and rows >= _MANY_ROWS)


def _side_by_side(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """The products of a matrix and each matrix of a stack, as one product with all of their columns."""
    count, k, n = (dims(b)[i] for i in ((0, 2, 1) if transpose_b else (0, 1, 2)))
    if transpose_b:
        columns = Reshape(b, shape=(count * n, k))
    else:
        columns = Reshape(Transpose(b, perm=(1, 0, 2)), shape=(k, count * n))
    y = MatMul(a, columns, transpose_a=transpose_a, transpose_b=transpose_b)
    return Transpose(Reshape(y, shape=(dims(y)[0], count, n)), perm=(1, 0, 2))


def _product(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Any:
    """The product of arrays of any rank and dtype."""
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError("matmul needs matrices")
    p, q = wide(a), wide(b)
    if p is not a or q is not b:
        y: Any = MatMul(p, q, transpose_a=transpose_a, transpose_b=transpose_b)
        return y.astype(a.dtype) if a.dtype == b.dtype else y
    if transpose_a:
        a = np.swapaxes(a, -1, -2)
    if transpose_b:
        b = np.swapaxes(b, -1, -2)
    if b.ndim == 2 and a.ndim > 2 and not transpose_a:
        # All rows of `a` meet the same matrix: one product, on the path above.
        return np.reshape(MatMul(_rows(a), b), (*a.shape[:-1], b.shape[-1]))
    if a.shape[-1] == b.shape[-2] == 1 and a.ndim + b.ndim > 4:
        return a * b
    a, b = _packed(a), _packed(b)
    if type(a) is type(b) is np.ndarray and a.dtype.char in _BLAS and a.dtype == b.dtype:
        return _many(a, b)
    if type(a) is type(b) is np.ndarray and a.size * b.shape[-1] >= _LONG_WITHOUT_BLAS:
        return apart(blas.matmul, a, b)
    return blas.matmul(a, b)


def _many(a: Any, b: Any) -> Any:
    """A stack of products. A large result goes to recycled memory, half of the stack on another thread: BLAS would share
    each product among its threads, of which the small ones in a stack have little."""
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1])
    if math.prod(shape) < memory.THRESHOLD:
        return blas.matmul(a, b)
    result = memory.empty(shape, a.dtype)
    if len(shape) < 3:
        return blas.matmul(a, b, out=result)
    long = blas.LONG * shape[0] // max(1, math.prod(shape) * a.shape[-1])
    step = max(1, min(long, -(-shape[0] // memory.thread_count())))
    if step == shape[0]:
        return blas.matmul(a, b, out=result)

    def multiply(start: int) -> None:
        rows = slice(start, start + step)
        p, q = (x[rows] if x.ndim == len(shape) and x.shape[0] > 1 else x for x in (a, b))
        blas.matmul(p, q, out=result[rows])

    memory.run(multiply, range(0, shape[0], step))
    return result


def _rows(x: Any) -> Any:
    """The last axis against all others, as a matrix."""
    *lead, last = dims(x)
    return Reshape(x, shape=(math.prod(lead), last))


def _packed(x: Any) -> Any:
    """A copy of a matrix whose elements are one element repeated: `np.matmul` does not hand it to BLAS."""
    return np.ascontiguousarray(x) if type(x) is np.ndarray and 0 in x.strides[-2:] else x
