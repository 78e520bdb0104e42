"""Running sums, sorting and searching."""

from __future__ import annotations

import numpy as np

from fuzz.builder import Builder, Reject
from fuzz.steps import kind_of_step


@kind_of_step(3)
def running(b: Builder) -> None:
    x = b.pick("f" * 6 + "ci", least=1)
    name = b.draw.choice(("cumsum", "cumsum", "cumprod", "cumulative_logsumexp" if b.kind(x) == "f" else "cumsum"))
    marks = (", reverse=True" if b.draw.random() < 0.3 else "") + (", exclusive=True" if b.draw.random() < 0.3 else "")
    if name == "cumulative_logsumexp":
        marks = marks.replace(", exclusive=True", "")
    b.add(f"tf.math.{name}({x}, axis={b.axis(x)}{marks})")


@kind_of_step(2)
def sort(b: Builder) -> None:
    x = b.pick("f" * 4 + "i", least=1)
    axis, direction = b.axis(x), b.draw.choice(("ASCENDING", "DESCENDING"))
    if b.draw.random() < 0.25:
        b.add(f'tf.argsort({x}, axis={axis}, direction="{direction}", stable=True)', smooth=False)
    else:
        numbers = np.asarray(b.values[x].numpy())
        is_distinct = np.unique(numbers).size == numbers.size  # equal ones may change places
        b.add(f'tf.sort({x}, axis={axis}, direction="{direction}")', smooth=is_distinct)


@kind_of_step(2)
def top_k(b: Builder) -> None:
    x = b.pick("ffi", least=1)
    b.add(f"tf.math.top_k({x}, k={b.draw.randrange(b.shape(x)[-1] + 1)})", count=2, smooth=False)


@kind_of_step(1)
def searchsorted(b: Builder) -> None:
    x = b.pick("f", least=1, most=1)
    y = b.new_input(b.dtype(x), (b.draw.choice((1, 3, 8)),))
    b.add(f'tf.searchsorted(tf.sort({x}), {y}, side="{b.draw.choice(("left", "right"))}")', smooth=False)


@kind_of_step(0.5)
def in_top_k(b: Builder) -> None:
    x = b.pick("f", least=2, most=2, empty=False, suits=lambda n: b.dtype(n) == "float32")
    targets = b.indices((b.shape(x)[0],), b.shape(x)[1], "int32")
    b.add(f"tf.math.in_top_k({targets}, {x}, {b.draw.choice((1, 2, 3))})", smooth=False)


@kind_of_step(0.7)
def counted(b: Builder) -> None:
    x = b.pick("i", most=2, new=0.5)
    if b.dtype(x) not in ("int32", "int64"):
        raise Reject
    b.add(f"tf.math.bincount(tf.abs({x}) % 7, minlength=7, maxlength=7)")
