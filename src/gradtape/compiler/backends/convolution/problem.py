"""The description of a convolution problem, the same for a convolution and its transpose with respect to the input.

The transpose is a convolution over the output, too: for each remainder of positions by the strides, a **phase**, it sees
some of the taps, and its window moves in steps of one.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from gradtape.core.dtypes import DType
from gradtape.core.patterns.convolution import Convolve, Sizes
from gradtape.ops.windows import Scan, transposed


@dataclass(frozen=True)
class Phase:
    """Some positions of the result that see the same taps.

    Attributes:
      places: how many, per axis.
      window: how many taps, per axis.
      starts: which position of the source the first tap meets at the first place, per axis.
      first: the first place's position in the target, per axis.
      taps: numbers of the taps in the filter.
    """

    places: Sizes
    window: Sizes
    starts: Sizes
    first: Sizes
    taps: tuple[int, ...]


@dataclass(frozen=True)
class Correlation:
    """Windows over a source `[n, *size, groups * depth]`, times a filter, to a target `[n, *target, groups * width]`.

    Attributes:
      dtype: of all arrays.
      examples: n.
      size: of the source.
      depth: channels of the source in a group.
      target: size of the target.
      width: channels of the target in a group.
      groups: of channels.
      strides: positions in the source from one place to the next.
      dilations: positions in the source from one tap to the next.
      spread: positions in the target from one place to the next.
      phases: one after the other; they fill the target.
      turned: the filter has the channels of the target before those of the source.
    """

    dtype: DType
    examples: int
    size: Sizes
    depth: int
    target: Sizes
    width: int
    groups: int
    strides: Sizes
    dilations: Sizes
    spread: Sizes
    phases: tuple[Phase, ...]
    turned: bool

    @property
    def contiguous(self) -> bool:
        """True if places that follow each other are neighbours in the target."""
        return len(self.phases) == 1

    @property
    def places(self) -> Sizes:
        """The most places of a phase, per axis."""
        return tuple(map(max, zip(*[phase.places for phase in self.phases], strict=True)))

    @property
    def window(self) -> Sizes:
        """The most taps of a phase, per axis."""
        return tuple(map(max, zip(*[phase.window for phase in self.phases], strict=True)))

    @property
    def positions(self) -> int:
        """Places of the largest phase, in all examples."""
        return self.examples * math.prod(self.places)

    @property
    def operations(self) -> int:
        """Multiplications and additions."""
        each = sum(math.prod(phase.places) * len(phase.taps) for phase in self.phases)
        return 2 * self.examples * each * self.depth * self.width * self.groups


def scan_of(pattern: Convolve) -> Scan:
    """The way of the window."""
    return Scan(pattern.out, pattern.window, pattern.starts, pattern.strides, pattern.dilations)


def correlation(pattern: Convolve) -> Correlation:
    """A convolution, or its transpose in the input, as a problem."""
    c, o = pattern.channels // pattern.groups, pattern.filters // pattern.groups
    axes = len(pattern.size)
    if pattern.kind == "forward":
        taps = tuple(range(math.prod(pattern.window)))
        phase = Phase(pattern.out, pattern.window, pattern.starts, (0,) * axes, taps)
        return Correlation(
            pattern.dtype, pattern.examples, pattern.size, c, pattern.out, o, pattern.groups,
            pattern.strides, pattern.dilations, (1,) * axes, (phase,), False,
        )  # fmt: skip
    apart = tuple([d // math.gcd(s, d) for s, d in zip(pattern.strides, pattern.dilations, strict=True)])
    return Correlation(
        pattern.dtype, pattern.examples, pattern.out, o, pattern.size, c, pattern.groups,
        (1,) * axes, apart, pattern.strides, _phases(pattern), True,
    )  # fmt: skip


def _phases(pattern: Convolve) -> tuple[Phase, ...]:
    found = []
    for phase in transposed(pattern.size, scan_of(pattern)):
        places = tuple([len(range(*s.indices(n))) for s, n in zip(phase.place, pattern.size, strict=True)])
        first = tuple([s.start for s in phase.place])
        if phase.scan is None:
            # No window sees these positions: there are no taps, and the sums are zeros.
            nothing = (0,) * len(places)
            found.append(Phase(places, nothing, nothing, first, ()))
            continue
        along = [range(*taps.indices(k)) for taps, k in zip(phase.taps, pattern.window, strict=True)]
        numbers = [_number(tap, pattern.window) for tap in itertools.product(*along)]
        found.append(Phase(places, phase.scan.window, phase.scan.starts, first, tuple(numbers)))
    return tuple(found)


def _number(tap: Sizes, window: Sizes) -> int:
    """The place of a tap in the filter."""
    number = 0
    for k, n in zip(tap, window, strict=True):
        number = number * n + k
    return number
