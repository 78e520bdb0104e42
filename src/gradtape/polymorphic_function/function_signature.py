"""The signature of a traced function: how a call's arguments are bound, converted and checked."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradtape.core import convert, errors, nest
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.polymorphic_function import cache_key
from gradtape.polymorphic_function.function_type import CAPTURED_DEFAULT, FunctionType, Parameter, VariableSpec, kind_of


class Signature:
    """A Python function's parameters, and the specs that calls must fit, if there are any.

    Attributes:
      given: `input_signature` as it was given.
      specs: the same as a tuple, or None.
      parameters: the parameters, as Python describes them.
      names: their names.
    """

    def __init__(self, function: Callable[..., Any], given: Any, name: str) -> None:
        self.given, self._name = given, name
        try:
            self._signature = inspect.signature(function)
        except (TypeError, ValueError):  # a builtin without one
            self._signature = inspect.Signature(
                [
                    inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
                    inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
                ]
            )
        parameters = list(self._signature.parameters.values())
        self.parameters = parameters
        self.names = [p.name for p in parameters]
        self._plain = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
        self.specs = None if given is None else self._checked(given, parameters)
        # The same, with IndexedSlices of specs for the specs of those.
        self._opened_specs = None if self.specs is None else tuple(map(_open_slices, self.specs))

    def _checked(self, given: Any, parameters: list[inspect.Parameter]) -> tuple[Any, ...]:
        if not isinstance(given, (tuple, list)):
            what = f"input_signature must be either a tuple or a list, got {type(given).__name__}."
            raise TypeError(errors.compose(what, "input_signature=[tf.TensorSpec(shape, dtype)].", depth=4))
        if any(type(s).__name__ == "VariableSpec" for s in nest.flatten(list(given))):
            what = f"input_signature doesn't support VariableSpec, got {given!r}."
            raise TypeError(
                errors.compose(what, "leave input_signature out: variables of one kind share a trace.", depth=4)
            )
        if not all(
            isinstance(s, (TensorSpec, CompositeSpec)) or cache_key.is_boxed(s) or hasattr(s, "_opened")
            for s in nest.flatten(list(given))
        ):
            what = f"input_signature must be a possibly nested sequence of TensorSpec objects, got {given!r}."
            raise TypeError(errors.compose(what, "tf.TensorSpec([None, 3], tf.float32) for each parameter.", depth=4))
        takes_more = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        positional = [p for p in parameters if p.kind is not p.VAR_POSITIONAL and _takes_spec(p)]
        if len(given) > len(positional) and not takes_more:
            what = f"input_signature contains {len(given) - len(positional)} extra type constraints."
            raise TypeError(errors.compose(what, _one_each(positional), depth=4))
        for p in positional[len(given) :]:
            if p.default is p.empty:
                what = f"input_signature missing type constraint for {p.name}"
                raise TypeError(errors.compose(what, _one_each(positional), depth=4))
        return tuple(given)

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], needed: frozenset[str] = frozenset()) -> list[Any]:
        """The value of every parameter: defaults filled in, but for those that are needed, `*args` as a tuple, `**kwargs` as a
        dict."""
        if self._plain and not kwargs and len(args) == len(self.names) and self.specs is None:
            return list(args)
        try:
            bound = self._signature.bind(*args, **kwargs)
            for p in self.parameters if needed else ():
                if p.name in needed and p.name not in bound.arguments and p.default is not p.empty:
                    raise TypeError(f"missing a required argument: {p.name!r}")
        except TypeError as problem:
            raise errors.build(
                TypeError,
                f"Binding inputs to tf.function failed due to `{problem}`. Received args: {errors.brief(args)} and kwargs: "
                f"{errors.brief(dict(kwargs))} for signature: {self._signature}.",
                f"call it as {self._name}{self._signature}.",
            ) from None
        bound.apply_defaults()
        values = list(bound.arguments.values())
        return values if self.specs is None else self._fitted(values)

    def unbind(self, values: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments that bind to these values."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for parameter, value in zip(self._signature.parameters.values(), values, strict=True):
            if parameter.kind is parameter.VAR_POSITIONAL:
                args += value
            elif parameter.kind is parameter.VAR_KEYWORD:
                kwargs.update(value)
            elif parameter.kind is parameter.KEYWORD_ONLY:
                kwargs[parameter.name] = value
            else:
                args.append(value)
        return tuple(args), kwargs

    def _fitted(self, values: list[Any]) -> list[Any]:
        """The values as tensors that fit the specs."""
        specs = iter(self._opened_specs or ())
        fitted = []
        for parameter, value in zip(self._signature.parameters.values(), values, strict=True):
            if parameter.kind is parameter.VAR_POSITIONAL:
                fitted.append(tuple([self._fit(v, next(specs, None)) for v in value]))
            else:
                spec = next(specs, None) if _takes_spec(parameter) else None
                if spec is None and _takes_spec(parameter) and value is not parameter.default:
                    self._check_default(value, parameter)
                fitted.append(self._fit(value, spec))
        return fitted

    def _check_default(self, value: Any, parameter: inspect.Parameter) -> None:
        """A parameter that `input_signature` does not mention has its default in every call."""
        if isinstance(value, (Tensor, Variable, np.ndarray)) or value != parameter.default:
            raise self._misfit(value, parameter.default)

    def opened(self, values: list[Any]) -> list[Any]:
        """The values with the specs of `input_signature` in place of tensors: what such a function is traced with."""
        given = iter(self._opened_specs or ())
        found = []
        for parameter, value in zip(self._signature.parameters.values(), values, strict=True):
            if parameter.kind is parameter.VAR_POSITIONAL:
                found.append(tuple([next(given, v) for v in value]))
            else:
                found.append(next(given, value) if _takes_spec(parameter) else value)
        return found

    @property
    def fullargspec(self) -> inspect.FullArgSpec:
        """The parameters, as `inspect.getfullargspec` describes them."""
        named = [p for p in self.parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        only = [p for p in self.parameters if p.kind is p.KEYWORD_ONLY]
        defaults = tuple([p.default for p in named if p.default is not p.empty])
        return inspect.FullArgSpec(
            [p.name for p in named],
            next((p.name for p in self.parameters if p.kind is p.VAR_POSITIONAL), None),
            next((p.name for p in self.parameters if p.kind is p.VAR_KEYWORD), None),
            defaults or None,
            [p.name for p in only],
            {p.name: p.default for p in only if p.default is not p.empty} or None,
            {},
        )

    arg_names = property(lambda self: tuple(self.fullargspec.args), doc="The names of the positional parameters.")
    input_signature = property(lambda self: self.specs, doc="The specs that calls must fit, or None.")

    @property
    def function_type(self) -> FunctionType:
        """The parameters, as Python describes them, with the kinds that `input_signature` asks for."""
        specs = iter(self.specs or ())
        found = []
        for p in self.parameters:
            default = p.empty if p.default is p.empty else CAPTURED_DEFAULT
            kind = next(specs, None) if _takes_spec(p) and p.kind is not p.VAR_POSITIONAL else None
            if kind is None and self.specs is not None and p.default is not p.empty:
                kind = p.default
            takes_all = kind is None and (self.specs is None or p.default is p.empty)
            found.append(Parameter(p.name, p.kind, default=default, annotation=p.empty if takes_all else kind_of(kind)))
        return FunctionType(found)

    def _fit(self, value: Any, spec: Any) -> Any:
        if spec is None:
            return value
        if nest.is_nested(spec):
            return nest.pack_sequence_as(spec, self._leaves(value, spec))
        if isinstance(spec, IndexedSlices):
            return self._fit_slices(value, spec)
        if isinstance(value, (TensorSpec, CompositeSpec)):
            if isinstance(spec, TensorSpec) and isinstance(value, TensorSpec):
                fits = TensorSpec(value.shape, value.dtype).is_subtype_of(TensorSpec(spec.shape, spec.dtype))
            else:
                fits = spec.is_compatible_with(value)
            if not fits:
                raise self._misfit(value, spec)
            return value
        if isinstance(spec, CompositeSpec):
            return self._fit_composite(value, spec)
        if cache_key.is_boxed(spec):
            return self._fit_boxed(value, spec)
        if isinstance(value, Variable):
            value = value._read()
        if not isinstance(value, Tensor):
            if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
                value = value.astype(spec.dtype.numpy)
            value = convert.convert_to_tensor(value, spec.dtype)
        if value.dtype is not spec.dtype or not spec.shape.is_compatible_with(value.shape):
            raise self._misfit(TensorSpec(value.shape, value.dtype), spec)
        return value

    def _leaves(self, value: Any, spec: Any) -> list[Any]:
        """The tensors of a structure in the order of `nest`. Below a spec, lists are numbers for one tensor."""
        if not nest.is_nested(spec):
            return [self._fit(value, spec)]
        if isinstance(spec, Mapping):
            if not isinstance(value, Mapping) or set(value) != set(spec):
                raise self._misfit(value, spec)
            pairs = [(value[k], spec[k]) for k in nest.sorted_keys(spec)]
        else:
            if not isinstance(value, type(spec)) or len(value) != len(spec):
                raise self._misfit(value, spec)
            pairs = list(zip(value, spec, strict=True))
        return [leaf for v, s in pairs for leaf in self._leaves(v, s)]

    def _misfit(self, shown: Any, spec: Any) -> TypeError:
        return TypeError(
            errors.compose(
                f"Binding inputs to tf.function failed due to `Can not cast {shown!r} to {spec!r}`. Received {self._name} "
                f"with input_signature {self.specs}.",
                "cast or reshape the argument, or loosen input_signature: tf.TensorSpec([None]) takes every length.",
            )
        )

    def _fit_composite(self, value: Any, spec: CompositeSpec) -> Any:
        if not isinstance(value, Composite) or not spec.is_compatible_with(value):
            raise self._misfit(value._spec() if isinstance(value, Composite) else value, spec)
        return value

    def _fit_slices(self, value: Any, spec: IndexedSlices) -> Any:
        value = _open_slices(value)
        if not isinstance(value, IndexedSlices) or (value.dense_shape is None) != (spec.dense_shape is None):
            raise self._misfit(value, spec)
        parts = [(value.values, spec.values), (value.indices, spec.indices), (value.dense_shape, spec.dense_shape)]
        return IndexedSlices(*[self._fit(v, s) for v, s in parts])

    def _fit_boxed(self, value: Any, spec: Any) -> Any:
        if not cache_key.is_boxed(value) or not spec.is_compatible_with(value):
            raise self._misfit(value, spec)
        return value

    def described(self, values: list[Any]) -> list[Any]:
        """The values with specs in place of tensors, so that nothing is kept alive."""
        return [cache_key.rebuild(v, _spec, _variable, cache_key.described) for v in values]

    def leaf_names(self, values: list[Any]) -> list[str]:
        """A name for each tensor in the values, in their order: that of its spec, or the path that leads to it."""
        found: list[str] = []
        for parameter, value in zip(self.parameters, values, strict=True):
            if parameter.kind is parameter.VAR_KEYWORD:
                for key in sorted(value, key=str):
                    found += _leaf_names(str(key), value[key])
            else:
                found += _leaf_names(parameter.name, value)
        return found

    def own_names(self, values: list[Any]) -> list[str]:
        """The names of the specs in the values, in their order; empty for tensors and for specs that have none."""
        return [name for value in values for name in _own_names(value)]

    @staticmethod
    def count_tensors(value: Any) -> int:
        """How many tensors an argument holds, or a description of one."""
        return len(_own_names(value))

    def check_names(self, kwargs: Mapping[str, Any]) -> None:
        """ValueError if keywords become equal names in a graph."""
        taken: dict[str, str] = {}
        for name in kwargs:
            other = taken.setdefault("".join(c if c.isalnum() else "_" for c in name), name)
            if other != name:
                raise errors.build(
                    ValueError,
                    f"Name collision after sanitization: {self._name} cannot take both keyword arguments {other!r} and {name!r}.",
                    "names in a graph have letters, digits and underscores: use ones that differ in these.",
                )

    def input_names(self, values: list[Any]) -> list[str]:
        """A name for each tensor in the values: that of its spec, or of its parameter, with a number if it is repeated."""
        found: list[str] = []
        for parameter, value in zip(self.parameters, values, strict=True):
            if parameter.kind is parameter.VAR_KEYWORD:
                pairs = [(str(key), value[key]) for key in sorted(value, key=str)]
            elif parameter.kind is parameter.VAR_POSITIONAL:
                pairs = [(f"{parameter.name}_{i}", v) for i, v in enumerate(value)]
            else:
                pairs = [(parameter.name, value)]
            found += [own or name for name, v in pairs for own in _own_names(v)]
        return _unique(found)


def _open_slices(spec: Any) -> Any:
    """A structure of specs with IndexedSlices of specs for the specs of those."""
    if nest.is_nested(spec):
        return nest.map_structure(_open_slices, spec)
    return spec._opened() if hasattr(spec, "_opened") else spec


def _own_names(value: Any) -> list[str]:
    """The names of the specs in an argument, one for each tensor; empty for those that have none."""
    named: list[str] = []

    def note(leaf: Any) -> Any:
        named.append((leaf.name or "") if isinstance(leaf, TensorSpec) else "")
        return leaf

    cache_key.rebuild(value, note, lambda v: v)
    return named


def _unique(names: list[str]) -> list[str]:
    """The names, with a number behind those that came before."""
    counts: dict[str, int] = {}
    found: list[str] = []
    for name in names:
        unique = name
        while unique in counts:
            counts[name] += 1
            unique = f"{name}_{counts[name]}"
        counts[unique] = 0
        found.append(unique)
    return found


def _leaf_names(path: str, value: Any) -> list[str]:
    if isinstance(value, TensorSpec):
        return [value.name or path]
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        return [path]
    if isinstance(value, Mapping):
        return [n for key in sorted(value, key=str) for n in _leaf_names(f"{path}_{key}", value[key])]
    if isinstance(value, IndexedSlices):
        value = [value.values, value.indices, value.dense_shape]
    if isinstance(value, (Composite, CompositeSpec)):
        value = cache_key.open_specs(value)
    if cache_key.is_boxed(value):
        return [path]
    if nest.has_parts(value):
        value = nest.parts(value)
    if isinstance(value, (list, tuple)):
        keys = getattr(value, "_fields", range(len(value)))
        return [n for key, v in zip(keys, value, strict=True) for n in _leaf_names(f"{path}_{key}", v)]
    return []


def result_names(structure: Any) -> list[str]:
    """A name for each spec in a structure of results, after the path that leads to it."""
    return [graph_name(path.removeprefix("_")) for path in _leaf_names("", structure)]


def graph_name(text: str) -> str:
    """A text as a name that tensors of a graph can have."""
    name = re.sub(r"[^a-z0-9_]", "_", text.lower())
    return name if name[:1].isalpha() else f"tensor_{name}" if name else "unknown"


def _takes_spec(parameter: inspect.Parameter) -> bool:
    """Whether `input_signature` speaks of a parameter; of the instance of a method it does not."""
    return parameter.kind not in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD) and parameter.name != "self"


def _spec(value: Any) -> TensorSpec:
    if isinstance(value, TensorSpec):
        return value
    tensor = convert.convert_to_tensor(value)
    return TensorSpec(tensor.shape, tensor.dtype)


def _variable(variable: Variable) -> VariableSpec:
    return VariableSpec(variable.shape, variable.dtype, variable.trainable)


def _one_each(parameters: list[inspect.Parameter]) -> str:
    """Advice on a list of specs whose length differs from that of the parameters."""
    return f"give one tf.TensorSpec for each of the parameters: {', '.join([p.name for p in parameters])}."
