"""Jumps as flags: after this pass, `break`, `continue` and `return` statements are assignments, and no statement leaves a branch or
loop in its middle.

    for x in xs:                           break_ = False
        if x > 3:                          for x in xs:             # goes on while `not break_`
            break                              if x > 3:
        total += x                                 break_ = True
                                               if not break_:
                                                   total += x

`continue` is the same with a flag that each step begins with. `return` sets the value and a flag, for which all that follows is
left out; the function returns once, at its end. Where one branch of an `if` returns in any case, what follows becomes a part of
the other branch instead: both branches then have a value. The `else` of a loop follows it, unless there was a `break`.
"""

from __future__ import annotations

import ast
from typing import Any

from gradtape.autograph._activity import TRIES, parameters, statements, walrus_names
from gradtape.autograph._source import Unavailable
from gradtape.autograph._templates import assign, call, load, place

_DID_RETURN, _VALUE = "do_return", "retval_"  # see `_undefined.is_return`
_SCOPE = "ag__scope"
_BLOCKS = (ast.If, ast.For, ast.While)
_JUMPS = (ast.Return, ast.Break, ast.Continue)
_OPTIONS = ("parallel_iterations", "swap_memory", "maximum_iterations", "shape_invariants")


def eliminate(function: ast.FunctionDef) -> None:
    """Rewrite the jumps of a function, but not those of functions defined inside it."""
    _Jumps(function).run()


class _LoopFlags:
    """The flags of the loop around a statement, each with a name once it is used."""

    def __init__(self) -> None:
        self.flags: dict[str, str] = {}


class _Jumps:
    def __init__(self, function: ast.FunctionDef) -> None:
        self._function = function
        self._taken: set[str] | None = None
        self._did_return = self._value = ""

    def run(self) -> None:
        """Rewrite the body of the function."""
        text, body = without_text(self._function.body)
        if not _return_in_blocks(body):
            body, _ = self._block(body, None)
            self._function.body = [*text, *body]
            return
        first = body[0]
        self._did_return, self._value = self._name(_DID_RETURN), self._name(_VALUE)
        body, _ = self._block(body, None)
        scope = call("FunctionScope", ast.Constant(self._function.name))
        returned = ast.Call(
            ast.Attribute(load(_SCOPE), "ret", ast.Load()), [load(self._value), load(self._did_return)], []
        )
        inside = [
            assign(self._did_return, ast.Constant(False)),
            assign(self._value, call("UndefinedReturnValue")),
            *body,
            ast.Return(returned),
        ]
        block = ast.With([ast.withitem(scope, ast.Name(_SCOPE, ast.Store()))], inside)
        self._function.body = [*text, place(block, first)]

    def _name(self, wanted: str) -> str:
        """A name for a flag that nothing else in the function has."""
        if self._taken is None:
            self._taken = parameters(self._function.args)
            for node in ast.walk(self._function):
                if isinstance(node, ast.Name):
                    self._taken.add(node.id)
        name, count = wanted, 0
        while name in self._taken:
            count += 1
            name = f"{wanted}_{count}"
        self._taken.add(name)
        return name

    def _block(self, body: list[Any], loop: _LoopFlags | None) -> tuple[list[Any], set[str]]:
        """Statements without jumps, and the flags that they may set."""
        found: list[Any] = []
        for k, statement in enumerate(body):
            rest = self._left(statement, body[k + 1 :])
            made, flags = self._statement(statement, loop)
            found.extend(made)
            if not flags:
                continue
            if not rest or isinstance(statement, _JUMPS):  # what follows a jump is never reached
                return found, flags
            after, more = self._block(rest, loop)
            return [*found, _unless(flags, after)], flags | more
        return found, set()

    def _left(self, statement: Any, rest: list[Any]) -> list[Any]:
        """What follows a statement; nothing if it has become a part of that."""
        if self._value and isinstance(statement, ast.If):
            if _returns(statement.body):
                statement.orelse, rest = [*statement.orelse, *rest], []
            elif _returns(statement.orelse):
                statement.body, rest = [*statement.body, *rest], []
        return rest

    def _statement(self, statement: Any, loop: _LoopFlags | None) -> tuple[list[Any], set[str]]:
        kind = type(statement)
        if kind is ast.Return and self._value:
            value = assign(self._value, statement.value or ast.Constant(None))
            return [place(value, statement), _set(self._did_return, True, statement)], {self._did_return}
        if kind in (ast.Break, ast.Continue):
            return self._jump(statement, loop)
        if kind in (ast.For, ast.While):
            return self._loop(statement, loop)
        if kind is ast.Expr:
            _refuse_options(statement)
        before = self._unfold(statement) if kind is ast.If else []
        return [*before, statement], self._parts(statement, loop)

    def _unfold(self, statement: ast.If) -> list[Any]:
        """`if a and (y := b):` as `test_ = a`, `if test_: test_ = (y := b)` and `if test_:`, so that the branch knows what it binds."""
        test: Any = statement.test
        negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        test = test.operand if negated else test
        if not isinstance(test, ast.BoolOp) or not any(walrus_names(v) for v in test.values[1:]):
            return []
        name = self._name("test_")
        found: list[Any] = [place(assign(name, _as_bool(test.values[0])), test)]
        for value in test.values[1:]:
            goes_on: Any = load(name) if isinstance(test.op, ast.And) else _none_of([name])
            found.append(place(ast.If(goes_on, [place(assign(name, _as_bool(value)), value)], []), value))
        statement.test = place(_none_of([name]) if negated else load(name), test)
        return found

    def _jump(self, statement: Any, loop: _LoopFlags | None) -> tuple[list[Any], set[str]]:
        assert loop is not None
        wanted = getattr(statement, "flag", "break_" if isinstance(statement, ast.Break) else "continue_")
        if wanted not in loop.flags:
            loop.flags[wanted] = self._name(wanted)
        name = loop.flags[wanted]
        return [_set(name, True, statement)], {name}

    def _parts(self, statement: Any, loop: _LoopFlags | None) -> set[str]:
        """Rewrite the statements in another one; the flags that they may set."""
        flags: set[str] = set()
        if isinstance(statement, (ast.If, ast.With)):
            statement.body, flags = self._block(statement.body, loop)
            if isinstance(statement, ast.If):
                statement.orelse, more = self._block(statement.orelse, loop)
                flags = flags | more
        elif isinstance(statement, TRIES):
            statement.body, flags = self._block(statement.body, loop)
            orelse, more = self._block(statement.orelse, loop)
            statement.orelse = [_unless(flags, orelse)] if flags and orelse else orelse
            flags = flags | more
            statement.finalbody, more = self._block(statement.finalbody, loop)
            flags |= more
            for handler in statement.handlers:
                handler.body, more = self._block(handler.body, loop)
                flags |= more
        elif isinstance(statement, ast.Match):
            for case in statement.cases:
                case.body, more = self._block(case.body, loop)
                flags |= more
        return flags

    def _loop(self, statement: Any, around: _LoopFlags | None) -> tuple[list[Any], set[str]]:
        own = _LoopFlags()
        _take_options(statement)
        if isinstance(statement, ast.While) and walrus_names(statement.test):
            _test_in_body(statement)
        orelse, statement.orelse = statement.orelse, []
        statement.body, flags = self._block(statement.body, own)
        if "continue_" in own.flags:
            statement.body.insert(0, _set(own.flags["continue_"], False, statement))
        ends = [own.flags[kind] for kind in ("break_", "done_") if kind in own.flags]
        before = [_set(name, False, statement) for name in ends]
        escaping = flags - set(own.flags.values())
        ends = [*sorted(escaping), *ends]
        if ends:
            goes_on = _none_of(ends)
            if isinstance(statement, ast.For):
                statement.extra_test = place(goes_on, statement)  # type: ignore[attr-defined]
            else:
                statement.test = place(ast.BoolOp(ast.And(), [goes_on, statement.test]), statement.test)
        if not orelse:
            return [*before, statement], escaping
        orelse, more = self._block(orelse, around)
        skipped = {own.flags["break_"]} if "break_" in own.flags else set()
        after = [_unless(escaping | skipped, orelse)] if escaping | skipped else orelse
        return [*before, statement, *after], escaping | more


def without_text(body: list[Any]) -> tuple[list[Any], list[Any]]:
    """The docstring of a function, and its statements."""
    first = body[0]
    has_text = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return body[:has_text], body[has_text:]


def _return_in_blocks(body: list[Any]) -> bool:
    """True if a branch or loop has a return statement."""
    blocks = [s for s in statements(body) if isinstance(s, _BLOCKS)]
    return any(isinstance(s, ast.Return) for s in statements(blocks))


def _returns(body: list[Any]) -> bool:
    """True if statements return in any case."""
    for statement in body:
        if isinstance(statement, ast.Return):
            return True
        if isinstance(statement, ast.If) and _returns(statement.body) and _returns(statement.orelse):
            return True
        if isinstance(statement, ast.With) and _returns(statement.body):
            return True
    return False


def _set(name: str, value: bool, at: Any) -> Any:
    return place(assign(name, ast.Constant(value)), at)


def _none_of(flags: list[str]) -> ast.UnaryOp:
    names: list[Any] = [load(name) for name in flags]
    return ast.UnaryOp(ast.Not(), names[0] if len(names) == 1 else ast.BoolOp(ast.Or(), names))


def _as_bool(value: Any) -> ast.UnaryOp:
    return ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), value))


def _unless(flags: set[str], body: list[Any]) -> Any:
    """Statements that run if no flag is set."""
    return place(ast.If(_none_of(sorted(flags)), body, []), body[0])


def _test_in_body(loop: ast.While) -> None:
    """`while test` as `while True`, with the test at the beginning of the body: what it assigns is then seen there."""
    stop = place(ast.Break(), loop.test)
    stop.flag = "done_"
    leave = place(ast.If(ast.UnaryOp(ast.Not(), loop.test), [stop], []), loop.test)
    loop.test, loop.body = place(ast.Constant(True), loop.test), [leave, *loop.body]


def _is_options(statement: Any) -> bool:
    """True for the statement `tf.autograph.experimental.set_loop_options(...)`, by whatever name the module is known."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    function = statement.value.func
    return getattr(function, "attr", getattr(function, "id", "")) == "set_loop_options"


def _take_options(loop: Any) -> None:
    """Keep what a loop's first statement says about it; the statement goes."""
    if not _is_options(loop.body[0]):
        return
    given = loop.body.pop(0)
    options = dict(zip(_OPTIONS, given.value.args, strict=False))
    options.update({k.arg: k.value for k in given.value.keywords})
    loop.options = options
    if not loop.body:
        loop.body = [place(ast.Pass(), given)]


def _refuse_options(statement: Any) -> None:
    if _is_options(statement):
        raise Unavailable("set_loop_options must be the first statement in a loop")
