"""Names that are left out on purpose."""

from __future__ import annotations

import pytest

import gradtape as tf
from gradtape.api import absent
from gradtape.cli.check import lack
from gradtape.core.errors import LeftOutError


def test_names_below_are_left_out_too() -> None:
    with pytest.raises(LeftOutError) as raised:
        tf.feature_column.numeric_column("age")
    assert str(raised.value).startswith("tf.feature_column is left out: Keras's preprocessing layers")
    assert "test_absent.py" in str(raised.value)
    assert not hasattr(tf, "feature_column")


def test_other_names_are_simply_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'gradtape' has no attribute 'nonsense'"):
        tf.nonsense  # noqa: B018
    assert absent.lookup("tf.nonsense") is None


def test_check_knows_them() -> None:
    assert lack("tf.feature_column.numeric_column").startswith("left out: ")
    assert lack("tf.nonsense") == "not in tf"
