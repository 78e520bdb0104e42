"""Sobol sequences: points that fill space more evenly than random ones."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import integer
from gradtape.core import convert, dtypes, errors
from gradtape.core.tensor import Tensor

_MOST_DIMENSIONS = 21201
_MOST_POINTS = 2**31 - 1


def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Points of the Sobol sequence in the unit cube, `[num_results, dim]`, with the direction numbers of Joe and Kuo.

    Args:
      dim: the dimension of the cube.
      num_results: how many points.
      skip: how many points at the beginning of the sequence to leave out; the origin is never among them.
      dtype: float32 or float64.

    >>> tf.math.sobol_sample(2, 3).numpy()
    array([[0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]], dtype=float32)
    """
    d, count, first = (
        integer(v, "sobol_sample", n) for v, n in ((dim, "dim"), (num_results, "num_results"), (skip, "skip"))
    )
    wanted = dtypes.as_dtype(dtype)
    if not 1 <= d <= _MOST_DIMENSIONS or count < 1 or first < 0 or wanted.name not in ("float32", "float64"):
        raise errors.build(
            errors.InvalidArgumentError,
            f"sobol_sample: dim is {d}, num_results is {count}, skip is {first}, dtype is {wanted.name}: these do not match.",
            f"dim goes from 1 to {_MOST_DIMENSIONS}, num_results from 1, skip from 0; dtype is float32 or float64.",
        )
    if count + first >= _MOST_POINTS:
        raise errors.build(
            errors.InvalidArgumentError,
            f"sobol_sample: num_results+skip must be less than {_MOST_POINTS}, got {count} + {first}.",
            "ask for fewer points, or skip fewer.",
        )
    from scipy.stats import qmc

    # The number of bits limits the length of the sequence, and does not change its beginning.
    points = qmc.Sobol(d, scramble=False, bits=32).fast_forward(1 + first).random(count)
    return convert.convert_to_tensor(points, wanted)
