"""Vectors of which only some lanes are written: nothing else in memory changes."""

import ctypes

import numpy as np
import pytest

import gradtape as tf
from fuzz import modes
from gradtape.compiler.backends.rows.emit import mask_of
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd import conversion
from gradtape.compiler.codegen.simd.emitter import VectorEmitter
from gradtape.compiler.codegen.simd.machine import load, supports, translate
from gradtape.compiler.codegen.simd.translation import GOOD, QUICK
from gradtape.compiler.codegen.simd.value import VectorValue
from gradtape.core import dtypes

DTYPES = [
    "bfloat16",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
]
ADDRESS = ir.IntType(64)


def stored(source, dtype, lanes, count, effort):
    """Memory after the first lanes of a vector, cast to a dtype, were written to its beginning."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [ADDRESS, ADDRESS]), "store")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    cg = VectorEmitter(module, builder, lanes)
    read, write = (builder.inttoptr(a, ir.PointerType()) for a in function.args)
    x = cg.cast(conversion.load(cg, read, source), dtype)
    conversion.store_masked(cg, x, write, VectorValue(cg, mask_of(count, lanes), dtypes.bool_))
    builder.ret_void()
    library = load(translate(module, effort=effort))
    ones, memory = np.ones(lanes, source.numpy), np.full(lanes * dtype.size + 64, 0xA5, np.uint8)
    call = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(library.address("store"))
    call(ones.ctypes.data, memory.ctypes.data)
    return memory


@pytest.mark.parametrize("effort", [QUICK, GOOD], ids=["quick", "good"])
@pytest.mark.parametrize("name", DTYPES)
def test_other_lanes_are_left_alone(name, effort):
    dtype = dtypes.as_dtype(name)
    sources = [dtypes.float32 if dtype.is_floating else dtypes.int32, dtype]
    for source in [s for s in sources if supports(s) and supports(dtype)]:
        for lanes, count in [(4, 1), (8, 1), (8, 3), (16, 1), (16, 2), (16, 15)]:
            memory = stored(source, dtype, lanes, count, effort)
            end = count * dtype.size
            np.testing.assert_array_equal(memory[:end].view(dtype.numpy), np.ones(count, dtype.numpy))
            assert (memory[end:] == 0xA5).all(), (source, lanes, count)


@pytest.mark.parametrize("width", [17, 33, 65])
def test_rows_that_end_with_one_element(width):
    """What a program writes beyond a result is seen by guards. Rows of bfloat16 did that on machines with AVX-512."""
    labels = tf.constant([0, 1, 2, 3])

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x)
        return tape.gradient(y, x)

    with modes.guards(), modes.quality(GOOD):
        assert gradient(tf.zeros([4, width], tf.bfloat16)).shape == (4, width)


def test_guards_see_what_is_written_beyond_a_result(monkeypatch):
    from gradtape.compiler.lowering import native

    run = native.Native.launch

    def wrong(self, arrays, made):
        results = run(self, arrays, made)
        ctypes.memset(made[0].ctypes.data + made[0].nbytes, 0, 1)
        return results

    monkeypatch.setattr(native.Native, "launch", wrong)
    with modes.guards(), pytest.raises(RuntimeError, match="beyond the end of result 0 of exp"):
        tf.function(lambda x: tf.exp(x) * 2.0)(tf.zeros([100]))
