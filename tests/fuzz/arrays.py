"""Random inputs as expressions: dtypes, shapes, values and views."""

from __future__ import annotations

import math
import random
from typing import Any

FLOATS = {"float32": 45, "float64": 20, "float16": 5, "bfloat16": 5}
DTYPES: dict[str, dict[str, int]] = {
    "f": FLOATS,
    "c": {"complex64": 1, "complex128": 1},
    "i": {"int32": 6, "int64": 3, "int8": 1, "int16": 1},
    "u": {"uint8": 3, "uint16": 1, "uint32": 1, "uint64": 1},
    "b": {"bool": 1},
}
_SIZES = (1, 2, 3, 4, 5, 7, 8, 17, 33, 65, 130)
_MOST = 6000  # elements of a usual array
_LARGE = ((70_001,), (3, 40_000), (260, 257), (140_000,), (2, 3, 33_000))


def choose_dtype(draw: random.Random, kinds: str) -> str:
    """The name of a dtype of one of some kinds; mostly float32."""
    weights = {name: weight for kind in kinds for name, weight in DTYPES[kind].items()}
    return draw.choices(list(weights), list(weights.values()))[0]


def choose_shape(draw: random.Random, least: int = 0, most: int = 4, large: bool = True) -> tuple[int, ...]:
    """A shape of a rank within bounds: often small, sometimes empty, now and then larger than a chunk of work."""
    if large and draw.random() < 0.012:
        fitting = [s for s in _LARGE if least <= len(s) <= most]
        if fitting:
            return draw.choice(fitting)
    rank = min(max(draw.choice((0, 1, 1, 2, 2, 2, 3, 3, 4)), least), most)
    shape = [draw.choice(_SIZES) for _ in range(rank)]
    while math.prod(shape) > _MOST:
        shape[shape.index(max(shape))] = draw.choice((1, 2, 3, 5))
    if rank and draw.random() < 0.03:
        shape[draw.randrange(rank)] = 0
    return tuple(shape)


def broadcasting(draw: random.Random, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts with another one, mostly to it."""
    if draw.random() < 0.5:
        return shape
    kept = shape[draw.randrange(len(shape) + 1) :]
    return tuple(1 if draw.random() < 0.3 else n for n in kept)


def expression(draw: random.Random, dtype: str, shape: tuple[int, ...], low: Any = None, high: Any = None) -> str:
    """The text that makes a random tensor, which may be a view of another one."""
    view = draw.random()
    if len(shape) >= 2 and view < 0.12:
        return f"tf.transpose({constant(draw, dtype, shape[::-1], low, high)})"
    if shape and view < 0.2:
        step = draw.choice(("::2", "1::2", "::-1"))
        length = shape[0] if step == "::-1" else 2 * shape[0]
        return f"{constant(draw, dtype, (length, *shape[1:]), low, high)}[{step}]"
    if shape and view < 0.25:
        axis = draw.randrange(len(shape))
        if shape[axis]:
            thin = (*shape[:axis], 1, *shape[axis + 1 :])
            return f"tf.broadcast_to({constant(draw, dtype, thin, low, high)}, {list(shape)})"
    return constant(draw, dtype, shape, low, high)


def constant(draw: random.Random, dtype: str, shape: tuple[int, ...], low: Any = None, high: Any = None) -> str:
    """The text of a random tensor: numbers from -2 to 2, or small integers, unless limits are given."""
    source = f"np.random.default_rng({draw.randrange(10**6)})"
    if dtype == "bool":
        return f"tf.constant({source}.integers(0, 2, {shape}) == 1)"
    if dtype.startswith(("int", "uint")):
        low = (0 if dtype[0] == "u" else -6) if low is None else low
        numbers = f"{source}.integers({low}, {7 if high is None else high}, {shape})"
    else:
        low, high = -2.0 if low is None else low, 2.0 if high is None else high
        numbers = f"{source}.uniform({low}, {high}, {shape})"
        if dtype.startswith("complex"):
            numbers = f"{source}.uniform({low}, {high}, {(*shape, 2)}) @ np.array([1.0, 1.0j])"
    return f"tf.constant({numbers}, tf.{dtype})"
