"""`and`, `or`, `not`, `in` and `assert` on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.autograph._undefined import as_tensor, is_symbolic
from gradtape.core import convert, dtypes, provenance
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor
from gradtape.tracing.control.block import BlockTrace
from gradtape.tracing.control.build import as_bool
from gradtape.tracing.control.checks import ENSURE
from gradtape.tracing.control.staged_functions import choose


def and_of_tensor(first: Any, second: Callable[[], Any]) -> Any:
    """`a and b`, where b is evaluated only if a is true."""
    return _lazily(first, second, "logical_and", lambda a, b: (lambda: a, b))


def or_of_tensor(first: Any, second: Callable[[], Any]) -> Any:
    """`a or b`, where b is evaluated only if a is false."""
    return _lazily(first, second, "logical_or", lambda a, b: (b, lambda: a))


def _lazily(first: Any, b: Callable[[], Any], name: str, order: Any) -> Any:
    first = as_bool(first)
    scratch = BlockTrace(name)
    with scratch:
        second = as_bool(b())
    if not scratch.assigned and all(_is_cheap(node) for node in scratch.graph.nodes):
        return REGISTRY[name](first, as_bool(b()) if is_symbolic(second) else second)
    return choose(name, first, order(first, lambda: as_bool(b())), ("the first operand", "the second operand"))


def _is_cheap(node: Any) -> bool:
    """True if evaluating a node where Python would not does no harm: it cannot fail, and takes no time."""
    size = 1
    for value in node.outputs:
        for d in value.spec.shape:
            size *= d or 1000
    return bool(getattr(node.op, "elementwise", False)) and not node.effect and size <= 1000


def not_of_tensor(a: Any) -> Any:
    """`not a`: of each element."""
    return REGISTRY["logical_not"](a if a.dtype is dtypes.bool_ else as_bool(a))


def in_with_tensors(item: Any, container: Any) -> Any:
    """`item in container`, where one of them is a tensor without a value."""
    if isinstance(container, Tensor):
        return _any_equal(container, item)
    if isinstance(container, (list, tuple, range)):
        found: Any = False
        for other in container:
            one = as_tensor(item) == other
            found = one if found is False else REGISTRY["logical_or"](found, one)
        return found
    return item in container


def _any_equal(container: Any, item: Any) -> Any:
    equal = REGISTRY["equal"](container, convert.like(as_tensor(item), container.dtype))
    return REGISTRY["reduce_any"](equal, axis=tuple(range(equal.ndim)), keepdims=False)


def assert_tensor(test: Any, shown: Any) -> None:
    """An `assert` statement that is checked when the function runs."""
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
