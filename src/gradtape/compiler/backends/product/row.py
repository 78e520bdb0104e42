"""A row times a wide matrix: whole rows of the matrix are added up, so that it is read from front to back."""

from __future__ import annotations

from typing import Any

from gradtape.compiler.backends.product.code import Index, ProductCode
from gradtape.compiler.backends.product.epilogue import EmitEpilogue
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.output import Output, span
from gradtape.compiler.backends.product.plan import Tile, even, useful_chunks
from gradtape.compiler.backends.product.problem import Gemm
from gradtape.compiler.codegen import ir

# Rows of the matrix that are added at once; vectors of the result from which this is faster than a tile, and the most in a
# chunk, whose sums are on the stack.
_ROWS = 8
_LEAST_VECTORS, _CHUNK_VECTORS, _MOST_VECTORS = 16, 128, 1024


def suits(gemm: Gemm, lanes: int) -> bool:
    """True if the product is a long row."""
    return gemm.m == 1 and not gemm.transpose_b and gemm.n >= _LEAST_VECTORS * lanes


class RowKernel:
    """A kernel under construction.

    Attributes:
      chunks: how many there are.
    """

    def __init__(
        self, function: ir.Function, gemm: Gemm, lanes: int, epilogue: EmitEpilogue | None, flipped: bool
    ) -> None:
        self._code, self._gemm, self._lanes = ProductCode(function), gemm, lanes
        self.vectors = Vectors(self._code, gemm.dtype, lanes)
        self._output = Output.of(self._code, gemm, Tile(1, 1, lanes), epilogue, flipped)
        self._total = -(-gemm.n // lanes)
        most = max(_CHUNK_VECTORS, -(-self._total * gemm.batch.count // useful_chunks(gemm)))
        self._vectors = even(self._total, min(most, _MOST_VECTORS))
        self._sums = self.vectors.room(self._vectors * lanes)
        self._blocks = -(-self._total // self._vectors)
        self.chunks = self._blocks * gemm.batch.count

    def emit(self) -> None:
        """Emit the whole function."""
        code, gemm = self._code, self._gemm
        chunk = code.function.args[1]
        number = code.div(chunk, self._blocks) if gemm.batch.count > 1 else 0
        first = code.mul(code.rem(chunk, self._blocks), self._vectors)
        count = code.least(self._vectors, code.sub(self._total, first))
        places = gemm.batch.places(code, number)
        a, b = (self.vectors.at(code.slot(gemm.slots[i]), place) for i, place in enumerate(places))
        code.repeat(count, lambda index: self._keep(index, self.vectors.zero))
        code.repeat(gemm.k // _ROWS, lambda block: self._add(a, b, code.mul(block, _ROWS), _ROWS, first, count))
        if gemm.k % _ROWS:
            self._add(a, b, gemm.k - gemm.k % _ROWS, gemm.k % _ROWS, first, count)

        def write(index: Index) -> None:
            column = span(code, code.add(first, index), self._lanes, gemm.n)
            self._output.write([self._kept(index)], number, (0, 0), column)

        code.repeat(count, write)
        code.builder.ret_void()

    def _add(self, a: Any, b: Any, step: Index, rows: int, first: Index, count: Index) -> None:
        """Add some rows of the matrix, each times its number."""
        code, gemm, lanes = self._code, self._gemm, self._lanes
        along = gemm.lda if gemm.transpose_a else 1
        start = self.vectors.at(a, code.mul(step, along))
        factors = [self.vectors.splat(start, r * along) for r in range(rows)]
        matrix = self.vectors.at(b, code.mul(step, gemm.ldb))

        def vector(index: Index) -> None:
            column = span(code, code.add(first, index), lanes, gemm.n)[0]
            here = self.vectors.at(matrix, column)
            total = self._kept(index)
            for r, factor in enumerate(factors):
                line = self.vectors.load(here, r * gemm.ldb)
                total = self.vectors.fma(factor, line, total)
            self._keep(index, total)

        code.repeat(count, vector)

    def _kept(self, index: Index) -> Any:
        """A vector of the sums so far."""
        return self.vectors.load(self._at(index))

    def _keep(self, index: Index, value: Any) -> None:
        self.vectors.store(value, self._at(index))

    def _at(self, index: Index) -> Any:
        return self.vectors.at(self._sums, self._code.mul(index, self._lanes))
