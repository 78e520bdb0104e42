"""The parameter `name`, which TensorFlow's functions have in common: its documentation stands here once, and not in their docstrings.

A function gets the line when a module first shows it to users, in the place that the order of its parameters gives. Where a name means
something, as of a table, the docstring says what.
"""

from __future__ import annotations

import re
from types import FunctionType

NAME = "ignored."
_ARGS = re.compile(r"^( *)Args:\n((?:\1 +\S.*\n)+)", re.MULTILINE)


def complete(function: FunctionType) -> None:
    """Add what `name` means to the documentation of a function that has this parameter, and an Args block that leaves it out."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if "name" not in names or (block := _ARGS.search(function.__doc__ or "")) is None:
        return
    indent, lines = block[1] + "  ", block[2]
    if _entry(indent, "name").search(lines) is None:
        later = [_entry(indent, other).search(lines) for other in names[names.index("name") + 1 :]]
        place = min([found.start() for found in later if found is not None], default=len(lines))
        place += block.start(2)
        text = block.string
        function.__doc__ = f"{text[:place]}{indent}name: {NAME}\n{text[place:]}"


def _entry(indent: str, name: str) -> re.Pattern[str]:
    """The first line of what a docstring says about a parameter, perhaps together with others."""
    return re.compile(rf"^{indent}(?:[\w*]+, )*{name}(?:, [\w*]+)*: ", re.MULTILINE)
