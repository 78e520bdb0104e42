"""`tf.debugging`: checks of values. What is known while a function is traced is checked then, the rest when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors, nest, provenance
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor, host
from gradtape.core.variable import Variable
from gradtape.names.effects import known, perform
from gradtape.names.printing import text_of

__all__ = [
    "Assert", "assert_equal", "assert_greater", "assert_greater_equal", "assert_less", "assert_less_equal", "assert_near",
    "assert_negative", "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive",
]  # fmt: skip


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> None:  # noqa: N802
    """Raise InvalidArgumentError unless a condition is true.

    Args:
      condition: a bool or a scalar bool tensor.
      data: a list of values that the message shows.
      summarize: how many elements of each are shown; 3 at each end by default.
      name: ignored.

    >>> tf.Assert(tf.constant(1.0) < 2.0, ["all is well"])
    """
    tensors = [x for x in data if isinstance(x, (Tensor, Variable))]
    truth = convert.convert_to_tensor(condition)

    def what(*values: Any) -> str:
        remaining = iter(values)
        shown = [
            text_of(next(remaining), summarize or 3) if isinstance(x, (Tensor, Variable)) else str(x) for x in data
        ]
        return f"Expected '{condition!s}' to be true. Summarized data: " + "\n".join(shown)

    check("Assert", lambda truth, *values: bool(np.all(_array(truth))), what, [truth, *tensors])


def check(name: str, holds: Callable[..., bool], what: Callable[..., str], tensors: list[Any]) -> None:
    """Raise InvalidArgumentError unless a condition holds, now or when the program comes here.

    Args:
      name: of the public function.
      holds: a function of the tensors.
      what: a function of the tensors after the first that gives the message.
      tensors: what the condition depends on.
    """
    values = [x._read() if isinstance(x, Variable) else x for x in tensors]
    if known(*values):
        place = provenance.user_place(2)

        def now(*values: Any) -> None:
            if not holds(*values):
                site = provenance.Site.of(place)
                raise errors.InvalidArgumentError(what(*values[1:]) + (f"\n  at:  {site}" if site else ""))

        now(*values)
        return

    def act(*values: Any) -> None:
        if not holds(*values):
            raise errors.InvalidArgumentError(what(*values[1:]))  # the program adds the line

    perform(name, act, values)


def _array(x: Any) -> Any:
    return np.asarray(host(x._array))


def _compared(
    name: str, sign: str, op: str, x: Any, y: Any, message: str | None, summarize: int | None, each: bool = True
) -> None:
    """Check a relation between all elements of two values, which broadcast."""
    a = convert.convert_to_tensor(x)
    b = convert.like(y, a.dtype)
    truth = REGISTRY[op](a, b)

    def what(a: Any, b: Any) -> str:
        lines = [message] if message else []
        lines.append(f"Condition x {sign} y did not hold.")
        p, q = np.broadcast_arrays(_array(a), _array(b))
        compared = np.asarray(REGISTRY[op].kernel(p, q))
        count = 3 if summarize is None else summarize
        places = np.argwhere(~compared)
        places = places if count < 0 else places[:count]
        picked = tuple(places.T)
        lines += [f"Indices of first {len(places)} different values:", str(places)]
        lines += ["Corresponding x values:", str(p[picked]), "Corresponding y values:", str(q[picked])]
        for letter, array in (("x", _array(a)), ("y", _array(b))):
            flat = array.reshape(-1)
            flat = flat if count < 0 else flat[:count]
            lines += [f"First {flat.size} elements of {letter}:", str(flat)]
        return "\n".join(lines)

    check(name, lambda truth, *values: bool(np.all(_array(truth))), what, [truth, a, b])


_RELATIONS = {
    "assert_equal": ("==", "equal", "[1, 2], [1, 2]"),
    "assert_none_equal": ("!=", "not_equal", "[1, 2], [3, 4]"),
    "assert_less": ("<", "less", "[1, 2], 3"),
    "assert_less_equal": ("<=", "less_equal", "[1, 2], 2"),
    "assert_greater": (">", "greater", "[1, 2], 0"),
    "assert_greater_equal": (">=", "greater_equal", "[1, 2], 1"),
}


def _relation(name: str) -> Any:
    sign, op, example = _RELATIONS[name]

    def function(x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None) -> None:
        _compared(function.__name__, sign, op, x, y, message, summarize)

    def swapped(x: Any, y: Any, summarize: Any = None, message: Any = None, name: str | None = None) -> None:
        _compared(swapped.__name__, sign, op, x, y, message, summarize)

    chosen = swapped if name == "assert_none_equal" else function
    chosen.__name__ = chosen.__qualname__ = name
    chosen.__doc__ = f"""Raise InvalidArgumentError unless `x {sign} y` for all elements; the shapes broadcast.

    Args:
      x: a tensor, or a value that becomes one.
      y: of the same dtype.
      message: stands before the details.
      summarize: how many elements the message shows; 3 by default, -1 for all.
      name: ignored.

    >>> tf.debugging.{name}({example})
    """
    return chosen


assert_equal = _relation("assert_equal")
assert_none_equal = _relation("assert_none_equal")
assert_less = _relation("assert_less")
assert_less_equal = _relation("assert_less_equal")
assert_greater = _relation("assert_greater")
assert_greater_equal = _relation("assert_greater_equal")

_SIGNS = {
    "assert_positive": (">", "greater", "[1, 2]"),
    "assert_negative": ("<", "less", "[-1, -2]"),
    "assert_non_negative": (">=", "greater_equal", "[0, 2]"),
    "assert_non_positive": ("<=", "less_equal", "[0, -2]"),
}


def _sign(name: str) -> Any:
    sign, op, example = _SIGNS[name]

    def function(x: Any, message: Any = None, summarize: Any = None, name: str | None = None) -> None:
        a = convert.convert_to_tensor(x)
        truth = REGISTRY[op](a, a.dtype.numpy.type(0))

        def what(a: Any) -> str:
            head = f"{message or ''}\nCondition x {sign} 0 did not hold element-wise:"
            text = text_of(a, 3 if summarize is None else summarize)
            return f"{head}\nx (shape={a.shape} dtype={a.dtype.name}) = \n{text}"

        check(function.__name__, lambda truth, a: bool(np.all(_array(truth))), what, [truth, a])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Raise InvalidArgumentError unless `x {sign} 0` for all elements.

    Args:
      x: a tensor of numbers, or a value that becomes one.
      message: stands before the details.
      summarize: how many elements at each end the message shows; 3 by default, -1 for all.
      name: ignored.

    >>> tf.debugging.{name}({example})
    """
    return function


assert_positive = _sign("assert_positive")
assert_negative = _sign("assert_negative")
assert_non_negative = _sign("assert_non_negative")
assert_non_positive = _sign("assert_non_positive")


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise InvalidArgumentError unless `|x - y| <= atol + rtol * |y|` for all elements.

    Args:
      x: a tensor of floats, or a value that becomes one.
      y: of the same dtype.
      rtol, atol: tolerances; ten times the spacing of numbers near 1 by default.
      message: stands before the details.
      summarize: how many elements the message shows; 3 at each end by default.
      name: ignored.

    >>> tf.debugging.assert_near(0.1 + 0.2, 0.3)
    """
    a = convert.convert_to_tensor(x)
    b = convert.like(y, a.dtype)
    real = a.dtype.real_dtype if a.dtype.is_complex else a.dtype
    step = 10 * float(np.finfo(real.numpy).eps) if real.kind == "f" else 10 * 0.0078125
    relative = convert.convert_to_tensor(step if rtol is None else rtol, real)
    absolute = convert.convert_to_tensor(step if atol is None else atol, real)
    size = REGISTRY["abs"](b)
    truth = REGISTRY["less_equal"](REGISTRY["abs"](a - b), absolute + relative * size)

    def what(a: Any, b: Any, relative: Any, absolute: Any) -> str:
        lines = [message] if message else []
        lines.append(f"x and y not equal to tolerance rtol = {_array(relative)[()]!s}, atol = {_array(absolute)[()]!s}")
        for letter, value in (("x", a), ("y", b)):
            text = text_of(value, 3 if summarize is None else summarize)
            lines.append(f"{letter} (shape={value.shape} dtype={value.dtype.name}) = \n{text}")
        return "\n".join(lines)

    check("assert_near", lambda truth, *_: bool(np.all(_array(truth))), what, [truth, a, b, relative, absolute])


def assert_proper_iterable(values: Any) -> None:
    """Raise TypeError unless `values` is a list or another iterable that is no tensor, array or string.

    >>> tf.debugging.assert_proper_iterable([1, 2])
    """
    if isinstance(values, (Tensor, Variable, np.ndarray, str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(
            errors.compose(
                f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}', "pass a list."
            )
        )


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> dtypes.DType:
    """The floating point dtype that all tensors have; ValueError if they differ, or it is no such dtype.

    Args:
      tensors: a list of tensors; None among them does not count.
      dtype: the dtype that they must have; by default that of the first.

    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant([2.0])])
    tf.float32
    """
    found = None if dtype is None else dtypes.as_dtype(dtype)
    first: Any = None
    for t in nest.flatten(tensors or []):
        if t is None:
            continue
        if found is None:
            found, first = t.dtype, t
        elif t.dtype is not found:
            raise ValueError(
                errors.compose(
                    f"{t}, type={t.dtype}, must be of the same type ({found})"
                    + (f" as {first}." if first is not None else "."),
                    f"use tf.cast(x, {found!r}).",
                )
            )
    found = found or dtypes.float32
    if not found.is_floating:
        raise ValueError(errors.compose(f"Expected floating point type, got {found!r}.", "use tf.cast."))
    return found
