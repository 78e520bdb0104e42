"""ConcreteFunction: one trace of a function, with the structure of its arguments and results."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gradtape.core import dtypes, errors, nest, state, tracebacks
from gradtape.core.caching import cached
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.polymorphic_function import cache_key
from gradtape.polymorphic_function.function_signature import Signature
from gradtape.polymorphic_function.function_type import FunctionType, Parameter, VariableSpec, kind_of
from gradtape.polymorphic_function.matching import DoesNotFit, MatchedLeaves
from gradtape.tracing.composites import fold
from gradtape.tracing.function_graph import ArgDef, FunctionDef, FunctionGraph, OpDef
from gradtape.tracing.staged import Staged
from gradtape.tracing.symbol import Symbol
from gradtape.tracing.trace import Trace

if TYPE_CHECKING:
    from gradtape.polymorphic_function.explain import TraceReport

_current = state.current


class Slot(Variable):
    """Stands in a trace for a variable that is an argument: any variable of the same kind can take its place."""

    __slots__ = ()

    def __init__(self, variable: Variable) -> None:
        self._id = self._order = state.new_id()
        self._value = variable._value
        self._shape, self._trainable = variable._shape, variable._trainable
        self._constraint, self._synchronization = variable._constraint, variable._synchronization
        self._aggregation, self._name = variable._aggregation, variable._name


class ConcreteFunction:
    """A trace of a `tf.function` for one kind of arguments.

    Attributes:
      because: why it was traced.
      tracing: how long that took, in seconds.
    """

    def __init__(
        self,
        trace: Trace,
        structure: Any,
        outputs: Sequence[Symbol | None],
        slots: list[Slot],
        signature: Signature,
        values: list[Any],
        captured: frozenset[int] = frozenset(),
    ) -> None:
        self._structure, self._leaves = structure, list(outputs)
        self._staged = Staged(trace, [y for y in outputs if y is not None])
        # Maps are told of functions that draw random numbers.
        self._takes_short_path = structure is None and self._leaves[0] is not None and not self._staged.draws
        self._slots, self._signature, self._captured = slots, signature, captured
        self._described = signature.described(values)
        self.because, self.tracing = "", 0.0
        if isinstance(trace.graph, FunctionGraph):
            trace.graph.belong_to(self)

    name = property(lambda self: self._staged.name.encode(), doc="The name, as bytes.")
    is_provisional = property(
        lambda self: self._staged.trace.provisional,
        doc="Whether it serves one call only: it read what has no value yet.",
    )
    graph = property(lambda self: self._staged.trace.graph, doc="The graph.")
    inputs = property(lambda self: list(self._staged.trace.parameters), doc="The arguments, as symbols.")
    outputs = property(lambda self: list(self._staged.outputs), doc="The results, as symbols.")

    @property
    def function_def(self) -> FunctionDef:
        """The function as a message: its name, arguments, results and operations."""
        given = [ArgDef(x.name.partition(":")[0], x.dtype.as_datatype_enum) for x in self.inputs]
        results = [ArgDef(f"output_{i}", y.dtype.as_datatype_enum) for i, y in enumerate(self.outputs)]
        return FunctionDef(OpDef(f"__inference_{self._staged.name}", given, results), self.graph.as_graph_def().node)

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Nothing: functions need not be registered in a graph."""

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Nothing: gradients need not be registered in a graph."""

    @property
    def structured_outputs(self) -> Any:
        """The results in the structure that the function returned, as symbols."""
        return self._packed(self._leaves)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that the function uses."""
        return tuple([s for s, _ in self.graph.captures if isinstance(s, Variable) and not isinstance(s, Slot)])

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable variables that the function uses."""
        return tuple([v for v in self.variables if v.trainable])

    @property
    def captured_inputs(self) -> list[Any]:
        """The variables and tensors that the function closes over."""
        return [source for source, _ in self.graph.captures]

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The specs of the arguments: positional ones, and those by keyword."""
        names = iter(self._signature.leaf_names(self._described))
        named = [
            cache_key.rebuild(v, lambda s: TensorSpec(s.shape, s.dtype, next(names)), lambda v: v)
            for v in self._described
        ]
        return self._signature.unbind(named)

    @property
    def function_type(self) -> FunctionType:
        """The arguments, as Python describes parameters, with their kinds as annotations, and the kinds of the captures and of
        the result; each of `*args` and `**kwargs` has a name of its own."""
        found: list[Parameter] = []
        named: list[tuple[str, Any, Any]]
        for p, value in zip(self._signature.parameters, self._described, strict=True):
            if p.kind is p.VAR_POSITIONAL:
                named = [(f"{p.name}_{i}", v, p.POSITIONAL_ONLY) for i, v in enumerate(value)]
                found = [q.replace(kind=p.POSITIONAL_ONLY) for q in found] if named else found
            elif p.kind is p.VAR_KEYWORD:
                named = [(str(k), v, p.KEYWORD_ONLY) for k, v in value.items()]
            else:
                named = [(p.name, value, p.kind)]
            found += [Parameter(name, kind, annotation=kind_of(v)) for name, v, kind in named]
        specs = self._result_specs()
        captures = {id(s): _captured_kind(s) for s in self.captured_inputs}
        return FunctionType(found, captures, kind_of(self._packed(specs)))

    def _result_specs(self) -> list[TensorSpec | None]:
        return [None if y is None else TensorSpec(y.get_shape(), y.dtype) for y in self._leaves]

    @property
    def output_shapes(self) -> Any:
        """The shapes of the results, in their structure."""
        if self._structure is None and self._leaves[0] is None:
            return TensorShape(None)
        return self._packed([None if y is None else y.get_shape() for y in self._leaves])

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results, in their structure."""
        return self._packed([None if y is None else y.dtype for y in self._leaves])

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The arguments, results and captures, as text; on one line, without captures, unless `verbose`."""
        kinds = self.function_type
        if not verbose:
            return str(kinds)
        lines = ["Input Parameters:"]
        lines += [f"  {p.name} ({p.kind.name}): {p.annotation!r}" for p in kinds.parameters.values()]
        lines += ["Output Type:", f"  {kinds.output!r}", "Captures:"]
        captured = [f"  {identity}: {kind!r}" for identity, kind in kinds.captures.items()]
        return "\n".join([*lines, *(captured or ["  None"])])

    def explain(self) -> TraceReport:
        """A report about this trace."""
        from gradtape.polymorphic_function.explain import TraceReport, contents

        program = self._staged.compiled
        graph = self.graph if program is None else program.program.graph
        native, outside, size = contents(graph)
        seconds = 0.0 if program is None else program.seconds
        return TraceReport(self._parameters(), self.because, self.tracing, seconds, native, outside, size)

    def text(self, stage: str = "hlo", device_name: str | None = None) -> str:
        """The program as text, at one stage of compilation.

        Args:
          stage: `"trace"` (or `"hlo"`): the graph as it was traced; `"passes"`: after the passes over graphs; `"kernels"`: what each
            kernel computes, with the user's lines; `"memory"`: where values lie; `"llvm"`: the text that is handed to LLVM; `"asm"`: its instructions; `"optimized_hlo"`: what runs.
          device_name: ignored.
        """
        from gradtape.polymorphic_function.stages import text_at

        return text_at(self._staged, stage)

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.function_type} at {id(self):#x}>"

    def _parameters(self) -> str:
        """The parameters with the kinds of their values, as Python writes parameters."""
        return str(self.function_type.replace(return_annotation=inspect.Signature.empty))

    @tracebacks.border
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The results for arguments as the function takes them, or for its tensors alone, by position or name; values of
        Python are part of the trace."""
        tensors, variables = self._given(args, kwargs)
        for x, parameter in zip(tensors, self.inputs, strict=True):
            if _current.trace is not None and not parameter.get_shape().is_compatible_with(x.shape):
                given, taken = (TensorSpec(t.get_shape(), t.dtype) for t in (x, parameter))
                raise errors.build(
                    TypeError,
                    f"Binding inputs to tf.function failed due to `Can not cast {given} to {taken}`. Received it as "
                    f"{parameter.name}, for signature: {self._parameters()}.",
                    "call the function itself, or trace it for a tf.TensorSpec with None for sizes that vary.",
                )
        self._check_dtypes(tensors)
        return self.call(tensors, variables)

    def _check_dtypes(self, tensors: Sequence[Tensor]) -> None:
        """InvalidArgumentError if a tensor has another dtype than in the trace."""
        for x, parameter in zip(tensors, self.inputs, strict=True):
            if x.dtype is not parameter.dtype:
                raise errors.build(
                    errors.InvalidArgumentError,
                    f"{self._staged.name}: {parameter.name} was traced as {parameter.dtype.name}, but is given as "
                    f"{x.dtype.name}.",
                    f"use tf.cast(x, tf.{parameter.dtype.name}).",
                )

    def _given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], list[Variable]]:
        """The tensors and variables of a call, given as the whole signature or as the tensors alone."""
        if (
            not kwargs
            and len(args) == len(self.inputs) == len(self._described)
            and all(type(x) is Tensor for x in args)
        ):
            return list(args), []
        try:
            return self._structured(args, kwargs)
        except TypeError as problem:
            try:
                return self._flat(args, kwargs), []
            except TypeError as again:
                said = f"{problem}\nFallback to flat signature also failed due to: {again}"
                if "\n  fix: " not in said:
                    fix = "call it as it was traced: tensors of the same dtypes and shapes, the same Python values, or the function itself."
                    said = f"{said}\n{errors.compose('', fix).strip(chr(10))}"
                raise TypeError(said) from None

    def _structured(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], list[Variable]]:
        try:
            values = self._signature.bind(args, kwargs, needed=self._tensor_parameters)
        except TypeError as problem:
            if all(p.kind is not p.VAR_POSITIONAL for p in self._signature.parameters):
                raise
            # Before `*args`, parameters are given by position only.
            pattern, text = r"multiple values for argument ('\w+')", r"got an unexpected keyword argument \1"
            raise TypeError(re.sub(pattern, text, str(problem))) from None
        self._check_numbers(values)
        leaves = MatchedLeaves(converts=True)
        for name, value, described in zip(self._signature.names, values, self._described, strict=True):
            try:
                leaves.take(value, described)
            except DoesNotFit:
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `{_misfit(value, described)}`. "
                    f"Received it as {name}, for signature: {self._parameters()}."
                ) from None
        return leaves.tensors, [v for v in leaves.variables if v._id not in self._captured]

    def _check_numbers(self, values: list[Any]) -> None:
        """TypeError unless `*args` and `**kwargs` are as many as in the trace, and of the same names."""
        problem = None
        for p, value, described in zip(self._signature.parameters, values, self._described, strict=True):
            if p.kind is p.VAR_POSITIONAL and len(value) != len(described):
                missing = len(value) < len(described)
                text = f"missing a required argument: '{p.name}_{len(value)}'"
                problem = text if missing else "too many positional arguments"
            elif p.kind is p.VAR_KEYWORD and set(value) != set(described):
                missing_names = [k for k in described if k not in value]
                text = f"missing a required argument: '{missing_names[0]}'" if missing_names else ""
                problem = text or f"got an unexpected keyword argument '{next(k for k in value if k not in described)}'"
        if problem is not None:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{problem}`. Received {values} for signature: "
                f"{self._parameters()}."
            )

    @cached
    def _tensor_parameters(self) -> frozenset[str]:
        """The names of the parameters whose arguments hold tensors: these have no defaults, as the others are part of the trace."""
        pairs = zip(self._signature.parameters, self._described, strict=True)
        return frozenset(p.name for p, v in pairs if self._signature.count_tensors(v))

    def rename(self, values: list[Any]) -> None:
        """Take the names of the specs in these values, which are of the kinds of the trace, for those of the arguments."""
        if any(self._signature.own_names(values)):
            self._described = self._signature.described(values)

    def _call_with_flat_signature(self, args: Any, kwargs: dict[str, Any]) -> Any:
        """The results for the tensors of the arguments, by position and by name."""
        tensors = self._flat(tuple(args), kwargs)
        self._check_dtypes(tensors)
        return self.call(tensors, [])

    def _flat(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        names = self._signature.input_names(self._described)
        who = f"{self._staged.name}({', '.join(names)})"
        if unknown := [n for n in kwargs if n not in names]:
            raise TypeError(f"{who} got unexpected keyword arguments: {', '.join(unknown)}.")
        if len(args) > len(names) or self._slots:
            raise TypeError(f"{who} takes {len(names)} positional arguments, got {len(args)}.")
        given = dict(zip(names, args, strict=False))
        for name in kwargs:
            if name in given:
                raise TypeError(f"{who} got two values for {name!r}.")
        given |= kwargs
        if missing := [n for n in names if n not in given]:
            raise TypeError(f"{who} missing required arguments: {', '.join(missing)}.")
        tensors = [x._read() if isinstance(x, Variable) else x for x in (given[n] for n in names)]
        for i, x in enumerate(tensors):
            if not isinstance(x, Tensor):
                raise TypeError(
                    f"{who}: expected argument #{i}(zero-based) to be a Tensor; got {type(x).__name__} ({x!r}). All inputs to "
                    "`ConcreteFunction`s must be Tensors."
                )
        return tensors

    def of_tensors(self, tensors: Any) -> Any:
        """The results for plain tensors; the usual call, without recorders, takes a short path."""
        if _current.recorders or _current.trace is not None or not self._takes_short_path:
            return self.call(tensors, ())
        return wrap(self._staged.program.run([x._array for x in tensors])[0])

    def call(
        self, tensors: Sequence[Tensor], variables: Sequence[Variable], closed: Sequence[Any] | None = None
    ) -> Any:
        """The results for the tensors and variables of a call; `closed` are values for the captures, where these have none."""
        if variables:
            slots = {s._id: v for s, v in zip(self._slots, variables, strict=True)}
            closed = [slots.get(s._id, s) for s, _ in self.graph.captures]
            results = self._staged.run(tensors, closed, slots)
        else:
            results = self._staged.run(tensors, closed)
        found = iter(results)
        return self._packed([None if y is None else next(found) for y in self._leaves])

    def _packed(self, leaves: list[Any]) -> Any:
        if self._structure is None:
            return leaves[0]
        return fold(nest.pack_sequence_as(self._structure, leaves))


def _misfit(value: Any, described: Any) -> str:
    """Why a value does not fit the description of an argument."""
    own = value._spec() if isinstance(value, Composite) else value
    if isinstance(described, CompositeSpec):
        if not isinstance(own, CompositeSpec) or own._form() != described._form():
            is_nested = isinstance(value, Composite) or nest.is_nested(value)
            why = "The two structures don't have the same nested structure: " if is_nested else ""
            return f"{why}Can not cast {value!r} to {described!r}"
        for its, part in zip(own._component_specs(), described._component_specs(), strict=True):
            if not part.is_compatible_with(its):
                return f"Can not cast {its!r} to {part!r}, a part of {described!r}"
    if isinstance(described, dict):
        return f"Can not cast {value!r} to a Dict type, {kind_of(described)!r}"
    if isinstance(described, (list, tuple)) and not isinstance(described, VariableSpec):
        return f"Can not cast {value!r} to {type(described).__name__}, {kind_of(described)!r}"
    return f"Can not cast {own!r} to {kind_of(described)!r}"


def _captured_kind(source: Any) -> TensorSpec:
    """The spec of what a function closes over."""
    shape = source.get_shape() if hasattr(source, "get_shape") else source.shape
    return TensorSpec([], dtypes.resource) if isinstance(source, Variable) else TensorSpec(shape, source.dtype)
