"""Gradients that are reduced in buckets while the backward pass runs.

A reduction knows all its arrays beforehand; they become ready one by one. They are packed into buckets, and a bucket starts when it is
full and all before it have started: in a fixed order, so that ranks whose passes finish in another order still fit together. The
order is that of the first pass on rank 0, told to all: in which buffer a number lies is part of the bits of a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.core import dtypes
from gradtape.ranks import _arithmetic as arithmetic
from gradtape.ranks._arithmetic import ReduceOp
from gradtape.ranks._engine import Errand
from gradtape.ranks._group import NOTHING, Group, Wanted, check_join, disagreement

FIRST_BYTES = 1 << 20  # measured: small buckets hide more, large ones cost fewer calls
BUCKET_BYTES = 4 << 20

# The order in which the gradients of a pattern of arrays are ready, as rank 0 has seen it.
_orders: dict[tuple[int, Wanted], list[int]] = {}

# Buffers that MPI may still write to when an error has unwound their reduction.
_held: dict[int, np.ndarray] = {}


def wanted_of(specs: Sequence[tuple[Any, Any]], op: ReduceOp, scale: float, names: Sequence[str] = ()) -> Wanted:
    """What a rank wants that reduces arrays of these shapes and dtypes."""
    return ("allreduce", (int(op), scale), *[(tuple(shape), dtypes.as_dtype(d).name) for shape, d in specs], *names)


class Reduction:
    """Arrays that become ready one by one and are reduced in buckets.

    Args:
      group: the ranks.
      wanted: see `wanted_of`.
      what: for the board.
      agreed: waits until all ranks want the same, and tells how many have data.
    """

    def __init__(self, group: Group, wanted: Wanted, what: Errand, agreed: Callable[[], int]) -> None:
        self._group, self._wanted, self._what, self._agreed = group, wanted, what, agreed
        op, self._scale = wanted[1]
        self._op = ReduceOp(op)
        self._specs = [(w[0], dtypes.as_dtype(w[1]).numpy) for w in wanted[2:] if isinstance(w, tuple)]
        order = _orders.get((id(group), wanted))
        self._learned: list[int] | None = [] if order is None and len(self._specs) > 1 else None
        self._views: list[Any] = [None] * len(self._specs)
        self._ready = [False] * len(self._specs)
        self._active: int | None = None
        self._requests: list[Any] = []
        self._buckets = self._laid_out(order or list(range(len(self._specs)))[::-1])

    def _laid_out(self, order: list[int]) -> list[tuple[np.ndarray, list[int]]]:
        """Buckets of arrays of one dtype, with the arrays' views of them."""
        buckets: list[tuple[np.ndarray, list[int]]] = []
        parts: list[int] = []
        for place, i in enumerate(order):
            parts.append(i)
            dtype = self._specs[i][1]
            counts = [int(np.prod(self._specs[j][0], dtype=np.int64)) for j in parts]
            is_last = place + 1 == len(order) or self._specs[order[place + 1]][1] != dtype
            is_full = sum(counts) * dtype.itemsize >= (BUCKET_BYTES if buckets else FIRST_BYTES)
            if is_full or is_last:
                flat = np.zeros(sum(counts), self._wide(dtype))
                for j, piece in zip(parts, np.split(flat, np.cumsum(counts)[:-1]), strict=True):
                    self._views[j] = piece.reshape(self._specs[j][0])
                _held[id(flat)] = flat
                buckets.append((flat, parts))
                parts = []
        return buckets

    def _wide(self, dtype: Any) -> Any:
        is_narrow_sum = self._op in (ReduceOp.SUM, ReduceOp.AVERAGE) and dtype.itemsize == 2 and dtype.kind in "fV"
        return dtype if is_narrow_sum else arithmetic.wide(dtype)

    def put(self, i: int, value: Any) -> None:
        """Pack an array, and start every bucket whose turn it is."""
        self._views[i][...] = value
        self._ready[i] = True
        if self._learned is not None:
            self._learned.append(i)
        self._start()

    def _start(self) -> None:
        while len(self._requests) < len(self._buckets):
            flat, parts = self._buckets[len(self._requests)]
            if not all(self._ready[j] for j in parts):
                break
            if self._active is None:
                self._active = self._agreed()
            self._scale_bucket(flat)
            self._requests.append(self._reduce(flat, parts))
        pending = [r for r in self._requests[-2:] if r is not None]
        if pending:
            self._group.engine.mpi.Request.Testall(pending)  # MPI moves data only while one of its functions runs

    def _scale_bucket(self, flat: np.ndarray) -> None:
        scale = self._scale / (self._active or 1) if self._op is ReduceOp.AVERAGE else self._scale
        if scale != 1.0:
            if flat.dtype.kind in "iu":
                flat[...] = (flat * scale).astype(flat.dtype)
            else:
                np.multiply(flat, np.array(scale, flat.dtype), out=flat)

    def _reduce(self, flat: np.ndarray, parts: list[int]) -> Any:
        if self._op is ReduceOp.ADASUM:
            every = self._group.all_parts(flat, self._what)
            start = 0
            for j in parts:
                end = start + self._views[j].size
                flat[start:end] = arithmetic.adasum([p[start:end] for p in every])
                start = end
            return None
        if flat.dtype.itemsize == 2 and flat.dtype.kind in "fV":
            self._group.sum_narrow(flat, self._what)
            return None
        return self._group.start_sum(flat, self._op)

    def finish(self) -> list[np.ndarray]:
        """The reduced arrays, in the order of the specs; those that were not put are zeros."""
        self._ready = [True] * len(self._ready)
        self._start()
        if self._active is None:
            self._active = self._agreed()
        for request in self._requests:
            if request is not None:
                self._group.wait(request, self._what)
        for flat, _ in self._buckets:
            del _held[id(flat)]
        if self._learned is not None and self._active == self._group.size:
            order = self._group.told(self._learned, self._what)[0]
            _orders[id(self._group), self._wanted] = order + [i for i in range(len(self._specs)) if i not in order]
        return [v.astype(dtype, copy=False) for v, (_, dtype) in zip(self._views, self._specs, strict=True)]


def allreduce(
    group: Group, arrays: Sequence[np.ndarray], op: ReduceOp, scale: float = 1.0, names: Sequence[str] = ()
) -> list[np.ndarray]:
    """Arrays of all ranks, reduced element by element."""
    for array in arrays:
        arithmetic.check(op, array.dtype, "allreduce")
    what = Errand("allreduce")
    wanted = wanted_of([(a.shape, a.dtype) for a in arrays], op, scale, names)
    reduction = Reduction(group, wanted, what, group.agree(wanted, what))
    for i, array in enumerate(arrays):
        reduction.put(i, array)
    return reduction.finish()


def join(group: Group) -> int:
    """Take part with zeros in what the others do until all have joined; returns the rank that joined last."""
    what = Errand("join")
    group.check("join")
    rounds = 0
    while True:
        most = group.vote([NOTHING, NOTHING, 1, 0])(what)
        if not most[3]:
            break
        rounds += 1
        told = group.told(None, what)
        if most[0] != -most[1]:
            raise disagreement(told, group.members, group.engine.count)
        active = [t for t in told if t is not None]
        _take_part(group, active[0][1], what, told, len(active))
    of_all = group.told(rounds, what)
    return group.members[max(range(group.size), key=lambda r: (-of_all[r], r))]


def _take_part(group: Group, wanted: Wanted, what: Errand, told: list[Any], active: int) -> None:
    """Do with zeros, or no rows, what the others want."""
    check_join(wanted, told, group.members)
    if wanted[0] == "allreduce":
        Reduction(group, wanted, what, lambda: active).finish()
    elif wanted[0] == "allgather":
        for shape, dtype in [w for w in wanted[1:] if isinstance(w, tuple)]:
            group.gather_rows(np.empty((0, *shape), dtypes.as_dtype(dtype).numpy), what)
