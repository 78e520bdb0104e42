"""The description of a matrix product."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gradtape.compiler.bodies.epilogue import Groups
from gradtape.core import dtypes
from gradtape.core.dtypes import DType

if TYPE_CHECKING:
    from gradtape.compiler.backends.product.code import Index, ProductCode


@dataclass(frozen=True)
class Batch:
    """Products of many matrices that lie a fixed number of elements apart.

    Attributes:
      count: how many products.
      stride_a: elements from one matrix a to the next; 0 repeats one matrix.
      stride_b: the same of b.
      stride_c: the same of c, which must not be 0 if there are several.
      inner: how many products make up a group, if the matrices of a and b lie in groups; else 0.
      outer_a: elements from one group of matrices a to the next.
      outer_b: the same of b.
    """

    count: int = 1
    stride_a: int = 0
    stride_b: int = 0
    stride_c: int = 0
    inner: int = 0
    outer_a: int = 0
    outer_b: int = 0

    def places(self, code: ProductCode, number: Index) -> tuple[Index, Index]:
        """Where the matrices of a product begin in a and b."""
        if not self.inner:
            return code.mul(number, self.stride_a), code.mul(number, self.stride_b)
        return (
            Groups(self.inner, self.outer_a, self.stride_a).place(code, number),
            Groups(self.inner, self.outer_b, self.stride_b).place(code, number),
        )


@dataclass(frozen=True)
class Gemm:
    """The product c = a b of row-major matrices: a is m by k, b is k by n, c is m by n.

    >>> from gradtape.compiler.backends.product.problem import Gemm
    >>> Gemm(64, 128, 784, transpose_a=True).lda
    64

    Attributes:
      m: rows of a and c.
      n: columns of b and c.
      k: columns of a, rows of b; of pairs, half of them.
      dtype: float32 or float64, of all three.
      transpose_a: a is stored as k by m.
      transpose_b: b is stored as n by k.
      lda: elements from one stored row of a to the next; 0 for as many as it has.
      ldb: the same of b.
      ldc: the same of c.
      slots: where the table of pointers has a, b and c.
      batch: how many products, and how far apart.
      pairs: a and b hold bfloat16, which instructions multiply in pairs of neighbours along k. Distances count these elements.
    """

    m: int
    n: int
    k: int
    dtype: DType = dtypes.float32
    transpose_a: bool = False
    transpose_b: bool = False
    lda: int = 0
    ldb: int = 0
    ldc: int = 0
    slots: tuple[int, int, int] = (0, 1, 2)
    batch: Batch = Batch()
    pairs: bool = False

    def __post_init__(self) -> None:
        if self.dtype.name not in ("float32", "float64"):
            raise TypeError(f"gemm: products of {self.dtype.name} are not emitted, those of float32 and float64 are.")
        if min(self.m, self.n, self.k, self.batch.count) < 0:
            raise ValueError(f"gemm: negative size in {self}.")
        depth = self.k * self.unit
        rows = (self.m if self.transpose_a else depth, depth if self.transpose_b else self.n, self.n)
        for name, least in zip(("lda", "ldb", "ldc"), rows, strict=True):
            given = getattr(self, name)
            if given and given < least:
                raise ValueError(f"gemm: {name} is {given}, less than the {least} elements of a row.")
            object.__setattr__(self, name, given or max(least, 1))
        if self.batch.count > 1 and self.batch.stride_c == 0:
            raise ValueError("gemm: several products would be written to one place (stride_c is 0).")

    @property
    def operations(self) -> int:
        """Multiplications and additions of all products."""
        return 2 * self.m * self.n * self.k * self.unit * self.batch.count

    @property
    def unit(self) -> int:
        """Stored elements along k that are multiplied by one instruction."""
        return 2 if self.pairs else 1

    @property
    def empty(self) -> bool:
        """True if there is nothing to write."""
        return 0 in (self.m, self.n, self.batch.count)

    def as_row(self) -> Gemm | None:
        """The product transposed, if c is a column whose elements lie side by side: it is a row then."""
        if self.n != 1 or self.m == 1 or self.ldc != 1:
            return None
        a, b, c = self.slots
        return replace(
            self, m=1, n=self.m, transpose_a=not self.transpose_b, transpose_b=not self.transpose_a,
            lda=self.ldb, ldb=self.lda, ldc=self.m, slots=(b, a, c),
            batch=replace(
                self.batch, stride_a=self.batch.stride_b, stride_b=self.batch.stride_a,
                outer_a=self.batch.outer_b, outer_b=self.batch.outer_a,
            ),
        )  # fmt: skip

    @property
    def name(self) -> str:
        """A name for its kernel."""
        flags = "ta"[: self.transpose_a] + "tb"[: 2 * self.transpose_b]
        kind = "bfloat16" if self.pairs else self.dtype.name
        return f"gemm_{self.m}x{self.n}x{self.k * self.unit}_{kind}{'_' + flags if flags else ''}"
