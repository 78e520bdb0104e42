"""Tensors that others refer to weakly are let go by a finished trace.

Libraries keep results by weak references to tensors, such as the bijectors of TensorFlow Probability: what `bijector.inverse(x)` gave
is given again while somebody holds it. A trace holds what was computed on tensors from outside. If the next function found these
results, no gradient would flow through them, since its own tape has not seen the ops.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradtape.core.tensor import Tensor, wrap
from gradtape.tracing.trace import Trace


@contextmanager
def let_go(trace: Trace) -> Iterator[None]:
    """At the end of a trace, finished or broken off, put copies with the same identities and arrays in the place of tensors
    that it holds and that have weak references."""
    try:
        yield
    finally:
        _replace(trace)


def _replace(trace: Trace) -> None:
    copies: dict[int, Tensor] = {}

    def copy(x: Any) -> Any:
        if type(x) is not Tensor or not weakref.getweakrefcount(x):
            return x
        if id(x) not in copies:
            copies[id(x)] = wrap(x._array, x._id)
        return copies[id(x)]

    recording, captures = trace.recording, trace.graph.captures
    held = [*recording.made.values(), *[x for x, _ in trace._values.values()]]
    captures[:] = [(copy(source), value) for source, value in captures]
    recording.saved[:] = [tuple([copy(x) for x in row]) if type(row) is tuple else row for row in recording.saved]
    for x in held:
        twin = copy(x)
        if twin is not x:
            recording.made.pop(id(x), None)
            known = trace._values.pop(id(x), None)
            if known is not None:
                trace._values[id(twin)] = (twin, known[1])
