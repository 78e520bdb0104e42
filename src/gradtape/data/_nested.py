"""Several datasets as one leaf of an element: a batch of datasets, or a list of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gradtape.core.shape import TensorShape
from gradtape.data._specs import DatasetSpec


class Datasets:
    """Datasets side by side, like tensors in a batch. Its rows are datasets, or batches of them.

    Attributes:
      shape: how many there are.
    """

    shape: TensorShape

    def __init__(self, items: Sequence[Any], shape: Any = None) -> None:
        self._items = list(items)
        inner = items[0].shape.as_list() if isinstance(items[0], Datasets) else []
        self.shape = TensorShape([len(self._items), *inner] if shape is None else shape)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def _spec_as_element(self) -> DatasetSpec:
        return DatasetSpec(self._items[0]._spec_as_element().element_spec, self.shape)

    def __repr__(self) -> str:
        return f"<{len(self._items)} datasets of {self._spec_as_element().element_spec!r}>"


def is_nested(leaf: Any) -> bool:
    """True for a dataset, or several."""
    return isinstance(leaf, Datasets) or hasattr(leaf, "_stage")
