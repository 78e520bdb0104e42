"""`tf.debugging`: checks that numbers are finite, of one tensor or, while switched on, of everything that is computed."""

from __future__ import annotations

from functools import partial
from typing import Any

from gradtape.api.effects import perform
from gradtape.core import convert, errors, provenance, state
from gradtape.core.tensor import Tensor
from gradtape.debugging._finite_check import FiniteCheck, describe
from gradtape.ops.movement import Identity

_current = state.current


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor; InvalidArgumentError if it holds inf or nan.

    Args:
      tensor: floating point numbers.
      message: stands before the details.

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

    >>> tf.debugging.assert_all_finite(1.0, "loss").numpy()
    np.float32(1.0)
    """
    return check_numerics(x, message)


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Make ops and gradients on this thread raise InvalidArgumentError if they yield inf or nan.

    Functions that are traced from now on check when they run. It costs time: it is for finding errors.

    Args:
      stack_height_limit: how many of the user's lines a message about an op of a function lists at most.
      path_length_limit: how many characters of a file's path it shows.

    >>> tf.debugging.enable_check_numerics()
    >>> try:
    ...     tf.math.log(0.0)
    ... except tf.errors.InvalidArgumentError as problem:
    ...     print(problem.message.splitlines()[0])
    ... finally:
    ...     tf.debugging.disable_check_numerics()
    !!! Detected Infinity or NaN in output 0 of eagerly-executing op "Log" (# of outputs: 1) !!!
    """
    if not any(isinstance(r, FiniteCheck) for r in _current.recorders):
        _current.recorders = (FiniteCheck(stack_height_limit, path_length_limit), *_current.recorders)


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
