"""Families of ops: base classes of elementwise ops, reductions and movements."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import REGISTRY, Op, Unsupported
from gradtape.core.shape import Spec, broadcast, normalize_axes, spec_of

NO_LOWERING: Any = Unsupported("no lowering is written yet: the kernel runs between native segments")


class Unary(Op):
    """Elementwise, one input: `kernel(x)`, `vjp(dy, x)` or `vjp(dy, y)`, `scalar(cg, x)`."""

    kinds = "fVc"
    elementwise = True

    def infer(self, x: Spec, **params: Any) -> Spec:
        return Spec(x.shape, self.check_dtypes(x))

    def batch(self, batched: tuple[bool, ...], x: Any, **params: Any) -> Any:
        return self(x, **params)


class Binary(Op):
    """Elementwise with broadcasting, two inputs. Cotangents go through `unbroadcast`."""

    kinds = "fVciu"
    elementwise = True

    def infer(self, a: Spec, b: Spec, **params: Any) -> Spec:
        return Spec(self.broadcast_shape(a, b), self.check_dtypes(a, b))

    def broadcast_shape(self, a: Spec, b: Spec) -> tuple[int, ...]:
        """The common shape of the inputs; raises if there is none."""
        shape = broadcast(a.shape, b.shape)
        if shape is None:
            names = self.inputs
            sizes = " vs. ".join(
                f"[{','.join(map(str, spec.shape))}]" for spec in (a, b)
            )  # TensorFlow's words end with these
            raise self.error(
                errors.ShapeError,
                f"shapes do not broadcast: {names[0]} is {a}, {names[1]} is {b}. Incompatible shapes: {sizes}.",
                "aligned from the right, each pair of dimensions must be equal or contain a 1.",
            )
        return shape

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        return self(*align(batched, inputs), **params)


class Compare(Binary):
    """Elementwise, two inputs, a bool result."""

    kinds = "fVciub"

    def infer(self, a: Spec, b: Spec, **params: Any) -> Spec:
        from gradtape.core import dtypes

        self.check_dtypes(a, b)
        return Spec(self.broadcast_shape(a, b), dtypes.bool_)


class Reduction(Op):
    """Reduces axes: `kernel(x, *, axis, keepdims)`, where `axis` is a sorted tuple of axes from the front."""

    kinds = "fVciu"
    validate = False
    lower = NO_LOWERING

    def infer(self, x: Spec, *, axis: tuple[int, ...], keepdims: bool = False, **params: Any) -> Spec:
        dtype = self.check_dtypes(x)
        axes = normalize_axes(axis, x.rank, self.name)
        return Spec(reduced_shape(x.shape, axes, keepdims), dtype)

    def batch(self, batched: tuple[bool, ...], x: Any, *, axis: tuple[int, ...], **params: Any) -> Any:
        return self(x, axis=tuple([a + 1 for a in axis]), **params)


def reduced_shape(shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """The shape after a reduction of axes."""
    if keepdims:
        return tuple([1 if i in axis else d for i, d in enumerate(shape)])
    return tuple([d for i, d in enumerate(shape) if i not in axis])


def dims(x: Any) -> tuple[int, ...]:
    """The shape of a tensor or array as a plain tuple."""
    return tuple(x.shape)


def boxed(y: Any) -> Any:
    """A string as an array of rank 0, where NumPy gives the only element of an array itself; others as they are."""
    if type(y) is not bytes:
        return y
    array = np.empty((), object)
    array[()] = y
    return array


def align(batched: tuple[bool, ...], inputs: tuple[Any, ...]) -> list[Any]:
    """Inputs of an elementwise op, some with a leading batch axis, made to broadcast as one."""
    ranks = [x.ndim - flag for flag, x in zip(batched, inputs, strict=True)]
    rank = max(ranks)
    reshape = REGISTRY["reshape"]
    result = []
    for flag, own, x in zip(batched, ranks, inputs, strict=True):
        if flag and own < rank:
            shape = dims(x)
            x = reshape(x, shape=shape[:1] + (1,) * (rank - own) + shape[1:])
        result.append(x)
    return result


_FEW_ROWS = 256


def same_shape(dy: Any, a: Any, b: Any) -> bool:
    """True if arrays are known not to have been broadcast: the quick way out of a binary op's vjp.

    Broadcasting only enlarges, so equal size and rank mean equal shapes; reading `shape` would cost three times this.
    """
    return type(dy) is np.ndarray and dy.size == a.size == b.size and dy.ndim == a.ndim == b.ndim and dy.size != 0


def unbroadcast(d: Any, x: Any) -> Any:
    """A cotangent summed over the axes along which the input `x` was broadcast."""
    return unbroadcast_to(d, x.shape)


def unbroadcast_to(d: Any, shape: Any) -> Any:
    """A cotangent summed over the axes along which an input of that shape was broadcast."""
    own = d.shape
    if own == shape:
        return d
    own, shape = tuple(own), tuple(shape)
    if type(d) is np.ndarray and own[1:] == shape and own[0] <= _FEW_ROWS and d.dtype.char in "fd":
        # A bias that was added to a batch, as in every dense layer: the rows are few enough to be added one by one.
        return np.add.reduce(d, 0)
    extra = len(own) - len(shape)
    axis = tuple(range(extra)) + tuple([i + extra for i, n in enumerate(shape) if n == 1 and own[i + extra] != 1])
    if axis:
        d = REGISTRY["reduce_sum"](d, axis=axis, keepdims=False)
    return d if dims(d) == shape else REGISTRY["reshape"](d, shape=shape)


def conj(x: Any) -> Any:
    """The complex conjugate; a real value as it is."""
    return REGISTRY["conj"](x) if x.dtype.kind == "c" else x


def no_examples(op: Op, batched: tuple[bool, ...], inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """The results of an op on no example: results without elements, of the shapes that `infer` promises."""
    specs = [spec_of(x) for x in inputs]
    own = [Spec(s.shape[1:], s.dtype) if flag else s for flag, s in zip(batched, specs, strict=True)]
    promised = op.infer(*own, **params)
    several = (promised,) if isinstance(promised, Spec) else promised
    reshape, cast = REGISTRY["reshape"], REGISTRY["cast"]
    empty = next(x for flag, x in zip(batched, inputs, strict=True) if flag)
    results = tuple([cast(reshape(empty, shape=(0, *spec.shape)), dtype=spec.dtype) for spec in several])
    return results[0] if isinstance(promised, Spec) else results


def by_loop(op: Op, batched: tuple[bool, ...], inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """A batch rule for ops without a formula: one call per example, stacked."""
    size = next(x.shape[0] for flag, x in zip(batched, inputs, strict=True) if flag)
    if not size:
        return no_examples(op, batched, inputs, params)
    stack, take = REGISTRY["stack"], REGISTRY["strided_slice"]
    rows = []
    for i in range(size):
        example = [take(x, index=(i,)) if flag else x for flag, x in zip(batched, inputs, strict=True)]
        rows.append(op(*example, **params))
    if isinstance(rows[0], tuple):
        return tuple([stack(*column, axis=0) for column in zip(*rows, strict=True)])
    return stack(*rows, axis=0)
