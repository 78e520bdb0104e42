"""The public functions of AutoGraph: show the rewritten code, and exclude functions from rewriting."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any

from gradtape.autograph import _allowlist as allowlist
from gradtape.autograph._verbosity import verbosity
from gradtape.core import errors


class Feature(enum.Enum):
    """Optional features of TensorFlow's AutoGraph. With BUILTIN_FUNCTIONS, `print` shows the values of tensors when the function
    runs; the others are always on, or have no meaning here."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """All features."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Any) -> tuple[Feature, ...]:
        """All features but some."""
        left_out = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple([f for f in cls if f not in left_out and f is not cls.ALL])


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """A function that AutoGraph leaves as it is, with all that it calls.

    Args:
      func: the function; without it, a decorator is returned.

    >>> @tf.autograph.experimental.do_not_convert
    ... def plain(x):
    ...     return x * 2.0
    >>> float(tf.function(lambda x: plain(x))(tf.constant(3.0)))
    6.0
    """
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def as_it_is(*args: Any, **kwargs: Any) -> Any:
        from gradtape.autograph._calls import enabled

        with enabled(False):
            return func(*args, **kwargs)

    return allowlist.do_not_convert(as_it_is)


def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Say how the loop around this statement runs, if it is one over tensors; it must be the first statement in the loop.

    Args:
      parallel_iterations, swap_memory: ignored.
      maximum_iterations: stop after as many steps.
      shape_invariants: a list of pairs (tensor, shape): variables whose shapes vary from step to step, where the shape has
        None.

    >>> @tf.function
    ... def grow(n):
    ...     x = tf.constant([0])
    ...     for i in tf.range(n):
    ...         tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
    ...         x = tf.concat([x, [i]], 0)
    ...     return x
    >>> grow(tf.constant(3)).numpy()
    array([0, 0, 1, 2], dtype=int32)
    """


def to_graph(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> Any:
    """The function as AutoGraph rewrites it.

    Args:
      entity: a function or method of Python, or the `tf.function` of one.
      recursive, experimental_optional_features: ignored.

    >>> def sign(x):
    ...     return 1 if x > 0 else -1
    >>> tf.autograph.to_graph(sign)(-2)
    -1
    """
    from gradtape.autograph._cache import rewritten
    from gradtape.autograph._calls import called

    return _applied(entity, lambda function: rewritten(function, called))


def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The text of the function as AutoGraph rewrites it.

    Args:
      entity: a function or method of Python, or the `tf.function` of one.
      recursive, experimental_optional_features: ignored.

    >>> "ag__.if_exp" in tf.autograph.to_code(lambda x: 1 if x > 0 else -1)
    True
    """
    from gradtape.autograph._compile import text_of

    text: str = _applied(entity, text_of)
    return text


def _applied(entity: Any, how: Callable[[Any], Any]) -> Any:
    import types

    from gradtape.autograph._source import Unavailable

    function: Any = getattr(entity, "python_function", entity)
    owner = None
    if isinstance(function, types.MethodType):
        function, owner = function.__func__, function.__self__
    if not isinstance(function, types.FunctionType):
        raise errors.build(
            ValueError, f"AutoGraph: {entity!r} is not a function written in Python.", "give a function or method."
        )
    try:
        made = how(function)
    except Unavailable as problem:
        raise errors.build(
            ValueError, f"AutoGraph could not transform {entity!r}: {problem}.", "see the cause."
        ) from None
    return types.MethodType(made, owner) if owner is not None and callable(made) else made


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Set the verbosity of AutoGraph: level 1 logs which functions it rewrites, level 3 also logs the results.

    Args:
      level: 0 says nothing.
      alsologtostdout: print it too.

    >>> tf.autograph.set_verbosity(0)
    """
    verbosity.level, verbosity.prints = level, alsologtostdout


def trace(*args: Any) -> None:
    """Print values while a function is traced.

    Args:
      *args: anything; of tensors, what is known of them.

    >>> tf.autograph.trace("x is", 3)
    x is 3
    """
    print(*args)
