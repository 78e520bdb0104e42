"""Collections of variables, and functions that initialise, assign and change variables."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

import gradtape as tf
from gradtape.compat import _graphs
from gradtape.compat._graph_keys import GraphKeys


def _graph() -> Any:
    return _graphs.current_graph() or _graphs.default_graph()


def add_to_collection(name: Any, value: Any) -> None:
    """Add an item to a collection of the default graph."""
    _graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Add an item to several collections of the default graph."""
    _graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """The items of a collection of the default graph."""
    return cast(list[Any], _graph().get_collection(key, scope))


def get_collection_ref(key: Any) -> list[Any]:
    """A collection of the default graph itself."""
    return cast(list[Any], _graph().get_collection_ref(key))


def global_variables(scope: str | None = None) -> list[Any]:
    """The variables of the default graph."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


all_variables = global_variables


def trainable_variables(scope: str | None = None) -> list[Any]:
    """The trainable variables of the default graph."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Any]:
    """The local variables of the default graph."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """The variables of the default graph that belong to models."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The variables of the default graph that have moving averages."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Any, name: str = "init") -> Any:
    """The operation that gives variables their initial values; None for variables that have them already."""
    graph = _graphs.current_graph()
    if graph is None:
        return None
    return graph.group([v.initializer for v in var_list], name)


def global_variables_initializer() -> Any:
    """The operation that initialises the variables of the default graph."""
    return variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """The operation that initialises the local variables of the default graph."""
    return variables_initializer(local_variables())


def tables_initializer(name: str = "init_all_tables") -> Any:
    """The operation that fills tables: they are full when they are made."""
    graph = _graphs.current_graph()
    return None if graph is None else graph.group([], name)


initialize_all_variables, initialize_variables = global_variables_initializer, variables_initializer


def is_variable_initialized(variable: Any) -> Any:
    """Whether a variable has a value."""
    return variable.is_initialized()


def report_uninitialized_variables(var_list: Any = None, name: str = "report_uninitialized_variables") -> Any:
    """The names of variables without a value in the default session."""
    listed = global_variables() if var_list is None else var_list
    graph = _graphs.current_graph()
    if graph is None:
        return tf.constant([], tf.string)

    def names() -> Any:  # when the session runs it
        session = _graphs.default_session() if _graphs.defaults.sessions else None
        return np.array([v._name for v in listed if session is not None and not session.has(v)], object)

    found = tf.numpy_function(names, [], tf.string)
    found.set_shape([None])
    return found


def assign(ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: str | None = None) -> Any:
    """Replace the value of a variable."""
    return ref.assign(value)


def assign_add(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Add to a variable."""
    return ref.assign_add(value)


def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Subtract from a variable."""
    return ref.assign_sub(value)


def _rows(ref: Any, indices: Any, updates: Any) -> Any:
    """Rows of a variable, and what they are changed by."""
    return tf.IndexedSlices(tf.convert_to_tensor(updates, ref.dtype), tf.convert_to_tensor(indices))


def scatter_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Replace rows of a variable."""
    return ref.scatter_update(_rows(ref, indices, updates))


def scatter_add(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Add to rows of a variable."""
    return ref.scatter_add(_rows(ref, indices, updates))


def scatter_sub(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Subtract from rows of a variable."""
    return ref.scatter_sub(_rows(ref, indices, updates))


def scatter_nd_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Replace elements of a variable."""
    return ref.scatter_nd_update(indices, updates)
