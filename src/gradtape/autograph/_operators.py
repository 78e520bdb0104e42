"""What statements and operators became in rewritten functions. Values of Python are treated here, as Python does; for tensors, what
puts them into the graph is loaded when the first one comes (branches.py, loops.py, logic.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape.autograph._builtins import Rows
from gradtape.autograph._undefined import as_tensor, in_loop, is_staged, is_symbolic, traces
from gradtape.core import errors
from gradtape.core.tensor import Tensor

State = tuple[Any, ...]


def if_stmt(
    cond: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: Sequence[str],
    nouts: int,
) -> None:
    """An `if` statement.

    Args:
      cond: the condition.
      body, orelse: the branches, which change the function's variables.
      get_state, set_state: read and write all variables that some branch changes.
      symbol_names: what those are called.
      nouts: how many of them are read after the statement; the first ones.
    """
    cond = as_tensor(cond)
    if not is_staged(cond):
        (body if cond else orelse)()
        return
    from gradtape.autograph._if import if_over_tensor

    if_over_tensor(cond, body, orelse, get_state, set_state, symbol_names, nouts)


def if_exp(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], text: str = "") -> Any:
    """`a if condition else b`."""
    cond = as_tensor(cond)
    if not is_staged(cond):
        return if_true() if cond else if_false()
    from gradtape.autograph._if import choice_by_tensor

    return choice_by_tensor(cond, if_true, if_false)


def for_stmt(
    iter_: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: Sequence[str],
    opts: dict[str, Any],
) -> None:
    """A `for` statement. `extra_test` is false after a `break` or `return`."""
    iter_ = as_tensor(iter_)
    if extra_test is None and not isinstance(iter_, (Tensor, Rows)) and not hasattr(iter_, "_staged_steps"):
        with in_loop():
            for target in iter_:
                body(target)
        return
    from gradtape.autograph._loops import for_loop

    for_loop(iter_, extra_test, body, get_state, set_state, symbol_names, opts)


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], Any],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: Sequence[str],
    opts: dict[str, Any],
) -> None:
    """A `while` statement."""
    from gradtape.autograph._loops import while_loop

    while_loop(test, body, get_state, set_state, symbol_names, opts)


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a and b`, where b is evaluated only if a is true."""
    first = as_tensor(a())
    if not is_symbolic(first):
        return b() if first else first
    from gradtape.autograph._logic import and_of_tensor

    return and_of_tensor(first, b)


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a or b`, where b is evaluated only if a is false."""
    first = as_tensor(a())
    if not is_symbolic(first):
        return first if first else b()
    from gradtape.autograph._logic import or_of_tensor

    return or_of_tensor(first, b)


def not_(a: Any) -> Any:
    """`not a`; of a tensor with axes, of each element."""
    a = as_tensor(a)
    if not is_symbolic(a) and not (isinstance(a, Tensor) and a.ndim and a.dtype.is_bool):
        return not a
    from gradtape.autograph._logic import not_of_tensor

    return not_of_tensor(a)


def in_(item: Any, container: Any) -> Any:
    """`item in container`."""
    container = as_tensor(container)
    if not is_symbolic(container) and not is_symbolic(as_tensor(item)):
        return item in container
    from gradtape.autograph._logic import in_with_tensors

    return in_with_tensors(item, container)


def filter_(test: Any) -> Any:
    """The condition of a comprehension: a list has a length that is known."""
    if is_symbolic(as_tensor(test)):
        raise errors.build(
            errors.OperatorNotAllowedInGraphError,
            "a comprehension whose `if` depends on a tensor has a length that is not known while it is traced.",
            "use tf.boolean_mask, or tf.where to replace what is to be left out.",
        )
    return test


def assert_stmt(test: Any, message: Callable[[], Any]) -> None:
    """An `assert` statement; on a tensor it is checked when the function runs."""
    test = as_tensor(test)
    if not is_symbolic(test) or not traces():
        if not test:
            raise AssertionError(*[m for m in (message(),) if m != ""])
        return
    from gradtape.autograph._logic import assert_tensor

    assert_tensor(test, message())
