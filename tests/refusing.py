"""Calls that must be refused with a message that says what to do."""

import pytest

import gradtape as tf


def refused(function, text, kind=tf.errors.InvalidArgumentError):
    """Check that a call raises an error of a kind, whose message holds a text and a fix."""
    with pytest.raises(kind, match=text) as caught:
        function()
    assert "fix:" in str(caught.value)
