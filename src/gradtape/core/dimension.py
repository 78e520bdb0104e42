"""Dimension: a size of a shape as an object, as `TensorShape.dims` gives it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any


class Dimension:
    """A size that may be unknown.

    >>> tf.compat.v1.Dimension(3) == 3
    True
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        value = dimension_value(value)
        if value is None:
            self._value = None
            return
        try:
            self._value = int(operator.index(value))
        except TypeError:
            raise TypeError(
                f"Dimension value must be integer or None or have an __index__ method, got value {value!r} with type "
                f"{type(value)!r}.\n  fix: tf.compat.v1.Dimension(3)."
            ) from None
        if self._value < 0:
            raise ValueError(f"Dimension {self._value} must be >= 0.\n  fix: write None for an unknown size.")

    @property
    def value(self) -> int | None:
        """The size; None if it is unknown."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """True if both are equal, or one is unknown."""
        own, its = self._value, Dimension(other).value
        return own is None or its is None or own == its

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError if both sizes are known and differ."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """The size that this one or another one knows; ValueError if they are different."""
        its = Dimension(other)
        self.assert_is_compatible_with(its)
        return Dimension(self._value if self._value is not None else its.value)

    def _with(self, other: Any, combine: Any) -> Any:
        try:
            own, its = self._value, Dimension(other).value
        except (TypeError, ValueError):
            return NotImplemented  # a list is repeated
        return Dimension(None if own is None or its is None else combine(own, its))

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a // b)

    def __mod__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a % b)

    def __eq__(self, other: object) -> Any:
        try:
            its = Dimension(other).value
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or its is None else self._value == its

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is None or same is NotImplemented else not same

    def _compared(self, other: Any, compare: Callable[[int, int], bool]) -> bool | None:
        own, its = self._value, Dimension(other).value
        return None if own is None or its is None else compare(own, its)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, operator.ge)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b // a)

    def __rmod__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b % a)

    def __truediv__(self, other: Any) -> Any:
        raise self._only_whole(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        raise self._only_whole(other, self)

    @staticmethod
    def _only_whole(a: Any, b: Any) -> TypeError:
        kinds = f"'{type(a).__name__}' and '{type(b).__name__}'"
        return TypeError(f"unsupported operand type(s) for /: {kinds}, please use // instead")

    def __bool__(self) -> bool:
        return bool(self._value)

    def __reduce__(self) -> Any:
        return Dimension, (self._value,)

    def __hash__(self) -> int:
        return hash(self._value)

    def __int__(self) -> int:
        return self._value  # type: ignore[return-value]

    __index__ = __int__

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value!r})"


def dimension_value(dimension: Any) -> Any:
    """The size of a dimension as a number, or None: what `shape[i]` was is an object in TensorFlow 1.

    >>> tf.compat.dimension_value(tf.ones([3]).shape[0])
    3
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension
