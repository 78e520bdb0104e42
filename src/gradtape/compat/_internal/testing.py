"""Names of TensorFlow's test framework that libraries' tests use."""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable
from typing import Any

import gradtape as tf


def _unchanged(function: Any = None, *_: Any, **__: Any) -> Any:
    return function if callable(function) else lambda inner: inner


disable_cudnn_autotune = disable_xla = run_v2_only = run_in_graph_and_eager_modes = _unchanged
run_all_in_graph_and_eager_modes = deprecated_graph_mode_only = run_deprecated_v1 = _unchanged
disable_mlir_bridge = with_eager_op_as_function = enable_eager_op_as_function = _unchanged
TensorFlowTestCase = tf.test.TestCase


def InstallStackTraceHandler() -> None:  # noqa: N802
    """Nothing: Python's faulthandler does this."""


def main(*args: Any, **kwargs: Any) -> None:
    """Run the tests of the program."""
    unittest.main(*args, **kwargs)


def is_gpu_available(*_: Any, **__: Any) -> bool:
    """Whether there is a GPU."""
    return bool(tf.config.list_physical_devices("GPU"))


def run_eagerly(method: Callable[..., Any]) -> Callable[..., Any]:
    """A test as it is."""

    @functools.wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:
        return method(*args, **kwargs)

    return run
