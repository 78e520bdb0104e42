"""Products of matrices, and of stacks of them."""

from __future__ import annotations

import math
from typing import NamedTuple

from gradtape.core.dtypes import DType
from gradtape.core.patterns.movement import View, contiguous
from gradtape.core.shape import Spec, broadcast


class Axis(NamedTuple):
    """An axis of a stack of products: its length, and the elements from one matrix of a, and of b, to the next."""

    size: int
    stride_a: int
    stride_b: int


class Product(NamedTuple):
    """c = a b for row-major matrices: a is m by k, b is k by n. The matrices of a stack follow each other in c.

    Attributes:
      m: rows of a and c.
      n: columns of b and c.
      k: columns of a, rows of b.
      dtype: of c, and of a and b unless `stored` is another one.
      transpose_a: a is stored as k by m.
      transpose_b: b is stored as n by k.
      axes: of the stack, the outermost first, joined as far as can be; none for a single product.
      lda: elements from one stored row of a to the next; 0 for as many as it has.
      ldb: the same of b.
      stored: the dtype of a and b in memory, if it is not that of c: bfloat16 where the machine multiplies it.
    """

    m: int
    n: int
    k: int
    dtype: DType
    transpose_a: bool = False
    transpose_b: bool = False
    axes: tuple[Axis, ...] = ()
    lda: int = 0
    ldb: int = 0
    stored: DType | None = None

    @property
    def inputs(self) -> int:
        """How many arrays are read."""
        return 2

    @property
    def matrices(self) -> tuple[int, int, int]:
        """How many matrices the result consists of, and their rows and columns."""
        return math.prod([axis.size for axis in self.axes]), self.m, self.n

    @property
    def size(self) -> int:
        """Bytes of an element of a and b."""
        return (self.stored or self.dtype).size


def product(a: Spec, b: Spec, transpose_a: bool, transpose_b: bool) -> Product | None:
    """The product of the last two axes of contiguous arrays, whose leading axes broadcast; None if nothing is computed.

    >>> from gradtape.core.patterns.product import product
    >>> from gradtape.core.shape import Spec
    >>> product(Spec((8, 128, 256), tf.float32), Spec((256, 64), tf.float32), False, False)[:3]
    (1024, 64, 256)
    """
    return product_of_views(contiguous(a.shape), contiguous(b.shape), a.dtype, transpose_a, transpose_b)


def product_of_views(a: View, b: View, dtype: DType, transpose_a: bool, transpose_b: bool) -> Product | None:
    """The product of the last two axes of views, from their offsets on; None also if a row is not dense in memory."""
    m, k = a.shape[-2:] if not transpose_a else a.shape[:-3:-1]
    n = b.shape[-2] if transpose_b else b.shape[-1]
    lead = broadcast(a.shape[:-2], b.shape[:-2])
    left, right = _rows(a), _rows(b)
    if lead is None or 0 in (m, n, *lead) or left is None or right is None:
        return None
    transpose_a, transpose_b = transpose_a != left[1], transpose_b != right[1]
    axes: list[Axis] = []
    for axis in map(Axis, lead, _strides(a, len(lead)), _strides(b, len(lead))):
        outer = axes[-1] if axes else None
        if outer and all(before == after * axis.size for before, after in zip(outer[1:], axis[1:], strict=True)):
            axes[-1] = axis._replace(size=outer.size * axis.size)
        elif axis.size > 1:
            axes.append(axis)
    lda, ldb = (
        0 if own == least else own
        for own, least in ((left[0], m if transpose_a else k), (right[0], k if transpose_b else n))
    )
    if axes and axes[-1].stride_b == 0 and axes[-1].stride_a == m * (lda or k) and not transpose_a:
        m *= axes.pop().size  # all of them meet the same matrix: more rows
    return Product(m, n, k, dtype, transpose_a, transpose_b, tuple(axes), lda, ldb)


def _rows(x: View) -> tuple[int, bool] | None:
    """How far apart the rows of the matrices are, and whether they are columns; None if neither is dense in memory."""
    (rows, columns), (down, along) = x.shape[-2:], x.strides[-2:]
    if (along == 1 or columns == 1) and (down >= columns or rows == 1):
        return (columns if rows == 1 else down), False
    if (down == 1 or rows == 1) and (along >= rows or columns == 1):
        return (rows if columns == 1 else along), True
    return None


def _strides(x: View, rank: int) -> list[int]:
    """How far apart matrices are along each of so many leading axes."""
    own = [0 if d == 1 else s for d, s in zip(x.shape[:-2], x.strides[:-2], strict=True)]
    return [0] * (rank - len(own)) + own
