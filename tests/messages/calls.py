"""Valid calls of public functions, taken from the examples in their docstrings.

It runs on gradtape and on TensorFlow: `collect` needs the module `tf` and the text of an example only.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

_SPY = "_spied_call"


class Call(NamedTuple):
    """A call that works: the function, by its name, and what it was given."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def collect(tf: Any, example: str) -> list[Call]:
    """The calls of names that start with `tf.` in an example, in their order; each name once."""
    found: dict[str, Call] = {}

    def spy(name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        found.setdefault(name, Call(name, function, args, kwargs))
        return result

    space = {"tf": tf, "np": np, _SPY: spy}
    for step in doctest.DocTestParser().get_examples(example):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
            tree = ast.fix_missing_locations(_Spied().visit(ast.parse(step.source)))
            exec(compile(tree, "<example>", "exec"), space)
    return list(found.values())


class _Spied(ast.NodeTransformer):
    """`tf.a.b(x)` becomes `_spied_call("tf.a.b", tf.a.b, x)`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = ast.unparse(node.func)
        if not name.startswith("tf.") or not all(part.isidentifier() for part in name.split(".")):
            return node
        spy = ast.Name(_SPY, ast.Load())
        return ast.Call(spy, [ast.Constant(name), node.func, *node.args], node.keywords)


def variants(call: Call, wrong: dict[str, Callable[[Any], Any]], tf: Any) -> Iterator[tuple[str, str, Any, Any]]:
    """The call with one argument replaced by a wrong thing: which argument, which thing, the new arguments."""
    for place in [*range(len(call.args)), *call.kwargs]:
        if place == "name":
            continue
        for kind, make in wrong.items():
            args, kwargs = list(call.args), dict(call.kwargs)
            if isinstance(place, int):
                args[place] = make(tf)
            else:
                kwargs[place] = make(tf)
            yield str(place), kind, args, kwargs


def _identity(x: Any) -> Any:
    return x


# Things that are wrong for most arguments; each is made for the library that it is given to.
WRONG: dict[str, Callable[[Any], Any]] = {
    "none": lambda tf: None,
    "str": lambda tf: "abc",
    "mixed list": lambda tf: [1, "a", None],
    "ragged list": lambda tf: [[1.0, 2.0], [3.0]],
    "empty list": lambda tf: [],
    "dict": lambda tf: {"a": 1},
    "rank 6": lambda tf: tf.ones([1, 2, 1, 2, 1, 1]),
    "scalar": lambda tf: tf.constant(0.5),
    "strings": lambda tf: tf.constant(["a", "b"]),
    "complex": lambda tf: tf.constant([1j, 2j]),
    "function": lambda tf: _identity,
    "model": lambda tf: tf.Module(),
    "object": lambda tf: object(),
    "nan": lambda tf: float("nan"),
    "huge": lambda tf: 10**30,
    "negative": lambda tf: -3,
}


def recorded(table: dict[str, dict[str, str]], name: str, place: str, kind: str) -> str:
    """The letter that a table of recorded outcomes has for a variant of a call; `?` if it has none."""
    letters = table.get(name, {}).get(place, "")
    index = list(WRONG).index(kind)
    return letters[index] if index < len(letters) else "?"
