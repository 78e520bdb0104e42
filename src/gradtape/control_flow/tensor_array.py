"""TensorArray: tensors by number, written one by one and read together."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integers, tensor
from gradtape.core import convert, dtypes, errors, state
from gradtape.core.op import REGISTRY
from gradtape.core.shape import ANY, Spec, TensorShape, stacked
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.ops.family import dims
from gradtape.ops.joining import Concat, Stack, Unstack
from gradtape.ops.movement import Reshape


class TensorArray:
    """A list of tensors of one dtype, for loops that write one element per step.

    In a `tf.function` it is one tensor with the elements as rows, or elements of different shapes if `infer_shape` is false, and `write` gives
    a new TensorArray; outside it is a list, and `write` changes it. `array = array.write(i, x)` is right in both. Gradients flow through all methods.

    Args:
      dtype: of the elements.
      size: how many elements there are; an int or a scalar tensor.
      dynamic_size: whether writing behind the end makes it longer.
      clear_after_read: outside of functions, whether an element can be read only once; True by default.
      tensor_array_name, handle, flow, colocate_with_first_write_call, name: ignored.
      infer_shape: whether all elements must have the same shape.
      element_shape: the shape of the elements, as far as it is known.

    >>> array = tf.TensorArray(tf.float32, size=2)
    >>> array = array.write(0, 1.0)
    >>> array.write(1, 2.0).stack().numpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._clears = clear_after_read is None or bool(clear_after_read)
        self._one_shape = infer_shape
        self._element = TensorShape(element_shape)
        self._staged = state.current.trace is not None
        self._varies = False  # whether it is staged, and its elements may have different shapes
        if size is None and not dynamic_size:
            raise errors.build(ValueError, "TensorArray: size must be given.", "give a size, or dynamic_size=True.")
        self._size: Any = 0 if size is None else size
        self._buffer: Any = None
        self._rows: list[Any] = []
        self._cleared: set[int] = set()
        if not self._staged:
            self._rows = [None] * integer(self._size, "TensorArray", "size")
        elif self._element.is_fully_defined():
            self._buffer = self._blank(_whole(self._element))

    dtype = property(lambda self: self._dtype, doc="The type of the elements.")
    dynamic_size = property(
        lambda self: self._dynamic, doc="Whether it grows when something is written behind its end."
    )
    element_shape = property(lambda self: self._element, doc="The shape of the elements, as far as it is known.")
    handle = property(lambda self: None, doc="None: there are no handles.")

    @property
    def flow(self) -> Any:
        """A scalar that stands for the array."""
        return convert.convert_to_tensor(0.0)

    def _copy(self, buffer: Any, varies: bool | None = None) -> TensorArray:
        copied = TensorArray.__new__(TensorArray)
        copied.__dict__.update(self.__dict__)
        copied._buffer, copied._staged = buffer, True
        copied._varies = self._varies if varies is None else varies
        if not copied._varies:
            copied._element = buffer.get_shape()[1:]
        return copied

    def _unlike(self, shape: Any) -> Any:
        """Elements of which none is written, and which may have different shapes of this rank."""
        if shape is ANY:
            raise errors.build(
                errors.UnimplementedError,
                "TensorArray.write: the rank of the element must be known in a tf.function.",
                "use tf.ensure_shape or set_shape on the element, or give element_shape.",
            )
        from gradtape.tracing.control.varied_rows import NEW_ELEMENTS

        known = self._element if self._element.rank is not None else TensorShape([None] * len(shape))
        params = {"element": _whole(known), "dtype": self._dtype}
        return state.tracing().add(NEW_ELEMENTS, (tensor(self._size),), params)

    def _blank(self, element: tuple[int, ...]) -> Any:
        """The elements before anything is written: zeros."""
        if (isinstance(self._size, Tensor) and type(self._size) is not Tensor) or None in element:
            from gradtape.tracing.control.tensor_array import NEW_ROWS

            made = state.tracing().add(NEW_ROWS, (tensor(self._size),), {"shape": element, "dtype": self._dtype})
            return made
        count = integer(self._size, "TensorArray", "size")
        return wrap(np.zeros((count, *element), self._dtype.numpy))

    # What loops and branches ask of values that consist of tensors.
    def _components(self) -> list[Any]:
        if not self._staged and state.current.trace is not None:
            self._become_staged()
        return [] if self._buffer is None else [self._buffer]

    def _from_components(self, parts: list[Any]) -> TensorArray:
        return self._copy(parts[0]) if parts else self

    def _specs(self) -> list[Spec]:
        """The specs of the parts in all steps of a loop."""
        if self._varies:
            from gradtape.tracing.control.varied_rows import spec_of_elements

            return [spec_of_elements(self._dtype, _spec(p).shape[1:]) for p in self._components()]
        return [
            Spec(stacked(None, spec.shape[1:]) if self._dynamic else spec.shape, spec.dtype)
            for spec in [_spec(p) for p in self._components()]
        ]

    @property
    def _is_open(self) -> bool:
        """True while nothing has been written, so that the shape of the elements is not known."""
        return self._staged and self._buffer is None

    def _completed(self, other: TensorArray) -> TensorArray:
        """This array before the first write, with elements as another one has them."""
        if other._buffer is None:
            return self
        element = _spec(other._buffer).shape[1:]
        if other._varies:
            return self._copy(self._unlike(element), varies=True)
        return self._copy(self._blank(element))

    def _become_staged(self) -> None:
        """A list as one tensor; what was not written is zero."""
        known = next((r for r in self._rows if r is not None), None)
        self._staged, self._size = True, len(self._rows)
        if known is not None and self._may_vary:
            from gradtape.tracing.control.varied_rows import WRITE_ELEMENT

            self._buffer, self._varies = self._unlike(_spec(known).shape), True
            for i, row in enumerate(self._rows):
                if row is not None:
                    self._buffer = WRITE_ELEMENT(self._buffer, tensor(i), row, grow=False)
        elif known is not None:
            zeros = REGISTRY["zeros_like"](known)
            self._buffer = Stack(*[zeros if r is None else r for r in self._rows], axis=0)

    @property
    def _may_vary(self) -> bool:
        """Whether the elements may have different shapes."""
        return not self._one_shape and not self._element.is_fully_defined()

    def _is_staged(self, *values: Any) -> bool:
        """Whether the array is a tensor; it becomes one where a value has no value yet."""
        if not self._staged and state.current.trace is not None:
            self._become_staged()
        return self._staged

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with an element written.

        Args:
          index: an int or a scalar int tensor.
          value: a tensor of the array's dtype.
          name: ignored.
        """
        if not self._is_staged():
            i = integer(index, "TensorArray.write", "index")
            self._check_place(i)
            self._put(i, self._checked(value))
            return self
        value = self._checked(value)
        from gradtape.tracing.control.tensor_array import WRITE_ROW

        if self._varies or (self._buffer is None and self._may_vary):
            from gradtape.tracing.control.varied_rows import WRITE_ELEMENT

            elements = self._unlike(_spec(value).shape) if self._buffer is None else self._buffer
            return self._copy(WRITE_ELEMENT(elements, tensor(index), value, grow=self._dynamic), varies=True)
        buffer = self._blank(_spec(value).shape) if self._buffer is None else self._buffer
        return self._copy(WRITE_ROW(_here(buffer), tensor(index), value, grow=self._dynamic))

    def _checked(self, value: Any) -> Any:
        value = self._converted(value)
        if not self._element.is_compatible_with(value.get_shape()):
            raise errors.build(
                ValueError,
                f"Incompatible shape for value ({value.get_shape()}), expected ({self._element})",
                "write elements of the array's element_shape.",
            )
        return value

    def _converted(self, value: Any) -> Any:
        """A value as a tensor of the array's dtype. What is no tensor yet is converted, also arrays of another precision."""
        if isinstance(value, (bool, np.bool_, np.ndarray, np.generic)) and self._dtype.numpy.kind in "fiub":
            value = np.asarray(value).astype(self._dtype.numpy) if np.asarray(value).dtype.kind in "fiub" else value
        if not isinstance(value, (Tensor, Variable)):
            try:
                return convert.convert_to_tensor(value, self._dtype)
            except (TypeError, ValueError) as problem:
                raise errors.TensorArrayDtypeError(
                    f"TensorArray: cannot write {value!r} as {self._dtype.name}: {problem}"
                ) from None
        value = tensor(value)
        if value.dtype is not self._dtype:
            raise errors.TensorArrayDtypeError(
                errors.compose(
                    f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {value.dtype.name}",
                    f"array.write(index, tf.cast(value, tf.{self._dtype.name})).",
                )
            )
        return value

    def _check_place(self, i: int) -> None:
        """Refuse an index that cannot be written."""
        if i < 0 or i >= len(self._rows):
            from gradtape.tracing.control.tensor_array import check_place

            check_place(i, len(self._rows), self._dynamic)

    def _check_to_read(self, i: int) -> None:
        """Refuse an index that cannot be read."""
        if not 0 <= i < len(self._rows):
            from gradtape.tracing.control.tensor_array import checked_to_read

            checked_to_read(i, len(self._rows))

    def _put(self, i: int, value: Any) -> None:
        self._check_place(i)
        self._rows += [None] * (i + 1 - len(self._rows))
        if self._one_shape:
            self._element = self._element.merge_with(value.shape)
        self._rows[i] = value
        self._cleared.discard(i)

    def read(self, index: Any, name: str | None = None) -> Tensor | Any:
        """An element."""
        if self._is_staged() and self._varies:
            from gradtape.tracing.control.varied_rows import READ_ELEMENT

            return READ_ELEMENT(self._whole(), tensor(index))
        if self._is_staged():
            return REGISTRY["gather"](self._whole(), tensor(index), axis=0, batch_dims=0)
        i = integer(index, "TensorArray.read", "index")
        self._check_to_read(i)
        if i in self._cleared:
            raise errors.build(
                errors.InvalidArgumentError,
                f"Could not read index {i} twice because it was cleared after a previous read (perhaps try setting "
                "clear_after_read = false?)",
                "make the array with clear_after_read=False.",
            )
        found = self._row(i)
        if self._clears:
            self._cleared.add(i)
            self._rows[i] = None
        return found

    def _row(self, i: int) -> Any:
        found = self._rows[i]
        if found is None:
            if not self._element.is_fully_defined():
                raise errors.build(
                    errors.UnwrittenElementError,
                    f"TensorArray: element {i} was not written, and its shape is not known.",
                    "write all elements, or give element_shape.",
                )
            return wrap(np.zeros(_whole(self._element), self._dtype.numpy)[()])
        return found

    def _whole(self) -> Any:
        """The tensor of all elements."""
        if self._buffer is None:
            raise errors.build(
                errors.InvalidArgumentError,
                "TensorArray: nothing was written yet, so that the shape of the elements is not known.",
                "array = array.write(index, value) before it: write returns the array that has the element; or give element_shape.",
            )
        return _here(self._buffer)

    def _all(self) -> list[Any]:
        """All elements. Only `read` clears what it reads, as in TensorFlow."""
        return [self._row(i) for i in range(len(self._rows))]

    def stack(self, name: str | None = None) -> Tensor | Any:
        """All elements as one tensor, along a new first axis."""
        if self._is_staged() and self._varies:
            from gradtape.tracing.control.varied_rows import COUNT_ELEMENTS, STACK_ELEMENTS

            return STACK_ELEMENTS(self._whole(), self._whole(), COUNT_ELEMENTS(self._whole()))
        if self._is_staged():
            return self._whole()
        rows = self._all()
        if not rows:
            return wrap(
                np.zeros((0, *(_whole(self._element) if self._element.is_fully_defined() else ())), self._dtype.numpy)
            )
        return Stack(*rows, axis=0)

    def gather(self, indices: Any, name: str | None = None) -> Tensor | Any:
        """Some elements as one tensor."""
        if self._is_staged() and self._varies:
            from gradtape.tracing.control.varied_rows import STACK_ELEMENTS

            return STACK_ELEMENTS(self._whole(), self._whole(), tensor(indices))
        if self._is_staged():
            return REGISTRY["gather"](self._whole(), tensor(indices), axis=0, batch_dims=0)
        wanted = integers(indices, "TensorArray.gather", "indices")
        if not wanted:
            known = next((r for r in self._rows if r is not None), None)
            element = (
                _whole(self._element) if self._element.is_fully_defined() else () if known is None else dims(known)
            )
            return wrap(np.zeros((0, *element), self._dtype.numpy))
        for i in wanted:
            self._check_to_read(i)
        return Stack(*[self._row(i) for i in wanted], axis=0)

    def concat(self, name: str | None = None) -> Tensor | Any:
        """All elements as one tensor, along their own first axis."""
        if self._is_staged():
            whole = self._whole()
            shape = _spec(whole).shape
            if shape is not ANY and len(shape) < 2:
                raise errors.build(
                    errors.TensorArrayRankError,
                    "TensorArray.concat: Concat saw a scalar shape but requires at least vectors.",
                    "use stack.",
                )
            if self._varies:
                from gradtape.tracing.control.varied_rows import CONCAT_ELEMENTS

                return CONCAT_ELEMENTS(whole, whole)
            if shape is ANY or None in shape:
                from gradtape.tracing.control.tensor_array import JOIN_ROWS

                return JOIN_ROWS(whole)
            return Reshape(whole, shape=(shape[0] * shape[1], *shape[2:]))
        rows = self._all()
        if not rows:
            raise errors.build(
                errors.InvalidArgumentError,
                "TensorArray.concat: there must be at least one element, got an array of size 0.",
                "write an element first.",
            )
        for i, row in enumerate(rows):
            if not row.ndim:
                raise errors.build(
                    errors.TensorArrayRankError,
                    f"TensorArray.concat: Concat saw a scalar shape at index {i} but requires at least vectors.",
                    "use stack.",
                )
        return Concat(*rows, axis=0)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array with the rows of a tensor as its elements."""
        value = self._converted(value)
        _count_rows(value, "unstack")
        if self._is_staged():
            # The gradient of a read is a slice; that of a reshaped tensor is a whole one, as users of arrays expect.
            shape = _spec(value).shape
            return self._copy(value if None in shape else Reshape(value, shape=shape), varies=False)
        count = dims(value)[0]
        if count > len(self._rows) and not self._dynamic:
            raise errors.build(
                ValueError,
                f"Cannot unstack {count} values into a TensorArray of static size {len(self._rows)}",
                "make it larger, or give dynamic_size=True.",
            )
        self._rows = self._rows[:count]
        for i, row in enumerate(Unstack(value, axis=0) if count else ()):
            self._put(i, row)
        return self

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with the rows of a tensor written at indices."""
        value = tensor(value)
        count = _count_rows(value, "scatter")
        _check_as_many(tensor(indices), count)
        if not self._is_staged():
            for i, row in zip(integers(indices, "TensorArray.scatter", "indices"), Unstack(value, axis=0), strict=True):
                self._put(i, row)
            return self
        if self._varies or (self._buffer is None and self._may_vary):
            array: TensorArray = self
            places: Any = integers(indices, "TensorArray.scatter", "indices") if count is None else tensor(indices)
            for n in range(len(places) if count is None else count):
                array = array.write(places[n], value[n])
            return array
        buffer = self._blank(_spec(value).shape[1:]) if self._buffer is None else self._buffer
        if count is None or self._dynamic or None in _spec(buffer).shape:
            from gradtape.tracing.control.tensor_array import WRITE_ROWS

            return self._copy(WRITE_ROWS(_here(buffer), tensor(indices), value, grow=self._dynamic))
        places = REGISTRY["reshape"](tensor(indices), shape=(count, 1))
        return self._copy(REGISTRY["tensor_scatter_nd_update"](_here(buffer), places, value))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The array with consecutive parts of a tensor as its elements."""
        value = self._converted(value)
        if not value.ndim:
            raise errors.build(
                errors.TensorArrayRankError,
                f"TensorArray.split: Expected value to be at least a vector, but received shape: {_listed(value)}",
                "reshape it.",
            )
        rank = lengths.get_shape().rank if isinstance(lengths, Tensor) else np.ndim(lengths)
        if rank == 0:
            raise errors.build(
                errors.ShapeError,
                "TensorArray.split: Expected lengths to be a vector, received shape: []",
                "give the lengths of all parts in a list.",
            )
        if self._is_staged() and not self._splits_evenly(value, lengths):
            from gradtape.tracing.control.varied_rows import SPLIT_ELEMENTS

            most = self._size if isinstance(self._size, int) and not self._dynamic else None
            parts = state.tracing().add(SPLIT_ELEMENTS, (value, tensor(lengths)), {"most": most})
            return self._copy(parts, varies=True)
        sizes = integers(lengths, "TensorArray.split", "lengths")
        if sum(sizes) != dims(value)[0]:
            raise errors.build(
                errors.InvalidArgumentError,
                f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {sum(sizes)} and value's "
                f"shape is: {_listed(value)}",
                "give the lengths of all parts.",
            )
        if len(sizes) != len(self._rows) and not self._staged and not self._dynamic:
            raise errors.build(
                errors.InvalidArgumentError,
                f"TensorArray's size is not equal to the size of lengths ({len(self._rows)} vs. {len(sizes)}), and the "
                "TensorArray is not marked as dynamically resizeable.",
                "make it of that size, or give dynamic_size=True.",
            )
        if self._is_staged():
            return self._copy(Reshape(value, shape=(len(sizes), sizes[0], *dims(value)[1:])), varies=False)
        start = 0
        # Parts may differ in length, so they say nothing of the shape of the elements.
        self._rows = self._rows[: len(sizes)] + [None] * (len(sizes) - len(self._rows))
        for i, n in enumerate(sizes):
            self._rows[i] = value[start : start + n]
            self._cleared.discard(i)
            start += n
        return self

    @staticmethod
    def _splits_evenly(value: Any, lengths: Any) -> bool:
        """True if the parts of a tensor are known to have one length."""
        if None in _spec(value).shape or (isinstance(lengths, Tensor) and type(lengths) is not Tensor):
            return False
        sizes = integers(lengths, "TensorArray.split", "lengths")
        return len(set(sizes)) == 1 and sum(sizes) == dims(value)[0]

    def size(self, name: str | None = None) -> Any:
        """The number of elements, as a scalar tensor."""
        if not self._is_staged():
            return convert.convert_to_tensor(len(self._rows))
        if self._buffer is None:
            return tensor(self._size)
        count = _spec(self._buffer).shape[0]
        if count is not None:
            return convert.convert_to_tensor(count)
        from gradtape.tracing.control.tensor_array import COUNT_ROWS

        return COUNT_ROWS(self._buffer)

    def identity(self) -> TensorArray:
        """The array."""
        return self

    def close(self, name: str | None = None) -> None:
        """Release all elements."""
        self._rows, self._buffer = [], None

    def __repr__(self) -> str:
        return f"<TensorArray dtype={self._dtype.name} element_shape={self._element}>"


def _spec(x: Any) -> Spec:
    """Shape and dtype of a tensor, as far as they are known."""
    shape = x.get_shape()
    return Spec(ANY if shape.rank is None else _whole(shape), x.dtype)


def _whole(shape: TensorShape) -> tuple[Any, ...]:
    """A shape of which everything is known."""
    return tuple(shape.as_list())


def _count_rows(value: Any, who: str) -> int | None:
    """The number of rows of a tensor; None if only a run will tell. A scalar is refused."""
    shape = _spec(value).shape
    if not shape:
        what = f"TensorArray.{who}: value must have rows, got a scalar."
        raise errors.build(errors.ShapeError, what, "give a vector or more.")
    count: int | None = shape[0]
    return count


def _check_as_many(indices: Any, rows: int | None) -> None:
    """Refuse another number of indices than of rows, as far as both are known."""
    shape = _spec(indices).shape
    if rows is not None and len(shape) == 1 and shape[0] not in (None, rows):
        from gradtape.tracing.control.tensor_array import check_rows

        check_rows(shape[0], rows)


def _listed(x: Any) -> list[Any]:
    """The shape of a tensor in a message."""
    return list(dims(x))


def _here(buffer: Any) -> Any:
    """The tensor as a value of the graph that is being traced, also if it has a value already."""
    trace: Any = state.current.trace
    return trace.own(buffer) if type(buffer) is Tensor and hasattr(trace, "own") else buffer
