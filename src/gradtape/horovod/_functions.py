"""Collectives of tensors.

The parameters `device_dense`, `device_sparse` and `ignore_name_scope` of Horovod are accepted and change nothing: there is one device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.api.arguments import tensor
from gradtape.arrays.shapes import shape
from gradtape.core import dtypes, errors
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.op import REGISTRY
from gradtape.horovod._compression import Compression
from gradtape.horovod._process_set import ProcessSet, global_process_set
from gradtape.ranks import _buckets as buckets
from gradtape.ranks import _operations as operations
from gradtape.ranks._arithmetic import ReduceOp

Average, Sum, Adasum = ReduceOp.AVERAGE, ReduceOp.SUM, ReduceOp.ADASUM
Min, Max, Product = ReduceOp.MIN, ReduceOp.MAX, ReduceOp.PRODUCT


def reduce_op(average: Any, op: Any, who: str) -> ReduceOp:
    """The operation that Horovod's two arguments select."""
    if average is not None and op is not None:
        raise errors.build(
            ValueError, f"{who}: average and op must not both be given.", "use op=hvd.Average or op=hvd.Sum."
        )
    if average is not None:
        return Average if average else Sum
    return Average if op is None else ReduceOp(op)


def allreduce(
    tensor: Any,
    average: Any = None,
    device_dense: str = "",
    device_sparse: str = "",
    compression: Any = Compression.none,
    op: Any = None,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
    name: str | None = None,
    process_set: ProcessSet = global_process_set,
    ignore_name_scope: bool = False,
) -> Any:
    """The elementwise reduction of the values of all ranks.

    Args:
      tensor: a tensor, of the same shape and dtype on all ranks; or IndexedSlices, whose rows are gathered.
      average: True for the mean, False for the sum; `op` says more.
      device_dense, device_sparse: ignored.
      compression: `hvd.Compression.fp16` sends floating numbers in 16 bits.
      op: `hvd.Average` (the default), `Sum`, `Adasum`, `Min`, `Max` or `Product`.
      prescale_factor, postscale_factor: factors of the values before and after.
      name: what the ranks must agree on, besides shape and dtype.
      process_set: the ranks that take part.
      ignore_name_scope: ignored.
    """
    return grouped_allreduce(
        [tensor], average, device_dense, device_sparse, compression, op, prescale_factor, postscale_factor, process_set,
        ignore_name_scope, name,
    )[0]  # fmt: skip


def grouped_allreduce(
    tensors: Sequence[Any],
    average: Any = None,
    device_dense: str = "",
    device_sparse: str = "",
    compression: Any = Compression.none,
    op: Any = None,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
    process_set: ProcessSet = global_process_set,
    ignore_name_scope: bool = False,
    name: str | None = None,
) -> list[Any]:
    """Several tensors, reduced together; see `allreduce`."""
    how, group = reduce_op(average, op, "allreduce"), process_set.group("allreduce")
    found: list[Any] = [None] * len(tensors)
    dense = [i for i, t in enumerate(tensors) if not isinstance(t, IndexedSlices)]
    for i, rows in enumerate(tensors):
        if isinstance(rows, IndexedSlices):
            found[i] = _gathered_rows(rows, how, group, prescale_factor * postscale_factor)
    is_narrow = compression is Compression.fp16 and how in (Average, Sum)  # on the way into the buckets, in one pass
    chosen = Compression.none if is_narrow else compression
    packed = [chosen.compress(_tensor(tensors[i])) for i in dense]
    sent = [p[0] for p in packed]
    is_linear = how in (Average, Sum) and all(t.dtype.is_floating or t.dtype.is_complex for t in sent)
    scale = prescale_factor * postscale_factor if is_linear else 1.0
    if not is_linear:
        sent = [_scaled(t, prescale_factor) for t in sent]
    reduced = operations.allreduce(sent, group, how, scale, [name] if name else [], is_narrow)
    for i, value, (_, context) in zip(dense, reduced, packed, strict=True):
        whole = chosen.decompress(value, context)
        found[i] = whole if is_linear else _scaled(whole, postscale_factor)
    return found


def _scaled(x: Any, factor: float) -> Any:
    """A tensor times a number; integers are rounded towards zero."""
    if factor == 1.0:
        return x
    if x.dtype.is_floating or x.dtype.is_complex:
        return x * factor
    cast = REGISTRY["cast"]
    return cast(cast(x, dtype=dtypes.float64) * factor, dtype=x.dtype)


def _tensor(value: Any) -> Any:
    return tensor(value)


def _gathered_rows(rows: IndexedSlices, how: ReduceOp, group: Any, scale: float) -> IndexedSlices:
    if how not in (Average, Sum):
        raise errors.build(
            errors.UnimplementedError,
            f"allreduce: IndexedSlices cannot be reduced by {how.name}.",
            "use sparse_as_dense=True, or tf.convert_to_tensor(gradient).",
        )
    if how is Sum:
        values, indices = operations.allgather([rows.values, rows.indices], group)
        return IndexedSlices(values if scale == 1.0 else values * scale, indices, rows.dense_shape)
    # Ranks that have joined give no row of the third: the mean is over those that still have data.
    values, indices, present = operations.allgather([rows.values, rows.indices, tensor([scale])], group)
    count = REGISTRY["cast"](shape(present)[0], dtype=values.dtype)
    return IndexedSlices((values if scale == 1.0 else values * scale) / count, indices, rows.dense_shape)


def allgather(
    tensor: Any, name: str | None = None, ignore_name_scope: bool = False, process_set: ProcessSet = global_process_set
) -> Any:
    """The rows of all ranks, concatenated; the ranks may have different numbers of rows."""
    return operations.allgather([tensor], process_set.group("allgather"), [name] if name else [])[0]


def grouped_allgather(
    tensors: Sequence[Any],
    name: str | None = None,
    ignore_name_scope: bool = False,
    process_set: ProcessSet = global_process_set,
) -> list[Any]:
    """The rows of all ranks, of several tensors."""
    return operations.allgather(tensors, process_set.group("allgather"), [name] if name else [])


def broadcast(
    tensor: Any,
    root_rank: int,
    name: str | None = None,
    ignore_name_scope: bool = False,
    process_set: ProcessSet = global_process_set,
) -> Any:
    """The tensor of one rank, on all."""
    group = process_set.group("broadcast")
    return operations.broadcast([tensor], group, group_root(group, root_rank), [name] if name else [])[0]


def group_root(group: Any, root_rank: int) -> int:
    """The number of a rank within its group."""
    if root_rank not in group.members:
        raise errors.build(
            errors.InvalidArgumentError,
            f"broadcast: root_rank must be one of the ranks {group.members}, got {root_rank}.",
            f"use root_rank={group.members[0]}.",
        )
    return int(group.members.index(root_rank))


def alltoall(
    tensor: Any,
    splits: Any = None,
    name: str | None = None,
    ignore_name_scope: bool = False,
    process_set: ProcessSet = global_process_set,
) -> Any:
    """Rows exchanged between all ranks: each rank receives the rows that are meant for it.

    Args:
      tensor: the rows, in the order of the ranks.
      splits: how many rows each rank gets; the same number by default.
      name, ignore_name_scope, process_set: see `allreduce`.

    Returns:
      The rows that came here; with `splits`, also how many came from each rank.
    """
    rows, received = operations.alltoall(tensor, splits, process_set.group("alltoall"), name or "")
    return rows if splits is None else (rows, received)


def reducescatter(
    tensor: Any,
    device_dense: str = "",
    compression: Any = Compression.none,
    op: Any = Average,
    name: str | None = None,
    process_set: ProcessSet = global_process_set,
    ignore_name_scope: bool = False,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
) -> Any:
    """This rank's rows of the reduced tensor; if they do not divide evenly, the first ranks get one more."""
    packed, context = compression.compress(_tensor(tensor))
    how, group = ReduceOp(op), process_set.group("reducescatter")
    if how not in (Average, Sum):
        raise errors.build(
            errors.UnimplementedError,
            f"reducescatter: op must be hvd.Average or hvd.Sum, got {how.name}.",
            "hvd.allreduce(x, op=op), and take this rank's rows of the result.",
        )
    found = operations.reducescatter(packed, group, how, prescale_factor * postscale_factor, name or "")
    return compression.decompress(found, context)


def grouped_reducescatter(
    tensors: Sequence[Any],
    device_dense: str = "",
    compression: Any = Compression.none,
    op: Any = Average,
    process_set: ProcessSet = global_process_set,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
) -> list[Any]:
    """Several tensors, each reduced and divided; see `reducescatter`."""
    return [
        reducescatter(
            t,
            device_dense,
            compression,
            op,
            process_set=process_set,
            prescale_factor=prescale_factor,
            postscale_factor=postscale_factor,
        )
        for t in tensors
    ]


def barrier(process_set: ProcessSet = global_process_set, name: str | None = None) -> None:
    """Wait until all ranks have reached this call."""
    operations.barrier(process_set.group("barrier"))


def join(process_set: ProcessSet = global_process_set) -> int:
    """Signal that this rank has no more data: it takes part in the others' collectives with zeros until all have joined.

    Averages are taken over the ranks that still have data.

    Returns:
      The rank that joined last.
    """
    return int(buckets.join(process_set.group("join")))
