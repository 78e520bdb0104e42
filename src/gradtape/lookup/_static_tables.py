"""Tables that are filled once."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.host_op import hosted
from gradtape.core import convert, dtypes, errors
from gradtape.core.tensor import Tensor
from gradtape.lookup._table import Table, of_dtype, over_keys, values_spec
from gradtape.strings._hash_buckets import fingerprints


@hosted(values_spec)
def _found(keys: Any, default: Any, *, table: Table) -> Any:
    value = default[()] if not default.ndim else default
    value = value.item() if isinstance(value, np.generic) else value
    return (table.found(keys, lambda key: value),)


@hosted(values_spec)
def _numbered(keys: Any, *, table: Any) -> Any:
    return (table.found(keys, table.bucket),)


class StaticHashTable(Table):
    """A table that is filled once, and does not change.

    Args:
      initializer: `KeyValueTensorInitializer` or `TextFileInitializer`.
      default_value: of keys that are not there.
      name: of the table.
      experimental_is_anonymous: ignored.

    >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2], ["one", "two"]), "many")
    >>> table[tf.constant([2, 7])].numpy()
    array([b'two', b'many'], dtype=object)
    """

    def __init__(
        self, initializer: Any, default_value: Any, name: str | None = None, experimental_is_anonymous: bool = False
    ) -> None:
        if not hasattr(initializer, "initialize"):
            raise errors.build(
                AttributeError,
                f"StaticHashTable: initializer must be a table initializer, got {initializer!r}.",
                "give tf.lookup.KeyValueTensorInitializer(keys, values), or tf.lookup.TextFileInitializer(...).",
            )
        super().__init__(name or "hash_table", initializer.key_dtype, initializer.value_dtype)
        self._default = convert.convert_to_tensor(default_value, self.value_dtype)
        if self._default.ndim:
            raise errors.build(
                errors.ShapeError,
                f"StaticHashTable: default_value must be a scalar, got shape {self._default.shape}.",
                "give a scalar.",
            )
        initializer.initialize(self)

    default_value = property(lambda self: self._default, doc="The value of keys that are not there.")

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys.

        Args:
          keys: a tensor, perhaps sparse or ragged.
          name: ignored.
        """
        return over_keys(
            self.keys_of(keys), lambda k: _found(of_dtype(k, self.key_dtype, "keys"), self._default, table=self)[0]
        )

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    def size(self, name: str | None = None) -> Tensor:
        """The number of keys."""
        return convert.convert_to_tensor(np.int64(len(self.known)))

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and all values."""
        keys, values = self.contents()
        return convert.convert_to_tensor(keys, self.key_dtype), convert.convert_to_tensor(values, self.value_dtype)


class StaticVocabularyTable(Table):
    """A table from words to ids; unknown words share buckets after the known ids, chosen by their hash.

    Args:
      initializer: with int64 values from 0 on; None for buckets alone.
      num_oov_buckets: how many buckets there are, at least one.
      lookup_key_dtype: of the keys, if there is no initializer.
      name: of the table.
      experimental_is_anonymous: ignored.

    >>> words = tf.lookup.KeyValueTensorInitializer(["red", "green"], tf.constant([0, 1], tf.int64))
    >>> tf.lookup.StaticVocabularyTable(words, num_oov_buckets=1).lookup(tf.constant(["green", "blue"])).numpy()
    array([1, 2])
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise errors.build(ValueError, f"`num_oov_buckets` must be > 0; got {num_oov_buckets}.", "give 1 or more.")
        key_dtype = lookup_key_dtype or (dtypes.string if initializer is None else initializer.key_dtype)
        if initializer is not None and initializer.value_dtype is not dtypes.int64:
            raise errors.build(
                TypeError,
                f"Invalid `value_dtype`, expected tf.int64 but got {initializer.value_dtype.name}.",
                "give the values as tf.constant(numbers, tf.int64).",
            )
        super().__init__(name or "vocabulary_table", key_dtype, dtypes.int64)
        self._buckets = num_oov_buckets
        if initializer is not None:
            initializer.initialize(self)

    @property
    def resource_handle(self) -> Any:
        """The table itself, or None if there are buckets alone."""
        return self if self.known else None

    def bucket(self, key: Any) -> int:
        """The bucket number of an unknown word."""
        text = key if isinstance(key, bytes) else str(key).encode()
        return fingerprints([text])[0] % self._buckets + len(self.known)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The numbers of words.

        Args:
          keys: a tensor, perhaps sparse or ragged.
          name: ignored.
        """
        return over_keys(self.keys_of(keys), lambda k: _numbered(of_dtype(k, self.key_dtype, "keys"), table=self)[0])

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    def size(self, name: str | None = None) -> Tensor:
        """The number of words and buckets."""
        return convert.convert_to_tensor(np.int64(len(self.known) + self._buckets))
