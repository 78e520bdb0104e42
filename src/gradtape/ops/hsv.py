"""Colours as hue, saturation and value; the last axis holds the three channels.

The largest channel is the value, the smallest tells the saturation, and the hue is where the middle one lies in one of
six sectors, from 0 to 1. Where channels tie, the first of the largest and the last of the smallest count, in the
derivative too; the hue of a grey is 0, with derivative 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors, memory
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec
from gradtape.ops.arithmetic import Abs, Sign
from gradtape.ops.division import DivideNoNan
from gradtape.ops.family import NO_LOWERING
from gradtape.ops.joining import Stack, Unstack
from gradtape.ops.selection import ClipByValue, Keep, Maximum, Where, number

_PIXELS = 1 << 15  # pixels to work on at once: fresh memory for larger intermediate results would take most of the time


class Colours(Op):
    """Three channels in, three channels out."""

    kinds = "fV"
    validate = True
    lower = NO_LOWERING

    def infer(self, x: Spec) -> Spec:
        self.check_dtypes(x)
        if x.shape[-1:] != (3,):
            raise self.error(
                errors.ShapeError,
                f"x is {x}, and its last dimension must be 3.",
                "put the channels last; use tf.image.grayscale_to_rgb for one channel.",
            )
        return x

    def kernel(self, x: Any) -> Any:
        if type(x) is not np.ndarray or x.size <= 3 * _PIXELS:
            return self.convert(x)
        pixels = x.reshape(-1, 3)
        result = memory.empty(pixels.shape, x.dtype)
        for i in range(0, len(pixels), _PIXELS):
            result[i : i + _PIXELS] = self.convert(pixels[i : i + _PIXELS])
        return result.reshape(x.shape)

    def convert(self, x: Any) -> Any:
        """The colours of arrays in the other coordinates."""
        raise NotImplementedError

    def batch(self, batched: tuple[bool, ...], x: Any) -> Any:
        return self(x)


@declare("rgb_to_hsv")
class RgbToHsv(Colours):
    """Red, green and blue as hue, saturation and value. Without light there is no saturation."""

    def convert(self, x: Any) -> Any:
        r, g, b = _planes(x)
        high, low = np.maximum(np.maximum(r, g), b), np.minimum(np.minimum(r, g), b)
        spread = high - low
        # Products with masks: choosing by `where` takes ten times as long where masks have no pattern.
        red, green = r == high, g == high
        green &= ~red
        blue = ~(red | green)
        red, green, blue = (mask.astype(x.dtype) for mask in (red, green, blue))
        hue = (red * (g - b) + green * (b - r) + blue * (r - g)) / (number(6, x) * _or_one(spread))
        hue = hue + number(2 / 6, x) * green + number(4 / 6, x) * blue
        hue = hue + (hue < 0).astype(x.dtype)
        lit = np.maximum(high, number(0, x))
        saturation = (lit > 0).astype(x.dtype) * spread / _or_one(lit)
        return np.stack((hue, saturation, high), axis=-1)

    def vjp(self, dy: Any, x: Any) -> Any:
        r, g, b = Unstack(x, axis=x.ndim - 1)
        d_hue, d_saturation, d_value = Unstack(dy, axis=x.ndim - 1)
        red = (r >= g) & (r >= b)
        green = (g > r) & (g >= b)
        blue = (b > r) & (b > g)
        least_red, least_green, least_blue = (r < g) & (r < b), (g <= r) & (g < b), (b <= r) & (b <= g)
        high = Where(red, r, Where(green, g, b))
        low = Where(least_red, r, Where(least_green, g, b))
        spread = high - low
        zero, one = number(0, x), number(1, x)
        per_spread, per_value = DivideNoNan(one, spread), DivideNoNan(one, Maximum(high, zero))
        # The hue is difference / (6 spread) plus a constant, the saturation spread / value.
        difference = Where(red, g - b, Where(green, b - r, r - g))
        d_difference = d_hue * per_spread * number(1 / 6, x)
        d_spread = d_saturation * per_value - d_difference * difference * per_spread
        d_high = d_value + d_spread - d_saturation * spread * per_value * per_value
        from_red, from_green, from_blue = Keep(d_difference, red), Keep(d_difference, green), Keep(d_difference, blue)
        return (
            Stack(
                Keep(d_high, red) - Keep(d_spread, least_red) + from_blue - from_green,
                Keep(d_high, green) - Keep(d_spread, least_green) + from_red - from_blue,
                Keep(d_high, blue) - Keep(d_spread, least_blue) + from_green - from_red,
                axis=x.ndim - 1,
            ),
        )


def _planes(x: Any) -> tuple[Any, Any, Any]:
    """The three channels, each in one piece of memory: much is computed with them."""
    planes = np.copy(np.moveaxis(x, -1, 0), order="C")
    return planes[0], planes[1], planes[2]


def _or_one(x: Any) -> Any:
    """x, and 1 where it is 0: a divisor that may be any there."""
    return x + (x == 0).astype(x.dtype)


@declare("hsv_to_rgb")
class HsvToRgb(Colours):
    """Hue, saturation and value as red, green and blue. The hue is not wrapped: below 0 and above 1 it is red."""

    def convert(self, x: Any) -> Any:
        hue, saturation, value = _planes(x)
        zero, one = number(0, x), number(1, x)
        channels = [
            value * (one - saturation * (one - np.minimum(np.maximum(ramp, zero), one))) for ramp in _ramps(hue, np.abs)
        ]
        return np.stack(channels, axis=-1)

    def vjp(self, dy: Any, x: Any) -> Any:
        hue, saturation, value = Unstack(x, axis=x.ndim - 1)
        zero, one, six = number(0, x), number(1, x), number(6, x)
        d_hue = d_saturation = d_value = None
        slopes = [sign * six * Sign(six * hue - number(centre, x)) for sign, centre in _RAMPS]
        for d, ramp, slope in zip(Unstack(dy, axis=x.ndim - 1), _ramps(hue, Abs), slopes, strict=True):
            share = ClipByValue(ramp, zero, one)
            rising = Keep(d * saturation * value * slope, (ramp >= zero) & (ramp <= one))
            d_hue = rising if d_hue is None else d_hue + rising
            more = d * value * (share - one)
            d_saturation = more if d_saturation is None else d_saturation + more
            more = d * (one - saturation * (one - share))
            d_value = more if d_value is None else d_value + more
        return (Stack(d_hue, d_saturation, d_value, axis=x.ndim - 1),)


# Each channel is |6 hue - 3| - 1 or 2 - |6 hue - centre|, limited to the range from 0 to 1.
_RAMPS = ((1, 3), (-1, 2), (-1, 4))


def _ramps(hue: Any, absolute: Any) -> list[Any]:
    six = number(6, hue)
    return [
        number(sign, hue) * absolute(six * hue - number(centre, hue)) + number(-1 if sign > 0 else 2, hue)
        for sign, centre in _RAMPS
    ]
