"""The hot path: every op, eager or in a rule, comes through `execute` or one of the operator functions below.

What is kept off it: specs, messages, conversions, formatting. A kernel simply runs; when it fails, or when a cheap
look at the dtypes says that it must not run, the op's `infer` rule is asked for the message.
"""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import doors, errors, memory, provenance, state, tracebacks
from gradtape.core.dims import Undecided
from gradtape.core.recorder import NO_PARAMS
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Interpreted, Tensor, wrap
from gradtape.core.variable import Variable

# Division by zero and overflow give inf and nan, as in TensorFlow; NumPy's warnings about them are not for our users.
# The filter matches by module, so that NumPy code of the user keeps its warnings.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradtape\.")

_current = state.current
_new = object.__new__
_ndarray = np.ndarray
_MIDDLE = memory.MIDDLE
_new_id = state.new_id
_unrecorded = state.unrecorded.append
_search = provenance.search
_getframe = sys._getframe


def execute(op: Any, inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Run an op on tensors, variables, arrays and numbers; record it. Arrays alone give arrays, unrecorded."""
    arrays, numbers = [], []
    plain = True
    for x in inputs:
        kind = type(x)
        if kind is Tensor:
            arrays.append(x._array)
            numbers.append(x._id)
            plain = False
        elif kind is Variable:
            value = x._read()
            if type(value) is not Tensor:
                return _special(op, inputs, params)
            arrays.append(value._array)
            numbers.append(x._id)
            plain = False
        elif isinstance(x, (Tensor, Variable)):
            return _special(op, inputs, params)
        else:
            arrays.append(x)
            numbers.append(0)
    if plain:
        if op.elementwise and type(arrays[0]) is _ndarray and arrays[0].size >= _MIDDLE:
            return memory.apply(op, arrays, params)
        return op.kernel(*arrays, **params)
    if (op.validate and not op.fits(*arrays, **params)) or not _accepts(op, arrays):
        _explain(op, inputs, params)
    try:
        if op.elementwise and max([getattr(a, "size", 0) for a in arrays]) >= _MIDDLE:
            result = memory.apply(op, arrays, params)
        else:
            result = op.kernel(*arrays, **params)
    except Undecided:  # a parameter is a size that is not known: only the shape of the result matters
        return state.tracing().add(op, inputs, params)
    except Exception as problem:
        result = _recover(op, inputs, arrays, params, problem)
    outputs: Any
    if type(result) is tuple:
        outputs = tuple([wrap(r) for r in result])
    else:
        outputs = wrap(result)
    recorders = _current.recorders
    if recorders:
        if len(recorders) == 1:
            recorders[0].see(op, tuple(numbers), arrays, params, outputs, result)
        else:
            notify(op, tuple(numbers), arrays, params, outputs, result)
    elif any(numbers):
        log_unrecorded(op, tuple(numbers), outputs)
    return outputs


def notify(op: Any, ids: tuple[int, ...], values: Any, params: dict[str, Any], outputs: Any, result: Any) -> None:
    """Show an executed op to all who record on this thread."""
    recorders = _current.recorders
    try:
        for i, recorder in enumerate(recorders):
            # What a recorder runs itself is seen only by those that were entered before it.
            _current.recorders = recorders[:i]
            recorder.see(op, ids, values, params, outputs, result)
    finally:
        _current.recorders = recorders


def _accepts(op: Any, arrays: list[Any]) -> bool:
    """True if the dtypes are those that the op takes. Numbers of Python fit any."""
    first = None
    for a in arrays:
        dtype = getattr(a, "dtype", None)
        if dtype is None:
            continue
        if dtype.kind not in op.kinds:
            return False
        if first is None:
            first = dtype
        elif op.homogeneous and dtype is not first and dtype != first:
            return False
    return True


def _explain(op: Any, inputs: tuple[Any, ...], params: dict[str, Any]) -> None:
    """Let the `infer` rule raise the message that the user should see."""
    op.infer(*[spec_of(x) for x in inputs], **params)


def _results(op: Any, inputs: tuple[Any, ...], params: dict[str, Any]) -> list[Any]:
    """The specs of the results of an op, as far as its rule tells them."""
    try:
        found = op.infer(*[spec_of(x) for x in inputs], **params)
    except Exception:
        return []
    return [s for s in (found if type(found) is tuple else (found,)) if s.is_known]


def _recover(op: Any, inputs: tuple[Any, ...], arrays: list[Any], params: dict[str, Any], problem: Exception) -> Any:
    """After a failed kernel: the message of `infer`, or a second run if the user turned float warnings into errors."""
    if isinstance(problem, (RuntimeWarning, FloatingPointError)):
        with np.errstate(all="ignore"):
            return op.kernel(*arrays, **params)
    if isinstance(problem, errors.OpError):
        raise problem
    try:
        if not isinstance(problem, MemoryError):
            _explain(op, inputs, params)
        raise errors.no_room(problem, op.name, _results(op, inputs, params))
    except Exception as clear:
        # What NumPy said about it would only stand in the way.
        raise clear from (None if clear is not problem else problem.__cause__)


def _special(op: Any, inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """An op on values of a transformation (batched, traced): the one entered last takes it."""
    inputs = tuple([x._read() if isinstance(x, Variable) else x for x in inputs])
    owners = [x for x in inputs if isinstance(x, Interpreted)]
    if not owners:  # a subclass of Variable, whose value is an ordinary tensor
        return execute(op, inputs, params)
    return max(owners, key=_level).interpret(op, inputs, params)


_level = operator.attrgetter("level")


def log_unrecorded(op: Any, ids: tuple[int, ...], outputs: Any) -> None:
    """Remember an op on a tensor that some tape knew, for `tape.explain`."""
    code, offset = _search(_getframe(2))
    if type(outputs) is tuple:
        for y in outputs:
            y._id = _new_id()
        out = tuple([y._id for y in outputs])
    else:
        outputs._id = identity = _new_id()
        out = (identity,)
    _unrecorded((op, ids, out, code, offset, False))


_numbers: dict[Any, Any] = {}
_EXACT = 1 << 24  # integers that float32 holds exactly; others take the careful way


def number_like(value: Any, array: Any) -> Any:
    """A Python number as a constant of an array's dtype: a scalar beside a scalar, a 0-d array beside an array.

    Kept in a table: NumPy needs twice the time to multiply an array by a Python number than by a 0-d array.
    """
    kind = type(array)
    key = (kind, array.dtype, value)
    found = _numbers.get(key)
    if found is None or value == 0:  # 0.0 == -0.0 would share an entry
        if kind is np.ndarray:
            found = np.array(value, array.dtype)
        else:
            found = array.dtype.type(value)
        if len(_numbers) > 1000:
            _numbers.clear()
        _numbers[key] = found
    return found


def binary_operator(
    op: Any,
    coerce: Callable[[Any, Any], tuple[Any, Any] | None],
    unable: Callable[[Any, Any], Any] = lambda a, b: NotImplemented,
) -> tuple[Any, Any]:
    """The pair of methods (`__mul__`, `__rmul__`) of a binary op, with the common cases first.

    `coerce` turns operands that are not tensors into tensors of the other operand's dtype; None if it cannot, which `unable` answers.
    """
    kernel = op.kernel
    kinds = op.kinds
    limit = _MIDDLE if op.elementwise else sys.maxsize

    def forward(a: Any, b: Any) -> Any:
        if type(a) is not Tensor:
            if type(a) is not Variable:
                return slow(a, b)
            a = a._read()
            if type(a) is not Tensor:
                return slow(a, b)
        p = a._array
        dtype = p.dtype
        if type(b) is Tensor:
            q = b._array
            identity = b._id
        elif dtype.kind == "f" and (type(b) is float or (type(b) is int and abs(b) <= _EXACT)):
            q = number_like(b, p)
            identity = 0
        elif type(b) is Variable:
            b = b._read()
            if type(b) is not Tensor:
                return slow(a, b)
            q = b._array
            identity = b._id
        else:
            return slow(a, b)
        if dtype is not q.dtype or dtype.kind not in kinds:
            return slow(a, b)
        try:
            result = kernel(p, q) if p.size < limit > q.size else memory.apply(op, (p, q), NO_PARAMS)
        except Exception:
            return slow(a, b)
        y = _new(Tensor)
        y._array = result
        y._id = 0
        recorders = _current.recorders
        if recorders:
            if len(recorders) == 1:
                recorders[0].see_pair(op, a._id, identity, p, q, y, result)
            else:
                notify(op, (a._id, identity), (p, q), NO_PARAMS, y, result)
        elif a._id or identity:
            log_unrecorded(op, (a._id, identity), y)
        return y

    def slow(a: Any, b: Any) -> Any:
        try:
            pair = coerce(a, b)
            return unable(a, b) if pair is None else op(*pair)
        except Exception as problem:
            raise tracebacks.cut(problem)  # noqa: B904 - it is the error itself

    def reflected(b: Any, a: Any) -> Any:
        if type(a) is float and type(b) is Tensor and b._array.dtype.kind == "f":
            return forward(wrap(number_like(a, b._array)), b)
        return slow(a, b)

    return forward, reflected


def unary_function(
    op: Any,
    convert: Callable[[Any], Tensor],
    number: int = 0,
    otherwise: Callable[[Any, Any], Any] | None = None,
) -> Callable[..., Any]:
    """The public function of an elementwise op, with the common cases first. `convert` makes a tensor of the rest.

    It may be an operator of two operands instead, which means this op if the second is a certain number, as in `x**2`;
    `otherwise` answers for others. One function does both, since the tape looks for the caller of this one.
    """
    kernel = op.kernel
    kinds = op.kinds

    def unusual(x: Any) -> Any:
        try:
            return execute(op, (x,), NO_PARAMS)
        except Exception as problem:
            raise tracebacks.cut(problem)  # noqa: B904 - it is the error itself

    def function(x: Any, name: Any = None) -> Any:
        if otherwise is not None and (type(name) is not int or name != number):
            return otherwise(x, name)
        if type(x) is not Tensor:
            try:
                x = x._read() if type(x) is Variable else convert(x)
            except Exception as problem:
                return doors.finish(problem, function, x)
            if type(x) is not Tensor:
                return unusual(x)
        p = x._array
        if p.dtype.kind not in kinds:
            return unusual(x)
        try:
            result = kernel(p) if p.size < _MIDDLE else memory.apply(op, (p,), NO_PARAMS)
        except Exception:
            return unusual(x)
        y = _new(Tensor)
        y._array = result
        y._id = 0
        recorders = _current.recorders
        if recorders:
            if len(recorders) == 1:
                recorders[0].see(op, (x._id,), (p,), NO_PARAMS, y, result)
            else:
                notify(op, (x._id,), (p,), NO_PARAMS, y, result)
        elif x._id:
            log_unrecorded(op, (x._id,), y)
        return y

    return function
