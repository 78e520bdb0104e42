"""The first line of every message says what is wrong, with a verb: logs, test summaries and trackers show that line alone.

The texts that are given to `errors.build`, `errors.compose` and an op's `error` are read from the source.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "gradtape"
# What a line that states a problem has. A line with a value alone ("shape is [-1, 2].") has none of these.
VERBS = re.compile(
    r"\b(must|cannot|can't|can not|could not|couldn't|can only|may not|may only|should|shall|differs?|expect(s|ed)?|needs?|requires?|required|"
    r"(does|do|did|is|are|was|were|has|have|had|will|would) (also |already |both )?(not?|none|no longer|never|too|only|"
    r"already|missing|unknown|infinite|empty|both|still|neither|swapped|twice|fewer|more|less)|doesn't|don't|didn't|isn't|aren't|wasn't|"
    r"takes? (no|only|exactly|at most|one|two)|unknown|unsupported|invalid|missing|out of (range|memory|scope)|ambiguous|"
    r"incompatible|mismatch|not (in|of|tf|a|an|allowed|supported|found|valid|enough|implemented|compatible|known|recognised|callable)|"
    r"failed|fails|refuse[sd]?|exceeds?|overlaps?|duplicates?|undefined|attempt(ed|ing)?|forbidden|corrupt|damaged|truncated|"
    r"twice|but|needed|expecting|requested|no files|no bounding|wrong|singular|too deeply|closed|out of|reached|already|holds no|none of|raised|error while|end of sequence|different value|no (endpoints|step|SparseTensor)|fit[s]?|disallowed|Unrecognized|inconsistent|insufficient|deficient|breaks?|broken|leads?|lost|ended|stopped|only|without|instead|there is no|there are no|nothing)\b",
    re.IGNORECASE,
)


# A text that ends with what is put in states the problem there.
_PASSED_ON = re.compile(r"^\{\}, got|\{\}$|: \{\}\.$|\{\} \{\}\.$")


def _text(node: ast.expr) -> str | None:
    """The constant parts of a text, with `{}` for what is put in; None if it is no literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join([str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left), _text(node.right)
        return (left or "{}") + (right or "{}") if left or right else None
    return None


def _assigned(function: ast.AST) -> dict[str, ast.expr]:
    """Texts that are given a name first."""
    return {
        node.targets[0].id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the first line of each message in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = _assigned(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func).rpartition(".")[2]
        position = {"build": 1, "error": 1, "compose": 0}.get(called)
        owner = ast.unparse(node.func).rpartition(".")[0]
        if position is None or len(node.args) <= position or not (owner == "errors" or called == "error"):
            continue
        given = node.args[position]
        if isinstance(given, ast.Name):
            given = names.get(given.id, given)
        text = _text(given)
        if text:
            yield node.lineno, text.split("\n")[0]


def test_first_lines_state_what_is_wrong() -> None:
    found = [(path, line, text) for path in sorted(SOURCE.rglob("*.py")) for line, text in messages(path)]
    assert len(found) > 1000
    told = [
        (path, line, text) for path, line, text in found if re.search("[a-z]", text) and not _PASSED_ON.search(text)
    ]
    bad = [f"{path.relative_to(SOURCE)}:{line}: {text}" for path, line, text in told if not VERBS.search(text)]
    assert not bad, f"{len(bad)} first lines have no verb:\n" + "\n".join(bad)


def test_a_value_alone_is_found() -> None:
    assert not VERBS.search("ones: shape is [-1, 2].")
    assert not VERBS.search("range: from 0 to 10 by steps of 0.")
    assert VERBS.search("ones: sizes in shape must not be negative, got [-1, 2].")
