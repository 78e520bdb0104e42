"""vectorized_map: a function of one example, run once on all examples."""

from __future__ import annotations

import importlib
import threading
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

from gradtape.core import convert, errors, nest, provenance, state
from gradtape.core.composite import Composite
from gradtape.core.deferral import Unknown
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.op import REGISTRY
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.family import dims
from gradtape.transform.batched import Batched, NeedsValueError, UnknownExampleError, batched, repeated

R = TypeVar("R")

_current = state.current


class _Running(threading.local):
    """The maps that run on this thread, from the outermost inward: (level, a tensor with a row for each example)."""

    maps: tuple[tuple[float, Tensor], ...] = ()


_running = _Running()


def vectorized_map(fn: Callable[[Any], R], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> R:
    """The results of `fn` on each example, stacked; `fn` runs once, on all examples together.

    Tapes around the call differentiate it, tapes inside `fn` differentiate each example, and calls may be nested.

    Args:
      fn: a function of one example, which has the structure of `elems` without the leading axis.
      elems: a tensor, or a nested structure of tensors, with the examples along the first axis. A first axis of length 1
        is repeated.
      fallback_to_while_loop: where `fn` needs the value of an example in Python (`if x > 0:`, `float(x)`), run it once per
        example. If false this is an error.
      warn: warn when that happens.

    Returns:
      The structure that `fn` returns, with a leading axis. What does not depend on the example is repeated.

    >>> xs = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.vectorized_map(lambda x: tf.reduce_sum(x * x), xs)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([ 5., 25.], dtype=float32)>
    """
    if not callable(fn):
        raise TypeError(
            errors.compose(
                f"vectorized_map: fn must be callable, got {errors.brief(fn)}.",
                "tf.vectorized_map(lambda x: x * x, elems).",
            )
        )
    flat = [convert.convert_to_tensor(e) for e in nest.flatten(elems)]
    if _current.trace is not None and any(t.get_shape().rank is None for t in flat):
        # An axis in front of examples cannot be told from theirs: a loop over the rows needs no rank.
        return cast(R, _current.trace.map_rows(fn, nest.pack_sequence_as(elems, flat)))
    size = _count(flat)
    undo: list[tuple[Any, Any, Any]] = []
    try:
        return cast(R, _attempt(fn, elems, flat, size, undo))
    except (UnknownExampleError, Unknown):
        if _current.trace is None or not fallback_to_while_loop:
            raise
    except NeedsValueError as problem:
        # Blocks and functions inside this map have higher levels, and cannot run one example by themselves.
        if problem.level < _current.depth + 1 or not fallback_to_while_loop or size == 0:
            raise
        if warn and size is not None:
            text = f"vectorized_map: the {size} examples run one by one, since they cannot run at once.\n{problem}"
            warnings.warn(text, UserWarning, stacklevel=provenance.stacklevel())
        _take_back(undo)
        if size is not None:
            return cast(R, _one_by_one(fn, elems, flat, size))
    return cast(R, _current.trace.map_rows(fn, nest.pack_sequence_as(elems, flat)))


def independent(draw: Callable[[tuple[int, ...]], Tensor], shape: tuple[int, ...]) -> Tensor:
    """The result of `draw` for a shape; inside a map, separate draws for each example.

    Random numbers inside `vectorized_map` differ from example to example, as if it were a loop: they are drawn with one
    more leading axis for each running map.
    """
    maps = _running.maps
    if maps and _current.trace is not None and _current.trace.level > maps[-1][0]:
        refuse_shared_draws("the function")  # a block or a function in the map is traced for one example
    value: Tensor
    sizes = [rows.shape[0] for _, rows in maps]
    unknown = [rows for (_, rows), size in zip(maps, sizes, strict=True) if size is None]
    if unknown:
        value = state.tracing().later(partial(_drawn, draw, sizes, shape), (unknown,), {}, None, "draw")
    else:
        value = draw((*sizes, *shape))
    for level, _ in maps:
        value = batched(value, level)
    return value


def refuse_shared_draws(where: str) -> None:
    """Have the innermost running map go from example to example: what is traced draws once, which all would share."""
    maps = _running.maps
    if maps:
        what = f"a random number that {where} draws would be the same for all examples."
        fix = (
            "draw it outside of functions, loops and branches, or use tf.random.stateless_uniform with a seed for each."
        )
        raise NeedsValueError(errors.compose(what, fix), maps[-1][0])


def _drawn(draw: Callable[[tuple[int, ...]], Tensor], sizes: list[Any], shape: tuple[int, ...], unknown: Any) -> Tensor:
    """What `draw` gives, once tensors tell the sizes that were not known."""
    told = iter([dims(rows)[0] for rows in unknown])
    return draw((*[next(told) if size is None else size for size in sizes], *shape))


def _count(flat: list[Tensor]) -> int:
    """The number of examples; the first axes must agree."""
    if not flat:
        raise ValueError(errors.compose("vectorized_map: elems is empty.", "pass at least one tensor."))
    if any(not t.ndim for t in flat):
        raise errors.build(
            errors.ShapeError,
            f"vectorized_map: elems must have a first axis, got a scalar: {_specs(flat)}.",
            "the first axis counts the examples; a value that all share can be used in fn directly.",
        )
    sizes = {t.shape[0] for t in flat}
    if len(sizes - {1}) > 1:
        raise errors.build(
            errors.ShapeError,
            f"vectorized_map: the first dimensions of elems differ: {_specs(flat)}.",
            "the first axis counts the examples and must be the same, or 1.",
        )
    result: int = (sizes - {1} or sizes).pop()
    return result


def _specs(flat: list[Tensor]) -> str:
    return ", ".join(str(spec_of(t)) for t in flat)


def _attempt(
    fn: Callable[[Any], Any], elems: Any, flat: list[Tensor], size: int, undo: list[tuple[Any, Any, Any]]
) -> Any:
    """`_at_once`, with a note of what variables were before."""
    before, _current.undo = _current.undo, undo
    try:
        return _at_once(fn, elems, flat, size)
    finally:
        _current.undo = before
        if before is not None:
            before += undo


def _take_back(undo: list[tuple[Any, Any, Any]]) -> None:
    """Give variables the values again that they had before an attempt: each example makes its assignments itself."""
    now: Any = _current.trace
    for trace, variable, value in reversed(undo):
        if trace is None:
            variable._value = value
        elif trace is now:
            now.assign(variable, value)


def _at_once(fn: Callable[[Any], Any], elems: Any, flat: list[Tensor], size: int) -> Any:
    depth, maps = _current.depth, _running.maps
    level = depth + 1
    examples = [batched(t, level) if t.shape[0] == size else _only(t) for t in flat]
    rows = next(t for t in flat if t.shape[0] == size)
    _current.depth, _running.maps = level, (*maps, (level, rows))
    try:
        result = fn(nest.pack_sequence_as(elems, examples))
    finally:
        _current.depth, _running.maps = depth, maps
    return nest.map_structure(lambda leaf: _stacked(leaf, level, rows), result)


def _stacked(leaf: Any, level: float, rows: Tensor) -> Any:
    """All examples of a result: what a Batched of this level holds, or the value repeated. None stays None."""
    if leaf is None:
        return None
    if hasattr(type(leaf), "__tensor_parts__"):
        return leaf._with_parts([_stacked(part, level, rows) for part in leaf.__tensor_parts__()])
    if isinstance(leaf, Composite):
        spec: Any = leaf._spec()
        if hasattr(spec, "_decode"):
            return _decoded(spec, [_stacked(part, level, rows) for part in nest.flatten(spec._encode(leaf, 1))])
        if not isinstance(leaf, IndexedSlices):
            what = f"to stack results such as {errors.brief(leaf)} needs the value of each."
            raise NeedsValueError(errors.compose(what, "return a dense tensor."), level)
    leaf = convert.convert_to_tensor(leaf)
    if isinstance(leaf, Batched) and leaf.level == level:
        return leaf.full().value
    return repeated(leaf, rows)


def _only(t: Tensor) -> Any:
    """The one example of a tensor whose first axis has length 1."""
    return REGISTRY["reshape"](t, shape=tuple(t.shape)[1:])


def _one_by_one(fn: Callable[[Any], Any], elems: Any, flat: list[Tensor], size: int) -> Any:
    take, stack = REGISTRY["strided_slice"], REGISTRY["stack"]
    rows = []
    for i in range(size):
        examples = [take(t, index=(i,)) if t.shape[0] == size else _only(t) for t in flat]
        rows.append(fn(nest.pack_sequence_as(elems, examples)))

    def column(*leaves: Any) -> Any:
        if leaves[0] is None:
            return None
        if isinstance(leaves[0], Composite) and not isinstance(leaves[0], IndexedSlices):
            return _stack_of_composites(leaves)
        return stack(*[convert.convert_to_tensor(leaf) for leaf in leaves], axis=0)

    return nest.map_structure(column, *rows, check_types=False)  # a loop gives a list, or what its body returns


def _decoded(spec: Any, parts: list[Any]) -> Any:
    """The batch of values of a spec, from the batches of what stands for them."""
    return spec._batch(parts[0].shape[0] if parts else None)._decode(
        nest.pack_sequence_as(spec._encoding_specs(), parts)
    )


def _stack_of_composites(values: tuple[Any, ...]) -> Any:
    """Values that consist of several tensors, as one with another axis in front."""
    specs = [value._spec() for value in values]
    if hasattr(specs[0], "_decode"):
        encoded = [nest.flatten(s._encode(v, 1)) for s, v in zip(specs, values, strict=True)]
        return _decoded(specs[0], [REGISTRY["stack"](*c, axis=0) for c in zip(*encoded, strict=True)])
    batches = importlib.import_module("gradtape.data._structure")  # above this layer
    return batches.stack("vectorized_map", list(values))
