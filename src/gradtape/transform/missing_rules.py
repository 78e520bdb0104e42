"""Ops without a derivative rule: a gradient that would have to pass one is an error, never a silent part of the truth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradtape.core import errors, provenance
from gradtape.core.op import Unsupported
from gradtape.transform.record import Recording


def check_rules(recording: Recording, targets: Iterable[int], sources: Iterable[int]) -> None:
    """LookupError if an op whose vjp is Unsupported lies between a source and a target."""
    without = [b for b in recording.breaks if isinstance(getattr(b[0], "vjp", None), Unsupported)]
    if not without:
        return
    steps = _steps(recording)
    below_sources, wanted = _reached(steps, sources), set(targets)
    for op, ids, out, code, offset in without:
        if not below_sources.isdisjoint(ids) and not wanted.isdisjoint(_reached(steps, out)):
            site = provenance.Site.of((code, offset)) if code is not None else None
            raise LookupError(
                errors.compose(
                    f"gradient registry has no entry for: {op.name} ({op.vjp.reason})"
                    + (f", used at {site}" if site else ""),
                    "wrap it in tf.custom_gradient with a gradient of your own, or keep it off the way with "
                    "tf.stop_gradient.",
                )
            )


def _steps(recording: Recording) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """(inputs, outputs) of everything that ran, in order: identities count up."""
    recorded = [(r[1], r[2] if type(r[2]) is tuple else (r[2],)) for r in recording.records]
    return sorted([*recorded, *[(b[1], b[2]) for b in recording.breaks]], key=lambda step: max(step[1], default=0))


def _reached(steps: list[tuple[tuple[int, ...], tuple[int, ...]]], start: Any) -> set[int]:
    found = set(start)
    for inputs, outputs in steps:
        if not found.isdisjoint(inputs):
            found.update(outputs)
    return found
