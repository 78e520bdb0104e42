"""Products of a row. Times a wide matrix, whole rows of that are added up, so that it is read from front to back; times a matrix that is stored by
columns, there are sums along the vectors, not across them."""

from __future__ import annotations

from typing import Any

from gradtape.compiler.backends.product.code import I32, Index, ProductCode
from gradtape.compiler.backends.product.epilogue import EmitEpilogue, Finish, Frame
from gradtape.compiler.backends.product.memory import Vectors
from gradtape.compiler.backends.product.output import Output, span
from gradtape.compiler.backends.product.plan import Tile, even, useful_chunks
from gradtape.compiler.backends.product.problem import Gemm
from gradtape.compiler.codegen import ir

# Rows of the matrix that are added at once; vectors of the result from which this is faster than a tile, and the most in a
# chunk, whose sums are on the stack.
_ROWS = 8
_LEAST_VECTORS, _CHUNK_VECTORS, _MOST_VECTORS = 16, 128, 1024
# As many independent sums hide the time until a result can be used.
_SUMS = 8
_MOST_WAITING = 64  # vectors


def kernel(
    function: ir.Function, gemm: Gemm, lanes: int, epilogue: EmitEpilogue | None, flipped: bool
) -> RowKernel | DotKernel | None:
    """The kernel of a product of one row; None if a tile is faster."""
    if gemm.transpose_b and (not gemm.transpose_a or gemm.lda == 1):
        return DotKernel(function, gemm, lanes, epilogue, flipped)
    if not gemm.transpose_b and gemm.n >= _LEAST_VECTORS * lanes:
        return RowKernel(function, gemm, lanes, epilogue, flipped)
    return None


class _Row:
    """A kernel of a row under construction.

    Attributes:
      chunks: how many there are.
    """

    chunks: int

    def __init__(self, function: ir.Function, gemm: Gemm, lanes: int) -> None:
        self._code, self._gemm, self._lanes = ProductCode(function), gemm, lanes
        self.vectors = Vectors(self._code, gemm.dtype, lanes)
        self._total = -(-gemm.n // lanes)
        self._wanted = -(-self._total * gemm.batch.count // useful_chunks(gemm))

    def _cut(self, most: int) -> None:
        """Chunks of so many vectors at most."""
        self._vectors = even(self._total, most)
        self._blocks = -(-self._total // self._vectors)
        self.chunks = self._blocks * self._gemm.batch.count

    def _begin(self) -> tuple[Index, Index, Any, Any]:
        """The number of the product, its first vector of the chunk, and where its factors are."""
        code, gemm = self._code, self._gemm
        chunk = code.function.args[1]
        number = code.div(chunk, self._blocks) if gemm.batch.count > 1 else 0
        first = code.mul(code.rem(chunk, self._blocks), self._vectors)
        places = gemm.batch.places(code, number)
        a, b = (self.vectors.at(code.slot(gemm.slots[i]), place) for i, place in enumerate(places))
        return number, first, a, b


class RowKernel(_Row):
    """A row times a wide matrix."""

    def __init__(
        self, function: ir.Function, gemm: Gemm, lanes: int, epilogue: EmitEpilogue | None, flipped: bool
    ) -> None:
        super().__init__(function, gemm, lanes)
        self._output = Output.of(self._code, gemm, Tile(1, 1, lanes), epilogue, flipped)
        self._cut(min(max(_CHUNK_VECTORS, self._wanted), _MOST_VECTORS))
        self._kept = self.vectors.room(self._vectors * lanes)

    def emit(self) -> None:
        """Emit the whole function."""
        code, gemm = self._code, self._gemm
        number, first, a, b = self._begin()
        count = code.least(self._vectors, code.sub(self._total, first))
        code.repeat(count, lambda index: self._keep(index, self.vectors.zero))
        code.repeat(gemm.k // _ROWS, lambda block: self._add(a, b, code.mul(block, _ROWS), _ROWS, first, count))
        if gemm.k % _ROWS:
            self._add(a, b, gemm.k - gemm.k % _ROWS, gemm.k % _ROWS, first, count)

        def write(index: Index) -> None:
            column = span(code, code.add(first, index), self._lanes, gemm.n)
            self._output.write([self._sum(index)], number, (0, 0), column)

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
            total = self._sum(index)
            for r, factor in enumerate(factors):
                line = self.vectors.load(here, r * gemm.ldb)
                total = self.vectors.fma(factor, line, total)
            self._keep(index, total)

        code.repeat(count, vector)

    def _sum(self, index: Index) -> Any:
        """A vector of the sums so far."""
        return self.vectors.load(self._at(index))

    def _keep(self, index: Index, value: Any) -> None:
        self.vectors.store(value, self._at(index))

    def _at(self, index: Index) -> Any:
        return self.vectors.at(self._kept, self._code.mul(index, self._lanes))


class DotKernel(_Row):
    """A row times a matrix that is stored by columns. A vector of the result is made of as many sums as it has lanes."""

    def __init__(
        self, function: ir.Function, gemm: Gemm, lanes: int, epilogue: EmitEpilogue | None, flipped: bool
    ) -> None:
        super().__init__(function, gemm, lanes)
        self._cut(self._wanted)
        # A long epilogue waits for all vectors of a chunk, and then has several to compute with at a time.
        fits = self._vectors <= _MOST_WAITING and gemm.n % (self._vectors * lanes) == 0
        self._waits = fits and not Finish(Frame.of(gemm, lanes, flipped), epilogue, lanes).is_short()
        tile = Tile(1, self._vectors if self._waits else 1, lanes)
        self._output = Output.of(self._code, gemm, tile, epilogue, flipped)

    def emit(self) -> None:
        """Emit the whole function."""
        code, gemm = self._code, self._gemm
        number, first, a, b = self._begin()

        def vector(index: Index) -> None:
            column = span(code, code.add(first, index), self._output.columns, gemm.n)
            self._output.write([self._sums(a, b, column[0])], number, (0, 0), column)

        def waiting(index: Index) -> None:
            along = code.mul(index, self._lanes)
            start = code.mul(first, self._lanes)
            self._output.put(self._sums(a, b, code.add(start, along)), along)

        if self._waits:
            code.repeat(self._vectors, waiting)
            self._output.hand_over(number, (0, 0), (code.mul(first, self._lanes), 0))
        else:
            code.repeat(code.least(self._vectors, code.sub(self._total, first)), vector)
        code.builder.ret_void()

    def _sums(self, a: Any, b: Any, column: Index) -> Any:
        """One vector of the result."""
        code, gemm, lanes = self._code, self._gemm, self._lanes
        ways = max(1, _SUMS // lanes)
        width = ways * lanes
        # Where c has less columns than lanes, the last one is computed more than once.
        columns = [code.add(column, min(j, gemm.n - 1)) for j in range(lanes)]
        starts = [self.vectors.at(b, code.mul(j, gemm.ldb)) for j in columns]

        def turn(index: Index, sums: Any) -> Any:
            return self._step(a, starts, code.mul(index, width), [lanes] * ways, sums)

        sums = code.fold(gemm.k // width, [self.vectors.zero] * (ways * lanes), turn)
        left = gemm.k % width
        valid = [min(lanes, left - w * lanes) for w in range(ways) if left > w * lanes]
        sums = self._step(a, starts, gemm.k - left, valid, sums)
        while len(sums) > lanes:
            half = len(sums) // 2
            sums = [code.builder.fadd(x, y) for x, y in zip(sums[:half], sums[half:], strict=True)]
        return _add_across(code, list(sums), lanes)

    def _step(self, a: Any, starts: list[Any], at: Index, valid: list[int], sums: Any) -> list[Any]:
        """The sums with some more vectors of k added, which may end early."""
        code, lanes = self._code, self._lanes
        result = list(sums)
        for w, count in enumerate(valid):
            here = code.add(at, w * lanes)
            factor = self.vectors.load(a, here, count)
            for j, start in enumerate(starts):
                other = self.vectors.load(start, here, count)
                result[w * lanes + j] = self.vectors.fma(factor, other, result[w * lanes + j])
        return result


def _add_across(code: ProductCode, vectors: list[Any], lanes: int) -> Any:
    """A vector of the sums over the lanes of as many vectors, each at the place of its vector.

    Two vectors become one, of which every other part belongs to the second: the one half of each part is added to the other.
    """
    part = lanes
    while len(vectors) > 1:
        half, part = len(vectors) // 2, part // 2
        # Of the parts of both vectors the first halves, side by side, and the second ones.
        first = [i + k for i in range(0, lanes, 2 * part) for k in (*range(part), *range(lanes, lanes + part))]
        orders = [ir.Constant(ir.VectorType(I32, lanes), [i + shift for i in first]) for shift in (0, part)]
        vectors = [
            code.builder.fadd(*[code.builder.shuffle_vector(x, y, order) for order in orders])
            for x, y in zip(vectors[:half], vectors[half:], strict=True)
        ]
    return vectors[0]
