"""Lists of tensors, of one shape: kept as stacked tensors."""

from __future__ import annotations

from typing import Any

import gradtape as tf


def tensor_list_from_tensor(tensor: Any, element_shape: Any = None, name: str | None = None) -> Any:
    """The list of the rows of a tensor."""
    return tf.convert_to_tensor(tensor)


def empty_tensor_list(
    element_shape: Any, element_dtype: Any, max_num_elements: Any = None, name: str | None = None
) -> Any:
    """A list without elements."""
    sizes = [d or 0 for d in tf.TensorShape(element_shape).as_list()]
    return tf.zeros([0, *sizes], element_dtype)


def tensor_list_stack(
    input_handle: Any, element_dtype: Any, num_elements: int = -1, element_shape: Any = None, name: str | None = None
) -> Any:
    """The elements as one tensor."""
    return input_handle


def tensor_list_length(input_handle: Any, name: str | None = None) -> Any:
    """How many elements there are."""
    return tf.shape(input_handle)[0]


def tensor_list_push_back(input_handle: Any, tensor: Any, name: str | None = None) -> Any:
    """The list with one element more."""
    return tf.concat([input_handle, tf.expand_dims(tensor, 0)], 0)


def tensor_list_push_back_batch(input_handles: Any, tensor: Any, name: str | None = None) -> Any:
    """Lists with one element more each."""
    return tf.concat([input_handles, tf.expand_dims(tensor, 1)], 1)


def tensor_list_concat_lists(input_a: Any, input_b: Any, element_dtype: Any, name: str | None = None) -> Any:
    """Two lists as one."""
    return tf.concat([input_a, input_b], 0)


def tensor_list_gather(
    input_handle: Any, indices: Any, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> Any:
    """Elements by their indices, as one tensor."""
    return tf.gather(input_handle, indices)
