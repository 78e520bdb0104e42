"""A table with reserved keys, and keys of any shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.tensor import host
from gradtape.lookup._mutable_tables import MutableHashTable
from gradtape.lookup._table import of_dtype

# The numbers of TensorFlow, which `export` shows: buckets of a new table, the least, and the part that may be filled.
_BUCKETS, _LEAST, _LOAD = 1 << 17, 4, 0.8


class DenseHashTable(MutableHashTable):
    """A table whose entries can change, with two reserved keys. Here it works as `MutableHashTable`, but keys may be vectors.

    `export` gives as many keys and values as TensorFlow's table has buckets, with `empty_key` in those that are empty.

    Args:
      key_dtype: of the keys.
      value_dtype: of the values.
      default_value: of keys that are not there; its shape is that of the values.
      empty_key: a key that is never used; its shape is that of the keys.
      deleted_key: another one.
      initial_num_buckets: a power of 2; the table grows as it must.
      name: of the table.
      checkpoint: whether `tf.train.Checkpoint` keeps the entries.
      experimental_is_anonymous: ignored.

    >>> table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, empty_key="", deleted_key="$")
    >>> table.insert("a", tf.constant(1, tf.int64))
    >>> table.erase("a")
    >>> int(table.size())
    0
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, default_value, name, checkpoint)
        self._buckets = _BUCKETS if initial_num_buckets is None else int(initial_num_buckets)
        if self._buckets < _LEAST or self._buckets & (self._buckets - 1):
            raise _refused(
                f"DenseHashTable: Number of buckets must be at least 4 and a power of 2, got: {self._buckets}",
                "leave initial_num_buckets out.",
            )
        empty, deleted = [host(of_dtype(key, self.key_dtype, "key")._array) for key in (empty_key, deleted_key)]
        if empty.shape != deleted.shape:
            raise _refused(
                "DenseHashTable: Empty and deleted keys must have same shape, got shapes: "
                f"{list(empty.shape)} and {list(deleted.shape)}",
                "give two keys of one shape.",
            )
        self.key_shape = empty.shape
        (self._empty,), (self._deleted,) = self.listed(empty), self.listed(deleted)
        if self._empty == self._deleted:
            raise _refused("DenseHashTable: Empty and deleted keys cannot be equal.", "choose two keys you never use.")

    def check(self, keys: Any) -> None:
        """Refuse the two reserved keys, and keys of another shape."""
        count = keys.shape[0] if keys.ndim else 1
        if keys.size != count * int(np.prod(self.key_shape, dtype=np.int64)):
            wanted, given = [str(list(shape)).replace(" ", "") for shape in ((count, *self.key_shape), keys.shape)]
            raise _refused(f"DenseHashTable: Expected key shape {wanted} got {given}", "give a vector of keys.")
        listed = self.listed(keys)
        for name, reserved in (("empty_key", self._empty), ("deleted_key", self._deleted)):
            if reserved in listed:
                raise _refused(
                    f"DenseHashTable: Using the {name} as a table key is not allowed: {reserved!r}.",
                    "choose others when making the table.",
                )

    def make_room(self, count: int) -> None:
        """Have more buckets if that many more keys need them."""
        while len(self.known) + count > self._buckets * _LOAD:
            self._buckets *= 2

    def fill(self, keys: Any, values: Any) -> None:
        """Have the entries of a table that was exported, and as many buckets."""
        super().fill(keys.reshape(-1, *self.key_shape), values.reshape(-1, *self.value_shape))
        self._buckets = max(_LEAST, len(keys))
        for reserved in (self._empty, self._deleted):
            self.known.pop(reserved, None)
        self.make_room(0)

    def contents(self) -> tuple[Any, Any]:
        """The keys and values of all buckets, as matrices at least; the first ones are in use."""
        keys = self.keys_array([*self.known, *[self._empty] * (self._buckets - len(self.known))])
        _, used = super().contents()
        values = np.full((self._buckets, *self.value_shape), b"" if used.dtype == object else 0, used.dtype)
        values[: len(used)] = used
        shapes = self.exported_shapes()
        return keys.reshape(-1, *shapes[0]), values.reshape(-1, *shapes[1])

    def exported_shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of a key and a value in `contents`: at least vectors."""
        return self.key_shape or (1,), self.value_shape or (1,)

    def _check_default(self) -> None:
        if len(self.value_shape) > 1:
            raise _refused(
                f"DenseHashTable: Empty value must be a scalar or a vector, got shape {list(self.value_shape)}",
                "give one value or a vector of values.",
            )

    def lookup(self, keys: Any, name: str | None = None) -> Any:  # type: ignore[override]
        """The values of keys; `default_value` for those that are not there."""
        return super().lookup(keys)

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> None:
        """As `insert`."""
        self.insert(keys, values)

    def erase(self, keys: Any, name: str | None = None) -> None:
        """As `remove`."""
        self.remove(keys)


def _refused(what: str, fix: str) -> Exception:
    return errors.build(errors.InvalidArgumentError, what, fix)
