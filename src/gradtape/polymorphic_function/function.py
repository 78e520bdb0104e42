"""tf.function: a Python function that is traced once per kind of arguments, and then runs as a program."""

from __future__ import annotations

import functools
import inspect
import re
import sys
import time
import traceback
import types
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from gradtape.autograph import _calls as autograph
from gradtape.core import errors, gc_pause, locks, log, state, tracebacks
from gradtape.core.composite import Composite
from gradtape.core.deferral import Unknown
from gradtape.core.shape import ANY, TensorSpec, spec_of
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.core.weak import WeakKeys
from gradtape.polymorphic_function import cache_key
from gradtape.polymorphic_function.concrete_function import ConcreteFunction, Slot
from gradtape.polymorphic_function.created_variables import initial_values, noticed
from gradtape.polymorphic_function.function_signature import Signature
from gradtape.polymorphic_function.retracing import difference, recent_calls
from gradtape.tracing import weakly_held
from gradtape.tracing.outputs import results
from gradtape.tracing.trace import Trace, UntrackedSource, current_trace
from gradtape.tracing.user_errors import in_user_code

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S")

_current = state.current
_KEPT = 256  # traces per function; the oldest go first
_SERVED = 1024  # keys of which it is remembered that a trace for more sizes serves them


class _Aliased(Exception):
    """A variable of a call turned out to be one that the function captures."""


class Function(Generic[P, R_co]):
    """The result of `tf.function`.

    Attributes:
      python_function: the function that is traced.
      input_signature: the specs that all calls must fit, or None.
    """

    def __init__(
        self, python_function: Callable[P, R_co], name: str, input_signature: Any, options: dict[str, Any]
    ) -> None:
        self.python_function = python_function
        self._name = name
        self._signature = Signature(python_function, input_signature, name)
        self._options = options
        self._traces: OrderedDict[Any, ConcreteFunction] = OrderedDict()
        self._served: dict[Any, Any] = {}
        # Calls whose arguments are tensors only find their trace here, without more ado.
        self._quick: dict[Any, ConcreteFunction] = {}
        self._turn = locks.Turn("function")
        self._count = 0
        self._recent = recent_calls(python_function)
        self._methods: WeakKeys[Any, Function[..., Any]] | None = None
        self._made_variables = False
        self._captured: frozenset[int] = (
            frozenset()
        )  # identities of variables that are known by another name than a parameter's
        functools.update_wrapper(self, python_function, updated=())

    name = property(lambda self: self._name, doc="The function's name.")
    input_signature = property(lambda self: self._signature.specs, doc="The specs that all calls must fit, or None.")
    function_spec = property(lambda self: self._signature, doc="The parameters, and how calls are bound to them.")
    function_type = property(
        lambda self: self._signature.function_type, doc="The parameters, as Python describes them."
    )

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        if state.settings.functions_run_eagerly:
            return self.python_function(*args, **kwargs)
        kinds = None if kwargs else _kinds(args)
        quick = self._quick.get(kinds)
        try:
            if quick is None:
                return self._call(kinds, args, kwargs)
            self._recent.append(False)
            result: R_co = quick.of_tensors(args)
            return result
        except Exception as problem:
            raise tracebacks.cut(problem)  # noqa: B904 - it is the error itself

    def _call(self, kinds: Any, args: Any, kwargs: dict[str, Any]) -> R_co:
        """The result of a call whose trace the kinds of its arguments alone do not tell."""
        key, values, leaves = self._encoded(args, kwargs)
        concrete = self._traces.get(key)
        if concrete is None:
            try:
                concrete = self._traced(key, values, leaves)
            except _Aliased:
                return self._call(None if kwargs else _kinds(args), args, kwargs)
        else:
            self._recent.append(False)
        # Tensors and variables that are defaults of parameters are not among the arguments.
        is_complete = len(leaves.tensors) == len(args) and not leaves.variables
        if kinds is not None and is_complete and not concrete.is_provisional:
            if len(self._quick) >= _SERVED:
                self._quick.clear()
            self._quick[kinds] = concrete
        result: R_co = concrete.call(leaves.tensors, leaves.variables)
        return result

    def __getattr__(self, name: str) -> Any:
        # It has the attributes that the function was given, or those of the object, such as a module, that it was made of.
        target = self.__dict__.get("python_function")
        if target is None or name.startswith("__") or (inspect.isroutine(target) and not hasattr(target, name)):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        return getattr(target, name)

    def _decorate(self, decorator: Callable[[Any], Any]) -> None:
        """Put another function in the place of the one that is traced, before the first call."""
        if self._traces or self._count:
            raise errors.build(
                ValueError,
                f"Functions cannot be decorated after they have been traced, as {self._name} has.",
                "decorate it before the first call.",
            )
        self.python_function = decorator(self.python_function)
        self._signature = Signature(self.python_function, self._signature.specs, self._name)

    def _clone(self, python_function: Callable[..., Any]) -> Function[..., Any]:
        """A function of the same name and options around another Python function, without traces."""
        return Function(python_function, self._name, self._signature.given, self._options)

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        """The traces, in the order in which they were made."""
        return list(self._traces.values())

    _list_all_concrete_functions_for_serialization = _list_all_concrete_functions
    # TensorFlow's names of the options.
    _python_function = property(lambda self: self.python_function)
    _autograph = property(lambda self: self._options["autograph"])
    _jit_compile = property(lambda self: self._options["jit_compile"])
    _reduce_retracing = property(lambda self: self._options["reduce_retracing"])
    _experimental_autograph_options = property(lambda self: self._options.get("autograph_options"))
    _attributes = property(lambda self: self._options.get("attributes", {}))

    def _encoded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, list[Any], cache_key.Leaves]:
        """The key of a call, its arguments in the order of the parameters, and what they hold."""
        try:
            return self._encode(args, kwargs)
        except RecursionError:
            what = f"{self._name}: the arguments are nested too deeply to be taken apart."
            raise errors.build(RecursionError, what, "pass fewer levels of lists, tuples and dicts.") from None

    def _encode(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, list[Any], cache_key.Leaves]:
        values = self._signature.bind(args, kwargs)
        if len(kwargs) > 1:
            self._signature.check_names(kwargs)
        leaves = cache_key.Leaves(self._captured)
        key = tuple([cache_key.encode(v, leaves) for v in values])
        if self._signature.specs is not None:
            values = self._signature.opened(values)
            key = tuple([cache_key.encode(v, cache_key.Leaves(self._captured)) for v in values])
        return key, values, leaves

    def _traced(self, key: Any, values: list[Any], leaves: cache_key.Leaves, is_call: bool = True) -> ConcreteFunction:
        """The trace for a key: one that serves more sizes, or a new one."""
        with self._turn.taken():
            found = self._traces.get(key) or self._general(key)
            if is_call and _current.trace is None:  # calls in other functions are made once for each of their traces
                self._recent.append(found is None)
            if found is not None:
                return found
            if is_call:
                self._warn_of_retracing()
            relaxed = self._relaxed(key) if self._options["reduce_retracing"] else None
            if relaxed is not None:
                try:
                    return self._kept(relaxed, self._with_specs(relaxed, values), leaves)
                except Unknown:
                    log.warning("%s cannot be traced for several sizes at once; it is traced for each.", self._name)
            return self._kept(key, values, leaves)

    def _kept(self, key: Any, values: list[Any], leaves: cache_key.Leaves) -> ConcreteFunction:
        """A new trace, in the cache."""
        start = time.perf_counter()
        with gc_pause.paused():
            concrete = self._trace(values, leaves)
        if concrete.is_provisional:
            return concrete
        self._check_aliases(concrete, leaves)
        concrete.because = difference(self._signature.names, key, list(self._traces))
        concrete.tracing = time.perf_counter() - start
        for old in [k for k in self._traces if cache_key.is_gone(k)]:
            del self._traces[old]
        self._traces[key] = concrete
        self._quick.clear()
        if len(self._traces) > _KEPT:
            self._traces.popitem(last=False)
        self._served.clear()
        return concrete

    def _check_aliases(self, concrete: ConcreteFunction, leaves: cache_key.Leaves) -> None:
        """Note which variables a function knows by other names than those of its parameters: an assignment by one name is seen
        by the other, so a trace must take them for one variable. Raise _Aliased if this one does not."""
        if not leaves.variables:
            return
        self._captured |= {v._id for v in concrete.variables}
        if any(v._id in self._captured for v in leaves.variables):
            raise _Aliased

    def _general(self, key: Any) -> ConcreteFunction | None:
        """A trace that leaves sizes open and so serves a key; of several, the one that leaves the fewest open."""
        if key not in self._served:
            if len(self._served) >= _SERVED:
                self._served.clear()
            fitting = [k for k in self._traces if cache_key.is_open(k) and cache_key.covers(k, key)]
            self._served[key] = min(fitting, key=_openness, default=None)
        chosen = self._served[key]
        return None if chosen is None else self._traces.get(chosen)

    def _relaxed(self, key: Any) -> Any:
        """The key of a trace that also serves an earlier one, of other sizes; None if there is none."""
        for old in reversed(self._traces):
            wider = cache_key.widened(key, old)
            if wider is not None:
                return wider
        return None

    @staticmethod
    def _with_specs(key: Any, values: list[Any]) -> list[Any]:
        """The values with the specs of a key in place of tensors."""
        specs = cache_key.specs(key)

        def place(value: Any) -> TensorSpec:
            spec = next(specs)
            return TensorSpec(None if spec.shape is ANY else spec.shape, spec.dtype)

        return [cache_key.rebuild(v, place, lambda v: v) for v in values]

    def _trace(self, values: list[Any], leaves: cache_key.Leaves) -> ConcreteFunction:
        if not self._made_variables:
            made: list[Variable] = []
            concrete = self._trace_once(values, initial_values(leaves.tensors), made)
            self._made_variables = not concrete.is_provisional
            if not made:
                return concrete
        return self._trace_once(values, None, None)

    def _trace_once(self, values: list[Any], lift: Any, made: list[Variable] | None) -> ConcreteFunction:
        outer = current_trace()
        try:
            # Derivatives that a function around this one asks for may pass through this one.
            return self._run_python(values, lift, made, outer is not None and bool(outer.tracks_constants))
        except UntrackedSource as problem:
            if problem.trace.outer is not outer:
                raise  # it concerns a function around this one
            # Libraries keep results by weak references: none of the first run may be found in the second.
            traceback.clear_frames(problem.__traceback__)
        return self._run_python(values, lift, made, tracks_constants=True)

    def _run_python(
        self, values: list[Any], lift: Any, made: list[Variable] | None, tracks_constants: bool
    ) -> ConcreteFunction:
        self._count += 1
        trace = Trace(self._name, lift=lift, tracks_constants=tracks_constants)
        slots: list[Slot] = []
        by_variable: dict[int, Slot] = {}

        def place(variable: Variable) -> Variable:
            if variable._id in self._captured:
                return variable
            if variable._id not in by_variable:
                by_variable[variable._id] = slot = Slot(variable)
                slots.append(slot)
            return by_variable[variable._id]

        with weakly_held.let_go(trace), trace, noticed(made):
            names = iter([_node_name(n) for n in self._signature.input_names(values)])
            given = [
                cache_key.rebuild(v, lambda t: trace.parameter(spec_of(t), next(names, "")), place) for v in values
            ]
            untouched = [cache_key.rebuild(v, lambda t: t, lambda v: v) for v in given]
            args, kwargs = self._signature.unbind(given)
            try:
                with autograph.enabled(self._options["autograph"], self._options.get("autograph_options")):
                    returned = autograph.adapted(self.python_function)(*args, **kwargs)
            except Exception as problem:
                raise in_user_code(problem) from problem.__cause__
            self._check_untouched(untouched, given)
            structure, outputs = results(trace, returned, self._name)
        if made is not None:
            made += trace.created  # also those that other threads have made, for replicas
        return ConcreteFunction(trace, structure, outputs, slots, self._signature, values, self._captured)

    def _check_untouched(self, before: list[Any], after: list[Any]) -> None:
        changed = [
            name
            for name, a, b in zip(self._signature.names, before, after, strict=False)
            if not cache_key.same_structure(a, b)
        ]
        if changed:
            raise errors.build(
                ValueError,
                f"{self._name} should not modify its Python input arguments. Modifying a copy is allowed. The following "
                f"parameter(s) were modified: {', '.join(changed)}",
                "copy the list or dict first, and return the copy.",
            )

    def _warn_of_retracing(self) -> None:
        if _current.trace is not None:
            return
        recent = sum(self._recent)
        if recent >= 5 and self._recent.warnings < 2:
            self._recent.warnings += 1
            log.warning(
                "%d out of the last %d calls to %s triggered tf.function retracing. Tracing is expensive: pass tensors "
                "instead of Python numbers, keep shapes the same, and define the function outside of the loop.",
                recent,
                len(self._recent),
                self._name,
            )

    @tracebacks.border
    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for specs or values; traces the function if necessary."""
        if self._signature.specs is not None and not args and not kwargs:
            args = self._signature.specs
        key, values, leaves = self._encoded(args, kwargs)
        found = self._traces.get(key)
        try:
            concrete = self._traced(key, values, leaves, is_call=False) if found is None else found
            concrete.rename(values)
            return concrete
        except _Aliased:
            return self.get_concrete_function(*args, **kwargs)

    def get_initialization_function(self, *args: Any, **kwargs: Any) -> Callable[[], None]:
        """A function that initialises the variables which the first call makes. They have their values as soon as the
        function is traced, which is done here; so the function returned does nothing more."""
        if self._count:
            raise errors.build(
                RuntimeError,
                f"get_initialization_function cannot be called after {self._name} has been used.",
                "call it first.",
            )
        self.get_concrete_function(*args, **kwargs)
        return lambda: None

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., str]:
        """A function of a stage that gives the program of a call as text: `stage="hlo"` is what was traced,
        `"optimized_hlo"` what runs.

        >>> double = tf.function(lambda x: x * 2.0, jit_compile=True)
        >>> print(double.experimental_get_compiler_ir(tf.constant(1.0))())
        <lambda> = graph()
          %0: f32[] = parameter x
          %1: f32[] = constant 2.0
          %2: f32[] = multiply(%0, %1) ...
          return %2
        """
        if not self._options["jit_compile"]:
            raise errors.build(
                ValueError,
                "Compiler IR can only be returned for functions marked with 'jit_compile=True'",
                "decorate it with @tf.function(jit_compile=True).",
            )
        return self.get_concrete_function(*args, **kwargs).text

    def explain(self, stage: str | None = None) -> Any:
        """A report about the function: its traces, their cost, their native kernels, and why each was made.

        Args:
          stage: if given, the text of all traces at that stage instead: `"trace"`, `"passes"`, `"kernels"`, `"memory"`, `"llvm"`, `"asm"`.

        Returns:
          A FunctionReport; a text for a stage.

        >>> @tf.function
        ... def double(x):
        ...     return x * 2.0
        >>> double(tf.constant(1.0)), double(tf.constant([1.0]))[0]
        (<tf.Tensor: shape=(), dtype=float32, numpy=2.0>, <tf.Tensor: shape=(), dtype=float32, numpy=2.0>)
        >>> [trace.because for trace in double.explain().traces]
        ['it was the first call', 'x is a tensor f32[1], not a tensor f32[]']
        """
        if stage is not None:
            return "\n\n".join([c.text(stage) for c in list(self._traces.values())])
        from gradtape.polymorphic_function.explain import FunctionReport

        return FunctionReport(self._name, tuple([c.explain() for c in list(self._traces.values())]))

    def experimental_get_tracing_count(self) -> int:
        """The number of traces of the Python function."""
        return self._count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all traces, as text."""
        return "\n\n".join(c.pretty_printed_signature(verbose) for c in self._traces.values())

    @overload
    def __get__(self, instance: None, owner: Any) -> Function[P, R_co]: ...
    @overload
    def __get__(self: Function[Concatenate[S, Q], R], instance: S, owner: Any = None) -> Function[Q, R]: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """The function bound to an instance: one for each, which goes with it."""
        if instance is None:
            return self
        if isinstance(instance, Composite):  # a value: calls with equal specs share a trace
            return types.MethodType(self, instance)
        if self._methods is None:
            self._methods = WeakKeys()
        bound = self._methods.get(instance)
        if bound is None:
            method = _weak_method(self.python_function, instance)
            bound = self._methods[instance] = Function(method, self._name, self._signature.given, self._options)
        return bound

    def __deepcopy__(self, memo: dict[int, Any]) -> Function[P, R_co]:
        """A function without traces."""
        import copy

        return Function(copy.deepcopy(self.python_function, memo), self._name, self._signature.given, self._options)

    def __reduce__(self) -> Any:
        """Its name in its module, if it is found there; otherwise what it is made of, without traces."""
        path: str = getattr(self, "__qualname__", self._name)
        found: Any = sys.modules.get(self.__module__)
        for part in path.split("."):
            found = getattr(found, part, None)
        if found is self:
            return path
        return Function, (self.python_function, self._name, self._signature.given, self._options)

    def __repr__(self) -> str:
        return f"<gradtape function {self._name}>"


def _kinds(args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Shapes and dtypes of arguments that are all plain tensors; None if something else is among them."""
    kinds: list[Any] = []
    for x in args:
        if type(x) is not Tensor:
            return None
        array = x._array
        kinds += (array.shape, array.dtype)
    return tuple(kinds)


def _weak_method(function: Callable[..., Any], instance: Any) -> Callable[..., Any]:
    """A bound method that does not keep its instance alive."""
    import weakref

    reference = weakref.ref(instance)

    @functools.wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        return autograph.adapted(function)(reference(), *args, **kwargs)

    parameters = list(inspect.signature(function).parameters.values())[1:]
    method.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return method


def _node_name(name: str) -> str:
    """The name of an argument in the graph; not all that specs can have are allowed there."""
    return name if re.fullmatch(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*", name) else "Placeholder"


def _openness(key: Any) -> int:
    """How much a key leaves open."""
    return sum(99 if spec.shape is ANY else spec.shape.count(None) for spec in cache_key.specs(key))


def _attributes(given: Any, implements: Any) -> dict[str, Any]:
    """What a function says about itself; nothing reads it here."""
    return dict(given or {}) | ({} if implements is None else {"api_implements": implements})


@overload
def function(
    func: Callable[P, R],
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Function[P, R]: ...
@overload
def function(
    func: None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Callable[[Callable[P, R]], Function[P, R]]: ...
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """A compiled function: it is traced once for each kind of arguments, and calls run the trace.

    Python code in it runs once per trace: prints, appends and loops over Python values happen then. Tensors have a shape
    and a dtype in a trace, and no value. Variables are read and assigned when the program runs, in the order of the text.

    Args:
      func: the function; without it, a decorator is returned.
      input_signature: a list of `tf.TensorSpec`: one trace for all arguments that fit.
      autograph: rewrite Python's `if`, `while`, `for`, `and`, `or`, `not` and `assert` on tensors, here and in the user's
        functions that are called; without it they are errors that name the line.
      jit_compile: accepted: every function is compiled.
      reduce_retracing: trace for all sizes as soon as a second one comes up, instead of once for each.
      experimental_relax_shapes, experimental_compile: former names of `reduce_retracing` and `jit_compile`.
      experimental_implements, experimental_autograph_options, experimental_attributes, experimental_follow_type_hints:
        accepted and ignored.

    >>> @tf.function
    ... def squared_norm(x):
    ...     return tf.reduce_sum(x * x)
    >>> squared_norm(tf.constant([3.0, 4.0]))
    <tf.Tensor: shape=(), dtype=float32, numpy=25.0>
    """
    options = {
        "autograph": autograph,
        "jit_compile": experimental_compile if jit_compile is None else jit_compile,
        "reduce_retracing": experimental_relax_shapes or reduce_retracing,
        "autograph_options": experimental_autograph_options,
        "attributes": _attributes(experimental_attributes, experimental_implements),
    }

    def decorate(inner: Any) -> Any:
        if not callable(inner):
            what = f"{inner!r} is not a callable object: tf.function takes a function first."
            fix = "@tf.function above a def; arguments go by name: @tf.function(input_signature=[tf.TensorSpec([None, 2])])."
            raise TypeError(errors.compose(what, fix, depth=3))
        if isinstance(inner, Function):
            inner = inner.python_function
        if isinstance(inner, types.MethodType):
            return Function(inner, inner.__name__, input_signature, options)
        wrapped = inner if hasattr(inner, "__name__") else getattr(inner, "func", inner)  # a partial
        return Function(inner, getattr(wrapped, "__name__", "function"), input_signature, options)

    return decorate if func is None else decorate(func)
