"""What all tests share."""

import numpy as np
import pytest


@pytest.fixture
def random() -> np.random.Generator:
    """A random generator that gives the same numbers in every run."""
    return np.random.default_rng(7)


@pytest.fixture(autouse=True)
def _seed() -> None:
    """NumPy's global generator starts anew in every test, so that no test depends on those before it."""
    np.random.seed(7)
