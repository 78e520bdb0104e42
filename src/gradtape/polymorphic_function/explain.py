"""The report of `f.explain()`: the traces of a function, their cost, and the ops that run natively."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradtape.compiler.effects import ASSIGN
from gradtape.compiler.graph import Graph
from gradtape.core.provenance import Site
from gradtape.core.shape import Spec


@dataclass(frozen=True)
class Outside:
    """Ops that run as NumPy kernels, between native parts: the op, how many, and the line of the first."""

    op: str
    count: int
    site: str


@dataclass(frozen=True, repr=False)
class TraceReport:
    """One trace of a function.

    Attributes:
      signature: the arguments it is for.
      because: why it was made: the first call, or the argument that differed from an earlier trace, and how.
      tracing, compiling: seconds; compiling is 0 until the trace has run.
      native: the kernels of machine code, by the ops in them.
      outside: what runs as NumPy kernels.
      bytes: the memory planned for values between kernels, and for results.
    """

    signature: str
    because: str
    tracing: float
    compiling: float
    native: tuple[str, ...]
    outside: tuple[Outside, ...]
    bytes: int

    def __repr__(self) -> str:
        outside = sum(o.count for o in self.outside)
        return (
            f"<TraceReport {self.signature}, {_counted(len(self.native), 'kernel')}, {_counted(outside, 'op')} outside>"
        )

    def __str__(self) -> str:
        lines = [
            f"{self.signature}",
            f"  traced because: {self.because}",
            f"  traced in {1e3 * self.tracing:.1f} ms, compiled in {1e3 * self.compiling:.1f} ms, "
            f"{self.bytes / 1e6:.2f} MB planned",
        ]
        lines += [f"  native: {parts}" for parts in self.native]
        lines += [f"  NumPy: {o.op}{f' x {o.count}' if o.count > 1 else ''}  {o.site}".rstrip() for o in self.outside]
        return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class FunctionReport:
    """A report about a function.

    Attributes:
      name: the function's name.
      traces: in the order in which they were made, as far as they are still kept.
    """

    name: str
    traces: tuple[TraceReport, ...] = field(default=())

    def __repr__(self) -> str:
        return f"<FunctionReport {self.name}, {_counted(len(self.traces), 'trace')}>"

    def __str__(self) -> str:
        return "\n".join([f"{self.name}: {_counted(len(self.traces), 'trace')}", *map(str, self.traces)])

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def contents(graph: Graph) -> tuple[tuple[str, ...], tuple[Outside, ...], int]:
    """The kernels of a graph, the ops that run outside of them, and the planned bytes."""
    native: list[str] = []
    outside: dict[str, tuple[int, str]] = {}
    size = 0
    for node in graph.nodes:
        for value in node.outputs:
            size += _bytes(value.spec)
        if hasattr(node.op, "launch"):
            native += [getattr(part.op, "parts", part.op.name) for part in node.op.nodes]
            size += node.op.size
        elif node.op is not ASSIGN:
            count, site = outside.get(node.op.name, (0, str(Site.of(node.place) or "")))
            outside[node.op.name] = count + 1, site
    return tuple(native), tuple([Outside(op, n, site) for op, (n, site) in outside.items()]), size


def _bytes(spec: Spec) -> int:
    size = spec.dtype.size
    for d in spec.shape:
        size *= d or 0
    return size
