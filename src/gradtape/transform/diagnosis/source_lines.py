"""What the text of the user's lines tells about values that no tape can follow.

Once a value is a number of Python or an array of NumPy, only the program's text says where it went: names that are
assigned from it, directly or by way of others. Where the text is not there, or the way leads through other functions,
the answer is "possible".
"""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator
from typing import Any

from gradtape.core.provenance import Site

_NUMPY_NAMES = {"np", "numpy", "onp"}
_REDUCTIONS = {"sum": "reduce_sum", "mean": "reduce_mean", "max": "reduce_max", "min": "reduce_min", "prod": "reduce_prod",
               "amax": "reduce_max", "amin": "reduce_min", "std": "math.reduce_std", "var": "math.reduce_variance",
               "any": "reduce_any", "all": "reduce_all"}  # fmt: skip
_SAME = {"abs", "exp", "square", "sqrt", "sin", "cos", "tan", "tanh", "maximum", "minimum", "where", "clip", "sign",
         "reshape", "transpose", "squeeze", "stack", "matmul", "tensordot", "einsum", "linalg.norm"}  # fmt: skip
_RENAMED = {"log": "math.log", "log1p": "math.log1p", "expm1": "math.expm1", "concatenate": "concat", "power": "pow",
            "dot": "tensordot", "clip": "clip_by_value", "linalg.norm": "norm"}  # fmt: skip


def may_come_back(left: Site | None, back: Site | None) -> bool | None:
    """Whether a value that left the tape at one line can be used at another: True, False, or None if the text is
    silent."""
    if left is None or back is None:
        return None
    scope, statement = _locate(left.filename, left.line)
    if statement is None:
        return None
    if left == back:
        return True
    tainted = _targets(statement)
    other_scope, user = _locate(back.filename, back.line)
    if user is None:
        return None
    if scope is not other_scope:
        return None if keeps(left) else False
    if statement is user:
        return True
    return _reaches(scope, tainted, user) if scope else None


def keeps(site: Site | None) -> bool | None:
    """Whether the statement at a line does something with its value; None if the source is not available."""
    statement = None if site is None else _locate(site.filename, site.line)[1]
    return None if statement is None else bool(_targets(statement)) or isinstance(statement, ast.Return)


def rebinds(site: Site | None) -> str:
    """The name that the line both reads and rebinds, as in `x = x - 0.1 * g`; empty if there is none."""
    statement = None if site is None else _locate(site.filename, site.line)[1]
    if isinstance(statement, ast.AugAssign):
        return ast.unparse(statement.target)
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return next(iter(sorted(_targets(statement) & _reads(statement))), "")
    return ""


def in_tensorflow(site: Site | None) -> str:
    """The NumPy call at a line as a call of ours: `tf.reduce_mean(h)` for `np.mean(h.numpy())`; empty if unknown."""
    statement = None if site is None else _locate(site.filename, site.line)[1]
    if statement is None:
        return ""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and (name := _numpy_function(node.func)):
            ours = _REDUCTIONS.get(name) or _RENAMED.get(name) or (name if name in _SAME else "")
            if ours:
                call = ast.Call(ast.parse(f"tf.{ours}", mode="eval").body, node.args, node.keywords)
                return ast.unparse(ast.fix_missing_locations(_WithoutNumpy().visit(call)))
    return ""


def prediction(site: Site | None) -> str:
    """The call `model(x)` for `model.predict(x)` at a line; empty if there is none."""
    statement = None if site is None else _locate(site.filename, site.line)[1]
    for node in ast.walk(statement) if statement is not None else ():
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Attribute) and function.attr in ("predict", "predict_on_batch"):
            return ast.unparse(ast.Call(function.value, node.args[:1], []))  # type: ignore[attr-defined]
    return ""


class _WithoutNumpy(ast.NodeTransformer):
    """Takes `.numpy()` away."""

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "numpy" and not node.args:
            return node.func.value
        return node


def _numpy_function(node: ast.expr) -> str:
    root, _, name = _dotted(node).partition(".")
    return name if root in _NUMPY_NAMES else ""


def _reaches(scope: ast.AST, tainted: set[str], user: ast.stmt) -> bool:
    """True if a statement reads a name that was assigned, by way of others, from the tainted ones."""
    tainted = set(tainted)
    statements = list(_statements(scope))
    while True:
        new = {t for s in statements if _touches(s, tainted) for t in _targets(s)} - tainted
        if not new:
            return _touches(user, tainted)
        tainted |= new


def _touches(statement: ast.stmt, tainted: set[str]) -> bool:
    return any(read == name or read.startswith(f"{name}.") for read in _reads(statement) for name in tainted)


def _targets(statement: ast.stmt) -> set[str]:
    """Names that a statement gives a value: assigned ones, and the object of a call such as `losses.append(x)`."""
    if isinstance(statement, ast.Assign):
        return {name for target in statement.targets for name in _stored(target)}
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For)):
        return _stored(statement.target)
    if isinstance(statement, ast.With):
        return {name for item in statement.items if item.optional_vars for name in _stored(item.optional_vars)}
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        return {_dotted(function.value)} - {""} if isinstance(function, ast.Attribute) else set()
    return set()


def _stored(target: ast.expr) -> set[str]:
    if isinstance(target, (ast.Tuple, ast.List)):
        return {name for element in target.elts for name in _stored(element)}
    if isinstance(target, (ast.Subscript, ast.Starred)):
        return _stored(target.value)
    return {_dotted(target)} - {""}


def _reads(statement: ast.stmt) -> set[str]:
    """Dotted names that a statement itself reads; those of the statements inside it do not count."""
    found = set()
    stack: list[ast.AST] = [
        n for n in ast.iter_child_nodes(statement) if isinstance(n, (ast.expr, ast.withitem, ast.keyword))
    ]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load) and (name := _dotted(node)):
            found.add(name)
        stack.extend(ast.iter_child_nodes(node))
    if isinstance(statement, ast.AugAssign):
        found |= _stored(statement.target)
    return found


def _dotted(node: ast.AST) -> str:
    """`a.b.c` of nested attributes; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (base := _dotted(node.value)):
        return f"{base}.{node.attr}"
    return ""


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _locate(filename: str, line: int) -> tuple[ast.AST | None, ast.stmt | None]:
    """The innermost function (or the module) and the innermost statement around a line."""
    tree = _parse(filename, "".join(linecache.getlines(filename)))
    scope, found = tree, None
    for node in ast.walk(tree) if tree else ():  # from the outside inward
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            if isinstance(node, _FUNCTIONS):
                scope = node
            found = node
    return scope, found


@functools.lru_cache(maxsize=8)
def _parse(filename: str, text: str) -> ast.AST | None:
    try:
        return ast.parse(text) if text else None
    except (SyntaxError, ValueError):
        return None


def _statements(scope: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a function, without those of functions inside it."""
    for child in ast.iter_child_nodes(scope):
        if isinstance(child, ast.stmt):
            yield child
        if isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)) and not isinstance(child, _FUNCTIONS):
            yield from _statements(child)
