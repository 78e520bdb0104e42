"""Variables of TensorFlow 1: found again by name in scopes."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import gradtape as tf
from gradtape.compat import _graphs
from gradtape.compat._graph_keys import GraphKeys
from gradtape.compat.v1 import _partitioned, initializers
from gradtape.compat.v1._collections import add_to_collection, get_collection
from gradtape.core import dtypes, errors
from gradtape.core.shape import TensorShape
from gradtape.core.variable import Variable as CoreVariable
from gradtape.core.variable_copies import VariableAggregation, VariableSynchronization
from gradtape.core.variable_creation import names


class _AutoReuse:
    """Reuse an existing variable, or create it."""

    def __repr__(self) -> str:
        return "AUTO_REUSE"


AUTO_REUSE = _AutoReuse()


class _VariableMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, CoreVariable)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return make_variable(*args, **kwargs)


class Variable(metaclass=_VariableMeta):
    """A variable, with the arguments of version 1: `tf.compat.v1.Variable(0.0, trainable=False, collections=[…])`."""

    Variable = CoreVariable


def make_variable(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    validate_shape: bool = True,
    caching_device: Any = None,
    name: str | None = None,
    variable_def: Any = None,
    dtype: Any = None,
    expected_shape: Any = None,
    import_scope: Any = None,
    constraint: Any = None,
    use_resource: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
    shape: Any = None,
    experimental_enable_variable_lifting: Any = None,
) -> Any:
    """A variable of the graph that is being built, or an ordinary one."""
    options = {
        "initial_value": initial_value,
        "trainable": trainable,
        "name": name,
        "dtype": dtype,
        "constraint": constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
        "shape": shape,
    }
    graph = _graphs.current_graph()
    if graph is not None and not graph.building_function:
        return _graphs.GraphVariable(graph, collections=collections, **options)
    return CoreVariable(**options)


class VariableStore:
    """Variables by their full names."""

    def __init__(self) -> None:
        self.variables: dict[str, Any] = {}

    _vars = property(lambda self: self.variables)


class _Scopes(threading.local):
    """The scope and the store that are current on this thread."""

    def __init__(self) -> None:
        self.scope: VariableScope | None = None
        self.store: VariableStore | None = None


_scopes = _Scopes()


def default_variable_store() -> VariableStore:
    """The store of the graph that is being built, or of the program."""
    if _scopes.store is not None:
        return _scopes.store
    graph = _graphs.current_graph() or _graphs.default_graph()
    found: VariableStore = graph.scopes.setdefault("store", VariableStore())
    return found


@contextlib.contextmanager
def with_variable_store(store: Any) -> Iterator[None]:
    """A block in which variables are found in another store, such as that of a Keras layer."""
    before, _scopes.store = _scopes.store, store
    try:
        yield
    finally:
        _scopes.store = before


class VariableScope:
    """The settings of a variable scope: the prefix, and defaults for `get_variable`."""

    def __init__(
        self,
        reuse: Any = None,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = dtypes.float32,
        use_resource: Any = None,
        constraint: Any = None,
    ) -> None:
        self.name, self.reuse, self.initializer, self.regularizer = name, reuse, initializer, regularizer
        self.custom_getter, self.dtype, self.constraint = custom_getter, dtype, constraint
        self.original_name_scope = name_scope
        self.caching_device, self.partitioner, self.use_resource = caching_device, partitioner, use_resource

    def reuse_variables(self) -> None:
        """Require that variables exist already."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """The initializer of variables without one."""
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """The regularizer of variables without one."""
        self.regularizer = regularizer

    def set_custom_getter(self, custom_getter: Any) -> None:
        """The function that makes variables."""
        self.custom_getter = custom_getter

    def set_caching_device(self, caching_device: Any) -> None:
        """The device on which values are kept: there is one."""
        self.caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """The function that says into how many parts variables are cut."""
        self.partitioner = partitioner

    def set_dtype(self, dtype: Any) -> None:
        """The dtype of variables without one."""
        self.dtype = dtype

    def set_use_resource(self, use_resource: Any) -> None:
        """Nothing: all variables are resources."""
        self.use_resource = use_resource

    def global_variables(self) -> list[Any]:
        """The variables in this scope."""
        return get_collection(GraphKeys.GLOBAL_VARIABLES, self.name)

    def trainable_variables(self) -> list[Any]:
        """The trainable variables in this scope."""
        return get_collection(GraphKeys.TRAINABLE_VARIABLES, self.name)

    def get_collection(self, name: Any) -> list[Any]:
        """The members of a collection in this scope."""
        return get_collection(name, f"{self.name}/" if self.name else None)


def get_variable_scope() -> VariableScope:
    """The scope that is current."""
    if _scopes.scope is None:
        _scopes.scope = VariableScope()
    return _scopes.scope


class variable_scope:  # noqa: N801
    """A scope for variables that `get_variable` makes or finds again.

    >>> with tf.compat.v1.variable_scope("layer"):
    ...     v = tf.compat.v1.get_variable("w", [2])
    >>> v.name
    'layer/w:0'
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: Any = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        self._given, self._default, self._reuse = name_or_scope, default_name, reuse
        self._options = {
            "initializer": initializer,
            "regularizer": regularizer,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "constraint": constraint,
            "partitioner": partitioner,
        }
        self._named = auxiliary_name_scope
        self._before: list[Any] = []

    def __enter__(self) -> VariableScope:
        outer, counts = get_variable_scope(), _counts()
        if isinstance(self._given, VariableScope):
            name, base = self._given.name, self._given
        else:
            own = self._given if self._given is not None else self._unique(outer)
            name, base = f"{outer.name}/{own}" if outer.name else own, outer
        counts[name] = counts.get(name, 0) + 1
        # A scope that is entered again begins with the names that it had at first.
        self._before.append((outer, names.scopes, dict(counts) if base is self._given else name))
        reuse = self._reuse if self._reuse is not None else (base.reuse or outer.reuse)
        scope = VariableScope(reuse or None, name, name_scope=f"{name}/")
        for option, value in self._options.items():
            setattr(scope, option, getattr(base, option) if value is None else value)
        if self._options["custom_getter"] is not None and base.custom_getter is not None:
            scope.custom_getter = _chained(self._options["custom_getter"], base.custom_getter)
        if self._named:
            names.scopes = tuple(filter(None, name.split("/")))
        _scopes.scope = scope
        return scope

    def _unique(self, outer: VariableScope) -> str:
        counts, number, own = _counts(), 0, str(self._default)
        while counts.get(f"{outer.name}/{own}" if outer.name else own):
            number += 1
            own = f"{self._default}_{number}"
        return own

    def __exit__(self, *problem: Any) -> None:
        _scopes.scope, names.scopes, before = self._before.pop()
        counts = _counts()
        if isinstance(before, dict):
            counts.clear()
            counts.update(before)
        else:
            counts.update({inner: 0 for inner in counts if inner.startswith(f"{before}/")})


def _counts() -> dict[str, int]:
    graph = _graphs.current_graph() or _graphs.default_graph()
    found: dict[str, int] = graph.scopes.setdefault("counts", {})
    return found


def _chained(inner: Callable[..., Any], outer: Callable[..., Any]) -> Callable[..., Any]:
    return lambda getter, *args, **kwargs: inner(functools.partial(outer, getter), *args, **kwargs)


@contextlib.contextmanager
def variable_op_scope(
    values: Any, name_or_scope: Any, default_name: str | None = None, **options: Any
) -> Iterator[Any]:
    """As `variable_scope`, with the values first."""
    with variable_scope(name_or_scope, default_name, values, **options) as scope:
        yield scope


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Any = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """The variable of a name in the current scope: a new one, or with `reuse` the existing one.

    Without an initializer, floating point numbers are drawn by Glorot's uniform rule, others are zero.
    """
    scope = get_variable_scope()
    own = custom_getter if custom_getter is not None else scope.custom_getter
    if initializer is not None and not callable(initializer):
        dtype = _dtype_of_value(initializer, dtype)
    options = {
        "shape": shape,
        "dtype": dtype if dtype is not None else scope.dtype or dtypes.float32,
        "initializer": initializer if initializer is not None else scope.initializer,
        "regularizer": regularizer if regularizer is not None else scope.regularizer,
        "trainable": trainable,
        "collections": collections,
        "constraint": constraint if constraint is not None else scope.constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
    }
    whole = f"{scope.name}/{name}" if scope.name else name
    if own is not None:
        return own(functools.partial(_found_or_made, reuse=scope.reuse), whole, **options)
    store: Any = default_variable_store()
    if not isinstance(store, VariableStore):
        return store.get_variable(whole, reuse=scope.reuse, **options)
    partitioner = partitioner if partitioner is not None else scope.partitioner
    if partitioner is not None:
        return _in_parts(whole, partitioner, scope.reuse, options)
    return _found_or_made(whole, reuse=scope.reuse, **options)


def _in_parts(name: str, partitioner: Any, reuse: Any, options: dict[str, Any]) -> Any:
    """A variable in the parts that a partitioner wants; a scalar is kept whole."""
    initial = options["initializer"]
    is_value = initial is not None and not callable(initial)
    if is_value:
        initial = tf.convert_to_tensor(initial, options["dtype"])
    shape = TensorShape(initial.shape if is_value and options["shape"] is None else options["shape"])
    if not shape.rank:
        return _found_or_made(name, reuse=reuse, **options)
    counts = _partitioned.parts_of(partitioner, shape, options["dtype"])
    variables = []
    for i, (begin, size) in enumerate(_partitioned.pieces(counts, shape)):
        own = {"initializer": tf.slice(initial, begin, size), "shape": None} if is_value else {"shape": size}
        variables.append(_found_or_made(f"{name}/part_{i}", reuse=reuse, **{**options, **own}))
    return _partitioned.PartitionedVariable(name, shape, options["dtype"], variables, counts)


def _dtype_of_value(value: Any, dtype: Any) -> Any:
    """The dtype of a variable that starts with a value: that of the value, which may be given once more."""
    own = tf.convert_to_tensor(value).dtype
    if dtype is not None and dtypes.as_dtype(dtype) is not own:
        raise errors.build(
            ValueError,
            f"get_variable: Initializer type {own.name!r} and explicit dtype {dtypes.as_dtype(dtype).name!r} don't match.",
            "leave dtype out.",
        )
    return own


def _found_or_made(name: str, reuse: Any = None, **options: Any) -> Any:
    if (
        options.get("shape") is not None
        and options.get("initializer") is not None
        and not callable(options["initializer"])
    ):
        raise errors.build(
            ValueError, f"{name}: If initializer is a constant, do not specify shape.", "leave the shape out."
        )
    store = default_variable_store()
    found = store.variables.get(name)
    if found is not None and (reuse or _graphs.current_graph() is None):
        wanted = options.get("shape")
        if wanted is not None and not found.shape.is_compatible_with(TensorShape(wanted)):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape {TensorShape(wanted)} and found shape {found.shape}."
            )
        if reuse or reuse is AUTO_REUSE:
            return found
    if found is not None and _graphs.current_graph() is not None:
        raise errors.build(
            ValueError,
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?",
            'with tf.compat.v1.variable_scope("…", reuse=tf.compat.v1.AUTO_REUSE).',
        )
    if found is None and reuse is True:
        raise errors.build(
            ValueError,
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=tf.AUTO_REUSE in VarScope?",
            "make it first, without reuse.",
        )
    made = _new(name, **options)
    if _graphs.current_graph() is not None or getattr(store, "_store_eager_variables", False):
        store.variables[name] = made
    regularizer = options.get("regularizer")
    if regularizer is not None:
        loss = regularizer(made)
        if loss is not None:
            add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return made


def _new(
    name: str,
    shape: Any = None,
    dtype: Any = dtypes.float32,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
    **_: Any,
) -> Any:
    dtype = dtypes.as_dtype(dtype)
    before, names.scopes = names.scopes, ()
    try:
        return make_variable(
            functools.partial(_initial, initializer, shape, dtype),
            trainable=trainable,
            collections=collections,
            name=name,
            dtype=dtype,
            constraint=constraint,
            synchronization=synchronization,
            aggregation=aggregation,
        )
    finally:
        names.scopes = before


def _initial(initializer: Any, shape: Any, dtype: Any) -> Any:
    if initializer is None:
        initializer = initializers.glorot_uniform() if dtype.is_floating else initializers.zeros()
    if isinstance(initializer, type):
        initializer = initializer()
    if not callable(initializer) or tf.is_tensor(initializer):
        return tf.convert_to_tensor(initializer, dtype)
    if shape is None:
        return initializer()
    sizes = TensorShape(shape).as_list()
    try:
        return initializer(sizes, dtype=dtype)
    except TypeError:
        return initializer() if not initializer.__code__.co_argcount else initializer(sizes)


def get_local_variable(name: str, *args: Any, **kwargs: Any) -> Any:
    """As `get_variable`, of variables that are not saved or trained."""
    return get_variable(name, *args, **{**kwargs, "trainable": False, "collections": [GraphKeys.LOCAL_VARIABLES]})


def make_template(
    name_: str, func_: Callable[..., Any], create_scope_now_: bool = False, unique_name_: Any = None, custom_getter_: Any = None,
    **kwargs: Any,
) -> Callable[..., Any]:  # fmt: skip
    """A function whose variables are made by its first call, and used by all later ones.

    Args:
      name_: of the scope of its variables; made unique.
      func_: the function.
      create_scope_now_: whether the scope is made now, and not by the first call.
      unique_name_: in a graph, a name that is taken as it is.
      custom_getter_: what `get_variable` calls in the function.
      **kwargs: arguments of the function.
    """
    if name_ is None:
        raise errors.build(ValueError, "make_template: name cannot be None.", "give the name of a scope.")
    if unique_name_ is not None and _graphs.current_graph() is None:
        raise errors.build(
            ValueError, "make_template: unique_name_ cannot be used when eager execution is enabled.", "leave it out."
        )
    made = Template(name_, func_, unique_name_, custom_getter_, kwargs)
    if create_scope_now_:
        made.make_scope()
    return made


class Template:
    """A function that has its own variables."""

    def __init__(self, name: str, func: Callable[..., Any], unique: Any, custom_getter: Any, kwargs: Any) -> None:
        self._func, self._kwargs, self._getter = func, kwargs, custom_getter
        self.name, self._unique = name if unique is None else unique, unique
        self._own: dict[str, Any] = {}
        self._scope: VariableScope | None = None
        self._variables_created = False

    def make_scope(self) -> VariableScope:
        """The scope of the variables, made where this is called first."""
        if self._scope is None:
            with variable_scope(self._unique, default_name=self.name) as self._scope:
                pass
        return self._scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with variable_scope(self.make_scope(), custom_getter=self._kept):
            found = self._func(*args, **self._kwargs, **kwargs)
        self._variables_created = True
        return found

    def _kept(self, getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
        """What `get_variable` returns in the function: the variable of the first call."""

        def own(name: str, *args: Any, **kwargs: Any) -> Any:
            if name not in self._own:
                made = getter(name, *args, **kwargs)
                if self._variables_created and made.trainable:
                    raise ValueError(f"Trying to create variable {name} in a later call of a template.")
                self._own[name] = made
            return self._own[name]

        return (own if self._getter is None else functools.partial(self._getter, own))(name, *args, **kwargs)

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of the variables; None before there is one."""
        return self._scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of the scope, with a slash at its end."""
        return None if self._scope is None else f"{self._scope.name.removesuffix('/')}/"

    @property
    def variables(self) -> list[Any]:
        """The variables."""
        return list(self._own.values())

    weights = global_variables = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that are trained."""
        return [v for v in self.variables if v.trainable]

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables that are not trained."""
        return [v for v in self.variables if not v.trainable]

    non_trainable_weights = non_trainable_variables


def no_regularizer(_: Any) -> None:
    """None: there is no penalty."""


def enable_resource_variables() -> None:
    """Nothing: all variables are resources."""


disable_resource_variables = enable_resource_variables


def resource_variables_enabled() -> bool:
    """True: all variables are resources."""
    return True
