"""TensorFlow's test framework (`test_util`, `test`, `googletest`) for its test files on gradtape.

Tests run eagerly: decorators that run a test in a graph as well, or only in a graph, leave it as it is. run_file.py does the same on TensorFlow, so
both systems are asked the same. What a test itself puts into a `tf.Graph` is run by a session.
"""

from __future__ import annotations

import contextlib
import functools
import os
import random
import tempfile
import threading
import types
import unittest
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np
from absl.testing import absltest, parameterized
from internal_modules import Missing, set_aside

import gradtape as tf

# Decorators that only choose how a test runs.
EAGERLY = (
    "run_in_graph_and_eager_modes run_all_in_graph_and_eager_modes run_deprecated_v1 deprecated_graph_mode_only also_run_as_tf_function "
    "assert_no_new_tensors assert_no_new_pyobjects_executing_eagerly assert_no_garbage_created"
)
_UNCHANGED = (
    "run_v2_only disable_xla disable_tfrt disable_mlir_bridge enable_mlir_bridge with_eager_op_as_function enable_control_flow_v2 "
    "with_control_flow_v2 run_in_async_and_sync_mode run_all_without_tensor_float_32 run_without_tensor_float_32 xla_allow_fallback "
    "no_xla_auto_jit disable_ubsan disable_asan disable_eager_op_as_function enable_eager_op_as_function "
    "with_forward_compatibility_horizons set_xla_env_flag enable_output_all_intermediates disable_cudnn_autotune "
    "eager_lazy_remote_copy_on_and_off enable_quantized_dtypes_training "
    "enable_tf_xla_constant_folding"
)
_SKIPPED = "run_v1_only run_gpu_only run_cuda_only run_gpu_or_tpu"
_BLOCKS = "use_gpu force_gpu force_cpu device deterministic_ops"
_FALSE = (
    "is_gpu_available is_cuda_available is_xla_enabled IsMklEnabled is_mlir_bridge_enabled is_asan_enabled is_ubsan_enabled is_tsan_enabled "
    "GpuSupportsHalfMatMulAndConv IsBuiltWithROCm IsBuiltWithXLA memory_profiler_is_available is_built_with_rocm is_built_with_cuda "
    "is_built_with_xla is_built_with_gpu_support"
)


def unchanged(function: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A decorator, with or without arguments, that changes nothing."""
    return function if callable(function) and not args and not kwargs else lambda inner: inner


def _skipped(function: Any = None, *_: Any) -> Any:
    skip = unittest.skip("needs TensorFlow 1, or a device that is not here")
    return skip(function) if callable(function) else skip


@contextlib.contextmanager
def _block(*_: Any, **__: Any) -> Iterator[None]:
    yield


def _no(*_: Any, **__: Any) -> bool:
    return False


class _Session:
    """What `with self.session() as session` gives: tensors have values already."""

    def run(self, fetches: Any, feed_dict: Any = None, *_: Any) -> Any:
        if feed_dict:
            set_aside("Session.run with a feed_dict")
        return _evaluate(fetches)

    @property
    def graph(self) -> Any:
        set_aside("Session.graph")


def _is_in_graph() -> bool:
    """Whether a test builds a `tf.Graph` just now."""
    return not tf.executing_eagerly() and not tf.compat.v1.get_default_graph().building_function


def _evaluate(tensors: Any) -> Any:
    return None if tensors is None else TestCase("run").evaluate(tensors)


class _CheckedThread(threading.Thread):
    """A thread whose exception is raised by `join`."""

    def __init__(self, target: Callable[..., Any], args: Any = (), kwargs: Any = None) -> None:
        super().__init__()
        self._call, self._problem = lambda: target(*(args or ()), **(kwargs or {})), None

    def run(self) -> None:
        try:
            self._call()
        except BaseException as problem:
            self._problem = problem

    def join(self, timeout: float | None = None) -> None:
        super().join(timeout)
        if self._problem is not None:
            raise self._problem


class TestCase(tf.test.TestCase, absltest.TestCase):
    """The public TestCase, and what TensorFlow's own has besides."""

    def setUp(self) -> None:
        super().setUp()
        random.seed(87654321)
        np.random.seed(87654321)
        tf.random.set_seed(87654321)

    @contextlib.contextmanager
    def session(self, graph: Any = None, *_: Any, **__: Any) -> Iterator[Any]:
        if graph is None and not _is_in_graph():
            yield _Session()
        else:
            with self._session_of(graph or tf.compat.v1.get_default_graph()).as_default() as session:
                yield session

    cached_session = test_session = session

    def _session_of(self, graph: Any) -> Any:
        """The session of a graph, the same one throughout a test."""
        known = self.__dict__.setdefault("_sessions", {})
        if graph not in known:
            known[graph] = tf.compat.v1.Session(graph=graph)
        return known[graph]

    def evaluate(self, tensors: Any) -> Any:
        if tensors is None or not _is_in_graph():
            return super().evaluate(tensors)
        session = tf.compat.v1.get_default_session() or self._session_of(tf.compat.v1.get_default_graph())
        return session.run(tensors)

    def get_temp_dir(self) -> str:
        if not hasattr(self, "_folder"):
            self._folder = tempfile.mkdtemp()
        return self._folder

    def assertAllEqual(self, a: Any, b: Any, *rest: Any, **more: Any) -> None:  # noqa: N802
        super().assertAllEqual(*self._known(a, b), *rest, **more)

    def assertAllClose(self, a: Any, b: Any, *rest: Any, **more: Any) -> None:  # noqa: N802
        super().assertAllClose(*self._known(a, b), *rest, **more)

    def _known(self, *values: Any) -> list[Any]:
        """Values of a graph as a session computes them."""
        is_in_graph = _is_in_graph()

        def known(leaf: Any) -> Any:
            return self.evaluate(leaf) if tf.is_symbolic_tensor(leaf) else leaf

        return [tf.nest.map_structure(known, value) if is_in_graph else value for value in values]

    def assertRaisesIncompatibleShapesError(self, exception_type: Any = None, *_: Any) -> Any:  # noqa: N802
        return self.assertRaises((ValueError, tf.errors.InvalidArgumentError))  # noqa: PT027

    def assertProtoEquals(self, *_: Any, **__: Any) -> None:  # noqa: N802
        set_aside("assertProtoEquals")

    def checkedThread(self, target: Any, args: Any = None, kwargs: Any = None) -> _CheckedThread:  # noqa: N802
        return _CheckedThread(target, args, kwargs)

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[Any]:  # noqa: N802
        number, kept = stream.fileno(), []
        before = os.dup(number)
        with tempfile.TemporaryFile("w+", errors="replace") as file:

            def contents() -> str:
                if kept:
                    return str(kept[0])
                stream.flush()
                file.seek(0)
                return file.read()

            stream.flush()
            os.dup2(file.fileno(), number)
            try:
                yield types.SimpleNamespace(contents=contents)
            finally:
                kept.append(contents())
                os.dup2(before, number)
                os.close(before)


def _for_all_test_methods(decorator: Any, *args: Any, **kwargs: Any) -> Any:
    def decorate(case: type) -> type:
        for name in dir(case):
            if name.startswith("test") and name != "test_session" and callable(getattr(case, name)):
                setattr(case, name, decorator(*args, **kwargs)(getattr(case, name)))
        return case

    return decorate


def _in_function_and_graph(test: Any = None) -> Any:
    """A decorator that makes two tests of one: its body in a graph of version 1, and in a `tf.function`."""
    if test is None:
        return _in_function_and_graph

    @parameterized.named_parameters(("_v1_graph", True), ("_function", False))
    @functools.wraps(test)
    def both(self: Any, is_in_graph: bool, *args: Any, **kwargs: Any) -> None:
        if is_in_graph:
            with tf.Graph().as_default():
                test(self, *args, **kwargs)
        else:

            @tf.function
            def run() -> None:
                test(self, *args, **kwargs)

            run()

    return both


@contextlib.contextmanager
def _run_functions_eagerly(run_eagerly: bool) -> Iterator[None]:
    before = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(run_eagerly)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(before)


def _channels_first(value: Any) -> Any:
    if isinstance(value, tf.Tensor):
        return tf.transpose(value, {4: [0, 3, 1, 2], 5: [0, 4, 1, 2, 3]}[value.shape.rank])
    return [value[0], value[-1], *value[1:-1]]


def _channels_last(value: Any) -> Any:
    if isinstance(value, tf.Tensor):
        return tf.transpose(value, {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]}[value.shape.rank])
    return [value[0], *value[2:], value[1]]


def _refuse_v1() -> None:
    set_aside("disable_v2_behavior")


def _temporary_folder() -> str:
    """A folder that belongs to the test file alone: tests delete it with all that it has (`shutil.rmtree(test.get_temp_dir())`)."""
    folder = os.path.join(tempfile.gettempdir(), "of_tests")
    os.makedirs(folder, exist_ok=True)
    return folder


def modules() -> dict[str, dict[str, Any]]:
    """The names of the test framework, by module."""
    kinds = {EAGERLY: unchanged, _UNCHANGED: unchanged, _SKIPPED: _skipped, _BLOCKS: _block, _FALSE: _no}
    util: dict[str, Any] = {name: value for names, value in kinds.items() for name in names.split()}
    util |= {
        "TensorFlowTestCase": TestCase,
        "disable_control_flow_v2": lambda *_: _skipped,
        "for_all_test_methods": _for_all_test_methods,
        "run_functions_eagerly": _run_functions_eagerly,
        "build_as_function_and_v1_graph": _in_function_and_graph,
        "skip_if": unchanged,
        "skip_if_error": _block,
        "evaluate": _evaluate,
        "gpu_device_name": str,
        "matmul_without_tf32": tf.matmul,
        "NHWCToNCHW": _channels_first,
        "NCHWToNHWC": _channels_last,
    }
    test = util | {
        "TestCase": TestCase,
        "main": unittest.main,
        "mock": mock,
        "get_temp_dir": _temporary_folder,
        "GetTempDir": _temporary_folder,
        "StubOutForTesting": Missing("StubOutForTesting"),
        "Benchmark": tf.test.Benchmark,
        "compute_gradient": tf.test.compute_gradient,
        "compute_gradient_error": Missing("compute_gradient_error"),
        "is_cpu_target_available": lambda target: target == "x86_64",
        "disable_with_predicate": tf.test.disable_with_predicate,
        "rename_kwargs": unchanged,
    }
    return {
        "tensorflow.python.framework.test_util": util,
        "tensorflow.python.platform.test": test,
        "tensorflow.python.platform.googletest": test,
        "tensorflow.python.eager.test": test,
        "tensorflow.python.compat.v2_compat": {"enable_v2_behavior": unchanged, "disable_v2_behavior": _refuse_v1},
        "tensorflow.python.tf2": {"enabled": lambda: True},
    }
