"""Functions without their Python code: only the saved traces, which cannot be traced again."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.core import convert, errors
from gradtape.core.composite import Composite
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.polymorphic_function.concrete_function import ConcreteFunction
from gradtape.polymorphic_function.function import _SERVED, Function, _kinds
from gradtape.polymorphic_function.function_signature import result_names
from gradtape.polymorphic_function.function_type import FunctionType, VariableSpec
from gradtape.polymorphic_function.matching import DoesNotFit, MatchedLeaves

_OPTIONS = {"autograph": False, "jit_compile": None, "reduce_retracing": False}


def stub(name: str, parameters: Sequence[inspect.Parameter]) -> Any:
    """A function with these parameters that cannot be called."""

    def function(*args: Any, **kwargs: Any) -> Any:
        raise errors.build(
            NotImplementedError,
            f"{name} was loaded from a saved model, without its Python code.",
            "call the tf.function.",
        )

    function.__name__ = function.__qualname__ = name
    function.__signature__ = inspect.Signature(list(parameters))  # type: ignore[attr-defined]
    return function


class RestoredFunction(Function[..., Any]):
    """A `tf.function` after saving and loading: it accepts calls that match one of its traces.

    Args:
      name: of the function.
      parameters: as Python describes them.
      input_signature: the specs that it had, or None.
      concretes: its traces.
      jit_compile: as it was given to `tf.function`.
    """

    def __init__(
        self,
        name: str,
        parameters: Sequence[inspect.Parameter],
        input_signature: Any,
        concretes: Sequence[ConcreteFunction],
        jit_compile: bool | None = None,
    ) -> None:
        super().__init__(stub(name, parameters), name, None, _OPTIONS | {"jit_compile": jit_compile})
        self._saved_signature = input_signature
        self._traces.update(enumerate(concretes))

    input_signature = property(lambda self: self._saved_signature, doc="The specs that all calls must fit, or None.")

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The traces that were saved."""
        return list(self._traces.values())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        kinds = None if kwargs else _kinds(args)
        quick = self._quick.get(kinds)
        if quick is not None:
            return quick.of_tensors(args)
        concrete, tensors, variables = self._matched(args, kwargs)
        if kinds is not None and len(tensors) == len(args) and not variables:
            if len(self._quick) >= _SERVED:
                self._quick.clear()
            self._quick[kinds] = concrete
        return concrete.call(tensors, variables)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for specs or values; ValueError if none was saved."""
        if not args and not kwargs and len(self._traces) == 1:
            return self.concrete_functions[0]
        return self._matched(args, kwargs)[0]

    def _matched(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[ConcreteFunction, list[Any], list[Variable]]:
        """The first trace that arguments fit, with the tensors and variables in them. Numbers and lists become tensors only
        if no trace takes them as they are."""
        try:
            values = self._signature.bind(args, kwargs)
        except TypeError:
            raise self._does_not_match(args, kwargs) from None
        for converts in (False, True):
            for concrete in self.concrete_functions:
                leaves = MatchedLeaves(converts, reads=False)
                try:
                    for value, described in zip(values, concrete._described, strict=True):
                        leaves.take(value, described)
                except DoesNotFit:
                    continue
                if len(leaves.variables) == len(concrete._slots):
                    return concrete, leaves.tensors, leaves.variables
        raise self._does_not_match(args, kwargs)

    def _does_not_match(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception:
        options = [
            f"option {i}:\n{_listed(*concrete.structured_input_signature)}"
            for i, concrete in enumerate(self.concrete_functions, 1)
        ]
        count = len(options)
        none = "" if options else "Found zero restored functions for caller function. "
        none += "" if self._saved_signature is None else "Binding inputs to tf.function failed. "
        what = none + (
            f"Could not find matching concrete function to call loaded from the SavedModel: {self._name} was given\n"
            f"{_listed(args, kwargs)}\nand was saved with {count} {'trace' if count == 1 else 'traces'}."
        )
        return errors.NoTraceError(
            "\n".join([errors.compose(what, _ADVICE if options else _ADVICE_WITHOUT_TRACES), *options])
        )


_ADVICE = "call it with arguments that match an option, or call the function with these before saving."
_ADVICE_WITHOUT_TRACES = (
    "before saving, call the function once, or give it @tf.function(input_signature=[tf.TensorSpec(...)])."
)


def _listed(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    named = [*[(None, v) for v in args], *kwargs.items()]
    lines = [f"    {name + '=' if name else ''}{_shown(v)}" for name, v in named]
    return "\n".join(lines) or "    no arguments"


def _shown(value: Any) -> str:
    """A value by its kind, without the numbers in it."""
    if isinstance(value, (Tensor, Variable, np.ndarray)):
        spec = convert.convert_to_tensor(value) if isinstance(value, np.ndarray) else value
        return repr(TensorSpec(spec.shape, spec.dtype))
    if isinstance(value, Composite):
        return repr(value._spec())
    if isinstance(value, (list, tuple)) and not isinstance(value, VariableSpec):
        shown = ", ".join(map(_shown, value))
        return f"[{shown}]" if isinstance(value, list) else f"({shown})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k!r}: {_shown(v)}" for k, v in value.items()) + "}"
    return repr(value)


class RestoredConcreteFunction(ConcreteFunction):
    """A trace that was saved. Its arguments and results have names also where their specs had none."""

    def _result_specs(self) -> list[TensorSpec | None]:
        specs = super()._result_specs()
        names = iter(result_names(self._packed(specs)))
        return [None if s is None else TensorSpec(s.shape, s.dtype, next(names, None)) for s in specs]


class SignatureFunction(ConcreteFunction):
    """A trace that is called by the names of its tensors, and returns a dict."""

    @property
    def function_type(self) -> FunctionType:
        """The parameters by name, the kinds of the captures, and those of the results."""
        known = super().function_type
        named = sorted(known.parameters.values(), key=lambda p: p.name)
        return FunctionType(named, known.captures, known.output)

    def _result_specs(self) -> list[TensorSpec | None]:
        names = sorted(self._structure)
        specs = super()._result_specs()
        return [None if s is None else TensorSpec(s.shape, s.dtype, n) for s, n in zip(specs, names, strict=True)]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The results by name."""
        specs = {p.name: value for p, value in zip(self._signature.parameters, self._described, strict=True)}
        if len(args) > (1 if len(specs) == 1 else 0):
            raise errors.build(
                TypeError,
                f"the signature {self._staged.name} cannot take {len(args)} of its {len(specs)} tensors by position.",
                f"call it as signature({', '.join(f'{name}=...' for name in specs)}).",
            )
        given = dict(zip(specs, args, strict=False)) | kwargs
        if set(given) != set(specs) or len(given) != len(args) + len(kwargs):
            raise errors.build(
                TypeError,
                f"the signature {self._staged.name} takes {', '.join(specs) or 'nothing'}, but was given "
                f"{', '.join([*['one by position'] * len(args), *kwargs]) or 'nothing'}.",
                "name each tensor once: signature(x=...).",
            )
        leaves = MatchedLeaves(converts=True)
        for name, spec in specs.items():
            try:
                leaves.take(given[name], spec)
            except DoesNotFit:
                raise errors.build(
                    errors.InvalidArgumentError,
                    f"the signature {self._staged.name} takes {spec!r} as {name}, but was given {_shown(given[name])}.",
                    "give a tensor of this shape and dtype.",
                ) from None
        return self.call(leaves.tensors, ())
