"""What happens where gradients are None: for one tape, for the process, and in the log."""

import logging
import os
import subprocess
import sys

import pytest

import gradtape as tf
from gradtape.core import errors


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.WARNING, "gradtape")
    return lambda: [record.getMessage() for record in caplog.records]


def unconnected():
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        z = y * y
    return tape.gradient(z, [x])


def test_all_of_a_call_are_none(lines):
    for _ in range(3):
        assert unconnected() == [None]
    (line,) = lines()
    assert "test_none_gradients.py" in line
    assert "tape.explain" in line


def test_one_that_is_not_none_says_nothing(lines):
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        z = y * y
    assert tape.gradient(z, [x, y])[0] is None
    assert lines() == []


def test_none_that_was_asked_for_says_nothing(lines):
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape(on_none="none") as tape:
        z = y * y
    assert tape.gradient(z, x) is None
    assert lines() == []


def test_zeros_that_were_asked_for_say_nothing(lines):
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        z = y * y
    assert float(tape.gradient(z, x, unconnected_gradients="zero")) == 0.0
    assert lines() == []


def test_for_the_process():
    try:
        tf.config.on_none("raise")
        with pytest.raises(errors.GradientError, match="no path"):
            unconnected()
        tf.config.on_none("zero")
        assert float(unconnected()[0]) == 0.0
    finally:
        tf.config.on_none("log")


def test_modes_are_checked():
    with pytest.raises(ValueError, match=r"tf\.config\.on_none: on_none must be one of (.)*got .loud."):
        tf.config.on_none("loud")
    with pytest.raises(ValueError, match="GradientTape: on_none must be one of"):
        tf.GradientTape(on_none="loud")


def test_environment():
    program = """
import gradtape as tf
x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = tf.constant(2.0)
tape.gradient(y, x)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | {"GRADTAPE_ON_NONE": "raise"}
    )
    assert ran.returncode == 1
    assert "GradientError" in ran.stderr
