"""py_function and numpy_function: Python code as one op."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors, nest, state
from gradtape.core.op import NotDifferentiable, Op
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.ops.family import NO_LOWERING, by_loop
from gradtape.transform.arguments import UnconnectedGradients
from gradtape.transform.batched import NeedsValueError
from gradtape.transform.opaque import Pullback, Witness, fresh, recorded_by, show, witnesses
from gradtape.transform.tape import GradientTape


def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None) -> Any:  # noqa: N803
    """The results of a Python function of tensors, as one op with a gradient.

    The gradient is that of the ops in `func`, with respect to `inp`, once: neither variables that are only used inside
    nor second derivatives are seen. What `func` returns as NumPy values has a gradient of zero. Exceptions become those
    of `tf.errors`: ValueError and TypeError become InvalidArgumentError, others mostly UnknownError.

    Args:
      func: the function; without it the result is a decorator of functions of `inp`.
      inp: a list of its arguments, which become tensors.
      Tout: the dtype of its result, or a list of dtypes if it returns several.
      name: ignored.

    Returns:
      A tensor, or a list of tensors if `Tout` is a list.

    >>> tf.py_function(lambda x: x * x, [3.0], tf.float32)
    <tf.Tensor: shape=(), dtype=float32, numpy=9.0>
    """
    if func is None:
        return lambda f: functools.wraps(f)(lambda *args: py_function(f, args, Tout))
    _check_callable(func)
    _check_not_traced("py_function")
    several = isinstance(Tout, (list, tuple))
    wanted = [dtypes.as_dtype(t) for t in (Tout if several else [Tout])]
    inputs = [convert.convert_to_tensor(x) for x in inp]
    witness = Witness()
    tape = GradientTape(persistent=True, watch_accessed_variables=False)
    with recorded_by(*witnesses(), witness), tape:
        twins = [fresh(x) for x in inputs]
        tape.watch([t for t in twins if t.dtype.is_trainable])
        results = _run(func, twins, wanted)
    for variable in witness.variables:
        variable._read()
    outputs = show(f"py_function({_name(func)})", _pullback(tape, twins, results), inputs, results)
    return outputs if several else outputs[0]


def _run(func: Callable[..., Any], inputs: list[Tensor], wanted: list[dtypes.DType]) -> list[Tensor]:
    """What the function returns, converted; exceptions as TensorFlow names them."""
    try:
        returned = func(*inputs)
        values = [] if returned is None else returned if isinstance(returned, (list, tuple)) else [returned]
        if len(values) < len(wanted) or (values and not wanted):
            raise ValueError(f"it returned {len(values)} values, but Tout names {len(wanted)}")
        return [convert.convert_to_tensor(v, t) for v, t in zip(values, wanted, strict=False)]
    except NeedsValueError:
        raise
    except Exception as problem:
        what = f"py_function: {_name(func)} raised {type(problem).__name__}: {problem}"
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
        pairs = [(r, d) for r, d in zip(results, dys, strict=True) if r.dtype.is_trainable]
        targets, seeds = [r for r, _ in pairs], [d for _, d in pairs]
        return tape.gradient(targets, twins, seeds, UnconnectedGradients.ZERO)

    return pullback


def numpy_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,  # noqa: N803
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """The results of a Python function of NumPy arrays, as one op without a gradient.

    Args:
      func: the function, which gets copies that it may change; without it the result is a decorator.
      inp: a list of its arguments, which become tensors and then arrays.
      Tout: its dtypes; not checked.
      stateful, name: ignored.

    Returns:
      A tensor, a list of tensors if the function returns several, or None.

    >>> tf.numpy_function(np.sum, [[1.0, 2.0]], tf.float32)
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
    """
    if func is None:
        return lambda f: functools.wraps(f)(lambda *args: numpy_function(f, args, Tout))
    _check_callable(func)
    _check_not_traced("numpy_function")
    op = NumpyFunction(func)
    try:
        results = op(*[convert.convert_to_tensor(x) for x in inp])
    except _Raised as problem:
        raise problem.cause from None
    if op.returns_nothing:
        return None
    outputs = [r if isinstance(r, Tensor) else wrap(r) for r in results]
    return outputs if len(outputs) > 1 else outputs[0]


class _Raised(errors.OpError):
    """Carries an exception of the user's function through dispatch, unchanged."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class NumpyFunction(Op):
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


def _check_not_traced(who: str) -> None:
    """Raises in a function that is being traced: what Python will return is not known yet, not even its shape."""
    if state.current.trace is not None:
        raise errors.build(
            errors.UnimplementedError,
            f"{who} cannot be traced in a tf.function yet.",
            "call it outside of the function, or write it with functions of tf.",
        )


def _check_callable(func: Any) -> None:
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func!r} of type {type(func)}.")


def _name(func: Any) -> str:
    return getattr(func, "__name__", type(func).__name__)
