"""recompute_grad: forget what a function computed, and compute it again for its gradient."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from gradtape.core import convert, errors, nest, state
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.transform.forward_mode import Pushforward
from gradtape.transform.gradient_arguments import UnconnectedGradients
from gradtape.transform.opaque_op import Pullback, Witness, recorded_by, show
from gradtape.transform.record import Recording
from gradtape.transform.tape import GradientTape

_current = state.current


P = ParamSpec("P")
R = TypeVar("R")


def recompute_grad(f: Callable[P, R]) -> Callable[P, R]:
    """A function that trades time for memory: tapes keep only its arguments, and run it again for the gradient.

    Gradients reach the arguments, variables and tensors that `f` closes over, at any order. The second run is exact:
    it finds every variable, and the state of every random generator, as it was at the first run, and what it assigns is
    undone.

    Args:
      f: a function of tensors, or nested structures of them; other arguments are passed on.

    Returns:
      A function of the same arguments, with the same results.

    >>> @tf.recompute_grad
    ... def block(x):
    ...     return tf.square(tf.square(x))
    >>> x = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = block(x)
    >>> float(tape.gradient(y, x))
    32.0
    """
    if not callable(f):
        raise TypeError(errors.compose(f"recompute_grad: f must be a function, got {f!r}.", "decorate a function."))

    @functools.wraps(f)
    def run(*args: Any, **kwargs: Any) -> Any:
        seeing, hidden = _split(_current.recorders)
        witness = Witness(hidden)
        with recorded_by(*seeing, witness):
            result = f(*args, **kwargs)
            results = [convert.convert_to_tensor(r) for r in nest.flatten(result)]
        inputs = _inputs(args, kwargs, witness)
        pullback = _pullback(functools.partial(f, *args, **kwargs), witness, inputs)
        name = f"recompute_grad({getattr(f, '__name__', type(f).__name__)})"
        return nest.pack_sequence_as(result, show(name, pullback, inputs, results, seeing))

    return run


def _split(recorders: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The recorders that see inside the function, and those that do not.

    Forward accumulators see inside, since they keep nothing. What they compute is for the tapes entered before them, which
    therefore must see the same ops.
    """
    last = max([i + 1 for i, r in enumerate(recorders) if isinstance(r, Pushforward)], default=0)
    hidden = tuple([r for r in recorders[last:] if isinstance(r, Recording)])
    return tuple([r for r in recorders if r not in hidden]), hidden


def _inputs(args: Any, kwargs: Any, witness: Witness) -> list[Any]:
    """The distinct tensors and variables that the function was given or found."""
    given = [x for x in nest.flatten((args, kwargs)) if isinstance(x, (Tensor, Variable))]
    found = list({id(x): x for x in (*given, *witness.variables)}.values())
    for x in found:
        if isinstance(x, Variable):
            x._read()
    # An example of a map has no identity of its own until a tape inside the map watches it.
    known, objects = {x._id for x in found if x._id}, {id(x) for x in found}
    found += [x for x in witness.captured.values() if x._id not in known and id(x) not in objects]
    if _current.trace is not None:
        for x in found:
            if type(x) is Tensor and x._id:
                _current.trace.value_of(x)  # the ops in which it was used are hidden from the trace
    return found


def _pullback(again: Callable[[], Any], witness: Witness, inputs: list[Any]) -> Pullback:
    def pullback(dys: tuple[Any, ...], needs: Sequence[bool]) -> list[Any]:
        sources = [x for x, need in zip(inputs, needs, strict=True) if need]
        with witness.rewound(), GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(sources)
            results = [convert.convert_to_tensor(r) for r in nest.flatten(again())]
        pairs = [(r, d) for r, d in zip(results, dys, strict=True) if r.dtype.is_trainable]
        targets, seeds = [r for r, _ in pairs], [d for _, d in pairs]
        found = iter(tape.gradient(targets, sources, seeds, UnconnectedGradients.ZERO))
        return [next(found) if need else None for need in needs]

    return pullback
