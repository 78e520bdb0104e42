"""tf.function: a Python function that is traced once per kind of arguments, and then runs as a program."""

from __future__ import annotations

import functools
import inspect
import threading
import time
import types
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

from gradtape.core import convert, errors, log, nest, provenance, state
from gradtape.core.shape import Spec, TensorShape, TensorSpec, spec_of
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.staging import arguments
from gradtape.staging.concrete import ConcreteFunction, Slot
from gradtape.staging.explanation import FunctionReport, difference
from gradtape.staging.signature import Signature
from gradtape.staging.staged import Runner
from gradtape.staging.symbol import Symbol
from gradtape.staging.trace import Trace

_current = state.current
_KEPT = 256  # traces per function; the least recently used go first


class _Settings:
    eager = False


settings = _Settings()


class Function:
    """What `tf.function` returns.

    Attributes:
      python_function: the function that is traced.
      input_signature: the specs that all calls must fit, or None.
    """

    def __init__(self, python_function: Callable[..., Any], name: str, input_signature: Any, options: dict[str, Any]):
        self.python_function = python_function
        self._name = name
        self._signature = Signature(python_function, input_signature, name)
        self._options = options
        self._traces: OrderedDict[Any, ConcreteFunction] = OrderedDict()
        self._lock = threading.RLock()
        self._count = 0
        self._recent: deque[bool] = deque(maxlen=10)
        self._warnings = 0
        self._methods: Any = None
        self._made_variables = False
        functools.update_wrapper(self, python_function, updated=())

    name = property(lambda self: self._name, doc="The function's name.")
    input_signature = property(lambda self: self._signature.specs, doc="The specs that all calls must fit, or None.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if settings.eager:
            return self.python_function(*args, **kwargs)
        values = self._signature.bind(args, kwargs)
        leaves = arguments.Leaves()
        key = tuple([arguments.encode(v, leaves) for v in values])
        concrete = self._traces.get(key)
        self._recent.append(concrete is None)
        if concrete is None:
            concrete = self._traced(key, values, leaves)
        return concrete.call(leaves.tensors, leaves.variables)

    def _traced(self, key: Any, values: list[Any], leaves: arguments.Leaves) -> ConcreteFunction:
        with self._lock:
            found = self._traces.get(key)
            if found is not None:
                return found
            self._warn_of_retracing()
            start = time.perf_counter()
            concrete = self._trace(values, leaves)
            concrete.because = difference(self._signature.names, key, list(self._traces))
            concrete.tracing = time.perf_counter() - start
            self._traces[key] = concrete
            if len(self._traces) > _KEPT:
                self._traces.popitem(last=False)
            return concrete

    def _trace(self, values: list[Any], leaves: arguments.Leaves) -> ConcreteFunction:
        if not self._made_variables:
            self._made_variables = True
            concrete, made = self._trace_once(values, lambda trace, initial: _evaluate(trace, initial, leaves.tensors))
            if not made:
                return concrete
        return self._trace_once(values, None)[0]

    def _trace_once(self, values: list[Any], lift: Any) -> tuple[ConcreteFunction, bool]:
        self._count += 1
        trace = Trace(self._name, lift=lift)
        slots: list[Slot] = []
        by_variable: dict[int, Slot] = {}

        def place(variable: Variable) -> Slot:
            if variable._id not in by_variable:
                by_variable[variable._id] = slot = Slot(variable)
                slots.append(slot)
            return by_variable[variable._id]

        with trace:
            names = iter(self._signature.leaf_names(values))
            given = [arguments.rebuild(v, lambda t: trace.parameter(_spec(t), next(names, "")), place) for v in values]
            untouched = [arguments.rebuild(v, lambda t: t, lambda v: v) for v in given]
            args, kwargs = self._signature.unbind(given)
            try:
                returned = self.python_function(*args, **kwargs)
            except Exception as problem:
                raise _in_user_code(problem) from problem.__cause__
            self._check_untouched(untouched, given)
            structure, outputs = _results(trace, returned, self._name)
        return ConcreteFunction(trace, structure, outputs, slots, self._signature, values), bool(trace.created)

    def _check_untouched(self, before: list[Any], after: list[Any]) -> None:
        changed = [
            name
            for name, a, b in zip(self._signature.names, before, after, strict=False)
            if not arguments.same_structure(a, b)
        ]
        if changed:
            raise ValueError(
                errors.compose(
                    f"{self._name} should not modify its Python input arguments. Modifying a copy is allowed. The following "
                    f"parameter(s) were modified: {', '.join(changed)}",
                    "copy the list or dict first, and return what is new.",
                )
            )

    def _warn_of_retracing(self) -> None:
        recent = sum(self._recent)
        if recent >= 5 and self._warnings < 2:
            self._warnings += 1
            log.warning(
                "%d out of the last %d calls to %s triggered tf.function retracing. Tracing is expensive: pass tensors "
                "instead of Python numbers, keep shapes the same, and define the function outside of the loop.",
                recent,
                len(self._recent),
                self._name,
            )

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for specs or values, made if it is not there yet."""
        values = self._signature.bind(args, kwargs)
        leaves = arguments.Leaves()
        key = tuple([arguments.encode(v, leaves) for v in values])
        found = self._traces.get(key)
        return self._traced(key, values, leaves) if found is None else found

    def explain(self) -> FunctionReport:
        """What is known of the function: its traces, what they cost, what runs natively, and why each was made.

        >>> @tf.function
        ... def double(x):
        ...     return x * 2.0
        >>> double(tf.constant(1.0)), double(tf.constant([1.0]))[0]
        (<tf.Tensor: shape=(), dtype=float32, numpy=2.0>, <tf.Tensor: shape=(), dtype=float32, numpy=2.0>)
        >>> [trace.because for trace in double.explain().traces]
        ['it was the first call', 'x is a tensor f32[1], not a tensor f32[]']
        """
        return FunctionReport(self._name, tuple([c.explain() for c in list(self._traces.values())]))

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function was traced."""
        return self._count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all traces, as text."""
        return "\n\n".join(c.pretty_printed_signature(verbose) for c in self._traces.values())

    def __get__(self, instance: Any, owner: Any) -> Any:
        """The function bound to an instance: one for each, which goes with it."""
        if instance is None:
            return self
        if self._methods is None:
            import weakref

            self._methods = weakref.WeakKeyDictionary()
        bound = self._methods.get(instance)
        if bound is None:
            method = _weak_method(self.python_function, instance)
            bound = self._methods[instance] = Function(method, self._name, self._signature.given, self._options)
        return bound

    def __repr__(self) -> str:
        return f"<gradtape function {self._name}>"


def _weak_method(function: Callable[..., Any], instance: Any) -> Callable[..., Any]:
    """A bound method that does not keep its instance alive."""
    import weakref

    reference = weakref.ref(instance)

    @functools.wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        return function(reference(), *args, **kwargs)

    parameters = list(inspect.signature(function).parameters.values())[1:]
    method.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return method


def _spec(value: Any) -> Spec:
    return Spec(tuple(value.shape), value.dtype) if isinstance(value, TensorSpec) else spec_of(value)


def _evaluate(trace: Trace, initial: Symbol, tensors: list[Tensor]) -> Tensor:
    """The initial value of a variable that depends on the arguments: the graph so far, run on them."""
    from gradtape.core.tensor import wrap

    captured = [s._value if isinstance(s, Variable) else s for s, _ in trace.graph.captures]
    (array,) = Runner(trace.graph, [trace.value_of(initial)])([t._array for t in (*tensors, *captured)])
    return wrap(array)


def _results(trace: Trace, returned: Any, name: str) -> tuple[Any, list[Symbol | None]]:
    """What a function returned: its structure, and its leaves as symbols of the trace; None stays None."""
    leaves = [_result(trace, leaf, name) for leaf in nest.flatten(returned)]
    return returned if nest.is_nested(returned) else None, leaves


def _result(trace: Trace, leaf: Any, name: str) -> Symbol | None:
    from gradtape.core.op import REGISTRY
    from gradtape.staging.symbol import symbol

    if leaf is None:
        return None
    if isinstance(leaf, TensorShape):
        leaf = convert.convert_to_tensor(list(leaf))
    try:
        tensor = leaf._read() if isinstance(leaf, Variable) else convert.convert_to_tensor(leaf)
    except (TypeError, ValueError):
        raise TypeError(
            errors.compose(
                "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or "
                f"None values; in compilation of {name}, found return value of type {type(leaf).__name__}, which is not a "
                "Tensor or ExtensionType.",
                "return tensors, and keep other objects outside.",
            )
        ) from None
    if isinstance(tensor, Symbol) and tensor.trace is trace:
        return tensor
    value = trace.value_of(tensor)
    return REGISTRY["identity"](symbol(value, trace, tensor._id))  # type: ignore[no-any-return]


def _in_user_code(problem: Exception) -> Exception:
    """The exception with the lines of the user's function in front, of the same class where that can be made."""
    frames = []
    trace = problem.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if provenance.search(trace.tb_frame)[0] is code:
            frames.append(f'    File "{code.co_filename}", line {trace.tb_lineno}, in {code.co_name}')
        trace = trace.tb_next
    text = "in user code:\n\n" + "\n".join(frames) + f"\n\n    {type(problem).__name__}: {problem}"
    if getattr(problem, "_in_user_code", False):
        return problem
    try:
        made = type(problem)(text)
        if text not in str(made):
            return problem
    except Exception:
        return problem
    made._in_user_code = True  # type: ignore[attr-defined]
    return made


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
    """A function that runs as a program: it is traced for each kind of arguments, and the trace is what runs.

    Python code in it runs once per trace: prints, appends and loops over Python values happen then. Tensors have a shape
    and a dtype in a trace, and no value. Variables are read and assigned when the program runs, in the order of the text.

    Args:
      func: the function; without it, a decorator is returned.
      input_signature: a list of `tf.TensorSpec`: one trace for all arguments that fit.
      autograph: accepted; Python's `if` and `while` on tensors are errors that name the line.
      jit_compile: accepted: every function is compiled.
      reduce_retracing: accepted.
      experimental_implements, experimental_autograph_options, experimental_attributes, experimental_relax_shapes,
        experimental_compile, experimental_follow_type_hints: accepted and ignored.

    >>> @tf.function
    ... def squared_norm(x):
    ...     return tf.reduce_sum(x * x)
    >>> squared_norm(tf.constant([3.0, 4.0]))
    <tf.Tensor: shape=(), dtype=float32, numpy=25.0>
    """
    options = {"autograph": autograph, "jit_compile": jit_compile or experimental_compile}

    def decorate(inner: Any) -> Any:
        if not callable(inner):
            raise TypeError(f"{inner!r} is not a callable object")
        if isinstance(inner, Function):
            inner = inner.python_function
        if isinstance(inner, types.MethodType):
            return Function(inner, inner.__name__, input_signature, options)
        wrapped = inner if hasattr(inner, "__name__") else getattr(inner, "func", inner)  # a partial
        return Function(inner, getattr(wrapped, "__name__", "function"), input_signature, options)

    return decorate if func is None else decorate(func)
