"""The cost of steps, by the methods of the emitter that they call."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from gradtape.compiler.bodies.loop import Step
from gradtape.compiler.bodies.rows import Recipe
from gradtape.core.dtypes import DType

# What the emitter computes by polynomials.
FUNCTIONS = frozenset((
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "erf", "erfc", "exp", "expm1", "log",
    "log1p", "normal_cdf", "normal_density", "pow", "sin", "sinh", "tan", "tanh",
))  # fmt: skip
_SLOW = frozenset(("floordiv", "floormod", "rsqrt", "sqrt", "truncmod"))
# What is better computed once and kept than computed again.
COSTLY = FUNCTIONS | _SLOW | {"div"}


@functools.lru_cache(maxsize=1024)
def methods_of(inputs: tuple[DType, ...], steps: tuple[Step, ...]) -> tuple[str, ...]:
    """The methods of the emitter that steps on values of these dtypes call."""
    recipe = Recipe(1)
    values = [recipe.input(dtype, True) for dtype in inputs]
    for step in steps:
        values.append(step.op.scalar(recipe, *[values[i] for i in step.operands], **dict(step.params)))
    return tuple([call.method for call in recipe.calls])


def is_short(inputs: Sequence[DType], steps: tuple[Step, ...], functions: frozenset[str] = frozenset()) -> bool:
    """True if steps take a few instructions each, apart from some functions.

    Where the rows of a tile are not neighbours, or vectors are not full, an epilogue with other steps took up to twice the time of a kernel
    of its own.
    """
    return not ((FUNCTIONS | _SLOW) - functions).intersection(methods_of(tuple(inputs), steps))
