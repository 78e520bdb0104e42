"""Whether all hostile tests run (`make hostile`), or the slice that `make test` has."""

import os

import pytest

ALL = os.environ.get("GRADTAPE_HOSTILE") == "all"


@pytest.fixture(scope="session")
def rounds():
    """`rounds(slice, all)`: how often to try something."""
    return lambda few, many: many if ALL else few
