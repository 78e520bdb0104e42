"""Values in other forms: their bits as another dtype, their text, a fingerprint of their bytes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.array_protocol import overridable
from gradtape.core.op import NotDifferentiable, Op, declare
from gradtape.core.patterns.movement import Copy, same
from gradtape.core.shape import Spec
from gradtape.ops import farmhash
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.ops.movement import Reshape, Transpose


@declare("bitcast")
class Bitcast(Op):
    """The bits of x as numbers of another dtype. A narrower one adds an axis, a wider one takes the last."""

    kinds = "fVciu"
    validate = True
    vjp = NotDifferentiable("bits have no derivative")

    def infer(self, x: Spec, *, dtype: dtypes.DType) -> Spec:
        self.check_dtypes(x)
        if dtype.kind not in self.kinds or not dtype.is_numpy_compatible:
            raise self.error(
                errors.DTypeError, f"the dtype must be a dtype of numbers, got {dtype.name}.", "use a dtype of numbers."
            )
        own, new = x.dtype.size, dtype.size
        if own >= new:
            return Spec(x.shape if own == new else (*x.shape, own // new), dtype)
        if not x.rank or x.shape[-1] != new // own:
            raise self.error(
                errors.ShapeError,
                f"Cannot bitcast from {x.dtype.as_datatype_enum} to {dtype.as_datatype_enum}: x is {x}, of which {new // own} "
                f"numbers make one {dtype.name}.",
                f"the last axis must have length {new // own}.",
            )
        return Spec(x.shape[:-1], dtype)

    def kernel(self, x: Any, *, dtype: dtypes.DType) -> Any:
        return reinterpret(x, dtype.numpy)

    def batch(self, batched: tuple[bool, ...], x: Any, *, dtype: dtypes.DType) -> Any:
        return self(x, dtype=dtype)

    def lower(self, x: Spec, *, dtype: dtypes.DType) -> Copy | None:
        # Memory may not be aligned for wider numbers.
        return same(self.infer(x, dtype=dtype).shape) if dtype.size <= x.dtype.size else None


@overridable
def reinterpret(x: Any, dtype: np.dtype[Any]) -> Any:
    """An array's bytes seen as another dtype, with the shape that `Bitcast` promises."""
    own, new = x.dtype.itemsize, dtype.itemsize
    if own == new:
        return x.view(dtype)
    return np.frombuffer(x.tobytes(), dtype).reshape((*x.shape, own // new) if own > new else x.shape[:-1])[()]


@declare("as_string")
class AsString(Op):
    """The text of each number, as C's printf writes it by a format with one argument."""

    kinds = "fVciubO"
    lower = NO_LOWERING
    vjp = NotDifferentiable("text has no derivative")

    def infer(self, x: Spec, *, form: str) -> Spec:
        if form.count("%") != 1:
            raise self.error(
                errors.InvalidArgumentError, f"the format must have one %, got {form!r}.", "use one %, as in '%f'."
            )
        return Spec(x.shape, dtypes.string)

    def kernel(self, x: Any, *, form: str) -> Any:
        return written(x, form)

    def batch(self, batched: tuple[bool, ...], x: Any, *, form: str) -> Any:
        return self(x, form=form)


@overridable
def written(x: Any, form: str) -> Any:
    """An array of the texts of an array's elements."""
    if form.count("%") != 1:
        raise ValueError("one % is needed")
    kind = x.dtype.kind
    result = np.empty(x.shape, object)
    flat = result.reshape(-1)
    unpadded = form.replace("%0", "%")  # as in C, zeros stand in front of numbers only
    numbers = np.reshape(x.astype(np.float64) if kind == "V" else x, (-1,)).tolist()
    for i, value in enumerate(numbers):
        if kind == "b":
            flat[i] = b"true" if value else b"false"
        elif kind == "c":
            flat[i] = f"({form % value.real},{form % value.imag})".encode()
        elif kind == "O":
            flat[i] = form.encode() % value
        elif isinstance(value, float) and not math.isfinite(value):
            flat[i] = (unpadded % value).encode()
        else:
            flat[i] = (form % value).encode()
    return result


@declare("unravel_index")
class UnravelIndex(Op):
    """The coordinates, in the first axis, of positions in a flattened array whose shape is `dims`."""

    kinds = "iu"
    lower = NO_LOWERING
    vjp = NotDifferentiable("positions are integers")

    def infer(self, indices: Spec, *, dims: tuple[int, ...]) -> Spec:
        return Spec((len(dims), *indices.shape), self.check_dtypes(indices))

    def kernel(self, indices: Any, *, dims: tuple[int, ...]) -> Any:
        size = math.prod(dims)
        try:
            found = np.unravel_index(indices, dims)
        except ValueError:
            raise errors.build(
                errors.RangeError,
                f"unravel_index: an index is not in [0, {size}), where dims is {list(dims)}.",
                "indices count from 0 up to the product of dims.",
            ) from None
        return np.stack([f.astype(indices.dtype) for f in found])

    def batch(self, batched: tuple[bool, ...], indices: Any, *, dims: tuple[int, ...]) -> Any:
        y = self(indices, dims=dims)
        return Transpose(y, perm=(1, 0, *range(2, y.ndim)))


@declare("fingerprint")
class Fingerprint(Op):
    """Eight bytes for each row of x: FarmHash's 64-bit fingerprint of the bytes of the row."""

    kinds = "fVciubO"
    lower = NO_LOWERING
    vjp = NotDifferentiable("a fingerprint has no derivative")

    def infer(self, x: Spec) -> Spec:
        if not x.rank:
            raise self.error(
                errors.ShapeError, f"x is {x}, and must not be a scalar.", "the first axis counts the items to hash."
            )
        return Spec((x.shape[0], 8), dtypes.uint8)

    def kernel(self, x: Any) -> Any:
        return fingerprints(x)

    def batch(self, batched: tuple[bool, ...], x: Any) -> Any:
        size, rows, *rest = dims(x)
        return Reshape(self(Reshape(x, shape=(size * rows, *rest))), shape=(size, rows, 8))


@overridable
def fingerprints(x: Any) -> Any:
    """`[rows, 8]`: the fingerprint of each row. A row of strings is hashed as the row of their fingerprints."""
    rows = np.reshape(x, (x.shape[0], math.prod(x.shape[1:])))
    if x.dtype.kind == "O":
        each = [farmhash.fingerprint64(np.frombuffer(v, np.uint8)[None]) for v in rows.reshape(-1)]
        if rows.shape[1] == 1:
            return _bytes(np.concatenate(each) if each else np.zeros(0, np.uint64))
        rows = np.concatenate(each).reshape(rows.shape) if each else np.zeros(rows.shape, np.uint64)
    width = rows.shape[1] * rows.dtype.itemsize
    data = np.frombuffer(np.ascontiguousarray(rows).tobytes(), np.uint8).reshape(len(rows), width)
    return _bytes(farmhash.fingerprint64(data))


def _bytes(hashes: Any) -> Any:
    return hashes.astype("<u8").view(np.uint8).reshape(-1, 8)
