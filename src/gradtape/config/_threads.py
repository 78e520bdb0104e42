"""`tf.config.threading`: how many threads compute."""

from __future__ import annotations

import sys

from gradtape.core import errors, memory

_between = 0


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Set the number of threads that one op may use; 0 means one per core.

    In contrast to TensorFlow this can be called at any time.

    >>> tf.config.threading.set_intra_op_parallelism_threads(1)
    >>> tf.config.threading.get_intra_op_parallelism_threads()
    1
    >>> tf.config.threading.set_intra_op_parallelism_threads(0)
    """
    _check("set_intra_op_parallelism_threads", num_threads)
    memory.set_thread_count(num_threads)
    pool = sys.modules.get("gradtape.compiler.runtime.pool")
    if pool is not None:  # the workers of compiled code, who ask for the number when they start again
        pool.set_threads(0)


def get_intra_op_parallelism_threads() -> int:
    """The requested number of threads; 0 means one per core."""
    return memory.asked_thread_count()


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Accepted: ops run one after the other, each on all threads.

    >>> tf.config.threading.set_inter_op_parallelism_threads(2)
    >>> tf.config.threading.get_inter_op_parallelism_threads()
    2
    """
    global _between
    _check("set_inter_op_parallelism_threads", num_threads)
    _between = num_threads


def get_inter_op_parallelism_threads() -> int:
    """The value passed to `set_inter_op_parallelism_threads`."""
    return _between


def _check(who: str, count: int) -> None:
    if not isinstance(count, int) or count < 0:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: num_threads must be an int of 0 or more, got {count!r}.",
            "give a number of threads, or 0 for one for each core.",
        )
