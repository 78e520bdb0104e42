"""Lists of tensors that are values: each change gives a new list. TensorFlow's raw ops `TensorList…`, and the module `list_ops`.

Outside of loops a list has its elements one by one; in a loop, and where the place of an element is known only when the function runs, it
is one tensor with the elements as rows. An element that nothing was written to is None, and counts as zeros.
"""

# ruff: noqa: N802

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import gradtape as tf
from gradtape.core import errors
from gradtape.core.shape import Spec, stacked
from gradtape.tracing.symbol import Symbol


class TensorList:
    """A list of tensors of one dtype.

    Attributes:
      element_dtype: of the elements; `tf.variant` for lists of lists.
      element_shape: as far as it is known.
      most: how many elements there may be; None without a limit.
    """

    dtype = tf.variant
    shape = tf.TensorShape([])

    def __init__(self, element_dtype: Any, element_shape: tf.TensorShape, items: Any, most: int | None = None) -> None:
        self.element_dtype, self.element_shape, self.most = tf.as_dtype(element_dtype), element_shape, most
        self._items: tuple[Any, ...] | None = items if isinstance(items, tuple) else None
        self._rows: Any = None if isinstance(items, tuple) else items

    def like(self, items: Any) -> TensorList:
        """A list of the same kind with other elements: a tuple of them, or a tensor of rows."""
        return TensorList(self.element_dtype, self.element_shape, items, self.most)

    def __repr__(self) -> str:
        count = "?" if self._items is None else len(self._items)
        return f"<TensorList of {count}: shape={self.element_shape}, dtype={self.element_dtype.name}>"

    @property
    def items(self) -> tuple[Any, ...]:
        """The elements one by one; rows whose number is not known have none."""
        if self._items is None:
            if self._rows.shape[0] is None:
                raise errors.UnimplementedError(
                    "TensorList: the number of elements is known only when the function runs."
                )
            return tuple(tf.unstack(self._rows))
        return self._items

    @property
    def has_rows(self) -> bool:
        """Whether the elements are the rows of a tensor."""
        return self._items is None

    @property
    def rows(self) -> Any:
        """The elements as one tensor; what was not written is zero."""
        if self._items is None:
            return self._rows
        shape = self.common_shape(self.element_shape, "stack", self._items)
        return _stacked(self._items, shape, self.element_dtype)

    def common_shape(self, given: Any, what: str, items: Sequence[Any]) -> tf.TensorShape:
        """The shape of all elements: of the list, of what was asked for, and of those that are there."""
        shape = merged(self.element_shape, given)
        for item in items:
            shape = shape if item is None else merged(shape, item.shape)
        if not shape.is_fully_defined():
            if items and all(item is None for item in items):
                bad = f"Tried to {what} list which only contains uninitialized tensors and has a non-fully-defined element_shape: {shape}"
                if what == "gather":
                    bad = f"Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: {shape}"
                raise _invalid(bad, "give element_shape.")
            if not items:
                raise _invalid(
                    f"Tried to {what} elements of an empty list with non-fully-defined element_shape: {shape}",
                    "give element_shape.",
                )
        return shape

    # What loops and branches ask of values that consist of tensors.
    _is_open = False

    def _components(self) -> list[Any]:
        return [self.rows]

    def _from_components(self, parts: list[Any]) -> TensorList:
        return self.like(parts[0])

    def _specs(self) -> list[Spec]:
        return [Spec(stacked(None, tuple(self.rows.shape[1:])), self.element_dtype)]

    def __gradtape_function__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What functions of tensors do with lists."""
        known = _FUNCTIONS.get(function.__name__)
        return NotImplemented if known is None else known(*args, **kwargs)

    def __gradient_source__(self) -> Any:
        """The tensors of the list as one."""
        return self.rows


class Lists:
    """A vector of lists."""

    dtype = tf.variant

    def __init__(self, lists: Sequence[TensorList]) -> None:
        self.lists = list(lists)
        self.shape = tf.TensorShape([len(self.lists)])

    def __gradtape_function__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Only taking the lists out is known."""
        return list(self.lists) if function.__name__ == "unstack" else NotImplemented


def _invalid(what: str, fix: str) -> Exception:
    return errors.build(errors.InvalidArgumentError, what, fix)


def _shape(given: Any) -> tf.TensorShape:
    """A shape from a tensor or list with -1 for what is not known; -1 alone is a shape of unknown rank."""
    if isinstance(given, tf.TensorShape):
        return given
    if given is None:
        return tf.TensorShape(None)
    found = tf.get_static_value(given, partial=True) if isinstance(given, tf.Tensor) else given
    if found is None:
        rank = given.shape[0] if given.shape.rank else None
        return tf.TensorShape(None if rank is None else [None] * rank)
    sizes = [
        tf.get_static_value(d) if isinstance(d, tf.Tensor) else d
        for d in np.atleast_1d(np.array(found, object)).ravel()
    ]
    if np.ndim(found) > 1:
        raise _invalid(
            f"Shape must be at most rank 1 but is rank {np.ndim(found)}", "give one number for each dimension."
        )
    if np.ndim(found) == 0:
        return tf.TensorShape(None)
    return tf.TensorShape([None if d is None or d < 0 else int(d) for d in sizes])


def merged(a: Any, b: Any) -> tf.TensorShape:
    """A shape that is both; InvalidArgumentError if none is."""
    a, b = tf.TensorShape(a), tf.TensorShape(b)
    if a.is_compatible_with(b):
        return a.merge_with(b)
    if a.rank != b.rank:
        what = f"Incompatible ranks during merge: {a.rank} vs. {b.rank}"
    else:
        shown = ["[" + ",".join("?" if d is None else str(d) for d in s) + "]" for s in (a, b)]
        what = f"Incompatible shapes during merge: {shown[0]} vs. {shown[1]}"
    raise _invalid(what, "elements that become one tensor have one shape.")


def _text(shape: tf.TensorShape) -> str:
    return str(shape).replace("(", "[").replace(",)", "]").replace(")", "]").replace(" ", "").replace("None", "?")


def _stacked(items: Sequence[Any], shape: tf.TensorShape, dtype: Any) -> Any:
    if not items:
        return tf.zeros([0, *shape], dtype)
    zeros = tf.zeros(shape, dtype) if any(item is None for item in items) else None
    return tf.stack([zeros if item is None else item for item in items])


def _number(value: Any, name: str) -> int | None:
    """A number; None if it is known only when the function runs."""
    found = tf.get_static_value(tf.convert_to_tensor(value))
    if found is not None and np.ndim(found):
        raise _invalid(f"{name} must be a scalar, got shape {list(np.shape(found))}", "give one number.")
    return None if found is None else int(found)


def _element(owner: TensorList, value: Any) -> Any:
    if isinstance(value, (TensorList, Lists)):
        return value
    item = tf.convert_to_tensor(value, None if hasattr(value, "dtype") else owner.element_dtype)
    if item.dtype != owner.element_dtype:
        raise _invalid(
            f"Invalid data type; op elements {item.dtype.name} but list elements {owner.element_dtype.name}", "cast it."
        )
    if not owner.element_shape.is_compatible_with(item.shape):
        raise _invalid(
            f"Tried to set a tensor with incompatible shape at a list index. Item element shape: {_text(item.shape)} list shape: "
            f"{_text(owner.element_shape)}",
            "elements have the element_shape of the list.",
        )
    return item


def empty_tensor_list(
    element_shape: Any, element_dtype: Any, max_num_elements: Any = None, name: str | None = None
) -> TensorList:
    """A list without elements."""
    most = None if max_num_elements is None else _number(max_num_elements, "max_num_elements")
    return TensorList(element_dtype, _shape(element_shape), (), None if most == -1 else most)


def tensor_list_reserve(
    element_shape: Any, num_elements: Any, element_dtype: Any, name: str | None = None
) -> TensorList:
    """A list of elements that are not written yet."""
    shape, count = _shape(element_shape), _number(num_elements, "num_elements")
    if count is None:
        return TensorList(element_dtype, shape, tf.zeros([num_elements, *shape], element_dtype))
    if count < 0:
        raise _invalid(
            f"The num_elements to reserve must be a non negative number, but got {count}", "give a number from 0 on."
        )
    return TensorList(element_dtype, shape, (None,) * count)


def tensor_list_from_tensor(tensor: Any, element_shape: Any = None, name: str | None = None) -> TensorList:
    """The list of the rows of a tensor."""
    tensor, shape = tf.convert_to_tensor(tensor), _shape(element_shape)
    merged(shape, tensor.shape[1:])
    if tensor.shape[0] is None:
        return TensorList(tensor.dtype, shape, tensor)
    return TensorList(tensor.dtype, shape, tuple(tf.unstack(tensor)))


def tensor_list_length(input_handle: TensorList, name: str | None = None) -> Any:
    """The number of elements."""
    if input_handle.has_rows:
        return tf.shape(input_handle.rows)[0]
    return tf.constant(len(input_handle.items), tf.int32)


def tensor_list_element_shape(input_handle: TensorList, shape_type: Any, name: str | None = None) -> Any:
    """The shape of the elements as a tensor, with -1 for what is not known."""
    shape = input_handle.element_shape
    return tf.constant(-1 if shape.rank is None else [-1 if d is None else d for d in shape], shape_type)


def tensor_list_push_back(input_handle: TensorList, tensor: Any, name: str | None = None) -> TensorList:
    """The list with one element more."""
    item = _element(input_handle, tensor)
    if input_handle.has_rows:
        return input_handle.like(tf.concat([input_handle.rows, tf.expand_dims(item, 0)], 0))
    if input_handle.most is not None and len(input_handle.items) >= input_handle.most:
        raise _invalid(
            f"Tried to push item into a full list. list size: {len(input_handle.items)} max_num_elements: {input_handle.most}",
            "give a larger max_num_elements.",
        )
    return input_handle.like((*input_handle.items, item))


def tensor_list_push_back_batch(input_handles: Lists, tensor: Any, name: str | None = None) -> Lists:
    """Lists with one element more each."""
    rows = tf.convert_to_tensor(tensor)
    lists = input_handles.lists
    if not rows.shape.rank or rows.shape[0] != len(lists):
        raise _invalid(
            f"Expected tensor.shape to have {len(lists)} rows, got {_text(rows.shape)}", "give one row for each list."
        )
    for i, one in enumerate(lists):
        if one.element_dtype != rows.dtype:
            raise _invalid(
                f"Invalid data type at index {i}: {rows.dtype.name}, not {one.element_dtype.name}", "cast the rows."
            )
        if not one.element_shape.is_compatible_with(rows.shape[1:]):
            raise _invalid(
                f"Tried to append a tensor with incompatible shape to a list at index {i}. Op element shape: {_text(rows.shape[1:])} "
                f"list shape: {_text(one.element_shape)}",
                "elements have the element_shape of the list.",
            )
    return Lists([tensor_list_push_back(one, row) for one, row in zip(lists, tf.unstack(rows), strict=True)])


class Popped(NamedTuple):
    """A list without its last element, and this."""

    output_handle: TensorList
    tensor: Any


def tensor_list_pop_back(
    input_handle: TensorList, element_dtype: Any, element_shape: Any = -1, name: str | None = None
) -> Popped:
    """The list without its last element, and this."""
    if input_handle.has_rows:
        return Popped(input_handle.like(input_handle.rows[:-1]), input_handle.rows[-1])
    if not input_handle.items:
        raise _invalid("Trying to pop from an empty list.", "push an element first.")
    *rest, last = input_handle.items
    return Popped(input_handle.like(tuple(rest)), _read(input_handle, last, element_dtype, _shape(element_shape)))


def _read(owner: TensorList, item: Any, dtype: Any, shape: tf.TensorShape) -> Any:
    """An element that is there, or zeros."""
    _check_dtype(owner, dtype)
    if item is not None:
        return item
    found = merged(shape, owner.element_shape)
    for other in owner.items:
        if other is not None and not found.is_fully_defined():
            found = merged(found, other.shape)
    if not found.is_fully_defined():
        raise _invalid(
            f"Trying to read an uninitialized tensor but element_shape is not fully defined: {found}",
            "give element_shape.",
        )
    return tf.zeros(found, owner.element_dtype)


def _check_dtype(owner: TensorList, dtype: Any) -> None:
    if tf.as_dtype(dtype) != owner.element_dtype:
        raise _invalid(
            f"Invalid data types; op elements {tf.as_dtype(dtype).name} but list elements {owner.element_dtype.name}",
            "give the dtype of the list.",
        )


def tensor_list_get_item(
    input_handle: TensorList, index: Any, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> Any:
    """An element by its index."""
    place = _number(index, "index")
    if input_handle.has_rows or place is None:
        return tf.gather(input_handle.rows, index)
    items = input_handle.items
    if not 0 <= place < len(items):
        raise _invalid(
            f"Trying to access element {place} in a list with {len(items)} elements.", "use an index of the list."
        )
    return _read(input_handle, items[place], element_dtype, _shape(element_shape))


def tensor_list_set_item(
    input_handle: TensorList,
    index: Any,
    item: Any,
    resize_if_index_out_of_bounds: bool = False,
    name: str | None = None,
) -> TensorList:
    """The list with another element at an index."""
    place, item = _number(index, "index"), _element(input_handle, item)
    if input_handle.has_rows or place is None:
        return input_handle.like(tf.tensor_scatter_nd_update(input_handle.rows, [[index]], tf.expand_dims(item, 0)))
    items = list(input_handle.items)
    if resize_if_index_out_of_bounds and place >= len(items):
        items += [None] * (place + 1 - len(items))
    if not 0 <= place < len(items):
        raise _invalid(
            f"Trying to modify element {place} in a list with {len(items)} elements.", "use an index of the list."
        )
    items[place] = item
    return input_handle.like(tuple(items))


def tensor_list_stack(
    input_handle: TensorList,
    element_dtype: Any,
    num_elements: int = -1,
    element_shape: Any = None,
    name: str | None = None,
) -> Any:
    """The elements as one tensor."""
    _check_dtype(input_handle, element_dtype)
    if input_handle.has_rows:
        return input_handle.rows
    items = input_handle.items
    if num_elements not in (-1, None, len(items)):
        raise _invalid(
            f"Operation expected a list with {num_elements} elements but got a list with {len(items)} elements.",
            "leave it out.",
        )
    return _stacked(items, input_handle.common_shape(_shape(element_shape), "stack", items), input_handle.element_dtype)


def tensor_list_gather(
    input_handle: TensorList, indices: Any, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> Any:
    """Elements by their indices, as one tensor."""
    _check_dtype(input_handle, element_dtype)
    places = tf.convert_to_tensor(indices, None if hasattr(indices, "dtype") else tf.int32)
    if input_handle.has_rows or isinstance(places, Symbol):
        return tf.gather(input_handle.rows, places)
    items = input_handle.items
    for i in places.numpy().tolist():
        if not 0 <= i < len(items):
            raise _invalid(
                f"Trying to gather element {i} in a list with {len(items)} elements.", "use indices of the list."
            )
    chosen = [items[i] for i in places.numpy().tolist()]
    given = _shape(element_shape)
    if any(item is None for item in chosen) and not all(item is None for item in chosen):
        given = merged(given, next(item.shape for item in chosen if item is not None))
    shape = input_handle.common_shape(given, "gather", chosen)
    return _stacked(chosen, shape, input_handle.element_dtype)


def tensor_list_scatter_v2(
    tensor: Any, indices: Any, element_shape: Any, num_elements: Any = -1, name: str | None = None
) -> TensorList:
    """A list with the rows of a tensor at some indices."""
    tensor, shape, count = tf.convert_to_tensor(tensor), _shape(element_shape), _number(num_elements, "num_elements")
    places = np.asarray(tf.convert_to_tensor(indices, None if hasattr(indices, "dtype") else tf.int32)).tolist()
    if count is not None and count < -1:
        raise _invalid(
            f"TensorListScatter expects num_elements >= -1, found: {count}", "give -1, or a number from 0 on."
        )
    if any(i < 0 for i in places):
        raise _invalid("Indices in TensorListScatter must all be non-negative.", "use indices from 0 on.")
    empty = [None] * (count if count is not None and count >= 0 else max(places, default=-1) + 1)
    return _scattered(TensorList(tensor.dtype, shape, tuple(empty)), tensor, places)


def _scattered(owner: TensorList, tensor: Any, places: Sequence[int]) -> TensorList:
    if tensor.shape[0] != len(places):
        raise _invalid(
            f"Invalid number of rows in input tensor. Expected: {len(places)} Actual: {tensor.shape[0]}",
            "give a row for each index.",
        )
    items = list(owner.items)
    for i, row in zip(places, tf.unstack(tensor), strict=True):
        if i >= len(items):
            raise _invalid(
                f"TensorListScatter: Trying to scatter at index {i} in list with size {len(items)}",
                "use a larger list.",
            )
        items[i] = _element(owner, row)
    return owner.like(tuple(items))


def tensor_list_scatter(
    tensor: Any,
    indices: Any,
    element_shape: Any = None,
    input_handle: TensorList | None = None,
    name: str | None = None,
) -> TensorList:
    """A list with the rows of a tensor at some indices; a new one, or one that is given with these rows besides."""
    if input_handle is None:
        return tensor_list_scatter_v2(tensor, indices, element_shape)
    places = np.asarray(tf.convert_to_tensor(indices, tf.int32)).tolist()
    more = [None] * max(0, max(places, default=-1) + 1 - len(input_handle.items))
    return _scattered(input_handle.like((*input_handle.items, *more)), tf.convert_to_tensor(tensor), places)


class Joined(NamedTuple):
    """Elements joined along their first axis, and how long each is."""

    tensor: Any
    lengths: Any


def tensor_list_concat_v2(
    input_handle: TensorList, element_shape: Any, leading_dims: Any, element_dtype: Any, name: str | None = None
) -> Joined:
    """The elements, joined along their first axis, and their lengths."""
    _check_dtype(input_handle, element_dtype)
    if input_handle.has_rows:
        rows = input_handle.rows
        count, length = tf.unstack(tf.shape(rows, tf.int64)[:2])
        return Joined(tf.reshape(rows, [-1, *rows.shape[2:]]), tf.fill([count], length))
    given = merged(input_handle.element_shape, _shape(element_shape))
    if given.rank == 0:
        raise _invalid("Concat requires elements to be at least vectors, found scalars instead.", "use stack.")
    inner, items = given[1:], input_handle.items
    for i, item in enumerate(items):
        if item is not None:
            if not item.shape.rank:
                raise _invalid(f"Concat saw a scalar shape at index {i} but requires at least vectors.", "use stack.")
            inner = merged(inner, item.shape[1:])
    if not items and not inner.is_fully_defined():
        what = "All except the first dimension must be fully defined when concating an empty tensor list. element_shape"
        raise _invalid(f"{what}: {given}", "give element_shape.")
    if not inner.is_fully_defined():
        what = "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully defined"
        raise _invalid(f"{what}: {inner}", "give element_shape.")
    lengths = np.asarray(tf.convert_to_tensor(leading_dims, tf.int64)).tolist()
    made = [
        tf.zeros([_length(items, given, lengths, i), *inner], input_handle.element_dtype) if item is None else item
        for i, item in enumerate(items)
    ]
    joined = tf.concat(made, 0) if made else tf.zeros([0, *inner], input_handle.element_dtype)
    return Joined(joined, tf.constant([m.shape[0] for m in made], tf.int64))


def _length(items: Sequence[Any], given: tf.TensorShape, lengths: Sequence[int], i: int) -> int:
    """How many rows an element has that was not written."""
    if given.rank and given[0] is not None:
        return int(given[0])
    if i < len(lengths):
        return int(lengths[i])
    known = {item.shape[0] for item in items if item is not None}
    if not lengths and len(known) == 1:
        return int(known.pop())
    what = f"List contains uninitialized tensor at index {i} but leading_dims has only {len(lengths)} elements."
    raise _invalid(what, "give leading_dims.")


def tensor_list_concat(
    input_handle: TensorList, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> Any:
    """The elements, joined along their first axis."""
    return tensor_list_concat_v2(input_handle, element_shape, [], element_dtype)[0]


def tensor_list_split(tensor: Any, element_shape: Any, lengths: Any, name: str | None = None) -> TensorList:
    """A list of parts of a tensor, of these lengths along the first axis."""
    tensor, shape = tf.convert_to_tensor(tensor), _shape(element_shape)
    sizes = np.asarray(tf.convert_to_tensor(lengths))
    if not tensor.shape.rank:
        raise _invalid(
            f"Tensor must be at least a vector, but saw shape: {_text(tensor.shape)}", "give a tensor with rows."
        )
    if sizes.ndim != 1:
        raise _invalid(
            f"Expected lengths to be a vector, received shape: {list(sizes.shape)}", "give a list of lengths."
        )
    if shape.rank == 0:
        raise _invalid(
            "TensorListSplit requires element_shape to be at least of rank 1, but saw: []", "give it an axis."
        )
    if shape.rank is not None and not tf.TensorShape([None, *shape[1:]]).is_compatible_with(tensor.shape):
        raise _invalid(
            f"tensor shape {_text(tensor.shape)} is not compatible with element_shape {_text(shape)}", "leave it out."
        )
    start, parts = 0, []
    for n in sizes.tolist():
        if n < 0:
            raise _invalid(f"Invalid value in lengths: {n}", "lengths are numbers from 0 on.")
        if start + n > tensor.shape[0]:
            raise _invalid(
                f"Attempting to slice [{start}, {start + n}] from tensor with length {tensor.shape[0]}",
                "give smaller lengths.",
            )
        parts.append(tensor[start : start + n])
        start += n
    if start != tensor.shape[0]:
        raise _invalid(
            f"Unused values in tensor. Length of tensor: {tensor.shape[0]} Values used: {start}", "give larger lengths."
        )
    return TensorList(tensor.dtype, shape, tuple(parts))


def tensor_list_resize(input_handle: TensorList, size: Any, name: str | None = None) -> TensorList:
    """The list with another number of elements."""
    count = _number(size, "size")
    if count is None:
        raise errors.UnimplementedError("TensorListResize: the size is known only when the function runs.")
    if count < 0:
        raise _invalid(f"TensorListSlice expects size to be non-negative. Got: {count}", "give a number from 0 on.")
    items = input_handle.items
    return input_handle.like((*items[:count], *[None] * (count - len(items))))


def tensor_list_concat_lists(input_a: Any, input_b: Any, element_dtype: Any, name: str | None = None) -> Any:
    """Lists, each with the elements of another one behind its own."""
    if isinstance(input_a, TensorList) and isinstance(input_b, TensorList):
        return _joined(input_a, input_b, 0, element_dtype)
    if not (isinstance(input_a, Lists) and isinstance(input_b, Lists) and len(input_a.lists) == len(input_b.lists)):
        raise _invalid("input_a and input_b must have one shape.", "give equally many lists.")
    pairs = enumerate(zip(input_a.lists, input_b.lists, strict=True))
    return Lists([_joined(a, b, i, element_dtype) for i, (a, b) in pairs])


def _joined(a: TensorList, b: TensorList, i: int, dtype: Any) -> TensorList:
    for name, one in (("input_a", a), ("input_b", b)):
        if one.element_dtype != tf.as_dtype(dtype):
            raise _invalid(
                f"{name}[{i}].dtype != element_dtype. {one.element_dtype.name} vs. {tf.as_dtype(dtype).name}",
                "cast the elements.",
            )
    if not a.element_shape.is_compatible_with(b.element_shape):
        raise _invalid(
            f"input_a and input_b TensorList element shapes are not identical at index {i}. {a.element_shape} vs. {b.element_shape}",
            "join lists of one element_shape.",
        )
    if a.has_rows or b.has_rows:
        return a.like(tf.concat([a.rows, b.rows], 0))
    return a.like((*a.items, *b.items))


def _build_element_shape(shape: Any) -> Any:
    """A shape as raw ops take it."""
    if isinstance(shape, tf.Tensor):
        return shape
    if isinstance(shape, tf.TensorShape):
        shape = None if shape.rank is None else shape.as_list()
    if shape is None:
        return -1
    if isinstance(shape, (np.ndarray, np.generic)) or not shape:
        return tf.convert_to_tensor(shape, tf.int32)
    return [-1 if d is None else d for d in shape]


def _zeros_like(input: TensorList, *_: Any, **__: Any) -> TensorList:
    """A list of zeros of the same shapes."""
    if input.has_rows:
        return input.like(tf.zeros_like(input.rows))
    return input.like(tuple([None if item is None else tf.zeros_like(item) for item in input.items]))


def _add_n(inputs: Sequence[TensorList], *_: Any, **__: Any) -> TensorList:
    """The sums of elements at one place."""
    first = inputs[0]
    if any(one.has_rows for one in inputs):
        return first.like(tf.add_n([one.rows for one in inputs]))
    if len({len(one.items) for one in inputs}) > 1:
        counts = " vs. ".join(str(len(one.items)) for one in inputs)
        raise _invalid(
            f"Trying to add two lists of tensors with different lengths: {counts}", "add lists of one length."
        )
    for one in inputs:
        if not first.element_shape.is_compatible_with(one.element_shape):
            raise _invalid(
                "Trying to add two lists of tensors with incompatible element shapes", "add lists of one shape."
            )
    columns = [
        [item for item in column if item is not None] for column in zip(*[one.items for one in inputs], strict=True)
    ]
    return first.like(tuple([None if not c else c[0] if len(c) == 1 else tf.add_n(c) for c in columns]))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "zeros_like": _zeros_like,
    "add_n": _add_n,
    "identity": lambda input, *_, **__: input,
    "stack": lambda values, *_, **__: Lists(values),
}


# The raw ops. Their names tell what they do: each is the function of the same name above.


def EmptyTensorList(*, element_shape: Any, max_num_elements: Any, element_dtype: Any, name: Any = None) -> Any:
    """A list without elements."""
    return empty_tensor_list(element_shape, element_dtype, max_num_elements)


def TensorListReserve(*, element_shape: Any, num_elements: Any, element_dtype: Any, name: Any = None) -> Any:
    """A list of elements that are not written yet."""
    return tensor_list_reserve(element_shape, num_elements, element_dtype)


def TensorListFromTensor(*, tensor: Any, element_shape: Any, name: Any = None) -> Any:
    """The list of the rows of a tensor."""
    return tensor_list_from_tensor(tensor, element_shape)


def TensorListLength(*, input_handle: Any, name: Any = None) -> Any:
    """The number of elements."""
    return tensor_list_length(input_handle)


def TensorListElementShape(*, input_handle: Any, shape_type: Any, name: Any = None) -> Any:
    """The shape of the elements."""
    return tensor_list_element_shape(input_handle, shape_type)


def TensorListPushBack(*, input_handle: Any, tensor: Any, name: Any = None) -> Any:
    """The list with one element more."""
    return tensor_list_push_back(input_handle, tensor)


def TensorListPushBackBatch(*, input_handles: Any, tensor: Any, name: Any = None) -> Any:
    """Lists with one element more each."""
    return tensor_list_push_back_batch(input_handles, tensor)


def TensorListPopBack(*, input_handle: Any, element_shape: Any, element_dtype: Any, name: Any = None) -> Any:
    """The list without its last element, and this."""
    return tensor_list_pop_back(input_handle, element_dtype, element_shape)


def TensorListGetItem(
    *, input_handle: Any, index: Any, element_shape: Any, element_dtype: Any, name: Any = None
) -> Any:
    """An element by its index."""
    return tensor_list_get_item(input_handle, index, element_dtype, element_shape)


def TensorListSetItem(
    *, input_handle: Any, index: Any, item: Any, resize_if_index_out_of_bounds: bool = False, name: Any = None
) -> Any:
    """The list with another element at an index."""
    return tensor_list_set_item(input_handle, index, item, resize_if_index_out_of_bounds)


def TensorListStack(
    *, input_handle: Any, element_shape: Any, element_dtype: Any, num_elements: int = -1, name: Any = None
) -> Any:
    """The elements as one tensor."""
    return tensor_list_stack(input_handle, element_dtype, num_elements, element_shape)


def TensorListGather(
    *, input_handle: Any, indices: Any, element_shape: Any, element_dtype: Any, name: Any = None
) -> Any:
    """Elements by their indices, as one tensor."""
    return tensor_list_gather(input_handle, indices, element_dtype, element_shape)


def TensorListScatter(*, tensor: Any, indices: Any, element_shape: Any, name: Any = None) -> Any:
    """A list with the rows of a tensor at some indices."""
    return tensor_list_scatter_v2(tensor, indices, element_shape)


def TensorListScatterV2(*, tensor: Any, indices: Any, element_shape: Any, num_elements: Any, name: Any = None) -> Any:
    """A list with the rows of a tensor at some indices."""
    return tensor_list_scatter_v2(tensor, indices, element_shape, num_elements)


def TensorListScatterIntoExistingList(*, input_handle: Any, tensor: Any, indices: Any, name: Any = None) -> Any:
    """A list with the rows of a tensor at some indices besides its own."""
    return tensor_list_scatter(tensor, indices, None, input_handle)


def TensorListConcat(*, input_handle: Any, element_dtype: Any, element_shape: Any = None, name: Any = None) -> Any:
    """The elements, joined along their first axis, and their lengths."""
    if _shape(element_shape).rank == 0:
        raise _invalid(
            "TensorListConcat: element_shape must not be empty.", "elements have an axis to be joined along."
        )
    return tensor_list_concat_v2(input_handle, element_shape, [], element_dtype)


def TensorListConcatV2(
    *, input_handle: Any, element_shape: Any, leading_dims: Any, element_dtype: Any, name: Any = None
) -> Any:
    """The elements, joined along their first axis, and their lengths."""
    return tensor_list_concat_v2(input_handle, element_shape, leading_dims, element_dtype)


def TensorListSplit(*, tensor: Any, element_shape: Any, lengths: Any, name: Any = None) -> Any:
    """A list of parts of a tensor."""
    return tensor_list_split(tensor, element_shape, lengths)


def TensorListResize(*, input_handle: Any, size: Any, name: Any = None) -> Any:
    """The list with another number of elements."""
    return tensor_list_resize(input_handle, size)


def TensorListConcatLists(*, input_a: Any, input_b: Any, element_dtype: Any, name: Any = None) -> Any:
    """Lists, each with the elements of another one behind its own."""
    return tensor_list_concat_lists(input_a, input_b, element_dtype)
