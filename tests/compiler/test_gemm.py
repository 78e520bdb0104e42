"""Matrix products: emitted kernels against NumPy in float64."""

import ctypes
import dataclasses
import mmap

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from gradtape.compiler.backends.product.kernel import emit
from gradtape.compiler.backends.product.plan import plan
from gradtape.compiler.backends.product.problem import Batch, Gemm
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import assemble, host
from gradtape.compiler.runtime.pool import Pool
from gradtape.core import dtypes

FLOATS = [dtypes.float32, dtypes.float64]
TRANSPOSES = [(a, b) for a in (False, True) for b in (False, True)]


class Product:
    """Operands of a product in memory, filled with random numbers; gaps and borders hold NaN. `memory` is that of c.

    Addresses are those of single elements, not of vectors.
    """

    def __init__(self, gemm, seed=0):
        self.gemm, self.rng = gemm, np.random.default_rng(seed)
        batch = gemm.batch
        self.a = self.matrix(
            gemm.k if gemm.transpose_a else gemm.m, gemm.m if gemm.transpose_a else gemm.k, gemm.lda, batch.stride_a
        )
        self.b = self.matrix(
            gemm.n if gemm.transpose_b else gemm.k, gemm.k if gemm.transpose_b else gemm.n, gemm.ldb, batch.stride_b
        )
        self.c = self.matrix(gemm.m, gemm.n, gemm.ldc, batch.stride_c)
        self.before = self.c.astype(np.float64)
        self.others = []

    def matrix(self, rows, columns, ld, stride):
        dtype = np.dtype(self.gemm.dtype.numpy)
        count = self.gemm.batch.count
        memory = np.full(1 + max(rows, 1) * ld + max(count - 1, 0) * stride + 1, np.nan, dtype)
        view = as_strided(memory[1:], (count, rows, columns), [dtype.itemsize * step for step in (stride, ld, 1)])
        view[...] = self.rng.standard_normal(view.shape)
        self.memory = memory
        return view

    def operand(self, values):
        """A further slot of the table; gives its index."""
        self.others.append(np.ascontiguousarray(values))
        return 2 + len(self.others)

    def table(self):
        arrays = [self.a, self.b, self.c, *self.others]
        return (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])

    def sums(self):
        """The product in float64."""
        a = self.a.astype(np.float64)
        b = self.b.astype(np.float64)
        product = (a.swapaxes(1, 2) if self.gemm.transpose_a else a) @ (
            b.swapaxes(1, 2) if self.gemm.transpose_b else b
        )
        return product

    def tolerance(self):
        """A bound of the rounding errors of sums in any order."""
        a, b = np.abs(self.a).max(initial=1), np.abs(self.b).max(initial=1)
        return np.finfo(self.gemm.dtype.numpy).eps * (self.gemm.k + 2) * float(a * b) + 1e-300


def assembled(module, found, machine=None):
    """Functions of a module, with their numbers of chunks."""
    library = assemble(module, machine)
    kind = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)
    functions = [(kind(library.address(name)), chunks) for name, chunks in found]
    for function, _ in functions:
        function.library = library
    return functions


def run(functions, product, order=lambda chunks: chunks):
    table = product.table()
    for function, chunks in functions:
        for chunk in order(list(range(chunks))):
            function(ctypes.addressof(table), chunk)
    return product.c


def storing(epilogue):
    """An epilogue that writes to c what a function gives."""
    return lambda cg, value, at: at.store(2, epilogue(cg, value, at))


def emitted(gemm, epilogue=None, machine=None):
    module = ir.Module()
    return assembled(module, [emit(module, gemm, epilogue and storing(epilogue), machine)], machine)


def added_to_c(gemm):
    """An epilogue that adds the product to what c holds: an element that is written twice is wrong."""
    return lambda cg, value, at: value + at.read(2, gemm.dtype, (gemm.batch.stride_c, gemm.ldc, 1))


def check(gemm, functions, seed=0, added=False):
    product = Product(gemm, seed)
    expected = product.sums() + (product.before if added else 0)
    found = run(functions, product)
    np.testing.assert_allclose(found, expected, rtol=0, atol=product.tolerance())
    assert np.isnan(product.memory[[0, -1]]).all(), "written beyond the ends"
    return found


def sizes(count, least, most, seed):
    rng = np.random.default_rng(seed)
    return [tuple(int(v) for v in rng.integers(least, most + 1, 3)) for _ in range(count)]


@pytest.mark.parametrize("transposes", TRANSPOSES)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_small_products_of_odd_sizes(transposes, dtype):
    for index, (m, n, k) in enumerate(sizes(6, 1, 40, seed=2 * transposes[0] + transposes[1])):
        a, b = transposes
        gemm, added = Gemm(m, n, k, dtype, transpose_a=a, transpose_b=b), index % 2 == 1
        check(gemm, emitted(gemm, added_to_c(gemm) if added else None), index, added)


@pytest.mark.parametrize("transposes", TRANSPOSES)
@pytest.mark.parametrize("size", [(131, 77, 300), (50, 290, 700), (300, 150, 145)], ids=str)
def test_products_in_several_chunks_and_blocks(transposes, size):
    gemm = Gemm(*size, transpose_a=transposes[0], transpose_b=transposes[1])
    functions = emitted(gemm)
    assert functions[0][1] > 1
    check(gemm, functions)


@pytest.mark.parametrize("register_bytes", [16, 32, 64])
@pytest.mark.parametrize("transposes", TRANSPOSES)
def test_other_vector_widths(register_bytes, transposes):
    machine = host()._replace(register_bytes=register_bytes)
    for m, n, k in [(29, 37, 21), (1, 70, 9), (70, 1, 19)]:
        gemm = Gemm(m, n, k, transpose_a=transposes[0], transpose_b=transposes[1])
        check(gemm, emitted(gemm, added_to_c(gemm), machine), added=True)


@pytest.mark.parametrize("transposes", TRANSPOSES)
@pytest.mark.parametrize(
    "size", [(1, 5, 33), (1, 301, 17), (1, 150, 1), (5, 1, 40), (201, 1, 30), (1, 1, 9), (1, 2000, 8)], ids=str
)
def test_products_with_vectors(transposes, size):
    gemm = Gemm(*size, transpose_a=transposes[0], transpose_b=transposes[1])
    check(gemm, emitted(gemm))
    check(gemm, emitted(gemm, added_to_c(gemm)), added=True)


def test_one_module_may_hold_a_product_twice():
    module = ir.Module()
    gemm = Gemm(5, 9, 4)
    first, second = assembled(module, [emit(module, gemm), emit(module, gemm, storing(lambda cg, value, at: -value))])
    check(gemm, [first])
    product = Product(gemm)
    np.testing.assert_allclose(run([second], product), -product.sums(), rtol=0, atol=product.tolerance())


def test_columns_with_gaps():
    for transposed in (False, True):
        gemm = Gemm(19, 1, 23, transpose_a=transposed, ldb=3, ldc=4)
        check(gemm, emitted(gemm, added_to_c(gemm)), added=True)


@pytest.mark.parametrize("transposes", TRANSPOSES)
def test_rows_far_apart(transposes):
    gemm = Gemm(21, 35, 17, transpose_a=transposes[0], transpose_b=transposes[1], lda=41, ldb=43, ldc=47)
    product = Product(gemm)
    run(emitted(gemm), product)
    assert np.isnan(product.memory[1:-1].reshape(21, 47)[:, 35:]).all()
    np.testing.assert_allclose(product.c, product.sums(), rtol=0, atol=product.tolerance())


@pytest.mark.parametrize("transposes", TRANSPOSES)
@pytest.mark.parametrize("repeated", [(), ("stride_a",), ("stride_b",)], ids=str)
def test_batches(transposes, repeated):
    for m, n, k in [(9, 11, 5), (1, 20, 6)]:
        batch = Batch(
            7,
            *[0 if name in repeated else size for name, size in (("stride_a", m * k + 3), ("stride_b", k * n))],
            m * n + 1,
        )
        gemm = Gemm(m, n, k, transpose_a=transposes[0], transpose_b=transposes[1], batch=batch)
        check(gemm, emitted(gemm))


def test_large_batches_have_several_products_in_a_chunk():
    gemm = Gemm(8, 16, 20, batch=Batch(1001, 160, 320, 128))
    functions = emitted(gemm)
    assert 1 < functions[0][1] < 1001
    check(gemm, functions)


@pytest.mark.parametrize("size", [(5, 7, 0), (1, 9, 0), (9, 1, 0)], ids=str)
def test_sums_of_nothing(size):
    gemm = Gemm(*size)
    check(gemm, emitted(gemm))
    check(gemm, emitted(gemm, added_to_c(gemm)), added=True)


@pytest.mark.parametrize("size", [(0, 3, 4), (3, 0, 4)], ids=str)
def test_empty_results_have_no_chunks(size):
    assert emit(ir.Module(), Gemm(*size))[1] == 0
    assert emit(ir.Module(), Gemm(2, 3, 4, batch=Batch(0)))[1] == 0


def test_what_c_holds_does_not_matter_unless_added_to():
    for size in [(6, 20, 7), (1, 9, 4), (9, 1, 4), (1, 300, 3)]:
        gemm = Gemm(*size)
        product = Product(gemm)
        product.c[...] = np.nan
        np.testing.assert_allclose(run(emitted(gemm), product), product.sums(), rtol=0, atol=product.tolerance())


@pytest.mark.parametrize(
    "gemm", [Gemm(150, 200, 90), Gemm(150, 130, 400, transpose_a=True), Gemm(1, 3000, 500), Gemm(2000, 1, 500)], ids=str
)
def test_the_order_of_chunks_and_threads_change_no_bit(gemm):
    functions = emitted(gemm)
    first = run(functions, Product(gemm)).copy()
    assert np.array_equal(first, run(functions, Product(gemm), order=reversed))
    shuffled = np.random.default_rng(5).permutation
    assert np.array_equal(first, run(functions, Product(gemm), order=lambda chunks: [int(c) for c in shuffled(chunks)]))
    pool = Pool(3)
    product = Product(gemm)
    table = product.table()
    function, chunks = functions[0]
    pool.parallel_for(ctypes.cast(function, ctypes.c_void_p).value, ctypes.addressof(table), chunks)
    pool.close()
    assert np.array_equal(first, product.c)


def bias_and_tanh(cg, value, at):
    return cg.tanh(value + at.read(3, "float32", (0, 0, 1)))


@pytest.mark.parametrize(
    "size", [(13, 37, 11), (64, 48, 300), (1, 30, 8), (30, 1, 8), (1, 200, 8), (140, 90, 700)], ids=str
)
def test_bias_and_activation(size):
    gemm = Gemm(*size)
    product = Product(gemm)
    product.operand(product.rng.standard_normal(gemm.n).astype(np.float32))
    expected = np.tanh(product.sums() + product.others[0])
    np.testing.assert_allclose(
        run(emitted(gemm, bias_and_tanh), product), expected, rtol=0, atol=2 * product.tolerance()
    )


@pytest.mark.parametrize("size", [(13, 37, 11), (30, 1, 8), (100, 60, 700)], ids=str)
def test_an_update_in_place(size):
    """c holds weights, the product is their gradient."""
    gemm = Gemm(*size, transpose_a=True)

    def update(cg, gradient, at):
        return at.read(2, "float32", (0, gemm.n, 1)) - at.read(3, "float32", (0, 0, 0)) * gradient

    product = Product(gemm)
    product.operand(np.array([0.25], np.float32))
    expected = product.before - 0.25 * product.sums()
    np.testing.assert_allclose(run(emitted(gemm, update), product), expected, rtol=0, atol=product.tolerance())


@pytest.mark.parametrize("size", [(9, 21, 5), (17, 1, 6), (1, 17, 6)], ids=str)
def test_masks_columns_and_further_results(size):
    m, n, k = size
    gemm = Gemm(m, n, k, dtypes.float64, batch=Batch(3, m * k, n * k, m * n))

    def derivative(cg, value, at):
        at.store(5, cg.cast(value, "float32"))
        masked = cg.select(at.read(3, "bool", (m * n, n, 1)), value, cg.constant(0, value))
        return masked * at.read(4, "float64", (0, 1, 0))

    product = Product(gemm)
    shape = (3, gemm.m, gemm.n)
    product.operand(product.rng.random(shape) < 0.5)
    product.operand(product.rng.standard_normal(gemm.m))
    product.operand(np.zeros(shape, np.float32))
    sums = product.sums()
    found = run(emitted(gemm, derivative), product)
    mask, column, further = product.others
    np.testing.assert_allclose(found, np.where(mask, sums, 0) * column[:, None], rtol=0, atol=4 * product.tolerance())
    np.testing.assert_allclose(further, sums, rtol=1e-6)


def test_operands_of_an_epilogue_by_product_and_with_gaps():
    gemm = Gemm(5, 19, 4, batch=Batch(2, 20, 76, 95))

    def add(cg, value, at):
        return value + at.read(3, "float32", (19, 0, 1)) + at.read(4, "float32", (0, 23, 1))

    product = Product(gemm)
    product.operand(product.rng.standard_normal((2, 19)).astype(np.float32))
    product.operand(product.rng.standard_normal((5, 23)).astype(np.float32))
    expected = product.sums() + product.others[0][:, None, :] + product.others[1][:, :19]
    np.testing.assert_allclose(run(emitted(gemm, add), product), expected, rtol=0, atol=product.tolerance())


def test_what_cannot_be_asked():
    with pytest.raises(ValueError, match="elements that lie side by side"):
        emit(ir.Module(), Gemm(3, 3, 3), storing(lambda cg, value, at: at.read(3, "float32", (0, 1, 3))))
    with pytest.raises(TypeError, match="products of int32 are not emitted"):
        Gemm(2, 2, 2, dtypes.int32)
    with pytest.raises(ValueError, match="ldb is 3, less than the 4 elements of a row"):
        Gemm(2, 4, 5, ldb=3)
    with pytest.raises(ValueError, match="written to one place"):
        Gemm(2, 4, 5, batch=Batch(2))
    with pytest.raises(ValueError, match="negative size"):
        Gemm(2, -1, 5)


def test_deep_slivers_are_fetched_ahead():
    for transposes in TRANSPOSES:
        gemm = Gemm(131, 60, 900, transpose_a=transposes[0], transpose_b=transposes[1])
        cut = plan(gemm, host())
        assert (cut.depth == 900) == bool(cut.ahead) == (not transposes[0])
        check(gemm, emitted(gemm))
    gemm = Gemm(140, 50, 2100)
    assert plan(gemm, host()).blocks == 3
    check(gemm, emitted(gemm))


def test_operands_of_an_epilogue_that_are_fetched():
    gemm = Gemm(29, 50, 40, batch=Batch(2, 29 * 40, 40 * 50, 29 * 50))
    product = Product(gemm)
    slot = product.operand(product.rng.standard_normal((2, 29, 50)).astype(np.float32))
    module = ir.Module()
    name = emit(
        module,
        gemm,
        storing(lambda cg, value, at: value * at.read(slot, "float32", (29 * 50, 50, 1))),
        fetched=[(slot, 4)],
    )
    found = run(assembled(module, [name]), product)
    np.testing.assert_allclose(found, product.sums() * product.others[0], rtol=0, atol=8 * product.tolerance())


def test_batches_in_groups():
    for m, n, k in [(9, 20, 7), (1, 300, 6), (1, 5, 40), (40, 1, 5)]:
        strides = {"stride_a": k, "stride_b": 0, "outer_a": 3 * k * m, "outer_b": k * n}
        batch = Batch(6, stride_c=m * n, inner=3, **strides)
        gemm = Gemm(m, n, k, lda=3 * k, batch=batch)
        product = Product(dataclasses.replace(gemm, batch=Batch(6, 0, 0, m * n)))
        a = product.rng.standard_normal((2, m, 3, k)).astype(np.float32)
        b = product.rng.standard_normal((2, k, n)).astype(np.float32)
        expected = np.einsum("gmik,gkn->gimn", a.astype(np.float64), b).reshape(6, m, n)
        product.a, product.b = a, b
        np.testing.assert_allclose(run(emitted(gemm), product), expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize("register_bytes", [16, 32, 64])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_plans_fit_registers_and_stack(register_bytes, dtype):
    machine = host()._replace(register_bytes=register_bytes)
    for size in [
        (1, 1, 1),
        (7, 3, 0),
        (64, 128, 784),
        (1000, 1000, 1000),
        (31, 5000, 5000),
        (5000, 31, 100),
        (13, 17, 100_000),
    ]:
        for transposes in TRANSPOSES:
            gemm = Gemm(*size, dtype, transpose_a=transposes[0], transpose_b=transposes[1])
            cut = plan(gemm, machine)
            assert cut.tile.rows * cut.tile.vectors <= 30
            assert cut.depth * cut.blocks >= gemm.k
            assert cut.tiles * cut.grid[1] * cut.tile.rows >= gemm.m
            assert cut.slivers * cut.grid[2] * cut.tile.columns >= gemm.n
            panels = (
                cut.pack_a * cut.tiles * cut.tile.rows * cut.depth
                + cut.pack_b * cut.group * cut.tile.columns * cut.depth
            )
            sums = (cut.blocks > 1) * cut.tiles * cut.slivers * cut.tile.rows * cut.tile.columns
            assert (panels + sums) * dtype.size < 450 * 1024


@pytest.mark.parametrize("transposes", TRANSPOSES)
@pytest.mark.parametrize("size", [(130, 140, 300), (17, 140, 260), (9, 33, 150)], ids=str)
def test_nothing_is_read_behind_the_operands(transposes, size):
    """Behind each of them lies memory that may not be read."""
    gemm = Gemm(*size, transpose_a=transposes[0], transpose_b=transposes[1])
    product = Product(gemm)
    expected, kept = product.sums(), []
    for name in ("a", "b"):
        values = np.ascontiguousarray(getattr(product, name))
        size_in_pages = -(-values.nbytes // mmap.PAGESIZE)
        memory = mmap.mmap(-1, (size_in_pages + 1) * mmap.PAGESIZE)
        whole = np.frombuffer(memory, np.uint8)
        end = size_in_pages * mmap.PAGESIZE
        assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(whole.ctypes.data + end), mmap.PAGESIZE, 0) == 0
        placed = whole[end - values.nbytes : end].view(values.dtype).reshape(values.shape)
        placed[...] = values
        setattr(product, name, placed)
        kept.append((memory, whole))
    np.testing.assert_allclose(run(emitted(gemm), product), expected, rtol=0, atol=product.tolerance())
