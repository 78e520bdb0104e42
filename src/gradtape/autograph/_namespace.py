"""The functions that rewritten code calls, under the name `ag__`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from gradtape.autograph import _allowlist as allowlist
from gradtape.autograph import _builtins as builtins
from gradtape.autograph import _operators as operators
from gradtape.autograph._undefined import MISSING_RETURN, Undefined, ldu, scopes
from gradtape.tracing.symbol import Symbol


class FunctionScope:
    """The body of a rewritten function."""

    def __init__(self, function_name: str) -> None:
        self.name = function_name

    def __enter__(self) -> FunctionScope:
        scopes.push()
        return self

    def __exit__(self, *problem: Any) -> None:
        scopes.pop()

    def ret(self, value: Any, did_return: Any) -> Any:
        """What the function returns."""
        if value is MISSING_RETURN or isinstance(value, Undefined):
            return None
        if isinstance(did_return, Symbol):  # some steps of a loop return, or none
            from gradtape.tracing.control.build import Leaves
            from gradtape.tracing.control.checks import required

            leaves = Leaves(value)
            what = f"{self.name} has not returned a value: no step of its loop came to a return statement."
            fix = "end the function with a return statement."
            return leaves.packed([required(t, did_return, what, fix) for t in leaves.tensors])
        return value


def ld(value: Any) -> Any:
    """The value of a variable."""
    if type(value) is Undefined:
        raise UnboundLocalError(f"'{value.name}' is used before assignment")
    return value


@functools.cache
def runtime(called: Callable[..., Any]) -> SimpleNamespace:
    """The namespace; `called` gives what is called in place of what a function calls."""
    return SimpleNamespace(
        FunctionScope=FunctionScope,
        Undefined=Undefined,
        UndefinedReturnValue=lambda: MISSING_RETURN,
        and_=operators.and_,
        assert_stmt=operators.assert_stmt,
        autograph_artifact=allowlist.do_not_convert,
        called=called,
        filter_=operators.filter_,
        for_stmt=operators.for_stmt,
        if_exp=operators.if_exp,
        if_stmt=operators.if_stmt,
        in_=operators.in_,
        ld=ld,
        keep_state=lambda values: None,
        ldu=ldu,
        no_state=tuple,
        not_=operators.not_,
        or_=operators.or_,
        rows=builtins.rows,
        while_stmt=operators.while_stmt,
    )
