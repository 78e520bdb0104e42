"""A pytest plugin: reports of failures leave out frames of gradtape, and of Keras on it, as tracebacks elsewhere do.

Frames are marked when a test has failed, so it costs nothing before; `pytest --full-trace` shows all, and so does
`GRADTAPE_TRACEBACK=full`. Nothing of gradtape is imported unless the tests have done so.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: Any, call: Any) -> None:
    """Mark the library's frames before pytest looks at them, and add the fix to errors that Python raised about our objects."""
    tracebacks = sys.modules.get("gradtape.core.tracebacks")
    if tracebacks is None or call.excinfo is None:
        return
    tracebacks.add_fix(call.excinfo.value)
    for frame in tracebacks.hidden_frames(call.excinfo.tb):
        frame.f_globals.setdefault("__tracebackhide__", tracebacks.is_hidden)
