"""Control flow of `backend.core`: branches and loops, on the functions of tf that run eagerly and in functions alike."""

from __future__ import annotations

import builtins
from typing import Any

from keras.src import tree

import gradtape as tf
from gradtape.core import state
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.convert import cast, convert_to_tensor, is_tensor
from gradtape.tracing.control.staged_functions import over_rows

# A loop in a function is unrolled up to this number of steps. A longer one is as fast as a loop, and compiles sooner.
_WRITTEN_OUT = 8


def is_long(steps: Any) -> bool:
    """Whether steps become a loop of the graph that is being traced: it takes no longer to trace for more of them."""
    return state.current.trace is not None and (steps is None or steps > _WRITTEN_OUT)


def cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    """The result of `true_fn` or `false_fn`."""
    if isinstance(pred, bool):
        return true_fn() if pred else false_fn()
    pred = cast(pred, "bool")
    if type(pred) is Tensor:
        return true_fn() if pred else false_fn()
    return tf.cond(pred, true_fn=true_fn, false_fn=false_fn)


def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """The result of the function with a number; numbers out of range are clipped."""
    index = cast(index, "int32")
    index = tf.clip_by_value(index, 0, len(branches) - 1)
    return tf.switch_case(index, [lambda branch=branch: branch(*operands) for branch in branches])


def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    """The values of variables after a loop."""
    is_several = isinstance(loop_vars, (tuple, list))
    first = tuple(loop_vars) if is_several else (loop_vars,)
    first = tree.map_structure(convert_to_tensor, first)

    def step(*values: Any) -> Any:
        result = body(*values)
        return tuple(result) if isinstance(result, (tuple, list)) else (result,)

    last = tf.while_loop(cond, step, first, maximum_iterations=maximum_iterations)
    return tuple(last) if is_several else last[0]


def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    """The value after `body_fun(i, value)` for each i of a range."""
    if all(_is_known(bound) for bound in (lower, upper)) and not is_long(int(upper) - int(lower)):
        value = init_val
        for i in range(int(lower), int(upper)):
            value = body_fun(convert_to_tensor(i), value)
        return value
    _, value = while_loop(
        lambda i, _: i < cast(upper, "int32"), lambda i, v: (i + 1, body_fun(i, v)), (cast(lower, "int32"), init_val)
    )
    return value


def _is_known(bound: Any) -> Any:
    """True for numbers and tensors that have a value already."""
    return not is_tensor(bound) or type(bound) is Tensor


def vectorized_map(function: Any, elements: Any) -> Any:
    """The results of a function on each element, stacked; it runs once, on all of them."""
    elements = tree.map_structure(convert_to_tensor, elements)
    return tf.vectorized_map(function, elements, warn=False)


def map(f: Any, xs: Any) -> Any:
    """The results of a function on each element along the first axis, stacked."""
    return scan(lambda _, x: ((), f(x)), (), xs)[1]


def scan(f: Any, init: Any, xs: Any = None, length: Any = None, reverse: Any = False, unroll: Any = 1) -> Any:
    """The last carry and the stacked outputs of `f(carry, x)` along the first axis of `xs`."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    if not isinstance(unroll, bool) and (not isinstance(unroll, int) or unroll < 1):
        raise ValueError(f"`unroll` must be an positive integer or boolean. Received: unroll={unroll}")
    if xs is None and length is None:
        raise ValueError("Got no `xs` to scan over and `length` not provided.")
    carry = tree.map_structure(convert_to_tensor, init)
    columns = [] if xs is None else [convert_to_tensor(x) for x in tree.flatten(xs)]
    count = int(length) if length is not None else int(columns[0].shape[0])
    if is_long(count) and unroll is not True:
        return _staged_scan(f, carry, xs, columns, count, reverse)
    rows = list(zip(*[tf.unstack(x) for x in columns], strict=True)) if columns else [()] * count
    outputs = []
    for row in reversed(rows[:count]) if reverse else rows[:count]:
        x = None if xs is None else tree.pack_sequence_as(xs, list(row)) if tree.is_nested(xs) else row[0]
        carry, y = f(carry, x)
        outputs.append(y)
    if reverse:
        outputs.reverse()
    return carry, _stacked(outputs, carry)


def _staged_scan(f: Any, carry: Any, xs: Any, columns: Any, count: Any, reverse: Any) -> Any:
    """The same as one loop of a graph."""

    def step(carry: Any, row: Any) -> Any:
        x = None if xs is None else tree.pack_sequence_as(xs, list(row)) if tree.is_nested(xs) else row[0]
        carry, y = f(carry, x)
        y = tree.map_structure(lambda c: tf.zeros_like(convert_to_tensor(c)), carry) if y is None else y
        return tree.map_structure(convert_to_tensor, carry), tree.map_structure(convert_to_tensor, y)

    rows = [column[:count] for column in columns] or [tf.range(count)]
    return over_rows("scan", step, carry, rows, bool(reverse))


def _stacked(outputs: Any, carry: Any) -> Any:
    """Outputs of steps with a leading axis. Steps without an output give zeros like the carry."""
    if not outputs:
        return None
    if outputs[0] is None:
        zeros = tree.map_structure(lambda c: tf.zeros_like(convert_to_tensor(c)), carry)
        outputs = [zeros] * len(outputs)
    return tree.map_structure(lambda *ys: tf.stack([convert_to_tensor(y) for y in ys]), *outputs)


def associative_scan(f: Any, elems: Any, reverse: Any = False, axis: Any = 0) -> Any:
    """All partial results of an associative function along an axis, in a logarithmic number of steps."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    flat = [convert_to_tensor(e) for e in tree.flatten(elems)]
    count = int(flat[0].shape[axis])
    if any(int(e.shape[axis]) != count for e in flat[1:]):
        raise ValueError(
            "Array inputs to associative_scan must have the same first dimension. "
            f"(saw: {[tuple(e.shape) for e in flat]})"
        )

    def combine(a: Any, b: Any) -> Any:
        return [
            convert_to_tensor(c)
            for c in tree.flatten(f(tree.pack_sequence_as(elems, a), tree.pack_sequence_as(elems, b)))
        ]

    flat = [_reversed(e, axis) for e in flat] if reverse else flat
    flat = _partial_results(combine, flat, axis)
    flat = [_reversed(e, axis) for e in flat] if reverse else flat
    return tree.pack_sequence_as(elems, flat)


def _reversed(x: Any, axis: Any) -> Any:
    return tf.reverse(x, [axis % x.ndim])


def _partial_results(combine: Any, elems: Any, axis: Any) -> Any:
    """Pairs are combined, the half is scanned, and the places between are filled in."""
    count = elems[0].shape[axis]
    if count < 2:
        return elems
    pairs = combine([_part(e, 0, count - 1, 2, axis) for e in elems], [_part(e, 1, count, 2, axis) for e in elems])
    odd = _partial_results(combine, pairs, axis)
    last = odd[0].shape[axis] - (1 - count % 2)
    before = [_part(e, 0, last, 1, axis) for e in odd]
    rest = [_part(e, 2, count, 2, axis) for e in elems]
    even = combine(before, rest) if rest[0].shape[axis] else rest
    firsts = [_part(e, 0, 1, 1, axis) for e in elems]
    even = [tf.concat([a, b], axis) for a, b in zip(firsts, even, strict=True)]
    return [_interleaved(a, b, axis) for a, b in zip(even, odd, strict=True)]


def _part(x: Any, start: Any, stop: Any, step: Any, axis: Any) -> Any:
    index = [builtins.slice(None)] * x.ndim
    index[axis] = builtins.slice(start, stop, step)
    return x[tuple(index)]


def _interleaved(a: Any, b: Any, axis: Any) -> Any:
    """a0 b0 a1 b1 …; there are as many of a as of b, or one more."""
    axis = axis % a.ndim
    both = min(a.shape[axis], b.shape[axis])
    pairs = tf.stack([_part(a, 0, both, 1, axis), _part(b, 0, both, 1, axis)], axis + 1)
    sizes = tuple(pairs.shape)
    joined = tf.reshape(pairs, (*sizes[:axis], 2 * both, *sizes[axis + 2 :]))
    return tf.concat([joined, _part(a, both, a.shape[axis], 1, axis)], axis)
