"""Whether code is being traced, and how to step out of a trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradtape.core import state

_current = state.current


def inside_function() -> bool:
    """True while a `tf.function` is being traced.

    >>> tf.inside_function()
    False
    """
    return _current.trace is not None


@contextmanager
def init_scope() -> Iterator[None]:
    """Run a block eagerly, outside of all functions being traced and without recording.

    >>> @tf.function
    ... def f(x):
    ...     with tf.init_scope():
    ...         two = tf.constant(2.0)
    ...     return x * two
    >>> float(f(tf.constant(3.0)))
    6.0
    """
    with state.outside():
        yield
