"""Machine code of random numbers: the blocks of Philox, several at a time, one in each lane. The bits are those of `ops/philox.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gradtape.compiler.backends import emits
from gradtape.compiler.backends.indexing import times
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import I64, VOID, room, table_of
from gradtape.compiler.codegen.simd import conversion
from gradtape.compiler.codegen.simd.conversion import copy, element
from gradtape.compiler.codegen.simd.emitter import VectorEmitter
from gradtape.compiler.codegen.simd.machine import computed
from gradtape.compiler.codegen.simd.value import VectorValue, memory_type
from gradtape.compiler.runtime.kernels import Launch, Lowered, Operand, get_kernel, inputs, outputs
from gradtape.core import dtypes
from gradtape.core.dtypes import DType
from gradtape.core.patterns.random import Draw, Scramble, Skip
from gradtape.core.shape import Spec
from gradtape.ops.philox import MULTIPLIERS, ROUNDS, WEYL

_LANES = 8
_CHUNK_BLOCKS = 2048
_WHOLE = (1 << 64) - 1


@emits(Draw)
def draw(pattern: Draw, given: Sequence[Spec], made: Sequence[Spec]) -> Lowered | None:
    """The kernel of numbers from one state."""
    count = 3 if pattern.what == "integers" else 1
    kernel = get_kernel(("draw", pattern), lambda module: _DrawEmitter(module, pattern).emit())
    checks = (Operand("status", 0),) if pattern.what == "integers" else ()
    return Lowered((Launch(kernel, inputs(*range(count)) + outputs(0) + checks),))


class _DrawEmitter:
    """Writes the kernel of a draw."""

    def __init__(self, module: ir.Module, pattern: Draw) -> None:
        self.module, self.pattern = module, pattern
        self.per_block = 4 if pattern.dtype.size <= 4 else 2
        if pattern.what == "integers":
            self.per_block //= 2
        self.blocks = -(-pattern.size // self.per_block)

    def emit(self) -> tuple[ir.Function, int]:
        """The kernel and its chunks."""
        bounded = self.pattern.what == "integers"
        task = ir.Function(self.module, ir.FunctionType(VOID, [I64, I64]), "task")
        b = self.builder = ir.IRBuilder(task.append_basic_block("entry"))
        self.cg = VectorEmitter(self.module, b, _LANES)
        pointers = table_of(b, task.args[0], 4 + bounded if bounded else 2)
        state, target = pointers[0], pointers[3 if bounded else 1]
        low, high, key = [b.load(element(b, state, dtypes.int64, I64(i)), typ=I64) for i in range(3)]
        self.bounds = self._bounds(pointers[1:3], pointers[4]) if bounded else None
        wide = _LANES * self.per_block
        buffer = room(b, memory_type(self.pattern.dtype), wide)
        first = b.mul(task.args[1], I64(_CHUNK_BLOCKS // _LANES))
        last = b.add(first, I64(_CHUNK_BLOCKS // _LANES))
        groups = I64(-(-self.blocks // _LANES))
        last = b.select(b.icmp_signed("<", last, groups), last, groups)
        with times(b, first, last, "groups") as group:
            counter = self._counter(b.add(low, b.mul(group, I64(_LANES))))
            carry = b.zext(b.icmp_unsigned("<", counter, self._spread(low)), counter.type)
            pair = philox(b, [counter, b.add(self._spread(high), carry)], [self._spread(key)] * 2)
            numbers = self._interleave(self._numbers(pair))
            begin = b.mul(group, I64(wide))
            left = b.sub(I64(self.pattern.size), begin)
            place = element(b, target, self.pattern.dtype, begin)
            is_whole = b.icmp_signed(">=", left, I64(wide))
            storing = VectorEmitter(self.module, b, wide)
            with b.if_else(is_whole, likely=True) as (whole, partial):
                with whole:
                    conversion.store(storing, VectorValue(storing, numbers, self.pattern.dtype), place)
                with partial:
                    conversion.store(storing, VectorValue(storing, numbers, self.pattern.dtype), buffer)
                    copy(b, buffer, place, self.pattern.dtype, left)
        b.ret_void()
        return task, -(-self.blocks // _CHUNK_BLOCKS)

    def _spread(self, word: Any) -> Any:
        return self.cg.broadcast(word, dtypes.int64).ir

    def _counter(self, first: Any) -> Any:
        lanes = ir.Constant(ir.VectorType(I64, _LANES), list(range(_LANES)))
        return self.builder.add(self._spread(first), lanes)

    def _bounds(self, pointers: list[Any], status: Any) -> tuple[Any, Any]:
        """The lower bound and the range, in all lanes; an empty range is an error."""
        b, dtype = self.builder, self.pattern.dtype
        low, high = [b.load(p, typ=ir.IntType(8 * dtype.size)) for p in pointers]
        with b.if_then(b.icmp_signed(">=", low, high), likely=False):
            b.store(I64(1), status)
        low, high = [b.sext(x, I64) for x in (low, high)]
        return self._spread(low), self._spread(b.sub(high, low))

    def _numbers(self, pair: list[Any]) -> list[Any]:
        """The elements that the blocks make, one vector for each place in a block."""
        what, dtype = self.pattern.what, self.pattern.dtype
        if what == "integers":
            return self._integers(pair)
        if what == "normal":
            return self._normal(pair)
        words = pair if dtype.size == 8 else self._narrow(pair)
        if what == "bits":
            return words
        b, cg = self.builder, self.cg
        size = 64 if dtype.size == 8 else 32
        own, integers = computed(dtype), dtypes.int64 if size == 64 else dtypes.int32
        shift = ir.Constant(words[0].type, [size - self.pattern.digits] * _LANES)
        scale = 2.0**-self.pattern.digits
        return [(cg.cast(VectorValue(cg, b.lshr(w, shift), integers), own) * scale).ir for w in words]

    def _narrow(self, pair: list[Any]) -> list[Any]:
        """The four words of the blocks, in their order."""
        b, kind = self.builder, ir.VectorType(ir.IntType(32), _LANES)
        half = ir.Constant(pair[0].type, [32] * _LANES)
        return [b.trunc(x, kind) for wide in pair for x in (b.lshr(wide, half), wide)]

    def _normal(self, pair: list[Any]) -> list[Any]:
        """Pairs of numbers by the method of Box and Muller."""
        b, cg = self.builder, self.cg
        if self.pattern.dtype.size == 8:
            shift = ir.Constant(pair[0].type, [11] * _LANES)
            draws = [(b.lshr(pair[0], shift), pair[1])]
            integers, own, unit, turn = dtypes.int64, dtypes.float64, 2.0**-53, math.pi * 2.0**-63
        else:
            words = self._narrow(pair)
            one = ir.Constant(words[0].type, [1] * _LANES)
            draws = [(b.lshr(words[i], one), words[i + 1]) for i in (0, 2)]
            integers, own, unit, turn = dtypes.int32, dtypes.float32, 2.0**-31, math.pi * 2.0**-31
        made = []
        for top, bottom in draws:
            fraction = (cg.cast(VectorValue(cg, top, integers), own) + 0.5) * unit
            angle = cg.cast(VectorValue(cg, bottom, integers), own) * turn
            radius = cg.sqrt(cg.log(fraction) * -2.0)
            made += [(radius * cg.cos(angle)).ir, (radius * cg.sin(angle)).ir]
        return made

    def _integers(self, pair: list[Any]) -> list[Any]:
        """Upper halves of products with the range, of 32 bits."""
        assert self.bounds is not None
        b, (low, span) = self.builder, self.bounds
        half = ir.Constant(span.type, [32] * _LANES)
        mask = ir.Constant(span.type, [0xFFFF_FFFF] * _LANES)
        made = []
        for word in pair:
            upper = b.mul(b.lshr(word, half), span)
            lower = b.lshr(b.mul(b.and_(word, mask), span), half)
            scaled = b.lshr(b.add(upper, lower), half)
            made.append(b.trunc(b.add(low, scaled), ir.VectorType(ir.IntType(32), _LANES)))
        return made

    def _interleave(self, vectors: list[Any]) -> Any:
        """Elements in the order of memory: those of the first block, those of the second, and so on."""
        while len(vectors) > 1:
            half = len(vectors) // 2
            vectors = [_zip(self.builder, a, b) for a, b in zip(vectors[:half], vectors[half:], strict=True)]
        return vectors[0]


def _zip(builder: ir.IRBuilder, a: Any, b: Any) -> Any:
    """The lanes of two vectors in turn."""
    lanes = a.type.count
    order = [n for i in range(lanes) for n in (i, lanes + i)]
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), 2 * lanes), order))


def philox(builder: ir.IRBuilder, counter: list[Any], key: list[Any]) -> list[Any]:
    """Two wide words of blocks at a 128-bit counter, low and high, under a key; of vectors or of single numbers."""
    b = builder
    half = _constant(counter[0].type, 32)
    pair = [b.or_(b.shl(x, half), b.lshr(x, half)) for x in counter]
    key = [key[0], b.lshr(key[1], half)]
    for turn in range(ROUNDS):
        product = [
            b.mul(b.lshr(x, half), _constant(x.type, factor)) for x, factor in zip(pair, MULTIPLIERS, strict=True)
        ]
        keys = [b.shl(b.add(k, _constant(k.type, w * turn & _WHOLE)), half) for k, w in zip(key, WEYL, strict=True)]
        pair = [b.xor(b.xor(b.shl(pair[i], half), keys[i]), product[1 - i]) for i in range(2)]
    return pair


def _constant(kind: ir.Type, value: int) -> Any:
    return ir.Constant(kind, [value] * kind.count if isinstance(kind, ir.VectorType) else value)


@emits(Skip)
def skip(pattern: Skip, given: Sequence[Spec], made: Sequence[Spec]) -> Lowered | None:
    """The kernel of a state further on. How far is a number in its table."""
    low, high = pattern.blocks & _WHOLE, pattern.blocks >> 64 & _WHOLE
    numbers = tuple([Operand("number", n - (1 << 64) if n >> 63 else n) for n in (low, high)])
    return Lowered((Launch(get_kernel(("skip",), _emit_skip), inputs(0) + outputs(0) + numbers),), shares=((0, 0),))


def _emit_skip(module: ir.Module) -> tuple[ir.Function, int]:
    task = ir.Function(module, ir.FunctionType(VOID, [I64, I64]), "task")
    b = ir.IRBuilder(task.append_basic_block("entry"))
    state, target, *distance = table_of(b, task.args[0], 4)
    low, high, key = [b.load(element(b, state, dtypes.int64, I64(i)), typ=I64) for i in range(3)]
    near, far = [b.ptrtoint(d, I64) for d in distance]
    moved = b.add(low, near)
    carry = b.zext(b.icmp_unsigned("<", moved, low), I64)
    _store(b, target, [moved, b.add(b.add(high, carry), far), key])
    b.ret_void()
    return task, 1


@emits(Scramble)
def scramble(pattern: Scramble, given: Sequence[Spec], made: Sequence[Spec]) -> Lowered | None:
    """The kernel of the state of a seed."""
    kernel = get_kernel(("scramble", pattern), lambda module: _emit_scramble(module, pattern.seed))
    return Lowered((Launch(kernel, inputs(0) + outputs(0)),))


def _emit_scramble(module: ir.Module, dtype: DType) -> tuple[ir.Function, int]:
    task = ir.Function(module, ir.FunctionType(VOID, [I64, I64]), "task")
    b = ir.IRBuilder(task.append_basic_block("entry"))
    seed, target = table_of(b, task.args[0], 2)
    kind = ir.IntType(8 * dtype.size)
    pair = [b.load(element(b, seed, dtype, I64(i)), typ=kind) for i in range(2)]
    pair = [b.sext(x, I64) if dtype.size < 8 else x for x in pair]
    _store(b, target, [I64(0), *philox(b, pair, [I64(0), I64(0)])])
    b.ret_void()
    return task, 1


def _store(builder: ir.IRBuilder, target: Any, words: list[Any]) -> None:
    for i, word in enumerate(words):
        builder.store(word, element(builder, target, dtypes.int64, I64(i)))
