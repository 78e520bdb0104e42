"""py_function and numpy_function: Python code as one op."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors, nest, state
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.op import InstanceOp, NotDifferentiable
from gradtape.core.shape import ANY, Spec, TensorSpec, spec_of
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.core.variable_properties import Handle
from gradtape.ops.family import NO_LOWERING, by_loop
from gradtape.transform.batched import NeedsValueError
from gradtape.transform.gradient_arguments import UnconnectedGradients
from gradtape.transform.opaque_op import Pullback, Witness, fresh, recorded_by, show, witnesses
from gradtape.transform.tape import GradientTape


def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None) -> Any:  # noqa: N803
    """The results of a Python function of tensors, as one op with a gradient.

    The gradient is that of the ops in `func`, with respect to `inp`, once: neither variables that are only used inside
    nor second derivatives are seen. What `func` returns as NumPy values has a gradient of zero. Exceptions become those
    of `tf.errors`: ValueError and TypeError become InvalidArgumentError, others mostly UnknownError.

    Args:
      func: the function; without it the result is a decorator of functions of `inp`.
      inp: a list of its arguments, which become tensors; ragged and sparse ones stay what they are.
      Tout: the dtype of its result, or a list of dtypes if it returns several; `tf.RaggedTensorSpec` or
        `tf.SparseTensorSpec` for results of such kinds.

    Returns:
      A tensor, or a list of tensors if `Tout` is a list.

    >>> tf.py_function(lambda x: x * x, [3.0], tf.float32)
    <tf.Tensor: shape=(), dtype=float32, numpy=9.0>
    """
    _check_given("py_function", func, inp, Tout)
    if func is None:
        return lambda f: functools.wraps(f)(lambda *args: py_function(f, args, Tout))
    _check_callable(func)
    inp = _arguments(inp)
    if any(isinstance(x, Handle) for x in inp):
        func, inp = _with_handles(func, inp)
    if any(isinstance(x, Composite) for x in inp) or any(isinstance(t, CompositeSpec) for t in nest.flatten(Tout)):
        return _of_composites(func, list(inp), Tout)
    several = isinstance(Tout, (list, tuple))
    wanted = [dtypes.as_dtype(t) for t in (Tout if several else [Tout])]
    inputs = [convert.convert_to_tensor(x) for x in inp]
    if state.current.trace is None:
        outputs = _call(func, inputs, wanted)
    else:
        outputs = list(_traced(PythonCall(func, len(inputs), wanted), inputs)[: len(wanted)])
    return outputs if several else outputs[0]


def _with_handles(func: Callable[..., Any], inp: Sequence[Any]) -> tuple[Callable[..., Any], list[Any]]:
    """The function of the other arguments, and these: handles of variables have no value that could be given."""
    places = list(inp)
    others = [i for i, x in enumerate(places) if not isinstance(x, Handle)]

    @functools.wraps(func)
    def of_others(*args: Any) -> Any:
        given = dict(zip(others, args, strict=True))
        return func(*[given.get(i, x) for i, x in enumerate(places)])

    return of_others, [places[i] for i in others]


def _of_composites(func: Callable[..., Any], inp: list[Any], Tout: Any) -> Any:  # noqa: N803
    """The results of a function that takes or returns sparse or ragged tensors: between here and there go their parts."""
    several = isinstance(Tout, (list, tuple))
    kinds = [t if isinstance(t, CompositeSpec) else dtypes.as_dtype(t) for t in (Tout if several else [Tout])]
    inputs = [x if isinstance(x, Composite) else convert.convert_to_tensor(x) for x in inp]

    def of_parts(*parts: Any) -> list[Any]:
        rest = iter(parts)
        args = [
            x._from_components([next(rest) for _ in x._components()]) if isinstance(x, Composite) else next(rest)
            for x in inputs
        ]
        returned = func(*args)
        values = returned if isinstance(returned, (list, tuple)) else [] if returned is None else [returned]
        if len(values) != len(kinds):
            raise ValueError(f"it returned {len(values)} values, but Tout names {len(kinds)}")
        if not all(_matches(value, kind) for value, kind in zip(values, kinds, strict=True)):
            shown = " ".join(errors.brief(returned).split())  # in one line
            raise ValueError(f"py_function: func={func} returned {shown}, which did not match Tout={Tout!r}.")
        return [part for value in values for part in (value._components() if isinstance(value, Composite) else [value])]

    functools.update_wrapper(of_parts, func, assigned=("__name__",), updated=())
    flat = [part for x in inputs for part in (x._components() if isinstance(x, Composite) else [x])]
    dtypes_of_parts = [s.dtype for kind in kinds for s in _part_specs(kind)]
    found = iter(py_function(of_parts, flat, dtypes_of_parts))
    results = [_assembled(kind, [next(found) for _ in _part_specs(kind)]) for kind in kinds]
    return results if several else results[0]


def _part_specs(kind: Any) -> list[Any]:
    return kind._component_specs() if isinstance(kind, CompositeSpec) else [TensorSpec(None, kind)]


def _matches(value: Any, kind: Any) -> bool:
    """Whether a result is what was said."""
    is_composite = isinstance(value, Composite)
    if is_composite != isinstance(kind, CompositeSpec):
        return False
    return not is_composite or kind.is_compatible_with(value)


def _assembled(kind: Any, parts: list[Any]) -> Any:
    if not isinstance(kind, CompositeSpec):
        return parts[0]
    return kind._tell(kind._form().build(parts))


def _call(func: Callable[..., Any], inputs: list[Tensor], wanted: list[dtypes.DType]) -> list[Tensor]:
    """The results of a function, which recorders see as one op."""
    witness = Witness()
    tape = GradientTape(persistent=True, watch_accessed_variables=False)
    with recorded_by(*witnesses(), witness), tape:
        twins = [fresh(x) for x in inputs]
        tape.watch([t for t in twins if t.dtype.is_trainable])
        results = _run(func, twins, wanted)
    for variable in witness.variables:
        variable._read()
    return show(f"py_function({_name(func)})", _pullback(tape, twins, results), inputs, results)


def _run(func: Callable[..., Any], inputs: list[Tensor], wanted: list[dtypes.DType]) -> list[Tensor]:
    """What the function returns, converted; exceptions as TensorFlow names them."""
    try:
        returned = func(*inputs)
        values = [] if returned is None else returned if isinstance(returned, (list, tuple)) else [returned]
        if values and not wanted and values is not returned:
            raise IndexError("it returned a value, but Tout names none")
        if len(values) < len(wanted):
            raise ValueError(f"it returned {len(values)} values, but Tout names {len(wanted)}")
        return [
            convert.convert_to_tensor(t.numpy.type(v) if isinstance(v, bool) else v, t)
            for v, t in zip(values, wanted, strict=False)
        ]
    except NeedsValueError:
        raise
    except Exception as problem:
        what = f"py_function: {_name(func)} raised {type(problem).__name__}: {str(problem).partition(chr(10))[0]}"
        raise errors.build(_kind(problem), what, "the traceback above this one shows where.") from problem


_KINDS: tuple[tuple[type[Exception], type[errors.OpError]], ...] = (
    (errors.OpError, errors.UnknownError),
    (StopIteration, errors.OutOfRangeError),
    (MemoryError, errors.ResourceExhaustedError),
    (NotImplementedError, errors.UnimplementedError),
    (ValueError, errors.InvalidArgumentError),
    (TypeError, errors.InvalidArgumentError),
)


def _kind(problem: Exception) -> type[errors.OpError]:
    return next((kind for cause, kind in _KINDS if isinstance(problem, cause)), errors.UnknownError)


def _pullback(tape: GradientTape, twins: list[Tensor], results: list[Tensor]) -> Pullback:
    def pullback(dys: tuple[Any, ...], needs: Sequence[bool]) -> Any:
        pairs = [(r, d) for r, d in zip(results, dys, strict=True) if d is not None and r.dtype.is_trainable]
        targets, seeds = [r for r, _ in pairs], [d for _, d in pairs]
        return tape.gradient(targets, twins, seeds, UnconnectedGradients.ZERO)

    return pullback


def _traced(op: Any, inputs: Sequence[Tensor]) -> Any:
    """The outputs of a Python function in a trace: nothing is known of them but their dtypes."""
    return state.tracing().append(op, inputs, {}, tuple([Spec(ANY, d) for d in op.dtypes]))


class PythonCall(InstanceOp):
    """A function of the user in a graph. It is called each time the program comes there.

    Its last output is a box that holds the tape over the call; the gradient reads it.
    """

    effect = True
    calls_user = may_assign = True
    differentiable = True
    takes_needs = True
    takes_none = True
    any_size = True
    vjp = None  # made by `pull`

    def __init__(self, func: Callable[..., Any], count: int, wanted: list[dtypes.DType]) -> None:
        self.func, self.wanted = func, wanted
        self.name = f"py_function({_name(func)})"  # type: ignore[misc]
        self.dtypes = [*wanted, dtypes.string]
        self.inputs = tuple([f"x{i}" for i in range(count)])  # type: ignore[misc]
        self.outputs = tuple([f"y{i}" for i in range(len(self.dtypes))])  # type: ignore[misc]
        self.residuals = tuple([(name, "") for name in (*self.inputs, self.outputs[-1])])

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The results of the function, and the tape over it in a box."""
        with state.outside():
            tape = GradientTape(persistent=True, watch_accessed_variables=False)
            with tape:
                twins = [wrap(a) for a in arrays[:-1]]
                tape.watch([t for t in twins if t.dtype.is_trainable])
                results = _run(self.func, twins, self.wanted)
        box = np.empty((), object)
        box[()] = _pullback(tape, twins, results)
        return (*[r._array for r in results], box)

    def __call__(self, *tensors: Any) -> Any:
        """The results for tensors of a transformation, which sees the function as one op. A trace has no values for it yet."""
        if state.current.trace is not None:
            return tuple(_traced(self, tensors))
        return (*_call(self.func, list(tensors), self.wanted), wrap(np.array(b"", object)))

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        """The inputs, for their specs, and the box."""
        return (*values, result[-1])

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> list[Any]:
        """The cotangents of the inputs, from a node that asks the tape in the box."""
        *inputs, box = residuals
        given = [i for i, d in enumerate(dy[:-1]) if d is not None and self.wanted[i].is_trainable]
        wanted = [i for i, need in enumerate(needs) if need and inputs[i].dtype.is_trainable]
        if not given or not wanted:
            return [None] * len(inputs)
        op = PythonGradient(self, given, wanted)
        specs = tuple([spec_of(inputs[i]) for i in wanted])
        found = state.tracing().append(op, [*[dy[i] for i in given], box], {}, specs)
        grads: list[Any] = [None] * len(inputs)
        for i, d in zip(wanted, found, strict=True):
            grads[i] = d
        return grads


class PythonGradient(InstanceOp):
    """The gradient of a function of the user, once: it is not differentiated again."""

    effect = True
    calls_user = True
    differentiable = False
    vjp = NotDifferentiable("the gradient of a Python function is not seen by tapes")

    def __init__(self, call: PythonCall, given: list[int], wanted: list[int]) -> None:
        self.name = f"gradient of {call.name}"  # type: ignore[misc]
        self._count, self._given, self._wanted = len(call.wanted), given, wanted

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The cotangents of the inputs, from those of the outputs and the box."""
        *dys, box, _ = arrays
        all_dys: list[Any] = [None] * self._count
        for i, d in zip(self._given, dys, strict=True):
            all_dys[i] = wrap(d)
        with state.outside():
            grads = box[()](tuple(all_dys), ())
        return tuple([grads[i]._array for i in self._wanted])


def numpy_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,  # noqa: N803
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """The results of a Python function of NumPy arrays, as one op without a gradient.

    Args:
      func: the function, which gets copies that it may change; without it the result is a decorator. In a `tf.function` and
        in a pipeline scalars are NumPy's scalars, and strings bytes.
      inp: a list of its arguments, which become tensors and then arrays.
      Tout: its dtypes; checked in a `tf.function` and in a pipeline.
      stateful, name: ignored.

    Returns:
      A tensor, a list of tensors if the function returns several, or None.

    >>> tf.numpy_function(np.sum, [tf.constant([1.0, 2.0])], tf.float32)
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
    """
    _check_given("numpy_function", func, inp, Tout)
    if func is None:
        return lambda f: functools.wraps(f)(lambda *args: numpy_function(f, args, Tout))
    _check_callable(func)
    inp = _arguments(inp)
    several = isinstance(Tout, (list, tuple))
    if state.current.trace is not None or state.current.in_pipeline:
        wanted = [dtypes.as_dtype(t) for t in (Tout if several else [Tout])]
    if state.current.trace is not None:
        found = list(_traced(NumpyCall(func, wanted, stateful), [convert.convert_to_tensor(x) for x in inp]))
        return found if several else found[0]
    if not state.current.in_pipeline and any(_is_of_python(x) for x in inp):
        func, inp = _with_own_arrays(func, list(inp))
    inputs = [convert.convert_to_tensor(x) for x in inp]
    if state.current.in_pipeline:
        try:
            made = [wrap(a) for a in NumpyCall(func, wanted, False).kernel(*[t._array for t in inputs])]
        except Exception as problem:
            raise errors.of_python(problem) from problem
        return made if several else made[0]
    op = NumpyFunction(func)
    try:
        results = op(*inputs)
    except _Raised as problem:
        raise problem.cause from None
    if op.returns_nothing:
        return None
    outputs = [r if isinstance(r, Tensor) else wrap(r) for r in results]
    return outputs if len(outputs) > 1 else outputs[0]


def _is_of_python(value: Any) -> bool:
    """Whether a value consists of Python's numbers and strings."""
    return all(type(leaf) in (bool, int, float, complex, str, bytes) for leaf in nest.flatten(value))


def _with_own_arrays(func: Callable[..., Any], inp: list[Any]) -> tuple[Callable[..., Any], list[Any]]:
    """The function of the other arguments, and these: Python's values become arrays as NumPy makes them, ints of 64 bits."""
    others = [i for i, x in enumerate(inp) if not _is_of_python(x)]

    @functools.wraps(func)
    def of_others(*args: Any) -> Any:
        given = dict(zip(others, args, strict=True))
        return func(*[given[i] if i in given else np.array(x) for i, x in enumerate(inp)])

    return of_others, [inp[i] for i in others]


class _Raised(errors.OpError):
    """Carries an exception of the user's function through dispatch, unchanged."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class NumpyFunction(InstanceOp):
    """A function of the user on NumPy arrays. Its results are a tuple, with something in it even if it returns nothing."""

    name = "numpy_function"
    kinds = "fVciubO"
    homogeneous = False
    differentiable = False
    vjp = NotDifferentiable("the function computes with NumPy, where no tape sees it")
    lower = NO_LOWERING

    def __init__(self, func: Callable[..., Any]) -> None:
        self.func = func
        self.returns_nothing = False

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The results of the function, as new arrays."""
        try:
            returned = self.func(*[np.array(host(a)) for a in arrays])
            self.returns_nothing = returned is None
            found = [False] if returned is None else nest.flatten(returned)
            return tuple([convert.convert_to_tensor(r)._array for r in found])
        except Exception as problem:
            raise _Raised(problem) from problem

    def infer(self, *specs: Any) -> None:
        """Nothing is known before the function has run."""

    def batch(self, batched: tuple[bool, ...], *inputs: Any) -> Any:
        return by_loop(self, batched, inputs, {})


class NumpyCall(InstanceOp):
    """A function of the user on NumPy arrays in a graph. It is called each time the program comes there."""

    name = "numpy_function"
    calls_user = True
    differentiable = False
    vjp = NumpyFunction.vjp

    def __init__(self, func: Callable[..., Any], wanted: list[dtypes.DType], effect: bool) -> None:
        self.func, self.dtypes, self.effect = func, wanted, effect
        self.may_assign = effect and not hasattr(func, "assigns_nothing")

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The results of the function, in the dtypes that were promised."""
        given = arrays[:-1] if self.effect else arrays
        try:
            with state.outside():
                returned = self.func(*[np.array(host(a))[()] for a in given])
        except StopIteration as problem:
            raise errors.OutOfRangeError(f"StopIteration: {problem}") from problem
        except Exception as problem:
            raise errors.of_python(problem) from problem
        found = [] if returned is None else returned if isinstance(returned, (list, tuple)) else [returned]
        if len(found) != len(self.dtypes):
            raise errors.InvalidArgumentError(
                f"numpy_function: {_name(self.func)} returned {len(found)} values, but Tout names {len(self.dtypes)}."
            )
        arrays = tuple([_returned(r) for r in found])
        for i, (array, dtype) in enumerate(zip(arrays, self.dtypes, strict=True)):
            if dtypes.from_numpy(array.dtype) is not dtype:
                raise errors.InvalidArgumentError(
                    f"numpy_function: {i}-th value returned by {_name(self.func)} is "
                    f"{dtypes.from_numpy(array.dtype).name}, but expects {dtype.name}."
                )
        return arrays

    def __call__(self, *tensors: Any) -> Any:
        """The results for tensors of a transformation. A trace has no values for the function yet."""
        if state.current.trace is not None:
            return tuple(_traced(self, tensors))
        found = NumpyFunction(self.func)(*tensors)
        return tuple([r if isinstance(r, Tensor) else wrap(r) for r in found])


def _returned(value: Any) -> Any:
    """What a function returned, as an array of NumPy's dtype: Python's ints are int64, its floats float64."""
    try:
        return convert.convert_to_tensor(value if isinstance(value, Tensor) else np.asarray(value))._array
    except (TypeError, ValueError) as problem:
        raise errors.InternalError(f"numpy_function: unsupported object type {type(value).__name__}") from problem


def _arguments(inp: Any) -> Any:
    """The list of arguments; a tensor stands for its rows."""
    if isinstance(inp, (list, tuple)) or (hasattr(type(inp), "__iter__") and getattr(inp, "ndim", 1) != 0):
        return inp
    raise errors.ArgumentError(
        errors.compose(
            f"inp must be a list of the function's arguments, got {errors.brief(inp)}.",
            "put a single argument in a list: tf.py_function(f, [x], tf.float32).",
        )
    )


def _check_given(who: str, func: Any, inp: Any, Tout: Any) -> None:  # noqa: N803
    """TypeError unless there are the arguments of a call, or those of a decorator."""
    if Tout is None:
        raise TypeError(
            errors.compose(f"{who}: Missing required argument: 'Tout'.", "give the dtype of what the function returns.")
        )
    if func is None and inp is not None:
        raise TypeError(
            errors.compose(
                f"{who}: Don't set the `inp` argument without a function, where the result is a decorator.",
                "leave out inp: the decorated function takes the arguments.",
            )
        )
    if func is not None and inp is None:
        raise TypeError(
            errors.compose(
                f"{who}: Missing required argument: 'inp'.", "give the list of arguments; [] for a function of none."
            )
        )


def _check_callable(func: Any) -> None:
    if not callable(func):
        raise ValueError(
            errors.compose(
                f"Expected func to be callable. Received func={errors.brief(func)} of type {type(func)}.",
                "pass the function itself, tf.py_function(f, [x], tf.float32), not its result.",
            )
        )


def _name(func: Any) -> str:
    return getattr(func, "__name__", type(func).__name__)
