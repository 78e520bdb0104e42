"""Control flow as functions.

Outside of functions it runs at once, in Python: tapes record the ops of the branches and steps that are taken. In a
`tf.function`, and on the examples of `vectorized_map`, branches and bodies become parts of the graph.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, overload

import numpy as np

from gradtape.api.arguments import integer
from gradtape.autograph._calls import adapted
from gradtape.control_flow.mapping import foldl, foldr, map_fn, scan
from gradtape.core import convert, dtypes, errors, nest, state
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops.cast import CastToDiscrete
from gradtape.ops.joining import Stack
from gradtape.ops.movement import Reshape
from gradtape.ops.reduction import CountNonzero
from gradtape.ops.selection import Maximum
from gradtape.transform.stop_gradient import stop_gradient

__all__ = [
    "case", "cond", "foldl", "foldr", "group", "map_fn", "no_op", "scan", "switch_case", "tuple", "while_loop",
]  # fmt: skip


T = TypeVar("T", bound=Tensor)


@overload
def cond(pred: Any, true_fn: Callable[[], T], false_fn: Callable[[], T], name: str | None = None) -> T: ...
@overload
def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any: ...
def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """The result of `true_fn` or `false_fn`.

    Args:
      pred: a bool or a scalar tensor.
      true_fn: called, without arguments, if it is true.
      false_fn: called if it is false.

    Returns:
      The result of the function that was called. Gradients flow through that one.

    >>> x = tf.constant(-3.0)
    >>> tf.cond(x > 0.0, lambda: x, lambda: -x).numpy()
    np.float32(3.0)
    """
    for who, fn in (("true_fn", true_fn), ("false_fn", false_fn)):
        if fn is None:
            raise errors.build(TypeError, f"cond(): '{who}' argument required.", "give a function for each case.")
        _check_callable("cond", who, fn)
    pred = _condition("cond: pred", pred)
    if is_choice_of_graph(pred):
        fns = (adapted(false_fn), adapted(true_fn))
        return control().choose("cond", as_bool(pred), fns, ("false_fn", "true_fn"), first=1)
    return true_fn() if pred else false_fn()


def _condition(what: str, value: Any) -> Any:
    """What decides which way a program goes. Outside of functions Python's rules of truth hold; in them it must be a bool."""
    if isinstance(value, bool):
        return value
    value = _read(value)
    if value is None:
        raise errors.build(ValueError, f"{what} must not be None.", "give a scalar bool tensor.")
    if inspect.isroutine(value):
        raise errors.build(
            ValueError, f"{what} must be a bool or a scalar tensor, got a function.", "call it: pred=f()."
        )
    if isinstance(value, (list, np.ndarray)) and np.size(value) > 1:
        raise errors.build(
            ValueError,
            f"{what} must be a scalar, got {errors.brief(value)}: the truth value of several elements is ambiguous.",
            "use tf.reduce_any(x) or tf.reduce_all(x), or tf.where for a choice of elements.",
        )
    if state.current.trace is None:
        return value
    dtype = getattr(value, "dtype", None)
    is_number = isinstance(value, (str, bytes, int, float)) and not isinstance(value, bool)
    if is_number or (isinstance(value, Tensor) and dtype is not dtypes.bool_):
        raise errors.build(
            errors.InvalidArgumentError,
            f"{what} must be a bool in a function, got {value!r}.",
            "compare it, for instance with `!= 0`.",
        )
    if isinstance(value, Tensor) and value.get_shape().rank and value.shape.num_elements() == 1:
        return Reshape(value, shape=())
    return value


def control() -> Any:
    """The part of tracing that builds control flow into graphs; loaded on first use."""
    from gradtape.tracing.control import staged_functions

    return staged_functions


def is_staged(*values: Any) -> bool:
    """True if a value is not known yet, or stands for many examples."""
    return any(isinstance(v, Tensor) and type(v) is not Tensor for v in values)


def is_choice_of_graph(*values: Any) -> bool:
    """True if what a value decides is decided when the graph runs: a tensor in a trace, even if its value is known, as all
    branches have a part in shapes and gradients."""
    return is_staged(*values) or (state.current.trace is not None and any(isinstance(v, Tensor) for v in values))


def as_bool(x: Any) -> Any:
    """A condition as a scalar bool tensor."""
    from gradtape.tracing.control.build import as_bool

    return as_bool(x)


_CALLS = {
    "cond": "tf.cond(pred, lambda: a, lambda: b).",
    "case": "tf.case([(pred, lambda: a)], default=lambda: b).",
    "switch_case": "tf.switch_case(index, [lambda: a, lambda: b]).",
    "while_loop": "tf.while_loop(lambda i: i < 10, lambda i: [i + 1], [i]).",
}


def _check_callable(what: str, name: str, fn: Any) -> None:
    if not callable(fn):
        raise TypeError(
            errors.compose(
                f"{what}: '{name}' must be callable, got {errors.brief(fn)}.",
                _CALLS.get(what, "pass a function: lambda: x."),
            )
        )


def case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, strict: bool = False, name: str = "case"
) -> Any:
    """The result of the function that belongs to the first true condition.

    Args:
      pred_fn_pairs: a list of pairs of a condition (a bool or a scalar bool tensor) and a function without arguments; or a
        dictionary of them, in its order.
      default: the function for when no condition is true.
      exclusive: refuse that several conditions are true.
      strict, name: ignored.

    Returns:
      The result of the function that was called.

    Raises:
      InvalidArgumentError: if no condition is true and there is no default; if several are true and `exclusive` is set.

    >>> x = tf.constant(5.0)
    >>> tf.case([(x < 0.0, lambda: "negative"), (x < 10.0, lambda: "small")], default=lambda: "large")
    'small'
    """
    pairs = _conditions(pred_fn_pairs)
    if not pairs and default is None:
        raise errors.build(ValueError, "case: 'pred_fn_pairs' must not be empty.", "give a pair (condition, function).")
    if default is not None:
        _check_callable("case", "default", default)
    pairs = [(_read(condition), fn) for condition, fn in pairs]
    if is_choice_of_graph(*[condition for condition, _ in pairs]):
        return _staged_case(pairs, default, exclusive)
    chosen = [fn for condition, fn in pairs if condition] if exclusive else []
    if len(chosen) > 1:
        raise errors.build(
            errors.InvalidArgumentError,
            f"case: {len(chosen)} conditions are true, but exclusive is set.",
            "make the conditions exclude each other, or leave exclusive out.",
        )
    fn = next((fn for condition, fn in pairs if condition), default)
    if fn is None:
        raise errors.build(
            errors.InvalidArgumentError, "case: none of the conditions is true.", "give a function as default."
        )
    return alone(fn())


def alone(result: Any) -> Any:
    """The element of a list or tuple of one, as `tf.case` and version 1 return it outside of functions."""
    return result[0] if isinstance(result, (list, builtins.tuple)) and len(result) == 1 else result


def _staged_case(pairs: list[builtins.tuple[Any, Any]], default: Any, exclusive: bool) -> Any:
    """Each function as a branch of the graph, the rest as the other."""
    if exclusive:
        from gradtape.tracing.control.checks import required

        conditions = Stack(*[as_bool(c) for c, _ in pairs], axis=0)
        count = CountNonzero(conditions, axis=(0,), keepdims=False, dtype=dtypes.int32)
        what = "case: several conditions are true, and exclusive is set."
        fix = "make the conditions exclude each other, or leave exclusive out."
        pairs = [(required(as_bool(c), count < 2, what, fix), fn) for c, fn in pairs]
    (condition, fn), *rest = pairs
    if not rest:
        return _last_case(condition, fn, default)
    return cond(condition, fn, lambda: case(rest, default))


def _last_case(condition: Any, fn: Any, default: Any) -> Any:
    if default is not None:
        return cond(condition, fn, default)
    if not is_choice_of_graph(condition):
        return case([(condition, fn)])
    from gradtape.tracing.control.checks import required

    right = as_bool(condition)
    what, fix = "case: none of the conditions is true.", "give a function as default."
    return cond(required(right, right, what, fix), fn, fn)


def _conditions(pred_fn_pairs: Any) -> list[builtins.tuple[Any, Callable[[], Any]]]:
    if isinstance(pred_fn_pairs, Mapping):
        # Tensors are not hashable: as keys they come as references.
        pairs = [(k.deref() if hasattr(k, "deref") else k, v) for k, v in pred_fn_pairs.items()]
    elif isinstance(pred_fn_pairs, (list, builtins.tuple)):
        pairs = list(pred_fn_pairs)
    else:
        raise errors.build(
            TypeError,
            f"case: 'pred_fn_pairs' must be a list, tuple, or dict, got {type(pred_fn_pairs).__name__}.",
            "give a list of pairs (condition, function).",
        )
    for pair in pairs:
        if not isinstance(pair, builtins.tuple) or len(pair) != 2:
            raise errors.build(
                TypeError, f"case: each entry must be a pair, got {pair!r}.", "write (condition, function)."
            )
        condition, fn = pair
        kind = getattr(condition, "dtype", None)
        if not (isinstance(condition, bool) or (kind is not None and kind.kind == "b")):
            raise errors.build(TypeError, f"case: {condition!r} is not a condition.", "give a bool or a bool tensor.")
        _check_callable("case", "fn", fn)
    return pairs


def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case") -> Any:
    """The result of the function with the given index.

    Args:
      branch_index: an int or a scalar int tensor.
      branch_fns: a list of functions without arguments; or pairs of a number and a function, in a list or a dictionary,
        with the numbers from 0 on.
      default: the function for any other number; the last one of `branch_fns` by default.

    Returns:
      The result of the function that was called.

    >>> tf.switch_case(tf.constant(1), [lambda: "first", lambda: "second"])
    'second'
    """
    index = branch_index._read() if isinstance(branch_index, Variable) else branch_index
    kind = getattr(index, "dtype", None)
    if isinstance(index, bool) or not (isinstance(index, int) or (kind is not None and kind.kind in "iu")):
        raise TypeError(
            errors.compose(
                f"switch_case: 'branch_index' must be an int or a scalar int tensor, got {errors.brief(index)}.",
                "tf.switch_case(tf.cast(index, tf.int32), [lambda: a, lambda: b]).",
            )
        )
    branches = _branches(branch_fns)
    if default is not None:
        _check_callable("switch_case", "default", default)
    if is_choice_of_graph(index):
        fns = [*branches] if default is None else [*branches, default]
        return control().choose(
            "switch_case", index, [adapted(fn) for fn in fns], [f"branch {i}" for i in range(len(fns))]
        )
    i = integer(index, "switch_case", "branch_index")
    if 0 <= i < len(branches):
        return branches[i]()
    return branches[-1]() if default is None else default()


def _branches(branch_fns: Any) -> list[Callable[[], Any]]:
    if not isinstance(branch_fns, (list, builtins.tuple, Mapping)):
        raise errors.build(
            TypeError,
            f"switch_case: 'branch_fns' must be a list, tuple, or dict, got {type(branch_fns).__name__}.",
            "give a list of functions.",
        )
    entries: list[Any] = list(branch_fns.items() if isinstance(branch_fns, Mapping) else branch_fns)
    if not entries:
        raise errors.build(ValueError, "switch_case: 'branch_fns' is empty.", "give at least one function.")
    if all(callable(e) for e in entries):
        return entries
    for entry in entries:
        if not isinstance(entry, builtins.tuple) or len(entry) != 2 or type(entry[0]) is not int:
            raise errors.build(
                TypeError,
                f"switch_case: branch_fns must hold pairs whose key must be a Python `int`, got {entry!r}.",
                "write (0, function).",
            )
        _check_callable("switch_case", "fn", entry[1])
    found = dict(entries)
    if sorted(found) != list(range(len(entries))):
        raise errors.build(
            ValueError,
            f"switch_case: branch indices (keys) must form contiguous range of [0 to {len(entries)}), got "
            f"{sorted(k for k, _ in entries)}.",
            "number the branches from 0.",
        )
    return [found[i] for i in range(len(entries))]


def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """The values of variables after a loop: while `cond(*loop_vars)` is true, they become `body(*loop_vars)`.

    Args:
      cond: a function of the loop variables that returns a bool or a scalar tensor.
      body: a function of the loop variables that returns new ones, in the same structure. One variable need not be put
        in a list.
      loop_vars: a list or tuple of tensors, numbers, and nested structures of them.
      shape_invariants: the shapes of the variables, with None for dimensions that change from step to step. Outside of
        functions shapes may change without.
      parallel_iterations, swap_memory: ignored.
      back_prop: False stops gradients.
      maximum_iterations: stop after as many steps.

    Returns:
      The loop variables as tensors, in the structure of `loop_vars`; outside of functions, in a list or tuple as the body
      returns them. Gradients flow through all steps.

    >>> i, total = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), [0, 0])
    >>> total.numpy()
    np.int32(6)
    """
    _check_callable("while_loop", "cond", cond)
    _check_callable("while_loop", "body", body)
    if parallel_iterations < 1:
        raise errors.build(
            TypeError,
            f"while_loop: 'parallel_iterations' must be a positive int, got {parallel_iterations}.",
            "give a positive int.",
        )
    if not isinstance(loop_vars, (list, builtins.tuple)) or not loop_vars:
        raise ValueError(
            errors.compose(
                f"while_loop: 'loop_vars' must be a list of one variable or more, got {errors.brief(loop_vars)}.",
                _CALLS["while_loop"],
            )
        )
    maximum_iterations = _read(maximum_iterations)
    if state.current.trace is not None:

        def test(*values: Any) -> Any:
            return _condition("while_loop: the result of cond", adapted(cond)(*values))

        found = control().repeat(
            "while_loop", test, adapted(body), loop_vars, shape_invariants, _limit(maximum_iterations)
        )
        return found if back_prop else nest.map_structure(stop_gradient, found)
    most = None if maximum_iterations is None else _most(maximum_iterations)
    first = [nest.map_structure(_read, v) for v in loop_vars]
    values, steps, structure = first, 0, loop_vars
    while most is None or steps < most:
        goes_on = _read(cond(*values))
        if is_staged(goes_on):  # it differs between the examples of a map
            rest = -1 if most is None else most - steps
            found = control().repeat("while_loop", adapted(cond), adapted(body), values, shape_invariants, rest)
            return nest.pack_sequence_as(loop_vars, nest.flatten(found))
        if not goes_on:
            break
        result = body(*values)
        if not isinstance(result, (list, builtins.tuple)) and len(first) == 1:
            result = [result]
            structure = loop_vars
        else:
            structure = result  # a list or a tuple, as the body returns it
        values = list(result) if isinstance(result, (list, builtins.tuple)) else [result]
        if values == [None]:
            raise errors.build(TypeError, "while_loop: body must return the loop variables, it returned None.", _BODY)
        nest.check_same_structure("while_loop: body must return the structure of loop_vars.", _BODY, first, values)
        steps += 1
    flat = [_as_leaf(v) for v in nest.flatten(values)]
    found = nest.pack_sequence_as(structure, flat)
    return found if back_prop else nest.map_structure(stop_gradient, found)


def _as_leaf(value: Any) -> Any:
    """A loop variable as a tensor; what consists of tensors stays as it is."""
    is_composite = hasattr(value, "_components") or isinstance(value, IndexedSlices)
    return value if is_composite else convert.convert_to_tensor(value)


_BODY = "return one value for each of loop_vars, in their order: def body(i, x): ...; return i + 1, x."


def _limit(maximum: Any) -> Any:
    """The greatest number of steps, for a graph: -1 if there is none."""
    if maximum is None:
        return -1
    if is_staged(maximum):
        return Maximum(CastToDiscrete(maximum, dtype=dtypes.int32), convert.convert_to_tensor(0))
    return max(_most(maximum), 0)


def _most(maximum: Any) -> int:
    if np.ndim(maximum if not isinstance(maximum, Tensor) else maximum._array):
        raise errors.build(
            ValueError, f"while_loop: 'maximum_iterations' must be a single int, got {maximum!r}.", "give a single int."
        )
    return integer(maximum, "while_loop", "maximum_iterations")


def _read(value: Any) -> Any:
    return value._read() if isinstance(value, Variable) else value


def group(*inputs: Any, **kwargs: Any) -> Any:
    """None: all arguments have already run. In a `tf.Graph`, an operation that sessions run.

    Args:
      *inputs: anything.
      **kwargs: `name`, which is ignored.

    >>> tf.group(tf.constant(1.0), tf.constant(2.0))
    """
    graph = getattr(state.current.trace, "session_graph", None)
    return None if graph is None else graph.group(inputs, kwargs.get("name"))


def no_op(name: str | None = None) -> Any:
    """Do nothing; return None. In a `tf.Graph`, an operation that sessions run.

    Args:
      name: ignored.

    >>> tf.no_op()
    """
    return group(name=name or "NoOp")


def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """The tensors as they are: all of them have been computed.

    Args:
      tensors: a list of tensors and None.
      control_inputs: ignored: they have run already.

    Returns:
      The list.

    >>> [t.numpy() for t in tf.tuple([tf.constant(1), tf.constant(2)])]
    [np.int32(1), np.int32(2)]
    """
    return tensors
