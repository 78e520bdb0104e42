"""`tf.debugging`: checks of values. Known values are checked while a function is traced, the others when it runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradtape.api.effects import known, perform
from gradtape.core import convert, dtypes, errors, nest, provenance
from gradtape.core.op import REGISTRY
from gradtape.core.state import current as _current
from gradtape.core.tensor import Tensor, host
from gradtape.core.variable import Variable
from gradtape.toplevel.printing import Gap, text_of


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> None:  # noqa: N802
    """Raise InvalidArgumentError unless a condition is true.

    Args:
      condition: a bool or a scalar bool tensor.
      data: a list of values that the message shows.
      summarize: how many elements of each are shown; 3 at each end by default.

    >>> tf.Assert(tf.constant(1.0) < 2.0, ["all is well"])
    """
    tensors = [x for x in data if isinstance(x, (Tensor, Variable))]
    truth = convert.convert_to_tensor(condition)
    shown = [Gap.TENSOR if isinstance(x, (Tensor, Variable)) else str(x) for x in data]
    is_traced = _current.trace is not None
    text = Gap.TENSOR if is_traced or not known(truth) else condition  # in a function, only its run tells
    what = partial(_data_text, text, shown, summarize or 3)
    if is_traced and known(truth) and not np.all(_array(truth)):
        perform("Assert", partial(_require, what), [truth, *tensors])  # perhaps in a branch that no run takes
    else:
        check("Assert", what, [truth, *tensors])


def _data_text(condition: Any, shown: list[Any], summarize: int, *values: Any) -> str:
    remaining = iter(values)
    texts = [text_of(next(remaining), summarize) if x is Gap.TENSOR else x for x in shown]
    if condition is Gap.TENSOR:
        return "assertion failed: " + " ".join([f"[{text}]" if text[:1] != "[" else text for text in texts])
    return f"Expected '{condition}' to be true. Summarized data: " + "\n".join(texts)


def check(name: str, what: Callable[..., str], tensors: list[Any]) -> None:
    """Raise InvalidArgumentError unless a condition holds everywhere, immediately or when the traced program runs.

    Args:
      name: of the public function.
      what: a function of the tensors after the first that gives the message.
      tensors: the condition, and what the message depends on.
    """
    values = [x._read() if isinstance(x, Variable) else x for x in tensors]
    if known(*values):
        if not np.all(_array(values[0])):
            site = provenance.user_site(2)
            raise errors.InvalidArgumentError(what(*values[1:]) + (f"\n  at:  {site}" if site else ""))
        return
    perform(name, partial(_require, what), values)


def _require(what: Callable[..., str], truth: Any, *values: Any) -> None:
    if not np.all(_array(truth)):
        raise errors.InvalidArgumentError(what(*values))  # the program adds the line


def _array(x: Any) -> Any:
    return np.asarray(host(x._array))


def _compared(name: str, sign: str, op: str, x: Any, y: Any, message: str | None, summarize: int | None) -> None:
    """Check a relation between all elements of two values, which broadcast."""
    a = convert.convert_to_tensor(x)
    b = convert.like(y, a.dtype)
    truth = REGISTRY[op](a, b)
    check(name, partial(_relation_text, sign, op, message, 3 if summarize is None else summarize), [truth, a, b])


def _relation_text(sign: str, op: str, message: str | None, count: int, a: Any, b: Any) -> str:
    lines = [message] if message else []
    lines.append(f"Condition x {sign} y did not hold.")
    p, q = np.broadcast_arrays(_array(a), _array(b))
    compared = np.asarray(REGISTRY[op].kernel(p, q))
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
        what = partial(_sign_text, sign, message or "", 3 if summarize is None else summarize)
        check(function.__name__, what, [truth, a])

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


def _sign_text(sign: str, message: str, summarize: int, a: Any) -> str:
    head = f"{message}\nCondition x {sign} 0 did not hold element-wise:"
    return f"{head}\nx (shape={a.shape} dtype={a.dtype.name}) = \n{text_of(a, summarize)}"


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

    >>> tf.debugging.assert_near(0.1 + 0.2, 0.3)
    """
    a = convert.convert_to_tensor(x)
    b = convert.like(y, a.dtype)
    real = a.dtype.real_dtype if a.dtype.is_complex else a.dtype
    if real.kind not in "fV" and (rtol is None or atol is None):
        raise errors.build(
            ValueError,
            f"assert_near: x must be floating point, got {real.name}.",
            "use assert_equal, or give rtol and atol.",
        )
    step = 10 * float(np.finfo(real.numpy).eps) if real.kind == "f" else 10 * 0.0078125
    relative = convert.convert_to_tensor(step if rtol is None else rtol, real)
    absolute = convert.convert_to_tensor(step if atol is None else atol, real)
    magnitude = REGISTRY["complex_abs" if a.dtype.is_complex else "abs"]
    truth = REGISTRY["less_equal"](magnitude(a - b), absolute + relative * magnitude(b))
    what = partial(_near_text, message, 3 if summarize is None else summarize)
    check("assert_near", what, [truth, a, b, relative, absolute])


def _near_text(message: str | None, summarize: int, a: Any, b: Any, relative: Any, absolute: Any) -> str:
    lines = [message] if message else []
    lines.append(f"x and y not equal to tolerance rtol = {_array(relative)[()]!s}, atol = {_array(absolute)[()]!s}")
    for letter, value in (("x", a), ("y", b)):
        lines.append(f"{letter} (shape={value.shape} dtype={value.dtype.name}) = \n{text_of(value, summarize)}")
    return "\n".join(lines)


def assert_proper_iterable(values: Any) -> None:
    """Raise TypeError unless `values` is a list or another iterable, but not a tensor, array or string.

    >>> tf.debugging.assert_proper_iterable([1, 2])
    """
    if isinstance(values, (Tensor, Variable, np.ndarray, str, bytes)) or not hasattr(values, "__iter__"):
        raise errors.build(
            TypeError,
            f'Expected argument "values" to be a "proper" iterable: not a tensor, an array or a string, and it needs to be iterable.  Found: {type(values)}',
            "pass a list.",
        )


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> dtypes.DType:
    """The common floating point dtype of the tensors; ValueError if they differ or are not floating point.

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
            raise errors.build(
                ValueError,
                f"{t}, type={t.dtype}, must be of the same type ({found})"
                + (f" as {first}." if first is not None else "."),
                f"use tf.cast(x, {found!r}).",
            )
    found = found or dtypes.float32
    if not found.is_floating:
        raise errors.build(ValueError, f"Expected floating point type, got {found!r}.", "tf.cast(x, tf.float32).")
    return found
