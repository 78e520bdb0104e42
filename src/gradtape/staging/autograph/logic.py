"""`and`, `or`, `not`, `in` and `assert`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import convert, errors, provenance
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor
from gradtape.staging.autograph.values import as_tensor, is_symbolic, traces
from gradtape.staging.control_block import BlockTrace
from gradtape.staging.control_checks import ENSURE
from gradtape.staging.control_functions import choose
from gradtape.staging.control_stage import as_bool


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a and b`, where b is evaluated only if a is true."""
    return _lazily(a, b, "logical_and", lambda first, second: (lambda: first, second), stops=False)


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a or b`, where b is evaluated only if a is false."""
    return _lazily(a, b, "logical_or", lambda first, second: (second, lambda: first), stops=True)


def _lazily(a: Callable[[], Any], b: Callable[[], Any], name: str, order: Any, stops: bool) -> Any:
    first = as_tensor(a())
    if not is_symbolic(first):
        return first if bool(first) is stops else b()
    first = as_bool(first)
    scratch = BlockTrace(name)
    with scratch:
        second = as_bool(b())
    if not scratch.assigned and all(_is_cheap(node) for node in scratch.graph.nodes):
        return REGISTRY[name](first, as_bool(b()) if is_symbolic(second) else second)
    return choose(
        name, first, order(first, lambda: as_bool(b())), ("the first operand", "the second operand"), adapts=False
    )


def _is_cheap(node: Any) -> bool:
    """True if evaluating a node where Python would not does no harm: it cannot fail, and takes no time."""
    size = 1
    for value in node.outputs:
        for d in value.spec.shape:
            size *= d or 1000
    return bool(getattr(node.op, "elementwise", False)) and not node.effect and size <= 1000


def not_(a: Any) -> Any:
    """`not a`."""
    a = as_tensor(a)
    return REGISTRY["logical_not"](as_bool(a)) if is_symbolic(a) else not a


def in_(item: Any, container: Any) -> Any:
    """`item in container`."""
    container = as_tensor(container)
    if isinstance(container, Tensor) and (is_symbolic(container) or is_symbolic(item)):
        return _any_equal(container, item)
    if is_symbolic(as_tensor(item)) and isinstance(container, (list, tuple, range)):
        found: Any = False
        for other in container:
            one = as_tensor(item) == other
            found = one if found is False else REGISTRY["logical_or"](found, one)
        return found
    return item in container


def _any_equal(container: Any, item: Any) -> Any:
    equal = REGISTRY["equal"](container, convert.like(as_tensor(item), container.dtype))
    return REGISTRY["reduce_any"](equal, axis=tuple(range(equal.ndim)), keepdims=False)


def filter_(test: Any) -> Any:
    """The condition of a comprehension: a list has a length that is known."""
    if is_symbolic(as_tensor(test)):
        raise errors.OperatorNotAllowedInGraphError(
            errors.compose(
                "a comprehension whose `if` depends on a tensor has a length that is not known while it is traced.",
                "use tf.boolean_mask, or tf.where to replace what is to be left out.",
            )
        )
    return test


def assert_stmt(test: Any, message: Callable[[], Any]) -> None:
    """An `assert` statement; on a tensor it is checked when the function runs."""
    test = as_tensor(test)
    if not is_symbolic(test) or not traces():
        if not test:
            raise AssertionError(*[m for m in (message(),) if m != ""])
        return
    shown = message()
    parts = shown if isinstance(shown, (list, tuple)) else [shown]
    text = " ".join(str(p) for p in parts if not isinstance(p, Tensor)) or _line()
    ENSURE(
        as_bool(REGISTRY["reduce_all"](test, axis=tuple(range(test.ndim)), keepdims=False) if test.ndim else test),
        *[p for p in parts if isinstance(p, Tensor)],
        what=text,
    )


def _line() -> str:
    site = provenance.user_site(3)
    return "" if site is None else site.source
