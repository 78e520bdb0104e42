# Written by tools/stubs.py.
# ruff: noqa
from gradtape.debugging._numerics import assert_all_finite
from gradtape.debugging._numerics import check_numerics
from gradtape.debugging._numerics import disable_check_numerics
from gradtape.debugging._numerics import enable_check_numerics
from gradtape.debugging._numerics import get_log_device_placement
from gradtape.debugging._numerics import set_log_device_placement
from gradtape.debugging._shape_checks import assert_integer
from gradtape.debugging._shape_checks import assert_rank
from gradtape.debugging._shape_checks import assert_rank_at_least
from gradtape.debugging._shape_checks import assert_rank_in
from gradtape.debugging._shape_checks import assert_scalar
from gradtape.debugging._shape_checks import assert_shapes
from gradtape.debugging._shape_checks import assert_type
from gradtape.debugging._shape_checks import is_numeric_tensor
from gradtape.debugging._traceback_filtering import disable_traceback_filtering
from gradtape.debugging._traceback_filtering import enable_traceback_filtering
from gradtape.debugging._traceback_filtering import is_traceback_filtering_enabled
from gradtape.debugging._value_checks import Assert
from gradtape.debugging._value_checks import assert_near
from gradtape.debugging._value_checks import assert_proper_iterable
from gradtape.debugging._value_checks import assert_same_float_dtype
from typing import Any

__all__ = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "disable_check_numerics",
    "disable_traceback_filtering",
    "enable_check_numerics",
    "enable_traceback_filtering",
    "get_log_device_placement",
    "is_numeric_tensor",
    "is_traceback_filtering_enabled",
    "set_log_device_placement",
]

def assert_equal(x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError unless `x == y` for all elements; the shapes broadcast.

    Args:
      x: a tensor, or a value that becomes one.
      y: of the same dtype.
      message: stands before the details.
      summarize: how many elements the message shows; 3 by default, -1 for all.
      name: ignored.

    >>> tf.debugging.assert_equal([1, 2], [1, 2])
    """

def assert_greater(x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError unless `x > y` for all elements; the shapes broadcast.

    Args:
      x: a tensor, or a value that becomes one.
      y: of the same dtype.
      message: stands before the details.
      summarize: how many elements the message shows; 3 by default, -1 for all.
      name: ignored.

    >>> tf.debugging.assert_greater([1, 2], 0)
    """

def assert_greater_equal(x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError unless `x >= y` for all elements; the shapes broadcast.

    Args:
      x: a tensor, or a value that becomes one.
      y: of the same dtype.
      message: stands before the details.
      summarize: how many elements the message shows; 3 by default, -1 for all.
      name: ignored.

    >>> tf.debugging.assert_greater_equal([1, 2], 1)
    """

def assert_less(x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError unless `x < y` for all elements; the shapes broadcast.

    Args:
      x: a tensor, or a value that becomes one.
      y: of the same dtype.
      message: stands before the details.
      summarize: how many elements the message shows; 3 by default, -1 for all.
      name: ignored.

    >>> tf.debugging.assert_less([1, 2], 3)
    """

def assert_less_equal(x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError unless `x <= y` for all elements; the shapes broadcast.

    Args:
      x: a tensor, or a value that becomes one.
      y: of the same dtype.
      message: stands before the details.
      summarize: how many elements the message shows; 3 by default, -1 for all.
      name: ignored.

    >>> tf.debugging.assert_less_equal([1, 2], 2)
    """

def assert_negative(x: Any, message: Any = None, summarize: Any = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError unless `x < 0` for all elements.

    Args:
      x: a tensor of numbers, or a value that becomes one.
      message: stands before the details.
      summarize: how many elements at each end the message shows; 3 by default, -1 for all.
      name: ignored.

    >>> tf.debugging.assert_negative([-1, -2])
    """

def assert_non_negative(x: Any, message: Any = None, summarize: Any = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError unless `x >= 0` for all elements.

    Args:
      x: a tensor of numbers, or a value that becomes one.
      message: stands before the details.
      summarize: how many elements at each end the message shows; 3 by default, -1 for all.
      name: ignored.

    >>> tf.debugging.assert_non_negative([0, 2])
    """

def assert_non_positive(x: Any, message: Any = None, summarize: Any = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError unless `x <= 0` for all elements.

    Args:
      x: a tensor of numbers, or a value that becomes one.
      message: stands before the details.
      summarize: how many elements at each end the message shows; 3 by default, -1 for all.
      name: ignored.

    >>> tf.debugging.assert_non_positive([0, -2])
    """

def assert_none_equal(x: Any, y: Any, summarize: Any = None, message: Any = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError unless `x != y` for all elements; the shapes broadcast.

    Args:
      x: a tensor, or a value that becomes one.
      y: of the same dtype.
      message: stands before the details.
      summarize: how many elements the message shows; 3 by default, -1 for all.
      name: ignored.

    >>> tf.debugging.assert_none_equal([1, 2], [3, 4])
    """

def assert_positive(x: Any, message: Any = None, summarize: Any = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError unless `x > 0` for all elements.

    Args:
      x: a tensor of numbers, or a value that becomes one.
      message: stands before the details.
      summarize: how many elements at each end the message shows; 3 by default, -1 for all.
      name: ignored.

    >>> tf.debugging.assert_positive([1, 2])
    """
