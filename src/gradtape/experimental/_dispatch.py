"""Functions of `tf` for classes of the program: what runs instead of one where arguments have given types."""

from __future__ import annotations

import collections.abc
import functools
import importlib
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from gradtape.core import doors, errors
from gradtape.core.composite import Composite

F = TypeVar("F", bound=Callable[..., Any])

_UNARY = {
    "arrays": "as_string ones_like zeros_like",
    "math": "log_softmax",
    "nn": "log_softmax",
    "strings": (
        "length lower regex_full_match regex_replace strip substr to_hash_bucket to_hash_bucket_fast "
        "to_hash_bucket_strong to_number unicode_script unicode_transcode upper"
    ),
}
_BINARY = {"math": "scalar_mul"}


class Target(NamedTuple):
    """A function of the program in place of one of `tf`.

    Attributes:
      function: the function of the program.
      api: the function of `tf`.
      types: which types the arguments of some parameters have, by name.
      handler: the function that was registered: for many functions of `tf`, `function` is one of those made of it.
    """

    function: Callable[..., Any]
    api: Callable[..., Any]
    types: dict[str, Any]
    handler: Callable[..., Any]

    def takes(self, arguments: Mapping[str, Any]) -> bool:
        """Whether these arguments have the types, one of them a composite's."""
        given = [arguments.get(name) for name in self.types]
        return any(map(_holds_composite, given)) and all(map(_is_of, given, self.types.values()))

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result; a function without a parameter `name` is called without one."""
        if not _takes(self.function, "name"):
            bound = inspect.signature(self.api).bind(*args, **kwargs)
            bound.arguments.pop("name", None)
            args, kwargs = bound.args, bound.kwargs
        return self.function(*args, **kwargs)


class Handler(NamedTuple):
    """A function of the program for all functions of `tf` that compute each element by itself.

    Attributes:
      function: the function of the program; its first argument is a function of `tf`.
      kind: of the functions: "unary", "binary" or "binary assert".
      types: of their first arguments.
    """

    function: Callable[..., Any]
    kind: str
    types: tuple[Any, ...]

    def target(self, api: Callable[..., Any]) -> Target:
        """The dispatcher of one function of `tf`."""
        names = list(inspect.signature(api).parameters)[: len(self.types)]

        def run(*args: Any, **kwargs: Any) -> Any:
            given = inspect.signature(api).bind(*args, **kwargs).arguments
            first = [given.pop(name) for name in names]
            return self.function(functools.partial(_with_options, api, given) if given else api, *first)

        functools.update_wrapper(run, api)
        return Target(run, api, dict(zip(names, self.types, strict=False)), self.function)


def _with_options(api: Callable[..., Any], options: Mapping[str, Any], *values: Any) -> Any:
    return api(*values, **options)


_targets: dict[tuple[str, str], list[Target]] = {}
_handlers: list[Handler] = []


def dispatch_for_api(api: Callable[..., Any], *signatures: Mapping[Any, Any]) -> Callable[[F], F]:
    """A decorator of a function that runs instead of a function of `tf` where arguments have given types.

    It runs if the function of `tf` does not know such arguments itself.

    Args:
      api: a function of `tf`, such as `tf.concat`.
      *signatures: dicts from parameters, by name or position, to types: classes, `typing.Union`, `typing.Optional` and
        `typing.List` of these. By default, the annotations of the decorated function.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.shape)
    ... def masked_shape(input: Masked, out_type=tf.int32):
    ...     return tf.shape(input.values, out_type)
    >>> tf.shape(Masked([1, 2], [True, False])).numpy()
    array([2], dtype=int32)
    >>> tf.experimental.unregister_dispatch_for(masked_shape)
    """
    own = _checked_api(api)

    def decorator(function: F) -> F:
        if not callable(function):
            raise TypeError(
                errors.compose(
                    f"dispatch_for_api: Expected dispatch_target to be callable; got {function!r}.",
                    "decorate a function.",
                )
            )
        _check_parameters(own, function)
        given = signatures or ([found] if (found := _annotations(function)) else [])
        if not given:
            raise ValueError(
                errors.compose(
                    "dispatch_for_api: must be called with at least one signature, or applied to a function with type "
                    "annotations on its parameters.",
                    "annotate a parameter with your class: def f(x: MyType).",
                )
            )
        made = [Target(function, own, _checked_types(own, types), function) for types in given]
        _targets.setdefault(doors.key_of(own), []).extend(made)
        _begin()
        return function

    return decorator


def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[F], F]:
    """A decorator of a handler `(api_func, x)` for all functions of `tf` that compute each element of one argument.

    Args:
      x_type: the type of the argument.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    ... def each(api_func, x):
    ...     return Masked(api_func(x.values), x.mask)
    >>> tf.abs(Masked([-1, 2], [True, False])).values.numpy()
    array([1, 2], dtype=int32)
    >>> tf.experimental.unregister_dispatch_for(each)
    """
    return _register("unary", x_type)


def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[F], F]:
    """A decorator of a handler `(api_func, x, y)` for all functions of `tf` of the elements of two arguments.

    Args:
      x_type, y_type: the types of the arguments.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
    ... def each(api_func, x, y):
    ...     return Masked(api_func(x.values, y.values), x.mask & y.mask)
    >>> x = Masked([1, 2], [True, False])
    >>> tf.add(x, x).values.numpy()
    array([2, 4], dtype=int32)
    >>> tf.experimental.unregister_dispatch_for(each)
    """
    return _register("binary", x_type, y_type)


def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[F], F]:
    """A decorator of a handler `(api_func, x, y)` for the checks of the elements of two arguments, such as `assert_equal`.

    Args:
      x_type, y_type: the types of the arguments.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    ... def each(api_func, x, y):
    ...     return api_func(tf.boolean_mask(x.values, x.mask), tf.boolean_mask(y.values, y.mask))
    >>> x = Masked([1, 2], [True, False])
    >>> tf.debugging.assert_equal(x, Masked([1, 5], [True, False]))
    >>> tf.experimental.unregister_dispatch_for(each)
    """
    return _register("binary assert", x_type, y_type)


def unregister_dispatch_for(dispatch_target: Callable[..., Any]) -> None:
    """Remove a function registered by one of the decorators.

    Args:
      dispatch_target: the decorated function.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.rank)
    ... def rank_of_masked(input: Masked):
    ...     return tf.rank(input.values)
    >>> tf.experimental.unregister_dispatch_for(rank_of_masked)
    """
    found = False
    for targets in _targets.values():
        found |= any(t.handler is dispatch_target for t in targets)
        targets[:] = [t for t in targets if t.handler is not dispatch_target]
    found |= any(h.function is dispatch_target for h in _handlers)
    _handlers[:] = [h for h in _handlers if h.function is not dispatch_target]
    if not found:
        raise ValueError(
            errors.compose(
                f"unregister_dispatch_for: {dispatch_target!r} was not registered for dispatch.",
                "give the function that a decorator of tf.experimental was applied to.",
            )
        )


def _register(kind: str, *kinds: Any) -> Callable[[F], F]:
    for each in kinds:
        _check_type(each)

    def decorator(handler: F) -> F:
        same = [h.function for h in _handlers if (h.kind, h.types) == (kind, kinds)]
        if same:
            raise ValueError(
                errors.compose(
                    f"A {kind} elementwise dispatch handler ({same[0]!r}) has already been registered for {kinds}.",
                    "call tf.experimental.unregister_dispatch_for(handler) first.",
                )
            )
        _handlers.append(Handler(handler, kind, kinds))
        _begin()
        return handler

    return decorator


def _begin() -> None:
    """Let functions of `tf` and operators ask here. Programs that register nothing never do."""
    doors.hooks[:], doors.operator_hooks[:] = [_answer], [_answer_operator]


def _answer_operator(name: str, a: Any, b: Any) -> Any:
    """The result of the program's function for an operator on a tensor and a value of its class."""
    wanted = "bitwise_" + name if name in _LOGICAL and not a.dtype.is_bool else _OPERATORS.get(name)
    api = getattr(importlib.import_module("gradtape.math"), wanted or "", None)
    api = getattr(importlib.import_module("gradtape.bitwise"), wanted or "", None) if api is None else api
    return NotImplemented if api is None else _answer(_checked_api(api), (a, b), {})


_LOGICAL = ("and", "or", "xor")
_OPERATORS = {
    "and": "logical_and", "floordiv": "floordiv", "ge": "greater_equal", "gt": "greater", "le": "less_equal", "lt": "less",
    "mod": "floormod", "mul": "multiply", "or": "logical_or", "pow": "pow", "sub": "subtract", "truediv": "truediv",
    "xor": "logical_xor", "add": "add",
}  # fmt: skip


def _answer(api: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of the program's function for these arguments; NotImplemented without one."""
    key = doors.key_of(api)
    kind = _kinds().get(key)
    targets = [*_targets.get(key, ()), *[h.target(api) for h in _handlers if h.kind == kind]]
    if not targets:
        return NotImplemented
    try:
        bound = inspect.signature(api).bind(*args, **kwargs)
    except TypeError:
        return NotImplemented
    bound.apply_defaults()
    found = [t for t in targets if t.takes(bound.arguments)]
    if len({t.handler for t in found}) > 1:
        names = ", ".join([repr(t.handler) for t in found])
        raise ValueError(
            errors.compose(
                f"{key[1]}: Multiple dispatch targets that were registered with tf.dispatch_for match the arguments: {names}.",
                "register each for other types.",
            )
        )
    return found[0].call(args, kwargs) if found else NotImplemented


@functools.cache
def _kinds() -> dict[tuple[str, str], str]:
    """The elementwise functions: room and name, with their number of arguments."""
    from gradtape.ragged import _overrides as ragged

    tables = (
        ("unary", ragged.UNARY),
        ("unary", _UNARY),
        ("binary", ragged.BINARY),
        ("binary", _BINARY),
        ("binary assert", ragged.CHECKS),
    )
    return {(room, name): kind for kind, table in tables for room, names in table.items() for name in names.split()}


def _checked_api(api: Any) -> Callable[..., Any]:
    """The function behind the one that users see."""
    own = getattr(api, "__wrapped__", api)
    if not isinstance(own, types.FunctionType) or not own.__module__.startswith("gradtape."):
        raise ValueError(
            errors.compose(f"dispatch_for_api: {api!r} does not support dispatch.", "give a function of tf: tf.concat.")
        )
    return own


def _check_parameters(api: Callable[..., Any], function: Callable[..., Any]) -> None:
    """Refuse a function whose parameters are not those of the function of `tf`; `name` may be missing."""
    own, given = inspect.signature(function), inspect.signature(api)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in own.parameters.values()):
        return
    names, wanted = list(own.parameters), list(given.parameters)
    if names not in (wanted, [name for name in wanted if name != "name"]):
        plain = [given.replace(return_annotation=given.empty), own.replace(return_annotation=own.empty)]
        raise ValueError(
            errors.compose(
                f"dispatch_for_api: Dispatch function's signature {_bare(plain[1])} does not match API's signature "
                f"{_bare(plain[0])}.",
                f"give it the parameters {', '.join(wanted)}.",
            )
        )


def _bare(signature: inspect.Signature) -> inspect.Signature:
    return signature.replace(parameters=[p.replace(annotation=p.empty) for p in signature.parameters.values()])


def _takes(function: Callable[..., Any], name: str) -> bool:
    parameters = inspect.signature(function).parameters
    return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function's parameters."""
    found = typing.get_type_hints(function)
    return {name: kind for name, kind in found.items() if name != "return" and kind is not Any}


def _checked_types(api: Callable[..., Any], given: Any) -> dict[str, Any]:
    """Types by the names of parameters, from types by names or positions."""
    parameters = inspect.signature(api).parameters
    if not isinstance(given, Mapping) or any(not isinstance(key, (str, int)) for key in given):
        raise TypeError(
            errors.compose(
                "dispatch_for_api: signatures must be dictionaries mapping parameter names to type annotations, got "
                f"{given!r}.",
                'give {"x": MyType}.',
            )
        )
    found = {}
    for key, kind in given.items():
        name = list(parameters)[key] if isinstance(key, int) and key < len(parameters) else key
        if name not in parameters:
            raise ValueError(
                errors.compose(
                    f"dispatch_for_api: signature includes annotation for unknown parameter {name!r}.",
                    f"the parameters are {', '.join(parameters)}.",
                )
            )
        if parameters[name].kind is inspect.Parameter.KEYWORD_ONLY:
            raise ValueError(
                errors.compose(
                    "dispatch_for_api: Dispatch currently only supports type annotations for positional parameters, got "
                    f"{name!r}.",
                    "annotate another parameter.",
                )
            )
        _check_type(kind)
        found[name] = kind
    return found


def _check_type(kind: Any) -> None:
    """Refuse an annotation that values cannot be compared with."""
    parts = typing.get_args(kind)
    if typing.get_origin(kind) in _GROUPS:
        for part in parts:
            _check_type(part)
    elif not isinstance(kind, type):
        raise ValueError(
            errors.compose(
                f"dispatch_for_api: Type annotation {kind!r} is not currently supported by dispatch.",
                "Supported annotations: type names, Union, Optional and List of these.",
            )
        )


_LISTS = (list, collections.abc.Sequence)
_GROUPS = (typing.Union, types.UnionType, *_LISTS)


def _holds_composite(value: Any) -> bool:
    return any(isinstance(v, Composite) for v in (value if isinstance(value, (list, tuple)) else (value,)))


def _is_of(value: Any, kind: Any) -> bool:
    """Whether a value is of an annotated type."""
    origin = typing.get_origin(kind)
    if origin is None:
        return kind is Any or isinstance(value, kind)
    parts = typing.get_args(kind)
    if origin in _LISTS:
        return isinstance(value, (list, tuple)) and all(_is_of(item, parts[0]) for item in value)
    return any(_is_of(value, part) for part in parts)
