"""A plug-in of pytest that writes the outcome of every test to a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

outcomes: dict[str, list[str]] = {}


def pytest_addoption(parser: Any) -> None:
    """`--results=file`."""
    parser.addoption("--results")


def pytest_runtest_logreport(report: Any) -> None:
    """Note an outcome; a failure before or after the test itself is an error."""
    if report.when == "call" or report.outcome != "passed":
        outcome = "error" if report.failed and report.when != "call" else report.outcome
        outcomes[report.nodeid] = [outcome, str(report.longrepr or "")[-300:]]


def pytest_sessionfinish(session: Any) -> None:
    """Write the file."""
    if session.config.option.results:
        Path(session.config.option.results).write_text(json.dumps(outcomes))
