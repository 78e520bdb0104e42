"""Sums of large arrays: accurate in every direction and layout."""

import numpy as np
import pytest

from gradtape.ops.summation import total

CASES = [
    ((3000, 70), (0,)),
    ((20000, 3), (0,)),
    ((20000, 3), (1,)),
    ((20000, 16), (1,)),
    ((300, 400), (1,)),
    ((300, 400), (0, 1)),
    ((40, 30, 20, 8), (0, 1, 2)),
    ((700, 3, 80), (0, 2)),
    ((50, 3001, 7), (1,)),
    ((3, 5000, 1, 2), (1, 2)),
    ((5000, 1), (0,)),
    ((5000, 1), (1,)),
    ((9000,), (0,)),
    ((9000,), ()),
    ((0, 5000), (0,)),
]
LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "reversed": lambda x: x[::-1],
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("shape", "axis"), CASES)
def test_a_few_ulp_from_float64(random, shape, axis, layout):
    x = LAYOUTS[layout](random.random(shape).astype(np.float32))
    exact = np.sum(x, axis=axis, dtype=np.float64)
    for keepdims in (False, True):
        result = total(x, axis, keepdims)
        wanted = exact if not keepdims else np.sum(x, axis=axis, dtype=np.float64, keepdims=True)
        assert result.dtype == np.float32
        assert result.shape == wanted.shape
        # The folds meet few elements each: 5 ulp where NumPy's own order is off by up to 200.
        np.testing.assert_allclose(result, wanted, rtol=5 * np.finfo(np.float32).eps)


@pytest.mark.parametrize("dtype", ["float64", "complex64", "complex128", "int32", "uint8", "float16"])
def test_other_dtypes(random, dtype):
    x = (10 * random.random((5000, 3))).astype(dtype)
    wide = {"float16": np.float32}.get(dtype, np.dtype(dtype))
    for axis in ((0,), (1,), (0, 1)):
        result = total(x, axis)
        assert result.dtype == wide
        wanted = np.sum(
            x, axis=axis, dtype=np.complex128 if x.dtype.kind == "c" else np.float64 if x.dtype.kind == "f" else wide
        )
        np.testing.assert_allclose(result, wanted.astype(wide), rtol=1e-6)


def test_scalars():
    assert total(np.float32(2.5), ()) == np.float32(2.5)
    assert isinstance(total(np.ones((100, 100), np.float32), (0, 1)), np.float32)
    assert isinstance(total(np.ones((100, 100), np.float32).T, (0, 1)), np.float32)
