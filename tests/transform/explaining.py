"""What the tests of `tape.explain` share."""

import inspect
import sys

import gradtape as tf
from gradtape.transform.report import Report


def marked(mark: str = "HERE") -> int:
    """The number of the line of the calling test that carries a mark."""
    text, first = inspect.getsourcelines(sys._getframe(1).f_code)
    (line,) = [first + i for i, t in enumerate(text) if t.rstrip().endswith(f"# {mark}")]
    return line


def labels(report: Report) -> list[str]:
    return [step.label for step in report.steps]


def agrees(tape: tf.GradientTape, target, source) -> Report:
    """The report, after checking that `gradient` says the same."""
    report = tape.explain(target, source)
    assert report.connected == (tape.gradient(target, source) is not None)
    assert tape.explain(target, source).cause == report.cause
    return report
