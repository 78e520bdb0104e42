"""`tf.debugging`: checks that numbers are finite, of one tensor or of everything that is computed."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gradtape.api.effects import perform
from gradtape.core import convert, errors, provenance, state
from gradtape.core.recorder import Recorder
from gradtape.core.tensor import Tensor, host
from gradtape.ops.movement import Identity

_current = state.current


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor; InvalidArgumentError if it holds inf or nan.

    Args:
      tensor: floating point numbers.
      message: stands before the details.
      name: ignored.

    >>> tf.debugging.check_numerics([1.0, 2.0], "weights").numpy()
    array([1., 2.], dtype=float32)
    """
    x = convert.convert_to_tensor(tensor)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise errors.build(
            errors.DTypeError,
            f"check_numerics: tensor must be floating point, got {x.dtype.name}.",
            "leave the check out: integers are always finite.",
        )
    place = None if _current.trace is not None else provenance.user_place(1)
    perform("check_numerics", partial(_check, message, place), [x])
    return Identity(x)


def _check(message: str, place: Any, x: Any) -> None:
    found = describe(x._array)
    if found:
        site = provenance.Site.of(place)
        raise errors.InvalidArgumentError(
            f"{message} : Tensor had {found} values" + (f"\n  at:  {site}" if site else "")
        )


def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor; InvalidArgumentError if it holds inf or nan.

    Args:
      x: floating point numbers.
      message: stands before the details.
      name: ignored.

    >>> tf.debugging.assert_all_finite(1.0, "loss").numpy()
    np.float32(1.0)
    """
    return check_numerics(x, message)


def describe(array: Any) -> str:
    """A description of the numbers in an array that are not finite; empty if all are."""
    array = np.asarray(host(array))
    if array.dtype.kind not in "fcV" or np.all(np.isfinite(array)):
        return ""
    found = []
    if array.dtype.kind != "c" and np.any(array == -np.inf):
        found.append("-Inf")
    if np.any(np.isinf(array) & (array != -np.inf)):
        found.append("Inf" if "-Inf" not in found else "+Inf")
    if np.any(np.isnan(array)):
        found.append("NaN")
    return " and ".join(found)


class FiniteCheck(Recorder):
    """Observes all computation on a thread, and raises if a result is not finite. In traces it adds checks."""

    __slots__ = ()

    everywhere = True  # traces keep it on their list

    def __init__(self) -> None:
        self.depth, self.closed = 0, False

    def see(self, op: Any, ids: Any, values: Any, params: Any, outputs: Any, result: Any) -> None:
        """An op has run."""
        for i, y in enumerate(outputs if type(outputs) is tuple else (outputs,)):
            if not (y.dtype.is_floating or y.dtype.is_complex):
                continue
            if hasattr(y, "trace"):
                perform(f"check_numerics of {op.name}", _raiser(op.name, i), [y])
            elif type(y) is Tensor:
                _raiser(op.name, i, provenance.user_place(2))(y)


def _raiser(name: str, output: int, place: Any = None) -> Any:
    def act(y: Any) -> None:
        found = describe(y._array)
        if found:
            array = np.asarray(host(y._array))
            bad = int(np.sum(~np.isfinite(array)))
            site = provenance.Site.of(place)
            raise errors.InvalidArgumentError(
                f"!!! Detected Infinity or NaN in output {output} of op {name!r} !!!\n"
                f"  dtype: {y.dtype.name}, shape: {y.shape}, {bad} of {array.size} elements: Tensor had {found} values"
                + (f"\n  at:  {site}" if site else "")
            )

    return act


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Make ops and gradients on this thread raise InvalidArgumentError if they yield inf or nan.

    Functions that are traced from now on check when they run. It costs time: it is for finding errors.

    Args:
      stack_height_limit, path_length_limit: accepted; the message names the line.

    >>> tf.debugging.enable_check_numerics()
    >>> try:
    ...     tf.math.log(0.0)
    ... except tf.errors.InvalidArgumentError as problem:
    ...     print(problem.message.splitlines()[0])
    ... finally:
    ...     tf.debugging.disable_check_numerics()
    !!! Detected Infinity or NaN in output 0 of op 'log' !!!
    """
    if not any(isinstance(r, FiniteCheck) for r in _current.recorders):
        _current.recorders = (FiniteCheck(), *_current.recorders)


def disable_check_numerics() -> None:
    """Undo `enable_check_numerics`.

    >>> tf.debugging.disable_check_numerics()
    """
    _current.recorders = tuple([r for r in _current.recorders if not isinstance(r, FiniteCheck)])


class _Switches:
    placement = False


def set_log_device_placement(enabled: bool) -> None:
    """Accepted, without effect: there is only one kind of device.

    >>> tf.debugging.set_log_device_placement(False)
    """
    _Switches.placement = bool(enabled)


def get_log_device_placement() -> bool:
    """The last value passed to `set_log_device_placement`; False by default.

    >>> tf.debugging.set_log_device_placement(False)
    >>> tf.debugging.get_log_device_placement()
    False
    """
    return _Switches.placement
