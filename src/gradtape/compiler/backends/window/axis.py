"""One axis that windows move over: the valid taps at each place, and the places that cover a position."""

from __future__ import annotations

from typing import NamedTuple

from gradtape.compiler.backends.convolution.code import ConvolutionCode
from gradtape.compiler.backends.product.code import Index


class Range(NamedTuple):
    """What is visited along an axis, in the order of the taps.

    Attributes:
      count: how many.
      offset: elements before the first.
      step: elements from one to the next.
      number: of the first tap, as it counts among all taps.
      move: from the number of one tap to that of the next.
      place: on the way back, the first place.
      apart: on the way back, from one place to the next.
    """

    count: Index
    offset: Index
    step: int
    number: Index
    move: int
    place: Index = 0
    apart: int = 0


class WindowAxis(NamedTuple):
    """An axis.

    Attributes:
      size: positions.
      out: places.
      window: taps.
      start: the position of the first tap at the first place.
      stride: positions from place to place.
      dilation: positions from tap to tap.
      inner: elements from one position, or place, to the next; of the array that is visited.
      each: by how much the number of a tap grows along this axis.
    """

    size: int
    out: int
    window: int
    start: int
    stride: int
    dilation: int
    inner: int
    each: int

    @property
    def inside(self) -> bool:
        """True if no tap ever meets padding."""
        last = self.start + (self.out - 1) * self.stride + (self.window - 1) * self.dilation
        return self.start >= 0 and last < self.size

    @property
    def is_tiled(self) -> bool:
        """True if every position is seen once."""
        whole = (self.start, self.stride, self.out * self.stride) == (0, self.window, self.size)
        return whole and (self.dilation == 1 or self.window == 1)

    @property
    def is_simple(self) -> bool:
        """True if the places that saw a position are a plain range."""
        return self.dilation == 1 or self.stride == 1 or self.window == 1

    def seen(self, code: ConvolutionCode, place: Index) -> tuple[Index, Index]:
        """The first tap that sees something at a place, and how many do."""
        if self.inside:
            return 0, self.window
        base = code.add(code.mul(place, self.stride), self.start)
        first = code.most(self._ceil(code, code.sub(0, base), self.dilation), 0)
        last = code.least(self._ceil(code, code.sub(self.size, base), self.dilation), self.window)
        return first, code.sub(last, first)

    def taps(self, code: ConvolutionCode, place: Index) -> Range:
        """The positions that taps see at a place."""
        first, count = self.seen(code, place)
        base = code.add(code.mul(place, self.stride), self.start)
        offset = code.mul(code.add(base, code.mul(first, self.dilation)), self.inner)
        return Range(count, offset, self.dilation * self.inner, code.mul(first, self.each), self.each)

    def all_taps(self, code: ConvolutionCode, place: Index) -> Range:
        """The positions of all taps at a place, those outside too."""
        base = code.add(code.mul(place, self.stride), self.start)
        return Range(self.window, code.mul(base, self.inner), self.dilation * self.inner, 0, self.each)

    def places(self, code: ConvolutionCode, position: Index) -> Range:
        """The places whose windows saw a position, the last one first, since its tap is the first."""
        if self.is_tiled:
            place, tap = code.div(position, self.window), code.rem(position, self.window)
            return Range(1, code.mul(place, self.inner), 0, code.mul(tap, self.each), 0, place)
        at = code.sub(position, self.start)
        if self.dilation > 1 and self.window > 1:
            first = code.most(self._ceil(code, code.sub(at, self.out - 1), self.dilation), 0)
            last = code.least(self._floor(code, at, self.dilation), self.window - 1)
            place = code.sub(at, code.mul(first, self.dilation))
            count, step = code.most(code.add(code.sub(last, first), 1), 0), -self.dilation
            number, offset = code.mul(first, self.each), code.mul(place, self.inner)
            return Range(count, offset, step * self.inner, number, self.each, place, step)
        last = code.least(self._floor(code, at, self.stride), self.out - 1)
        first = code.most(self._ceil(code, code.sub(at, self.window - 1), self.stride), 0)
        tap = code.sub(at, code.mul(last, self.stride))
        count = code.most(code.add(code.sub(last, first), 1), 0)
        number, offset = code.mul(tap, self.each), code.mul(last, self.inner)
        return Range(count, offset, -self.inner, number, self.stride * self.each, last, -1)

    def _floor(self, code: ConvolutionCode, number: Index, by: int) -> Index:
        """The quotient rounded down."""
        if by == 1:
            return number
        # Division is of numbers that are not negative; none is as far below 0 as this.
        far = self.size + self.out * self.stride + self.window * self.dilation + abs(self.start)
        quotient = -(-far // by)
        return code.sub(code.div(code.add(number, quotient * by), by), quotient)

    def _ceil(self, code: ConvolutionCode, number: Index, by: int) -> Index:
        """The quotient rounded up."""
        return self._floor(code, code.add(number, by - 1), by)
