"""VectorEmitter beside NumpyEmitter: arithmetic, comparison, bits and casts, in every dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from compiler.simd_accuracy import run, special, sweep
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.emitter import VectorEmitter
from gradtape.compiler.codegen.simd.machine import supports
from gradtape.core import dtypes
from gradtape.core.scalar_emitter import Emitter
from gradtape.testing import NumpyEmitter

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
reference = NumpyEmitter()


def values(dtype: str) -> Any:
    """Numbers of a dtype, small and of all sizes, with its ends."""
    random = np.random.default_rng(7)
    if dtype in FLOATS:
        return sweep(np.dtype(dtype).type, 4, random)
    if dtype == "bool":
        return random.integers(0, 2, 4000).astype(bool)
    info = np.iinfo(dtype)
    ends = [info.min, info.max, info.min + 1, info.max - 1, 0, 1, 2, 3, 7, 100] + ([-1, -2, -7] if info.min else [])
    every = random.integers(info.min, info.max, 1500, dtype, endpoint=True)
    return np.concatenate([every, random.integers(0, 100, 500).astype(dtype), np.array(ends, dtype).repeat(len(ends))])


def pairs(dtype: str) -> tuple[Any, Any]:
    """Two inputs: random pairs, and all pairs of ends."""
    a = values(dtype)
    b = np.random.default_rng(7).permutation(a)
    if dtype in FLOATS:
        first, second = np.meshgrid(special(dtype), special(dtype))
        return np.concatenate([a, first.ravel()]).astype(dtype), np.concatenate([b, second.ravel()]).astype(dtype)
    if dtype == "bool":
        return a, b
    first, second = np.meshgrid(np.unique(a[-100:]), np.unique(a[-100:]))
    return np.concatenate([a, first.ravel()]), np.concatenate([b, second.ravel()])


def same(name: str, *arrays: Any) -> None:
    """A method gives NumpyEmitter's bits, NaNs aside."""
    with np.errstate(all="ignore"):
        want = getattr(reference, name)(*arrays)
    got = run(lambda cg, *xs: getattr(cg, name)(*xs), *arrays, out=want.dtype)
    np.testing.assert_array_equal(got, want, err_msg=f"{name} of {arrays[0].dtype}")
    if want.dtype.kind == "f":
        zeros = want == 0
        np.testing.assert_array_equal(np.signbit(got[zeros]), np.signbit(want[zeros]), err_msg=name)


def test_every_method_of_the_protocol_is_there() -> None:
    wanted = {name for name in vars(Emitter) if not name.startswith("_")}
    assert wanted <= set(dir(VectorEmitter))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_arithmetic(dtype: str) -> None:
    a, b = pairs(dtype)
    for name in ("add", "sub", "mul", "floordiv", "floormod", "truncmod", *(["div"] if dtype in FLOATS else [])):
        same(name, a, b)
    for name in ("neg", "abs", *(["floor", "ceil", "round_even", "sqrt", "rsqrt"] if dtype in FLOATS else [])):
        same(name, a)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, "bool"])
def test_comparison(dtype: str) -> None:
    a, b = pairs(dtype)
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        same(name, a, b)
        same(name, a, a)
    for name in ("isnan", "isfinite"):
        same(name, a)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_minimum_and_maximum(dtype: str) -> None:
    a, b = pairs(dtype)
    differ = (a != b) | (np.signbit(a) == np.signbit(b))  # of two zeros, which one NumPy takes depends on the machine
    for name in ("minimum", "maximum"):
        same(name, a[differ], b[differ])


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool"])
def test_bits(dtype: str) -> None:
    a, b = pairs(dtype)
    for name in ("bit_and", "bit_or", "bit_xor"):
        same(name, a, b)
    same("bit_not", a)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts(dtype: str) -> None:
    a = values(dtype)
    places = np.random.default_rng(7).integers(-3 if dtype[0] == "i" else 0, 70, a.size).astype(dtype)
    for name in ("shift_left", "shift_right"):
        same(name, a, places)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_powers_of_integers(dtype: str) -> None:
    a = values(dtype)
    same("pow", a, np.random.default_rng(7).integers(0, 70, a.size).astype(dtype))


def test_masks_add_and_multiply_as_logic() -> None:
    a, b = pairs("bool")
    for name in ("add", "mul", "pow"):
        same(name, a, b)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, "bool"])
def test_selection(dtype: str) -> None:
    a, b = pairs(dtype)
    mask = np.random.default_rng(7).integers(0, 2, a.size).astype(bool)
    got = run(lambda cg, m, x, y: cg.select(m, x, y), mask, a, b, out=a.dtype)
    np.testing.assert_array_equal(got, np.where(mask, a, b))


def fitting(x: Any, wanted: str) -> Any:
    """The values that a dtype can hold after truncation; beyond them NumPy's result depends on the machine."""
    if x.dtype.kind != "f" or np.dtype(wanted).kind not in "iu":
        return x
    info = np.iinfo(wanted)
    x = x[np.isfinite(x)]
    return x[(x > float(info.min) - 0.5) & (x < float(info.max) - 0.5)]


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, "bool"])
def test_casts(dtype: str) -> None:
    for wanted in [*FLOATS, *INTEGERS, "bool"]:
        x = fitting(values(dtype), wanted)
        with np.errstate(all="ignore"):
            want = reference.cast(x, wanted)
        got = run(lambda cg, v, wanted=wanted: cg.cast(v, wanted), x, out=want.dtype)
        np.testing.assert_array_equal(got, want, err_msg=f"{dtype} to {wanted}")


def test_floats_that_integers_cannot_hold() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 3e9, -3e9], np.float32)
    np.testing.assert_array_equal(run(lambda cg, v: cg.cast(v, "int32"), x, out=np.int32), np.iinfo(np.int32).min)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_narrow_floats_are_computed_as_float32(dtype: str) -> None:
    kind = dtypes.as_dtype(dtype).numpy
    every = np.arange(2**16, dtype=np.uint16).view(kind)
    with np.errstate(all="ignore"):  # ARM's conversion says "invalid" of signalling NaNs
        wide = every.astype(np.float32)
        np.testing.assert_array_equal(run(lambda cg, v: v, every).astype(np.float32), wide)
        want = (1 / (1 + np.exp(-wide))).astype(kind)

    def sigmoid(cg: Any, v: Any) -> Any:
        one = cg.constant(1, v)
        return cg.div(one, cg.add(one, cg.exp(cg.neg(v))))

    got = run(sigmoid, every)
    assert np.nanmax(np.abs(got.astype(np.float32) - want.astype(np.float32))) <= np.finfo(np.float16).eps * 4
    both = run(lambda cg, v: cg.mul(v, cg.constant(np.pi, v)), every).astype(np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(both, (wide * np.float32(kind.type(np.pi))).astype(kind).astype(np.float32))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_casts_to_narrow_floats(dtype: str) -> None:
    kind = dtypes.as_dtype(dtype).numpy
    for source in [*FLOATS, "int32", "uint8", "int64", "bool"]:
        x = values(source)
        if source in FLOATS:
            with np.errstate(all="ignore"):
                middle = np.arange(2**15, dtype=np.uint16).view(kind).astype(source)
                between = (middle[1:] + middle[:-1]) / 2  # ties, and their neighbours
                x = np.concatenate([x, between, np.nextafter(between, 0), np.nextafter(between, np.inf)])
        with np.errstate(all="ignore"):
            want = x.astype(kind)
        np.testing.assert_array_equal(
            run(lambda cg, v: cg.cast(v, dtype), x, out=kind).astype(np.float32),
            want.astype(np.float32),
            err_msg=source,
        )
        with np.errstate(all="ignore"):
            back = want.astype(np.float32)
        np.testing.assert_array_equal(run(lambda cg, v: cg.cast(cg.cast(v, dtype), "float32"), x, out=np.float32), back)


def test_casts_from_narrow_floats() -> None:
    x = np.linspace(-100, 100, 333).astype(np.float16)
    for wanted in ("float32", "float64", "int32", "int8", "bool"):
        got = run(lambda cg, v, wanted=wanted: cg.cast(v, wanted), x, out=np.dtype(wanted))
        np.testing.assert_array_equal(got, x.astype(wanted))


def test_what_is_supported() -> None:
    assert all(supports(d) for d in [*FLOATS, *INTEGERS, "bool", "bfloat16"])
    assert not any(supports(d) for d in ("complex64", "complex128", "string", "float8_e5m2", "int4"))


def emitter() -> VectorEmitter:
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), []), "f")
    return VectorEmitter(module, ir.IRBuilder(function.append_basic_block()), 4)


def test_mixed_dtypes_are_refused() -> None:
    cg = emitter()
    a, b = cg.splat(1, dtypes.float32), cg.splat(1, dtypes.float64)
    with pytest.raises(TypeError, match="add of float32 and float64"):
        cg.add(a, b)
    with pytest.raises(TypeError, match="exp of int32"):
        cg.exp(cg.splat(1, dtypes.int32))
    with pytest.raises(TypeError, match="div of int32"):
        cg.div(cg.splat(1, dtypes.int32), cg.splat(1, dtypes.int32))
    with pytest.raises(TypeError, match=r"cg\.constant"):
        cg.mul(a, 2.0)
    with pytest.raises(TypeError, match="select needs a mask"):
        cg.select(a, a, a)
    with pytest.raises(TypeError, match="cast to complex64"):
        cg.cast(a, dtypes.complex64)


def test_constants_have_the_dtype_of_the_other_value() -> None:
    cg = emitter()
    assert cg.dtype(cg.constant(3, cg.splat(1, dtypes.int16))) is dtypes.int16
    assert repr(cg.constant(True, cg.splat(False, dtypes.bool_))) == "<value bool x 4>"
