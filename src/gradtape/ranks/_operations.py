"""Collectives as ops: on tensors, eagerly and in functions, with gradients.

In a function a collective is a node with an effect: it runs each time, in the order of the program, which is the same on all ranks.
A reduction of several arrays is a node for each bucket, which runs as soon as the program has computed the bucket's arrays, and one that
waits for all buckets: they travel while the program computes the rest.

The gradient of a collective is a collective again, so there are derivatives of any order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.api.arguments import tensor
from gradtape.api.host_op import hosted
from gradtape.arrays.shapes import shape
from gradtape.core import dtypes, errors, state
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec, spec_of
from gradtape.ranks import _buckets as buckets
from gradtape.ranks import _group as groups
from gradtape.ranks._arithmetic import ReduceOp
from gradtape.ranks._engine import Errand
from gradtape.transform.custom_gradient import custom_gradient


def _sent(specs: Sequence[Spec], travels: Sequence[Any]) -> tuple[Spec, ...]:
    return tuple([Spec(s.shape, t) for s, t in zip(specs, travels, strict=True)])


@hosted(lambda *specs, **params: _sent(specs, params["travels"]), effect=True)
def _allreduce(
    *arrays: Any, count: int, group: Any, op: int, scale: float, names: tuple[str, ...], travels: tuple[Any, ...]
) -> Any:
    """Arrays of all ranks, reduced, in the dtypes in which they travel."""
    sent = [t.numpy for t in travels]
    return tuple(buckets.allreduce(group, [np.asarray(a) for a in arrays], ReduceOp(op), scale, names, sent))


@hosted(lambda *specs, **params: (Spec((), dtypes.int64),), effect=True)
def _begin(*arrays: Any, count: int, group: Any, wanted: Any, places: tuple[int, ...], ticket: int) -> Any:
    """Begin to reduce a bucket; the first one begins the reduction."""
    begun = group.running.get(ticket)
    if begun is None or begun.has(places[0]):  # an error in an earlier run has left it unfinished
        what = Errand("allreduce")
        group.running[ticket] = buckets.Reduction(group, wanted, what, group.agree(wanted, what))
    for place, array in zip(places, arrays, strict=True):
        group.running[ticket].put(place, array)
    return (np.int64(ticket),)


_begin.early = True  # it runs as soon as its arrays are there


@hosted(lambda *specs, **params: params["specs"], effect=True)
def _complete(*tickets: Any, count: int, group: Any, specs: tuple[Spec, ...], ticket: int) -> Any:
    """The arrays of a reduction, when all its buckets are there."""
    return tuple(group.running.pop(ticket).finish())


@hosted(lambda *specs, **params: tuple([_any_rows(s) for s in specs]), effect=True)
def _allgather(*arrays: Any, count: int, group: Any, names: tuple[str, ...]) -> Any:
    """Rows of all ranks."""
    return tuple(group.allgather([np.asarray(a) for a in arrays], names))


@hosted(lambda *specs, **params: tuple(specs), effect=True)
def _broadcast(*arrays: Any, count: int, group: Any, root: int, names: tuple[str, ...]) -> Any:
    """Arrays of the root."""
    return tuple(group.broadcast([np.asarray(a) for a in arrays], root, names))


@hosted(lambda x, splits, **params: (_any_rows(x), Spec((params["group"].size,), dtypes.int32)), effect=True)
def _alltoall(x: Any, splits: Any, *, group: Any, name: str) -> Any:
    """Rows that all ranks have sent here."""
    return group.alltoall(np.asarray(x), splits if splits.size else None, name)


@hosted(lambda x, **params: (_any_rows(x),), effect=True)
def _reducescatter(x: Any, *, group: Any, op: int, scale: float, name: str) -> Any:
    """This rank's rows of the reduced array."""
    return (group.reducescatter(np.asarray(x), ReduceOp(op), scale, name),)


@hosted(lambda *specs, **params: (), effect=True)
def _barrier(*arrays: Any, count: int, group: Any) -> Any:
    """Wait for all ranks."""
    group.barrier()
    return ()


def _any_rows(spec: Spec) -> Spec:
    shape = spec.shape
    return spec if not isinstance(shape, tuple) or not shape else Spec((None, *shape[1:]), spec.dtype)  # type: ignore[arg-type]


def allreduce(
    xs: Sequence[Any],
    group: Any,
    op: ReduceOp,
    scale: float = 1.0,
    names: Sequence[str] = (),
    is_narrow: bool = False,
) -> list[Any]:
    """Tensors of all ranks, reduced element by element.

    The gradient of a sum or mean is reduced in the same way. That of an extreme goes to the elements that attain it, in equal parts; that of a
    product is the product of the other factors.

    Args:
      xs: the tensors.
      group: the ranks.
      op: how they are reduced.
      scale: a factor of sums and means.
      names: what the ranks must agree on, besides shapes and dtypes.
      is_narrow: send the numbers of sums and means in 16 bits; they are narrowed on the way into their bucket.
    """
    xs = [tensor(x) for x in xs]
    travels = [dtypes.float16 if is_narrow and x.dtype.is_floating and x.dtype.size > 2 else x.dtype for x in xs]

    @custom_gradient
    def run(*args: Any) -> Any:
        if _can_overlap(args, travels, group, op):
            found = _reduce_in_program(args, travels, group, op, scale, names)
        else:
            found = _allreduce(
                *args, count=len(args), group=group, op=int(op), scale=scale, names=tuple(names), travels=tuple(travels)
            )
        found = [
            y if y.dtype is x.dtype else REGISTRY["cast"](y, dtype=x.dtype) for x, y in zip(args, found, strict=True)
        ]

        def gradient(*dys: Any) -> Any:
            back = ReduceOp.AVERAGE if op is ReduceOp.AVERAGE else ReduceOp.SUM
            sums = allreduce(list(dys), group, back, scale, [f"{n}.gradient" for n in names], is_narrow)
            if op in (ReduceOp.SUM, ReduceOp.AVERAGE):
                return sums
            return _NONLINEAR[op](sums, args, list(found), group)

        return tuple(found), gradient

    return list(run(*xs)) if xs else []


def _pull_extreme(dys: Sequence[Any], xs: Sequence[Any], ys: Sequence[Any], group: Any) -> list[Any]:
    cast = REGISTRY["cast"]
    masks = [cast(REGISTRY["equal"](x, y), dtype=x.dtype) for x, y in zip(xs, ys, strict=True)]
    counts = allreduce(masks, group, ReduceOp.SUM)
    return [dy * mask / count for dy, mask, count in zip(dys, masks, counts, strict=True)]


def _pull_product(dys: Sequence[Any], xs: Sequence[Any], ys: Sequence[Any], group: Any) -> list[Any]:
    """The other ranks' factors: the product of all that are not zero, over the own one, unless another one is zero."""
    cast = REGISTRY["cast"]
    zeros = [cast(REGISTRY["equal"](x, x * 0), dtype=x.dtype) for x in xs]
    products = allreduce([x + z for x, z in zip(xs, zeros, strict=True)], group, ReduceOp.PRODUCT)
    counts = allreduce(zeros, group, ReduceOp.SUM)
    found = []
    for dy, x, z, product, count in zip(dys, xs, zeros, products, counts, strict=True):
        is_only = cast(REGISTRY["equal"](count, z), dtype=x.dtype)
        found.append(dy * is_only * product / (x + z))
    return found


def _refuse_adasum(dys: Sequence[Any], xs: Sequence[Any], ys: Sequence[Any], group: Any) -> Any:
    raise errors.build(
        errors.UnimplementedError,
        "allreduce: Adasum has no gradient.",
        "use op=hvd.Sum or op=hvd.Average inside the loss; Adasum is for gradients.",
    )


_NONLINEAR = {
    ReduceOp.MIN: _pull_extreme,
    ReduceOp.MAX: _pull_extreme,
    ReduceOp.PRODUCT: _pull_product,
    ReduceOp.ADASUM: _refuse_adasum,
}
_tickets = itertools.count(1)


def _can_overlap(xs: Sequence[Any], travels: Sequence[Any], group: Any, op: ReduceOp) -> bool:
    """True for reductions of a function that are worth several buckets, and whose sizes are known."""
    if state.current.trace is None or group.size == 1 or op not in (ReduceOp.SUM, ReduceOp.AVERAGE):
        return False
    specs = [spec_of(x) for x in xs]
    if not all(s.is_known and s.dtype.is_floating for s in specs):
        return False
    sent = [(s.shape, t.numpy) for s, t in zip(specs, travels, strict=True)]
    return len(buckets.layout(sent, range(len(specs)))) > 1


def _order_of(xs: Sequence[Any]) -> list[int]:
    """The order in which the program that is traced computes some tensors; what it does not compute is there at once."""
    trace: Any = state.current.trace
    places = {node: place for place, node in enumerate(trace.graph.nodes)}
    nodes = [getattr(getattr(x, "value", None), "node", None) for x in xs]
    return sorted(range(len(xs)), key=lambda i: (places.get(nodes[i], -1), -i))


def _reduce_in_program(
    xs: Sequence[Any], travels: Sequence[Any], group: Any, op: ReduceOp, scale: float, names: Sequence[str]
) -> Any:
    """A reduction as nodes: one for each bucket, in the order in which the program computes the arrays, and one that waits for all."""
    order = _order_of(xs)
    specs = _sent([spec_of(x) for x in xs], travels)
    shapes = [(s.shape, s.dtype.numpy) for s in specs]
    wanted = buckets.wanted_of([(s.shape, s.dtype) for s in specs], op, scale, [*names, buckets.in_program(order)])
    ticket = next(_tickets)
    begun = [
        _begin(
            *[xs[i] for i in places], count=len(places), group=group, wanted=wanted, places=tuple(places), ticket=ticket
        )[0]
        for places in buckets.layout(shapes, order)
    ]
    return _complete(*begun, count=len(begun), group=group, specs=specs, ticket=ticket)


def allgather(xs: Sequence[Any], group: Any, names: Sequence[str] = ()) -> list[Any]:
    """The rows of all ranks, one after the other; the gradient of a row is the sum of all ranks' gradients of it."""
    xs = [tensor(x) for x in xs]

    @custom_gradient
    def run(*args: Any) -> Any:
        found = _allgather(*args, count=len(args), group=group, names=tuple(names))

        def gradient(*dys: Any) -> Any:
            sums = allreduce(list(dys), group, ReduceOp.SUM, 1.0, [f"{n}.gradient" for n in names])
            return [_own_rows(d, x, group) for d, x in zip(sums, args, strict=True)]

        return tuple(found), gradient

    return list(run(*xs)) if xs else []


def _own_rows(d: Any, x: Any, group: Any) -> Any:
    """The part of gathered rows that came from this rank."""
    rows = shape(x)[:1]
    counts = _allgather(rows, count=1, group=group, names=())[0]
    start = REGISTRY["reduce_sum"](counts[: group.rank], axis=(0,), keepdims=False)
    return d[start : start + counts[group.rank]]


def broadcast(xs: Sequence[Any], group: Any, root: int, names: Sequence[str] = ()) -> list[Any]:
    """The tensors of the root; its gradient is the sum of all ranks' gradients, that of the others zero."""
    xs = [tensor(x) for x in xs]

    @custom_gradient
    def run(*args: Any) -> Any:
        found = _broadcast(*args, count=len(args), group=group, root=root, names=tuple(names))

        def gradient(*dys: Any) -> Any:
            sums = allreduce(list(dys), group, ReduceOp.SUM, 1.0, [f"{n}.gradient" for n in names])
            return sums if group.rank == root else [s * 0 for s in sums]

        return tuple(found), gradient

    return list(run(*xs)) if xs else []


def alltoall(x: Any, splits: Any, group: Any, name: str = "") -> tuple[Any, Any]:
    """The rows that all ranks have sent here, and their numbers; the gradient goes back where the rows came from."""
    counts = tensor(np.zeros(0, np.int32) if splits is None else splits)

    @custom_gradient
    def run(rows: Any) -> Any:
        found, received = _alltoall(rows, counts, group=group, name=name)

        def gradient(dy: Any, _: Any) -> Any:
            return alltoall(dy, received, group, f"{name}.gradient")[0]

        return (found, received), gradient

    found, received = run(tensor(x))
    return found, received


def reducescatter(x: Any, group: Any, op: ReduceOp, scale: float = 1.0, name: str = "") -> Any:
    """This rank's rows of the reduced tensor; its gradient is gathered."""

    @custom_gradient
    def run(rows: Any) -> Any:
        (found,) = _reducescatter(rows, group=group, op=int(op), scale=scale, name=name)

        def gradient(dy: Any) -> Any:
            factor = scale / group.size if op is ReduceOp.AVERAGE else scale
            whole = allgather([dy], group, [f"{name}.gradient"])[0]
            return whole if math.isclose(factor, 1.0) else whole * factor

        return found, gradient

    return run(tensor(x))


def barrier(group: Any) -> None:
    """Wait until all ranks have reached this call."""
    _barrier(count=0, group=group)


world = groups.world
