"""Graphs of functions for TensorBoard: `tf.summary.graph`, `trace_on`, `trace_export`."""

from __future__ import annotations

from typing import Any

from gradtape.compiler.graph import Graph, Value
from gradtape.core import errors, log, state
from gradtape.core.recorder import Recorder
from gradtape.protos import wire_format
from gradtape.summary import _event_file as event_file
from gradtape.summary._writer import current


def graph(graph_data: Any) -> Any:
    """Write the graph of a function, for TensorBoard's page of graphs.

    Args:
      graph_data: a graph, such as `f.get_concrete_function(x).graph`.

    Returns:
      True if it was written; False if there is no writer.

    >>> import tempfile
    >>> double = tf.function(lambda x: 2.0 * x).get_concrete_function(tf.TensorSpec([3]))
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.graph(double.graph)
    True
    """
    if not isinstance(graph_data, Graph):
        raise errors.build(
            ValueError,
            f"summary.graph: Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef, received "
            f"graph_data={type(graph_data).__name__}",
            "give the graph of a function: f.get_concrete_function(x).graph.",
        )
    if current.writer is None:
        return False
    current.writer.put(event_file.event(0, graph=graph_message([graph_data])))
    return True


def graph_message(graphs: list[Graph]) -> bytes:
    """The message `GraphDef` of graphs, each under its own name."""
    parts: list[bytes] = []
    for i, one in enumerate(graphs):
        prefix = "" if len(graphs) == 1 else f"{one.name}_{i}/"
        parts += [wire_format.delimited(1, node) for node in _nodes(one, prefix)]
    producer = wire_format.tag(1, wire_format.VARINT) + wire_format.varint(2000)
    return b"".join([*parts, wire_format.delimited(4, producer)])


def _nodes(graph: Graph, prefix: str) -> list[bytes]:
    found, known, used = [], dict[Value, str](), dict[str, int]()

    def named(wanted: str) -> str:
        # TensorFlow's names have letters, digits and a few signs.
        plain = prefix + ("".join([c if c.isalnum() or c in "_./-" else "_" for c in wanted]).lstrip("_") or "value")
        used[plain] = used.get(plain, -1) + 1
        return f"{plain}_{used[plain]}" if used[plain] else plain

    sources = [(value, value.name or "parameter", "Placeholder") for value in graph.parameters]
    sources += [
        (value, str(getattr(source, "name", "capture")).removesuffix(":0"), "Capture")
        for source, value in graph.captures
    ]
    sources += [(value, "constant", "Const") for value in graph.constants]
    for value, wanted, op in sources:
        known[value] = named(wanted)
        found.append(_node(known[value], op, []))
    for node in graph.nodes:
        name = named(node.op.name)
        found.append(_node(name, node.op.name, [known[v] for v in node.inputs if v in known]))
        known.update({v: f"{name}:{i}" if i else name for i, v in enumerate(node.outputs)})
    return found


def _node(name: str, op: str, inputs: list[str]) -> bytes:
    fields = [(1, name), (2, op), *[(3, text) for text in inputs]]
    return b"".join([wire_format.delimited(number, text.encode()) for number, text in fields])


class _Seen(Recorder):
    """Notes the graphs of functions that are called."""

    __slots__ = ("everywhere", "graphs")

    def __init__(self) -> None:
        self.depth, self.closed, self.everywhere = state.current.depth, False, True
        self.graphs: dict[int, Graph] = {}

    def see(self, op: Any, ids: Any, values: Any, params: Any, outputs: Any, result: Any) -> None:
        staged = getattr(op, "staged", None)
        if staged is not None:
            self.graphs[id(staged.trace.graph)] = staged.trace.graph


class _Trace:
    """The recorder that `trace_on` has put in place, None if there is none."""

    seen: _Seen | None = None


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Start recording the graphs of functions that are called; `trace_export` writes them.

    Args:
      graph: whether to note them.
      profiler: True only gives a warning: there is no profiler. Python's own profilers see eager programs.
      profiler_outdir: ignored.

    >>> tf.summary.trace_on()
    >>> tf.summary.trace_off()
    """
    if profiler:
        log.warning("summary.trace_on: there is no profiler; use cProfile, or f.explain() of a tf.function.")
    trace_off()
    if graph:
        _Trace.seen = _Seen()
        state.current.recorders = (*state.current.recorders, _Trace.seen)


def trace_off() -> None:
    """Stop the trace that `trace_on` started, and discard it.

    >>> tf.summary.trace_off()
    """
    seen, _Trace.seen = _Trace.seen, None
    if seen is not None:
        seen.closed = True
        state.current.recorders = tuple([r for r in state.current.recorders if r is not seen])


def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Write the graphs of the functions that were called since `trace_on`, and end it.

    Args:
      name: of the summary; TensorBoard shows one graph for each run.
      step: of the summary.
      profiler_outdir: ignored.

    >>> import tempfile
    >>> square = tf.function(lambda x: x * x)
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.trace_on()
    ...     y = square(3.0)
    ...     tf.summary.trace_export("square", step=0)
    """
    seen = _Trace.seen
    if seen is None:
        raise errors.build(
            ValueError, "Must enable trace before export through tf.summary.trace_on.", "call tf.summary.trace_on()."
        )
    if current.writer is not None and seen.graphs:
        at = current.step if step is None else step
        current.writer.put(event_file.event(int(at or 0), graph=graph_message(list(seen.graphs.values()))))
    trace_off()
