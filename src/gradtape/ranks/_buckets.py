"""Gradients that are reduced in buckets while the backward pass runs.

A reduction knows all its arrays beforehand; they become ready one by one. They are packed into buckets, and a bucket starts when it is
full and all before it have started: in a fixed order, so that ranks whose passes finish in another order still fit together. The
order is that of the first pass on rank 0, told to all: in which buffer a number lies is part of the bits of a sum.
"""

from __future__ import annotations

import sys
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

# Buffers of earlier reductions, which are used again once nobody has a view of them: fresh memory costs page faults.
_spare: dict[tuple[int, Any], list[np.ndarray]] = {}
_SPARES = 4  # of one size and dtype


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

    The arrays of a reduction that ends with `in_program` are put by nodes of a program, and a thread lets its buckets proceed.
    """

    def __init__(self, group: Group, wanted: Wanted, what: Errand, agreed: Callable[[], int]) -> None:
        order = _order_in_program(wanted)
        self._in_program = order is not None
        self._group, self._wanted, self._what, self._agreed = group, wanted, what, agreed
        op, self._scale = wanted[1]
        self._op = ReduceOp(op)
        self._specs = [(w[0], dtypes.as_dtype(w[1]).numpy) for w in wanted[2:] if isinstance(w, tuple)]
        order = order or _orders.get((id(group), wanted))
        learns = order is None and len(self._specs) > 1
        self._learned: list[int] | None = [] if learns else None
        self._views: list[Any] = [None] * len(self._specs)
        self._ready = [False] * len(self._specs)
        self._active: int | None = None
        self._requests: list[Any] = []
        self._narrow: dict[int, np.ndarray] = {}
        self._buckets = self._laid_out(order or list(range(len(self._specs)))[::-1])

    def _laid_out(self, order: list[int]) -> list[tuple[np.ndarray, list[int]]]:
        """Buckets of arrays of one dtype, with the arrays' views of them."""
        buckets: list[tuple[np.ndarray, list[int]]] = []
        for parts in layout(self._specs, order):
            counts = [_size(self._specs[j][0]) for j in parts]
            dtype, size = self._wide(self._specs[parts[0]][1]), sum(counts)
            if self._is_narrow(dtype):  # each rank adds up an equal part
                flat = _buffer(-(-size // self._group.size) * self._group.size, dtype)
                flat[size:] = 0
            else:
                flat = _buffer(size, dtype)
            for j, piece in zip(parts, np.split(flat[:size], np.cumsum(counts)[:-1]), strict=True):
                self._views[j] = piece.reshape(self._specs[j][0])
            _held[id(flat)] = flat
            buckets.append((flat, parts))
        return buckets

    def _wide(self, dtype: Any) -> Any:
        return dtype if self._is_narrow(dtype) else arithmetic.wide(dtype)

    def _is_narrow(self, dtype: Any) -> bool:
        """True for 16-bit numbers that are sent as they are, and added in float32."""
        return self._op in (ReduceOp.SUM, ReduceOp.AVERAGE) and dtype.itemsize == 2 and dtype.kind in "fV"

    def has(self, i: int) -> bool:
        """True if an array was put."""
        return self._ready[i]

    def put(self, i: int, value: Any) -> None:
        """Pack an array, and start every bucket whose turn it is. Wider numbers become those of the bucket on the way."""
        arithmetic.pack(value, self._views[i])
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
            self._scale_before(flat)
            self._requests.append(self._reduce(flat, parts))
            if self._in_program and self._requests[-1] is not None:
                self._group.engine.progress.watch(self._requests[-1])
        if self._in_program:
            return
        pending = [r for r in self._requests[-2:] if r is not None]
        if pending:
            self._group.engine.mpi.Request.Testall(pending)  # MPI moves data only while one of its functions runs

    def _factor(self) -> float:
        scale: float = self._scale
        return scale / (self._active or 1) if self._op is ReduceOp.AVERAGE else scale

    def _scale_before(self, flat: np.ndarray) -> None:
        """Scale what is sent. Sums of 16-bit numbers and of integers are scaled afterwards: before, digits would be lost."""
        if self._is_narrow(flat.dtype) or flat.dtype.kind in "iu":
            return
        factor = self._factor()
        if factor != 1.0:
            np.multiply(flat, np.array(factor, flat.dtype), out=flat)

    def _scale_after(self, flat: np.ndarray) -> None:
        if flat.dtype.kind in "iu":
            count = (self._active or 1) if self._op is ReduceOp.AVERAGE else 1
            flat[...] = arithmetic.scale_integers(flat, self._scale, count)

    def _reduce(self, flat: np.ndarray, parts: list[int]) -> Any:
        if self._op is ReduceOp.ADASUM:
            every = self._group.all_parts(flat, self._what)
            start = 0
            for j in parts:
                end = start + self._views[j].size
                flat[start:end] = arithmetic.adasum([p[start:end] for p in every])
                start = end
            return None
        if self._is_narrow(flat.dtype):
            received = _buffer(flat.size, flat.dtype)
            _held[id(received)] = self._narrow[id(flat)] = received
            return self._group.start_narrow(flat, received)
        return self._group.start_sum(flat, self._op)

    def finish(self) -> list[np.ndarray]:
        """The reduced arrays, in the order of the specs; those that were not put change nothing."""
        for view, is_ready in zip(self._views, self._ready, strict=True):
            if not is_ready:
                view[...] = arithmetic.neutral(self._op, view.dtype)
        self._ready = [True] * len(self._ready)
        self._start()
        if self._active is None:
            self._active = self._agreed()
        for request in self._requests:
            if request is not None:
                if self._in_program:
                    self._group.engine.progress.release(request)
                self._group.wait(request, self._what, self._buckets, self._narrow)
        for flat, _ in self._buckets:
            if id(flat) in self._narrow:
                received = self._narrow.pop(id(flat))
                self._group.finish_narrow(flat, received, self._factor(), self._what)
                _recycle(received)
            self._scale_after(flat)
        for flat, _ in self._buckets:
            _recycle(flat)
        if self._learned is not None and self._active == self._group.size:
            order = self._group.told(self._learned, self._what)[0]
            _orders[id(self._group), self._wanted] = order + [i for i in range(len(self._specs)) if i not in order]
        return [v.astype(dtype, copy=False) for v, (_, dtype) in zip(self._views, self._specs, strict=True)]


_IN_PROGRAM = "in a program, in the order "


def in_program(order: Sequence[int]) -> str:
    """The last thing that a rank wants whose reduction is made of nodes of a program, which computes the arrays in this order."""
    return _IN_PROGRAM + " ".join(map(str, order))


def _order_in_program(wanted: Wanted) -> list[int] | None:
    last = wanted[-1]
    is_there = isinstance(last, str) and last.startswith(_IN_PROGRAM)
    return [int(i) for i in last[len(_IN_PROGRAM) :].split()] if is_there else None


def layout(specs: Sequence[tuple[Any, Any]], order: Sequence[int]) -> list[list[int]]:
    """The arrays of each bucket: a bucket is full at a size, and holds one dtype."""
    buckets: list[list[int]] = []
    parts: list[int] = []
    count = 0
    for place, i in enumerate(order):
        shape, dtype = specs[i]
        parts.append(i)
        count += _size(shape) * dtype.itemsize
        is_last = place + 1 == len(order) or specs[order[place + 1]][1] != dtype
        if is_last or count >= (BUCKET_BYTES if buckets else FIRST_BYTES):
            buckets.append(parts)
            parts, count = [], 0
    return buckets


def _size(shape: Any) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _buffer(size: int, dtype: Any) -> np.ndarray:
    """Memory for a bucket, which may hold anything."""
    spares = _spare.get((size, np.dtype(dtype)), [])
    for i, flat in enumerate(spares):
        if sys.getrefcount(flat) <= 3:  # the list, this variable and the argument
            return spares.pop(i)
    return np.empty(size, dtype)


def _recycle(flat: np.ndarray) -> None:
    """Keep memory that MPI is done with for later reductions."""
    del _held[id(flat)]
    spares = _spare.setdefault((flat.size, flat.dtype), [])
    if len(spares) < _SPARES and not any(flat is s for s in spares):
        spares.append(flat)


def allreduce(
    group: Group,
    arrays: Sequence[np.ndarray],
    op: ReduceOp,
    scale: float = 1.0,
    names: Sequence[str] = (),
    travels: Sequence[Any] | None = None,
) -> list[np.ndarray]:
    """Arrays of all ranks, reduced element by element, in the dtypes in which they travel; their own by default."""
    sent = [a.dtype for a in arrays] if travels is None else travels
    for dtype in sent:
        arithmetic.check(op, dtype, "allreduce")
    what = Errand("allreduce")
    wanted = wanted_of([(a.shape, t) for a, t in zip(arrays, sent, strict=True)], op, scale, names)
    reduction = Reduction(group, wanted, what, group.agree(wanted, what))
    for i, array in enumerate(arrays):
        reduction.put(i, array)
    return reduction.finish()


def join(group: Group) -> int:
    """Take part in what the others do, without changing it, until all have joined; returns the rank that joined last."""
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
            raise disagreement(told, group.members, group.engine)
        active = [t for t in told if t is not None]
        _take_part(group, active[0][1], what, told, len(active))
    of_all = group.told(rounds, what)
    return group.members[max(range(group.size), key=lambda r: (-of_all[r], r))]


def _take_part(group: Group, wanted: Wanted, what: Errand, told: list[Any], active: int) -> None:
    """Do with numbers that change nothing, or no rows, what the others want."""
    check_join(wanted, told, group.members, group.engine)
    if wanted[0] == "allreduce":
        Reduction(group, wanted, what, lambda: active).finish()
    elif wanted[0] == "allgather":
        for shape, dtype in [w for w in wanted[1:] if isinstance(w, tuple)]:
            group.gather_rows(np.empty((0, *shape), dtypes.as_dtype(dtype).numpy), what)
