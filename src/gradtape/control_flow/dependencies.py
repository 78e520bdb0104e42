"""tf.control_dependencies: an order that the program text already implies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradtape.core import state


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Run a block after some operations. Everything before the block has already run, or precedes it in the graph.

    Args:
      control_inputs: a list of operations and tensors, None, or functions, which are called.

    >>> with tf.control_dependencies([tf.debugging.assert_positive(1.0)]):
    ...     y = tf.constant(2.0)
    """
    graph = getattr(state.current.trace, "session_graph", None)
    if graph is not None:  # of `tf.compat.v1`: there a session chooses what runs
        with graph.control_dependencies(control_inputs):
            yield
        return
    for item in control_inputs or ():
        if callable(item) and not hasattr(item, "dtype"):
            item()
    yield
