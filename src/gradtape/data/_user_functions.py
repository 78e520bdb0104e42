"""Functions of the user: called on elements, eagerly, outside of tapes and traces."""

from __future__ import annotations

import copy
import dis
import inspect
import threading
import traceback
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import Any

from gradtape.control_flow.tensor_array import TensorArray
from gradtape.core import errors, nest, provenance, state
from gradtape.core.composite import CompositeSpec
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.sparse_tensor import SparseTensor, SparseTensorSpec
from gradtape.core.tensor import Tensor
from gradtape.data import _structure as structure
from gradtape.data._boxes import received
from gradtape.data._failure import Failure, raised
from gradtape.data._nested import Datasets
from gradtape.data._purity import Reading
from gradtape.data._seeds import Draws
from gradtape.data._specs import MAKERS
from gradtape.toplevel.specs import TensorArraySpec

_NAMES = ("", "x", "x, y", "x, y, z")
_CONTEXT = "Error in user-defined function passed to"


class Function:
    """A user function in the form that a stage calls.

    It runs on concrete tensors, once for each element. A plain tuple is spread over the arguments, as in TensorFlow.

    Attributes:
      name: the method that was given the function.
      function: the function itself.
      draws: where the random numbers in it come from.
      version: another number when names that the function reads from outside mean something else.
      tensors: those of a `tf.function` around it that it closes over. They have a value when that one runs.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise errors.NotCallableError(
                errors.compose(f"{name}: the function must be a callable, got {function!r}.", "give a function.")
            )
        self.name, self.function, self.version = name, _bound(function), 0
        # A function created by another continues its random numbers.
        outer = state.current.streams
        self.draws = Draws() if outer is None else Draws(shared=outer)
        self._reading: Reading | None = None
        self._site = provenance.user_site(3)
        self._is_in_trace = state.current.trace is not None
        self._is_saved = False
        self._trace: Any = None
        self.tensors: list[Any] = []
        self._own = threading.local()  # the function around it may run on several threads
        self._latest: list[Any] = []  # for threads of a pipeline started by such a run

    def is_pure(self) -> bool:
        """True if the function only computes with functions of tf, with the same result in each run."""
        if self.tensors or self.function is None:
            return False
        if self._reading is None or not self._reading.is_current():
            self._reading = Reading(self.function)
            self.version += 1
        return self._reading.is_pure

    def __call__(self, *values: Any) -> Any:
        """The result on an element, or on a state and an element, with tensors as its leaves."""
        return raised(self.attempt(*values))

    def attempt(self, *values: Any) -> Any:
        """The result on an element; a failure if the function raises, or if the element is one."""
        if type(values[-1]) is Failure:
            return values[-1]
        current = state.current
        # As `state.outside`, without its context manager: threads of a pool have nothing to leave.
        before = current.recorders, current.depth, current.trace, current.in_pipeline, current.streams
        # Numeric checks stay on; tapes do not record the computation of elements.
        everywhere = tuple([r for r in before[0] if getattr(r, "everywhere", False)]) if before[0] else ()
        current.recorders, current.depth, current.trace, current.in_pipeline = everywhere, 0, None, True
        current.streams = self.draws
        try:
            returned = (
                self._of_trace(values) if self.tensors or self.function is None else self.function(*spread(values))
            )
            return structure.result(returned, self.name)
        except (StopIteration, errors.OutOfRangeError) as problem:
            # They would be mistaken for the end of the elements.
            said = errors.build(errors.InvalidArgumentError, f"{self.name}: the function raised {problem!r}.")
            said.__cause__ = problem
            return Failure(self._noted(said))
        except Exception as problem:
            return Failure(self._noted(problem))
        finally:
            current.recorders, current.depth, current.trace, current.in_pipeline, current.streams = before

    def spec(self, *specs: Any) -> Any:
        """The structure of specs of the results, from a trace. Raises what the trace raises."""
        if self._is_in_trace and state.current.trace is not None:
            return self._traced(specs)[1]
        with state.outside():
            if self._is_saved:
                return self._traced(specs)[1]
            return self._trace_of(specs, _parameter, returns=False)[1]

    def _traced(self, specs: tuple[Any, ...]) -> tuple[Any, Any]:
        """A trace inside of the function that is being traced, and the specs of the results. It tells which tensors of that function
        this one closes over; with such tensors elements are computed by the trace, for their values in each run."""
        concrete, found = self._trace_of(specs, _parameter_in_trace, returns=True)
        sources = [source for source, _ in concrete.graph.captures]
        self.tensors = [s for s in sources if isinstance(s, Tensor) and type(s) is not Tensor]
        self._trace = (concrete, sources)
        return concrete, found

    def _of_trace(self, values: tuple[Any, ...]) -> Any:
        concrete, sources = self._trace
        closed = iter(getattr(self._own, "closed", self._latest))
        parts = [
            leaf.stack() if isinstance(leaf, TensorArray) else leaf
            for leaf in nest.flatten(spread(values))
            if leaf is not None
        ]
        tensors, _ = concrete._given(tuple(parts), {})
        return concrete.call(
            tensors, (), [next(closed) if isinstance(s, Tensor) and type(s) is not Tensor else s for s in sources]
        )

    def fill(self, arrays: list[Any]) -> None:
        """Take the values of the tensors that it closes over, on this thread."""
        self._own.closed = self._latest = [received(a) for a in arrays]

    def made(self, arrays: list[Any]) -> Function:
        """A function like this one for these values."""
        found = copy.deepcopy(self)
        found.fill(arrays)
        return found

    def __deepcopy__(self, memo: Any) -> Function:
        # Traces are shared, and locals of threads cannot be copied.
        found = copy.copy(self)
        found.draws, found._own = copy.deepcopy(self.draws, memo), threading.local()
        return found

    def find_tensors(self, trace: Callable[[], Any]) -> None:
        """Find the tensors that it closes over; `trace` requests the specs of its results, which requires a trace."""
        if self._is_in_trace and self._trace is None and state.current.trace is not None:
            try:
                trace()
            except Exception:
                self._trace = ()  # it cannot be traced: it runs eagerly, and sees no tensor of the function around it

    def kept_trace(self, trace: Callable[[], Any]) -> Any:
        """A trace of it that can be saved; None if there is none."""
        if not self._trace:
            self._is_saved = True
            try:
                trace()
            finally:
                self._is_saved = False
        return self._trace[0] if self._trace else None

    @classmethod
    def restored(cls, name: str, concrete: Any) -> Function:
        """A function that consists of a trace."""
        made = cls(name, concrete)
        sources = [source for source, _ in concrete.graph.captures]
        made.function, made._trace = None, (concrete, sources)  # type: ignore[assignment]
        made.tensors = [s for s in sources if isinstance(s, Tensor) and type(s) is not Tensor]
        return made

    def _trace_of(self, specs: tuple[Any, ...], parameter_of: Callable[[Any], Any], returns: bool) -> tuple[Any, Any]:
        """A trace of the function for elements of some specs, and the specs of its results."""
        from gradtape.autograph._calls import converted
        from gradtape.polymorphic_function.function import function

        arguments, found = spread(specs), []
        leaves = nest.flatten(arguments)
        parameters = [parameter_of(leaf) for leaf in leaves]
        call = converted(self.function)

        def traced(*tensors: Any) -> Any:
            rest = iter(tensors)
            values = [
                _placeholder(leaf) if parameter is None else _shaped(next(rest), leaf)
                for leaf, parameter in zip(leaves, parameters, strict=True)
            ]
            returned = structure.result(call(*nest.pack_sequence_as(arguments, values)), self.name)
            found.append(structure.spec(returned))
            return returned if returns else None

        concrete = function(traced).get_concrete_function(*[p for p in parameters if p is not None])
        return concrete, found[-1]

    def traced_spec(self, *specs: Any) -> Any:
        """As `spec`; None if the function cannot be traced, since its specs are then known only after a run."""
        try:
            return self.spec(*specs)
        except Exception:
            return None

    def check_arguments(self, spec: Any) -> None:
        """Refuse a function that cannot be called with an element of a spec."""
        given = spread((spec,))
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError):  # a function in C
            return
        try:
            signature.bind(*given)
        except TypeError as problem:
            raise TypeError(
                errors.compose(
                    f"{self.name}: the function does not take the {len(given)} {'part' if len(given) == 1 else 'parts'} of an element: {problem}.",
                    f"give it {len(given)} {'parameter' if len(given) == 1 else 'parameters'}: lambda {_NAMES[len(given)] if len(given) < 4 else '*parts'}: ...",
                )
            ) from None

    def _noted(self, problem: Exception) -> Exception:
        """An exception with the line of the function that raised it, and the pipeline that called the function."""
        site = _innermost(problem)
        where = "" if site is None or str(site) in str(problem) else f" at {site},"
        made = "" if self._site is None else f" given at {self._site}"
        problem.add_note(f"Raised{where} in the function of {self.name}{made}")
        if isinstance(problem, errors.OpError) and _CONTEXT not in problem._message:
            # TensorFlow's wording, which programs match.
            stage = "".join(word.capitalize() for word in self.name.split("_"))
            problem._message += f"\n  {_CONTEXT} {stage}Dataset transformation with iterator: Iterator::Root::{stage}."
        return problem


def _bound(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function bound to the current values of its outside names.

    TensorFlow traces a function when it is given: of datasets that are made in a loop, each sees the value that the loop had then. Names that the
    function writes, or hands to functions in it, stay those of the program.
    """
    if not isinstance(function, FunctionType) or not function.__closure__:
        return function
    code = function.__code__
    live = {name for inner in code.co_consts if isinstance(inner, CodeType) for name in inner.co_freevars}
    live.update(i.argval for i in dis.get_instructions(code) if i.opname in ("STORE_DEREF", "DELETE_DEREF"))
    cells = [
        cell if name in live or _is_empty(cell) else CellType(cell.cell_contents)
        for name, cell in zip(code.co_freevars, function.__closure__, strict=True)
    ]
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, tuple(cells))
    for attribute in ("__kwdefaults__", "__module__", "__qualname__", "__doc__", "__annotations__"):
        setattr(made, attribute, getattr(function, attribute))
    made.__dict__.update(function.__dict__)
    return made


def _is_empty(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


def _parameter(spec: Any) -> Any:
    """The spec of the parameter that stands for a part of an element while a function is traced; None for a part that is no tensor."""
    if isinstance(spec, TensorArraySpec):
        return TensorSpec(TensorShape([None]).concatenate(spec.element_shape), spec.dtype)
    return spec if isinstance(spec, (TensorSpec, CompositeSpec)) else None


def _parameter_in_trace(spec: Any) -> Any:
    """The same where the trace will compute elements: datasets are arguments too."""
    return spec if hasattr(spec, "element_spec") and not spec.shape.rank else _parameter(spec)


def _placeholder(leaf: Any) -> Any:
    """A placeholder for a dataset while a function is traced: a dataset of the same specs without elements."""
    if not hasattr(leaf, "element_spec"):
        return leaf
    dataset = MAKERS["empty dataset"](leaf.element_spec)
    return Datasets([dataset], leaf.shape) if leaf.shape.rank else dataset


def _shaped(value: Any, spec: Any) -> Any:
    """A value in a trace, with the known shape of a sparse tensor; an array of tensors is built from its rows."""
    if isinstance(spec, TensorArraySpec):
        empty = TensorArray(spec.dtype, 0, dynamic_size=True, element_shape=spec.element_shape)
        return empty.unstack(value)
    if not isinstance(spec, SparseTensorSpec) or not spec.shape.is_fully_defined():
        return value
    return SparseTensor(value.indices, value.values, spec.shape.as_list())


def spread(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments for a function: a single plain tuple is unpacked."""
    return values[0] if len(values) == 1 and type(values[0]) is tuple else values


def _innermost(problem: Exception) -> provenance.Site | None:
    """The innermost line of user code in an exception's traceback."""
    found = None
    for frame, _ in traceback.walk_tb(problem.__traceback__):
        site = provenance.Site.of((frame.f_code, frame.f_lasti))
        found = site or found
    return found
