"""Operators of tensors whose sizes are known only when a function runs.

The methods of operators are written for known sizes. An operator that is made while a function is traced keeps the arguments that it was
made of: its **recipe**. Where a size or value is not known, the operator is *late*: it has its recipe and nothing else, and each of its
methods is one node of the graph, which makes the operator and calls the method when the function runs. A method that gives an operator
gives a late one.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from gradtape.core import state
from gradtape.core.deferral import Unknown

_current = state.current
# The methods that give tensors, and those that give operators. Products and solutions give operators if they are given one.
TENSORS = frozenset(
    [
        "matmul",
        "matvec",
        "solve",
        "solvevec",
        "determinant",
        "log_abs_determinant",
        "trace",
        "diag_part",
        "to_dense",
        "add_to_tensor",
        "eigvals",
        "cond",
        "shape_tensor",
        "batch_shape_tensor",
        "domain_dimension_tensor",
        "range_dimension_tensor",
        "tensor_rank_tensor",
        "convolution_kernel",
    ]
)
FACTS = ("_dtype", "_is_non_singular", "_is_self_adjoint", "_is_positive_definite", "_is_square")
OPERATORS = frozenset(["adjoint", "inverse", "cholesky"])


class Recipe(NamedTuple):
    """The construction of an operator: the callable and its arguments, with recipes in place of operators.

    Classes of ours are called by their names in `tf.linalg`, and a method by METHOD, so that a saved model can hold recipes.
    """

    make: Callable[..., Any] | str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


METHOD = "method"
_ROOM = "gradtape.linalg"


def recipe_for(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Recipe:
    """The recipe of an operator of a class."""
    is_ours = cls.__module__.startswith(f"{_ROOM}._operators.")
    return Recipe(cls.__name__ if is_ours else cls, args, kwargs)


def _maker(recipe: Recipe) -> Any:
    """The callable of a recipe. A name may come from a file: names of anything but operators are refused."""
    make = recipe.make
    if not isinstance(make, str):
        return make
    if make == METHOD:
        return call
    if not make.startswith("LinearOperator"):
        raise ValueError(f"{make!r} is not a linear operator.")
    return getattr(importlib.import_module(_ROOM), make)


class _Thread(threading.local):
    """True inside a method, whose own calls must not wait separately."""

    is_inside = False


_thread = _Thread()


@contextmanager
def _inside() -> Iterator[None]:
    around = _thread.is_inside
    _thread.is_inside = True
    try:
        yield
    finally:
        _thread.is_inside = around


def _waits() -> bool:
    """True if an operator or method may wait for sizes: in a trace, outside of other operators' methods."""
    return _current.trace is not None and not _thread.is_inside


def recipe_of(value: Any) -> Any:
    """A value with recipes in place of the operators that were made in a trace; the tensors of others are known."""
    own = value if isinstance(value, Recipe) else getattr(value, "__dict__", {}).get("_recipe")
    if own is not None:
        return Recipe(own.make, recipe_of(own.args), recipe_of(own.kwargs))
    if type(value) in (list, tuple):
        return type(value)([recipe_of(v) for v in value])
    if isinstance(value, Mapping):
        return {k: recipe_of(v) for k, v in value.items()}
    return value


def _made(value: Any) -> Any:
    """A value with operators in place of their recipes."""
    if isinstance(value, Recipe):
        return _maker(value)(*_made(value.args), **_made(value.kwargs))
    if type(value) in (list, tuple):
        return type(value)([_made(v) for v in value])
    if type(value) is dict:
        return {k: _made(v) for k, v in value.items()}
    return value


def call(method: str, operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The computation of a late node: a method of an operator, from the operator's recipe."""
    if method not in TENSORS | OPERATORS:
        raise ValueError(f"{method!r} is not a method of linear operators that computes.")
    with _inside():
        return getattr(_made(operator), method)(*_made(args), **_made(kwargs))


def patient(method: Callable[..., Any], late: Callable[[Recipe], Any], is_operator: Callable[[Any], bool]) -> Any:
    """A method that becomes a late node if it needs sizes that are not known yet.

    Args:
      method: of an operator.
      late: gives the late operator of a recipe.
      is_operator: tells operators from other arguments.
    """
    name = method.__name__

    @functools.wraps(method)
    def public(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not _waits():
            return method(self, *args, **kwargs)
        missing: Unknown | None = None
        if not self._is_late:
            try:
                with _inside():
                    return method(self, *args, **kwargs)
            except Unknown as problem:
                missing = problem
        given = (name, recipe_of(self), recipe_of(args), recipe_of(kwargs))
        if name in OPERATORS or any(is_operator(x) for x in (*args, *kwargs.values())):
            return late(Recipe(METHOD, given, {}))
        return state.tracing().later(call, given, {}, missing, f"operator {name}")

    return public


def patient_init(init: Callable[..., None], become_late: Callable[[Any], None]) -> Any:
    """A constructor that makes a late operator if it needs sizes that are not known yet."""

    @functools.wraps(init)
    def public(self: Any, *args: Any, **kwargs: Any) -> None:
        if type(self).__init__ is not public:
            init(self, *args, **kwargs)
            return
        if _current.trace is None or _thread.is_inside:
            init(self, *args, **kwargs)
            vars(self)["_arguments"] = (args, kwargs)
            if _current.trace is not None:
                vars(self)["_recipe"] = recipe_for(type(self), args, kwargs)
            return
        is_late = _holds_late((args, kwargs))
        if not is_late:
            try:
                with _inside():
                    init(self, *args, **kwargs)
            except Unknown:
                is_late = True
                vars(self).clear()
        vars(self)["_recipe"], vars(self)["_arguments"] = recipe_for(type(self), args, kwargs), (args, kwargs)
        if is_late:
            become_late(self)

    return public


def _holds_late(value: Any) -> bool:
    """True if there is a late operator among arguments, also in lists."""
    if isinstance(value, (list, tuple, dict)):
        return any(_holds_late(v) for v in (value.values() if isinstance(value, dict) else value))
    return getattr(value, "__dict__", {}).get("_is_late", False) is True


def facts(recipe: Recipe) -> dict[str, Any]:
    """The facts about an operator that do not depend on sizes: FACTS by name."""
    found = state.tracing().later(told, (recipe_of(recipe),), {}, None, "operator facts")
    return dict(zip(FACTS, found, strict=True))


def told(recipe: Any) -> tuple[Any, ...]:
    """The facts of the operator that is made of a recipe."""
    with _inside():
        made = _made(recipe)
    return tuple([getattr(made, name) for name in FACTS])


def argument(recipe: Recipe, name: str) -> Any:
    """An argument of the constructor that a recipe calls, by name, or its default; AttributeError if there is none."""
    if recipe.make == METHOD:
        raise AttributeError(name)
    bound = inspect.signature(_maker(recipe)).bind(*recipe.args, **recipe.kwargs)
    bound.apply_defaults()
    if name not in bound.arguments:
        raise AttributeError(name)
    return bound.arguments[name]
