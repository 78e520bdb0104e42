"""Sizes that are not known, as integer polynomials of symbols.

A `Dim` stands where a rule expects an int: `2 * n + 1`, `n // 4`, `m * n`. Arithmetic gives an int wherever the symbols cancel, so that
`6 * n // n` is 6. A comparison that the symbols do not decide is answered by the path that is being explored (`core/paths.py`), and a
question for the number itself raises `Undecided`. So no number is ever made up.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.core.state import current as _current
from gradtape.core.weak import WeakValues

INFINITY = math.inf
Bounds = tuple[float, float]


class Undecided(NotImplementedError):
    """A symbol was asked for its number."""


class Atom:
    """A symbol: a size (0 or more), a value (any integer), or a quotient of polynomials that does not simplify.

    Attributes:
      low, high: the range of the number that it stands for.
      quotient: dividend and divisor, or None.
      order: the age, which sorts the factors of a product.
    """

    __slots__ = ("__weakref__", "high", "low", "order", "quotient")
    _count = itertools.count()

    def __init__(self, low: float = 0, high: float = INFINITY, quotient: tuple[Any, Any] | None = None) -> None:
        self.low, self.high, self.quotient, self.order = low, high, quotient, next(Atom._count)

    def __lt__(self, other: Atom) -> bool:
        return self.order < other.order

    def bounds(self, limits: Mapping[Atom, Bounds]) -> Bounds:
        """The range, which limits may narrow."""
        low, high = limits.get(self, (self.low, self.high))
        if self.quotient is not None and limits:
            least, most = quotient_bounds(*[bounds(part, limits) for part in self.quotient])
            low, high = max(low, least), min(high, most)
        return low, high

    def depends_on(self, other: Atom) -> bool:
        """True if the other symbol is this one, or occurs in this quotient."""
        if self is other:
            return True
        return self.quotient is not None and any(a.depends_on(other) for part in self.quotient for a in atoms(part))


Monomial = tuple[Atom, ...]
_NO_LIMITS: dict[Atom, Bounds] = {}


class Dim:
    """An integer that is not known: the sum of `terms`, which maps products of symbols to coefficients. Never constant."""

    __slots__ = ("terms",)

    def __init__(self, terms: dict[Monomial, int]) -> None:
        self.terms = terms

    # Rules ask isinstance(d, int).
    __class__ = property(lambda self: int)

    def __add__(self, other: Any) -> Any:
        return add([self, other]) if _is_integer(other) else _inexact(operator.add, self, other)

    def __mul__(self, other: Any) -> Any:
        return multiply([self, other]) if _is_integer(other) else _inexact(operator.mul, self, other)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Any:
        return multiply([-1, self])

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __sub__(self, other: Any) -> Any:
        return subtract(self, other) if _is_integer(other) else _inexact(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return subtract(other, self) if _is_integer(other) else _inexact(operator.sub, other, self)

    def __floordiv__(self, other: Any) -> Any:
        return divide(self, other) if _is_integer(other) else _inexact(operator.floordiv, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return divide(other, self) if _is_integer(other) else _inexact(operator.floordiv, other, self)

    def __mod__(self, other: Any) -> Any:
        return self - divide(self, other) * other if _is_integer(other) else _inexact(operator.mod, self, other)

    def __rmod__(self, other: Any) -> Any:
        return other - divide(other, self) * self if _is_integer(other) else _inexact(operator.mod, other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, n: int) -> Any:
        return multiply([self] * n)

    def __eq__(self, other: object) -> bool:
        if self is other or (type(other) is Dim and self.terms == other.terms):
            return True
        return _path().is_zero(self - other) if isinstance(other, (int, np.integer)) else False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __ge__(self, other: Any) -> bool:
        if isinstance(other, float):
            return other < 0 if math.isinf(other) else self >= math.ceil(other)
        result: bool = _path().is_natural(self - other)
        return result

    def __gt__(self, other: Any) -> bool:
        if isinstance(other, float):
            return other < 0 if math.isinf(other) else self >= math.floor(other) + 1
        result: bool = _path().is_natural(self - other - 1)
        return result

    def __lt__(self, other: Any) -> bool:
        return not self >= other

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __bool__(self) -> bool:
        return self != 0

    def __hash__(self) -> int:
        raise Undecided("a set, a dict or a cache asked for a size that is not known.")

    def __index__(self) -> int:
        result: int = _path().number(self)
        return result

    __int__ = __trunc__ = __floor__ = __ceil__ = __index__

    def __round__(self, digits: int | None = None) -> Any:
        return self

    def __float__(self) -> float:
        return float(self.__index__())

    def __truediv__(self, other: Any) -> float:
        result: float = self.__index__() / other
        return result

    def __rtruediv__(self, other: Any) -> float:
        result: float = other / self.__index__()
        return result

    def __and__(self, other: Any) -> Any:
        return self.__index__() & other

    def __or__(self, other: Any) -> Any:
        return self.__index__() | other

    def __xor__(self, other: Any) -> Any:
        return self.__index__() ^ other

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Any:
        return -self - 1

    def __lshift__(self, other: Any) -> Any:
        return self * (1 << other)

    def __rlshift__(self, other: Any) -> Any:
        return other << self.__index__()

    def __rshift__(self, other: Any) -> Any:
        return self // (1 << other)

    def __rrshift__(self, other: Any) -> Any:
        return other >> self.__index__()

    def __rpow__(self, other: Any) -> Any:
        return other ** self.__index__()

    def __getattr__(self, name: str) -> Any:
        """What else an int has, such as `bit_length`: it needs the number."""
        if name.startswith("_") or not hasattr(int, name):
            raise AttributeError(f"'int' object has no attribute {name!r}")
        return getattr(self.__index__(), name)

    def __repr__(self) -> str:
        return "?"

    def __format__(self, spec: str) -> str:
        return "?"


def new_size(low: float = 0, high: float = INFINITY) -> Dim:
    """A new symbol for a size, or for a value with -INFINITY as its lowest."""
    return Dim({(Atom(low, high),): 1})


def is_symbolic(shape: Sequence[Any]) -> bool:
    """True if a shape, or another sequence, holds a symbol."""
    return Dim in map(type, shape)


def atoms(x: Any) -> list[Atom]:
    """The symbols of an int or Dim."""
    return [a for monomial in x.terms for a in monomial] if type(x) is Dim else []


def alone(x: Any) -> Atom | None:
    """The symbol that a Dim consists of, or None if it is more than one symbol."""
    if type(x) is Dim and len(x.terms) == 1:
        ((monomial, factor),) = x.terms.items()
        if factor == 1 and len(monomial) == 1:
            return monomial[0]
    return None


def is_same(a: Any, b: Any) -> bool:
    """True if two ints or Dims are the same polynomial."""
    if type(a) is Dim or type(b) is Dim:
        return type(a) is Dim and type(b) is Dim and a.terms == b.terms
    return bool(a == b)


def bounds(x: Any, limits: Mapping[Atom, Bounds] = _NO_LIMITS) -> Bounds:
    """The range of an int or Dim, given narrower ranges of some symbols."""
    if type(x) is not Dim:
        return x, x
    low: float = 0
    high: float = 0
    for monomial, factor in x.terms.items():
        ends: list[float] = [factor]
        for atom in monomial:
            ends = [0 if not e or not b else e * b for e in ends for b in atom.bounds(limits)]
        low, high = low + min(ends), high + max(ends)
    return low, high


def add(parts: Sequence[Any]) -> Any:
    """The sum of ints and Dims."""
    terms: dict[Monomial, int] = {}
    for part in parts:
        for monomial, factor in _terms(part).items():
            terms[monomial] = terms.get(monomial, 0) + factor
    return _simplify(terms)


def subtract(a: Any, b: Any) -> Any:
    """The difference of ints and Dims."""
    terms = dict(_terms(a))
    for monomial, factor in _terms(b).items():
        terms[monomial] = terms.get(monomial, 0) - factor
    return _simplify(terms)


def multiply(parts: Sequence[Any]) -> Any:
    """The product of ints and Dims."""
    terms: dict[Monomial, int] = {(): 1}
    for part in parts:
        product: dict[Monomial, int] = {}
        for (p, m), (q, n) in itertools.product(terms.items(), _terms(part).items()):
            monomial = tuple(sorted(p + q)) if p and q else p or q
            product[monomial] = product.get(monomial, 0) + m * n
        terms = product
    return _simplify(terms)


def divide(a: Any, b: Any) -> Any:
    """a // b: whole where the polynomials divide, with a symbol for the rest."""
    path = _current.path
    if path is not None:
        a, b = path.resolve(a), path.resolve(b)
    if type(a) is not Dim and type(b) is not Dim:
        return a // b
    if type(b) is Dim and b == 0:
        raise ZeroDivisionError("a size of 0 divides.")
    # floor((b * whole + rest) / b) = whole + floor(rest / b), as whole is an integer.
    whole, rest = _long_division(_terms(a), _terms(b))
    if type(rest) is not Dim and type(b) is not Dim:
        return add([whole, rest // b])
    return whole if type(rest) is not Dim and not rest else add([whole, _quotient(rest, b)])


def substitute(x: Any, value: Callable[[Atom], Any]) -> Any:
    """An int or Dim with a value in place of each symbol."""
    if type(x) is not Dim:
        return x
    return add([multiply([factor, *[value(a) for a in monomial]]) for monomial, factor in x.terms.items()])


def solve(x: Dim) -> tuple[Atom, Any] | bool | None:
    """A symbol and its value if x = 0; False if x cannot be 0; None if x = 0 does not determine a symbol."""
    rest = dict(x.terms)
    constant = rest.pop((), 0)
    if constant % math.gcd(*rest.values()):
        return False
    # The newest symbol is expressed by older ones: those of arguments come first.
    for monomial, factor in sorted(rest.items(), key=lambda t: (len(t[0]), abs(t[1]), [-a.order for a in t[0]])):
        if len(monomial) != 1 or monomial[0].quotient is not None:
            continue
        atom = monomial[0]
        others = {m: -n for m, n in x.terms.items() if m != monomial}
        if any(a.depends_on(atom) for m in others for a in m) or any(n % factor for n in others.values()):
            continue
        value = _simplify({m: n // factor for m, n in others.items()})
        low, high = bounds(value)
        if high < atom.low or low > atom.high:
            return False
        if type(value) is not Dim or (low >= atom.low and high <= atom.high):
            return atom, value
    return None


def quotient_bounds(a: Bounds, b: Bounds) -> Bounds:
    """The range of a // b for ranges of a and b."""
    if b[0] <= 0:
        return -INFINITY, INFINITY
    low, high = a
    least = low if math.isinf(low) else low // (b[1] if low >= 0 else b[0])
    most = high if math.isinf(high) else high // (b[0] if high >= 0 else b[1])
    return least, most


# Quotients of the same polynomials are the same symbol, as long as somebody uses it.
_QUOTIENTS: WeakValues[Any, Atom] = WeakValues()


def _quotient(a: Any, b: Any) -> Dim:
    key = (frozenset(_terms(a).items()), frozenset(_terms(b).items()))
    atom = _QUOTIENTS.get(key)
    if atom is None:
        # The divisor is not 0, as `divide` has asked; so sizes are 1 or more.
        low, high = bounds(b)
        atom = Atom(*quotient_bounds(bounds(a), (low or 1, high)), quotient=(a, b))
        _QUOTIENTS[key] = atom
    return Dim({(atom,): 1})


def _long_division(a: dict[Monomial, int], b: dict[Monomial, int]) -> tuple[Any, Any]:
    """The polynomials `whole` and `rest` with a = b * whole + rest."""
    lead = max(b, key=_degree)
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    left = dict(a)
    while left:
        top = max(left, key=_degree)
        quotient = _without(top, lead) if left[top] % b[lead] == 0 else None
        if quotient is None:
            rest[top] = left.pop(top)
            continue
        factor = left[top] // b[lead]
        whole[quotient] = factor
        for monomial, n in b.items():
            product = tuple(sorted(monomial + quotient))
            left[product] = left.get(product, 0) - n * factor
            if not left[product]:
                del left[product]
    return _simplify(whole), _simplify(rest)


def _degree(monomial: Monomial) -> tuple[int, list[int]]:
    return len(monomial), [a.order for a in reversed(monomial)]


def _without(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """A product of symbols without those of another; None if it does not have them all."""
    left = list(monomial)
    for atom in divisor:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def _terms(x: Any) -> dict[Monomial, int]:
    return x.terms if type(x) is Dim else {(): int(x)}


def _simplify(terms: dict[Monomial, int]) -> Any:
    terms = {m: n for m, n in terms.items() if n}
    if not terms:
        return 0
    return terms[()] if len(terms) == 1 and () in terms else Dim(terms)


def _is_integer(x: Any) -> bool:
    return isinstance(x, (int, np.integer))


def _inexact(operation: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """What an operation gives for a Dim and a float: it needs the number."""
    if not isinstance(a, float) and not isinstance(b, float):
        return NotImplemented
    return operation(float(a), float(b))


def _path() -> Any:
    path = _current.path
    if path is None:
        raise Undecided("sizes that are not known were compared.")
    return path
