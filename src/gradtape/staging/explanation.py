"""What `f.explain()` says of a function: its traces, what they cost, what runs natively, and why each was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gradtape.compiler.graph import Graph
from gradtape.core.provenance import Site
from gradtape.core.shape import Spec


@dataclass(frozen=True)
class Outside:
    """Ops that run as NumPy kernels, between native parts: the op, how many, and the line of the first."""

    op: str
    count: int
    site: str


@dataclass(frozen=True)
class TraceReport:
    """One trace of a function.

    Attributes:
      signature: the arguments it is for.
      because: why it was made: the first call, or the argument that differed from an earlier trace, and how.
      tracing, compiling: seconds; compiling is 0 until the trace has run.
      native: the fused loops, by the ops in them.
      outside: what runs as NumPy kernels.
      bytes: what one run allocates for its values, if none were freed early.
    """

    signature: str
    because: str
    tracing: float
    compiling: float
    native: tuple[str, ...]
    outside: tuple[Outside, ...]
    bytes: int

    def __str__(self) -> str:
        lines = [
            f"{self.signature}",
            f"  traced because: {self.because}",
            f"  traced in {1e3 * self.tracing:.1f} ms, compiled in {1e3 * self.compiling:.1f} ms, "
            f"{self.bytes / 1e6:.2f} MB of values",
        ]
        lines += [f"  native loop: {parts}" for parts in self.native]
        lines += [f"  NumPy: {o.op}{f' x {o.count}' if o.count > 1 else ''}  {o.site}".rstrip() for o in self.outside]
        return "\n".join(lines)


@dataclass(frozen=True)
class FunctionReport:
    """What is known of a function.

    Attributes:
      name: the function's name.
      traces: in the order in which they were made, as far as they are still kept.
    """

    name: str
    traces: tuple[TraceReport, ...] = field(default=())

    def __str__(self) -> str:
        count = len(self.traces)
        head = f"{self.name}: {count} trace{'' if count == 1 else 's'}"
        return "\n".join([head, *map(str, self.traces)])

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"


def contents(graph: Graph) -> tuple[tuple[str, ...], tuple[Outside, ...], int]:
    """The native loops of a graph, what runs besides them, and the bytes of its values."""
    native: list[str] = []
    outside: dict[str, tuple[int, str]] = {}
    size = 0
    for node in graph.nodes:
        for value in node.outputs:
            size += _bytes(value.spec)
        if hasattr(node.op, "parts"):
            native.append(node.op.parts)
        else:
            count, site = outside.get(node.op.name, (0, str(Site.of(node.place) or "")))
            outside[node.op.name] = count + 1, site
    return tuple(native), tuple([Outside(op, n, site) for op, (n, site) in outside.items()]), size


def _bytes(spec: Spec) -> int:
    size = spec.dtype.size
    for d in spec.shape:
        size *= d or 0
    return size


def difference(names: Sequence[str], new: Sequence[Any], earlier: Sequence[Sequence[Any]]) -> str:
    """Why a key is new, against the one of the earlier keys that is most like it."""
    if not earlier:
        return "it was the first call"
    closest = min(earlier, key=lambda old: sum(a != b for a, b in zip(new, old, strict=True)))
    parts = [f"{name} is {_show(a)}, not {_show(b)}" for name, a, b in zip(names, new, closest, strict=True) if a != b]
    return "; ".join(parts) or "the earlier trace was no longer kept"


def _show(key: Any) -> str:
    """A part of a key, for people."""
    if isinstance(key, Spec):
        return f"a tensor {key}"
    if isinstance(key, tuple) and key and isinstance(key[0], type):
        inside = key[-1] if isinstance(key[-1], tuple) else ()
        return f"{key[0].__name__}({', '.join(map(_show, inside))})"
    target = getattr(key, "target", None)
    return repr(target()) if callable(target) else repr(key)
