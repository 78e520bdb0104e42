"""What `name` means stands in one place, and in the documentation of every function."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import gradtape as tf
from gradtape.core import docstrings


def made(doc: str) -> Any:
    def function(x: Any, name: str | None = None, layout: Any = None) -> Any: ...

    function.__doc__ = doc
    docstrings.complete(function)
    return inspect.getdoc(function)


def test_the_line_comes_where_the_parameter_is() -> None:
    assert (
        made("X.\n\n    Args:\n      x: a.\n      layout: b.\n    ")
        == "X.\n\nArgs:\n  x: a.\n  name: ignored.\n  layout: b."
    )
    assert made("X.\n\n    Args:\n      x: a\n        b.\n\n    >>> 1\n    1\n    ") == (
        "X.\n\nArgs:\n  x: a\n    b.\n  name: ignored.\n\n>>> 1\n1"
    )


@pytest.mark.parametrize(
    "doc", ["X.", "X.\n\nArgs:\n  x: a.\n  name: of the table.\n", "X.\n\nArgs:\n  x: a.\n  name, layout: ignored.\n"]
)
def test_what_a_docstring_says_itself_stays(doc: str) -> None:
    assert made(doc) == inspect.cleandoc(doc)


def test_public_functions_document_their_names() -> None:
    for function in (tf.matmul, tf.strings.join, tf.linalg.svd, tf.math.reduce_variance, tf.image.resize):
        assert "\n  name: ignored.\n" in str(inspect.getdoc(function)), function
    doc = str(inspect.getdoc(tf.random.stateless_normal))
    assert doc.index("  dtype: ") < doc.index("  name: ignored.") < doc.index("  alg: ")
