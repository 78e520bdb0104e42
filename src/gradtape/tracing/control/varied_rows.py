"""Elements of different shapes: what a `TensorArray` is in a graph where its elements need not be alike.

In a run the value is a `Varied`: a list of arrays. An element that was not written, and a cotangent of zero, is an empty array, so that
cotangents are added without knowing the shapes of all elements. The ops here are closed under differentiation.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import InstanceOp, NotDifferentiable
from gradtape.core.shape import ANY, Spec, Steps, stacked
from gradtape.core.tensor import Tensor
from gradtape.ops.family import NO_LOWERING, by_loop
from gradtape.tracing.control.stacking import Apart
from gradtape.tracing.control.tensor_array import checked, checked_to_read, likeness
from gradtape.tracing.control.varied import Varied


def spec_of_elements(dtype: dtypes.DType, element: Any) -> Spec:
    """The spec of elements of which the shape is known as far as `element` tells."""
    return Spec(Steps((None, *element)), dtype)


class _Elements(InstanceOp):
    """An op on elements of different shapes."""

    kinds = "fVciubO"
    homogeneous = False
    any_size = True
    differentiable = True
    takes_needs = True
    constant = False
    lower = NO_LOWERING

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        """One example after the other."""
        return by_loop(self, batched, inputs, params)


class NewElements(_Elements):
    """Elements of which none is written, as many as a number says."""

    name = "new_elements"
    inputs = ("count",)
    differentiable = False
    takes_needs = False
    residuals = ()
    vjp = NotDifferentiable("nothing is in the elements")

    def infer(self, count: Spec, *, element: tuple[int | None, ...], dtype: dtypes.DType) -> Spec:
        return spec_of_elements(dtype, element)

    def kernel(self, count: Any, *, element: tuple[int | None, ...], dtype: dtypes.DType) -> Varied:
        return Varied([], dtype.numpy, len(element)).fitted(int(count))


class WriteElement(_Elements):
    """The elements with another one at an index."""

    name = "write_element"
    inputs = ("x", "index", "row")
    residuals = (("index", ""), ("row", ""))

    def infer(self, x: Spec, index: Spec, row: Spec, *, grow: bool) -> Spec:
        return x

    def kernel(self, x: Any, index: Any, row: Any, *, grow: bool) -> Varied:
        return _varied(x).put(checked(index, len(x), grow), row)

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return values[1], values[2]

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        index, row = residuals
        return (
            CLEAR_ELEMENT(dy, index) if needs[0] else None,
            None,
            ELEMENT_LIKE(dy, index, row) if needs[2] else None,
        )


class ClearElement(_Elements):
    """The elements without that at an index."""

    name = "clear_element"
    inputs = ("x", "index")
    residuals = (("index", ""),)

    def infer(self, x: Spec, index: Spec) -> Spec:
        return x

    def kernel(self, x: Any, index: Any) -> Varied:
        rows, i = _varied(x), int(index)
        return rows.put(i, np.zeros((0,) * (rows.ndim - 1), rows.dtype)) if i < len(rows) else rows

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return (values[1],)

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        return CLEAR_ELEMENT(dy, residuals[0]), None


class ElementLike(_Elements):
    """The element at an index, which is zero if it is missing; `like` tells the shape."""

    name = "element_like"
    inputs = ("x", "index", "like")
    residuals = (("index", ""),)

    def infer(self, x: Spec, index: Spec, like: Spec) -> Spec:
        return Spec(like.shape, x.dtype)

    def kernel(self, x: Any, index: Any, like: Any) -> Any:
        return _varied(x).row(int(index), np.shape(like))[()]

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return (values[1],)

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        return (ONLY_ELEMENT(residuals[0], dy) if needs[0] else None), None, None


class OnlyElement(_Elements):
    """Elements of which only that at an index is there."""

    name = "only_element"
    inputs = ("index", "row")
    residuals = (("index", ""), ("row", ""))

    def infer(self, index: Spec, row: Spec) -> Spec:
        return Spec(Steps((None, *[None] * len(row.shape))), row.dtype)

    def kernel(self, index: Any, row: Any) -> Varied:
        return Varied([], row.dtype, row.ndim).put(int(index), row)

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return tuple(values)

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        index, row = residuals
        return None, ELEMENT_LIKE(dy, index, row) if needs[1] else None


class ReadElement(_Elements):
    """The element at an index."""

    name = "read_element"
    inputs = ("x", "index")
    residuals = (("index", ""),)

    def infer(self, x: Spec, index: Spec) -> Spec:
        return Spec(tuple(x.shape[1:]), x.dtype)

    def kernel(self, x: Any, index: Any) -> Any:
        return _varied(x).row(checked_to_read(index, len(x)))[()]

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return (values[1],)

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        return ONLY_ELEMENT(residuals[0], dy), None


class ConcatElements(_Elements):
    """All elements along their first axis; `like` are elements that tell the shapes of missing ones."""

    name = "concat_elements"
    inputs = ("x", "like")
    residuals = (("like", ""),)

    def infer(self, x: Spec, like: Spec) -> Spec:
        return Spec((None, *x.shape[2:]), x.dtype)  # type: ignore[arg-type]

    def kernel(self, x: Any, like: Any) -> Any:
        x, like = _varied(x), _varied(like)
        rows = [x.row(i, like.rows[i].shape) for i in range(len(like))]
        if not rows:
            return np.zeros((0,) * (like.ndim - 1), x.dtype)
        filled = [row for row in rows if row.size or row.ndim > 1 or len(rows) == 1]
        try:
            return np.concatenate(filled or rows[:1])
        except ValueError:
            raise _differ("concat", rows, 1) from None

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return (values[1],)

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        return SPLIT_LIKE(dy, residuals[0]), None


class SplitLike(_Elements):
    """Elements from consecutive parts of a tensor, with the lengths of others."""

    name = "split_like"
    inputs = ("x", "like")
    residuals = (("like", ""),)

    def infer(self, x: Spec, like: Spec) -> Spec:
        return Spec(like.shape, x.dtype)

    def kernel(self, x: Any, like: Any) -> Varied:
        return _split(x, [len(row) for row in _varied(like).rows])

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return (values[1],)

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        return CONCAT_ELEMENTS(dy, residuals[0]), None


class SplitElements(_Elements):
    """Elements from consecutive parts of a tensor, of given lengths."""

    name = "split_elements"
    inputs = ("x", "lengths")
    outputs = ("y",)
    residuals = (("x", "like"), ("y", ""))

    def infer(self, x: Spec, lengths: Spec, *, most: int | None) -> Spec:
        inner = () if x.shape is ANY else x.shape[1:]
        return Spec(Steps((None, None, *inner)), x.dtype)

    def kernel(self, x: Any, lengths: Any, *, most: int | None) -> Varied:
        sizes = [int(n) for n in lengths]
        if sum(sizes) != len(x):
            raise errors.build(
                errors.InvalidArgumentError,
                f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {sum(sizes)} and value's "
                f"shape is: {list(x.shape)}",
                "give the lengths of all parts.",
            )
        if most is not None and len(sizes) != most:
            raise errors.build(
                errors.InvalidArgumentError,
                f"TensorArray's size is not equal to the size of lengths ({most} vs. {len(sizes)})",
                "make it larger, or give dynamic_size=True.",
            )
        return _split(x, sizes)

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return likeness(values[0]), result

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        x, y = residuals
        return _sized(CONCAT_ELEMENTS(dy, y), x), None


class StackElements(_Elements):
    """The elements at some indices along a new first axis; `like` are elements that tell the shapes of missing ones."""

    name = "stack_elements"
    inputs = ("x", "like", "indices")
    residuals = (("like", ""), ("indices", ""))

    def infer(self, x: Spec, like: Spec, indices: Spec) -> Spec:
        return Spec(stacked(None if indices.shape is ANY else indices.shape[0], x.shape[1:]), x.dtype)

    def kernel(self, x: Any, like: Any, indices: Any) -> Any:
        x, like = _varied(x), _varied(like)
        rows = [x.row(checked_to_read(i, len(like)), like.rows[int(i)].shape) for i in indices]
        if not rows:
            return np.zeros((0, *[0] * (like.ndim - 1)), x.dtype)
        try:
            return np.stack(rows)
        except ValueError:
            raise _differ("stack", rows, 0) from None

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return values[1], values[2]

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        like, indices = residuals
        return PLACE_ELEMENTS(dy, indices, like), None, None


class PlaceElements(_Elements):
    """Elements from the rows of a tensor, each added at its index; `like` are others of the same rank."""

    name = "place_elements"
    inputs = ("x", "indices", "like")
    residuals = (("indices", ""), ("like", ""))

    def infer(self, x: Spec, indices: Spec, like: Spec) -> Spec:
        return Spec(Steps((None, *like.shape[1:])), x.dtype)

    def kernel(self, x: Any, indices: Any, like: Any) -> Varied:
        made = Varied([], x.dtype, like.ndim - 1).fitted(len(like))
        for i, row in zip(indices, x, strict=True):
            before = made.row(int(i))
            made.rows[int(i)] = np.array(row) if not before.size else before + row
        return made

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return values[1], values[2]

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        indices, like = residuals
        return STACK_ELEMENTS(dy, like, indices), None, None


class CountElements(_Elements):
    """The numbers of all elements: 0, 1, 2 and so on."""

    name = "count_elements"
    inputs = ("x",)
    differentiable = False
    takes_needs = False
    residuals = ()
    vjp = NotDifferentiable("a number of elements has no derivative")

    def infer(self, x: Spec) -> Spec:
        return Spec((x.shape[0],), dtypes.int32)

    def kernel(self, x: Any) -> Any:
        return np.arange(len(x), dtype=np.int32)


def _sized(d: Any, x: Any) -> Any:
    """A cotangent with the sizes that are known of its value: rules for known sizes meet it next."""
    if isinstance(d, Tensor):
        d.set_shape(x.get_shape() if isinstance(x, Tensor) else x.shape)
    return d


def _varied(x: Any) -> Varied:
    """Elements, also those that an array has as rows: zeros, and what loops make of elements of one shape."""
    if isinstance(x, Varied):
        return x
    return Varied(list(x.rows if isinstance(x, Apart) else x), x.dtype, x.ndim - 1)


def _split(x: Any, sizes: list[int]) -> Varied:
    ends = np.cumsum([0, *sizes])
    return Varied([x[a:b] for a, b in pairwise(ends)], x.dtype, x.ndim)


def _differ(what: str, rows: list[Any], start: int) -> Exception:
    first = rows[0].shape
    i, other = next((i, r.shape) for i, r in enumerate(rows) if r.shape[start:] != first[start:])
    return errors.build(
        errors.InvalidArgumentError,
        f"TensorArray.{what}: the elements must not have different shapes: [0] has shape {list(first)}, [{i}] has {list(other)}.",
        "write elements of one shape, or use concat."
        if what == "stack"
        else "elements may differ in their first axis.",
    )


NEW_ELEMENTS, WRITE_ELEMENT, READ_ELEMENT = NewElements(), WriteElement(), ReadElement()
CLEAR_ELEMENT, ELEMENT_LIKE, ONLY_ELEMENT = ClearElement(), ElementLike(), OnlyElement()
CONCAT_ELEMENTS, SPLIT_LIKE, SPLIT_ELEMENTS = ConcatElements(), SplitLike(), SplitElements()
STACK_ELEMENTS, PLACE_ELEMENTS, COUNT_ELEMENTS = StackElements(), PlaceElements(), CountElements()
