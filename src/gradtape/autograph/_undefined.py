"""The values of a function's variables as branches and loops see them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradtape.core import errors, nest, state
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable


class Undefined:
    """Stands for a variable that has no value yet."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"

    def __getattr__(self, name: str) -> Any:
        raise UnboundLocalError(f"'{self.name}' is used before assignment")

    __getitem__ = __getattr__


class _MissingReturn:
    """Stands for the value of a function that has not come to a return statement."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<nothing returned>"


MISSING_RETURN = _MissingReturn()


def ldu(load: Callable[[], Any], name: str) -> Any:
    """The value of an attribute or item; Undefined if there is none."""
    try:
        return load()
    except (KeyError, AttributeError, NameError, IndexError):
        return Undefined(name)


class _Scopes(threading.local):
    """For each rewritten function that is running: how many loops over tensors are being traced in it."""

    def __init__(self) -> None:
        self.loops = [0]

    def push(self) -> None:
        self.loops.append(0)

    def pop(self) -> None:
        self.loops.pop()

    @property
    def in_loop(self) -> bool:
        """True in a loop over tensors of the innermost function."""
        return self.loops[-1] > 0


scopes = _Scopes()


@contextmanager
def in_loop() -> Iterator[None]:
    """Run a block that is the body of a loop."""
    scopes.loops[-1] += 1
    try:
        yield
    finally:
        scopes.loops[-1] -= 1


def is_missing(value: Any) -> bool:
    """True if a variable has no value."""
    return isinstance(value, Undefined) or value is MISSING_RETURN


def is_return(name: str) -> bool:
    """True for the variables that the rewriting makes for return statements."""
    return name.startswith(("do_return", "retval_"))


def called(name: str) -> str:
    """A variable in a message: its name, or what a return statement gives."""
    return "the returned value" if is_return(name) else f"'{name}'"


def is_symbolic(value: Any) -> bool:
    """True for a tensor that has no value yet, or stands for many examples."""
    return isinstance(value, Tensor) and type(value) is not Tensor


def is_staged(value: Any) -> bool:
    """True if what depends on a value goes into the graph: a tensor in a trace, even if its value is known, as both branches have
    a part in shapes and gradients."""
    return isinstance(value, Tensor) and (type(value) is not Tensor or traces())


def as_tensor(value: Any) -> Any:
    """A variable's value in place of it; other values as they are."""
    return value._read() if isinstance(value, Variable) else value


def traces() -> bool:
    """True while a function is traced."""
    return state.current.trace is not None


def holds_tensors(value: Any) -> bool:
    """True if a value can be carried by a loop or come out of a branch: tensors, numbers, and structures of them."""
    return all(
        isinstance(leaf, (Tensor, Variable, bool, int, float, complex, str, bytes))
        or hasattr(leaf, "_components")
        or (hasattr(leaf, "dtype") and hasattr(leaf, "shape"))
        for leaf in nest.flatten(value)
    )


def same(values: Sequence[Any]) -> bool:
    """True if values of Python are the same, so that they need not become tensors."""
    first, *others = values
    if all(v is first for v in others):
        return not isinstance(first, Tensor)
    simple = (bool, int, float, complex, str, bytes, type(None))
    return all(type(v) is type(first) and isinstance(v, simple) and v == first for v in others)


def refuse(kind: type[Exception], what: str, fix: str) -> Exception:
    """An error about a variable, in three lines."""
    return kind(errors.compose(what, fix, depth=2))
