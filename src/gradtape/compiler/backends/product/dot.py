"""A row times a matrix stored by columns: sums along the vectors, not across them."""

from __future__ import annotations

from typing import Any

from gradtape.compiler.backends.product import memory
from gradtape.compiler.backends.product.code import I32, Index, ProductCode
from gradtape.compiler.backends.product.epilogue import EmitEpilogue, Finish, Frame
from gradtape.compiler.backends.product.output import Output, span
from gradtape.compiler.backends.product.plan import Tile, even, useful_chunks
from gradtape.compiler.backends.product.problem import Gemm
from gradtape.compiler.backends.product.tile import multiply_add
from gradtape.compiler.codegen import ir

# As many independent sums hide the time until a result can be used.
_SUMS = 8
_MOST_WAITING = 64  # vectors


def suits(gemm: Gemm) -> bool:
    """True if the product is a row of sums over elements that lie side by side in both operands."""
    return gemm.m == 1 and gemm.transpose_b and (not gemm.transpose_a or gemm.lda == 1)


class DotKernel:
    """A kernel under construction. A vector of the result is made of as many sums as it has lanes.

    Attributes:
      chunks: how many there are.
    """

    def __init__(
        self, function: ir.Function, gemm: Gemm, lanes: int, epilogue: EmitEpilogue | None, flipped: bool
    ) -> None:
        self._code, self._gemm, self._lanes = ProductCode(function), gemm, lanes
        self._element = memory.element_type(gemm.dtype)
        self._total = -(-gemm.n // lanes)
        self._vectors = even(self._total, -(-self._total * gemm.batch.count // useful_chunks(gemm)))
        self._blocks = -(-self._total // self._vectors)
        # A long epilogue waits for all vectors of a chunk, and then has several to compute with at a time.
        fits = self._vectors <= _MOST_WAITING and gemm.n % (self._vectors * lanes) == 0
        self._waits = fits and not Finish(Frame.of(gemm, lanes, flipped), epilogue, lanes).is_short()
        tile = Tile(1, self._vectors if self._waits else 1, lanes)
        self._output = Output.of(self._code, gemm, tile, epilogue, flipped)
        self.chunks = self._blocks * gemm.batch.count

    def emit(self) -> None:
        """Emit the whole function."""
        code, gemm = self._code, self._gemm
        chunk = code.function.args[1]
        number = code.div(chunk, self._blocks) if gemm.batch.count > 1 else 0
        first = code.mul(code.rem(chunk, self._blocks), self._vectors)
        places = gemm.batch.places(code, number)
        a, b = (code.at(code.slot(gemm.slots[i]), place, self._element) for i, place in enumerate(places))

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
        zero = ir.Constant(ir.VectorType(self._element, lanes), None)
        # Where c has less columns than lanes, the last one is computed more than once.
        columns = [code.add(column, min(j, gemm.n - 1)) for j in range(lanes)]
        starts = [code.at(b, code.mul(j, gemm.ldb), self._element) for j in columns]

        def turn(index: Index, sums: Any) -> Any:
            return self._step(a, starts, code.mul(index, width), [lanes] * ways, sums)

        sums = code.fold(gemm.k // width, [zero] * (ways * lanes), turn)
        left = gemm.k % width
        valid = [min(lanes, left - w * lanes) for w in range(ways) if left > w * lanes]
        sums = self._step(a, starts, gemm.k - left, valid, sums)
        while len(sums) > lanes:
            half = len(sums) // 2
            sums = [code.builder.fadd(x, y) for x, y in zip(sums[:half], sums[half:], strict=True)]
        return _added_across(code, list(sums), lanes)

    def _step(self, a: Any, starts: list[Any], at: Index, valid: list[int], sums: Any) -> list[Any]:
        """The sums with some more vectors of k added, which may end early."""
        code, dtype, lanes = self._code, self._gemm.dtype, self._lanes
        fma = multiply_add(code, dtype, lanes)
        result = list(sums)
        for w, count in enumerate(valid):
            here = code.add(at, w * lanes)
            factor = memory.load(code, code.at(a, here, self._element), dtype, lanes, count)
            for j, start in enumerate(starts):
                other = memory.load(code, code.at(start, here, self._element), dtype, lanes, count)
                result[w * lanes + j] = code.builder.call(fma, [factor, other, result[w * lanes + j]])
        return result


def _added_across(code: ProductCode, vectors: list[Any], lanes: int) -> Any:
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
