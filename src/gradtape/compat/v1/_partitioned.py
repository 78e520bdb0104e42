"""Variables of TensorFlow 1 that are kept in parts, and the functions that say into how many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import gradtape as tf
from gradtape.core import dtypes, errors
from gradtape.core.shape import TensorShape


class PartitionedVariable:
    """Variables that are the parts of one table, one behind the other along an axis."""

    def __init__(
        self, name: str, shape: Any, dtype: Any, variable_list: list[Any], partitions: list[int] | None = None
    ) -> None:
        self.name, self.dtype, self._shape = name, dtypes.as_dtype(dtype), TensorShape(shape)
        self._variables = list(variable_list)
        counts = list(partitions) if partitions is not None else [len(self._variables)]
        self._axis = next((i for i, count in enumerate(counts) if count > 1), 0)

    shape = property(lambda self: self._shape, doc="The shape of the whole.")

    def get_shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def as_tensor(self) -> Any:
        """The whole, with the parts joined."""
        return tf.concat(self._variables, self._axis)

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Replace the values of all parts."""
        return self._each("assign", value)

    def assign_add(self, value: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Add to all parts."""
        return self._each("assign_add", value)

    def assign_sub(self, value: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Subtract from all parts."""
        return self._each("assign_sub", value)

    def _each(self, method: str, value: Any) -> list[Any]:
        sizes = [variable.shape[self._axis] for variable in self._variables]
        pieces = tf.split(tf.convert_to_tensor(value, self.dtype), sizes, self._axis)
        return [getattr(variable, method)(piece) for variable, piece in zip(self._variables, pieces, strict=True)]

    def _get_variable_list(self) -> list[Any]:
        return list(self._variables)


tf.register_tensor_conversion_function(PartitionedVariable, lambda value, *_, **__: value.as_tensor())


def parts_of(partitioner: Callable[..., Any], shape: TensorShape, dtype: Any) -> list[int]:
    """How many parts a partitioner wants along each axis, checked."""
    if not callable(partitioner):
        raise ValueError(f"get_variable: partitioner must be callable, got {partitioner!r}.")
    counts = list(partitioner(shape=shape, dtype=dtypes.as_dtype(dtype)))
    if len(counts) != shape.rank or min(counts) < 1 or sum(count > 1 for count in counts) > 1:
        raise errors.build(
            ValueError,
            f"get_variable: the partitioner must give one positive number for each axis, and cut one axis at most; it gave {counts} "
            f"for shape {shape}.",
            "tf.compat.v1.fixed_size_partitioner(2) cuts the first axis.",
        )
    return counts


def pieces(counts: list[int], shape: TensorShape) -> Iterator[tuple[list[int], list[int]]]:
    """Where each part begins, and its shape; the first ones are larger by one where the sizes differ."""
    sizes = _sizes(shape)
    axis = next((i for i, count in enumerate(counts) if count > 1), 0)
    each, more = divmod(sizes[axis], counts[axis])
    begin = 0
    for i in range(counts[axis]):
        size = each + (i < more)
        yield (
            [begin if k == axis else 0 for k in range(len(sizes))],
            [size if k == axis else n for k, n in enumerate(sizes)],
        )
        begin += size


def _sizes(shape: Any) -> list[int]:
    """A shape without unknown sizes as a list."""
    return [int(size) for size in TensorShape(shape).as_list()]  # type: ignore[arg-type]


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """A function that has variables kept in a number of parts along an axis."""

    def partition(shape: Any, **_: Any) -> list[int]:
        sizes = _sizes(shape)
        return [min(num_shards, size) if i == axis else 1 for i, size in enumerate(sizes)]

    return partition


def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16, max_shards: int | None = None
) -> Callable[..., list[int]]:
    """A function that has variables kept in parts of at most so many bytes."""
    if max_shard_bytes < 1 or bytes_per_string_element < 1 or (max_shards is not None and max_shards < 1):
        raise ValueError("variable_axis_size_partitioner: the limits must be positive.")

    def partition(shape: Any, dtype: Any) -> list[int]:
        sizes = _sizes(shape)
        dtype = dtypes.as_dtype(dtype)
        element = bytes_per_string_element if dtype is dtypes.string else dtype.size
        slice_bytes = math.prod(sizes) // max(1, sizes[axis]) * element
        rows = max(1, max_shard_bytes // max(1, slice_bytes))
        count = min(-(-sizes[axis] // rows), max_shards or sizes[axis])
        return [count if i == axis else 1 for i in range(len(sizes))]

    return partition


def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10, bytes_per_string_element: int = 16
) -> Callable[..., list[int]]:
    """A function that has variables kept in as many parts as a limit allows, of at least so many bytes each."""

    def partition(shape: Any, dtype: Any) -> list[int]:
        sizes = _sizes(shape)
        dtype = dtypes.as_dtype(dtype)
        element = bytes_per_string_element if dtype is dtypes.string else dtype.size
        wanted = max(1, math.prod(sizes) * element // min_slice_size)
        count = max(1, min(max_partitions, wanted, sizes[axis]))
        return [count if i == axis else 1 for i in range(len(sizes))]

    return partition
