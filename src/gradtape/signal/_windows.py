"""Windows for spectra: `tf.signal.hann_window`, `hamming_window`, `kaiser_window` and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import integer
from gradtape.api.families import family
from gradtape.core import convert, dtypes, errors
from gradtape.core.tensor import Tensor


@family(
    "A vector.",
    window_length="the number of samples.",
    periodic=(
        "for even lengths, one period of the cosine without the last sample, as spectra want it; otherwise a\n"
        "    symmetric window. Odd lengths are always symmetric, as in TensorFlow."
    ),
    dtype="the floating dtype of the result.",
)
def _cosine_window(who: str, weight: Any) -> Callable[..., Tensor]:
    def function(
        window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        return _raised_cosine(who, window_length, periodic, dtype, weight)

    return function


hann_window = _cosine_window(
    "hann_window",
    "Hann's window, a raised cosine that is zero at its ends.",
    "tf.signal.hann_window(4).numpy() -> array([0. , 0.5, 1. , 0.5], dtype=float32)",
    0.5,
)
hamming_window = _cosine_window(
    "hamming_window",
    "Hamming's window, a raised cosine that is 0.08 at its ends.",
    "tf.signal.hamming_window(4).numpy() -> array([0.08, 0.54, 1.  , 0.54], dtype=float32)",
    0.54,
)


def _raised_cosine(what: str, window_length: Any, periodic: Any, dtype: Any, middle: float) -> Tensor:
    n = _length(what, window_length, dtype)
    if n == 1:
        return _made(np.ones(1), dtype)
    points = n if bool(periodic) and n % 2 == 0 else n - 1
    return _made(middle - (1.0 - middle) * np.cos(2.0 * np.pi * np.arange(n) / points), dtype)


def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """Kaiser's window, with most of its energy in low frequencies.

    Args:
      window_length: the number of samples.
      beta: how narrow the window is; 0 is a rectangle.
      dtype: the floating dtype of the result.

    Returns:
      A vector.

    >>> tf.signal.kaiser_window(3, beta=0.0).numpy()
    array([1., 1., 1.], dtype=float32)
    """
    n = _length("kaiser_window", window_length, dtype)
    return _made(np.kaiser(n, float(beta)), dtype)


def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window made of the partial sums of Kaiser's, with which `mdct` can be undone.

    Args:
      window_length: the number of samples, which is even.
      beta: how narrow the window is.
      dtype: the floating dtype of the result.

    Returns:
      A vector; the squares of samples that lie half the length apart add up to 1.

    >>> tf.signal.kaiser_bessel_derived_window(4, beta=0.0).numpy().round(4)
    array([0.5774, 0.8165, 0.8165, 0.5774], dtype=float32)
    """
    half = _length("kaiser_bessel_derived_window", window_length, dtype) // 2
    sums = np.cumsum(np.kaiser(half + 1, float(beta)))
    rising = np.sqrt(sums[:-1] / sums[-1])
    return _made(np.concatenate([rising, rising[::-1]]), dtype)


def vorbis_window(window_length: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """The window of the Vorbis codec, with which `mdct` can be undone.

    Args:
      window_length: the number of samples.
      dtype: the floating dtype of the result.

    Returns:
      A vector; the squares of samples that lie half the length apart add up to 1.

    >>> tf.signal.vorbis_window(4).numpy().round(4)
    array([0.228 , 0.9737, 0.9737, 0.228 ], dtype=float32)
    """
    n = _length("vorbis_window", window_length, dtype)
    sines = np.sin(np.pi / max(n, 1) * (np.arange(n) + 0.5))
    return _made(np.sin(np.pi / 2.0 * sines**2), dtype)


def _length(what: str, window_length: Any, dtype: Any) -> int:
    """The number of samples; raises if it is negative or the dtype is not floating."""
    n = integer(window_length, what, "window_length")
    if not dtypes.as_dtype(dtype).is_floating:
        raise errors.build(
            errors.ConversionError,
            f"{what}: dtype must be floating point, got {dtypes.as_dtype(dtype)!r}.",
            "use tf.float32 or tf.float64.",
        )
    if n < 0:
        raise errors.build(errors.ShapeError, f"{what}: window_length must not be negative, got {n}.", "use 0 or more.")
    return n


def _made(values: Any, dtype: Any) -> Tensor:
    return convert.convert_to_tensor(values.astype(dtypes.as_dtype(dtype).numpy))
