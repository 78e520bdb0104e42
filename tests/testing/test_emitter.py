"""NumpyEmitter is complete and as strict as a compiler."""

import numpy as np
import pytest

from gradtape.core import dtypes
from gradtape.core.scalar_emitter import Emitter
from gradtape.testing import NumpyEmitter

cg = NumpyEmitter()
X = np.array([-1.5, 0.0, 2.0], np.float32)


def test_every_method_of_the_protocol_is_there():
    wanted = {name for name in vars(Emitter) if not name.startswith("_")}
    assert wanted <= set(dir(NumpyEmitter))


def test_dtypes_stay():
    assert cg.rsqrt(X).dtype == np.float32
    assert cg.constant(2.0, X).dtype == np.float32
    assert cg.dtype(X) is dtypes.float32


def test_mixed_dtypes_are_refused():
    with pytest.raises(TypeError, match="add of float32 and float64"):
        cg.add(X, X.astype(np.float64))


def test_python_numbers_are_refused():
    with pytest.raises(TypeError, match=r"cg\.constant"):
        cg.mul(X, 2.0)


def test_kinds_without_a_meaning_are_refused():
    with pytest.raises(TypeError, match="div of int32"):
        cg.div(np.int32(4), np.int32(2))


def test_casts_truncate():
    np.testing.assert_array_equal(cg.cast(X, dtypes.int32), [-1, 0, 2])


def test_select_needs_a_mask():
    np.testing.assert_array_equal(cg.select(cg.gt(X, cg.constant(0, X)), X, cg.neg(X)), [1.5, 0.0, 2.0])
    with pytest.raises(TypeError, match="select needs a mask"):
        cg.select(X, X, X)


def test_remainders_have_the_signs_of_their_names():
    a, b = np.int32(-7), np.int32(3)
    assert cg.floormod(a, b) == 2
    assert cg.truncmod(a, b) == -1
    assert cg.floordiv(a, b) == -3
