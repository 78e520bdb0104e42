"""Sequences of several lengths in one tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec, normalize_axis
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.ops.indexing import spread
from gradtape.ops.movement import Reshape, Transpose, inverse
from gradtape.ops.row_positions import batch_positions, check_integers, check_range


@declare("reverse_sequence")
class ReverseSequence(Op):
    """x with the first `lengths[i]` elements along `seq_axis` in reverse order, for entry i of `batch_axis`.

    Done twice, it changes nothing: the op is its own transpose.
    """

    kinds = "fVciubO"
    homogeneous = False
    lower = NO_LOWERING

    def infer(self, x: Spec, lengths: Spec, *, seq_axis: int, batch_axis: int) -> Spec:
        check_integers(self, "lengths", lengths)
        for name, axis in (("seq_axis", seq_axis), ("batch_axis", batch_axis)):
            normalize_axis(axis, x.rank, self.name, name)
        if seq_axis == batch_axis:
            raise self.error(
                errors.ShapeError,
                f"seq_axis and batch_axis are both {seq_axis}: batch_dim == seq_dim == {seq_axis}.",
                "name two different axes.",
            )
        if lengths.rank != 1:
            raise self.error(
                errors.ShapeError,
                f"seq_lengths must be 1-dim, not {lengths.rank}-dim.",
                "give one length for each sequence.",
            )
        if lengths.shape != (x.shape[batch_axis],):
            raise self.error(
                errors.ShapeError,
                f"lengths is {lengths}, but axis {batch_axis} of x, which is {x}, has length {x.shape[batch_axis]}: Length of seq_lengths != input.dims({batch_axis}).",
                "give one length for each sequence.",
            )
        return x

    def kernel(self, x: Any, lengths: Any, *, seq_axis: int, batch_axis: int) -> Any:
        count, n = x.shape[batch_axis], x.shape[seq_axis]
        if lengths.shape != (count,) or seq_axis == batch_axis:
            raise ValueError("lengths or axes do not fit")
        check_range(self.name, lengths, n + 1, "lengths")
        perm = (batch_axis, seq_axis, *[i for i in range(x.ndim) if i not in (batch_axis, seq_axis)])
        whole = np.transpose(x, perm)
        place = np.arange(n, like=None if isinstance(lengths, np.generic) else lengths)
        stop = np.reshape(lengths.astype(place.dtype), (count, 1))
        source = batch_positions(np.where(place < stop, stop - 1 - place, place), n)
        rows = np.reshape(whole, (count * n, *whole.shape[2:]))
        return np.transpose(np.reshape(np.take(rows, source, axis=0), whole.shape), inverse(perm))

    def vjp(self, dy: Any, lengths: Any, *, seq_axis: int, batch_axis: int) -> Any:
        return ReverseSequence(dy, lengths, seq_axis=seq_axis, batch_axis=batch_axis), None

    def batch(self, batched: tuple[bool, ...], x: Any, lengths: Any, *, seq_axis: int, batch_axis: int) -> Any:
        if not batched[1]:
            return self(x, lengths, seq_axis=seq_axis + 1, batch_axis=batch_axis + 1)
        # The sequences of all examples become one long list of sequences.
        x, lengths = spread(batched, x, lengths)
        own = [i for i in range(1, x.ndim) if i != batch_axis + 1]
        perm = (0, batch_axis + 1, *own)
        x = Transpose(x, perm=perm)
        size, count, *rest = dims(x)
        many = Reshape(x, shape=(size * count, *rest))
        every = Reshape(lengths, shape=(size * count,))
        y = self(many, every, seq_axis=own.index(seq_axis + 1) + 1, batch_axis=0)
        return Transpose(Reshape(y, shape=(size, count, *rest)), perm=inverse(perm))
