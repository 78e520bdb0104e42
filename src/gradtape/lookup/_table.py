"""The base of all tables: keys are looked up one by one in a dictionary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.array_op import flat, objects
from gradtape.core import convert, dtypes, errors
from gradtape.core.composite import Composite
from gradtape.core.shape import ANY, Spec
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable


class Table:
    """A table from keys to values of one shape.

    Attributes:
      key_dtype: of the keys.
      value_dtype: of the values.
      name: of the table.
      known: the dictionary.
      key_shape: of a key; keys that are not scalars are tuples in the dictionary.
    """

    key_shape: tuple[int, ...] = ()

    def __init__(self, name: str, key_dtype: Any, value_dtype: Any, value_shape: tuple[int, ...] = ()) -> None:
        self.name, self.known = name, dict[Any, Any]()
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        self.value_shape = value_shape

    @property
    def resource_handle(self) -> Any:
        """The table itself: there are no handles."""
        return self

    def keys_of(self, keys: Any) -> Any:
        """Keys as a tensor of the dtype of this table's."""
        return of_dtype(keys, self.key_dtype, "keys")

    def found(self, keys: Any, default: Any) -> Any:
        """The values of an array of keys; `default` gives the value of a missing key."""
        known = self.known
        return self.packed([known[k] if k in known else default(k) for k in self.listed(keys)], self.outer(keys.shape))

    def listed(self, keys: Any) -> list[Any]:
        """The keys of an array, as they are in the dictionary."""
        if not self.key_shape:
            return flat(keys)
        return [tuple(flat(row)) for row in np.asarray(keys).reshape(-1, *self.key_shape)]

    def outer(self, shape: Any) -> tuple[Any, ...]:
        """The shape of an array of keys without that of a key."""
        return tuple(shape[: len(shape) - len(self.key_shape)])

    def packed(self, values: list[Any], shape: tuple[int, ...]) -> Any:
        """Values as an array."""
        whole = (*shape, *self.value_shape)
        if self.value_dtype is dtypes.string:
            if not self.value_shape:
                return objects(values, whole)
            return objects([s for row in values for s in np.asarray(row, object).ravel().tolist()], whole)
        return np.array(values, self.value_dtype.numpy).reshape(whole)[()]

    def contents(self) -> tuple[Any, Any]:
        """All keys and all values, as arrays."""
        count = len(self.known)
        return self.keys_array(list(self.known)), self.packed(list(self.known.values()), (count,))

    def exported_shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of a key and a value in `contents`."""
        return self.key_shape, self.value_shape

    def keys_array(self, keys: list[Any]) -> Any:
        """Keys of the dictionary as an array."""
        shape = (len(keys), *self.key_shape)
        if self.key_dtype is dtypes.string:
            return objects([part for key in keys for part in key] if self.key_shape else keys, shape)
        return np.array(keys, self.key_dtype.numpy).reshape(shape)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {self.key_dtype.name} to {self.value_dtype.name}>"


def of_dtype(value: Any, dtype: dtypes.DType, what: str, kind: type[Exception] = TypeError) -> Any:
    """A tensor of a dtype; an error of a kind for tensors of another."""
    if isinstance(value, Composite):
        return value
    x = value._read() if isinstance(value, Variable) else value
    x = x if isinstance(x, Tensor) else convert.convert_to_tensor(x, dtype)
    if x.dtype is not dtype:
        raise errors.build(
            kind,
            f"Dtype of argument `{what}` must be {dtype.name}, received: {x.dtype.name}",
            f"tf.cast(x, tf.{dtype.name}).",
        )
    return x


def over_keys(keys: Any, function: Callable[[Any], Any]) -> Any:
    """The results of a function on keys, which may be sparse or ragged."""
    if isinstance(keys, SparseTensor):
        return keys.with_values(function(keys.values))
    if isinstance(keys, Composite):
        return keys.with_flat_values(function(keys.flat_values))  # type: ignore[attr-defined]
    return function(keys)


def values_spec(keys: Spec, *more: Spec, table: Table, **params: Any) -> tuple[Spec, ...]:
    """The spec of the values of keys."""
    if keys.shape is ANY:
        return (Spec(ANY, table.value_dtype),)
    return (Spec((*table.outer(keys.shape), *table.value_shape), table.value_dtype),)


def contents_spec(*specs: Spec, table: Table) -> tuple[Spec, ...]:
    """The specs of all keys and values."""
    unknown: Any = (None,)
    keys, values = table.exported_shapes()
    return Spec((*unknown, *keys), table.key_dtype), Spec((*unknown, *values), table.value_dtype)
