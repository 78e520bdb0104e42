"""`tf.compat.v1.data`: pipelines of version 2, and version 1's functions that describe a dataset's elements."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.compat.v1 import _rooms

__getattr__, __dir__ = _rooms.from_room("data")


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of the elements."""
    return tf.nest.map_structure(lambda spec: spec.shape, dataset_or_iterator.element_spec)


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of the elements."""
    return tf.nest.map_structure(lambda spec: spec.dtype, dataset_or_iterator.element_spec)


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of the elements."""
    return tf.nest.map_structure(lambda spec: getattr(spec, "value_type", tf.Tensor), dataset_or_iterator.element_spec)


def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator."""
    return iter(dataset)


def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Any:
    """An iterator: it needs no initializer."""
    return iter(dataset)
