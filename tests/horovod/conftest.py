"""Programs on several ranks, started as users start them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from jobs import Job, launcher


@pytest.fixture
def launch(tmp_path: Path) -> Callable[..., Job]:
    """A function that runs the text of a program on some ranks, by `gradtape launch`."""
    return launcher(tmp_path)
