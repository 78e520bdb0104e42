"""Ctrl-C in the middle of everything that may take long: it is heard, within a second, and what is left works."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import pytest

import gradtape as tf

LARGE = 100_000


def taped() -> Any:
    v = tf.Variable(tf.ones([LARGE]))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.tanh(v) * v
    tape.gradient(y, v)
    return tape


def compiled() -> Any:
    f = tf.function(lambda x: tf.tanh(x) * 3.0)
    with tf.GradientTape() as tape:
        x = tf.ones([LARGE])
        tape.watch(x)
        y = f(x)
    tape.gradient(y, x)
    return f


MORTAL: dict[str, Callable[[], Any]] = {
    "tensor": lambda: tf.ones([LARGE]) * 2.0,
    "variable": lambda: tf.Variable(tf.ones([LARGE])),
    "tape": taped,
    "function": compiled,
    "dataset": lambda: tf.data.Dataset.range(3).map(lambda x: x + 1),
    "generator": lambda: tf.random.Generator.from_seed(1),
    "queue": lambda: tf.queue.FIFOQueue(3, [tf.float32]),
}


@pytest.mark.parametrize("name", MORTAL)
def test_nothing_is_called_when_an_object_dies(name: str) -> None:
    """Python drops a Ctrl-C that comes while a finalizer or the callback of a weak reference runs."""
    MORTAL[name]()
    holder, called = [MORTAL[name]()], []
    gc.collect()
    callbacks, gc.callbacks[:] = gc.callbacks[:], []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code) if event == "call" else None)
    holder.clear()
    gc.collect()
    sys.setprofile(before)
    gc.callbacks[:] = callbacks
    assert not called
