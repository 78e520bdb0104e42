"""Checks of graphs read from a file, before anything is compiled: machine code relies on the specs of its values.

Every value is made once, before it is used; ops get as many operands as they take, and their own `infer` rules confirm what the
file says of the results; blocks get what their parameters say, and no block contains itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gradtape.api.array_op import ArrayOp
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.core import errors
from gradtape.core.deferral import Unknown
from gradtape.core.op import Op
from gradtape.core.shape import ANY, Spec, Steps, spec_of
from gradtape.core.tensor import host
from gradtape.core.variable import Variable
from gradtape.tracing.control.block import Block
from gradtape.tracing.dynamic_shapes.late_node import Late
from gradtape.tracing.symbol import Symbol
from gradtape.tracing.trace import Trace

_MOST_BYTES = 1 << 62


class MalformedGraphError(Exception):
    """Raised for a graph that no trace can have made; the text says why."""


def verify(traces: Sequence[Trace], blocks: Sequence[Block]) -> None:
    """Raise MalformedGraphError unless the graphs of traces and blocks are valid."""
    _check_order(traces, lambda t: [*([t.outer] if t.outer is not None else []), *t.sees], "a trace lies inside itself")
    _check_order(traces, _inner, "a block contains itself")
    for trace in traces:
        _structure(trace.graph)
        _sources(trace.graph)
        for node in trace.graph.nodes:
            _node(trace, node)
    for block in blocks:
        _block(block)


def _check_order(traces: Sequence[Trace], parts: Callable[[Trace], list[Trace]], what: str) -> None:
    """MalformedGraphError if a trace is reached from itself. Without recursion: chains may be long."""
    done: set[int] = set()
    for root in traces:
        path: list[tuple[Trace, Iterator[Trace]]] = [(root, iter(parts(root)))] if id(root) not in done else []
        inside = {id(trace) for trace, _ in path}
        while path:
            trace, remaining = path[-1]
            following = next(remaining, None)
            if following is None:
                path.pop()
                inside.discard(id(trace))
                done.add(id(trace))
            elif id(following) in inside:
                raise MalformedGraphError(f"{what}: {following.graph.name}.")
            elif id(following) not in done:
                path.append((following, iter(parts(following))))
                inside.add(id(following))


def _inner(trace: Trace) -> list[Trace]:
    return [block.trace for node in trace.graph.nodes for block in _blocks(node)]


def _blocks(node: Node) -> list[Block]:
    found = [v for value in node.params.values() for v in (value if isinstance(value, (tuple, list)) else (value,))]
    return [v for v in found if isinstance(v, Block)]


def _structure(graph: Graph) -> None:
    try:
        graph.verify()
    except AssertionError as problem:
        raise MalformedGraphError(str(problem)) from None


def _sources(graph: Graph) -> None:
    """Check that constants and captures match the specs of their values."""
    for value, array in graph.constants.items():
        if not hasattr(array, "dtype"):
            raise MalformedGraphError(f"{graph.name}: a constant is {type(array).__name__}, not an array.")
        _fits(spec_of(array), value.spec, f"{graph.name}: a constant")
    for source, value in graph.captures:
        if isinstance(source, Symbol):
            given = source.value.spec
        elif isinstance(source, Variable):
            given = Spec(_static(source), source.dtype)
        else:
            given = spec_of(host(source._array))
        _fits(given, value.spec, f"{graph.name}: a capture")


def _static(variable: Variable) -> Any:
    shape = variable.shape
    return ANY if shape.rank is None else tuple(shape)


def _block(block: Block) -> None:
    """A block reads its parameters, and values of its own trace."""
    known = {*block.parameters, *block.constants, *[v for node in block.nodes for v in node.outputs]}
    used = [v for node in block.nodes for v in node.inputs]
    if not known.issuperset([*used, *block.outputs]):
        raise MalformedGraphError(f"{block.name}: a block uses a value that is not its own.")


def _node(trace: Trace, node: Node) -> None:
    where = f"{trace.graph.name}: {node.op.name}"
    for value in node.outputs:
        check_size(value.spec, where)
    if isinstance(node.op, Late):
        _arity(where, len(node.op.inputs), len(node.inputs))
        _arity(where, len(node.op.outputs), len(node.outputs))
        return
    if not isinstance(node.op, Op):
        return  # an assignment or another effect, which computes nothing
    if (
        node.op.inputs and not node.op.variadic and not isinstance(node.op, ArrayOp)
    ):  # some of those take further arrays
        _arity(where, len(node.op.inputs), len(node.inputs))
    if _blocks(node):
        _operands(where, node)
    inferred = _inferred(trace, node, where)
    found: Any = [inferred] if isinstance(inferred, Spec) else list(inferred)
    if node.several is isinstance(inferred, Spec) or len(found) != len(node.outputs):
        raise MalformedGraphError(f"{where} has {len(found)} results, not {len(node.outputs)}.")
    for own, value in zip(found, node.outputs, strict=True):
        _fits(own, value.spec, where)


def _arity(where: str, wanted: int, given: int) -> None:
    if wanted != given:
        raise MalformedGraphError(f"{where} has {wanted} operands or results, not {given}.")


def _inferred(trace: Trace, node: Node, where: str) -> Any:
    """The specs of the results by the op's own rule, which also refuses operands and parameters that do not fit."""
    try:
        if node.op.infers_unknown or all(v.spec.is_known for v in node.inputs):
            return node.op.infer(*[v.spec for v in node.inputs], **node.params)
        return trace.infer(node.op, node.inputs, node.params)[0]
    except (errors.OpError, Unknown, ValueError, TypeError, KeyError, IndexError, AttributeError) as problem:
        what = str(problem).partition("\n")[0]
        raise MalformedGraphError(f"{where} refuses its operands: {what}") from None


def _operands(where: str, node: Node) -> None:
    """Check that the operands of a branch or a loop match the parameters of its blocks."""
    given = [v.spec for v in node.inputs[1:]]
    params = node.params
    if "branches" in params:
        for block in params["branches"]:
            _all_fit(given, block.parameters, where)
    elif "body" in params:
        body, cond, carried, sliced = params["body"], params["cond"], params["carried"], params["sliced"]
        state, rows, fixed = given[:carried], given[carried : carried + sliced], given[carried + sliced :]
        _all_fit([*state, *[_row(s, where) for s in rows], *fixed], body.parameters, where)
        _all_fit(body.specs[:carried], body.parameters[:carried], where)
        if cond is not None:
            count = len(cond.parameters) - len(fixed)
            _all_fit([*state[: max(count, 0)], *fixed], cond.parameters, where)
            _arity(where, 1, len(cond.outputs))


def _row(spec: Spec, where: str) -> Spec:
    shape: Any = spec.shape
    if shape is ANY:
        return spec
    if not shape:
        raise MalformedGraphError(f"{where} takes rows of a scalar.")
    return Spec(Steps(shape[1:]) if type(shape) is Steps and None in shape[1:] else tuple(shape[1:]), spec.dtype)


def _all_fit(given: Sequence[Spec], wanted: Sequence[Value], where: str) -> None:
    _arity(where, len(wanted), len(given))
    for own, value in zip(given, wanted, strict=True):
        _fits(own, value.spec, where)


def _fits(own: Spec, said: Spec, where: str) -> None:
    if not is_true_of(own, said):
        raise MalformedGraphError(f"{where} is {own}, not {said}.")


def is_true_of(own: Spec, said: Spec) -> bool:
    """True if the spec of a value holds for the actual array."""
    if own.dtype is not said.dtype:
        return False
    if said.shape is ANY:
        return True
    if own.shape is ANY or len(own.shape) != len(said.shape):
        return False
    return all(n is None or m == n for m, n in zip(own.shape, said.shape, strict=True))


def check_size(spec: Spec, where: str = "a value") -> None:
    """MalformedGraphError for a spec with impossible sizes."""
    if spec.shape is ANY:
        return
    total = max(spec.dtype.size, 1)
    for size in spec.shape:
        if size is not None and (type(size) is not int or size < 0):
            raise MalformedGraphError(f"{where} has a dimension of size {size!r}.")
        total *= size or 1
    if total > _MOST_BYTES:
        raise MalformedGraphError(f"{where} has {total:.0e} bytes.")
