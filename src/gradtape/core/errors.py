"""Exception classes: TensorFlow's names, the built-in a user would catch, and a message of three lines.

The lines say what happened (with the arguments' names, shapes and dtypes), where in the user's code, and what to do:

    ShapeError: matmul: inner dimensions differ: a is f32[8,3], b is f32[4,5] (3 vs 4). Dimensions must be equal.
      at:  train.py:41 in loss_fn: logits = tf.matmul(h, w)
      fix: transpose one operand, or check which axis holds the features.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from gradtape.core import provenance


class OpError(Exception):
    """Base of the errors that TensorFlow's `tf.errors` names.

    Attributes:
      message: the whole text.
      node_def, op: always None; kept for programs that read them.
      experimental_payloads: always empty.
    """

    code: int = 2
    # Keras leaves such errors as they are: its own report would hide the first line.
    _keras_call_info_injected = True

    def __init__(self, node_def: Any = None, op: Any = None, message: str | None = None, *details: Any) -> None:
        # TensorFlow's constructor is (node_def, op, message); ours are raised with the message alone.
        if message is None and op is None and isinstance(node_def, str):
            node_def, message = None, node_def
        super().__init__(message or "")
        self.node_def, self.op, self._message = node_def, op, message or ""
        self.experimental_payloads: dict[str, Any] = {}

    @property
    def message(self) -> str:
        """The text of the error."""
        return self._message

    @property
    def error_code(self) -> int:
        """The numeric status code, as in TensorFlow."""
        return self.code

    def __str__(self) -> str:
        return self._message


class CancelledError(OpError):
    """The operation was cancelled."""

    code = 1


class UnknownError(OpError):
    """An error of another system, for instance of Python code in `py_function`."""

    code = 2


class InvalidArgumentError(OpError):
    """An argument has a wrong value, shape or dtype."""

    code = 3


class DeadlineExceededError(OpError):
    """A time limit ran out."""

    code = 4


class NotFoundError(OpError):
    """A file, variable or resource does not exist."""

    code = 5


class AlreadyExistsError(OpError):
    """Something to be created exists already."""

    code = 6


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    code = 7


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""

    code = 8


class FailedPreconditionError(OpError):
    """The system is not in the state that the operation requires."""

    code = 9


class AbortedError(OpError):
    """The operation was stopped."""

    code = 10


class OutOfRangeError(OpError):
    """An iteration went past its end."""

    code = 11


class UnimplementedError(OpError):
    """The operation is not supported."""

    code = 12


class InternalError(OpError):
    """The library's own state is broken."""

    code = 13


class UnavailableError(OpError):
    """A service or device is currently unavailable."""

    code = 14


class DataLossError(OpError):
    """Data is corrupt."""

    code = 15


class UnauthenticatedError(OpError):
    """The caller has no valid identity."""

    code = 16


class ShapeError(InvalidArgumentError, ValueError):
    """Shapes do not match.

    Wrong: `tf.matmul(tf.ones([8, 3]), tf.ones([4, 5]))`
    Right: `tf.matmul(tf.ones([8, 4]), tf.ones([4, 5]))`
    """


class OutOfMemoryError(ResourceExhaustedError, MemoryError):
    """Memory for a result cannot be allocated.

    Wrong: `tf.zeros([1 << 20, 1 << 20])`
    Right: smaller batches, or a dtype with fewer bytes
    """


class DTypeError(InvalidArgumentError, TypeError, ValueError):
    """Dtypes do not match: nothing is promoted silently between tensors. TensorFlow raises a ValueError where it converts an
    argument, a TypeError or an InvalidArgumentError elsewhere.

    Wrong: `tf.constant(1.0) + tf.constant(1)`
    Right: `tf.constant(1.0) + tf.cast(tf.constant(1), tf.float32)`
    """


class CastError(UnimplementedError, TypeError):
    """A dtype that values cannot be converted to."""


class RangeError(InvalidArgumentError, IndexError, ValueError):
    """An index or axis is out of its range.

    Wrong: `tf.constant([1.0, 2.0])[2]`
    Right: `tf.constant([1.0, 2.0])[1]`
    """


class ConversionError(ValueError):
    """A value cannot become a tensor of the dtype or shape that was asked for.

    Wrong: `tf.convert_to_tensor(tf.constant(1.0), dtype=tf.int32)`
    Right: `tf.cast(tf.constant(1.0), tf.int32)`
    """

    _keras_call_info_injected = True


class OperandError(ConversionError, TypeError):
    """The other operand of an operator cannot become a tensor. TensorFlow raises ValueError, Python's own operands TypeError.

    Wrong: `tf.constant(1.0) + None`
    Right: `tf.constant(1.0) + 2.0`
    """


class CompositeGivenError(ConversionError):
    """A ragged or sparse tensor, or another composite, is given to a function of tensors that does not know it.

    Mostly the composite knows the function, and nobody reads this: the text is written when somebody does.

    Wrong: `tf.sort(tf.ragged.constant([[1], [2, 3]]))`
    Right: `tf.sort(tf.ragged.constant([[1], [2, 3]]).to_tensor())`
    """

    def __init__(self, value: Any) -> None:
        super().__init__()
        self._value, self._place, self._text = value, provenance.user_place(2), ""

    def __str__(self) -> str:
        if not self._text:
            what = f"Attempt to convert a value ({brief(self._value)}) with an unsupported type ({type(self._value)}) to a Tensor."
            instead = getattr(self._value, "_instead", "pass its tensors one by one.")
            self._text = _three_lines(what, provenance.Site.of(self._place), instead)
        return self._text

    def __reduce__(self) -> Any:
        return ConversionError, (str(self),)


class AttributeTypeError(TypeError, AttributeError):
    """A value is of a wrong type, and TensorFlow raises AttributeError since it reads an attribute of the value.

    Wrong: `tape.gradient(y, 3.0)`
    Right: `tape.gradient(y, x)`, with `x = tf.Variable(3.0)`
    """


class ArgumentError(InvalidArgumentError, TypeError, ValueError):
    """An argument is of a kind that a function cannot use. TensorFlow raises one of the three classes, which depends on how far
    its function gets.

    Wrong: `tf.strings.ngrams(["a", "b"], "two")`
    Right: `tf.strings.ngrams(["a", "b"], 2)`
    """


class DeviceError(InvalidArgumentError, RuntimeError):
    """A device that does not exist.

    Wrong: `with tf.device("/GPU:0"): ...` without CuPy
    Right: `with tf.device("/CPU:0"): ...`
    """


class LeftOutError(AttributeError):
    """A name of TensorFlow that gradtape leaves out on purpose; the message names what to use instead.

    Wrong: `tf.feature_column.numeric_column("age")`
    Right: `keras.layers.Normalization()`
    """


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used where Python needs a value."""


class InaccessibleTensorError(ValueError):
    """A tensor of one function was used in another."""


class StagingError(Exception):
    """An exception of the user's code in a function that is traced, of a class that cannot be made from a message alone.
    It is the cause of this one."""


class MultilineMessageKeyError(KeyError):
    """A KeyError whose message is shown as it is; that of a KeyError is shown as a key, in quotes on one line."""

    def __str__(self) -> str:
        return str(self.args[0])


class OutOfScopeError(InaccessibleTensorError, TypeError):
    """A tensor of a function that is being traced is used outside of it. TensorFlow raises the first class while it traces, the second
    when the function is called."""


class TensorArrayIndexError(OutOfRangeError, InvalidArgumentError):
    """An index that a TensorArray does not have. TensorFlow raises the first class outside of graphs, the second in them."""


class TensorArrayDtypeError(InvalidArgumentError, ValueError, TypeError):
    """A value of another dtype than its TensorArray. TensorFlow raises the first class outside of graphs, the others in them."""


class TensorArrayRankError(InvalidArgumentError, ValueError):
    """A scalar where a TensorArray needs a vector. TensorFlow raises the first class outside of graphs, the second in them."""


class UnwrittenElementError(InvalidArgumentError, ValueError):
    """An element of a TensorArray that was not written, of unknown shape. TensorFlow raises the second class outside of graphs."""


class MissingModelError(NotFoundError, OSError):
    """There is no saved model. Programs for TensorFlow catch OSError."""


class ReturnedError(ConversionError, TypeError):
    """A function of a dataset returns something that is no tensor. TensorFlow raises a TypeError."""


class NotCallableError(ValueError, TypeError):
    """A value where a function is expected. Python raises a TypeError, TensorFlow a ValueError."""


class NoTraceError(ValueError, TypeError):
    """No trace of a saved function accepts the arguments. TensorFlow raises either class, depending on the input signature."""


class UnknownSignatureError(KeyError):
    """A saved model has no signature of that name."""

    __str__ = Exception.__str__


class CompilerWarning(UserWarning):
    """Something could not be compiled, and runs with NumPy's kernels."""


class GradientWarning(UserWarning):
    """A gradient is None and the tape was made with `on_none="warn"`."""


class GradientError(ValueError):
    """A gradient is None and the tape was made with `on_none="raise"`. `report` holds the explanation."""

    def __init__(self, message: str, report: Any = None) -> None:
        super().__init__(message)
        self.report = report


def compose(what: str, fix: str = "", depth: int = 1) -> str:
    """The three lines of a message: what happened, where in the user's code, what to do."""
    return _three_lines(what, provenance.user_site(depth + 1), fix)


def _three_lines(what: str, site: provenance.Site | None, fix: str) -> str:
    # An error that is quoted in `what` has a place and a fix too; those of this one count.
    what = "\n".join([line for line in what.split("\n") if not line.startswith(("  at:  ", "  fix: "))])
    name, colon, rest = what.partition(":")
    lines = [_tidy(f"{_SPOKEN.get(name, name)}{colon}{rest}")]
    if site is not None:
        lines.append(f"  at:  {site}")
    if fix:
        lines.append(f"  fix: {_tidy(fix)}")
    return "\n".join(lines)


# Ops whose function has another name; users know that one.
_SPOKEN = {
    "convolution_input_gradient": "conv2d_transpose",
    "matrix_inverse": "linalg.inv",
    "matrix_solve": "linalg.solve",
    "add_strings": "add",
    "random_integers": "random.uniform",
    "random_state": "random",
    "distorted_box": "sample_distorted_bounding_box",
}

_INSIDE = (
    (re.compile(r"<gradtape\.[\w.]*?(\w+) object at 0x[0-9a-f]+>"), r"<\1 object>"),
    (re.compile(r"<class 'gradtape\.[\w.]*?(\w+)'>"), r"<class '\1'>"),
    (re.compile(r" at 0x[0-9a-f]+"), ""),
    (re.compile(r"\s*\n\s*"), " "),
)


def _tidy(text: str) -> str:
    """A text on one line, without the modules that define our classes, and without addresses."""
    if "\n" in text or "<" in text:
        for pattern, plain in _INSIDE:
            text = pattern.sub(plain, text)
    return text


def in_graph(problem: Exception, node: str, graph: str, site: Any) -> Exception:
    """An exception of a program that runs, with the line of the function that it belongs to instead of that of the call."""
    if not isinstance(problem, OpError):
        problem.add_note(f"Detected at node {node!r} of {graph}, {site}")
        return problem
    first, *others = [line for line in str(problem).split("\n") if not line.startswith("  at:  ")]
    where = f"Graph execution error: detected at node {node!r} of {graph}."
    return type(problem)("\n".join([first, f"  at:  {site}", *others, "", where]))


def no_room(problem: Exception, name: str, specs: Sequence[Any] = ()) -> Exception:
    """The error for an array that could not be made; the problem itself if it is another one.

    Args:
      problem: what NumPy or Python raised.
      name: of the op.
      specs: of its results, as far as they are known; where there are none, NumPy says which array had no room.
    """
    if isinstance(problem, (OpError, ConversionError)):
        return problem
    if not isinstance(problem, MemoryError):
        return _impossible(problem, name, specs)
    shape, dtype = getattr(problem, "shape", None), getattr(problem, "dtype", None)
    if max([math.prod(s.shape) for s in specs], default=0) >= 1 << 63:
        return _too_many(name, specs)
    if specs:
        size = sum([math.prod(s.shape) * s.dtype.size for s in specs])
        what = f"{', '.join(map(str, specs))} ({size} bytes)"
    elif shape is not None and dtype is not None:
        what = f"an array of shape {list(shape)} and dtype {dtype} ({math.prod(shape) * dtype.itemsize} bytes)"
    else:
        what = ""
    fix = "use smaller batches, or a dtype with fewer bytes."
    what = f" when allocating {what}" if what else ""
    return OutOfMemoryError(compose(f"{name}: out of memory{what}.", fix, depth=2))


_MOST_DIMENSIONS = 64  # of NumPy's arrays
_TOO_LARGE = re.compile("Maximum allowed (dimension|size) exceeded|too large to convert to C|array is too big")


def _impossible(problem: Exception, name: str, specs: Sequence[Any]) -> Exception:
    """The error for an array that no machine has room for, or of more dimensions than NumPy knows."""
    if isinstance(problem, ValueError) and "array is too big" in str(problem):
        if specs and max([math.prod(s.shape) for s in specs]) < 1 << 63:
            return no_room(MemoryError(), name, specs)
        return _too_many(name, specs)
    if isinstance(problem, (ValueError, OverflowError)) and _TOO_LARGE.search(str(problem)):
        what = f"{name}: a size that does not fit in 64 bits cannot be the size of an array."
        return ShapeError(compose(what, "check the shape: do its sizes mean what they should?", depth=3))
    rank = max([len(s.shape) for s in specs], default=0)
    if rank > _MOST_DIMENSIONS or "maximum supported dimension" in str(problem):
        what = f"{name}: too many dimensions{f', {rank}' if rank else ''}: more than {_MOST_DIMENSIONS} dimensions are not supported."
        return ShapeError(compose(what, "reshape the tensor so that it has fewer.", depth=3))
    return problem


def _too_many(name: str, specs: Sequence[Any]) -> Exception:
    shapes = ", ".join([str(s) for s in specs])
    what = f"{name}: a result with more elements than 2^63 cannot be made{': ' + shapes if shapes else ''}."
    return ShapeError(compose(what, "check the shape: do its sizes mean what they should?", depth=4))


def of_python(problem: Exception) -> Exception:
    """An exception of Python code that the library calls, of the class that TensorFlow raises for it and of its own class."""
    if isinstance(problem, OpError):
        return problem
    kinds: dict[Any, type[OpError]] = {
        (TypeError, ValueError, StopIteration): InvalidArgumentError,
        NotImplementedError: UnimplementedError,
        MemoryError: ResourceExhaustedError,
    }
    kind = next((own for theirs, own in kinds.items() if isinstance(problem, theirs)), UnknownError)
    message = f"{type(problem).__name__}: {problem}"
    # A StopIteration that travels through generators ends them.
    both = (kind,) if isinstance(problem, StopIteration) else (kind, type(problem))
    try:
        made: Exception = type(kind.__name__, both, {"__module__": kind.__module__})(message)
    except TypeError:  # a class that takes other arguments
        made = kind(message)
    made.__cause__ = problem
    return made.with_traceback(problem.__traceback__)


_LIBRARIES = {"tensorflow": "TensorFlow", "torch": "PyTorch", "jax": "JAX", "jaxlib": "JAX", "cupy": "CuPy"}


def library_of(value: Any) -> str | None:
    """The name of the library that an array or variable belongs to, if it is another one for tensors."""
    return _LIBRARIES.get(type(value).__module__.partition(".")[0])


def brief(value: Any) -> str:
    """A value as text for a message, cut off where it is long."""
    text = _tidy(repr(value))
    return text if len(text) <= 60 else text[:57] + "..."


def build(kind: type[Exception], what: str, fix: str = "") -> Exception:
    """An exception of a kind with the three-line message, ready to raise."""
    return kind(compose(what, fix, depth=2))


# Tracebacks and pickles name the module in which users find them.
for _class in [value for value in globals().values() if isinstance(value, type) and issubclass(value, Exception)]:
    _class.__module__ = "gradtape.errors"
