"""Functions over the rows of tensors, one row after the other: `tf.map_fn`, `tf.scan`, `tf.foldl`, `tf.foldr`.

`tf.vectorized_map` is the quick way to do what `tf.map_fn` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import tensor
from gradtape.api.families import family
from gradtape.core import convert, dtypes, errors, nest, state
from gradtape.core.composite import CompositeSpec
from gradtape.core.shape import ANY, Spec, TensorSpec, spec_of
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.family import dims
from gradtape.ops.joining import Concat, Stack, Unstack


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """The results of a function on each row, stacked.

    Args:
      fn: a function of one row, which has the structure of `elems`.
      elems: a tensor, or a nested structure of tensors, whose first axes are equally long.
      dtype: an old name of `fn_output_signature`.
      parallel_iterations, back_prop, swap_memory, infer_shape, name: ignored.
      fn_output_signature: the dtype of the result, or its `tf.TensorSpec`, in the structure of the result; a
        `tf.RaggedTensorSpec` if results differ in length. By default they have the structure and dtypes of `elems`.

    Returns:
      The structure that `fn` returns, with a leading axis. Without any row, `fn` is traced to know the shapes; if that
      cannot be done, a result whose shape no `tf.TensorSpec` tells has the shape `[0]`.

    >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy()
    array([1, 4, 9], dtype=int32)
    >>> tf.map_fn(tf.range, tf.constant([1, 3]), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
    <tf.RaggedTensor [[0], [0, 1, 2]]>
    """
    signature = dtype if fn_output_signature is None else fn_output_signature
    for spec in nest.flatten(signature):
        if isinstance(spec, CompositeSpec):
            result = spec.__gradtape_function__(map_fn, (fn, elems), {"fn_output_signature": signature})
            if result is not NotImplemented:
                return result
    flat = _tensors("map_fn", fn, elems)
    specs = [_spec(s) for s in ([t.dtype for t in flat] if signature is None else nest.flatten(signature))]
    pattern = elems if signature is None else signature

    fn = adapted(fn)

    def step(row: Any) -> list[Any]:
        result = fn(row)
        _check_result(pattern, result)
        return [_checked("map_fn", v, s) for v, s in zip(nest.flatten(result), specs, strict=True)]

    if state.current.trace is not None:
        _, made = _over_rows("map_fn", lambda _, row: ([], step(row)), [], nest.pack_sequence_as(elems, flat))
        return nest.pack_sequence_as(pattern, made)
    rows, count = _rows(elems, flat)
    if not count:
        return _of_no_rows(
            lambda *leaves: map_fn(fn, nest.pack_sequence_as(elems, leaves), signature), flat, pattern, specs
        )
    results = [step(rows(i)) for i in range(count)]
    return nest.pack_sequence_as(pattern, [_stacked("map_fn", column) for column in zip(*results, strict=True)])


# What fn of scan and of folds returns.
_VALUE = "return what the next call gets as its first argument; initializer sets its structure for the first call."


def _check_result(pattern: Any, result: Any) -> None:
    """Refuse a result whose structure is not that of elems, or of the signature that was given."""
    try:
        nest.assert_same_structure(pattern, result)
    except (TypeError, ValueError) as problem:
        found = nest.map_structure(lambda v: convert.convert_to_tensor(v).dtype, result)
        what = f"map_fn: fn must return the structure of elems, or of fn_output_signature. {problem}"
        raise type(problem)(errors.compose(what, f"fn_output_signature={found!r}.", depth=3)) from None


def _of_no_rows(run: Callable[..., Any], flat: list[Tensor], pattern: Any, specs: list[TensorSpec]) -> Any:
    """What `map_fn` makes of nothing: the shapes, and the gradient, are those of the function that `run` traces."""
    from gradtape.polymorphic_function.function import function

    try:
        return function(run).get_concrete_function(*[_spec(t) for t in flat])(*flat)
    except Exception:  # of the user's function, which must not be called eagerly, and perhaps cannot be traced
        empty = [wrap(np.zeros((0, *_known(spec)), spec.dtype.numpy)) for spec in specs]
        return nest.pack_sequence_as(pattern, empty)


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: Any = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """The stacked intermediate values of a fold: each row changes the value to `fn(value, row)`.

    Args:
      fn: a function of the value so far and one row, which has the structure of `elems`.
      elems: a tensor, or a nested structure of tensors, whose first axes are equally long.
      initializer: the first value, a nested structure of tensors; the first row by default, which is then the first result.
      parallel_iterations, back_prop, swap_memory, infer_shape, name: ignored.
      reverse: begin with the last row. Results stand where their rows stand.

    Returns:
      The structure of the value, with a leading axis as long as that of `elems`.

    >>> tf.scan(lambda total, x: total + x, tf.constant([1, 2, 3, 4])).numpy()
    array([ 1,  3,  6, 10], dtype=int32)
    """
    flat = _tensors("scan", fn, elems)
    if state.current.trace is not None:
        return _staged_scan(fn, nest.pack_sequence_as(elems, flat), initializer, reverse)
    rows, count = _rows(elems, flat)
    order = list(range(count))[:: -1 if reverse else 1]
    value, order = _start("scan", rows, order, initializer)
    pattern, first = value, [_spec(t) for t in nest.flatten(value)]
    results = [] if initializer is not None else [nest.flatten(value)]
    for i in order:
        value = fn(value, rows(i))
        nest.check_same_structure("scan: fn must return the structure of its first argument.", _VALUE, pattern, value)
        leaves = [_checked("scan", v, s) for v, s in zip(nest.flatten(value), first, strict=True)]
        value = nest.pack_sequence_as(pattern, leaves)
        results.append(leaves)
    if not results:
        empty = [wrap(np.zeros((0, *spec.shape.as_list()), spec.dtype.numpy)) for spec in first]
        return nest.pack_sequence_as(pattern, empty)
    columns = zip(*results[:: -1 if reverse else 1], strict=True)
    return nest.pack_sequence_as(pattern, [Stack(*column, axis=0) for column in columns])


@family(
    "The value in the end.",
    fn="a function of the value so far and one row, which has the structure of `elems`.",
    elems="a tensor, or a nested structure of tensors, whose first axes are equally long.",
    **dict.fromkeys(("parallel_iterations", "back_prop", "swap_memory"), "ignored."),
)
def _folding(who: str, direction: int) -> Callable[..., Any]:
    def function(
        fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: Any = 10,
        back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
    ) -> Any:  # fmt: skip
        return _fold(who, fn, elems, initializer, direction)

    return function


foldl = _folding(
    "foldl",
    "The final value of a fold from the first row to the last: each row changes the value to `fn(value, row)`.",
    "tf.foldl(lambda total, x: total * 10 + x, tf.constant([1, 2, 3])).numpy() -> np.int32(123)",
    1,
    initializer="the first value, a nested structure of tensors; the first row by default.",
)
foldr = _folding(
    "foldr",
    "The final value of a fold from the last row to the first: each row changes the value to `fn(value, row)`.",
    "tf.foldr(lambda total, x: total * 10 + x, tf.constant([1, 2, 3])).numpy() -> np.int32(321)",
    -1,
    initializer="the first value, a nested structure of tensors; the last row by default.",
)


def _fold(who: str, fn: Any, elems: Any, initializer: Any, direction: int) -> Any:
    flat = _tensors(who, fn, elems)
    if state.current.trace is not None:
        value, rest = _begin(nest.pack_sequence_as(elems, flat), initializer, direction < 0)
        own = adapted(fn)
        return _over_rows(who, lambda value, row: (own(value, row), []), value, rest, direction < 0)[0]
    rows, count = _rows(elems, flat)
    value, order = _start(who, rows, list(range(count))[::direction], initializer)
    pattern = value
    for i in order:
        value = fn(value, rows(i))
        nest.check_same_structure(f"{who}: fn must return the structure of its first argument.", _VALUE, pattern, value)
    return nest.map_structure(convert.convert_to_tensor, value)


def adapted(fn: Any) -> Any:
    """The user's function, rewritten by AutoGraph where a function is traced with it."""
    if state.current.trace is None:
        return fn
    from gradtape.autograph._calls import adapted

    return adapted(fn)


def _over_rows(*arguments: Any) -> Any:
    """The steps as a loop of the graph that is being traced."""
    from gradtape.tracing.control.staged_functions import over_rows

    return over_rows(*arguments)


def _staged_scan(fn: Any, elems: Any, initializer: Any, reverse: bool) -> Any:
    value, rest = _begin(elems, initializer, reverse)
    fn = adapted(fn)

    def step(value: Any, row: Any) -> tuple[Any, Any]:
        new = fn(value, row)
        return new, nest.map_structure(tensor, new)

    _, made = _over_rows("scan", step, value, rest, reverse)
    if initializer is not None:
        return made
    order = slice(None, None, -1) if reverse else slice(None)
    return nest.map_structure(lambda first, rows: Concat(*[first[None], rows][order], axis=0), value, made)


def _begin(elems: Any, initializer: Any, reverse: bool) -> tuple[Any, Any]:
    """The first value, and the rows that are still to be taken."""
    if initializer is not None:
        return nest.map_structure(tensor, initializer), elems
    first, rest = (-1, slice(None, -1)) if reverse else (0, slice(1, None))
    return nest.map_structure(lambda t: t[first], elems), nest.map_structure(lambda t: t[rest], elems)


def _tensors(who: str, fn: Any, elems: Any) -> list[Tensor]:
    """The tensors whose rows are taken."""
    if not callable(fn):
        raise TypeError(
            errors.compose(
                f"{who}: fn must be callable, got {errors.brief(fn)}.", f"the function comes first: tf.{who}(f, elems)."
            )
        )
    flat: list[Tensor] = [tensor(e) for e in nest.flatten(elems)]
    specs = [Spec(_dims(t), t.dtype) for t in flat]
    shapes = ", ".join(map(str, specs))
    if not flat:
        raise errors.build(
            ValueError,
            f"{who}: elems must be a Tensor or (possibly nested) sequence of Tensors, got {errors.brief(elems)}, which holds none.",
            f"tf.{who}(f, tf.constant([1.0, 2.0])).",
        )
    if any(not s.rank for s in specs):
        raise errors.build(
            errors.ShapeError,
            f"{who}: elems must be 1+ dimensional Tensors, not scalars, got {shapes}.",
            f"the first axis counts the rows; wrap a list in tf.constant, and give it before an initializer: tf.{who}(f, elems).",
        )
    if len({s.shape[0] for s in specs if s.shape[0] is not None}) > 1:
        raise errors.build(
            errors.ShapeError, f"{who}: the first dimensions of elems differ: {shapes}.", "give as many rows of each."
        )
    return flat


def _dims(t: Tensor) -> Any:
    """The shape, as far as it is known."""
    shape = t.get_shape()
    return ANY if shape.rank is None else tuple(shape)


def _rows(elems: Any, flat: list[Tensor]) -> tuple[Callable[[int], Any], int]:
    """A function that gives row i in the structure of `elems`, and how many rows there are."""
    count = dims(flat[0])[0]
    # One op for all rows: slicing row by row would make backward quadratic.
    columns = [Unstack(t, axis=0) if count else () for t in flat]

    def row(i: int) -> Any:
        return nest.pack_sequence_as(elems, [column[i] for column in columns])

    return row, count


def _start(who: str, rows: Callable[[int], Any], order: list[int], initializer: Any) -> tuple[Any, list[int]]:
    """The first value, and the rows that are still to be taken."""
    if initializer is not None:
        return nest.map_structure(tensor, initializer), order
    if not order:
        raise errors.build(errors.OutOfRangeError, f"{who}: elems has no rows.", "give an initializer.")
    return rows(order[0]), order[1:]


def _spec(value: Any) -> TensorSpec:
    """What a result must be like: of a tensor or its spec the shape and dtype, of a dtype only this."""
    if isinstance(value, TensorSpec):
        return value
    if isinstance(value, Tensor):
        return TensorSpec(value.get_shape(), value.dtype)
    return TensorSpec(None, dtypes.as_dtype(value))


def _known(spec: TensorSpec) -> list[int]:
    return spec.shape.as_list() if spec.shape.is_fully_defined() else []


def _checked(who: str, value: Any, spec: TensorSpec) -> Any:
    """A result as a tensor; raises if it is not like its spec."""
    found = value if isinstance(value, Tensor) else convert.like(value, spec.dtype)
    if found.dtype is not spec.dtype:
        raise errors.build(
            errors.DTypeError,
            f"{who}: fn returns {spec_of(found)}, where {spec.dtype.name} is expected.",
            "cast it, or pass its dtype: fn_output_signature=tf.int32."
            if who == "map_fn"
            else "keep the dtype of the value.",
        )
    if not spec.shape.is_compatible_with(found.get_shape()):
        raise errors.build(
            errors.ShapeError,
            f"{who}: fn returns {spec_of(found)}, where the shape {spec.shape} is expected.",
            "correct fn_output_signature." if who == "map_fn" else "keep the shape of the value.",
        )
    return found


def _stacked(who: str, column: tuple[Any, ...]) -> Any:
    specs: list[Spec] = [spec_of(v) for v in column]
    for i, spec in enumerate(specs):
        if spec.shape != specs[0].shape:
            raise errors.build(
                errors.ShapeError,
                f"{who}: results of fn must have one shape, got {specs[0]} for row 0 and {spec} for row {i}.",
                "pad the results, or use tf.RaggedTensorSpec as fn_output_signature.",
            )
    return Stack(*column, axis=0)
