"""TensorFlow's internal checks of ragged tensors."""

from __future__ import annotations

from typing import Any

import gradtape as tf


def is_ragged(value: Any) -> bool:
    """True for a ragged tensor."""
    return isinstance(value, tf.RaggedTensor)


def convert_to_tensor_or_ragged_tensor(
    value: Any, dtype: Any = None, preferred_dtype: Any = None, name: str | None = None
) -> Any:
    """A ragged tensor as it is, anything else as a tensor."""
    return value if is_ragged(value) else tf.convert_to_tensor(value, dtype)


def assert_splits_match(nested_splits_lists: Any) -> list[Any]:
    """Checks that ragged tensors have the same rows."""
    first, *others = nested_splits_lists
    if any(len(splits) != len(first) for splits in others):
        raise ValueError("Inputs must have identical ragged splits.")
    message = "Inputs must have identical ragged splits"
    check: Any = tf.debugging.assert_equal
    return [check(a, b, message=message) for splits in others for a, b in zip(first, splits, strict=True)]
