"""All tests of the compiler run with its verifiers: after every pass, graphs and segments are checked."""

from __future__ import annotations

import pytest

from gradtape.compiler import debug


@pytest.fixture(autouse=True)
def _verify(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debug, "asked", debug.asked | {"verify"})
