"""A graph as a program: straight-line Python over native programs and the kernels between them, written once per graph.

Values are freed at their last use. Captured variables are read by the program itself, so that it can tell whether anybody else holds
their arrays: if not, their new values are written over the old ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from sys import getrefcount
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gradtape.compiler.effects import ASSIGN, REREAD
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.core import errors, memory, threads, updates
from gradtape.core.caching import cached
from gradtape.core.provenance import Site
from gradtape.core.tensor import wrap
from gradtape.core.variable import Variable

_users, _begun = threads.users, threads.begun
_MOST_LOCKS = 16  # in one statement: Python nests at most 20
NO_SLOTS: Mapping[int, Any] = MappingProxyType({})


class Misfit(Exception):
    """Arrays that a native program cannot compute with."""


class Program:
    """Runs a graph on arrays.

    Attributes:
      graph: what it runs.
      assigned: the variables that a run reads and assigns as one step, while no other thread updates them; none if the user's
        Python code runs in between: then each stretch between two calls of it is such a step.
      source: the Python text of a run.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.assigned = () if any(calls_user(node) for node in graph.nodes) else _assigned_by(graph.nodes)
        self._sections = tuple([s for node in graph.nodes for s in sections_of(node)])
        self._is_exclusive = bool(self.assigned or self._sections)
        self._reads = _positions(graph, self.assigned)
        self._file = _file_name(graph)
        self._texts: dict[int, _Writer] = {}  # by the identity of their code
        self.source, self._run = self._write(fetches=True)
        self._calls_numpy = any(_is_numpy(node) for node in graph.nodes)

    def _write(self, fetches: bool) -> tuple[str, Callable[..., Any]]:
        writer = _Writer(self.graph, fetches, bool(self.assigned), () if self.assigned else _stretches(self.graph))
        source = writer.write()
        exec(compile(source, self._file, "exec"), writer.names)
        program = writer.names["program"]
        self._texts[id(program.__code__)] = writer
        return source, program

    @cached
    def _explicit(self) -> Callable[..., Any]:
        """The program as a function of its captures too."""
        return self._write(fetches=False)[1]

    @cached
    def _plain(self) -> Program:
        assert self.graph.plain is not None
        return Program(self.graph.plain)

    def __call__(self, arrays: Sequence[Any], slots: Mapping[int, Any] = NO_SLOTS) -> tuple[Any, ...]:
        """The outputs for the arrays of parameters and captures, in their order; `slots` goes to nodes with effects."""
        if not self._is_exclusive:
            return self._call(arrays, slots)
        if not self._sections and len(_users) < 2:
            try:
                _begun.append(None)
                if len(_users) < 2:
                    return self._call(self._current(arrays, slots), slots)
            finally:
                if _begun:
                    _begun.pop()
        with self._alone(slots):
            return self._call(self._current(arrays, slots), slots)

    def _call(self, arrays: Sequence[Any], slots: Mapping[int, Any]) -> tuple[Any, ...]:
        try:
            return self._guard(self._explicit, slots, arrays)
        except Misfit:
            return self._plain._call(arrays, slots)

    def run(self, arrays: Sequence[Any], slots: Mapping[int, Any] = NO_SLOTS) -> tuple[Any, ...]:
        """The outputs for the arrays of the parameters; captured variables are read, or those in `slots` that stand for them."""
        if self._is_exclusive:
            return self._run_exclusively(arrays, slots)
        try:
            return self._guard(self._run, slots, arrays)
        except Misfit:
            return self._plain._fetch(arrays, slots)

    def _run_exclusively(self, arrays: Sequence[Any], slots: Mapping[int, Any]) -> tuple[Any, ...]:
        if not self._sections and len(_users) < 2:
            try:
                _begun.append(None)
                if len(_users) < 2:
                    return self._fetch(arrays, slots)
            finally:
                if _begun:
                    _begun.pop()
        with self._alone(slots):
            return self._fetch(arrays, slots)

    def _fetch(self, arrays: Sequence[Any], slots: Mapping[int, Any]) -> tuple[Any, ...]:
        try:
            return self._guard(self._run, slots, arrays)
        except Misfit:
            return self._plain._fetch(arrays, slots)

    @contextmanager
    def _alone(self, slots: Mapping[int, Any]) -> Iterator[None]:
        """No other thread is in the critical sections of this program, or updates the variables that it assigns."""
        with ExitStack() as stack:
            for section in self._sections:
                stack.enter_context(section)
            stack.enter_context(updates.exclusive([slots.get(v._id, v) for v in self.assigned]))
            yield

    def _current(self, arrays: Sequence[Any], slots: Mapping[int, Any]) -> list[Any]:
        """The arrays, with the present values of the variables that are assigned: a thread may have updated them meanwhile, even if
        it has ended and there is no other one now."""
        fresh = list(arrays)
        for i, source in self._reads:
            fresh[i] = slots.get(source._id, source)._value._array
        return fresh

    def _guard(self, run: Callable[..., Any], slots: Mapping[int, Any], arrays: Sequence[Any]) -> tuple[Any, ...]:
        results: tuple[Any, ...]
        try:
            if not self._calls_numpy:
                results = run(slots, *arrays)
                return results
            with np.errstate(all="ignore"):
                results = run(slots, *arrays)
                return results
        except Misfit:
            raise
        except Exception as problem:
            raise self._explain(problem, slots) from problem.__cause__

    def _explain(self, problem: Exception, slots: Mapping[int, Any]) -> Exception:
        """The problem with the line of the user's function that it belongs to, and with the progress that the run has made."""
        trace, node = problem.__traceback__, None
        progress: Sequence[Any] = ()
        while trace is not None:
            writer = self._texts.get(id(trace.tb_frame.f_code))
            if writer is not None and (node := writer.lines.get(trace.tb_lineno)) is not None:
                values = [trace.tb_frame.f_locals.get(label) for label in writer.results]
                progress = self._keep(getattr(problem, "progress", ()), node, values, slots)
            trace = trace.tb_next
        problem = self._locate(problem, node)
        problem.progress = progress  # type: ignore[attr-defined]
        return problem

    def _keep(
        self, progress: Sequence[Any], failed: Node, values: Sequence[Any], slots: Mapping[int, Any]
    ) -> list[Any]:
        """What the outputs are so far, None for those that are not known; variables keep what the steps of a loop had assigned before it
        failed.

        Args:
          progress: what the outputs of the node that failed are so far, if it is a loop or a branch.
          failed: that node.
          values: of the outputs when the program failed.
          slots: the variables that take part in place of others.
        """
        known = dict(zip(failed.outputs, progress, strict=False))
        for node in self.graph.nodes:
            if node.op is ASSIGN and known.get(node.inputs[0]) is not None:
                ASSIGN.kernel(known[node.inputs[0]], slots, **node.params)
        return [known.get(v, x) for v, x in zip(self.graph.outputs, values, strict=True)]

    def _locate(self, problem: Exception, node: Node | None) -> Exception:
        """The problem with the line of the user's function that a node belongs to."""
        if isinstance(problem, MemoryError):
            outputs = [] if node is None else [v.spec for v in node.outputs if v.spec.is_known]
            name = self.graph.name if node is None else getattr(node.op, "parts", node.op.name)
            problem = errors.no_room(problem, name, outputs)
        site = None if node is None else Site.of(node.place)
        if node is None or site is None:
            return problem
        return errors.in_graph(problem, node.op.name, self.graph.name, site)


def _file_name(graph: Graph) -> str:
    """The name under which profilers and debuggers see a program: the function's, and its first line that computes something."""
    site = next((s for node in graph.nodes if (s := Site.of(node.place))), None)
    return f"<gradtape {graph.name} {site.short}>" if site else f"<gradtape {graph.name}>"


def _assigned_by(nodes: Sequence[Node]) -> tuple[Variable, ...]:
    """The variables that nodes assign."""
    found = {node.params["variable"]._id: node.params["variable"] for node in nodes if node.op is ASSIGN}
    return tuple(found.values())


def _positions(graph: Graph, variables: Sequence[Variable]) -> list[tuple[int, Variable]]:
    """Where the values of variables are among the arrays of parameters and captures."""
    ids = {v._id for v in variables}
    captures = enumerate([source for source, _ in graph.captures], len(graph.parameters))
    return [(i, source) for i, source in captures if isinstance(source, Variable) and source._id in ids]


def calls_user(node: Node) -> bool:
    """True if a node, or one in a block of it, calls Python code of the user, which may take long, or wait for another thread."""
    return getattr(node.op, "calls_user", False) or any(map(calls_user, _inner(node)))


def may_assign(node: Node) -> bool:
    """True if a node calls Python code that may assign variables, or has blocks that assign some while they run."""
    own = getattr(node.op, "may_assign", False)
    return own or any(inner.op is ASSIGN or may_assign(inner) for inner in _inner(node))


def sections_of(node: Node) -> list[Any]:
    """The locks of the critical sections that a node, or one in a block of it, stands in."""
    own = getattr(node.op, "section", None)
    return [*([] if own is None else [own]), *[s for inner in _inner(node) for s in sections_of(inner)]]


def _inner(node: Node) -> list[Node]:
    """The nodes of the blocks that a node runs."""
    blocks = [b for p in node.params.values() for b in (p if isinstance(p, tuple) else (p,)) if isinstance(b, Graph)]
    return [inner for block in blocks for inner in block.nodes]


def _is_numpy(node: Node) -> bool:
    """True for a node that runs a kernel of NumPy's."""
    return node.op is not ASSIGN and not hasattr(node.op, "launch")


def _has_stand_ins(variable: Variable) -> bool:
    """True if another variable may take part in a call in place of this one."""
    return type(variable) is not Variable


class Stretch(NamedTuple):
    """Nodes between two calls of the user's code that assign variables.

    Attributes:
      start, stop: the numbers of the first node, and of the first behind them.
      variables: what they assign.
    """

    start: int
    stop: int
    variables: tuple[Variable, ...]

    def held(self, slots: Mapping[int, Any]) -> Any:
        """A context in which no other thread updates the variables."""
        return updates.exclusive([slots.get(v._id, v) for v in self.variables])


def _stretches(graph: Graph) -> list[Stretch]:
    """The stretches of a graph."""
    found, start = [], 0
    for number, node in enumerate([*graph.nodes, None]):
        if node is None or calls_user(node):
            variables = _assigned_by(graph.nodes[start:number])
            found += [Stretch(start, number, variables)] if variables else []
            start = number + 1
    return found


class _Writer:
    """Writes the text of a program.

    Attributes:
      names: what the text uses.
      lines: the node of each line.
      results: the names of the outputs.
    """

    def __init__(self, graph: Graph, fetches: bool, overwrites: bool, stretches: Sequence[Stretch]) -> None:
        self._graph, self._fetches, self._overwrites = graph, fetches, overwrites
        self._stretches = {stretch.start: stretch for stretch in stretches}
        self._margin = "    "
        self.names: dict[str, Any] = {"refs": getrefcount, "owns": memory.owns, "users": _users, "begun": _begun}
        self.names |= {"ndarray": np.ndarray, "asarray": np.asarray, "wrap": wrap}
        self.lines: dict[int, Node] = {}
        self.results: list[str] = []
        self._labels: dict[Value, str] = {}
        self._cells: dict[Value, str] = {}
        self._text: list[str] = []

    def write(self) -> str:
        """The text."""
        graph, labels = self._graph, self._labels
        for value in graph.sources():
            labels[value] = f"v{len(labels)}"
        for value, array in graph.constants.items():
            self.names[labels[value]] = array
        arguments = [labels[v] for v in graph.parameters]
        arguments += [] if self._fetches else [labels[v] for _, v in graph.captures]
        self._text.append(f"def program({', '.join(['slots', *arguments])}):")
        first = self._stretches.get(0)
        if first is not None:
            self._hold(first)
        known = {v._id for v in first.variables} if first is not None else ()
        for source, value in graph.captures:
            if self._fetches or (isinstance(source, Variable) and source._id in known):
                self._fetch(source, value)
        self._form_scalars()
        if self._overwrites and any(getattr(node.op, "updates", None) for node in graph.nodes):
            self._text.append("    alone = begun and len(users) < 2")
        last = _last_uses(graph)
        stops = {stretch.stop for stretch in self._stretches.values()}
        for number, node in enumerate(graph.nodes):
            if number in stops:
                self._margin = "    "
            if number and number in self._stretches:
                self._hold(self._stretches[number])
            self._node(number, node, last)
        self._margin = "    "
        self.results = [labels[v] for v in graph.outputs]
        results = [labels[v] + ("[()]" if self._is_boxed(v) else "") for v in graph.outputs]
        self._text.append(f"    return ({''.join(r + ', ' for r in results)})")
        return "\n".join(self._text) + "\n"

    def _hold(self, stretch: Stretch) -> None:
        """Begin a stretch."""
        if len(stretch.variables) > _MOST_LOCKS or any(map(_has_stand_ins, stretch.variables)):
            self.names[f"hold{stretch.start}"] = stretch.held
            contexts = f"hold{stretch.start}(slots)"
        else:
            ordered = sorted(stretch.variables, key=lambda v: v._id)
            locks = {f"lock{stretch.start}_{i}": updates.lock_of(v) for i, v in enumerate(ordered)}
            self.names |= locks
            contexts = ", ".join(locks)
        self._text.append(f"    with {contexts}:")
        self._margin = "        "

    def _fetch(self, source: Any, value: Value) -> None:
        """Read a variable."""
        label = self._labels[value]
        name, cell = f"s{label}", f"t{label}"
        self.names[name] = source
        if not isinstance(source, Variable):  # a tensor whose array is fetched at each call
            self._text.append(f"{self._margin}{label} = {name}._array")
            return
        holder = f"slots.get({source._id}, {name})" if _has_stand_ins(source) else name
        self._text.append(f"{self._margin}{cell} = {holder}._value; {label} = {cell}._array")
        self._cells[value] = cell

    def _form_scalars(self) -> None:
        """NumPy's scalars are no arrays; native programs need some."""
        native = {v for node in self._graph.nodes if hasattr(node.op, "launch") for v in node.inputs}
        for value in (*self._graph.parameters, *[v for _, v in self._graph.captures]):
            if value in native and not value.spec.shape:
                label = self._labels[value]
                self._text.append(f"{self._margin}if type({label}) is not ndarray: {label} = asarray({label})")

    def _node(self, number: int, node: Node, last: dict[Value, int]) -> None:
        labels = self._labels
        for value in node.outputs:
            labels[value] = f"v{len(labels)}"
        operands = [labels[v] for v in node.inputs]
        targets = "".join(labels[v] + (", " if node.several else "") for v in node.outputs)
        given = f"{targets}= " if node.several and targets else f"{targets} = " if targets else ""
        if node.op in (ASSIGN, REREAD) and not _has_stand_ins(node.params["variable"]):
            given, call = self._variable(number, node, operands[0])
        elif hasattr(node.op, "launch"):
            self.names[f"k{number}"] = node.op.launch
            # In a line of its own: the call's arguments are references too.
            made = "".join(self._memory(number, node, i) + ", " for i in range(len(node.outputs)))
            self._text.append(f"{self._margin}made = ({made})")
            self.lines[len(self._text)] = node
            call = f"k{number}(({''.join(o + ', ' for o in operands)}), made)"
        else:
            self.names[f"k{number}"] = _callable(node)
            call = f"k{number}({', '.join(operands + ['slots'] * node.effect)})"
        self._text.append(f"{self._margin}{given}{call}")
        self.lines[len(self._text)] = node
        constants = self._graph.constants
        dead = {v for v in (*node.inputs, *node.outputs) if last.get(v, number) == number and v not in constants}
        if hasattr(node.op, "launch"):
            self._text[-1] += "; del made"
        if dead:
            self._text[-1] += f"; del {', '.join(sorted(labels[v] for v in dead))}"

    def _variable(self, number: int, node: Node, operand: str) -> tuple[str, str]:
        """The target and the expression of an assignment, or of a read, of a variable that no other one takes the place of."""
        variable = self.names[f"k{number}"] = node.params["variable"]
        if node.op is REREAD:
            return f"{self._labels[node.outputs[0]]} = ", f"k{number}._value._array"
        return f"k{number}._value = ", f"wrap({operand}, {variable._id})"

    def _memory(self, number: int, node: Node, output: int) -> str:
        """Where an output of a native program goes: new memory, or that of a variable's old value, if nothing else holds it."""
        make = f"m{number}_{output}"
        self.names[make] = node.op.makers[output]
        source = node.op.updates.get(output)
        cell = None if source is None else self._cells.get(node.inputs[source])
        if cell is None or not self._overwrites:
            return f"{make}()"
        # Three references each: from the cell or the tensor, from the name here, from the argument of the count.
        old = self._labels[node.inputs[source]]
        return f"{old} if alone and refs({cell}) == 3 and refs({old}) == 3 and owns({old}) else {make}()"

    def _is_boxed(self, value: Value) -> bool:
        """True for a scalar that a native program has made: an array, where NumPy would give a scalar."""
        return value.node is not None and hasattr(value.node.op, "launch") and not value.spec.shape


def _last_uses(graph: Graph) -> dict[Value, int]:
    """The index of the last node that reads each value; those that are returned are never dead."""
    last: dict[Value, int] = {}
    for i, node in enumerate(graph.nodes):
        for value in node.inputs:
            last[value] = i
    for value in graph.outputs:
        last[value] = len(graph.nodes)
    return last


def _callable(node: Node) -> Callable[..., Any]:
    """The kernel of a node with its parameters; large elementwise results are shared among threads."""
    op, params = node.op, node.params
    kernel: Callable[..., Any] = op.kernel
    if getattr(op, "elementwise", False) and _is_large(node):
        return lambda *arrays: memory.apply(op, arrays, params)
    if not params:
        return kernel
    return lambda *arrays: kernel(*arrays, **params)


def _is_large(node: Node) -> bool:
    size = 1
    for d in node.outputs[0].spec.shape:
        size *= d or 1
    return size >= memory.THRESHOLD
