"""What `f.explain()` says of a function: its traces, what they cost, what runs natively, and why each was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gradtape.compiler.effects import ASSIGN
from gradtape.compiler.graph import Graph
from gradtape.core.provenance import Site
from gradtape.core.shape import Spec
from gradtape.core.variable import Variable


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
    """The kernels of a graph, what runs besides them, and the bytes that are planned."""
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


def difference(names: Sequence[str], new: Sequence[Any], earlier: Sequence[Sequence[Any]]) -> str:
    """Why a key is new, against the one of the earlier keys that is most like it."""
    if not earlier:
        return "it was the first call"
    closest = min(earlier, key=lambda old: len(_parts(names, new, old)))
    return "; ".join(_parts(names, new, closest)) or "the earlier trace was no longer kept"


def _parts(names: Sequence[str], new: Sequence[Any], old: Sequence[Any]) -> list[str]:
    """The arguments that differ, each with the place in it and how."""
    return [text for name, a, b in zip(names, new, old, strict=True) for text in _differ(name, a, b)]


def _differ(name: str, new: Any, old: Any) -> list[str]:
    if new == old:
        return []
    if _is_structure(new) and _is_structure(old) and new[:-1] == old[:-1] and len(new[-1]) == len(old[-1]):
        labels = [repr(k) for k in new[1]] if len(new) == 3 else map(str, range(len(new[-1])))
        return [
            text for k, a, b in zip(labels, new[-1], old[-1], strict=True) for text in _differ(f"{name}[{k}]", a, b)
        ]
    return [f"{name} is {_show(new)}, not {_show(old)}"]


def _is_structure(key: Any) -> bool:
    return type(key) is tuple and len(key) in (2, 3) and isinstance(key[0], type) and type(key[-1]) is tuple


def _show(key: Any) -> str:
    """A part of a key, for people."""
    if isinstance(key, Spec):
        return f"a tensor {key}"
    if type(key) is tuple and key and key[0] is Variable:
        return f"a variable {key[2]}" if len(key) > 2 else f"the same variable as number {key[1] + 1}"
    if _is_structure(key):
        labels = [f"{k!r}: " for k in key[1]] if len(key) == 3 else [""] * len(key[-1])
        inside = ", ".join(k + _show(v) for k, v in zip(labels, key[-1], strict=True))
        return f"{key[0].__name__}({inside})"
    target = getattr(key, "target", None)
    if not callable(target):
        return repr(key)
    found = target()
    return "an object that is gone" if found is None else repr(found)
