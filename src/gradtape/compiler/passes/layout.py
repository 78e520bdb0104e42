"""Rules of ops that move elements, and of reductions and matrix products that need no movement before them."""

from __future__ import annotations

import math
from typing import Any

from gradtape.compiler.graph import Node, Value
from gradtape.compiler.passes.rewriting import Rewriter, size


def _source(value: Value, *names: str) -> Any:
    """The node of a value, if it is of an op with such a name, on values whose sizes are known; else None."""
    node = value.node
    return node if node is not None and node.op.name in names and all(v.spec.is_known for v in node.inputs) else None


def same_number(graph: Rewriter, node: Node) -> Value | None:
    """A number everywhere is the same number wherever its elements go."""
    n = graph.number(node.inputs[0]) if node.inputs[0].spec.shape else None
    return None if n is None else graph.full(node.outputs[0].spec, n)


def same_shape(graph: Rewriter, node: Node) -> Value | None:
    """Nothing moves: a reshape or spread to the shape that is there, a check of it, a tile of one, a slice of everything."""
    x = node.inputs[0]
    return x if x.spec == node.outputs[0].spec else None


def reshape_twice(graph: Rewriter, node: Node) -> Value | None:
    """Only the last shape counts."""
    inner = _source(node.inputs[0], "reshape")
    return None if inner is None else graph.make("reshape", inner.inputs[0], **node.params)


def transpose_twice(graph: Rewriter, node: Node) -> Value | None:
    """One transposition in place of two."""
    inner = _source(node.inputs[0], "transpose")
    if inner is None:
        return None
    first = inner.params["perm"]
    return graph.make("transpose", inner.inputs[0], perm=tuple([first[p] for p in node.params["perm"]]))


def unmoved(graph: Rewriter, node: Node) -> Value | None:
    """A transposition that only moves axes of length 1 moves no element."""
    (x,), perm = node.inputs, node.params["perm"]
    moved = [p for p in perm if x.spec.shape[p] != 1]
    return graph.make("reshape", x, shape=node.outputs[0].spec.shape) if moved == sorted(moved) else None


def spread_twice(graph: Rewriter, node: Node) -> Value | None:
    """One spread in place of two."""
    inner = _source(node.inputs[0], "broadcast_to")
    return None if inner is None else graph.make("broadcast_to", inner.inputs[0], **node.params)


def spread_of_leading_ones(graph: Rewriter, node: Node) -> Value | None:
    """Leading axes of length 1 come by themselves when a value is spread."""
    inner = _source(node.inputs[0], "reshape")
    if inner is None:
        return None
    before, after = inner.inputs[0].spec.shape, inner.outputs[0].spec.shape
    if after != (1,) * (len(after) - len(before)) + before:
        return None
    return graph.make("broadcast_to", inner.inputs[0], **node.params)


def filled(graph: Rewriter, node: Node) -> Value | None:
    """A filled tensor is a number spread over a shape."""
    spec = node.outputs[0].spec
    return graph.make("broadcast_to", node.inputs[0], shape=spec.shape) if spec.shape else node.inputs[0]


def zeros(graph: Rewriter, node: Node) -> Value | None:
    """Zeros need no array."""
    spec = node.outputs[0].spec
    return graph.full(spec, 0) if spec.dtype.numpy.kind in "fViub" else None


def ones(graph: Rewriter, node: Node) -> Value | None:
    """Ones need no array."""
    spec = node.outputs[0].spec
    return graph.full(spec, 1) if spec.dtype.numpy.kind in "fViub" else None


def single(graph: Rewriter, node: Node) -> Value | None:
    """One value, one after the other, is that value."""
    return node.inputs[0] if len(node.inputs) == 1 else None


def joined_pieces(graph: Rewriter, node: Node) -> Value | None:
    """All pieces of a split one after the other are what was split."""
    split = _source(node.inputs[0], "split")
    if split is None or split.params["axis"] != node.params["axis"] or split.outputs != node.inputs:
        return None
    result: Value | None = split.inputs[0]
    return result


def whole(graph: Rewriter, node: Node) -> Value | None:
    """A slice of everything."""
    x = node.inputs[0]
    index = node.params["index"]
    return x if all(e == (0, n, 1) for e, n in zip(index, x.spec.shape, strict=False)) else None


def part_of_joined(graph: Rewriter, node: Node) -> Value | None:
    """A slice that is exactly one of the values that were joined."""
    joined = _source(node.inputs[0], "concat")
    if joined is None:
        return None
    axis, shape, index = joined.params["axis"], joined.outputs[0].spec.shape, node.params["index"]
    if any(e != (0, n, 1) for k, (e, n) in enumerate(zip(index, shape, strict=False)) if k != axis):
        return None
    start = 0
    value: Value
    for value in joined.inputs:
        stop = start + value.spec.shape[axis]
        if len(index) > axis and index[axis] == (start, stop, 1) and stop > start:
            return value
        start = stop
    return None


def transposed_factor(graph: Rewriter, node: Node) -> Value | None:
    """A product reads its operands transposed as well."""
    inputs, flags = list(node.inputs), dict(node.params)
    for k, flag in enumerate(("transpose_a", "transpose_b")):
        inner = _source(inputs[k], "transpose")
        if inner is None:
            continue
        *before, i, j = inner.params["perm"]
        if (i, j) == (len(before) + 1, len(before)) and before == list(range(len(before))):
            inputs[k] = inner.inputs[0]
            flags[flag] = not flags.get(flag, False)
    return graph.make("matmul", *inputs, **flags) if tuple(inputs) != node.inputs else None


def outer_product(graph: Rewriter, node: Node) -> Value | None:
    """A product whose inner length is 1 is a multiplication, which joins others. A zero may get another sign."""
    a, b = node.inputs
    if not node.outputs[0].spec.dtype.is_floating or a.spec.dtype is not b.spec.dtype:
        return None
    *a_batch, m, n = a.spec.shape
    if node.params.get("transpose_a", False):
        m, n = n, m
    *b_batch, k, width = b.spec.shape
    if node.params.get("transpose_b", False):
        k, width = width, k
    if n != 1:
        return None
    column = graph.make("reshape", a, shape=(*a_batch, m, 1))
    return graph.make("multiply", column, graph.make("reshape", b, shape=(*b_batch, 1, width)))


def columns_as_rows(graph: Rewriter, node: Node) -> Value | None:
    """One matrix times many columns is one product, in which the columns are rows."""
    a, b = node.inputs
    *batch, m, width = node.outputs[0].spec.shape
    if width != 1 or len(a.spec.shape) != 2 or not batch or None in (m, *b.spec.shape):
        return None
    k = a.spec.shape[0 if node.params.get("transpose_a", False) else 1]
    rows = graph.make("reshape", b, shape=(math.prod(batch), k))
    product = graph.make("matmul", rows, a, transpose_b=not node.params.get("transpose_a", False))
    return graph.make("reshape", product, shape=node.outputs[0].spec.shape)


def nothing_reduced(graph: Rewriter, node: Node) -> Value | None:
    """A sum, mean, product or extremum over axes of length 1, or over none."""
    x, spec = node.inputs[0], node.outputs[0].spec
    if any(x.spec.shape[a] != 1 for a in node.params["axis"]) or spec.dtype.is_complex:
        return None
    return _sum(graph, node, graph.make("reshape", x, shape=spec.shape))


def _sum(graph: Rewriter, node: Node, value: Value) -> Value:
    """A value in place of a reduction of it: sums begin at 0, so that they are never -0."""
    if node.op.name not in ("reduce_sum", "reduce_mean") or not value.spec.dtype.is_floating:
        return value
    return graph.make("add", value, graph.scalar(0, value.spec))


def reduced_spread(graph: Rewriter, node: Node) -> Value | None:
    """A reduction over axes along which a value repeats: the value itself, or for a sum the value times their length.

    The product is rounded once, where a sum may be rounded more often, and a mean of huge numbers does not overflow.
    """
    inner = _source(node.inputs[0], "broadcast_to")
    if inner is None or not size(inner.outputs[0].spec) or inner.outputs[0].spec.dtype.is_complex:
        return None
    core, spec = inner.inputs[0], node.outputs[0].spec
    shape, axis = inner.outputs[0].spec.shape, node.params["axis"]
    aligned = (1,) * (len(shape) - len(core.spec.shape)) + core.spec.shape
    if any(aligned[a] != 1 for a in axis):
        return None
    kept = tuple([n for a, n in enumerate(aligned) if a not in axis or node.params.get("keepdims")])
    value = graph.make("reshape", core, shape=kept)
    if node.op.name == "reduce_sum":
        count = math.prod([shape[a] for a in axis])
        if int(spec.dtype.numpy.type(count)) != count:
            return None
        value = graph.make("multiply", value, graph.scalar(count, spec))
    return graph.fit(_sum(graph, node, value), spec)


def reduced_axes_kept(graph: Rewriter, node: Node) -> Value | None:
    """A reduction whose axes come back with length 1 keeps them."""
    inner = _source(node.inputs[0], *_REDUCTIONS)
    if inner is None or inner.params.get("keepdims"):
        return None
    axis = inner.params["axis"]
    kept = tuple([1 if a in axis else n for a, n in enumerate(inner.inputs[0].spec.shape)])
    if kept != node.outputs[0].spec.shape or not axis or not graph.is_read_once(node.inputs[0]):
        return None
    return graph.make(inner.op.name, *inner.inputs, **{**inner.params, "keepdims": True})


def reduced_transposed(graph: Rewriter, node: Node) -> Value | None:
    """A reduction of a transposed value is one of the value, if the axes that are left keep their order."""
    inner = _source(node.inputs[0], "transpose")
    if inner is None:
        return None
    perm, axis, shape = inner.params["perm"], node.params["axis"], node.inputs[0].spec.shape
    kept = [p for a, p in enumerate(perm) if a not in axis and shape[a] != 1]
    if kept != sorted(kept) or not axis:
        return None
    reduced = graph.make(
        node.op.name, inner.inputs[0], **{**node.params, "axis": tuple(sorted([perm[a] for a in axis]))}
    )
    return graph.make("reshape", reduced, shape=node.outputs[0].spec.shape)


_REDUCTIONS = ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod")

RULES = {
    "reshape": (same_shape, same_number, reshape_twice, reduced_axes_kept),
    "transpose": (same_number, transpose_twice, unmoved),
    "broadcast_to": (same_shape, spread_twice, spread_of_leading_ones),
    "ensure_shape": (same_shape,),
    "tile": (same_shape, same_number),
    "fill": (filled,),
    "zeros_like": (zeros,),
    "ones_like": (ones,),
    "concat": (single, joined_pieces),
    "strided_slice": (same_number, whole, part_of_joined),
    "matmul": (outer_product, transposed_factor, columns_as_rows),
    **dict.fromkeys(
        ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min"), (nothing_reduced, reduced_spread, reduced_transposed)
    ),
    "reduce_prod": (nothing_reduced, reduced_transposed),
}
