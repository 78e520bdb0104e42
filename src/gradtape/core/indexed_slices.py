"""IndexedSlices: some rows of a larger tensor, the gradient of gathering from it."""

from __future__ import annotations

from typing import Any

from gradtape.core import convert, dtypes, errors, state
from gradtape.core.deferral import Unknown
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor


class IndexedSlices:
    """Rows `values[i]` of a tensor of shape `dense_shape`, at `indices[i]`. Repeated indices add up.

    The parts are tensors; inside a backward pass that nobody records they are plain arrays.
    """

    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    values = property(lambda self: self._values, doc="The rows, of shape `[n, ...]`.")
    indices = property(lambda self: self._indices, doc="The row numbers, of shape `[n]`.")
    dense_shape = property(
        lambda self: self._dense_shape, doc="The shape of the whole tensor, a 1-D int tensor, or None."
    )
    dtype = property(lambda self: self._values.dtype, doc="The type of the values.")
    device = property(lambda self: self._values.device, doc="The device that holds the values.")

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor."""
        if self._dense_shape is None:
            return TensorShape(None)
        return TensorShape(dense_dims(self))

    def get_shape(self) -> TensorShape:
        """The shape of the whole tensor."""
        return self.shape

    def consumers(self) -> list[Any]:
        """Always empty: there is no graph."""
        return []

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __getattr__(self, name: str) -> Any:
        if name in ("name", "op", "graph"):
            raise AttributeError(f"IndexedSlices.{name} is undefined when eager execution is enabled.")
        raise AttributeError(f"'IndexedSlices' object has no attribute {name!r}.")

    def __str__(self) -> str:
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}, dense_shape={self._dense_shape!s})"


class RowCotangent(IndexedSlices):
    """IndexedSlices inside a backward pass, where they add up: rows stay rows, beside a dense cotangent they fill in.

    Users get IndexedSlices, which have no `+`, as in TensorFlow.
    """

    __slots__ = ()
    __array_ufunc__ = None

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, RowCotangent):
            return densify(self) + other
        from gradtape.core.op import REGISTRY

        concat, cast = REGISTRY["concat"], REGISTRY["cast_to_discrete"]
        i, j = self.indices, other.indices
        if i.dtype != j.dtype:
            i, j = cast(i, dtype=dtypes.int64), cast(j, dtype=dtypes.int64)
        return RowCotangent(concat(self.values, other.values, axis=0), concat(i, j, axis=0), self.dense_shape)

    def __radd__(self, other: Any) -> Any:
        return other + densify(self)


def dense_dims(slices: IndexedSlices) -> tuple[int, ...]:
    """The whole tensor's shape as Python ints."""
    shape = slices._dense_shape
    if isinstance(shape, tuple):
        return shape
    array = shape._array if isinstance(shape, Tensor) else shape
    return tuple(int(d) for d in array)


def densify(slices: IndexedSlices, dtype: dtypes.DType | None = None) -> Any:
    """The whole tensor, with repeated rows summed; recorded if the parts are tensors."""
    if slices._dense_shape is None:
        raise ValueError(
            errors.compose(
                "Tensor conversion requested for IndexedSlices without dense_shape.",
                "give dense_shape when making the IndexedSlices.",
            )
        )
    if dtype is not None and dtypes.as_dtype(slices.dtype) is not dtype:
        raise errors.build(
            errors.ConversionError,
            f"IndexedSlices of dtype {slices.dtype} cannot become a tensor of dtype {dtype.name}.",
            "cast the values first.",
        )
    from gradtape.core.op import REGISTRY

    indices = slices._indices
    if isinstance(indices, (tuple, list)):
        indices = convert.convert_to_tensor(indices)
    try:
        rows = dense_dims(slices)[0]
    except Unknown as missing:  # the shape is an argument of a function
        parts = slices._values, indices, slices._dense_shape
        return state.tracing().later(_whole, parts, {}, missing, "convert_slices")
    return REGISTRY["scatter_rows"](indices, slices._values, rows=rows)


def _whole(values: Any, indices: Any, dense_shape: Any) -> Any:
    return densify(IndexedSlices(values, indices, dense_shape))


convert.CONVERTERS.append((IndexedSlices, densify))
