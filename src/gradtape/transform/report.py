"""What `tape.explain` returns: the cause, the lines, the fix; as text, HTML and plain data."""

from __future__ import annotations

import enum
import html
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gradtape.core.provenance import Site


class Cause(enum.StrEnum):
    """The causes of None gradients. Members are strings: `report.cause == "NUMPY"`."""

    UNWATCHED = "UNWATCHED"
    OUTSIDE = "OUTSIDE"
    AFTER_TAPE = "AFTER_TAPE"
    NUMPY = "NUMPY"
    INTEGER = "INTEGER"
    NOT_DIFFERENTIABLE = "NOT_DIFFERENTIABLE"
    REBOUND = "REBOUND"
    ASSIGNED = "ASSIGNED"
    STATE = "STATE"
    UNUSED = "UNUSED"
    OTHER_TENSOR = "OTHER_TENSOR"
    NOT_TRAINABLE = "NOT_TRAINABLE"
    NO_RULE = "NO_RULE"
    PYTHON_FUNCTION = "PYTHON_FUNCTION"
    CONSUMED = "CONSUMED"
    CUSTOM_GRADIENT = "CUSTOM_GRADIENT"
    ONE_TAPE_HESSIAN = "ONE_TAPE_HESSIAN"
    CONSTANT_GRADIENT = "CONSTANT_GRADIENT"
    STOPPED = "STOPPED"
    STOP_RECORDING = "STOP_RECORDING"
    THREAD = "THREAD"
    RESET = "RESET"
    NOT_ENTERED = "NOT_ENTERED"
    INSIDE_FUNCTION = "INSIDE_FUNCTION"
    CAPTURED = "CAPTURED"


@dataclass(frozen=True)
class ReportStep:
    """One line of the user's program on the way from the source to the target.

    Attributes:
      label: what happened there, in a word: "read", "left", "came back", "assigned", or the name of an op.
      site: where; None if it is not known.
      source: the text of the line; empty where the file is not there.
      here: True for the line to change.
    """

    label: str
    site: Site | None
    source: str
    here: bool = False

    @classmethod
    def at(cls, label: str, site: Site | None, here: bool = False) -> ReportStep:
        """A step at a line, with its text."""
        return cls(label, site, "" if site is None else site.source, here)

    def marked(self) -> ReportStep:
        """The same line, as the one to change."""
        return replace(self, here=True)

    def unmarked(self) -> ReportStep:
        """The same line, as one among others."""
        return replace(self, here=False)

    def to_dict(self) -> dict[str, Any]:
        """The step as plain data."""
        place = None if self.site is None else {"file": self.site.filename, "line": self.site.line}
        return {"label": self.label, "site": place, "source": self.source, "here": self.here}


@dataclass(frozen=True, repr=False)
class Report:
    """Whether a target depends on a source on a tape, and if not, why.

    Attributes:
      connected: True if `gradient` finds a path.
      cause: a member of `Cause`; None if connected.
      message: the cause in words.
      steps: lines of the program, in the order in which they ran.
      fix: what to do; empty if nothing is to be done.
      source: the source in words.
      target: the target in words.
      zero: True if there is a path and the gradient is zero whatever the values are.
    """

    connected: bool
    cause: Cause | None
    message: str
    steps: tuple[ReportStep, ...]
    fix: str
    source: str
    target: str
    zero: bool = False

    @property
    def site(self) -> Site | None:
        """The line to change; None if it is not known."""
        return next((step.site for step in self.steps if step.here), None)

    @property
    def summary(self) -> str:
        """The first line of the text."""
        if self.connected:
            return f"{self.source} -> {self.target}: connected. {self.message}".rstrip()
        return f"{self.source} -> {self.target}: no path. Cause: {self.message}"

    def __str__(self) -> str:
        lines = [self.summary, *_columns(self.steps)]
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        if self.connected:
            return f"<Report connected, {len(self.steps)} step{'s' if len(self.steps) != 1 else ''}>"
        return f"<Report {self.cause} at {self.site.short}>" if self.site else f"<Report {self.cause}>"

    def _repr_html_(self) -> str:
        """The report for notebooks: one table, no scripts, no outside resources."""
        color = "#1a7f37" if self.connected else "#cf222e"
        rows = "".join(_row(step, color) for step in self.steps)
        fix = f"<div><b>fix:</b> {html.escape(self.fix)}</div>" if self.fix else ""
        return (
            f'<div style="font-size:90%;border-left:4px solid {color};padding-left:8px">'
            f"<div>{html.escape(self.summary)}</div>"
            f'<table style="font-family:monospace;text-align:left">{rows}</table>{fix}</div>'
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, fit for JSON."""
        return {
            "connected": self.connected, "cause": self.cause and self.cause.value, "message": self.message,
            "steps": [step.to_dict() for step in self.steps], "fix": self.fix, "source": self.source,
            "target": self.target, "zero": self.zero,
        }  # fmt: skip


def _columns(steps: Sequence[ReportStep]) -> list[str]:
    cells = [(step.label, step.site.short if step.site else "", step.source) for step in steps]
    label, place, source = (max((len(c[k]) for c in cells), default=0) for k in range(3))
    lines = []
    for cell, step in zip(cells, steps, strict=True):
        text = f"  {cell[0]:<{max(label, 12)}}  {cell[1]:<{place}}   {cell[2]:<{min(source, 60)}}"
        lines.append(f"{text}   <-- here" if step.here else text.rstrip())
    return lines


def _row(step: ReportStep, color: str) -> str:
    style = f' style="color:{color};font-weight:bold"' if step.here else ""
    cells = (step.label, step.site.short if step.site else "", step.source, "← here" if step.here else "")
    return f"<tr{style}>" + "".join(f'<td style="text-align:left">{html.escape(c)}</td>' for c in cells) + "</tr>"
