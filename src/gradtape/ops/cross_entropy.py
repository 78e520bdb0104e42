"""Cross-entropies of logits: fused, since the softmax inside would overflow or round, and every training step has one."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, hot_kernels
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec
from gradtape.ops.activation import SoftplusSlope
from gradtape.ops.family import NO_LOWERING, Binary, dims, unbroadcast
from gradtape.ops.indexing import Gather, spread
from gradtape.ops.movement import Reshape
from gradtape.ops.reduction import ReduceSum, rounded, wide
from gradtape.ops.row_positions import check_integers, check_range
from gradtape.ops.softmax import LogSoftmax, Softmax, below_peak
from gradtape.ops.summation import total

_OUTSIDE = "Received a label value of {value} which is outside the valid range of [0, {size}): {index}."


@declare("softmax_cross_entropy_with_logits")
class SoftmaxCrossEntropy(Op):
    """-sum(labels * log_softmax(logits)) along the last axis."""

    kinds = "fV"
    lower = NO_LOWERING

    def infer(self, labels: Spec, logits: Spec) -> Spec:
        dtype = self.check_dtypes(labels, logits)
        if labels.shape != logits.shape or not logits.rank:
            raise self.error(
                errors.ShapeError,
                f"labels is {labels}, logits is {logits}, and both need one shape, of rank 1 or more.",
                "labels hold a probability for each class; use the sparse version for class numbers.",
            )
        return Spec(logits.shape[:-1], dtype)

    def kernel(self, labels: Any, logits: Any) -> Any:
        if labels.shape != logits.shape:
            raise ValueError("shapes differ")
        last = logits.ndim - 1
        if not logits.shape[last]:
            return np.zeros_like(logits, shape=logits.shape[:-1])
        below = below_peak(wide(logits), last)
        losses = np.log(total(np.exp(below), (last,), keepdims=True)) - below
        losses *= wide(labels)
        return rounded(total(losses, (last,)), logits.dtype)

    def vjp(self, dy: Any, labels: Any, logits: Any, *, needs: Any) -> Any:
        dy = Reshape(dy, shape=(*dims(dy), 1))
        dlabels = dlogits = None
        if needs[0]:
            dlabels = -(dy * LogSoftmax(logits, axis=logits.ndim - 1))
        if needs[1]:
            # For labels that are distributions. TensorFlow gives this for others, too, such as rows of zeros.
            dlogits = dy * (Softmax(logits, axis=logits.ndim - 1) - labels)
        return dlabels, dlogits

    def batch(self, batched: tuple[bool, ...], *inputs: Any) -> Any:
        return self(*spread(batched, *inputs))

    def rows(self, labels: Spec, logits: Spec) -> Any:
        """What `row` describes the rows of, and how the inputs lie beside it."""
        return logits.shape, labels.shape, logits.shape

    def row(self, cg: Any, labels: Any, logits: Any) -> Any:
        """One row."""
        below = cg.sub(logits, cg.row_max(logits))
        return cg.row_sum(cg.mul(cg.sub(cg.log(cg.row_sum(cg.exp(below))), below), labels))


@declare("sparse_softmax_cross_entropy_with_logits")
class SparseSoftmaxCrossEntropy(Op):
    """-log_softmax(logits) of the class that `labels` names, along the last axis; and softmax(logits), which backward
    needs and the kernel has at hand."""

    outputs = ("y", "p")
    kinds = "fViu"
    homogeneous = False
    takes_none = True
    lower = NO_LOWERING

    def infer(self, labels: Spec, logits: Spec) -> tuple[Spec, Spec]:
        check_labels(self, labels, logits)
        return Spec(logits.shape[:-1], logits.dtype), logits

    def kernel(self, labels: Any, logits: Any) -> Any:
        native = _generated(self, logits, labels, logits)
        if native is not None:
            check_range(self.name, labels, logits.shape[-1], "labels", _OUTSIDE)
            return native(labels, logits)
        places = named_places(self, labels, logits)
        last = logits.ndim - 1
        p = below_peak(wide(logits), last)
        named = np.reshape(p, (p.size,))[places]
        np.exp(p, out=p)
        sums = total(p, (last,), keepdims=True)
        np.divide(p, sums, out=p)
        losses = np.log(np.reshape(sums, labels.shape)) - named
        return rounded(losses, logits.dtype), rounded(p, logits.dtype)

    def vjp(self, dy: Any, labels: Any, p: Any) -> Any:
        g, dp = dy
        d = None if g is None else SparseCotangent(g, labels, p)
        if dp is not None:
            more = p * (dp - ReduceSum(dp * p, axis=(p.ndim - 1,), keepdims=True))
            d = more if d is None else d + more
        return None, d

    def batch(self, batched: tuple[bool, ...], *inputs: Any) -> Any:
        return self(*spread(batched, *inputs))

    def rows(self, labels: Spec, logits: Spec) -> Any:
        """What `row` describes the rows of, and how the inputs lie beside it."""
        return logits.shape, (*labels.shape, 1), logits.shape

    def row(self, cg: Any, labels: Any, logits: Any) -> Any:
        """One row; the label is one of its positions."""
        below = cg.sub(logits, cg.row_max(logits))
        e = cg.exp(below)
        total = cg.row_sum(e)
        named = _named(cg, labels)
        chosen = cg.row_sum(cg.select(named, below, cg.constant(0, below)))
        return cg.sub(cg.log(total), chosen), cg.mul(e, cg.div(cg.constant(1, e), total))


@declare("sparse_softmax_cross_entropy_cotangent")
class SparseCotangent(Op):
    """(p - one_hot(labels)) * g along the last axis: the cotangent of the logits."""

    inputs = ("g", "labels", "p")
    kinds = "fViu"
    homogeneous = False
    lower = NO_LOWERING

    def infer(self, g: Spec, labels: Spec, p: Spec) -> Spec:
        check_labels(self, labels, p, "p")
        if g.shape != labels.shape:
            raise self.error(
                errors.ShapeError,
                f"g is {g}, labels is {labels}, and both need one shape.",
                "give one g for each label.",
            )
        return p

    def kernel(self, g: Any, labels: Any, p: Any) -> Any:
        if g.shape != labels.shape:
            raise ValueError("shapes differ")
        native = _generated(self, p, g, labels, p)
        if native is not None:
            check_range(self.name, labels, p.shape[-1], "labels", _OUTSIDE)
            return native(g, labels, p)
        places = named_places(self, labels, p)
        own, g, p = p.dtype, wide(g), wide(p)
        columns = np.reshape(g, (*g.shape, 1))
        # C-ordered, so that the flat view below is one.
        y = np.multiply(p, columns, order="C") if type(p) is np.ndarray else p * columns
        np.reshape(y, (y.size,))[places] -= g
        return rounded(y, own)

    def vjp(self, dy: Any, g: Any, labels: Any, p: Any, *, needs: Any) -> Any:
        last = p.ndim - 1
        dg = dp = None
        if needs[0]:
            dg = ReduceSum(dy * p, axis=(last,), keepdims=False) - Gather(dy, labels, axis=last, batch_dims=last)
        if needs[2]:
            dp = dy * Reshape(g, shape=(*dims(g), 1))
        return dg, None, dp

    def batch(self, batched: tuple[bool, ...], *inputs: Any) -> Any:
        return self(*spread(batched, *inputs))

    def rows(self, g: Spec, labels: Spec, p: Spec) -> Any:
        """What `row` describes the rows of, and how the inputs lie beside it."""
        return p.shape, (*g.shape, 1), (*labels.shape, 1), p.shape

    def row(self, cg: Any, g: Any, labels: Any, p: Any) -> Any:
        """One row; the label is one of its positions."""
        named = _named(cg, labels)
        return cg.mul(g, cg.sub(p, cg.select(named, cg.constant(1, p), cg.constant(0, p))))


@declare("sigmoid_cross_entropy_with_logits")
class SigmoidCrossEntropy(Binary):
    """-labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits)), elementwise."""

    kinds = "fV"

    def kernel(self, labels: Any, logits: Any) -> Any:
        x, z = wide(logits), wide(labels)
        return rounded(np.maximum(x, 0.0) - x * z + np.log1p(np.exp(-np.abs(x))), logits.dtype)

    def vjp(self, dy: Any, labels: Any, logits: Any, *, needs: Any) -> Any:
        return (
            unbroadcast(-(dy * logits), labels) if needs[0] else None,
            unbroadcast(dy * SigmoidCrossEntropySlope(labels, logits), logits) if needs[1] else None,
        )

    def scalar(self, cg: Any, labels: Any, logits: Any) -> Any:
        hinge = cg.sub(cg.maximum(logits, cg.constant(0.0, logits)), cg.mul(logits, labels))
        return cg.add(hinge, cg.log1p(cg.exp(cg.neg(cg.abs(logits)))))


@declare("sigmoid_cross_entropy_slope")
class SigmoidCrossEntropySlope(Binary):
    """(1 - labels) * sigmoid(logits) - labels * sigmoid(-logits), elementwise: the derivative of the cross-entropy.

    This is sigmoid(logits) - labels, without the cancellation where the logits are right about a label of 1.
    """

    kinds = "fV"

    def kernel(self, labels: Any, logits: Any) -> Any:
        x, z = wide(logits), wide(labels)
        e = np.exp(-np.abs(x))
        # Of the two sigmoids the larger, which is for the sign of x, and the smaller.
        more = 1 / (1 + e)
        less = e * more
        positive = x >= 0
        y = (1 - z) * np.where(positive, more, less) - z * np.where(positive, less, more)
        return rounded(y, logits.dtype)

    def vjp(self, dy: Any, labels: Any, logits: Any, *, needs: Any) -> Any:
        dlogits = None
        if needs[1]:
            curve = SoftplusSlope(logits) * SoftplusSlope(-logits)
            dlogits = unbroadcast(dy * curve, logits)
        return unbroadcast(-dy, labels) if needs[0] else None, dlogits

    def scalar(self, cg: Any, labels: Any, logits: Any) -> Any:
        one = cg.constant(1, logits)
        e = cg.exp(cg.neg(cg.abs(logits)))
        more = cg.div(one, cg.add(one, e))
        less = cg.mul(e, more)
        positive = cg.ge(logits, cg.constant(0, logits))
        right, wrong = cg.select(positive, more, less), cg.select(positive, less, more)
        return cg.sub(cg.mul(cg.sub(one, labels), right), cg.mul(labels, wrong))


def _named(cg: Any, labels: Any) -> Any:
    """A mask of the element of a row that a label names, which must be there."""
    number = cg.cast(labels, dtypes.int64)
    cg.require(cg.bit_and(cg.ge(number, cg.constant(0, number)), cg.lt(number, cg.constant(cg.width, number))))
    return cg.eq(cg.position(), cg.cast(labels, dtypes.int32))


def _generated(op: Op, rows: Any, *inputs: Any) -> Any:
    """Machine code for arrays like these, if there is some."""
    if type(rows) is np.ndarray and rows.size and rows.dtype.char in "fd" and inputs[0].shape == rows.shape[:-1]:
        return hot_kernels.kernel(op, inputs, {})
    return None


def check_labels(op: Op, labels: Spec, logits: Spec, name: str = "logits") -> None:
    """Raises unless the labels are integers, one for each row of floating logits."""
    if labels.dtype.kind not in "iub" and logits.dtype.kind in "iu":
        raise op.error(
            errors.DTypeError,
            f"labels is {labels} and {name} is {logits}, but labels must be integers and {name} floating.",
            f"swap them, or name them: labels=labels, {name}={name}.",
        )
    if labels.dtype.kind not in "iub" and labels.rank == logits.rank:
        raise op.error(
            errors.DTypeError,
            f"labels is {labels}, but must be integers, one for each row of {name} {logits}.",
            "a probability for each class goes to softmax_cross_entropy_with_logits; tf.argmax(labels, -1) gives class numbers.",
        )
    check_integers(op, "labels", labels)
    if logits.dtype.kind not in "fV":
        raise op.error(
            errors.DTypeError, f"{name} is {logits}, and must be floating.", f"use tf.cast({name}, tf.float32)."
        )
    if not logits.rank:
        raise op.error(
            errors.ShapeError,
            f"`{name}` cannot be a scalar: {name} is {logits}.",
            "give a number for each class, in the last axis.",
        )
    if labels.shape != logits.shape[:-1]:
        raise op.error(
            errors.ShapeError,
            f"labels is {labels}, {name} is {logits}: labels need the shape of {name} without its last dimension, and so "
            f"`labels.shape.rank` must equal `{name}.shape.rank - 1`{': labels must be 1-D' if logits.rank == 2 else ''}.",
            "give one class number for each row of logits; the version without `sparse` takes probabilities.",
        )


def named_places(op: Op, labels: Any, logits: Any) -> Any:
    """Where in the flattened logits the elements that the labels name are, in the shape of the labels."""
    shape = logits.shape
    if shape[:-1] != labels.shape:
        raise ValueError("labels and logits have different shapes")
    check_range(op.name, labels, shape[-1], "labels", _OUTSIDE)
    if labels.ndim == 1 and type(logits) is np.ndarray and labels.dtype.kind == "i":
        return _starts(*shape) + labels
    starts = np.arange(0, labels.size * shape[-1], max(shape[-1], 1), like=logits)
    return np.reshape(starts, labels.shape) + labels.astype(np.intp, copy=False)


@functools.lru_cache(maxsize=16)
def _starts(rows: int, classes: int) -> Any:
    """Where the rows begin in a flattened matrix; a training loop asks for the same in every step."""
    starts = np.arange(rows) * classes
    starts.flags.writeable = False
    return starts
