"""Python's operators on ragged tensors: they broadcast, and run on the flat values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from gradtape.core import errors
from gradtape.core.doors import adapt
from gradtape.ragged._elementwise import over_values


def _over_values(name: str, function: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    return adapt(over_values)(name, function, (x, y), {})


def _forward(name: str, function: Callable[[Any, Any], Any]) -> Any:
    return lambda self, other: _over_values(name, function, self, other)


def _reflected(name: str, function: Callable[[Any, Any], Any]) -> Any:
    return lambda self, other: _over_values(name, function, other, self)


def _comparison(name: str, function: Callable[[Any, Any], Any], otherwise: bool) -> Any:
    def method(self: Any, other: Any) -> Any:
        try:
            return _over_values(name, function, self, other)
        except errors.ShapeError:
            return otherwise  # what cannot be compared element by element differs as a whole

    return method


def _unary(function: Callable[[Any], Any]) -> Any:
    return lambda self: self.with_flat_values(function(self.flat_values))


class Operators:
    """Base of RaggedTensor."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    __add__ = _forward("add", operator.add)
    __radd__ = _reflected("add", operator.add)
    __sub__ = _forward("sub", operator.sub)
    __rsub__ = _reflected("sub", operator.sub)
    __mul__ = _forward("mul", operator.mul)
    __rmul__ = _reflected("mul", operator.mul)
    __truediv__ = _forward("truediv", operator.truediv)
    __rtruediv__ = _reflected("truediv", operator.truediv)
    __floordiv__ = _forward("floordiv", operator.floordiv)
    __rfloordiv__ = _reflected("floordiv", operator.floordiv)
    __mod__ = _forward("mod", operator.mod)
    __rmod__ = _reflected("mod", operator.mod)
    __pow__ = _forward("pow", operator.pow)
    __rpow__ = _reflected("pow", operator.pow)
    __and__ = _forward("and", operator.and_)
    __rand__ = _reflected("and", operator.and_)
    __or__ = _forward("or", operator.or_)
    __ror__ = _reflected("or", operator.or_)
    __xor__ = _forward("xor", operator.xor)
    __rxor__ = _reflected("xor", operator.xor)
    __lt__ = _forward("lt", operator.lt)
    __le__ = _forward("le", operator.le)
    __gt__ = _forward("gt", operator.gt)
    __ge__ = _forward("ge", operator.ge)
    __eq__ = _comparison("eq", operator.eq, otherwise=False)
    __ne__ = _comparison("ne", operator.ne, otherwise=True)
    __neg__ = _unary(operator.neg)
    __pos__ = _unary(operator.pos)
    __abs__ = _unary(operator.abs)
    __invert__ = _unary(operator.invert)
