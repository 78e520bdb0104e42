"""Calls that must be refused with a message that says what to do."""

import re

import pytest

import gradtape as tf


def refused(function, text, kind=tf.errors.InvalidArgumentError):
    """Check that a call raises an error of a kind, whose message holds a text and a fix."""
    with pytest.raises(kind) as caught:
        function()
    # The second line quotes the line of the program: the call of this function, with the text in it.
    said = "\n".join([line for line in str(caught.value).splitlines() if not line.startswith("  at: ")])
    assert re.search(text, said), said
    assert "fix:" in said
