"""How the time of compiled functions is spread over their kernels.

While a block is profiled, every native program notes its calls and keeps the arrays of the last one. Afterwards its kernels run one by one on these
arrays, each several times: what a kernel takes by itself, with its operands in the cache as far as they fit.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gradtape.compiler import backend, kernel_text
from gradtape.compiler.graph import Graph, Node
from gradtape.compiler.lowering import nodes
from gradtape.compiler.lowering.native import Native
from gradtape.compiler.runtime import kernels, pool
from gradtape.core.provenance import Site

_REPEATS, _ENOUGH = 5, 0.05  # runs of a kernel, and seconds after which there are no further ones


class KernelTime(NamedTuple):
    """What a kernel takes.

    Attributes:
      name: the ops in it, and what it makes.
      site: the line of the user's program.
      flops: about how many scalar operations it takes.
      bytes: of all arrays that it reads and writes.
      seconds: of the quickest run.
    """

    name: str
    site: str
    flops: int
    bytes: int
    seconds: float


class FunctionProfile(NamedTuple):
    """What a trace of a function takes.

    Attributes:
      name: of the function.
      calls: of its native programs.
      seconds: of all these calls.
      kernels: those that ran.
    """

    name: str
    calls: int
    seconds: float
    kernels: tuple[KernelTime, ...]


class Profiler:
    """What was compiled and called while it listened."""

    def __init__(self) -> None:
        self._graphs: list[Graph] = []
        self._calls: dict[Native, tuple[int, float, tuple[Any, ...]]] = {}

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Note what is compiled and called in a block."""
        prepare, launch = backend.prepare, Native.launch

        def prepared(graph: Graph) -> Graph:
            self._graphs.append(prepare(graph))
            return self._graphs[-1]

        def launched(native: Native, arrays: tuple[Any, ...], made: tuple[Any, ...]) -> tuple[Any, ...]:
            start = time.perf_counter()
            result = launch(native, arrays, made)
            count, seconds, _ = self._calls.get(native, (0, 0.0, ()))
            self._calls[native] = count + 1, seconds + time.perf_counter() - start, arrays
            return result

        backend.prepare, Native.launch = prepared, launched  # type: ignore[method-assign,assignment]
        try:
            yield
        finally:
            backend.prepare, Native.launch = prepare, launch  # type: ignore[method-assign]

    def profiles(self) -> list[FunctionProfile]:
        """The traces that were called, in the order in which they were compiled."""
        found = []
        for graph in self._graphs:
            ran = [op for node in graph.nodes if (op := node.op) in self._calls]
            if ran:
                calls = max([self._calls[op][0] for op in ran])
                times = [one for op in ran for one in _measure(op, self._calls[op][2])]
                seconds = sum([self._calls[op][1] for op in ran])
                found.append(FunctionProfile(graph.name, calls, seconds, tuple(times)))
        return found


def _measure(native: Native, arrays: tuple[Any, ...]) -> Iterator[KernelTime]:
    """The time of every kernel of a native program on arrays like those of a call."""
    known: dict[Any, Any] = dict(native.constants) | dict(zip(native.inputs, arrays, strict=True))
    for node in native.nodes:
        lowered = nodes.lower(node)
        assert lowered is not None, "a native program has only nodes with kernels"
        made, run = kernels.prepare(lowered, [known[v] for v in node.inputs], [v.spec for v in node.outputs])
        known.update(zip(node.outputs, made, strict=True))
        if lowered.launches:
            # Calls from Python take about as long as a small kernel; a program launches its kernels without them.
            nothing = sum([_find_quickest(lambda: pool.parallel_for(0, 0, 0)) for _ in lowered.launches])
            yield _describe(node, max(_find_quickest(run) - nothing, 1e-9))


def _find_quickest(run: Callable[[], None]) -> float:
    best, start = float("inf"), time.perf_counter()
    for _ in range(_REPEATS):
        before = time.perf_counter()
        run()
        now = time.perf_counter()
        best = min(best, now - before)
        if now - start > _ENOUGH:
            break
    return best


def _describe(node: Node, seconds: float) -> KernelTime:
    name = f"{getattr(node.op, 'parts', node.op.name)}  {', '.join(str(v.spec) for v in node.outputs)}"
    site = str(Site.of(node.place) or "")
    return KernelTime(name, site, kernel_text.flops(node), kernel_text.size(node), seconds)
