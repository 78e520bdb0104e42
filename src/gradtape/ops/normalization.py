"""Layer normalisation: rows of mean 0 and variance 1, scaled and shifted by column; fused, in blocks that stay in cache."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors, hot_kernels, memory
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec
from gradtape.ops import row_blocks
from gradtape.ops.exponential import Rsqrt
from gradtape.ops.family import NO_LOWERING, align, dims
from gradtape.ops.indexing import spread
from gradtape.ops.movement import BroadcastTo, Reshape
from gradtape.ops.reduction import ReduceMean, ReduceSum, rounded, wide
from gradtape.ops.summation import total


class RowNormalizer(Op):
    """Works on the rows of x, along its last axis, with one scale for each column."""

    kinds = "fV"
    lower = NO_LOWERING

    def check(self, x: Spec, **columns: Spec) -> None:
        """Raises unless there is one element of each vector for each column of x."""
        self.check_dtypes(x, *columns.values())
        for name, vector in columns.items():
            if not x.rank or vector.shape != x.shape[-1:]:
                raise self.error(
                    errors.ShapeError,
                    f"x is {x}, {name} is {vector}: {name} needs one element for each column of x.",
                    "give a vector as long as the last axis.",
                )


@declare("layer_normalization")
class LayerNormalization(RowNormalizer):
    """h * scale + offset, where h is x with mean 0 and, up to epsilon, variance 1 in each row; h; and the factor that made
    it so, one over the root of the variance plus epsilon, as a column. Backward needs no more than these two."""

    outputs = ("y", "h", "factor")
    takes_none = True

    def infer(self, x: Spec, scale: Spec, offset: Spec, *, epsilon: float) -> tuple[Spec, Spec, Spec]:
        self.check(x, scale=scale, offset=offset)
        return x, x, Spec((*x.shape[:-1], 1), x.dtype)

    def kernel(self, x: Any, scale: Any, offset: Any, *, epsilon: float) -> Any:
        if not scale.shape == offset.shape == x.shape[-1:]:
            raise ValueError("shapes differ")
        own, x, scale, offset = x.dtype, wide(x), wide(scale), wide(offset)
        if row_blocks.suits(x, scale, offset):
            native = hot_kernels.kernel(self, (x, scale, offset), {"epsilon": epsilon})
            found = native(x, scale, offset) if native else _normalized_rows(x, scale, offset, epsilon)
        else:
            axis, n = (x.ndim - 1,), max(x.shape[-1], 1)
            centered = x - total(x, axis, keepdims=True) / n
            factor = 1 / np.sqrt(total(centered * centered, axis, keepdims=True) / n + epsilon)
            h = centered * factor
            found = h * scale + offset, h, factor
        return tuple([rounded(v, own) for v in found])

    def vjp(self, dy: Any, scale: Any, h: Any, factor: Any, *, epsilon: float) -> Any:
        g, dh, dfactor = dy
        dx = dscale = doffset = None
        if g is not None:
            dx, dscale, doffset = LayerNormalizationGrad(g, h, factor, scale)
        if dh is not None:
            more = factor * _projected(dh, h)
            dx = more if dx is None else dx + more
        if dfactor is not None:
            more = -(h * (factor * factor * dfactor / float(dims(h)[-1])))
            dx = more if dx is None else dx + more
        return dx, dscale, doffset

    def batch(self, batched: tuple[bool, ...], x: Any, scale: Any, offset: Any, *, epsilon: float) -> Any:
        if not (batched[1] or batched[2]):
            return self(x, scale, offset, epsilon=epsilon)
        centered = x - _row_mean(x)
        factor = Rsqrt(_row_mean(centered * centered) + epsilon)
        h = centered * factor
        aligned, scale, offset = align(batched, (h, scale, offset))
        y = aligned * scale + offset
        if not batched[0]:
            size = (dims(y)[0],)
            h, factor = (BroadcastTo(v, shape=size + dims(v)) for v in (h, factor))
        return y, h, factor

    def rows(self, x: Spec, scale: Spec, offset: Spec, *, epsilon: float) -> Any:
        """What `row` describes the rows of, and how the inputs lie beside it."""
        return x.shape, x.shape, scale.shape, offset.shape

    def row(self, cg: Any, x: Any, scale: Any, offset: Any, *, epsilon: float) -> Any:
        """One row."""
        centered = cg.sub(x, cg.row_mean(x))
        factor = cg.rsqrt(cg.add(cg.row_mean(cg.mul(centered, centered)), cg.constant(epsilon, x)))
        h = cg.mul(centered, factor)
        return cg.add(cg.mul(h, scale), offset), h, factor


@declare("layer_normalization_grad")
class LayerNormalizationGrad(Op):
    """The cotangents of x, scale and offset, where g is that of the first result of `layer_normalization`."""

    outputs = ("dx", "dscale", "doffset")
    kinds = "fV"
    lower = NO_LOWERING

    def infer(self, g: Spec, h: Spec, factor: Spec, scale: Spec) -> tuple[Spec, Spec, Spec]:
        self.check_dtypes(g, h, factor, scale)
        if not h.rank or g.shape != h.shape or factor.shape != (*h.shape[:-1], 1) or scale.shape != h.shape[-1:]:
            raise self.error(
                errors.ShapeError,
                f"g is {g}, h is {h}, factor is {factor}, scale is {scale}: these do not match.",
                "g and h need one shape; there is a factor for each row, and a scale for each column.",
            )
        return h, scale, scale

    def kernel(self, g: Any, h: Any, factor: Any, scale: Any) -> Any:
        if g.shape != h.shape or scale.shape != h.shape[-1:] or factor.shape != (*h.shape[:-1], 1):
            raise ValueError("shapes differ")
        own, g, h, factor, scale = h.dtype, wide(g), wide(h), wide(factor), wide(scale)
        if row_blocks.suits(h, g, factor, scale):
            native = hot_kernels.kernel(self, (g, h, factor, scale), {})
            found = (native or _cotangents_of_rows)(g, h, factor, scale)
        else:
            last, lead, n = (h.ndim - 1,), tuple(range(h.ndim - 1)), max(h.shape[-1], 1)
            scaled = g * scale
            inner = total(scaled, last, keepdims=True) / n + h * (total(scaled * h, last, keepdims=True) / n)
            found = factor * (scaled - inner), total(g * h, lead), total(g, lead)
        return tuple([rounded(d, own) for d in found])

    def vjp(self, dy: Any, g: Any, h: Any, factor: Any, scale: Any) -> Any:
        u, v, w = dy
        scaled = g * scale
        projected = _projected(u, h)
        # u comes to the scaled cotangent through the symmetric map that made dx of it.
        image = factor * projected
        dh = v * g - factor * (u * _row_mean(h * scaled) + scaled * _row_mean(h * u))
        dfactor = ReduceSum(projected * scaled, axis=(h.ndim - 1,), keepdims=True)
        dscale = ReduceSum(g * image, axis=tuple(range(h.ndim - 1)), keepdims=False)
        return image * scale + h * v + w, dh, dfactor, dscale

    def batch(self, batched: tuple[bool, ...], *inputs: Any) -> Any:
        # Each example has a sum over its own rows.
        g, h, factor, scale = spread(batched, *inputs)
        size, *rows, width = dims(h)
        scaled = g * Reshape(scale, shape=(size, *[1] * len(rows), width))
        lead = tuple(range(1, h.ndim - 1))
        sums = [ReduceSum(d, axis=lead, keepdims=False) for d in (g * h, g)]
        return factor * _projected(scaled, h), *sums

    def rows(self, g: Spec, h: Spec, factor: Spec, scale: Spec) -> Any:
        """What `row` describes the rows of, and how the inputs lie beside it."""
        return h.shape, g.shape, h.shape, factor.shape, scale.shape

    def row(self, cg: Any, g: Any, h: Any, factor: Any, scale: Any) -> Any:
        """One row."""
        scaled = cg.mul(g, scale)
        inner = cg.add(cg.row_mean(scaled), cg.mul(h, cg.row_mean(cg.mul(scaled, h))))
        return cg.mul(factor, cg.sub(scaled, inner)), cg.column_sum(cg.mul(g, h)), cg.column_sum(g)


def _row_mean(x: Any) -> Any:
    return ReduceMean(x, axis=(x.ndim - 1,), keepdims=True)


def _projected(g: Any, h: Any) -> Any:
    """g without what it has of a constant row and of h."""
    return g - _row_mean(g) - h * _row_mean(h * g)


def _normalized_rows(x: Any, scale: Any, offset: Any, epsilon: float) -> tuple[Any, Any, Any]:
    y, h = (memory.empty(x.shape, x.dtype) for _ in range(2))
    factor = np.empty((*x.shape[:-1], 1), x.dtype)
    rows, results, normal, factors = (row_blocks.matrix(v) for v in (x, y, h, factor))
    n, ones = rows.shape[1], np.ones_like(scale)

    def compute(block: slice) -> None:
        z, c = results[block], normal[block]
        np.subtract(rows[block], row_blocks.dots(rows[block], ones) / n, out=c)
        c *= np.divide(1, np.sqrt(row_blocks.dots(c, c) / n + epsilon), out=factors[block])
        np.multiply(c, scale, out=z)
        z += offset

    row_blocks.by_blocks(compute, *rows.shape)
    return y, h, factor


def _cotangents_of_rows(g: Any, h: Any, factor: Any, scale: Any) -> tuple[Any, Any, Any]:
    dx = memory.empty(h.shape, h.dtype)
    cotangents, rows, factors, out = (row_blocks.matrix(v) for v in (g, h, factor, dx))
    n, ones = rows.shape[1], np.ones_like(scale)
    blocks = row_blocks.starts(*rows.shape)
    # Each block adds up its rows; the blocks are added up in the end, always in the same order.
    dscale, doffset = np.empty((2, len(blocks), n), h.dtype)

    def compute(block: slice) -> None:
        c, r, d, number = cotangents[block], rows[block], out[block], block.start // blocks.step
        np.einsum("ij,ij->j", c, r, out=dscale[number])
        np.add.reduce(c, 0, out=doffset[number])
        np.multiply(c, scale, out=d)
        mean = row_blocks.dots(d, ones) / n
        d -= r * (row_blocks.dots(d, r) / n)
        d -= mean
        d *= factors[block]

    row_blocks.by_blocks(compute, *rows.shape)
    return dx, total(dscale, (0,)), total(doffset, (0,))
