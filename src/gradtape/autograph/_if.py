"""`if` statements and conditional expressions over tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape.autograph._undefined import (
    MISSING_RETURN,
    called,
    holds_tensors,
    is_missing,
    is_return,
    refuse,
    same,
    scopes,
)
from gradtape.core import nest
from gradtape.tracing.control.block import BlockTrace, empty, spec
from gradtape.tracing.control.build import Leaves, as_bool, run_branches
from gradtape.tracing.control.staged_functions import choose, completed

_MAIN, _ELSE = "main", "else"


def if_over_tensor(
    cond: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[tuple[Any, ...]], None],
    symbol_names: Sequence[str],
    nouts: int,
) -> None:
    """An `if` statement whose condition is a tensor; see `statements.if_stmt`."""
    index = as_bool(cond)
    before = get_state()
    traces = [BlockTrace(f"{name} branch") for name in (_ELSE, _MAIN)]
    states: list[tuple[Any, ...]] = [(), ()]
    for k, branch in ((1, body), (0, orelse)):  # Python sees them in the order in which they are written
        with traces[k]:
            set_state(before)
            branch()
            states[k] = get_state()
    set_state(before)
    set_state(_merged(index, traces, states, before, symbol_names, nouts))


def _merged(
    index: Any, traces: Sequence[BlockTrace], states: Sequence[tuple[Any, ...]], before: Any, names: Any, nouts: int
) -> tuple[Any, ...]:
    """The variables after the statement."""
    result = list(before)
    chosen: list[int] = []
    parts: list[list[Leaves]] = [[], []]
    for i in range(nouts):
        pair = [states[0][i], states[1][i]]
        is_deleted = all(is_missing(v) for v in pair) and not is_missing(before[i])
        if (same(pair) or all(is_missing(v) for v in pair)) and not is_deleted:
            result[i] = pair[1]
            continue
        pair = completed(traces, _filled(names[i], pair, traces))
        leaves = []
        for trace, value in zip(traces, pair, strict=True):
            with trace:
                leaves.append(Leaves(value))
        _check_alike(names[i], leaves[1], leaves[0])
        chosen.append(i)
        parts[0].append(leaves[0])
        parts[1].append(leaves[1])
    found = run_branches(index, traces, [[t for part in own for t in part.tensors] for own in parts])
    for i, part in zip(chosen, parts[1], strict=True):
        count = len(part.tensors)
        result[i], found = part.packed(found[:count]), found[count:]
    return tuple(result)


def _filled(name: str, pair: list[Any], traces: Sequence[BlockTrace]) -> list[Any]:
    """The values of a variable in both branches; raises if one has none."""
    for k, branch in ((1, _MAIN), (0, _ELSE)):
        value, other = pair[k], pair[1 - k]
        if is_missing(value):
            if is_return(name) and scopes.in_loop:
                # It is read only where something was returned.
                leaves = Leaves(other)
                with traces[k]:
                    blanks = [traces[k].constant(empty(spec(t))) for t in leaves.tensors]
                return [leaves.packed(blanks) if i == k else v for i, v in enumerate(pair)]
            if value is MISSING_RETURN or is_return(name):
                raise refuse(
                    ValueError,
                    f"the {branch} branch must also have a return statement.",
                    "return a value from both branches, or after the statement.",
                )
            raise refuse(
                ValueError,
                f"{called(name)} must also be initialized in the {branch} branch",
                f"set {name} before the if.",
            )
        if any(part is None for part in nest.flatten(value)):
            raise refuse(ValueError, f"{called(name)} is None at the end of the {branch} branch.", "give it a tensor.")
        if not holds_tensors(value) and value is not other:
            raise refuse(
                TypeError,
                f"{called(name)} must be a tensor or a structure of tensors after an if over a tensor, but is {value!r} at the "
                f"end of the {branch} branch.",
                "choose between objects by a Python condition.",
            )
    return pair


def _check_alike(name: str, main: Leaves, other: Leaves) -> None:
    try:
        nest.assert_same_structure(main.structure, other.structure)
    except (TypeError, ValueError) as problem:
        raise refuse(
            TypeError,
            f"{called(name)} does not have the same nested structure in the main and else branches. {problem}",
            "give it the same structure in both.",
        ) from None
    if len(main.tensors) != len(other.tensors):
        raise refuse(
            TypeError, f"{called(name)} does not have the same parts in both branches.", "give it the same parts."
        )
    for a, b in zip(main.tensors, other.tensors, strict=True):
        p, q = spec(a), spec(b)
        if p.dtype is not q.dtype:
            raise refuse(
                TypeError,
                f"{called(name)} has dtype {p.dtype.name} in the main branch, but dtype {q.dtype.name} in the else branch",
                "cast one of them.",
            )


def choice_by_tensor(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any]) -> Any:
    """`a if condition else b`, where the condition is a tensor."""
    return choose("cond", as_bool(cond), (if_false, if_true), ("the else part", "the main part"), first=1)
