"""Public functions have TensorFlow's names and signatures.

`data/signatures.txt` lists TensorFlow 2.21's functions: whether it is differentiable there (g), runs without a gradient (-)
or lacks one (u); the name; the parameters in their order, `=` after those that have a default. Ours take the same
arguments by position and by name; they may take more behind them.
"""

from __future__ import annotations

import inspect
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import gradtape as tf

LINES = (Path(__file__).parent / "data" / "signatures.txt").read_text().splitlines()


def lookup(name: str) -> Any:
    """The object of a name that starts with `tf.`."""
    return reduce(getattr, name.split(".")[1:], tf)


@pytest.mark.parametrize("line", [pytest.param(line, id=line[2:].split()[0]) for line in LINES])
def test_signature(line: str) -> None:
    name, *wanted = line[2:].split()
    parameters = list(inspect.signature(lookup(name)).parameters.values())
    takes_more = any(p.kind is p.VAR_KEYWORD for p in parameters)
    ours = {p.name: (i, p) for i, p in enumerate(parameters)}
    for position, text in enumerate(wanted):
        if text.startswith("*"):
            assert any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters), f"{name} takes no {text}."
            continue
        own = text.removesuffix("=")
        if own not in ours and takes_more:
            continue
        assert own in ours, f"{name} has no parameter {own}; it has {list(ours)}."
        index, parameter = ours[own]
        if parameter.kind is not parameter.KEYWORD_ONLY:
            assert index == position, f"{own} of {name} is at position {index}, TensorFlow has it at {position}."
        assert not text.endswith("=") or parameter.default is not parameter.empty, f"{own} of {name} has no default."
