"""Large arrays in parts: the bits are those of one call, and Ctrl-C is heard between the parts."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.ops import blas, interruptible
from gradtape.ops.interruptible import accumulate, by_rows

RANDOM = np.random.default_rng(3)


@pytest.fixture
def small_parts(monkeypatch):
    """Parts of 64 elements; a row of 128 has a thread."""
    from gradtape.ops import scan

    monkeypatch.setattr(interruptible, "PART", 64)
    monkeypatch.setattr(by_rows, "__defaults__", (1, 64, 128))
    monkeypatch.setattr(scan, "PART", 64)


@pytest.mark.parametrize("shape", [(7, 100), (3, 5, 30), (200,), (50, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.float64])
def test_sorted_rows(shape, dtype, small_parts):
    x = (RANDOM.standard_normal(shape) * 10).astype(dtype)
    np.testing.assert_array_equal(tf.sort(x), np.sort(x, -1))
    np.testing.assert_array_equal(tf.argsort(x), np.argsort(x, -1, kind="stable"))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("options", [{}, {"reverse": True}, {"exclusive": True}])
def test_sums_so_far(axis, options, small_parts):
    x = RANDOM.standard_normal((40, 3, 20)).astype(np.float32)
    found = tf.cumsum(x, axis=axis, **options).numpy()
    small = [tf.cumsum(x.astype(np.float64), axis=axis, **options).numpy()]
    np.testing.assert_allclose(found, small[0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(1000,), (6, 90), (90, 6)])
def test_parts_of_a_scan_have_the_bits_of_one(shape, monkeypatch):
    x = RANDOM.standard_normal(shape).astype(np.float32)
    for axis in range(x.ndim):
        expected = np.add.accumulate(x, axis=axis)
        for part in (1, 7, 64, 10_000):
            monkeypatch.setattr(interruptible, "PART", part)
            found = np.empty_like(x)
            accumulate(np.add, x, axis, found)
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["svd", "qr", "eigh", "cholesky", "inv", "det", "slogdet"])
def test_decompositions_of_many_matrices(name, monkeypatch):
    x = RANDOM.standard_normal((3, 50, 8, 8))
    x = x @ np.swapaxes(x, -1, -2) + np.eye(8)
    expected = getattr(np.linalg, name)(x)
    monkeypatch.setattr(blas, "_DECOMPOSED", 8 * 8 * 8 * 7)
    found = getattr(blas, name)(x)
    for a, b in zip(*[r if isinstance(r, tuple) else (r,) for r in (found, expected)], strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_signal_is_heard_between_the_parts():
    """A function that is called for each part can end it all."""
    seen = []

    def part(x):
        seen.append(len(x))
        if len(seen) == 2:
            raise KeyboardInterrupt
        return x

    with pytest.raises(KeyboardInterrupt):
        by_rows(part, np.zeros((10, 10)), part=20)
    assert seen == [2, 2]
