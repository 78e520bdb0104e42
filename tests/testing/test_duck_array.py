"""DuckArray follows NumPy's protocols and refuses conversion."""

import numpy as np
import pytest

from gradtape.testing import DuckArray
from gradtape.testing.duck_array import hide, reveal

X = DuckArray([[1.0, 2.0], [3.0, 4.0]])


def test_functions_give_ducks():
    for result in (np.exp(X), X * 2.0, np.sum(X, axis=0), np.sum(X), np.concatenate([X, X]), X[0], X.astype("float32")):
        assert isinstance(result, DuckArray)
    assert all(isinstance(part, DuckArray) for part in np.split(X, 2))


def test_values_are_those_of_numpy():
    np.testing.assert_array_equal((X @ X + 1.0).hidden, X.hidden @ X.hidden + 1.0)
    np.testing.assert_array_equal(np.where(X > 2.0, X, -X).hidden, np.where(X.hidden > 2.0, X.hidden, -X.hidden))


def test_creation_with_like_gives_ducks():
    assert isinstance(np.arange(3, like=X), DuckArray)
    assert isinstance(np.zeros_like(X), DuckArray)


def test_attributes_are_those_of_the_array():
    assert (X.shape, X.ndim, X.size, X.dtype) == ((2, 2), 2, 4, np.dtype(float))


def test_indices_may_be_ducks():
    np.testing.assert_array_equal(X[DuckArray([1, 0])].hidden, X.hidden[[1, 0]])


@pytest.mark.parametrize("convert", [np.asarray, np.array, lambda x: np.ones(2) + x, lambda x: np.add(np.ones(2), x)])
def test_conversion_and_mixture_are_refused(convert):
    with pytest.raises(TypeError, match="DuckArray was"):
        convert(X)


def test_one_element_can_be_asked_for():
    assert bool(DuckArray(True))
    assert DuckArray([3]).item() == 3


def test_hide_and_reveal_are_inverse():
    arrays = (np.ones(2), [np.float32(1.0)], "text")
    hidden = hide(arrays)
    assert isinstance(hidden[0], DuckArray)
    assert reveal(hidden)[1][0] == 1.0
    assert hidden[2] == "text"
