"""Placeholders, sessions, and switches between eager mode and graphs."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from typing import Any

import gradtape as tf
from gradtape.compat import _graphs
from gradtape.core import errors, state
from gradtape.random._functions import streams
from gradtape.toplevel.gradients import gradients as _gradients


def _building(name: str) -> _graphs.Graph:
    graph = _graphs.current_graph()
    if graph is None:
        raise RuntimeError(
            errors.compose(
                f"tf.compat.v1.{name}() is not compatible with eager execution.",
                "use it in `with tf.Graph().as_default():`, or after tf.compat.v1.disable_eager_execution().",
                depth=3,
            )
        )
    return graph


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """A tensor of a graph whose value a session is given."""
    return _building("placeholder").placeholder(dtype, shape, name)


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    """A tensor that a session may be given another value for; eagerly, and in functions, the tensor itself."""
    graph = _graphs.current_graph()
    given = tf.convert_to_tensor(input)
    if graph is None or not isinstance(state.current.trace, _graphs.GraphTrace):
        return given
    found = graph.placeholder(given.dtype, shape, name or "PlaceholderWithDefault")
    value = tf.get_static_value(given)
    if value is None:
        raise errors.build(
            NotImplementedError,
            "tf.compat.v1.placeholder_with_default needs a default that is known.",
            "give a constant, or use a placeholder.",
        )
    graph.defaults[found.value] = value
    return found


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """A sparse tensor of a graph whose value a session is given."""
    graph = _building("sparse_placeholder")
    rank = None if shape is None else len(shape)
    base = name or "SparsePlaceholder"
    return tf.SparseTensor(
        graph.placeholder(tf.int64, [None, rank], f"{base}/indices"),
        graph.placeholder(dtype, [None], f"{base}/values"),
        graph.placeholder(tf.int64, [rank], f"{base}/shape"),
    )


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = tf.UnconnectedGradients.NONE,
) -> list[Any]:
    """The derivatives of the sum of `ys` with respect to each of `xs`, in a graph or a function."""
    return _gradients(ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients, unconnected_gradients)


def get_default_graph() -> Any:
    """The graph that is being built, that of the function that is being traced, or an empty one."""
    trace: Any = state.current.trace
    if trace is not None and not isinstance(trace, _graphs.GraphTrace):
        from gradtape.compat._internal.func_graphs import FuncGraph

        return FuncGraph.of(trace)
    return _graphs.default_graph() if trace is None else trace.session_graph


def get_default_session() -> Any:
    """The session of the innermost `with`; None if there is none."""
    return _graphs.defaults.sessions[-1] if _graphs.defaults.sessions else None


def executing_eagerly_outside_functions() -> bool:
    """Whether ops outside of functions run immediately."""
    graph = _graphs.current_graph()
    return graph is None or graph.building_function


def disable_eager_execution() -> None:
    """Make ops belong to the default graph."""
    _graphs.leave_eager_mode()


disable_v2_behavior = disable_eager_execution


def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Make ops run immediately, the default."""
    _graphs.enter_eager_mode()


enable_v2_behavior = enable_eager_execution


def enable_tensor_equality() -> None:
    """Nothing: this is how it is."""


disable_tensor_equality = enable_v2_tensorshape = disable_v2_tensorshape = enable_tensor_equality
enable_control_flow_v2 = disable_control_flow_v2 = enable_tensor_equality


def control_flow_v2_enabled() -> bool:
    """True: there is no other."""
    return True


_DEFAULT_SEED, _MOST = 87654321, 2**31 - 1


def get_seed(op_seed: Any) -> tuple[Any, Any]:
    """The two seeds of an op, from the global one and its own; None twice if there is neither."""
    seed = streams.seed
    if seed is None and op_seed is None:
        return None, None
    own = operator.index(tf.random.uniform([], 0, _MOST, tf.int32)) if op_seed is None else op_seed % _MOST
    found = (_DEFAULT_SEED if seed is None else seed % _MOST), own
    return found if any(found) else (0, _MOST)


@contextlib.contextmanager
def colocate_with(op: Any, ignore_existing: bool = False) -> Iterator[None]:
    """A block whose ops are on the device of another one: there is one device."""
    yield
