"""Side effects of public functions: immediate, or at each run of the function that is being traced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape.compiler.effects import Effect
from gradtape.core import state
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.transform.opaque_op import view

_current = state.current


def perform(name: str, act: Callable[..., None], tensors: Sequence[Any]) -> None:
    """Call a function of tensors now, or, in a trace, each time the program comes here.

    Args:
      name: of the public function.
      act: what to do; it gets the values of the tensors.
      tensors: tensors and variables.
    """
    values = [x._read() if isinstance(x, Variable) else x for x in tensors]
    trace = _current.trace
    if trace is None:
        act(*values)
    else:  # of a map inside the function, all examples at once
        trace.append(Effect(name, act), [view(x, trace.level) for x in values], {}, ())


def known(*tensors: Any) -> bool:
    """True if the values of tensors are known while they are traced."""
    return _current.trace is None or all(_is_known(x) for x in tensors)


def _is_known(x: Any) -> bool:
    return type(x) is Tensor or (hasattr(x, "trace") and x.trace.peek(x.value) is not None)
