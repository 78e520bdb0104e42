"""The logits behind probabilities: cross entropies are computed from these, also where a softmax or sigmoid is saturated.

Keras on TensorFlow writes the logits on the tensor of probabilities. Probabilities that were rounded to 0 or 1 say neither
how wrong they are nor where to go: their cross entropy is clipped, and its gradient is 0.
"""

from __future__ import annotations

import functools
import warnings
import weakref
from typing import Any

# By the id of the probabilities, with a weak reference that removes the entry when they are gone; see `core/weak.py`.
_LOGITS: dict[int, tuple[Any, Any]] = {}


def remember(probabilities: Any, logits: Any) -> Any:
    """The probabilities, whose logits `logits_of` will find."""
    key = id(probabilities)
    _LOGITS[key] = weakref.ref(probabilities, functools.partial(_LOGITS.pop, key)), logits
    return probabilities


def logits_of(output: Any, from_logits: bool, activation: str, who: str) -> tuple[Any, bool]:
    """The logits that an output was computed from and True; or the output, and whether it holds logits itself."""
    found = _LOGITS.get(id(output))
    if found is None:
        return output, from_logits
    if from_logits:
        warnings.warn(
            f'"`{who}` received `from_logits=True`, but the `output` argument was produced by a {activation} activation and '
            "thus does not represent logits. Was this intended?",
            stacklevel=3,
        )
    return found[1], True
