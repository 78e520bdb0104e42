"""Reductions, moments and norms."""

from __future__ import annotations

from ast import literal_eval
from typing import Any

import numpy as np

from fuzz.builder import Builder
from fuzz.steps import kind_of_step

_FLOATS = ("sum", "sum", "mean", "mean", "max", "min", "prod", "logsumexp", "std", "variance", "euclidean_norm")
_KINKED = {"max", "min", "std", "euclidean_norm"}


def axes(b: Builder, x: str) -> str:
    """Some axes of a value as text: None, one or several."""
    rank = b.rank(x)
    if not rank or b.draw.random() < 0.25:
        return "None"
    chosen = b.draw.sample(range(rank), b.draw.randrange(1, rank + 1))
    chosen = [a - rank if b.draw.random() < 0.3 else a for a in chosen]
    return str(chosen[0]) if len(chosen) == 1 and b.draw.random() < 0.7 else str(chosen)


@kind_of_step(7)
def reduce(b: Builder) -> None:
    x = b.pick("f" * 6 + "ci", least=1 if b.draw.random() < 0.9 else 0)
    kind = b.kind(x)
    name = b.draw.choice(_FLOATS if kind == "f" else ("sum", "prod") if kind == "c" else ("sum", "max", "min", "prod"))
    keep = ", keepdims=True" if b.draw.random() < 0.35 else ""
    axis = axes(b, x)
    if name == "std" and _has_equal(b.values[x].numpy(), axis):
        name = "variance"
    b.add(f"tf.math.reduce_{name}({x}, axis={axis}{keep})", smooth=name not in _KINKED)


def _has_equal(x: Any, axis: str) -> bool:
    """True if some numbers do not deviate from each other. There the deviation has no derivative: a cotangent of 0, as that of a
    branch which was not taken, becomes nan, or is not passed at all."""
    chosen = literal_eval(axis)
    axes = tuple(chosen) if isinstance(chosen, list) else chosen
    return bool(np.any(np.ptp(x.astype(np.float64), axis=axes) < 1e-3)) if x.size else True


@kind_of_step(1)
def reduce_bool(b: Builder) -> None:
    x = b.pick("b", new=0.1)
    b.add(f"tf.reduce_{b.draw.choice(('any', 'all'))}({x}, axis={axes(b, x)})")


@kind_of_step(1)
def places(b: Builder) -> None:
    x = b.pick("fi", least=1, empty=False)
    output = b.draw.choice(("", ", output_type=tf.int32"))
    b.add(f"tf.arg{b.draw.choice(('max', 'min'))}({x}, axis={b.axis(x)}{output})", smooth=False)


@kind_of_step(1)
def counts(b: Builder) -> None:
    x = b.pick("fib")
    b.add(f"tf.math.count_nonzero({x}, axis={axes(b, x)})", smooth=False)


@kind_of_step(1)
def moments(b: Builder) -> None:
    x = b.pick("f", least=1, empty=False)
    b.add(f"tf.nn.moments({x}, axes=[{b.axis(x)}], keepdims={b.draw.random() < 0.5})", count=2)


@kind_of_step(1)
def norms(b: Builder) -> None:
    x = b.pick("f", least=1, empty=False)
    texts = (f"tf.norm({x} + 0.01, ord={b.draw.choice((1, 2))}, axis={b.axis(x)})", f"tf.nn.l2_loss({x})",
             f"tf.math.l2_normalize({x} + 0.01, axis={b.axis(x)})", f"tf.nn.zero_fraction({x})")  # fmt: skip
    b.add(b.draw.choice(texts), smooth=False)
