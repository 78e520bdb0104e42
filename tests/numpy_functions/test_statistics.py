"""Reductions are computed in the dtypes of the policy of each client."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.experimental.numpy._promotion import POLICY
from gradtape.numpy_functions.statistics import Statistics

STATISTICS = Statistics(POLICY)


class Narrow(type(POLICY)):  # type: ignore[misc]
    """Sums and means in float16, positions in int32."""

    index = tf.int32

    def summed(self, x: Any, dtype: Any = None) -> Any:
        return tf.cast(x, dtype or tf.float16)

    def precise(self, x: Any) -> Any:
        return tf.cast(x, tf.float16), lambda y: tf.cast(y, tf.float32)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "max", "min", "all", "any", "cumsum", "nanmean"])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_as_numpy(name: str, axis: Any) -> None:
    x = np.array([[1.5, -2.0, 0.0], [4.0, 0.25, -1.0]])
    found = getattr(STATISTICS, name)(x, axis)
    wanted = getattr(np, name)(x, axis=axis)
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    assert found.dtype.numpy == wanted.dtype


def test_dtypes_are_those_of_the_policy() -> None:
    narrow = Statistics(Narrow())
    assert narrow.sum([1, 2]).dtype is tf.float16
    assert narrow.var([1.0, 3.0]).dtype is tf.float32
    assert narrow.argmax([1.0, 3.0]).dtype is narrow.count_nonzero([1, 0]).dtype is tf.int32
    assert STATISTICS.sum(tf.constant([1, 2])).dtype is STATISTICS.argmin([1, 2]).dtype is tf.int64


def test_positions_keep_axes() -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert STATISTICS.argmax(x, 1, True).shape == (2, 1)
    assert STATISTICS.argmax(x, None, True).shape == (1, 1)
