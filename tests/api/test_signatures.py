"""Public functions have TensorFlow's names and signatures.

`docs/tensorflow_names.txt` lists TensorFlow 2.21's names: a mark; the name; for functions the parameters in their order, `=`
after those that have a default. Ours take the same arguments by position and by name; they may take more behind them.
"""

from __future__ import annotations

import inspect
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import gradtape as tf
from gradtape.api import absent

FILE = Path(__file__).parents[2] / "docs" / "tensorflow_names.txt"
# Keras's own names, and kernels that TensorFlow shows at its top level beside the functions of tf.signal, which ours are.
_NOT_OURS = ("tf.keras.", "tf.losses.", "tf.metrics.", "tf.initializers.", "tf.optimizers.", "tf.fftnd", "tf.ifftnd")
_NOT_OURS += ("tf.irfftnd", "tf.rfftnd")
LINES = [
    line
    for line in FILE.read_text(encoding="utf-8").splitlines()
    if line[0] not in "#c" and not line[2:].startswith(_NOT_OURS)
]


def lookup(name: str) -> Any:
    """The object of a name that starts with `tf.`; None if there is none, which docs/coverage.md tells."""
    try:
        return reduce(getattr, name.split(".")[1:], tf)
    except AttributeError:
        return None


@pytest.mark.parametrize("line", [pytest.param(line, id=line[2:].split()[0]) for line in LINES])
def test_signature(line: str) -> None:
    name, *wanted = line[2:].split()
    function = lookup(name)
    if function is None:
        assert absent.lookup(name) is not None, f"{name} is missing, and api/absent.py does not say why."
        return
    parameters = list(inspect.signature(function).parameters.values())
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


@pytest.mark.parametrize("name", absent.TABLE)
def test_names_that_are_left_out_say_so(name: str) -> None:
    parent, _, last = name.rpartition(".")
    owner = lookup(parent) if parent != "tf" else tf
    if owner is None:
        assert absent.lookup(parent) is not None
        return
    with pytest.raises(AttributeError, match=f"{name} is left out: ") as raised:
        getattr(owner, last)
    assert "\n  fix: " in str(raised.value)
