"""Errors that Python raises about our objects get a line with the fix where they are printed."""

from __future__ import annotations

import re

import pytest

import gradtape as tf
from gradtape.core import python_errors

_FIXES = [text for names in python_errors._ATTRIBUTES.values() for text in names.values()]


def fix_of(call):
    with pytest.raises((TypeError, AttributeError, ValueError, IndexError)) as caught:
        call()
    return python_errors.fix(caught.value)


@pytest.mark.parametrize("text", [*_FIXES, *python_errors._TEXTS.values()])
def test_what_it_says_exists(text):
    for name in re.findall(r"\btf(?:\.\w+)+", text):
        owner = tf
        for part in name.split(".")[1:]:
            owner = getattr(owner, part)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (tf.GradientTape, "GradientTape"),
        (lambda: tf.data.Dataset.range(3), "Dataset"),
        (lambda: tf.TensorArray(tf.float32, 1), "TensorArray"),
        (lambda: tf.ones([2]).shape, "TensorShape"),
        (tf.Module, "Module"),
        (lambda: tf.keras.Sequential([tf.keras.layers.Dense(1)]), "Model"),
        (lambda: tf.keras.layers.Dense(1), "Layer"),
        (lambda: tf.keras.metrics.Mean(), "Metric"),
    ],
)
def test_attributes_of_a_class(make, kind):
    owner, said = make(), 0
    for name, text in python_errors._ATTRIBUTES[kind].items():
        if not hasattr(owner, name):
            assert fix_of(lambda name=name: getattr(owner, name)) == f"  fix: {text}"
            said += 1
    assert said >= 2


def test_calls_of_keras():
    assert fix_of(lambda: tf.keras.losses.BinaryCrossentropy(from_logit=True)).endswith("(..., from_logits=...).")
    assert fix_of(lambda: tf.keras.layers.Dense(3, activate="relu")).endswith("Dense(..., activation=...).")
    assert "epochs" in fix_of(lambda: tf.keras.Sequential([tf.keras.layers.Dense(1)]).fit(None, epoch=2))


def test_shapes():
    assert "(2, 3): use an axis from -2 to 1" in fix_of(lambda: tf.ones([2, 3]).shape[2])


def test_errors_of_others_are_left_alone():
    assert fix_of(lambda: [].parameters) == ""
    assert fix_of(lambda: (1, 2)[3]) == ""
    assert fix_of(lambda: int(1, 2, 3, 4)) == ""


def test_none_where_a_tape_found_no_gradient():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        y = x * 2.0
    gradient = tape.gradient(y, x)
    assert "tape.explain" in fix_of(lambda: 0.1 * gradient)
