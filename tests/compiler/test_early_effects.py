"""Effects that are early run as soon as their operands are there; all others keep their places."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradtape as tf
from gradtape.api.host_op import hosted
from gradtape.core.shape import Spec

EVENTS: list[str] = []


@hosted(lambda x, **params: (x,))
def computed(x: Any, *, name: str) -> Any:
    """x + 1, in Python."""
    EVENTS.append(name)
    return (x + 1,)


@hosted(lambda x, **params: (Spec((), tf.int64),), effect=True)
def noted(x: Any, *, name: str) -> Any:
    """An effect."""
    EVENTS.append(name)
    return (np.int64(0),)


@hosted(lambda x, **params: (Spec((), tf.int64),), effect=True)
def begun(x: Any, *, name: str) -> Any:
    """An effect that is early."""
    EVENTS.append(name)
    return (np.int64(0),)


begun.early = True


def run(note: Any) -> list[str]:
    v = tf.Variable(0.0)

    @tf.function
    def f(x: Any) -> Any:
        (a,) = computed(x * 2, name="a")
        (b,) = computed(a * 3, name="b")
        v.assign(tf.reduce_sum(b))
        noted(b, name="before")
        (c,) = computed(b * 2, name="c")
        note(a, name="first")
        note(b, name="second")
        noted(c, name="after")
        return c

    EVENTS.clear()
    f(tf.ones([3]))
    assert float(v) == 3 * 10.0
    return list(EVENTS)


def test_early_effects_run_when_their_operands_are_there() -> None:
    late, early = run(noted), run(begun)
    assert [e for e in late if len(e) > 1] == ["before", "first", "second", "after"]
    assert [e for e in early if len(e) > 1] == ["before", "first", "second", "after"]
    assert late.index("c") < late.index("first")
    assert early.index("second") < early.index("c")
