"""Switches of TensorFlow's runtime. Ops here run when they are called, so they change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def async_scope() -> Iterator[None]:
    """A block in which TensorFlow may run ops later; here they run immediately.

    >>> with tf.experimental.async_scope():
    ...     y = tf.constant(1.0) + 1.0
    """
    yield


def async_clear_error() -> None:
    """No effect: errors are raised where they occur.

    >>> tf.experimental.async_clear_error()
    """


@contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """A block in which TensorFlow runs functions with another executor; there is one here.

    >>> with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
    ...     y = tf.function(lambda x: x + 1.0)(1.0)
    """
    yield


def enable_strict_mode() -> None:
    """Does nothing: names that TensorFlow has deprecated do not exist here.

    >>> tf.experimental.enable_strict_mode()
    """
