"""The recorder behind `tf.debugging.enable_check_numerics`: it looks at the result of every op."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from types import FrameType
from typing import Any

import numpy as np

from gradtape.api.effects import perform
from gradtape.core import errors, provenance, state
from gradtape.core.recorder import Recorder
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.tracing.operation_types import operation_type

_current = state.current


def describe(array: Any) -> str:
    """Which numbers in an array are not finite, in words; empty if all are."""
    array = np.asarray(host(array))
    if array.dtype.kind not in "fcV" or np.all(np.isfinite(array)):
        return ""
    found = []
    if array.dtype.kind != "c" and np.any(array == -np.inf):
        found.append("-Inf")
    if np.any(np.isinf(array) & (array != -np.inf)):
        found.append("Inf" if "-Inf" not in found else "+Inf")
    if np.any(np.isnan(array)):
        found.append("NaN")
    return " and ".join(found)


class FiniteCheck(Recorder):
    """Sees everything that is computed on a thread, and raises where something is not finite. In traces it adds checks."""

    __slots__ = ("_height", "_path_length")

    everywhere = True  # traces keep it on their list

    def __init__(self, height: int, path_length: int) -> None:
        self.depth, self.closed = 0, False
        self._height, self._path_length = height, path_length

    def see(self, op: Any, ids: Any, values: Any, params: Any, outputs: Any, result: Any) -> None:
        """An op has run."""
        results = outputs if type(outputs) is tuple else (outputs,)
        for i, y in enumerate(results):
            if not (y.dtype.is_floating or y.dtype.is_complex):
                continue
            if hasattr(y, "trace"):
                self._add_check(
                    y, f"check_numerics of {op.name}", _title(i, operation_type(op.name), len(results)), values
                )
            elif type(y) is Tensor and describe(y._array):
                kind = "graph" if _current.trace is not None or _current.in_pipeline else "eagerly-executing"
                title = _title(i, operation_type(op.name), len(results), kind)
                inputs = [v if isinstance(v, Tensor) else wrap(v) for v in values]
                _refuse(title, [*_inputs(inputs), *_place()], y)

    def created(self, tensor: Any) -> None:
        """A constant of a function was made: it is checked when the function runs, as the results of ops are."""
        if _current.trace is not None and type(tensor) is Tensor and describe(tensor._array):
            self._add_check(tensor, "check_numerics of a constant", _title(0, "Const", 1), ())

    def _add_check(self, y: Any, name: str, title: str, inputs: Sequence[Any]) -> None:
        graph = getattr(_current.trace, "graph", None)
        details = [*_inputs(inputs), *_place(), *([f'Graph name: "{graph.name}"'] if graph else []), *self._stack()]
        perform(name, partial(_check, title, details), [y])

    def _stack(self) -> list[str]:
        """The user's frames, outermost first: where the op is made."""
        frame: FrameType | None = sys._getframe(1)
        sites: list[provenance.Site] = []
        while frame is not None and len(sites) < self._height:
            site = provenance.Site.of((frame.f_code, frame.f_lasti))
            if site is not None:
                sites.append(site)
            frame = frame.f_back
        lines = [f"  + {self._shorten(s.filename)} (L{s.line}) {s.function}" for s in reversed(sites)]
        return ["Stack trace of op's creation:", *lines]

    def _shorten(self, path: str) -> str:
        limit = self._path_length
        return path if limit is None or len(path) <= limit else "..." + path[-limit:]


def _title(output: int, op: str, outputs: int, kind: str = "graph") -> str:
    return f'!!! Detected Infinity or NaN in output {output} of {kind} op "{op}" (# of outputs: {outputs}) !!!'


def _inputs(inputs: Sequence[Any]) -> list[str]:
    if len(inputs) == 1:
        return [f"Input tensor: {inputs[0]!s}"]
    return [f"Input tensors ({len(inputs)}):", *[f"       {i}: {x!s}" for i, x in enumerate(inputs)]] if inputs else []


def _place() -> list[str]:
    site = provenance.Site.of(provenance.user_place(2))
    return [f"at:  {site}"] if site else []


def _check(title: str, details: list[str], y: Any) -> None:
    if describe(y._array):
        _refuse(title, details, y)


def _refuse(title: str, details: list[str], y: Any) -> None:
    """Raise the error about a result that is not finite: its dtype and shape, how many elements of each kind, where it comes from."""
    array = np.asarray(host(y._array))
    counts = {"NaN": np.isnan(array)}
    if array.dtype.kind != "c":
        counts = {"-Inf": array == -np.inf, "+Inf": array == np.inf, **counts}
    else:
        counts = {"Inf": np.isinf(array), **counts}
    lines = [title, f"  dtype: {y.dtype}", f"  shape: {y.shape}"]
    lines += [f"  # of {kind} elements: {int(np.sum(found))}" for kind, found in counts.items() if np.any(found)]
    lines += [
        f"  of {array.size} elements: Tensor had {describe(array)} values",
        "",
        *[f"  {line}" for line in details],
    ]
    raise errors.InvalidArgumentError("\n".join(lines))
