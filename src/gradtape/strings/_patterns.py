"""Functions of strings that match regular expressions."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.array_op import flat, on_arrays
from gradtape.core import dtypes
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor
from gradtape.strings import _re2
from gradtape.strings._arguments import each, over, same_shape, scalar, strings


@on_arrays(same_shape)
def _replaced(x: Any, *, pattern: bytes, rewrite: bytes, everywhere: bool) -> Any:
    return each(_re2.replace(pattern, rewrite, everywhere), x)


@on_arrays(lambda x, pattern: Spec(x.shape, dtypes.bool_))
def _matches(x: Any, *, pattern: bytes) -> Any:
    matches = _re2.full_match(pattern)
    return np.array([matches(s) for s in flat(x)], bool).reshape(x.shape)[()]


def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""The strings with the matches of a regular expression replaced.

    Args:
      input: strings.
      pattern: a regular expression in [RE2's syntax](https://github.com/google/re2/wiki/Syntax).
      rewrite: what to put in place of a match; `\1` is its first group, `\0` all of it.
      replace_global: replace all matches, not only the first.

    >>> tf.strings.regex_replace("room 12, floor 3", r"\pN+", "#").numpy()
    b'room #, floor #'
    """
    who = "strings.regex_replace"
    found, new = scalar(pattern, who, "pattern"), scalar(rewrite, who, "rewrite")
    return over(
        strings(input, who),
        lambda x: _replaced(x, pattern=found, rewrite=new, everywhere=bool(replace_global)),
    )


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """True for strings that a regular expression matches completely.

    Args:
      input: strings.
      pattern: a regular expression in [RE2's syntax](https://github.com/google/re2/wiki/Syntax).

    >>> tf.strings.regex_full_match(["abc", "abcd"], "a.c").numpy()
    array([ True, False])
    """
    who = "strings.regex_full_match"
    found = scalar(pattern, who, "pattern")
    return over(strings(input, who), lambda x: _matches(x, pattern=found))
