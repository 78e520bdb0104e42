"""Rewriting functions: jumps become flags, then branches and loops become functions over the variables that they change.

The passes over a function are those of `_jumps.py` and `_liveness.py`, for functions that have branches or loops, and one walk that
replaces statements and expressions by calls of `ag__`. Functions that are defined inside go through the same passes by
themselves. Classes, coroutines and generators inside stay as they are: their methods are rewritten when they are called.
"""

# ruff: noqa: N802, N815 - methods are named after the nodes that they visit
from __future__ import annotations

import ast
import copy
import inspect
from types import FunctionType
from typing import Any

from gradtape.autograph import _jumps as jumps
from gradtape.autograph._activity import own_nodes, statements
from gradtape.autograph._expressions import Expressions
from gradtape.autograph._liveness import Block, Variables
from gradtape.autograph._mangling import class_of, mangle
from gradtape.autograph._source import Unavailable
from gradtape.autograph._templates import assign, call, define, load, place, thunk

_FLOW = (ast.If, ast.For, ast.While)
_YIELDS = (ast.Yield, ast.YieldFrom)


def transformed(root: Any, function: FunctionType) -> Any:
    """The rewritten definition of a function; for a lambda, an assignment of it."""
    mangle(root, class_of(function.__qualname__))
    has_walrus = any(isinstance(n, ast.NamedExpr) for n in ast.walk(root))
    made = _Functions(has_walrus).function(_stripped(root))
    return place(assign("lambda__", made), made) if isinstance(made, ast.Lambda) else made


def refuse(function: FunctionType) -> None:
    """Raise for generators and coroutines."""
    flags = function.__code__.co_flags
    if flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise Unavailable("coroutines are not supported")
    if flags & inspect.CO_GENERATOR:
        raise Unavailable("generators are not supported")


def _stripped(node: Any) -> Any:
    """A function without decorators, defaults and annotations, which belong to the definition and not to a call."""
    if isinstance(node, ast.FunctionDef):
        node.decorator_list, node.returns = [], None
    args = node.args
    for argument in (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg):
        if argument is not None:
            argument.annotation = None
    # Any value will do: the function gets the original's defaults.
    args.defaults = [ast.Constant(None) for _ in args.defaults]
    args.kw_defaults = [d and ast.Constant(None) for d in args.kw_defaults]
    return node


class _Functions(Expressions):
    """The walk over functions and statements."""

    def __init__(self, has_walrus: bool) -> None:
        super().__init__(has_walrus)
        self._variables: Variables | None = None

    def function(self, node: Any) -> Any:
        """A function or lambda, after its passes."""
        outside = self._first, self._variables, self._unset, self._shared, self._calls_as_they_are, self._is_inline
        first = (*node.args.posonlyargs, *node.args.args)
        self._first = first[0].arg if first else self._first
        self._calls_as_they_are, self._is_inline = False, isinstance(node, ast.Lambda)
        try:
            if isinstance(node, ast.Lambda):
                node.body = self.visit(node.body)
                return node
            self._analyse(node)
            text, body = jumps.without_text(node.body)
            node.body = [*text, *(self._begun(node, "body", []) + self._visited(body) or [ast.Pass()])]
            return node
        finally:
            self._first, self._variables, self._unset, self._shared, self._calls_as_they_are, self._is_inline = outside

    def _analyse(self, node: ast.FunctionDef) -> None:
        """The passes before the walk over a function."""
        self._variables = None
        has_flow = any(isinstance(s, _FLOW) for s in statements(node.body))
        if not has_flow and not self._has_walrus:
            return
        jumps.eliminate(node)
        self._variables = found = Variables(node, self._has_walrus)
        self._unset, self._shared = self._unset | found.unset, found.shared

    def generic_visit(self, node: Any) -> Any:
        """The node after its parts; statements one by one, since others may be put before them."""
        for field, old in ast.iter_fields(node):
            if isinstance(old, ast.AST):
                setattr(node, field, self.visit(old))
            elif isinstance(old, list) and old and isinstance(old[0], ast.stmt):
                setattr(node, field, self._visited(old) or [place(ast.Pass(), old[0])])
            elif isinstance(old, list):
                old[:] = [self.visit(one) if isinstance(one, ast.AST) else one for one in old]
        return node

    def _visited(self, body: list[Any]) -> list[Any]:
        found: list[Any] = []
        for statement in body:
            outside, self._before = self._before, []
            made = self.visit(statement)
            found.extend(self._before)
            self._before = outside
            found.extend(made) if isinstance(made, list) else found.append(made)
        return found

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """A function that is defined in another one. It needs no second rewriting."""
        if any(isinstance(n, _YIELDS) for n in own_nodes(node.body)):
            return node
        args = node.args
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        args.defaults = [self.visit(d) for d in args.defaults]
        args.kw_defaults = [d and self.visit(d) for d in args.kw_defaults]
        made = self.function(node)
        mark: Any = call("autograph_artifact").func
        made.decorator_list.append(place(mark, node))
        return made

    def visit_ClassDef(self, node: Any) -> Any:
        return node

    visit_AsyncFunctionDef = visit_ClassDef

    def visit_Global(self, node: Any) -> Any:
        """Declarations stand at the beginning of a function if it has parts that need them too."""
        return node if self._variables is None else []

    visit_Nonlocal = visit_Global

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """Without the annotation, which means nothing in functions, and is not allowed for variables that are declared."""
        if node.value is None:
            return [] if isinstance(node.target, ast.Name) else self.generic_visit(node)
        return ast.Assign([self.visit(node.target)], self.visit(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        made = self.generic_visit(node)
        if isinstance(node.target, ast.Name) and node.target.id in self._unset:
            name = node.target.id
            return [assign(name, call("ld", load(name))), made]
        return made

    def visit_Delete(self, node: ast.Delete) -> Any:
        """A variable that others may read has no value from here on."""
        found: list[Any] = []
        for target in node.targets:
            if isinstance(target, ast.Name) and self._variables is not None and target.id in self._unset:
                found.append(ast.Expr(call("ld", load(target.id))))
                found.append(_undefine(target.id))
            else:
                found.append(ast.Delete([self.visit(target)]))
        return found

    def visit_Assert(self, node: ast.Assert) -> Any:
        return ast.Expr(call("assert_stmt", self.visit(node.test), self._deferred(node.msg or ast.Constant(""))))

    def visit_With(self, node: ast.With) -> Any:
        """What is entered is made by calls that stay as they are."""
        before, self._calls_as_they_are = self._calls_as_they_are, True
        node.items = [self.visit(item) for item in node.items]
        self._calls_as_they_are = before
        node.body = self._visited(node.body) or [ast.Pass()]
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        """Python deletes the name of an exception after the handler; one that branches or loops hold must stay."""
        made = self.generic_visit(node)
        blocks = {} if self._variables is None else self._variables.blocks
        if node.name is not None and any(node.name in block.names for block in blocks.values()):
            own = self.own_name("caught")
            made.body.insert(0, place(assign(node.name, load(own)), node))
            made.name = own
        return made

    def visit_match_case(self, node: Any) -> Any:
        """Patterns are no expressions."""
        node.guard = node.guard and self.visit(node.guard)
        node.body = self._visited(node.body) or [ast.Pass()]
        return node

    def visit_If(self, node: ast.If) -> Any:
        block = self._block(node)
        body, orelse = self.own_name("if_body"), self.own_name("else_body")
        test = self.visit(node.test)
        before, reading, writing = self._state(block)
        decision = call("if_stmt", test, load(body), load(orelse), reading, writing, _texts(block))
        decision.args.append(ast.Constant(block.outputs))
        return [
            *before,
            define(body, [], self._body(node, "body", block)),
            define(orelse, [], self._body(node, "orelse", block)),
            ast.Expr(decision),
        ]

    def visit_For(self, node: ast.For) -> Any:
        block = self._block(node)
        body, row = self.own_name("loop_body"), self.own_name("row")
        over, options = self.visit(node.iter), self._options(node)
        if isinstance(node.target, ast.Name):
            options.keys.append(ast.Constant("iterate_names"))
            options.values.append(ast.Constant(node.target.id))
        before, reading, writing = self._state(block)
        target = place(ast.Assign([self.visit(node.target)], load(row)), node)
        made = [*before, define(body, [row], self._body(node, "body", block, target))]
        extra: Any = ast.Constant(None)
        if getattr(node, "extra_test", None) is not None:
            goes_on = self.own_name("extra_test")
            made.append(define(goes_on, [], [ast.Return(self.visit(node.extra_test))]))  # type: ignore[attr-defined]
            extra = load(goes_on)
        loop = call("for_stmt", over, extra, load(body), reading, writing, _texts(block), options)
        return [*made, ast.Expr(loop)]

    def visit_While(self, node: ast.While) -> Any:
        block = self._block(node)
        body, test = self.own_name("loop_body"), self.own_name("loop_test")
        options = self._options(node)
        before, reading, writing = self._state(block)
        condition = place(ast.Return(self.visit(node.test)), node.test)
        loop = call("while_stmt", load(test), load(body), reading, writing, _texts(block), options)
        return [
            *before,
            define(body, [], self._body(node, "body", block)),
            define(test, [], [condition]),
            ast.Expr(loop),
        ]

    def _block(self, node: Any) -> Block:
        assert self._variables is not None
        return self._variables.blocks[node]

    def _body(self, node: Any, part: str, block: Block, *first: Any) -> list[Any]:
        """The statements of the function that a part of a branch or loop becomes."""
        begun = self._begun(node, part, block.variables)
        return [*begun, *first, *self._visited(getattr(node, part))] or [ast.Pass()]

    def _begun(self, node: Any, part: str, variables: list[str]) -> list[Any]:
        """What a function begins with: declarations, and marks for variables that have no value."""
        if self._variables is None:
            return []
        if part == "body" and isinstance(node, ast.FunctionDef):
            variables = sorted(self._variables.shared | self._variables.closed)
        unset = self._variables.starts.get((node, part), [])
        return [*self.declarations(variables), *[_undefine(n) for n in unset]]

    def _state(self, block: Block) -> tuple[list[Any], Any, Any]:
        """Definitions of the functions that read and write a block's variables, and these."""
        if not block.names:
            return [], call("no_state").func, call("keep_state").func
        reading, writing, values = self.own_name("get_state"), self.own_name("set_state"), self.own_name("values")
        targets = ast.Tuple([self._target(block, n) for n in block.names], ast.Store())
        return (
            [
                define(reading, [], [ast.Return(ast.Tuple([self._value(block, n) for n in block.names], ast.Load()))]),
                define(writing, [values], [*self.declarations(block.variables), ast.Assign([targets], load(values))]),
            ],
            load(reading),
            load(writing),
        )

    def _value(self, block: Block, name: str) -> Any:
        """The expression for what a block changes. It may not be there."""
        assert self._variables is not None
        if name in block.places:
            value = _with_context(block.places[name].node, ast.Load())
        elif name in self._variables.shared or name in self._variables.closed:
            value = load(name)
        else:
            return load(name)
        return call("ldu", thunk(value), ast.Constant(name))

    def _target(self, block: Block, name: str) -> Any:
        place_of = block.places.get(name)
        return ast.Name(name, ast.Store()) if place_of is None else _with_context(place_of.node, ast.Store())

    def _options(self, node: Any) -> ast.Dict:
        """What `set_loop_options` says of a loop."""
        given = getattr(node, "options", {})
        return ast.Dict([ast.Constant(k) for k in given], [self.visit(v) for v in given.values()])


def _undefine(name: str) -> ast.Assign:
    return assign(name, call("Undefined", ast.Constant(name)))


def _texts(block: Block) -> ast.Tuple:
    return ast.Tuple([ast.Constant(n) for n in block.names], ast.Load())


def _with_context(node: Any, context: ast.expr_context) -> Any:
    """A copy of an attribute or item, to be read or to be assigned."""
    made = copy.deepcopy(node)
    made.ctx = context
    return made
