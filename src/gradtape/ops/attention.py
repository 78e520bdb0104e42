"""Attention: fused, so that the weights, which have an element for each pair of query and key, are never kept.

They are computed in blocks that stay in cache, and once more in the backward pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec, broadcast
from gradtape.ops import row_blocks
from gradtape.ops.family import NO_LOWERING, dims, unbroadcast
from gradtape.ops.matmul import MatMul
from gradtape.ops.movement import BroadcastTo, Reshape
from gradtape.ops.reduction import ReduceAny, ReduceSum, in_wide, rounded, wide
from gradtape.ops.selection import Keep, Where, number, zeros
from gradtape.ops.softmax import Softmax, SoftmaxGrad
from gradtape.ops.summation import total

# Weights per block. A block has whole heads, or rows of one head.
_BLOCK = 1 << 20
_TOGETHER = 1 << 22  # weights that a compiled function keeps in memory at once


class Attending(Op):
    """Queries `[..., t, d]`, keys `[..., s, d]` and values `[..., s, e]` with equal leading axes, and a bias that broadcasts
    to `[..., t, s]`. A bias that is the same for all keys, with 1 as its last dimension, has no effect. `causal` means that
    query i sees keys 0 to i. A query that sees no key, because its biases are -inf, has the result 0."""

    kinds = "fV"
    validate = True
    lower = NO_LOWERING

    def check(self, q: Spec, k: Spec, v: Spec, bias: Spec) -> tuple[int, ...]:
        """The shape of the result; raises if the shapes do not fit."""
        if min(q.rank, k.rank, v.rank, bias.rank) < 2 or (
            not (q.shape[:-2] == k.shape[:-2] == v.shape[:-2])
            or q.shape[-1] != k.shape[-1]
            or k.shape[-2] != v.shape[-2]
        ):
            raise self.error(
                errors.ShapeError,
                f"q is {q}, k is {k}, v is {v}: they must be [..., t, d], [..., s, d] and [..., s, e].",
                "leading axes must be equal, and there is one value for each key.",
            )
        pairs = (*q.shape[:-1], k.shape[-2])
        if broadcast(bias.shape, pairs) != pairs:
            raise self.error(
                errors.ShapeError,
                f"bias is {bias}, but there are {list(pairs)} pairs of query and key.",
                "bias must broadcast to [..., t, s].",
            )
        return (*q.shape[:-1], v.shape[-1])


@declare("dot_product_attention")
class Attention(Attending):
    """softmax(scale * q @ k^T + bias) @ v."""

    def infer(self, q: Spec, k: Spec, v: Spec, bias: Spec, *, scale: float, causal: bool) -> Spec:
        return Spec(self.check(q, k, v, bias), self.check_dtypes(q, k, v, bias))

    def kernel(self, q: Any, k: Any, v: Any, bias: Any, *, scale: float, causal: bool) -> Any:
        if not q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:
            raise ValueError("leading axes differ")
        own = q.dtype
        q, k, v, bias = wide(q), wide(k), wide(v), wide(bias)
        if type(q) is not np.ndarray:
            return rounded(MatMul(_weights(q, k, bias, scale, causal, 0), v), own)
        blocks, shape = Blocks(q, k, bias), (*q.shape[:-1], v.shape[-1])
        q, k, v = (heads_of(x) for x in (q, k, v))
        result = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
        for heads, rows in blocks:
            p = _weights(q[heads, rows], k[heads], blocks.biases(heads, rows), scale, causal, rows.start)
            result[heads, rows] = MatMul(p, v[heads])
        return rounded(result.reshape(shape), own)

    def vjp(self, dy: Any, q: Any, k: Any, v: Any, bias: Any, *, scale: float, causal: bool, needs: Any) -> Any:
        *grads, dbias = AttentionGrad(dy, q, k, v, bias, scale=scale, causal=causal, biased=bool(needs[3]))
        return *grads, dbias if needs[3] else None

    def batch(self, batched: tuple[bool, ...], *inputs: Any, scale: float, causal: bool) -> Any:
        return self(*_with_batch_axis(batched, inputs), scale=scale, causal=causal)

    def expand(self, build: Any, q: Any, k: Any, v: Any, bias: Any, *, scale: float, causal: bool) -> Any:
        """Products and a softmax, if all weights together are not many."""
        if _are_many(q, k):
            return None
        own = q.spec.dtype
        q, k, v, bias = (in_wide(build, x) for x in (q, k, v, bias))
        return build.cast(build("matmul", _built_weights(build, q, k, bias, scale, causal), v), own)


@declare("dot_product_attention_grad")
class AttentionGrad(Attending):
    """The cotangents of queries, keys, values and bias, where g is that of the result; zeros for the bias unless `biased`."""

    outputs = ("dq", "dk", "dv", "dbias")

    def infer(
        self, g: Spec, q: Spec, k: Spec, v: Spec, bias: Spec, *, scale: float, causal: bool, biased: bool
    ) -> tuple[Spec, ...]:
        if g.shape != self.check(q, k, v, bias):
            raise self.error(
                errors.ShapeError,
                f"the shape of g must be that of the result: g is {g}, q is {q}, v is {v}.",
                "g needs the shape of the result, [..., t, e].",
            )
        self.check_dtypes(g, q, k, v, bias)
        return q, k, v, bias

    def kernel(
        self, g: Any, q: Any, k: Any, v: Any, bias: Any, *, scale: float, causal: bool, biased: bool
    ) -> tuple[Any, ...]:
        if not q.shape[:-2] == k.shape[:-2] == v.shape[:-2] == g.shape[:-2] or g.shape[-1] != v.shape[-1]:
            raise ValueError("shapes differ")
        own = q.dtype
        g, q, k, v, bias = (wide(x) for x in (g, q, k, v, bias))
        if type(q) is not np.ndarray:
            p = _weights(q, k, bias, scale, causal, 0)
            dq, dk, dv, ds = _pull(p, g, q, k, v, scale)
            found = dq, dk, dv, _to_bias(ds, bias) if biased else np.zeros_like(bias)
        else:
            found = _cotangents(g, q, k, v, bias, scale, causal, biased)
        return tuple([rounded(d, own) for d in found])

    def expand(
        self, build: Any, g: Any, q: Any, k: Any, v: Any, bias: Any, *, scale: float, causal: bool, biased: bool
    ) -> Any:
        """Products and the slope of a softmax, as for the op itself."""
        if biased or _are_many(q, k):
            return None
        own, zeros = q.spec.dtype, np.zeros(bias.spec.shape)
        g, q, k, v, wide_bias = (in_wide(build, x) for x in (g, q, k, v, bias))
        p = _built_weights(build, q, k, wide_bias, scale, causal)
        ds = build("softmax_grad", build("matmul", g, v, transpose_b=True), p, axis=len(p.spec.shape) - 1)
        factor = build.number(scale, q)
        dq = build("multiply", build("matmul", ds, k), factor)
        dk = build("multiply", build("matmul", ds, q, transpose_a=True), factor)
        dv = build("matmul", p, g, transpose_a=True)
        return (*[build.cast(d, own) for d in (dq, dk, dv)], build.constant(zeros, bias.spec.dtype))

    def vjp(
        self,
        dy: Any,
        g: Any,
        q: Any,
        k: Any,
        v: Any,
        bias: Any,
        *,
        scale: float,
        causal: bool,
        biased: bool,
        needs: Any,
    ) -> Any:
        u, w, r, b = dy
        p = weights_by_ops(q, k, bias, scale, causal)
        dp = MatMul(g, v, transpose_b=True)
        centered = dp - _row_sum(dp * p)
        ds = p * centered
        # e is the cotangent of ds, through which u, w and b come.
        e = scale * (MatMul(u, k, transpose_b=True) + MatMul(q, w, transpose_b=True))
        if biased:
            e = e + b
        along = _row_sum(e * p)
        ddp = p * (e - along)
        d = e * centered - along * dp + MatMul(g, r, transpose_b=True)
        d = p * (d - _row_sum(d * p))
        return (
            MatMul(ddp, v) + MatMul(p, r),
            scale * (MatMul(d, k) + MatMul(ds, w)),
            scale * (MatMul(d, q, transpose_a=True) + MatMul(ds, u, transpose_a=True)),
            MatMul(ddp, g, transpose_a=True),
            _to_bias(d, bias) if needs[4] else None,
        )

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        bias = dims(inputs[-1])[int(batched[-1]) :]
        values = _with_batch_axis(batched, inputs, own_bias=True)
        *grads, dbias = self(*values, **params)
        return *grads, Reshape(dbias, shape=(dims(dbias)[0], *bias))


@declare("causal_scores")
class CausalScores(Op):
    """x up to the diagonal of its last two axes, and a value above it: what a query sees of the keys up to its own."""

    kinds = "fV"
    lower = NO_LOWERING

    def infer(self, x: Spec, *, value: float) -> Spec:
        if x.rank < 2:
            raise self.error(
                errors.ShapeError, f"x must have rank 2 or more, got {x}.", "give a matrix of scores, [..., t, s]."
            )
        return Spec(x.shape, self.check_dtypes(x))

    def kernel(self, x: Any, *, value: float) -> Any:
        return hidden_above(x, 0, value)

    def vjp(self, dy: Any, *, value: float) -> Any:
        return (CausalScores(dy, value=0.0),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, value: float) -> Any:
        return self(x, value=value)


def hidden_above(x: Any, first: int, value: float) -> Any:
    """x with a value above the diagonal, where its first row is number `first`."""
    rows, columns = x.shape[-2:]
    later = np.arange(columns, like=x) > np.reshape(np.arange(first, first + rows, like=x), (rows, 1))
    return np.where(later, x.dtype.type(value), x)


def weights_by_ops(q: Any, k: Any, bias: Any, scale: float, causal: bool) -> Any:
    """The weights `[..., t, s]`, by ops, for rules."""
    scores = scale * MatMul(q, k, transpose_b=True)
    if dims(bias)[-1] == dims(k)[-2]:
        scores = scores + bias
    if causal:
        scores = CausalScores(scores, value=-math.inf)
    seen = scores > number(-np.inf, scores)
    any_seen = ReduceAny(seen, axis=(scores.ndim - 1,), keepdims=True)
    return Keep(Softmax(Where(any_seen, scores, number(0, scores)), axis=scores.ndim - 1), any_seen)


def _to_bias(d: Any, bias: Any) -> Any:
    """The cotangent of a bias from that of the scores; zeros for one without effect."""
    return unbroadcast(d, bias) if dims(bias)[-1] == dims(d)[-1] else zeros(bias)


def _row_sum(x: Any) -> Any:
    return ReduceSum(x, axis=(x.ndim - 1,), keepdims=True)


def _with_batch_axis(batched: tuple[bool, ...], inputs: tuple[Any, ...], own_bias: bool = False) -> list[Any]:
    """The inputs, each with the batch axis in front; the bias, which comes last, only if it has one or needs one."""
    size = next(x.shape[0] for flag, x in zip(batched, inputs, strict=True) if flag)
    flags = (*batched[:-1], batched[-1] or not own_bias)
    *values, bias = [
        x if flag else BroadcastTo(x, shape=(size, *dims(x))) for flag, x in zip(flags, inputs, strict=True)
    ]
    if batched[-1] or own_bias:
        first, *rest = dims(bias)
        bias = Reshape(bias, shape=(first, *[1] * (values[0].ndim - 1 - len(rest)), *rest))
    return [*values, bias]


def _weights(q: Any, k: Any, bias: Any, scale: float, causal: bool, first: int) -> Any:
    """The weights of queries, of which the first is number `first`; an array of its own."""
    p: Any = MatMul(q * q.dtype.type(scale), k, transpose_b=True)
    if bias.shape[-1] == k.shape[-2]:
        p += bias
    if causal:
        p = hidden_above(p, first, -math.inf)
    if not row_blocks.suits(p):
        return _normalize(p) if p.size else p
    rows = row_blocks.matrix(p)
    row_blocks.by_blocks(lambda block: _normalize(rows[block]), *rows.shape)
    return p


def _are_many(q: Any, k: Any) -> bool:
    """Whether the weights of all queries and keys need so much memory that they are computed block by block."""
    return bool(math.prod(q.spec.shape[:-1]) * k.spec.shape[-2] > _TOGETHER)


def _built_weights(build: Any, q: Any, k: Any, bias: Any, scale: float, causal: bool) -> Any:
    """The weights as values of a graph."""
    s = build("matmul", build("multiply", q, build.number(scale, q)), k, transpose_b=True)
    (rows, columns), dtype = s.spec.shape[-2:], s.spec.dtype
    has_bias = bias.spec.shape[-1] == columns and not build.is_zero(bias)
    if has_bias:
        s = build("add", s, bias)
    if causal:
        s = build("add", s, build.constant(np.where(np.tri(rows, columns, dtype=bool), 0.0, -np.inf), dtype))
    axis = len(s.spec.shape) - 1
    if not has_bias and not causal:
        return build("softmax", s, axis=axis)
    # Scores of -inf become the lowest number, and their weights zero afterwards, also where a query sees no key.
    lowest = build.number(np.finfo(dtype.numpy).min, s)
    p = build("softmax", build("maximum", s, lowest), axis=axis)
    return build("keep", p, build("greater", s, build.number(-np.inf, s)))


def _normalize(s: Any) -> Any:
    """Softmax along the last axis, in place; zeros where all scores are -inf."""
    top = np.maximum(np.max(s, axis=-1, keepdims=True), np.finfo(s.dtype).min)
    s -= top
    np.exp(s, out=s)
    sums = total(s, (s.ndim - 1,), keepdims=True)
    s /= np.where(sums == 0, s.dtype.type(1), sums)
    return s


def _pull(p: Any, g: Any, q: Any, k: Any, v: Any, scale: float) -> tuple[Any, Any, Any, Any]:
    """Cotangents of queries, keys and values, and of the scores."""
    ds = SoftmaxGrad(MatMul(g, v, transpose_b=True), p, axis=p.ndim - 1)
    factor = q.dtype.type(scale)
    dq, dk = MatMul(ds, k) * factor, MatMul(ds, q, transpose_a=True) * factor
    return dq, dk, MatMul(p, g, transpose_a=True), ds


class Blocks:
    """Blocks of the pairs of query and key: several heads, or rows of one.

    Attributes:
      lead: the leading axes, at least one; all of them together count the heads.
      bias: with as many axes.
    """

    def __init__(self, q: Any, k: Any, bias: Any) -> None:
        self.lead = q.shape[:-2] or (1,)
        self.rows, self.columns = q.shape[-2], k.shape[-2]
        self.bias = bias.reshape((1,) * (len(self.lead) + 2 - bias.ndim) + bias.shape)

    def __iter__(self) -> Iterator[tuple[slice, slice]]:
        """The heads and rows of each block."""
        count, size = math.prod(self.lead), max(self.rows * self.columns, 1)
        heads = max(1, _BLOCK // size)
        rows = max(1, min(self.rows, _BLOCK // max(self.columns, 1)))
        for i in range(0, count, heads):
            for j in range(0, self.rows, rows):
                yield slice(i, min(i + heads, count)), slice(j, min(j + rows, self.rows))

    def biases(self, heads: slice, rows: slice) -> Any:
        """The biases of a block."""
        return self.bias[self._place(heads, rows)]

    def add(self, dbias: Any, ds: Any, heads: slice, rows: slice) -> None:
        """Add the cotangents of a block's scores to those of the bias, which has the shape of `self.bias`."""
        if self.bias.shape[-2] == 1:
            ds = ds.sum(axis=1, keepdims=True)
        *lead, rows = self._place(heads, rows)
        flat = np.ravel_multi_index(tuple(lead), self.bias.shape[:-2])
        totals, places = heads_of(dbias), np.unique(flat)
        if len(places) == len(flat):
            totals[flat, rows] += ds
            return
        for place in places:
            totals[place, rows] += ds[flat == place].sum(axis=0)

    def _place(self, heads: slice, rows: slice) -> Any:
        numbers = np.unravel_index(np.arange(heads.start, heads.stop), self.lead)
        lead = [i if n > 1 else np.zeros_like(i) for i, n in zip(numbers, self.bias.shape, strict=False)]
        return (*lead, rows if self.bias.shape[-2] > 1 else slice(0, 1))


def heads_of(x: Any) -> Any:
    """A view, if there is one, with all axes before the last two made one."""
    return x.reshape(math.prod(x.shape[:-2]), *x.shape[-2:])


def _cotangents(g: Any, q: Any, k: Any, v: Any, bias: Any, scale: float, causal: bool, biased: bool) -> tuple[Any, ...]:
    blocks, shapes = Blocks(q, k, bias), (q.shape, k.shape, v.shape)
    g, q, k, v = (heads_of(x) for x in (g, q, k, v))
    dq, dk, dv = (np.zeros(x.shape, x.dtype) for x in (q, k, v))
    dbias = np.zeros(blocks.bias.shape, bias.dtype)
    for heads, rows in blocks:
        block = q[heads, rows], k[heads], v[heads]
        p = _weights(*block[:2], blocks.biases(heads, rows), scale, causal, rows.start)
        dq[heads, rows], more_dk, more_dv, ds = _pull(p, g[heads, rows], *block, scale)
        dk[heads] += more_dk
        dv[heads] += more_dv
        if biased and bias.shape[-1] == k.shape[-2]:
            blocks.add(dbias, ds, heads, rows)
    found = [d.reshape(shape) for d, shape in zip((dq, dk, dv), shapes, strict=True)]
    return *found, dbias.reshape(bias.shape)
