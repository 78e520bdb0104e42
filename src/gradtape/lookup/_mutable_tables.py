"""Tables that can change, outside of functions and in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.array_op import flat
from gradtape.api.host_op import hosted
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import Spec, TensorShape
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.lookup._table import Table, contents_spec, of_dtype, over_keys, values_spec
from gradtape.ops.family import dims


@hosted(values_spec, effect=True)
def _found(keys: Any, default: Any, *, table: Any) -> Any:
    own, whole = np.asarray(default), table.outer(keys.shape) + table.value_shape
    table.check(keys)
    if own.shape == whole and own.ndim > len(table.value_shape):
        rows = iter(own.reshape(-1, *table.value_shape) if table.value_shape else flat(own))
        chosen = [(key, next(rows)) for key in table.listed(keys)]
        return (table.packed([table.known.get(key, row) for key, row in chosen], table.outer(keys.shape)),)
    if own.shape != table.value_shape:
        shown = [str(list(shape)).replace(" ", "") for shape in (table.value_shape, whole, own.shape)]
        raise errors.build(
            errors.InvalidArgumentError,
            f"Expected shape {shown[0]} or {shown[1]} for default value, got {shown[2]}",
            "give one value for all keys, or one for each.",
        )
    value = own if table.value_shape else own[()]
    return (table.found(keys, lambda key: value),)


@hosted(lambda keys, values, table: (), effect=True)
def _inserted(keys: Any, values: Any, *, table: Any) -> Any:
    table.check(keys)
    listed = table.listed(keys)
    table.make_room(len(listed))
    rows = np.asarray(values).reshape(len(listed), *table.value_shape)
    for key, row in zip(listed, rows if table.value_shape else rows.tolist(), strict=True):
        table.known[key] = row
    return ()


@hosted(lambda keys, table: (), effect=True)
def _removed(keys: Any, *, table: Any) -> Any:
    table.check(keys)
    for key in table.listed(keys):
        table.known.pop(key, None)
    return ()


@hosted(lambda table: (Spec((), dtypes.int64),), effect=True)
def _size(*, table: Any) -> Any:
    return (np.int64(len(table.known)),)


@hosted(contents_spec, effect=True)
def _contents(*, table: Any) -> Any:
    return table.contents()


class MutableHashTable(Table):
    """A table whose entries can change.

    Args:
      key_dtype: of the keys.
      value_dtype: of the values.
      default_value: of keys that are not there; its shape is that of the values.
      name: of the table.
      checkpoint: whether `tf.train.Checkpoint` keeps the entries.
      experimental_is_anonymous: ignored.

    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 2, -1])
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        self._default = convert.convert_to_tensor(default_value, value_dtype)
        super().__init__(name, key_dtype, value_dtype, dims(self._default))
        self._check_default()
        self._is_kept = checkpoint
        self._restored: dict[str, Any] = {}

    @property
    def variables(self) -> list[Any]:
        """None; its presence lets checkpoints save a table."""
        return []

    def _checkpoint_parts(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        columns = zip(("keys", "values"), self.contents(), strict=True)
        return {name: Column(self, name, array) for name, array in columns} if self._is_kept else {}

    def _check_default(self) -> None:
        """Refuse default values of other ranks than 0 and 1."""
        if len(self.value_shape) > 1:
            raise errors.build(
                errors.InvalidArgumentError,
                f"Default value must be a vector, got shape {list(self.value_shape)}",
                "give one value or a vector of values.",
            )

    def check(self, keys: Any) -> None:
        """Refuse keys; here any will do."""

    def make_room(self, count: int) -> None:
        """Prepare for that many more keys."""

    def fill(self, keys: Any, values: Any) -> None:
        """Have these entries, as `contents` gives them, and no others."""
        self.known.clear()
        self.known.update(zip(self.listed(keys), values if self.value_shape else values.tolist(), strict=True))

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Set the values of keys.

        Args:
          keys: a tensor.
          values: a value for each of them.
          name: ignored.
        """
        keys = of_dtype(keys, self.key_dtype, "keys", ValueError)
        values = of_dtype(values, self.value_dtype, "values", ValueError)
        outer = keys.get_shape()
        outer = outer if not self.key_shape or outer.rank is None else outer[: outer.rank - len(self.key_shape)]
        own, wanted = values.get_shape(), outer.concatenate(list(self.value_shape))
        if not own.is_compatible_with(wanted):
            raise errors.build(
                errors.ShapeError, f"Expected shape {wanted} for value, got {own}", "give a value for each key."
            )
        _inserted(keys, values, table=self)

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Remove keys; missing keys are ignored."""
        _removed(self.keys_of(keys), table=self)

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Any:
        """The values of keys.

        Args:
          keys: a tensor, perhaps sparse or ragged.
          dynamic_default_values: a value for each key that is not there, in place of the table's.
          name: ignored.
        """
        default = self._default
        if dynamic_default_values is not None:
            default = of_dtype(dynamic_default_values, self.value_dtype, "dynamic_default_values")
        keys = of_dtype(keys, self.key_dtype, "keys", ValueError)
        return over_keys(keys, lambda k: _found(of_dtype(k, self.key_dtype, "keys"), default, table=self)[0])

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    def size(self, name: str | None = None) -> Tensor:
        """The number of keys."""
        return convert.convert_to_tensor(_size(table=self)[0])

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and all values."""
        keys, values = _contents(table=self)
        return convert.convert_to_tensor(keys, self.key_dtype), convert.convert_to_tensor(values, self.value_dtype)


class Column(Variable):
    """The keys of a table, or its values, as a checkpoint sees them: a table is filled when both have been restored."""

    __slots__ = ("_name_of_column", "_table")

    def __init__(self, table: MutableHashTable, name: str, array: Any) -> None:
        super().__init__(array, trainable=False, shape=TensorShape(None))
        self._table, self._name_of_column = table, name

    def assign(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Keep what a checkpoint has; the last of the two columns fills the table."""
        self._table._restored[self._name_of_column] = np.asarray(value)
        if len(self._table._restored) == 2:
            self._table.fill(self._table._restored.pop("keys"), self._table._restored.pop("values"))
        return self
