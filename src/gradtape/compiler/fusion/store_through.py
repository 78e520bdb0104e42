"""Store-through: loops and products write their results where they are concatenated.

The gradients of the gates of a recurrent cell come out of one loop and lie side by side in one matrix, which the next product
reads. The loop can write each of them there, by strides, so that nothing is copied; a result that others read too is
written twice. So is a value that a block gives twice, to its next turn and to the array of all turns.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gradtape.compiler.bodies.epilogue import Distances, distances_of
from gradtape.compiler.bodies.kernel_op import Binding, KernelOp, PatternBody, body_of
from gradtape.compiler.bodies.loop import Loop
from gradtape.compiler.codegen.simd.machine import default_width, least_vectors
from gradtape.compiler.graph import Copy, Graph, Node, Value, replace
from gradtape.core.patterns import movement
from gradtape.core.patterns.movement import View, is_contiguous
from gradtape.core.patterns.product import Product

# What is written: the number of a result, where it goes, and by which strides, if it is not whole.
_Results = list[tuple[int, Binding, View | None]]


class _Concatenation(NamedTuple):
    """A node that concatenates results of one other node, and the place of each in its result."""

    node: Node
    views: tuple[View, ...]


def store_through(graph: Graph) -> Graph:
    """The graph with loops and products that write where their results are concatenated."""
    concatenations: dict[Node, list[_Concatenation]] = {}
    for node in graph.nodes:
        maker = _maker(node)
        views = None if maker is None else concatenated_views(node)
        if maker is not None and views is not None:
            concatenations.setdefault(maker, []).append(_Concatenation(node, views))
    made: dict[Node, list[Node]] = {}
    same: dict[Value, Value] = {}
    for maker, few in concatenations.items():
        found = _writing(maker, few, graph)
        if found is not None:
            new, values = found
            made |= {maker: [new], **{concatenation.node: [] for concatenation in few}}
            same |= zip(values, new.outputs, strict=True)
    return replace(graph, made, same)


def separate_outputs(graph: Graph) -> Graph:
    """The graph with a value of its own for each output, as far as loops can write what would have to be copied: a parameter, or
    a value that is an output already."""
    copied = [
        (i, v) for i, v in enumerate(graph.outputs) if v in graph.parameters or v in graph.outputs[:i]
    ]  # which output, and of what
    writers: dict[Node, list[tuple[int, Value]]] = {}
    for i, value in copied:
        writer = next((node for node in reversed(graph.nodes) if _can_write(node, value, graph)), None)
        if writer is not None:
            writers.setdefault(writer, []).append((i, value))
    if not writers:
        return graph
    copy, apart = Copy(graph), dict[int, Value]()
    for node in graph.nodes:
        if node not in writers:
            copy.keep(node)
            continue
        count, few = len(node.op.body.outputs), writers[node]
        made = copy.keep(_widen(node, [value for _, value in few]))
        apart.update(zip([i for i, _ in few], made.outputs[count:], strict=False))
        old = (*made.outputs[:count], *made.outputs[count + len(few) :])
        copy.moved.update(zip(node.outputs, old, strict=True))
    done = copy.done()
    done.outputs = [apart.get(i, v) for i, v in enumerate(done.outputs)]
    return done


def _can_write(node: Node, value: Value, graph: Graph) -> bool:
    """True if a node is a loop over arrays like a value, which it makes itself or can read."""
    body = body_of(node)
    if not isinstance(body, Loop) or body.targets or any(store.is_part for store in node.op.stores):
        return False
    results = node.outputs[: len(body.outputs)]
    return any(v.spec == value.spec for v in results) and (value in results or value in graph.parameters)


def _widen(node: Node, values: list[Value]) -> Node:
    """A loop that also writes some values, which are its own or are read for that."""
    op, inputs = node.op, list(node.inputs)
    loop, loads, count = op.body, list(op.loads), len(op.body.outputs)
    for value in values:
        found = [i for i, b in enumerate(loads) if inputs[b.slot] is value and not b.is_part and loop.is_whole(i)]
        if value in node.outputs:
            number = loop.outputs[node.outputs.index(value)]
        elif found:
            number = found[0]
        else:
            loop, number = loop.reading(value.spec.dtype), len(loop.inputs)
            loads.append(Binding(len(inputs)))
            inputs.append(value)
        loop = loop._replace(outputs=(*loop.outputs, number))
    specs = (*op.specs[:count], *[v.spec for v in values], *op.specs[count:])
    return Node(KernelOp(loop, specs, op.parts, loads), inputs, {}, specs, node.place)


def _maker(node: Node) -> Node | None:
    """The loop or product that all inputs of a node come from, if there is one."""
    first = node.inputs[0].node if len(node.inputs) > 1 else None
    if first is None or not _can_store_parts(first):
        return None
    return first if all(v.node is first for v in node.inputs) else None


def _can_store_parts(node: Node) -> bool:
    """True for loops over elements, and for matrix products with an epilogue."""
    body = body_of(node)
    if isinstance(body, PatternBody):
        return body.epilogue is not None and isinstance(body.pattern, Product)
    return isinstance(body, Loop)


def concatenated_views(node: Node) -> tuple[View, ...] | None:
    """Where a node puts each of its inputs, if it does nothing else with them and they fill its result."""
    rule, specs = getattr(node.op, "lower", None), [v.spec for v in node.inputs]
    if node.effect or not callable(rule) or any(None in s.shape or 0 in s.shape for s in specs):
        return None
    pattern = rule(*specs, **node.params)
    if not isinstance(pattern, movement.Copy) or pattern.size is not None:
        return None
    views = {move.source: move.write for move in pattern.moves if move.source is not None and is_contiguous(move.read)}
    if len(pattern.moves) != len(specs) or len(views) != len(specs) or len(node.outputs) != 1:
        return None
    sizes = [math.prod(views[i].shape) for i in range(len(specs))]
    if sizes != [math.prod(s.shape) for s in specs] or sum(sizes) != math.prod(node.outputs[0].spec.shape):
        return None
    return tuple([views[i] for i in range(len(specs))])


def _writing(maker: Node, concatenations: list[_Concatenation], graph: Graph) -> tuple[Node, list[Value]] | None:
    """A node that writes its results where they are joined, and the values that it makes; None if that cannot be."""
    op: KernelOp = maker.op
    sums = len(op.body.sums) if isinstance(op.body, Loop) else 0
    count = len(maker.outputs) - sums
    if any(maker.outputs.index(v) >= count for concatenation in concatenations for v in concatenation.node.inputs):
        return None
    joined = {concatenation.node for concatenation in concatenations}
    wanted = {v for node in graph.nodes if node not in joined for v in node.inputs} | set(graph.outputs)
    whole = [k for k in range(count) if maker.outputs[k] in wanted]
    values = [
        *[maker.outputs[k] for k in whole],
        *[concatenation.node.outputs[0] for concatenation in concatenations],
        *maker.outputs[count:],
    ]
    results: _Results = [(k, Binding(i), None) for i, k in enumerate(whole)]
    for number, concatenation in enumerate(concatenations, len(whole)):
        for value, view in zip(concatenation.node.inputs, concatenation.views, strict=True):
            results.append((maker.outputs.index(value), Binding(number, view.offset, True), view))
    specs = [v.spec for v in values]
    body: Loop | PatternBody | None = None
    if isinstance(op.body, Loop):
        body = _loop(op.body, results)
    elif isinstance(op.body, PatternBody):
        body = _product(op.body, results)
    if body is None:
        return None
    last = [Binding(i) for i in range(len(values) - sums, len(values))]
    made = KernelOp(body, specs, op.parts, op.loads, [*[binding for _, binding, _ in results], *last])
    return Node(made, maker.inputs, {}, tuple(specs), maker.place), values


def _loop(before: Loop, results: _Results) -> Loop | None:
    """A loop with other results; None if it would be slow, or cannot be."""
    loop = before._replace(outputs=tuple([before.outputs[k] for k, _, _ in results]))
    if before.targets:
        return None
    for number, (_, _, view) in enumerate(results):
        turned = loop if view is None else loop.write_to(number, view)
        if turned is None:
            return None
        loop = turned
    lanes = default_width(loop.types())
    if loop.targets and (
        any(own[-1] != 1 for own in loop.targets) or loop.shape[-1] < least_vectors() * lanes or loop.shape[-1] % lanes
    ):
        return None
    return loop


def _product(body: PatternBody, results: _Results) -> PatternBody | None:
    """The same of a product with an epilogue."""
    epilogue, sizes, targets = body.epilogue, body.pattern.matrices, list[Distances | None]()
    if epilogue is None or epilogue.targets or sizes[2] < 2:
        return None
    for _, _, view in results:
        target = None if view is None else distances_of(view.shape, view.strides, sizes)
        if view is not None and (target is None or target[2] != 1):
            return None
        targets.append(target)
    epilogue = epilogue._replace(results=tuple([epilogue.results[k] for k, _, _ in results]), targets=tuple(targets))
    return body._replace(epilogue=epilogue)
