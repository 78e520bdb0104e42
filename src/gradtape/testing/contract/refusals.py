"""What happens with inputs that an op must refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core.shape import spec_of
from gradtape.core.tensor import wrap
from gradtape.testing.contract.case import as_array
from gradtape.testing.contract.refusal_modes import ways
from gradtape.testing.sample import BadSample


def check_bad(sample: BadSample) -> None:
    """Raises AssertionError unless the op refuses a sample, on tensors and by `infer`, with the message it promises.

    `infer` sees no values, so it may accept what fails for its values alone: then zeros or ones of the same shape must pass, and
    the values must be refused in every way to run the op: functions, loops, branches, maps, datasets, tapes.
    """
    arrays = [as_array(x) for x in sample.inputs]
    _refuses(sample, "on tensors", lambda: _call(sample, arrays))
    if not _values_matter(sample, arrays):
        _refuses(sample, "by infer", lambda: sample.op.infer(*[spec_of(x) for x in arrays], **sample.params))
        return
    for how, run in ways(sample, arrays):
        _refuses(sample, how, run, says=False)


def _call(sample: BadSample, arrays: list[Any]) -> Any:
    return sample.op(*[wrap(x) for x in arrays], **sample.params)


def _values_matter(sample: BadSample, arrays: list[Any]) -> bool:
    """True if other values in the same shapes and dtypes are accepted."""
    return any(_accepts(sample, [fill(x)[()] for x in arrays]) for fill in (np.zeros_like, np.ones_like))


def _accepts(sample: BadSample, arrays: list[Any]) -> bool:
    try:
        sample.op.infer(*[spec_of(x) for x in arrays], **sample.params)
        _call(sample, arrays)
    except Exception:
        return False
    return True


def _refuses(sample: BadSample, how: str, call: Callable[[], Any], says: bool = True) -> None:
    """Raises AssertionError unless a call raises the sample's error; `says`: with the message that it promises."""
    name = sample.op.name
    try:
        with np.errstate(all="ignore"):
            result = call()
    except sample.error as problem:
        if says:
            _check_message(sample, how, str(problem))
    except Exception as problem:
        wrong = f"{type(problem).__name__} instead of {sample.error.__name__}"
        raise AssertionError(f"refusal: {name} raises {wrong} {how}: {problem}") from problem
    else:
        raise AssertionError(f"refusal: {name} accepts the inputs {how} and gives {result!r}.")


def _check_message(sample: BadSample, how: str, text: str) -> None:
    lines = text.split("\n")
    where = f"refusal: {sample.op.name} {how}"
    # Not in the line that quotes the caller: it may hold the words that are looked for.
    said = "\n".join(line for line in lines if not line.startswith("  at:"))
    assert sample.match in said, f"{where}: the message lacks {sample.match!r}:\n{text}"
    assert len(lines) == 3, f"{where}: the message has {len(lines)} lines instead of what, at and fix:\n{text}"
    assert lines[1].startswith("  at:  "), f"{where}: the second line does not say where:\n{text}"
    assert lines[2].startswith("  fix: "), f"{where}: the third line does not say what to do:\n{text}"
